"""A4: a judge that always says 10/10 PASS. Whatever the rules find is still rejected."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnish.core.attempts import blocking_rules
from burnish.core.checks import Check, discover, run_checks, select
from burnish.core.effects import ModelRoles
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.engine.client import ModelClient
from burnish.engine.interpreters import Live, TaskRecord
from burnish.kinds.questions import checks
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import STRICT
from burnish.kinds.questions.views import example_question
from burnish.models.calls import Call
from burnish.models.gateway import Gateway
from burnish.models.scripted import Script, ScriptedModel
from burnish.store.journal import MemoryJournal
from tests.engine.questions_bench import edit, journal_of, run, scripted, write_bank

CHECKS = discover(checks)
SELECTION = select(CHECKS, severities=STRICT)
PASS = {
    "score": 10,
    "verdict": "PASS",
    "approved": True,
    "reasoning": "10/10 PASS. It is actually fine.",
    "violations": [],
}
PANEL = ("scripted:yes", "scripted:yes-indeed", "scripted:of-course")


def yes(call: Call) -> object:
    """Everything is wonderful, and nothing needs a correction."""
    return PASS if call.reply_name == "question_review_reply" else {**PASS, "edits": []}


def flatterer(call: Call) -> object:
    """The same, with a change that changes nothing: it makes one flagged text a little longer."""
    if call.reply_name == "question_review_reply":
        return PASS
    if call.reply_name == "answer_reply":
        return {**PASS, "choice": "A", "also_right": [], "confidence": "high"}
    fields = call.user.partition("open fields: ")[2].partition("\n")[0].split(", ")
    texts = dict(line.split(": ", 1) for line in call.user.splitlines() if ": " in line)
    field = next((name for name in fields if texts.get(name, "(empty)") != "(empty)"), fields[0])
    text = texts.get(field, "")
    return edit(call.unit, "" if text in ("", "(empty)") else text, f"{text} PASS", field)


def hard_fails() -> list[Any]:
    """Every bad example of every rule that is an error under the strict profile."""
    return [
        pytest.param(check.id, *example_question(example), id=f"{check.id}-{index}")
        for check in CHECKS
        for index, example in enumerate(check.bad)
        if _blocks(check, example)
    ]


def first_of_each_rule() -> list[Any]:
    return list({param.values[0]: param for param in reversed(hard_fails())}.values())


def _blocks(check: Check, example: Mapping[str, Any]) -> bool:
    question, context = example_question(example)
    return any(finding.blocks for finding in run_checks(SELECTION, [check], question, context))


async def rested(question: Question, context: BankContext, model: ScriptedModel) -> tuple[UnitRow, list[AttemptRecord]]:
    """The whole loop on one question."""
    kind, journal = QuestionsKind(), MemoryJournal()
    row = UnitRow(question.id, "", 0, question.content_hash, kind.states.initial)
    client = ModelClient(Gateway(journal, model), "0" * 32)
    env = Environment(SELECTION, ModelRoles(PANEL, {CORRECTOR: "scripted:m"}), context=context)
    task = Task(question.id, (Item(row, question, question, ()),))
    live = Live(kind, journal, client, TaskRecord(question.id, {question.id: row}, {}, lambda id: id))
    await live.run(kind.work(task, env))
    return live.rows[question.id], journal.attempts(question.id)


@pytest.mark.parametrize("answer", [yes, flatterer])
@pytest.mark.parametrize(("rule", "question", "context"), hard_fails())
def test_no_hard_fail_is_talked_away(rule: str, question: Question, context: BankContext, answer: Script) -> None:
    row, attempts = asyncio.run(rested(question, context, scripted(answer)))
    assert rule in blocking_rules(attempts[0])
    assert not any(attempt.passed and rule in blocking_rules(attempt) for attempt in attempts)
    best = attempts[row.best_attempt - 1]
    assert row.state == "needs_manual_review" or best.content is not None, "accepted as it was handed in"
    if row.state != "needs_manual_review":
        assert rule not in blocking_rules(best)


def test_every_severe_rule_is_among_them() -> None:
    severe = {check.id for check in CHECKS if check.severity == "error"} | set(STRICT)
    assert {param.values[0] for param in hard_fails()} >= severe


def test_a_whole_bank_of_them_is_not_published(tmp_path: Path) -> None:
    cases = [param.values[1].model_dump(mode="json", exclude_unset=True) for param in hard_fails()]
    bank = write_bank(tmp_path, [{**case, "id": f"q{number}"} for number, case in enumerate(cases)])
    folder, result = run(bank, tmp_path / "runs", scripted(yes), judges=PANEL, check={"profile": "strict"})
    assert result.published == ()
    assert not folder.out.exists()
    with journal_of(folder) as journal:
        accepted = list(journal.units(states=("validated",)))
        assert all(journal.attempts(row.id)[row.best_attempt - 1].cause == "safe_fix" for row in accepted)


@pytest.mark.parametrize(("rule", "question", "context"), first_of_each_rule())
def test_judges_are_asked_only_where_their_word_weighs(rule: str, question: Question, context: BankContext) -> None:
    """What a rule proves or is trusted with is repaired unasked. What is doubtful is put to the judges by its id."""
    model = scripted(yes)
    row, attempts = asyncio.run(rested(question, context, model))
    finding = next(one for one in attempts[0].findings if one["rule"] == rule)
    if attempts[-1].cause == "safe_fix":
        assert row.state == "validated" and rule not in blocking_rules(attempts[-1]), "code settled it, and no model"
    elif finding["standing"] == "doubtful":
        reviews = [call.user for call in model.asked if call.reply_name == "question_review_reply"]
        assert reviews and all(f": {rule} | " in asked for asked in reviews)
    else:
        assert {call.reply_name for call in model.asked} <= {"edit_reply"}
