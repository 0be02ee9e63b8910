"""Golden cases of `burnish check`: a folder each, with what is handed in and the exact report, for people and programs.

`python -m tests.golden.check.cases` writes the reports again after a change that was meant; read the diff before you
commit it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from burnish import __version__
from burnish.cli.main import main

HERE = Path(__file__).parent
REPORTS = {"text": "report.txt", "json": "report.json"}
KEPT = {"case.toml", *REPORTS.values()}
"""Everything else in a case's folder is handed in."""


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def arguments(self) -> list[str]:
        return list(self._table()["arguments"])

    @property
    def exit_code(self) -> int:
        return int(self._table()["exit_code"])

    def _table(self) -> dict[str, object]:
        return tomllib.loads((self.folder / "case.toml").read_text(encoding="utf-8"))  # type: ignore[return-value]

    def run(self, format: str) -> tuple[int, str]:
        """Exit code and report of a check inside a copy of the folder, so that nothing here is ever changed."""
        with tempfile.TemporaryDirectory() as copy, _inside(Path(copy), self.folder):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = main(["check", *self.arguments, "--format", format, "--jobs", "1"])
            return code, output.getvalue().replace(f'"version":"{__version__}"', '"version":"*"', 1)


@contextlib.contextmanager
def _inside(copy: Path, folder: Path) -> Iterator[None]:
    before = Path.cwd()
    for path in folder.iterdir():
        if path.name not in KEPT:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, copy / path.name)
    os.chdir(copy)
    try:
        yield
    finally:
        os.chdir(before)


def cases() -> list[Case]:
    return [Case(path.parent) for path in sorted(HERE.glob("*/case.toml"))]


def write_again() -> None:
    for case in cases():
        for format, name in REPORTS.items():
            code, report = case.run(format)
            assert code == case.exit_code, f"{case.folder.name}: exit code {code}"
            (case.folder / name).write_text(report, encoding="utf-8")


if __name__ == "__main__":
    write_again()
