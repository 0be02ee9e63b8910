"""Drafts, lines, scores and receipts of real runs of all kinds, and of what real runs seldom hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.runs import View, view
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, CallRecord, UnitRow, Usage, event
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.web.labels import model_name, said_by
from burnish.web.pages.unit import Review, compared, review_of, reviewed_last
from burnish.web.pieces import joined
from burnish.web.unit_history import UnitHistory, attempt_lines, bill_of, prompt_of, receipts_of, score_table, steps_of
from tests.app.samples import negative


@pytest.fixture(scope="module")
def runs(looked_at_runs: Path) -> Iterator[dict[str, View]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(view(looked_at_runs, name)) for name in ("demo", "lesson", "book", "course")}


def history(run: View, unit: str) -> UnitHistory:
    return UnitHistory(run.kind, run.story(unit), len(run.plan.judges), run.plan.kind)


def review(run: View, told: UnitHistory, number: int) -> Review:
    dropped = run.journal.events(unit=told.story.row.id, types=("finding_dropped",))
    return review_of(told, told.attempts[number - 1], dropped)


def test_a_corrected_question(runs: dict[str, View]) -> None:
    told = history(runs["demo"], "bio-002")
    [receipt] = receipts_of(runs["demo"], told, others=11, noun="question")
    [edit] = receipt.edits
    assert (receipt.attempt, edit.found, receipt.lengths) == (2, "exactly once, in stem", (220, 241))
    assert joined(edit.pieces, "ins") == "is NOT a function of the liver"
    assert receipt.settles == ("nbme_negation_detection",) and receipt.event is not None
    assert receipt.proof.sentence == "The other 12 fields of bio-002 are unchanged"
    assert receipt.proof.said == "The edit cannot change the other 11 questions" and receipt.proof.digest is not None
    assert receipt.bill.prompts == "questions.correct 4, questions.compare 1, questions.review 3 and questions.solve 3"
    assert receipt.bill.models == "biology_model.json and biology_judge.json" and not receipt.bill.shared
    [line] = review(runs["demo"], told, 1).lines
    assert (line.fate, line.settled_in, line.who) == ("settled", 2, "check")
    assert reviewed_last(told, told.attempts[1]).number == 1


def test_a_section_of_a_published_lesson(runs: dict[str, View]) -> None:
    told = history(runs["lesson"], "warmth")
    [receipt] = receipts_of(runs["lesson"], told, others=8, noun="unit")
    assert (receipt.action, receipt.verified) == ("small edit", "settled, confidence high")
    assert receipt.settles == ("clarity_readability",), "the criterion, not the id of the issue"
    assert receipt.proof.sentence == "The other 8 units are unchanged" and receipt.proof.digest is not None
    assert receipt.proof.said == "6 of 9 are unchanged"
    table = score_table(told, told.attempts[2])
    assert table is not None and table.has_rings and not table.has_lines
    assert [row.label for row in table.rows][:1] == ["Factual accuracy"]


def test_a_paragraph_whose_batch_was_paid_for_by_another(runs: dict[str, View]) -> None:
    told = history(runs["book"], "p_0013")
    [receipt] = receipts_of(runs["book"], told, others=12, noun="paragraph")
    assert receipt.bill.shared and receipt.bill.prompts == "manuscripts.rework_edit 2"
    assert receipt.proof.sentence == "The edit cannot change the other 12 paragraphs" and receipt.proof.digest is None
    assert [line.fate for line in review(runs["book"], told, 5).lines] == ["gone"]
    assert [(step.outcome, step.is_kept) for step in steps_of(told)] == [
        ("failed", False),
        ("written", False),
        ("failed", True),
        ("written", False),
        ("written", False),
    ]
    found = attempt_lines(told)
    assert [(one.number, one.score, one.is_kept) for one in found.rows] == [(1, ".66", True), (2, ".66", False)]
    assert found.said == "attempt 1 of 2" and attempt_lines(told, earlier=1).said == "attempt 2 of 3"
    row = replace(told.story.row, best_attempt=None)
    assert attempt_lines(replace(told, story=replace(told.story, row=row))).said == "2 attempts"
    assert attempt_lines(replace(told, story=replace(told.story, row=row, attempts=()))).said == ""
    first = compared(told, told.attempts[2], None)
    assert first.is_first and not first.changes, "there was no translation before it"
    assert compared(told, told.attempts[4], None).same_as == 4
    table = score_table(told, told.attempts[4])
    assert table is not None and [row.is_below for row in table.rows] == [False] * 4 + [True]
    assert table.rows[4].rings[0].is_below and table.rows[4].line_at is not None
    assert score_table(told, told.attempts[1]) is None


def test_a_seed_that_was_cut_without_a_model(runs: dict[str, View]) -> None:
    told = history(runs["course"], "C0017")
    assert receipts_of(runs["course"], told, others=39, noun="SEED") == ()
    assert [step.done for step in steps_of(told)][1] == "Cut without a model"
    assert steps_of(told)[0].said == "Failed, overall score 6.5 below 8.0"


def question_told(*attempts: AttemptRecord, best: int = 1) -> UnitHistory:
    question = Question.model_validate(negative())
    row = UnitRow("q1", "bank.json", 0, question.content_hash, "needs_manual_review", "x", len(attempts), best)
    return UnitHistory(QuestionsKind(), UnitStory(row, question, attempts, ()), 0, "questions")


def attempt(number: int, **given: Any) -> AttemptRecord:
    question = Question.model_validate(negative())
    usual: dict[str, Any] = {"cause": "source", "content": None, "content_hash": question.content_hash}
    return AttemptRecord("q1", number, **{**usual, "scores": {}, "findings": (), "passed": False, **given})


def found(rule: str = "r", **given: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"severity": "error", "unit": "q1", "field": "stem", "message": "m", "suggestion": None}
    return {"rule": rule, **usual, "quote": None, "start": None, "end": None, "fix": None, "source": "rule", **given}


def test_a_finding_that_code_mended_and_one_that_is_ignored() -> None:
    fixed = Question.model_validate({**negative(), "stem": "Another stem, mended by code, with a tremor?"})
    first = attempt(1, findings=(found(), found("other")), checked={"ignored": [found("passed over")]})
    record = QuestionsKind().to_record(fixed)
    second = attempt(2, cause="safe_fix", content=record, content_hash=fixed.content_hash, findings=(found("other"),))
    told = question_told(first, second, best=2)
    said = review_of(told, first, ())
    assert [(one.finding.rule, one.fate, one.settled_in) for one in said.lines] == [
        ("r", "fixed", 2),
        ("other", "open", None),
    ]
    assert [one.rule for one in said.ignored] == ["passed over"] and not said.is_silent
    assert said.count("fixed") == 1 and said.unlisted == 0


def test_what_judges_said_in_vain_is_told_with_the_reason() -> None:
    told = question_told(attempt(1))
    issue = {"category": "style", "description": "dull", "quotedText": "q"}
    quoting = {"attempt": 1, "reason": "quote_not_found", "source": "model:a:gemma", "finding": found(quote="yal ass")}
    heard = [
        event("finding_dropped", "q1", data=quoting),
        event("finding_dropped", "q1", data={"reason": "odd", "source": "grammar", "issue": issue}),
        event("finding_dropped", "q1", data={**quoting, "attempt": 2, "reason": "duplicate"}),
    ]
    set_aside = review_of(told, told.attempts[0], heard).set_aside
    assert [(one.who, one.rule, one.said, one.quote, one.why) for one in set_aside] == [
        ("gemma", "r", "m", "yal ass", "the quote is not in the text"),
        ("grammar", "style", "dull", "q", "odd"),
    ]


def test_an_edit_that_was_refused_has_a_receipt_too(runs: dict[str, View]) -> None:
    edits = ({"unit": "q1", "field": "stem", "find": "tremor", "replace": "shake"},)
    refused = attempt(2, cause="model", failure="edit_refused: not_unique: stem: the words ...", edits=edits)
    missing = attempt(3, cause="model", edits=({"unit": "q1", "field": "no", "find": "x", "replace": "y"},))
    filled = attempt(4, cause="model", edits=({"unit": "q1", "field": "vignette", "find": "", "replace": "y"},))
    twice = attempt(5, cause="model", edits=({"unit": "q1", "field": "stem", "find": "a", "replace": "b"},) * 50)
    told = question_told(attempt(1), refused, missing, filled, twice)
    receipts = receipts_of(runs["demo"], told, others=0, noun="question")
    assert [receipt.edits[0].found.split(",")[0] for receipt in receipts] == [
        "more than once",
        "empty",
        "not found",
        "exactly once",
    ]
    assert receipts[0].unshown == 10 and receipts[3].failure is not None
    assert receipts[3].hashes[0] == receipts[3].hashes[1] and receipts[3].bill.seconds is None
    assert receipts[0].proof.sentence == "This is the only question"


def test_a_text_that_was_written_again_and_protected_parts(runs: dict[str, View]) -> None:
    def drafted(number: int, stem: str, before: str | None, **more: Any) -> AttemptRecord:
        draft = Question.model_validate({**negative(), "stem": stem})
        receipt = None if before is None else {"before": before, "after": draft.content_hash, **more}
        record = QuestionsKind().to_record(draft)
        return attempt(number, cause="model", content=record, content_hash=draft.content_hash, receipt=receipt)

    first = drafted(1, "Use `code` here, what is $x$?", None)
    kept = drafted(2, "Do use `code` there, what is $x$?", first.content_hash, verification={"passed": True})
    lost = drafted(3, "Nothing left of it?", kept.content_hash)
    more = drafted(4, "Now with `code` again?", lost.content_hash)
    told = question_told(first, kept, lost, more)
    newest, *_, oldest = receipts = receipts_of(runs["demo"], told, others=1, noun="question")
    assert [receipt.protected for receipt in receipts] == ["1 more", "2 of 2 parts changed", "2 parts, unchanged"]
    assert joined(newest.rewritten, "ins").startswith("Nothing left of it?")
    assert oldest.verified == "the rules" and told.before(first) is None
    assert told.against(more, "2") == ("2", kept) and told.against(more, "99")[0] == "previous"


def test_the_prompt_behind_a_call() -> None:
    package = "burnish.kinds.manuscripts.prompts"
    versions = {f"{package}:translate": "1", f"{package}:rework_paragraph": "2", f"{package}:review": "2"}
    sent = {"system": "Translate a book from x"}
    call = CallRecord("k", "u", "translator", "m", "translation_reply", sent, "ok", "", Usage(), 1, 1)
    assert prompt_of(versions, call) == "manuscripts.translate 1"
    review = replace(call, reply_name="translation_review_reply", request={})
    assert prompt_of(versions, review) == "manuscripts.review 2"
    assert prompt_of(versions, replace(call, request={"system": "Something else"})) is None
    assert prompt_of({"burnish.gone:prompt": "1"}, call) is None


def test_calls_that_are_gone_cost_nothing_more(runs: dict[str, View]) -> None:
    bill = bill_of(runs["demo"], attempt(1, calls=("nobody knows it",)))
    assert (bill.seconds, bill.models, bill.withheld) == (None, "", 0)


def test_names_of_those_who_speak() -> None:
    assert said_by("model:openai:gpt-x,scripted:/a/b.json,openai:gpt-x") == "gpt-x and b.json"
    assert (said_by("person:Lila"), said_by("document"), model_name("plain")) == (
        "Lila, by hand",
        "document check",
        "plain",
    )
