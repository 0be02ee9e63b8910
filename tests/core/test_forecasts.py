"""Forecasts: which requests work would make, if the answers were the pretended ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import Ask, Keep, ModelRequest, ModelRoles, Note, Outcome, Request, Stop, Tool, Work
from burnish.core.forecasts import (
    Charge,
    Document,
    Forecast,
    Pretended,
    Rehearsal,
    phase_forecasts,
    requests_of,
    usual_tokens,
)
from burnish.core.gate import StateTable
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import Environment, Gathered, Item, Surroundings
from tests.core.units import PlainUnit, attempt


def asking(name: str, *, usual: int | None = None, reply: str = "edit_reply", goes_on: bool = False) -> ModelRequest:
    request = Request("reviewer", name, "p:x", reply, {}, {}, max_tokens=500, usual=usual)
    return ModelRequest(request, "m:a", goes_on=goes_on)


def test_what_content_says_of_its_answer_goes_first() -> None:
    assert usual_tokens(asking("u", usual=7).ask) == 7
    assert usual_tokens(asking("u", usual=0).ask) == 0


def test_an_answer_has_room_for_a_short_reasoning_and_one_with_edits_for_an_edit() -> None:
    sizes = {reply: usual_tokens(asking("u", reply=reply).ask) for reply in REPLIES}
    assert min(sizes.values()) > 60
    assert sizes["edit_reply"] > 110


def test_requests_come_step_by_step_and_each_effect_is_answered_in_its_kind() -> None:
    unit, other, seen = PlainUnit.of("u", stem="x"), PlainUnit.of("v", stem="y"), []

    def work() -> Work:
        seen.append((yield Ask((asking("one"), asking("two")))))
        seen.append((yield Note("batch_started", None, {})))
        for kept in (unit, other, unit):
            seen.append((yield Keep(kept, "model")))
        seen.append((yield Tool("apertium:eng-spa", ("a", "b"))))
        yield Ask((asking("three"),))
        return Outcome()

    steps = list(requests_of(work(), lambda request: "said" if request.ask.unit == "one" else None))
    assert [[one.ask.unit for one in step] for step in steps] == [["one", "two"], ["three"]]
    first, second = seen[0]
    assert (first.model, first.reply, first.failure) == ("m:a", "said", None)
    assert second.reply is None and second.failure.startswith("reply_unreadable")
    assert seen[1:] == [None, 1, 1, 2, ("", "")]


@pytest.mark.parametrize(
    ("at", "before", "after", "expected"),
    [
        (2, 1, 1, ("1", "3")),
        (2, 2, 2, ("01", "34")),
        (2, 9, 9, ("01", "34")),
        (2, 0, 0, ("", "")),
        (0, 2, 1, ("", "1")),
        (4, 1, 3, ("3", "")),
        (1, 3, 2, ("0", "23")),
    ],
)
def test_drafts_around_a_unit_are_the_next_ones_and_not_itself(
    at: int, before: int, after: int, expected: tuple[str, str]
) -> None:
    around = Pretended([PlainUnit.of(str(number)) for number in range(5)])
    row = UnitRow(str(at), "", at, "", "")
    found = around.drafts_around(row, before, after)
    assert tuple("".join(unit.id for unit in side) for side in found) == expected
    assert around.is_settled("3")


@dataclass
class Phase:
    """A phase that asks for each batch with a paid unit: once, once again, and once because it goes on."""

    name: str
    takes: tuple[str, ...]
    moves: tuple[str, ...] = ()
    pays: bool = True
    size: int = 2
    enters: str | None = None
    gathers: bool = False
    room: int = 1000
    seen: list[list[Item]] = field(default_factory=list)

    def weight(self, item: Item) -> int:
        return 1

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        self.seen.append(list(items))
        if any("paid" in item.source.texts()["stem"] for item in items):
            for goes_on in (False, False, True):
                yield Ask((asking(self.name, goes_on=goes_on),))
        return Outcome()


class Books:
    """A kind in phases, as small as one can be."""

    states = StateTable("open", "working", "done", "person", {})
    out_of_scope = "skipped"
    phases = ("cut", "draft", "review", "rework", "free", "never")
    most_attempts = 4

    def __init__(self) -> None:
        self.stages = {
            "cut": Phase("cut", ("open",), moves=("drafted",)),
            "draft": Phase("draft", ("open",)),
            "review": Phase("review", ("drafted",)),
            "rework": Phase("rework", ("working",)),
            "free": Phase("free", ("done",), pays=False),
            "never": Phase("never", ()),
        }
        self.environments: list[Environment] = []

    def admitted(self, unit: PlainUnit) -> Stop:
        return Stop("skipped" if unit.id == "out" else "open")

    def to_record(self, unit: PlainUnit) -> Mapping[str, Any]:
        return {"id": unit.id}

    def stage(self, name: str, env: Environment) -> Phase:
        self.environments.append(env)
        return self.stages[name]

    def prepared(self, units: Iterable[PlainUnit], env: Environment) -> Gathered:
        return Gathered({"prepared": [unit.id for unit in units]})

    def gathered(self, units: Iterable[PlainUnit], env: Environment) -> Gathered:
        return Gathered({**env.facts, "gathered": [unit.texts()["stem"] for unit in units]})

    def pretended(self, unit: PlainUnit) -> PlainUnit:
        return unit.with_text("stem", f"draft of {unit.texts()['stem']}")

    def pretended_failure(self, draft: PlainUnit) -> AttemptRecord:
        return attempt(2, "r", unit=draft.id)


def rehearsed(*texts: str) -> tuple[Books, list[Forecast]]:
    units = [
        *(PlainUnit.of(f"u{number}", stem=text) for number, text in enumerate(texts)),
        PlainUnit.of("out", stem=""),
    ]
    kind = Books()
    run = Rehearsal([Document("a", units[:1], None), Document("b", units[1:], None)], Selection(()), ModelRoles())
    return kind, list(phase_forecasts(kind, run))  # type: ignore[arg-type]


def test_each_phase_that_pays_is_charged_by_what_is_likely_and_what_is_most() -> None:
    _, found = rehearsed("paid", "paid", "free", "free", "paid")
    charged = [
        [(one.request.ask.unit, one.likely, one.most) for one in forecast.charges]
        for forecast in found
        if forecast.charges
    ]
    # u0 and u1 are a batch, so are u2 and u3, for which nobody is asked; u4 is the third.
    assert charged == [
        2 * [("draft", 1.0, 1), ("draft", 0.0, 1), ("draft", 1.0, 1)],
        2 * [("review", 1.05, 4), ("review", 0.0, 4), ("review", 1.05, 4)],
        2 * [("rework", 0.05, 3), ("rework", 0.0, 3), ("rework", 0.05, 3)],
    ]


def test_units_are_counted_once_by_whether_the_first_phase_asks_for_them() -> None:
    _, found = rehearsed("paid", "paid", "free", "free", "paid")
    counted = [one for one in found if not one.charges]
    assert [(one.units, one.to_correct, one.clean) for one in counted] == [(5, 3, 2)]
    assert rehearsed("free", "free")[1][-1] == Forecast(units=2, to_correct=0, clean=2)


def test_what_is_out_of_scope_is_gathered_and_never_worked_on() -> None:
    kind, _ = rehearsed("paid", "free")
    assert {name for name, stage in kind.stages.items() if stage.seen} == {"draft", "review", "rework"}
    for stage in kind.stages.values():
        assert all(item.unit.id != "out" for batch in stage.seen for item in batch)
    facts = kind.environments[-1].facts
    assert facts["prepared"] == ["u0", "u1"]
    assert facts["gathered"] == ["draft of paid", "draft of free", "draft of "]


def test_the_first_phase_sees_sources_the_others_drafts_and_rework_a_failed_review() -> None:
    kind, _ = rehearsed("paid")
    for name, text, numbers in (
        ("draft", "paid", [1]),
        ("review", "draft of paid", [1]),
        ("rework", "draft of paid", [1, 2]),
    ):
        [[item]] = kind.stages[name].seen
        assert item.unit.texts() == {"stem": text}
        assert [one.number for one in item.attempts] == numbers
        assert (item.row.attempts, item.row.best_attempt) == (len(numbers), len(numbers))
        assert not item.attempts[0].passed and item.row.position == 0


def test_a_request_is_not_made_unless_a_forecast_says_how_often() -> None:
    charge = Charge(asking("u"))
    assert (charge.likely, charge.most, charge.after, charge.room) == (0.0, 0, (), 1)
    nothing = Forecast()
    assert (nothing.units, nothing.clean, nothing.to_correct, nothing.for_a_person) == (0, 0, 0, 0)
    assert not nothing.is_unique and nothing.repairs is None and list(nothing.charges) == []
