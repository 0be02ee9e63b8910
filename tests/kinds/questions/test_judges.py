"""Judging meaning: which rules a model is asked about, and what becomes of its claims."""

from burnish.core.checks import select
from burnish.core.replies import QuestionReviewReply
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.requests import JUDGED_RULES, claims, judged_rules, review_ask
from tests.engine.questions_bench import objection, sound

CHECKS = QuestionsKind().checks
QUESTION = Question.model_validate(sound(0))


def test_a_judge_is_asked_about_the_four_rules_that_need_meaning() -> None:
    ask = review_ask(QUESTION, select(CHECKS))
    assert ask is not None
    assert all(f"- {rule}: " in ask.trusted["rules"] for rule in JUDGED_RULES)
    assert ask.trusted["rules"].count("\n") == 3
    assert f"stem: {QUESTION.stem}" in ask.untrusted["question"]
    assert "correct_answer: A" in ask.untrusted["question"]
    assert "vignette" not in ask.untrusted["question"], "empty fields are not shown"


def test_rules_that_are_off_are_not_judged() -> None:
    some = select(CHECKS, disabled=("nbme_multiple_correct", "ext_vignette_relevance"))
    assert judged_rules(some) == ("nbme_distractor_plausibility", "nbme_ambiguous_information")
    assert review_ask(QUESTION, select(CHECKS, enabled=("nbme_lead_in",))) is None
    ignoring = Question.model_validate(sound(0, burnish_ignore=list(JUDGED_RULES)))
    assert review_ask(ignoring, select(CHECKS)) is None


def test_claims_have_the_severity_of_their_rule() -> None:
    selection = select(CHECKS, severities={"nbme_ambiguous_information": "critical"})
    said = [
        objection("fever", rule=rule)["violations"][0]
        for rule in ("nbme_ambiguous_information", "made_up", "nbme_lead_in")
    ]
    reply = QuestionReviewReply.model_validate({"reasoning": "r", "violations": said})
    found = claims(QUESTION, reply, selection, "model:m")
    assert [(f.rule, f.severity) for f in found] == [
        ("nbme_ambiguous_information", "critical"),
        ("made_up", "error"),
        ("nbme_lead_in", "warning"),
    ]
    assert {f.source for f in found} == {"model:m"}


def test_what_the_author_ignores_is_not_heard() -> None:
    ignoring = Question.model_validate(sound(0, burnish_ignore=["nbme_multiple_correct"]))
    reply = QuestionReviewReply.model_validate(objection("fever"))
    assert claims(ignoring, reply, select(CHECKS), "model:m") == []
    assert len(claims(QUESTION, reply, select(CHECKS), "model:m")) == 1
