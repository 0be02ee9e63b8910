"""Translations in this process, for faults that need none of their own: a small book, and models that can fail."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, again, new_plan, record_plan, recorded
from burnish.engine.plan import Plan
from burnish.engine.session import Result
from burnish.models.calls import Call
from burnish.models.rate_limits import Retry, RetryPolicy
from burnish.models.scripted import Fault, ScriptedModel
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import Quiet
from tests.manuscripts_model import BookWorld, Slip

BOOK = (
    "# The Sea\n\nThe sea is calm and the boat with 12 men is at rest.\n\n"
    "He did not go to the market on Monday.\n\n```\ncode\n```\n\n- The first thing is bread.\n"
)
SPANISH = {
    "The Sea": "El mar",
    "The sea is calm and the boat with 12 men is at rest.": "El mar está en calma y la barca con 12 hombres descansa.",
    "He did not go to the market on Monday.": "Él no fue al mercado el lunes.",
    "The first thing is bread.": "Lo primero es el pan.",
}
FINAL = (
    "# El mar\n\nEl mar está en calma y la barca con 12 hombres descansa.\n\n"
    "Él no fue al mercado el lunes.\n\n```\ncode\n```\n\n- Lo primero es el pan.\n"
)


def world() -> BookWorld:
    """One paragraph is reworked once."""
    slip = Slip("Él no fue al mercado el lune.", "grammar", "lune.", "lunes.")
    return BookWorld(dict(SPANISH), slips={"He did not go to the market on Monday.": slip})


def faithful(call: Call) -> object:
    return world().reply(call.reply_name, call.user)


@dataclass
class BookRun:
    """A run over the small book, sitting by sitting."""

    home: Path
    answer: Callable[[Call], object] = faithful
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> Path:
        return self.home / "book.md"

    @property
    def folder(self) -> RunFolder:
        return RunFolder.at(self.home / "runs", "tx")

    @property
    def final(self) -> Path:
        return self.folder.root / "final/final.md"

    def begin(self) -> None:
        self.source.write_text(BOOK, encoding="utf-8")
        if "exclude" in self.options:
            self.exclude("p_0005 a brand")

    @property
    def excluded(self) -> list[str]:
        return (self.home / "keep.txt").read_text(encoding="utf-8").splitlines()

    def exclude(self, *lines: str) -> None:
        (self.home / "keep.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def plan(self, *, reauthorize: bool = False) -> Plan:
        flags = {"models.model": ("test", "scripted:m")}
        loaded = load(start=self.home, environ={}, flags=flags)
        order = TranslationOrder(
            "tx", source=str(self.source), to="es", source_language="en", reauthorize=reauthorize, **self.options
        )
        known = recorded(self.folder)
        return new_plan(order, loaded) if known is None else again(known, order, loaded)

    def sit(self, plan: Plan, *, approve: bool = True, max_tokens: int | None = None, workers: int = 2) -> Result:
        loaded = load(start=self.home, environ={}, flags={"limits.workers": ("test", workers)})
        resources = resources_of(loaded.settings, (), provider=ScriptedModel(self.answer))
        resources = replace(resources, max_tokens=max_tokens, retry=Retry(RetryPolicy(max_attempts=1)))

        def approval(left_empty: Sequence[str]) -> dict[str, Any] | None:
            return {"by": "Ada"} if approve else None

        sitting = start_run(self.folder, plan, resources, Quiet(), approve=approval, record=record_plan)
        return asyncio.run(sitting)


def whimsical(rng: random.Random) -> Callable[[Call], object]:
    """Models that do anything: right, wrong, absent, unreadable, too much, too little."""

    def answer(call: Call) -> object:
        mood = rng.random()
        if mood < 0.02:
            return Fault(status=400)
        if mood < 0.05:
            return "this is no JSON"
        made: Any = _world_of(rng).reply(call.reply_name, call.user)
        if mood < 0.12 and isinstance(made, dict):
            return {name: _spoilt(value, rng) for name, value in made.items()}
        return made

    return answer


def _world_of(rng: random.Random) -> BookWorld:
    made = world()
    for source, target in SPANISH.items():
        if rng.random() < 0.15:
            dimension = rng.choice(["grammar", "style", "semantic_fidelity"])
            category, score = rng.choice(["grammar", "negation", "style"]), rng.choice([0.3, 0.6, 0.9])
            text = rng.choice([target, f"{target[:-1]} 40.", f"{target} {target}"])
            made.slips[source] = Slip(text, category, score=score, dimension=dimension)
    made.loses = frozenset(source for source in SPANISH if rng.random() < 0.05)
    issue = {
        "category": "style",
        "severity": "major",
        "description": "It reads badly.",
        "line": rng.choice([1, 2, 3, 99]),
    }
    made.critics = lambda lines: [issue] if rng.random() < 0.03 else []
    return made


def _spoilt(value: Any, rng: random.Random) -> Any:
    if not isinstance(value, list):
        return value
    return rng.choice([value[1:], value + value[:1], [*value, {"paragraph_id": "p_0099", "text": "x"}], []])
