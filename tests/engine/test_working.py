"""One unit on its way: the ceilings of a policy are real, and a move that the driver does not know is an error."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.errors import InternalError
from burnish.core.events import event
from burnish.core.loop import Limits, LoopPolicy
from burnish.core.records import UnitRow
from burnish.engine.asking import GatewayAsker
from burnish.engine.reviewing import Reviewer
from burnish.engine.working import UnitWork, Workbench
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.models.budget import Budget, Price
from burnish.models.calls import Call
from burnish.models.gateway import Gateway
from burnish.models.scripted import Rule, ScriptedModel
from burnish.store.clock import system_clock
from burnish.store.memory_journal import MemoryJournal
from tests.engine.questions_bench import edit, negative, untidy

MODEL = "scripted:m"


@dataclass(frozen=True)
class PatientKind(QuestionsKind):
    """Questions under another loop policy."""

    patience: LoopPolicy = field(default_factory=lambda: LoopPolicy(2))

    @property
    def loop(self) -> LoopPolicy:
        return self.patience


def stubborn(call: Call) -> Rule:
    return Rule(reply=edit(call.unit, "no such words", "x"), latency=0.02)


def worked(policy: LoopPolicy, journal: MemoryJournal | None = None, question: dict[str, Any] | None = None) -> UnitRow:
    """The row of a question once its model, which never mends anything, has had its tries."""
    kind = PatientKind(patience=policy)
    unit = Question.model_validate(question or negative(0))
    journal = journal or MemoryJournal(clock=system_clock)
    budget = Budget(prices={MODEL: Price(1.0, 1.0)})
    asker = GatewayAsker(Gateway(journal, ScriptedModel(stubborn), budget=budget), "0" * 32)
    reviewer = Reviewer(kind, select(kind.checks), kind.context([], {}), (), asker)
    row = journal.unit(unit.id) or UnitRow(unit.id, "", 0, unit.content_hash, kind.states.initial)
    work = UnitWork(Workbench(kind, journal, reviewer, asker, MODEL), row, unit)
    work.recall()
    return asyncio.run(work.finish())


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(tokens=1), "token_budget"),
        (Limits(cost=0.000_000_1), "cost_budget"),
        (Limits(seconds=0.005), "timeout"),
    ],
)
def test_a_ceiling_of_the_policy_ends_the_tries(limits: Limits, reason: str) -> None:
    row = worked(LoopPolicy(9, limits))
    assert (row.state, row.reason, row.attempts) == ("needs_manual_review", reason, 2)


def test_ceilings_that_are_far_away_end_nothing() -> None:
    row = worked(LoopPolicy(3, Limits(tokens=1_000_000, cost=100.0, seconds=600.0)))
    assert (row.reason, row.attempts) == ("circuit_breaker", 4)


def test_what_was_spent_counts_on_resume_and_a_rejection_grants_it_anew() -> None:
    journal, policy = MemoryJournal(clock=system_clock), LoopPolicy(9, Limits(tokens=1))
    assert worked(policy, journal).attempts == 2
    assert worked(policy, journal).attempts == 2, "a run that goes on may not spend it again"
    data = {"verdict": "reject", "by": "Ada", "note": "Again.", "after_attempt": 2}
    journal.write_now(event("decision", "q0", data=data))
    row = worked(policy, journal)
    assert (row.reason, row.attempts) == ("token_budget", 3)


@pytest.mark.parametrize(
    ("policy", "move"),
    [
        (LoopPolicy(0, when_spent="best_effort"), "best_effort"),
        (LoopPolicy(9, max_edits_before_lock=0), "lock"),
    ],
)
def test_a_move_that_units_on_their_own_do_not_know_is_named(policy: LoopPolicy, move: str) -> None:
    with pytest.raises(InternalError, match=f"the move '{move}'") as refusal:
        worked(policy)
    assert refusal.value.hint and "questions" in refusal.value.hint


def test_safe_fixes_are_made_one_by_one_and_all_told() -> None:
    journal = MemoryJournal(clock=system_clock)
    question = untidy(0)
    question["stem"] = question["stem"].replace("?", " ?")
    row = worked(LoopPolicy(2), journal, question)
    assert (row.state, row.best_attempt) == ("validated", 2)
    [_, fixed] = journal.attempts("q0")
    assert fixed.edits and fixed.receipt and fixed.receipt["changed_fields"] == ("stem",)
    assert fixed.content and "  " not in fixed.content["stem"] and " ?" not in fixed.content["stem"]
