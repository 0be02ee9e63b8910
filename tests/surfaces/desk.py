"""A desk for tests of the commands that work on runs: a folder to sit in, and the command line in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from burnish.store.paths import RunFolder
from burnish.surfaces.cli.main import main
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
