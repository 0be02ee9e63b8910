"""What a decision says of each finding in the draft that was decided on."""

from collections.abc import Mapping
from typing import Any

import pytest

from burnish.core.attempts import judgements
from burnish.core.documents import Field
from burnish.core.records import AttemptRecord, EventRecord, Json
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from tests.app.run_index.ledger import Said, finding, question

KIND = QuestionsKind()
UNIT = Question.model_validate(question(1))
LEAD_IN, VAGUE = ("nbme_lead_in", "error"), ("nbme_vague_terms", "warning")
JUDGED = ("nbme_multiple_correct", "error", "model:openai:a,ollama:b")


def texts(content: Json) -> Mapping[Field, str]:
    return KIND.from_record(content).texts()


def attempt(number: int, *findings: Said, stem: str | None = None) -> AttemptRecord:
    unit = UNIT if stem is None else UNIT.with_text("stem", stem)
    said = tuple(finding(UNIT, *one).as_record() for one in findings)
    content = None if stem is None else dict(KIND.to_record(unit))
    return AttemptRecord("q1", number, "model", content, unit.content_hash, {"rules": 0.5}, said, passed=not said)


def decision(seq: int, verdict: str, after: int, **more: Any) -> EventRecord:
    data = {"verdict": verdict, "by": "Ada", "note": None, "after_attempt": after, **more}
    return EventRecord("decision", "q1", data, seq=seq)


def said(attempts: list[AttemptRecord], *decisions: EventRecord) -> dict[str, bool]:
    return {one.who: one.is_right for one in judgements(texts, attempts, decisions)}


def test_who_accepts_says_that_the_findings_were_wrong() -> None:
    found = said([attempt(1, LEAD_IN, VAGUE)], decision(1, "accept", 1))
    assert found == {"nbme_lead_in": False, "nbme_vague_terms": False}


def test_who_sends_back_says_that_they_were_right() -> None:
    assert said([attempt(1, LEAD_IN)], decision(1, "reject", 1)) == {"nbme_lead_in": True}


def test_an_edit_that_settles_a_finding_says_that_it_was_right() -> None:
    edited = attempt(2, VAGUE, stem="Another stem?")
    assert said([attempt(1, LEAD_IN, VAGUE), edited], decision(1, "edit", 2)) == {"nbme_lead_in": True}


def test_every_judge_who_agreed_is_judged() -> None:
    found = said([attempt(1, JUDGED)], decision(1, "accept", 1))
    assert found == {"model:openai:a": False, "model:ollama:b": False}


@pytest.mark.parametrize(("stem", "is_settled"), [("Another stem?", True), (f"{UNIT.stem} Really?", False)])
def test_an_edit_speaks_for_a_judge_where_the_words_in_question_are_gone(stem: str, is_settled: bool) -> None:
    """Nobody asks judges about a person's text, so that they are silent says nothing."""
    found = said([attempt(1, JUDGED), attempt(2, stem=stem)], decision(1, "edit", 2))
    assert found == ({"model:openai:a": True, "model:ollama:b": True} if is_settled else {})


def test_a_judge_who_quotes_nothing_is_not_judged_by_an_edit() -> None:
    claim = {**finding(UNIT, *JUDGED).as_record(), "quote": None}
    first = AttemptRecord("q1", 1, "source", None, UNIT.content_hash, {}, (claim,), passed=False)
    assert said([first, attempt(2, stem="Another stem?")], decision(1, "edit", 2)) == {}


def test_what_was_taken_back_says_nothing() -> None:
    undo = decision(2, "undo", 1, undoes=1)
    assert said([attempt(1, LEAD_IN)], decision(1, "accept", 1), undo) == {}
    assert said([attempt(1, LEAD_IN)], decision(1, "accept", 1), undo, decision(3, "reject", 1)) == {
        "nbme_lead_in": True
    }


@pytest.mark.parametrize(
    "one", [("nbme_lead_in", "info"), ("sent_back", "error", "person:Ada"), ("RuleExecutionError", "error")]
)
def test_notes_people_and_crashes_are_not_judged(one: Said) -> None:
    assert said([attempt(1, one)], decision(1, "accept", 1)) == {}


def test_the_draft_that_stood_is_the_one_that_was_judged() -> None:
    tries = [attempt(1, VAGUE), attempt(2, LEAD_IN)]
    assert said(tries, decision(1, "accept", 2, before={"best_attempt": 2})) == {"nbme_lead_in": False}
    assert said(tries, decision(1, "accept", 2)) == {"nbme_vague_terms": False}, (
        "where it does not say: the best of them"
    )


def test_a_decision_about_nothing_says_nothing() -> None:
    assert said([], decision(1, "accept", 0)) == {}
    assert said([attempt(1, LEAD_IN)], decision(1, "edit", 9, before={"best_attempt": 1})) == {}


def test_the_same_decision_in_another_run_is_the_same_word() -> None:
    [one] = judgements(texts, [attempt(1, LEAD_IN)], [decision(1, "accept", 1)])
    [same] = judgements(texts, [attempt(1, LEAD_IN)], [decision(77, "accept", 1)])
    [other] = judgements(texts, [attempt(1, LEAD_IN)], [decision(1, "reject", 1)])
    assert one.word == same.word != other.word
