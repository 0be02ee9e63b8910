"""Guides are run: each block of a guide is a file to write, a command with its output, or Python to execute.

```json bank.json        a file of that name
```console               commands after `$ `, each followed by what it prints; a line `...` stands for any lines
```python                code that must run

python -m tests.docs.guides docs/guides/questions.md      # writes the outputs of today into the guide
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from burnish.cli.main import INTERNAL_ERROR
from burnish.cli.main import main as burnish

BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<name>[\w./-]+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "..."
WIDTH = "96"
OTHER_COMMANDS = ("cp", "diff")
CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?"), "2026-11-15 10:00"),
    (re.compile(r"(?<=answers \()\d+ ms"), "12 ms"),
)
"""What is different each time, and how it stands in a guide."""
PROGRESS = re.compile(r"^\w+ing: (?:[\d,]+ of .*(?:/s|waiting for)|waiting for).*\n", re.MULTILINE)
"""Lines that a slow machine prints and a fast one does not."""
TOKENS = re.compile(r"\d[\d,]*(?= tokens?\b| in,| out\)| of [\d,]+ are spent)|\$\d+\.\d+")
"""Amounts that change with every word of a prompt: a guide shows them, and may show yesterday's."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A command of a guide: what the guide says it prints, and what it printed."""

    command: str
    promised: list[str]
    printed: list[str]

    @property
    def kept(self) -> bool:
        return matches(self.promised, self.printed)

    def shown(self) -> str:
        """The command with its output, in the guide's own cut where that still holds."""
        return "\n".join([f"$ {self.command}", *(self.promised if self.kept else self.printed)])


def matches(promised: list[str], printed: list[str]) -> bool:
    """Whether the lines are the same, with ANY for any number of lines."""
    if not promised:
        return not printed
    if promised[0] == ANY:
        return any(matches(promised[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and _same(promised[0], printed[0]) and matches(promised[1:], printed[1:])


def _same(promised: str, printed: str) -> bool:
    return TOKENS.sub("#", promised) == TOKENS.sub("#", printed)


def run_guide(text: str, folder: Path) -> Iterator[tuple[re.Match[str], list[Ran]]]:
    """Every block of a guide in its order, done in `folder`."""
    names: dict[str, object] = {"__name__": "guide"}
    for block in BLOCK.finditer(text):
        ran: list[Ran] = []
        if block["name"]:
            path = folder / block["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["body"], encoding="utf-8")
        elif block["language"] == "console":
            ran = [Ran(command, promised, _printed(command, folder)) for command, promised in _commands(block["body"])]
        elif block["language"] == "python":
            with _inside(folder):
                exec(compile(block["body"], "<guide>", "exec"), names)
        yield block, ran


def _commands(body: str) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, rest = part.rstrip("\n").partition("\n")
        yield command, rest.split("\n") if rest else []


def _printed(command: str, folder: Path) -> list[str]:
    """What the command prints, on both streams; comments after ` #` are the guide's."""
    words = shlex.split(command, comments=True)
    written = io.BytesIO()
    # With bytes beneath it, as a real stream has: a filter writes them.
    output = io.TextIOWrapper(written, encoding="utf-8", newline="", write_through=True)
    with _inside(folder), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        if words[0] == "burnish":
            code = burnish(words[1:])
        else:
            output.write(_shell(words, folder))
            code = None
    text = written.getvalue().decode().replace(f"{folder}{os.sep}", "")
    text = PROGRESS.sub("", text)
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip() else []
    if code == INTERNAL_ERROR:
        raise RuntimeError(f"{command}\n{text}")
    return [*lines, f"(exit code {code})"] if code else lines


def _shell(words: list[str], folder: Path) -> str:
    """The few commands beside ours that guides use."""
    if words[0] not in OTHER_COMMANDS:
        raise ValueError(f"a guide may not run {words[0]!r}")
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env={"PATH": os.defpath})
    return ended.stdout + ended.stderr


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """In the folder, on a terminal of known width, with no settings of the machine's own."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("BURNISH_", "OPENAI_", "ANTHROPIC_"))]:
        del os.environ[name]
    os.environ.update(COLUMNS=WIDTH, NO_COLOR="1")
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def rewritten(path: Path) -> str:
    """The guide with the outputs of today."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        pieces, end = [], 0
        for block, ran in run_guide(text, Path(place).resolve()):
            if ran:
                pieces += [text[end : block.start("body")], "\n\n".join(each.shown() for each in ran) + "\n"]
                end = block.end("body")
    return "".join([*pieces, text[end:]])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        guide = Path(name)
        guide.write_text(rewritten(guide), encoding="utf-8")
