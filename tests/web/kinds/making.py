"""Runs of lessons and books for tests of their pages: made with the commands, against small worlds of models."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from burnish.cli.main import main
from tests.app import book_desk, lesson_desk
from tests.app.book_desk import CALM, MARKET, SPANISH, TAMAZIGHT
from tests.lessons_model import BOILS, DRY, DULL, VAGUE, WRONG_YEAR, Defect, Question, World, as_text, changes, lesson
from tests.manuscripts_model import BookWorld, Slip

KEYS = ("OPENAI_API_KEY", "OLLAMA_API_KEY", "DEEPSEEK_API_KEY")
JUDGES = "openai:mistral-small-3.2,ollama:gemma-3-27b"
RISES = Defect(
    BOILS.good, "the water turns into vapour, a gas that nobody sees, and rises", severity="minor", cost=0.25
)
"""What only shows when something worse is mended: a second iteration is needed."""
SPOILT = Defect(VAGUE.bad, VAGUE.good, severity="major", cost=0.5)
DEFECTS = (
    Defect(BOILS.bad, BOILS.good, severity="major", cost=0.8),
    SPOILT,
    Defect(WRONG_YEAR.bad, WRONG_YEAR.good, "factual_accuracy", "major", 0.9),
    Defect(DRY.bad, DRY.good, "engagement_examples", "minor", 0.3, seen_by=("gemma-3-27b",)),
    RISES,
)


def spoiling(question: Question) -> object:
    """A patcher that makes one section duller while it mends it: the edit is rolled back."""
    if question.reply != "edit_reply" or SPOILT.bad not in question.user:
        return None
    units = [unit for unit, text in question.passages if SPOILT.bad in text]
    return {
        "reasoning": "The smallest change.",
        "edits": [
            *(one for unit in units for one in changes(unit, (SPOILT.bad, f"{SPOILT.good} {DULL}"))),
            *(
                one
                for unit, text in question.passages
                for defect in DEFECTS
                if defect is not SPOILT and defect.bad in text and defect.bad in question.parts["issues"]
                for one in changes(unit, (defect.bad, defect.good))
            ),
        ],
    }


def lesson_world(**given: Any) -> World:
    """Two judges who see the same but for one thing, and a patcher who spoils a section."""
    usual: dict[str, Any] = {"leniency": {"gemma-3-27b": -0.04}, "override": spoiling, "base": 0.9}
    return World(defects=DEFECTS, **{**usual, **given})


@contextlib.contextmanager
def sitting_in(home: Path) -> Iterator[None]:
    """The current folder, and keys that are none; nothing that commands say is shown."""
    before = {name: os.environ.get(name) for name in KEYS}
    os.environ.update(dict.fromkeys(KEYS, "not-a-key"))
    try:
        with (
            contextlib.chdir(home),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def make_lessons(
    home: Path,
    id: str,
    world: World,
    lessons: Mapping[str, Mapping[str, Any]] | None = None,
    *more: str,
    judges: str | None = JUDGES,
) -> int:
    """A run over one lesson, or over a folder of them; without judges, without any model. What `polish` says of it."""
    given = lessons or {"water.json": lesson(BOILS, VAGUE)}
    folder = home / f"in-{id}"
    folder.mkdir()
    for name, one in given.items():
        (folder / name).write_text(as_text(one), encoding="utf-8")
    path = folder if len(given) > 1 else folder / next(iter(given))
    lesson_desk.put(home, lesson())
    (home / "burnish.toml").write_text("[limits]\nmax_tries = 1\n", encoding="utf-8")
    seats = ["--model", "openai:reader", "--patcher", "openai:patcher", "--judges", judges] if judges else []
    with sitting_in(home), lesson_desk.serving(world) as server:
        beside = ["--spec", "spec.json", "--source", "source.md"]
        return main(["polish", str(path), *beside, *seats, "--base-url", server.base_url, "--run-id", id, *more])


NEGATED = Slip("Él fue al mercado el lunes.", "negation", "fue al", "no fue al", stubborn=True, score=0.7)
"""A lost negation that every rework brings back."""
SLIPS = {
    MARKET: NEGATED,
    CALM: Slip("El mar está en calma y la barca con 21 hombres descansa.", "numbers_units", "21", "12", score=0.7),
}


def book_world(**given: Any) -> BookWorld:
    return BookWorld(dict(SPANISH), **{"slips": dict(SLIPS), **given})


TIFINAGH_SLIP = Slip(
    "Iddi ɣer ssuq ass n letniyen.",
    "negation",
    "Iddi ɣer",
    "Ur iddi ara ɣer",
    stubborn=True,
    score=0.7,
    shown="ⵉⴷⴷⵉ ⵖⴻⵔ ⵙⵙⵓⵇ ⴰⵙⵙ ⵏ ⵍⴻⵜⵏⵉⵢⴻⵏ.",
)


def tamazight_world(**given: Any) -> BookWorld:
    return BookWorld(dict(TAMAZIGHT), **{"slips": {MARKET: TIFINAGH_SLIP}, **given})


def make_book(home: Path, id: str, world: BookWorld, *more: str, to: str = "es", text: str = book_desk.BOOK) -> int:
    """`burnish translate`, and what it says."""
    book = book_desk.put(home, text, f"{id}.md")
    with sitting_in(home), book_desk.serving(world) as server:
        asked = ["--run-id", id, "--source", str(book), "--to", to, "--model", "openai:m"]
        return main(["translate", *asked, "--base-url", server.base_url, *more])
