"""A queue of mixed units: the runs of the demo, and a bank in which every question waits for a person."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import made_once

RIVERS = (
    *(
        "Danube",
        "Elbe",
        "Rhine",
        "Loire",
        "Tagus",
        "Volga",
        "Po",
        "Ebro",
        "Seine",
        "Thames",
        "Vistula",
        "Oder",
        "Drava",
    ),
    *("Sava", "Vardar", "Tisza", "Dniester", "Don", "Kama", "Neva", "Pechora", "Glomma", "Dal", "Torne", "Kemi", "Tay"),
    *("Severn", "Shannon", "Douro", "Guadiana", "Rhone", "Garonne", "Meuse", "Main", "Neckar", "Inn", "Mur", "Prut"),
    *("Bug", "Narew", "Warta", "Morava", "Iskar", "Struma", "Maritsa", "Arno", "Tiber", "Adige"),
)
TOWNS = (
    ("Vienna", "Oslo", "Lisbon", "Athens"),
    ("Prague", "Madrid", "Dublin", "Sofia"),
    ("Basel", "Rome", "Bergen", "Porto"),
)


def question(number: int) -> dict[str, object]:
    """One whose stem is negative, which no rule mends: without a model it waits."""
    river, towns = RIVERS[number], TOWNS[number % len(TOWNS)]
    return {
        "id": f"river-{number:02}",
        "stem": f"A barge leaves the mouth of the {river}. Which of the following towns is NOT near it?",
        "options": list(towns),
        "answer": number % 4,
        "explanation": f"The {river} does not flow by {towns[number % 4]}.",
    }


def bank_of(path: Path, waiting: int) -> Path:
    path.write_text(json.dumps([question(number) for number in range(waiting)]), encoding="utf-8")
    return path


def mixed_runs(factory: pytest.TempPathFactory, waiting: int) -> Path:
    """A folder of runs, made once: those of the demo, and `rivers`, in which `waiting` questions wait."""
    demo = made_once(factory, "demo", lambda home: _command("demo", "--keep", str(home), code=0))

    def make(home: Path) -> None:
        shutil.copytree(demo, home, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".made"))
        bank = bank_of(home / "rivers.json", waiting)
        _command("polish", str(bank), "--run-id", "rivers", "--runs", str(home / "runs"), code=3)

    return made_once(factory, f"rivers_{waiting}", make) / "runs"


def _command(*arguments: str, code: int) -> None:
    """In a process of its own: a test in a browser has an event loop already."""
    end = subprocess.run(
        [sys.executable, "-m", "burnish.cli.main", *arguments], capture_output=True, text=True, check=False
    )
    assert end.returncode == code, end.stderr
