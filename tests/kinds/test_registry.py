"""The registry tells kinds apart without loading any: opening one kind imports no other."""

import subprocess
import sys
from pathlib import Path

import pytest

from burnish.kinds.registry import KINDS, possible_kinds

LOADED = """
import contextlib, io, sys
from burnish.cli.main import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(sys.argv[1:])
print(*sorted({name.split(".")[2] for name in sys.modules if name.startswith("burnish.kinds.")}))
"""


@pytest.mark.parametrize(
    ("command", "sample", "kind"),
    [
        ("check", "biology.json", "questions"),
        ("check", "bread.json", "lessons"),
        ("polish", "biology.json", "questions"),
    ],
)
def test_opening_a_document_loads_only_its_kind(command: str, sample: str, kind: str, tmp_path: Path) -> None:
    given = [command, f"src/burnish/samples/{sample}", *(("--runs", str(tmp_path)) if command == "polish" else ())]
    done = subprocess.run([sys.executable, "-c", LOADED, *given], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert kind in loaded
    if kind == "questions":
        assert not loaded & (KINDS.keys() - {kind})


@pytest.mark.parametrize(
    ("path", "head", "kinds"),
    [
        ("a.md", b"# Title", ("lessons",)),
        ("a.md", b'[{"stem": "x"}]', ("lessons", "questions")),
        ("a.json", b'{"content": {"intro": "x"}}', ("lessons", "questions")),
        ("a.json", b'[{"stem": "x"}]', ("questions",)),
        ("a.gift", b"::q:: Which? {=a ~b}", ("questions",)),
    ],
)
def test_only_kinds_that_can_read_a_file_are_asked(path: str, head: bytes, kinds: tuple[str, ...]) -> None:
    assert possible_kinds(path, head) == kinds
