"""A desk for tests of the commands that work on runs: a folder to sit in, and the command line in this process."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from burnish.cli.main import main
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import script, write_bank


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


@dataclass(frozen=True)
class Desk:
    """The current folder of a test, and its commands."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: object) -> Said:
        self.capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        shown = self.capsys.readouterr()
        return Said(code, shown.out, shown.err)

    def bank(self, *questions: dict[str, Any], name: str = "bank.json") -> Path:
        return write_bank(self.home, list(questions), name)

    def model(self, *units: str, latency: float = 0.0) -> str:
        """A scripted model that mends the units that are named."""
        return f"scripted:{script(self.home / 'script.json', *units, latency=latency)}"

    def twin(self) -> str:
        """Another model that says the same."""
        other = self.home / "twin.json"
        other.write_bytes((self.home / "script.json").read_bytes())
        return f"scripted:{other}"

    def run(self, id: str = "r") -> RunFolder:
        return RunFolder.at(self.home / "runs", id)


@dataclass(frozen=True)
class SharedDesk:
    """A desk whose runs several tests look at."""

    home: Path

    def __call__(self, *arguments: object) -> Said:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([str(argument) for argument in arguments])
        return Said(code, out.getvalue(), err.getvalue())

    def run(self, id: str = "x") -> RunFolder:
        return RunFolder.at(self.home / "runs", id)


@contextmanager
def sitting_in(home: Path) -> Iterator[SharedDesk]:
    """The current folder is `home` meanwhile, and the settings of whoever runs the tests are not heard."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("BURNISH_")]:
            patch.delenv(name)
        patch.setenv("NO_COLOR", "1")
        patch.chdir(home)
        yield SharedDesk(home)


@contextmanager
def borrowed(home: Path, desk: Desk) -> Iterator[Desk]:
    """A desk in a folder that was prepared once for many tests, and that is as it was afterwards. It stays where it
    is: runs know where their sources and courses lie."""
    aside = home.with_name(f"{home.name}, as it was")
    shutil.copytree(home, aside, symlinks=True)
    before = Path.cwd()
    os.chdir(home)
    try:
        yield Desk(home, desk.capsys)
    finally:
        os.chdir(before)
        shutil.rmtree(home)
        aside.rename(home)
