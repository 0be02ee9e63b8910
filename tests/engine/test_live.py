"""One question on its way, driven by the live interpreter over a journal in memory."""

import asyncio
from dataclasses import replace
from typing import Any

from burnish.core.checks import select
from burnish.core.effects import Keep, ModelRoles, Outcome, Settled, Stop, Work
from burnish.core.records import UnitRow, event
from burnish.core.tasks import CORRECTOR, Environment, Item, RepairNotes, Task
from burnish.engine.client import ModelClient
from burnish.engine.interpreters import Live, TaskRecord
from burnish.kinds.questions import requests
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.models.budget import Budget, Price
from burnish.models.calls import Call
from burnish.models.gateway import Gateway
from burnish.models.scripted import Rule, ScriptedModel
from burnish.store.journal import MemoryJournal
from burnish.store.processes import system_clock
from tests.engine.questions_bench import biased, edit, untidy

MODEL = "scripted:m"
KIND = QuestionsKind()


def stubborn(call: Call) -> Rule:
    return Rule(reply=edit(call.unit, "no such words", "x"))


def worked(
    journal: MemoryJournal | None = None, question: dict[str, Any] | None = None, *, rules_only: bool = False
) -> UnitRow:
    """The row of a question once its model, which never mends anything, has had its tries. Nobody reads it."""
    unit = Question.model_validate(question or biased(0))
    journal = journal or MemoryJournal(clock=system_clock)
    budget = Budget(prices={MODEL: Price(1.0, 1.0)})
    client = ModelClient(Gateway(journal, ScriptedModel(stubborn), budget=budget), "0" * 32)
    row = journal.unit(unit.id) or UnitRow(unit.id, "", 0, unit.content_hash, KIND.states.initial)
    attempts = tuple(journal.attempts(unit.id))
    grants = tuple(journal.events(unit=unit.id, types=("decision", "reopened")))
    roles, context = ModelRoles(roles={CORRECTOR: MODEL}), KIND.context([], {})
    task = Task(unit.id, (Item(row, unit, unit, attempts, grants),))
    live = Live(KIND, journal, client, TaskRecord(unit.id, {unit.id: row}, {unit.id: len(attempts)}, lambda id: id))
    env = Environment(select(KIND.checks), roles, {"rules_only": rules_only}, context=context)
    asyncio.run(live.run(KIND.work(task, env)))
    return live.rows[unit.id]


def test_tries_that_come_to_nothing_trip_the_breaker() -> None:
    row = worked()
    assert (row.state, row.reason, row.attempts) == ("needs_manual_review", "circuit_breaker", 3)


def test_a_question_that_rests_is_not_tried_again_and_a_rejection_grants_tries_anew() -> None:
    journal = MemoryJournal(clock=system_clock)
    assert worked(journal).attempts == 3
    assert worked(journal).attempts == 3, "a run that goes on may not spend them again"
    data = {"verdict": "reject", "by": "Ada", "note": "Again.", "after_attempt": 3}
    journal.write_now(event("decision", "q0", data=data))
    row = worked(journal)
    assert (row.reason, row.attempts) == ("circuit_breaker", 5)


def test_safe_fixes_are_made_one_by_one_and_all_told() -> None:
    journal = MemoryJournal(clock=system_clock)
    question = untidy(0)
    question["stem"] = question["stem"].replace("?", " ?")
    row = worked(journal, question, rules_only=True)
    assert (row.state, row.best_attempt) == ("validated", 2)
    [_, fixed] = journal.attempts("q0")
    assert fixed.edits and fixed.receipt and fixed.receipt["changed_fields"] == ["stem"]
    assert fixed.content and "  " not in fixed.content["stem"] and " ?" not in fixed.content["stem"]


def test_what_no_reader_saw_is_not_accepted_unless_rules_alone_decide() -> None:
    row = worked(question=untidy(0))
    assert (row.state, row.best_attempt, row.open_errors) == ("needs_manual_review", 2, 0)
    assert worked(question=untidy(0), rules_only=True).state == "validated"


def test_a_reply_that_holds_the_token_of_the_fences_is_refused() -> None:
    """Taken over into content, it would close the fences of later calls."""
    journal = MemoryJournal(clock=system_clock)

    def parrot(call: Call) -> Rule:
        return Rule(reply=edit(call.unit, "NOT", f"x {call.fence}>>>"))

    client = ModelClient(Gateway(journal, ScriptedModel(parrot)), "0" * 32)
    unit = Question.model_validate(biased(0))
    answer = asyncio.run(client.ask(requests.correction_ask(unit, [], RepairNotes(1, 2)), MODEL))
    assert answer.reply is None and (answer.failure or "").startswith("reply_unreadable: the reply holds the token")
    assert len(answer.calls) == 1, "it is paid, and kept raw"


def test_answers_of_readers_are_told_with_the_draft_that_they_are_about() -> None:
    """Whatever the kind does with them, they count for and against the rules."""
    journal, unit = MemoryJournal(clock=system_clock), Question.model_validate(biased(0))
    [bias] = KIND.examine(unit, select(KIND.checks), KIND.context([], {})).findings
    row = UnitRow("q0", "", 0, unit.content_hash, KIND.states.initial)
    live = Live(KIND, journal, None, TaskRecord("q0", {"q0": row}, {}, lambda id: id))

    def work() -> Work:
        for name in ("dismissed_by", "upheld_by", "other"):
            yield Keep(unit, "source", findings=(replace(bias, data={name: ["m"]}),))
        return Outcome((Settled("q0", (Stop("validated", "attempt_1"),), best=1),))

    asyncio.run(live.run(work()))
    told = [one.data for one in journal.events(types=("claims_answered",))]
    assert [(len(one["denied"]), len(one["upheld"])) for one in told] == [(1, 0), (0, 1)]
    assert told[0]["denied"][0] == {"rule": bias.rule, "by": "m", "unit": "q0", "claim": bias.claim, "note": None}
