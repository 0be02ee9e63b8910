"""One small run of every kind, in which people have something to do. Made once; tests that change it copy it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.app import book_desk, lego_desk, lesson_desk
from tests.app.desk import Desk
from tests.app.lego_desk import SharedDesk, sitting_in
from tests.engine.questions_bench import biased, filled, sound
from tests.legos_model import LIGHT, MARKET, SEEDS, SPEAK, TORN, LegoWorld, Slip
from tests.lessons_model import BOILS, DRY, VAGUE, WRONG_YEAR, Defect, World, lesson

BOOK, COURSE, LESSON, BANK = "book", "course", "lesson", "bank"
RUNS = (BOOK, COURSE, LESSON, BANK)
_DEFECTS = tuple(Defect(d.bad, d.good, d.criterion, d.severity, cost=0.9) for d in (BOILS, VAGUE, WRONG_YEAR, DRY))
_KEYS = ("OPENAI_API_KEY", "OLLAMA_API_KEY", "DEEPSEEK_API_KEY")


def make(home: Path) -> Path:
    """The runs, in `home`/runs."""
    with sitting_in(home) as desk:
        given = {name: os.environ.get(name) for name in _KEYS}
        os.environ.update(dict.fromkeys(_KEYS, "not-a-key"))
        try:
            _translate(desk)
            _extract(desk)
            _refine(desk)
            _polish(desk)
        finally:
            for name, value in given.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
    return home / "runs"


def _translate(desk: SharedDesk) -> None:
    world = book_desk.slipping(book_desk.HOPELESS)
    with book_desk.serving(world) as server:
        source = book_desk.put(desk.home)
        said = desk(
            *("translate", "--run-id", BOOK, "--source", source, "--to", "es"),
            *("--model", "openai:m", "--base-url", server.base_url),
        )
    assert said.code == 3, said.err


def _extract(desk: SharedDesk) -> None:
    lego_desk.course(desk, {source: SEEDS[source] for source in (SPEAK, MARKET, LIGHT)})
    hopeless = LegoWorld(slips={MARKET: Slip(TORN, "idle", TORN, heeds="Take the verb in.")})
    said = lego_desk.extract(desk, hopeless, id=COURSE)
    assert said.code == 3, said.err


def _refine(desk: SharedDesk) -> None:
    path = lesson_desk.put(desk.home, lesson(BOILS, VAGUE, WRONG_YEAR, DRY))
    (desk.home / "burnish.toml").write_text("[limits]\nmax_tries = 1\n")
    world = World(defects=_DEFECTS, base=0.8, characters={"patcher": "disobedient"})
    seats = ("--model", "openai:reader", "--patcher", "openai:patcher")
    judges = ("--judges", "openai:judge-a,ollama:judge-b,deepseek:judge-c")
    with lesson_desk.serving(world) as server:
        said = desk(
            *("polish", path, "--spec", "spec.json", "--source", "source.md"),
            *(*seats, *judges, "--base-url", server.base_url, "--run-id", LESSON),
        )
    assert said.code == 3, said.err


def _polish(desk: SharedDesk) -> None:
    """No model: what is wrong waits for a person."""
    path = Desk.bank(desk, sound(0), biased(1), filled(2), biased(3))  # type: ignore[arg-type]
    said = desk("polish", path, "--rules-only", "--run-id", BANK)
    assert said.code == 3, said.err
