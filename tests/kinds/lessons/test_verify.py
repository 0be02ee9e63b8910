"""The verifier: no answer, no number and no evidence never pass."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.replies import DeltaReply, JudgeIssuePart
from burnish.kinds.lessons.policy import CRITERIA
from burnish.kinds.lessons.refinement import (
    ContextAnchors,
    DeltaJudgeInput,
    DeltaJudgeResult,
    IssueSeverity,
    JudgeCriterion,
)
from burnish.kinds.lessons.verify import (
    count_words,
    delta_failed,
    delta_result,
    length_refusal,
    lock_violations,
    quality_locks,
    readability,
    readability_problems,
    readability_regressions,
    section_violations,
    text_reasons,
    verify_repair,
)
from tests.kinds.lessons.makers import issue, judged, targeted, task

GOOD = DeltaJudgeResult(passed=True, confidence="high", reasoning="Settled.", tokens_used=200, duration_ms=20)


# Length


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [(100, 110, False), (100, 111, True), (100, 90, False), (100, 89, True), (0, 500, False), (100, 0, True)],
)
def test_a_patch_changes_the_length_by_a_tenth_at_most(before: int, after: int, refused: bool) -> None:
    assert (length_refusal("x" * before, "x" * after) is not None) == refused


def test_what_was_incomplete_may_grow_but_not_shrink() -> None:
    incomplete = task("s1", "REGENERATE_SECTION", targeted("completeness"))
    assert text_reasons(incomplete, "x" * 100, "x" * 300) == ("readability:word_length",)
    assert "length_change" in text_reasons(incomplete, "x " * 100, "x " * 50)
    surgical = task("s1", "SURGICAL_EDIT", targeted("completeness"))
    assert "length_change" in text_reasons(surgical, "x " * 100, "x " * 150)


# Readability


@pytest.mark.parametrize(
    ("text", "sentence", "word"),
    [
        ("The cat sat. The dog ran far away.", 4.0, 3.125),
        ("今天天气很好。我们去公园。", 3.0, 11 / 6),
        ("यह एक वाक्य है। यह दूसरा है।", 3.5, 2.0),
        ("هل هذا سؤال؟ نعم.", 2.0, 3.0),
        ("Это первое. Это второе.", 2.0, 4.5),
    ],
)
def test_measures_mean_the_same_in_every_language(text: str, sentence: float, word: float) -> None:
    metrics = readability(text)
    assert metrics.avg_sentence_length == pytest.approx(sentence, abs=0.01)
    assert metrics.avg_word_length == pytest.approx(word, abs=0.01)


def test_thai_has_sentences_and_words_without_a_full_stop() -> None:
    metrics = readability("ฉันไปตลาดทุกวัน แม่ซื้อผลไม้")
    assert metrics.avg_sentence_length == pytest.approx(2.5) and 3 < metrics.avg_word_length <= 5
    # Marks above the letters are no letters.
    assert count_words("ฉัน cat") == (2, 5)


def test_code_headings_and_tables_are_not_read() -> None:
    prose = "Short and sweet. Two of them."
    code = "```py\nvery_long_name = another_very_long_name\n```"
    dressed = f"# A heading that is long\n\n{prose}\n\n{code}\n\n| a | b |\n|---|---|\n| c | d |\n"
    assert readability(dressed) == readability(prose)


def test_a_text_without_prose_has_nothing_to_reproach() -> None:
    for text in ("", "```py\nx = 1\n```", "***"):
        assert readability_problems(readability(text)) == ()


def test_limits() -> None:
    long = "word " * 26 + "."
    assert readability_problems(readability(long)) == ("sentence_length",)
    assert readability_problems(readability("word " * 25 + ".")) == ()
    assert readability_problems(readability("Incomprehensibilities notwithstanding.")) == ("word_length",)
    assert readability_problems(readability("It is so. " * 13)) == ("paragraph_breaks",)
    assert readability_problems(readability("It is so. " * 12)) == ()


def test_what_was_hard_before_is_not_the_repairs_fault() -> None:
    long, longer, short = "word " * 30 + ".", "word " * 31 + ".", "word " * 10 + "."
    assert readability_regressions(short, long) == ("sentence_length",)
    assert readability_regressions(long, long) == ()
    assert readability_regressions(long, longer) == ("sentence_length",)
    assert readability_regressions(longer, long) == ()


@given(st.text(max_size=300))
def test_measures_are_finite_for_any_text(text: str) -> None:
    metrics = readability(text)
    assert metrics.avg_sentence_length >= 0 and metrics.avg_word_length >= 0
    assert 0 <= metrics.paragraph_break_ratio <= 1
    assert readability_regressions(text, text) == ()


# The delta judge


def reply(*, passed: bool = True, confidence: str = "high", severity: IssueSeverity | None = None) -> DeltaReply:
    part = JudgeIssuePart(criterion="completeness", severity=severity or "minor", location="", description="New.")
    return DeltaReply.model_validate(
        {"reasoning": "r", "passed": passed, "confidence": confidence, "newIssues": [part] if severity else []}
    )


def test_a_settled_issue_stands() -> None:
    result = delta_result(reply(severity="minor"), "s1", tokens=200, ms=20)
    verification = verify_repair([result])
    assert verification.passed and verification.reasons == () and verification.tokens_used == 200
    assert verification.new_issues[0].location == "s1"


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([], "not_verified"),
        ([delta_failed("timeout")], "issue_not_settled"),
        ([GOOD, delta_result(reply(passed=False), "s1")], "issue_not_settled"),
        ([delta_result(reply(confidence="low"), "s1")], "low_confidence"),
        ([delta_result(reply(severity="major"), "s1")], "new_issue"),
    ],
)
def test_anything_else_does_not(results: list[DeltaJudgeResult], reason: str) -> None:
    verification = verify_repair(results)
    assert not verification.passed and reason in verification.reasons


def test_what_code_found_is_enough() -> None:
    verification = verify_repair([], ["length_change"])
    assert not verification.passed and verification.reasons == ("length_change",)
    assert not verify_repair([GOOD], ["readability:word_length"]).passed


def test_the_input_of_the_delta_judge_has_the_names_of_the_wire() -> None:
    wanted = DeltaJudgeInput(
        original_content="old", patched_content="new", addressed_issue=targeted(), context_anchors=ContextAnchors()
    )
    assert set(wanted.as_wire()) == {"originalContent", "patchedContent", "addressedIssue", "contextAnchors"}


# Quality locks


def test_criteria_are_locked_at_three_quarters_and_at_their_best() -> None:
    locks = quality_locks({"completeness": 0.75, "clarity_readability": 0.74, "factual_accuracy": 0.8})
    assert locks == {"completeness": 0.75, "factual_accuracy": 0.8}
    assert quality_locks({"completeness": 0.9, "factual_accuracy": 0.76}, locks) == {
        "completeness": 0.9,
        "factual_accuracy": 0.8,
    }
    assert quality_locks({"completeness": math.nan}) == {}


def test_a_drop_of_more_than_a_twentieth_is_a_violation() -> None:
    assert lock_violations({"completeness": 0.8}, {"completeness": 0.75}, "s1") == ()
    (violation,) = lock_violations({"completeness": 0.8}, {"completeness": 0.74}, "s1")
    assert violation.as_wire() == {
        "criterion": "completeness",
        "lockedScore": 0.8,
        "newScore": 0.74,
        "delta": -0.06,
        "sectionId": "s1",
    }


@pytest.mark.parametrize("scores", [{}, {"completeness": math.nan}, {"completeness": None}])
def test_a_locked_criterion_that_is_not_scored_any_more_is_violated(scores: dict[JudgeCriterion, float]) -> None:
    (violation,) = lock_violations({"completeness": 0.8}, scores, "s1")
    assert violation.new_score == 0


def test_sections_are_compared_by_the_judges_that_read_both_texts() -> None:
    before = [judged("a", scores={"clarity_readability": 0.9}), judged("b", scores={"clarity_readability": 0.7})]
    same = [judged("a", scores={"clarity_readability": 0.88})]
    assert section_violations(before, same, "s1") == ()
    worse = [judged("a", scores={"clarity_readability": 0.8})]
    assert [one.criterion for one in section_violations(before, worse, "s1")] == ["clarity_readability"]
    assert section_violations(before, [], "s1") != ()
    assert section_violations(before, [judged("c")], "s1") != ()


scores = st.dictionaries(st.sampled_from(CRITERIA), st.floats(0, 1))


@given(scores, scores)
def test_a_violation_is_always_a_fall_of_something_good(
    before: dict[JudgeCriterion, float], after: dict[JudgeCriterion, float]
) -> None:
    locks = quality_locks(before)
    violated = {one.criterion for one in lock_violations(locks, after, "s1")}
    for criterion, score in before.items():
        fell = score - after.get(criterion, 0.0) > 0.05 + 1e-6
        if score >= 0.75 and fell:
            assert criterion in violated
        if score < 0.75 - 1e-6:
            assert criterion not in violated
    assert lock_violations(locks, before, "s1") == ()


def test_an_issue_keeps_its_wire_names() -> None:
    assert set(issue(quote="q").as_wire()) == {
        "criterion",
        "severity",
        "location",
        "description",
        "quotedText",
        "suggestedFix",
    }
