"""Shared by tests of the engine: small question banks, scripted models, runs in a temporary folder."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import OtherModels, resources_of, resume_run, start_run
from burnish.app.settings import load
from burnish.core.records import EventRecord, Totals, UnitRow
from burnish.engine.runner import RunResources
from burnish.engine.session import Result, Watcher
from burnish.models.calls import Call, Provider
from burnish.models.rate_limits import Limits, Retry, RetryPolicy
from burnish.models.scripted import ScriptedModel
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.models.fixtures import JumpingClock

TOPICS: list[tuple[str, list[str]]] = [
    (
        "A woman has had a sore throat and fever for two days. Which of the following is the best next step?",
        ["Rapid antigen test", "Chest radiograph", "Blood culture", "Throat biopsy"],
    ),
    (
        "A farmer finds white crusts on the soil of a dry field. Which of the following is the most likely cause?",
        ["Salt from the river", "Frost in the night", "Lime from the plough", "Ash from a fire"],
    ),
    (
        "A violin string is shortened by one third with a finger. Which of the following describes the new tone?",
        ["Higher by a fifth", "Higher by a fourth", "Lower by a fifth", "Lower by a fourth"],
    ),
    (
        "A ship sails due west from Lisbon for ten days. Which of the following coasts does it reach first?",
        ["The coast of Delaware", "The coast of Florida", "The coast of Iceland", "The coast of Brazil"],
    ),
    (
        "A clerk wants to know how two columns of prices move together. Which of the following measures tells it?",
        ["Correlation coefficient", "Standard deviation", "Interquartile range", "Geometric mean"],
    ),
    (
        "A baker adds twice as much yeast to the same dough. Which of the following is seen within an hour?",
        ["The dough rises faster", "The dough turns sour", "The crust stays white", "The crumb turns dry"],
    ),
    (
        "A court hears a quarrel over a wall between two gardens. Which of the following branches of law applies?",
        ["Property law", "Maritime law", "Criminal law", "Tax law"],
    ),
    (
        "A list of names is nearly in order. Which of the following methods sorts it in the fewest steps?",
        ["Insertion sort", "Selection sort", "Heap sort", "Bogo sort"],
    ),
    (
        "A painter mixes blue pigment with yellow pigment on a palette. Which of the following colours appears?",
        ["Green", "Orange", "Violet", "Brown"],
    ),
    (
        "A hiker hears thunder nine seconds after the lightning. Which of the following distances is closest?",
        ["3 km", "6 km", "9 km", "12 km"],
    ),
    (
        "A nurse measures a pulse of 40 in a cyclist who feels well. Which of the following explains the finding?",
        ["Athletic training", "Heart block", "Low thyroid function", "Opioid use"],
    ),
    (
        "A teacher reads a sonnet aloud and marks its rhymes. Which of the following numbers of lines is counted?",
        ["10", "12", "14", "16"],
    ),
]
"""Sound questions, no two of them alike: no rule has anything to say about them. The key is A."""

WHICH = "Which of the following"
BIASED = ", says a wheelchair-bound clerk,"
"""What spoils the wording of a sound stem; taking it out again mends it, and the key stays what it was."""
FILLER = "Lorem ipsum dolor"
CLEAN = {"reasoning": "nothing wrong", "violations": []}
SAME = {"reasoning": "The same.", "passed": True, "confidence": "high", "differences": [], "newIssues": []}
"""The answer of a reader who wants a repair as it is."""
SOLVED = {"reasoning": "The first one answers it.", "choice": "A", "also_right": [], "confidence": "high"}
"""The blind answer of a judge that knows the key of every question here."""


def sound(number: int, id: str | None = None, **changes: Any) -> dict[str, Any]:
    """A question without a fault."""
    stem, texts = TOPICS[number]
    options = [{"key": key, "text": text} for key, text in zip("ABCD", texts, strict=True)]
    return {"id": id or f"q{number}", "stem": stem, "options": options, "correct_answer": "A", **changes}


def biased(number: int, id: str | None = None, **changes: Any) -> dict[str, Any]:
    """One error, in the stem: ext_bias_detection."""
    return sound(number, id, stem=TOPICS[number][0].replace(WHICH, WHICH + BIASED), **changes)


def filled(number: int, id: str | None = None, **changes: Any) -> dict[str, Any]:
    """One error, in option D: nbme_distractor_plausibility."""
    made = sound(number, id, **changes)
    made["options"][3]["text"] = FILLER
    return made


def untidy(number: int, id: str | None = None, **changes: Any) -> dict[str, Any]:
    """One warning with a safe fix: two spaces in the stem."""
    return sound(number, id, stem=TOPICS[number][0].replace(" ", "  ", 1), **changes)


def keyless(number: int, id: str | None = None) -> dict[str, Any]:
    """A fatal error: the key names no option. No model is paid for it."""
    return sound(number, id, correct_answer="Q")


def write_bank(folder: Path, questions: list[dict[str, Any]], name: str = "bank.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
    else:
        path.write_text(json.dumps(questions, indent=2), encoding="utf-8")
    return path


def edit(unit: str, find: str, replace: str, field: str = "stem") -> dict[str, Any]:
    """The smallest edit, which says what it means to alter."""
    changes = [f"{find} becomes {replace}"]
    one = {"unit": unit, "field": field, "find": find, "replace": replace, "changes": changes}
    return {"reasoning": "smallest change", "edits": [one]}


def objection(quote: str, field: str | None = "stem", rule: str = "nbme_distractor_plausibility") -> dict[str, Any]:
    violation = {
        "ruleId": rule,
        "field": field,
        "quote": quote,
        "message": "Two answers hold.",
        "suggestion": "Narrow it.",
    }
    return {"reasoning": "two answers hold", "violations": [violation]}


def mended(reply_name: str, prompt: str) -> dict[str, Any]:
    """The answer of a model that objects to nothing and mends what `biased` and `filled` spoil."""
    if reply_name == "question_review_reply":
        return CLEAN
    if reply_name == "answer_reply":
        return SOLVED
    if reply_name == "delta_reply":
        return SAME
    found = re.search(r"^unit: (.+)$", prompt, re.MULTILINE)
    unit = found.group(1) if found else ""
    if BIASED in prompt:
        return edit(unit, BIASED, "")
    if FILLER in prompt:
        return edit(unit, FILLER, "Something else again", "options.D")
    return {"reasoning": "nothing to do", "edits": []}


def mends(call: Call) -> object:
    return mended(call.reply_name, call.user)


def scripted(answer: Callable[[Call], object] = mends) -> ScriptedModel:
    return ScriptedModel(answer)


def script(path: Path, *units: str, latency: float = 0.0) -> Path:
    """The same model as a file, for `scripted:FILE`; it knows how to mend the units that are named."""
    rules: list[dict[str, Any]] = [
        {"reply_name": "question_review_reply", "reply": CLEAN, "latency": latency},
        {"reply_name": "answer_reply", "reply": SOLVED, "latency": latency},
        {"reply_name": "delta_reply", "reply": SAME, "latency": latency},
    ]
    for unit in units:
        other = edit(unit, FILLER, "Something else again", "options.D")
        rules.append({"unit": unit, "contains": BIASED, "reply": edit(unit, BIASED, ""), "latency": latency})
        rules.append({"unit": unit, "contains": FILLER, "reply": other, "latency": latency})
    path.write_text(json.dumps({"rules": rules}), encoding="utf-8")
    return path


class Quiet(Watcher):
    """Only counts."""

    def __init__(self) -> None:
        self.total = self.done = 0
        self.rested: list[UnitRow] = []
        self.holes: list[str] = []
        self.events: list[EventRecord] = []
        self.stages: list[tuple[str, int]] = []
        self.passed: list[int] = []

    def started(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def on_settled(self, row: UnitRow, totals: Totals) -> None:
        self.rested.append(row)

    def stage_began(self, stage: str, units: int) -> None:
        self.stages.append((stage, units))

    def stage_passed(self, units: int, totals: Totals) -> None:
        self.passed.append(units)

    def on_event(self, event: EventRecord, totals: Totals) -> None:
        self.events.append(event)

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        self.holes = [str(part.data["message"]) for part in parts]


def loaded_for(place: Path, model: str | None, judges: tuple[str, ...], limits: dict[str, Any], **check: Any) -> Any:
    flags: dict[str, tuple[str, object]] = {f"limits.{name}": ("test", value) for name, value in limits.items()}
    flags |= {f"check.{name}": ("test", value) for name, value in check.items()}
    flags["models.model"] = ("test", model)
    flags["models.judges"] = ("test", judges or None)
    flags["models.rules_only"] = ("test", True)
    return load(start=place, environ={}, flags=flags)


def patient(resources: RunResources) -> RunResources:
    """The same resources, at a rate of its own: pauses between tries take no time."""
    clock = JumpingClock()
    return replace(
        resources,
        retry=Retry(RetryPolicy(max_attempts=2), sleep=clock.sleep),
        limits=Limits(now=clock.now, sleep=clock.sleep),
    )


def run(
    bank: Path,
    runs: Path,
    model: Provider | None = None,
    *,
    id: str = "r1",
    judges: tuple[str, ...] = (),
    order: dict[str, Any] | None = None,
    check: dict[str, Any] | None = None,
    **limits: Any,
) -> tuple[RunFolder, Result]:
    """Polish `bank`; with a model it sits in every seat, as `scripted:m` or under the judges' names."""
    loaded = loaded_for(bank.parent, "scripted:m" if model is not None else None, judges, limits, **(check or {}))
    plan = plan_of(Order(str(bank), run_id=id, **(order or {})), loaded)
    resources = patient(resources_of(loaded.settings, (), provider=model)) if model is not None else RunResources()
    folder = RunFolder.at(runs, id)
    return folder, asyncio.run(start_run(folder, plan, resources, Quiet()))


def resume(
    folder: RunFolder, model: Provider | None = None, others: OtherModels | None = None, **limits: Any
) -> Result:
    loaded = loaded_for(folder.root, None, (), limits)
    resources = patient(resources_of(loaded.settings, (), provider=model)) if model is not None else RunResources()
    return asyncio.run(resume_run(folder, loaded.settings, Quiet(), others=others, resources=resources))


@contextmanager
def journal_of(folder: RunFolder) -> Iterator[Journal]:
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        yield journal


def states(folder: RunFolder) -> dict[str, tuple[str, str | None]]:
    """Unit -> state and reason."""
    with journal_of(folder) as journal:
        return {row.id: (row.state, row.reason) for row in journal.units()}


def causes(folder: RunFolder, unit: str) -> list[str]:
    """Where each attempt came from."""
    with journal_of(folder) as journal:
        return [attempt.cause for attempt in journal.attempts(unit)]


def questions_in(path: Path) -> dict[str, dict[str, Any]]:
    return {question["id"]: question for question in json.loads(path.read_text(encoding="utf-8"))}


def receipt(folder: RunFolder) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(folder.receipt.read_text(encoding="utf-8"))
    return made
