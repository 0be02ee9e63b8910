"""What the README shows of the demo, and what the demo prints.

python -m tests.docs.readme      # writes the outputs of today into the README
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

import pytest

from burnish.cli.main import main

README = Path(__file__).parents[2] / "README.md"
SHOWN = re.compile(r"(?<=<!-- demo: begin -->\n```console\n)(.*?)(?=```\n<!-- demo: end -->)", re.DOTALL)
NEXT = re.compile(r"^(?=\$ |Everything is in )", re.MULTILINE)
"""Where what one command prints is over."""


def printed_in(folder: Path) -> str:
    """Everything that `burnish demo --verbose --keep demo` prints, on a terminal of known width."""
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setenv("COLUMNS", "96")
        patch.setenv("NO_COLOR", "1")
        patch.chdir(folder)
        assert main(["demo", "--verbose", "--keep", "demo"]) == 0
    lines = output.getvalue().replace(f"{folder}/", "").splitlines()
    return "\n".join(line.rstrip() for line in lines)


def rewritten(text: str, printed: str) -> str:
    """The README with what the demo prints today, command by command."""
    outputs = {output.partition("\n")[0].partition("   #")[0]: output.rstrip() for output in NEXT.split(printed)}

    def today(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ .*?(?=   #|$)", block[0], re.MULTILINE)
        return "\n\n".join(outputs[command] for command in commands) + "\n"

    return SHOWN.sub(today, text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        shown = rewritten(README.read_text(encoding="utf-8"), printed_in(Path(place).resolve()))
    README.write_text(shown, encoding="utf-8")
