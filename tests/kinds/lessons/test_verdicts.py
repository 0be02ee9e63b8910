"""Scores are computed from what was scored; what is missing makes a judge abstain."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from burnish.core.replies import CriteriaPart, JudgeIssuePart
from burnish.kinds.lessons.policy import CRITERIA, WEIGHTS, WHOLE_CRITERIA, weights_for
from burnish.kinds.lessons.refinement import LESSON, JudgeAggregatedResult, JudgeCriterion, JudgeVerdict
from burnish.kinds.lessons.verdicts import (
    OF_EVERY_TEXT,
    OF_FACTS,
    OF_WHOLE,
    Abstention,
    Ballot,
    PanelFailed,
    SectionJudgement,
    asked_scores,
    combine,
    coverage,
    distinct_issues,
    is_misquoted,
    judge_issue,
    panel_criteria,
    recommend,
    third_judge_reason,
    unit_score,
    unit_scores,
    verified,
    vote,
    weighted,
)
from tests.kinds.lessons.makers import issue, judged, verdict

UNITS = ["intro", "s1"]


def combined(*judgements: SectionJudgement, with_sources: bool = True) -> JudgeVerdict | Abstention:
    return combine(judgements, UNITS, judge="a", with_sources=with_sources)


def usable(*judgements: SectionJudgement, with_sources: bool = True) -> JudgeVerdict:
    result = combined(*judgements, with_sources=with_sources)
    assert isinstance(result, JudgeVerdict)
    return result


def test_weights_add_up_and_are_shared_out_without_sources() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    without = weights_for(with_sources=False)
    assert sum(without.values()) == pytest.approx(1) and "factual_accuracy" not in without
    assert without["learning_objective_alignment"] == pytest.approx(0.25 / 0.85)


def test_a_criterion_is_the_word_weighted_mean_of_the_sections() -> None:
    long = judged(
        unit="s1", words=300, scores={"factual_accuracy": 1, "clarity_readability": 0.9, "engagement_examples": 1}
    )
    short = judged(
        unit="intro", words=100, scores={"factual_accuracy": 1, "clarity_readability": 0.5, "engagement_examples": 1}
    )
    assert usable(judged(unit=LESSON), long, short).criteria_scores["clarity_readability"] == pytest.approx(0.8)


def test_criteria_of_the_whole_come_from_who_read_the_whole() -> None:
    boastful = judged(unit="s1", scores={**dict.fromkeys(CRITERIA, 1.0)})
    result = usable(judged(unit=LESSON), boastful, judged(unit="intro"))
    assert all(result.criteria_scores[name] == 0.8 for name in WHOLE_CRITERIA)


def test_pieces_are_averaged_before_sections() -> None:
    windows = [
        judged(
            unit="s1",
            words=200,
            window=0,
            windows=2,
            scores={"factual_accuracy": 0.9, "clarity_readability": 0.6, "engagement_examples": 1},
        ),
        judged(
            unit="s1", words=100, window=1, windows=2, scores={"clarity_readability": 0.9, "engagement_examples": 1}
        ),
    ]
    other = judged(unit="intro", words=300)
    scores = usable(judged(unit=LESSON), other, *windows).criteria_scores
    assert scores["clarity_readability"] == pytest.approx((0.7 + 0.8) / 2)
    # The window that was shown no passages does not make its section count for less.
    assert scores["factual_accuracy"] == pytest.approx((0.9 + 0.8) / 2)


def test_the_overall_score_is_recomputed() -> None:
    result = usable(judged(unit=LESSON), judged(unit="s1"), judged(unit="intro"))
    assert result.overall_score == 0.8
    assert result.recommendation == "ACCEPT_WITH_MINOR_REVISION" and result.passed
    assert result.tokens_used == 150 and result.duration_ms == 15


def test_without_sources_facts_do_not_count() -> None:
    wrong = {"factual_accuracy": 0.0, "clarity_readability": 0.8, "engagement_examples": 0.8}
    parts = (judged(unit=LESSON), judged(unit="s1", scores=wrong), judged(unit="intro", scores=wrong))  # type: ignore[arg-type]
    assert usable(*parts, with_sources=False).overall_score == 0.8
    assert usable(*parts).overall_score == pytest.approx(0.68)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ([judged(unit=LESSON), judged(unit="s1")], "intro"),
        ([judged(unit="intro"), judged(unit="s1")], LESSON),
        ([judged(unit=LESSON), judged(unit="intro"), judged(unit="s1", window=0, windows=2)], "s1"),
        ([judged(unit=LESSON), judged("b", "intro"), judged(unit="s1")], "intro"),
        ([], LESSON),
    ],
)
def test_a_judge_that_did_not_read_everything_abstains(parts: list[SectionJudgement], named: str) -> None:
    result = combined(*parts)
    assert isinstance(result, Abstention) and named in result.reason


def test_a_criterion_that_nobody_scored_makes_the_verdict_unusable() -> None:
    silent = {"factual_accuracy": 0.9, "engagement_examples": 0.9}
    result = combined(judged(unit=LESSON), judged(unit="s1", scores=silent), judged(unit="intro", scores=silent))  # type: ignore[arg-type]
    assert isinstance(result, Abstention) and "clarity_readability" in result.reason


@pytest.mark.parametrize("window", [0, 1])
@pytest.mark.parametrize("left_out", ["clarity_readability", "engagement_examples", "factual_accuracy"])
def test_what_is_left_out_in_one_text_is_not_taken_from_the_others(left_out: JudgeCriterion, window: int) -> None:
    windows = [judged(unit="s1", window=number, windows=2) for number in range(2)]
    some = {name: score for name, score in windows[window].criteria.items() if name != left_out}
    windows[window] = windows[window].model_copy(update={"criteria": some, "asked": OF_FACTS})
    result = combined(judged(unit=LESSON), judged(unit="intro"), *windows)
    assert result == Abstention("a", f"No usable judgement on s1 (no score for {left_out}).")


@pytest.mark.parametrize("left_out", sorted(WHOLE_CRITERIA))
def test_the_whole_is_scored_in_full_or_not_at_all(left_out: JudgeCriterion) -> None:
    whole = judged(unit=LESSON)
    some = {name: score for name, score in whole.criteria.items() if name != left_out}
    result = combined(
        whole.model_copy(update={"criteria": some, "asked": OF_WHOLE}), judged(unit="intro"), judged(unit="s1")
    )
    assert isinstance(result, Abstention) and left_out in result.reason


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_what_is_no_score_is_refused(value: float) -> None:
    with pytest.raises(ValidationError):
        judged(scores={"clarity_readability": value})


def test_confidence_is_that_of_the_whole() -> None:
    sure, unsure = judged(unit="s1", words=60), judged(unit="intro", words=40, confidence="low")
    assert usable(judged(unit=LESSON), sure, unsure).confidence == "high"
    assert usable(judged(unit=LESSON, confidence="medium"), sure, unsure).confidence == "medium"


def whole_saying(**objectives: str) -> SectionJudgement:
    return judged(unit=LESSON, scores=dict.fromkeys(OF_WHOLE, 0.95)).model_copy(update={"objectives": objectives})


@pytest.mark.parametrize(
    ("objectives", "most"),
    [({"LO1": "yes"}, 0.95), ({"LO1": "yes", "LO2": "partly"}, 0.75), ({"LO1": "yes", "LO2": "no"}, 0.6), ({}, 0.95)],
)
def test_alignment_scores_no_more_than_its_objectives_allow(objectives: dict[str, str], most: float) -> None:
    result = usable(whole_saying(**objectives), judged(unit="s1"), judged(unit="intro"))
    assert result.criteria_scores["learning_objective_alignment"] == most
    assert result.criteria_scores["completeness"] == 0.95
    told = [one.description for one in result.issues]
    assert any("LO2 is not treated" in text for text in told) == (objectives.get("LO2") == "no")


def test_an_objective_is_covered_if_one_part_covers_it() -> None:
    first, second = whole_saying(LO1="yes", LO2="no"), whole_saying(LO1="no", LO2="partly")
    assert coverage([first, second]) == {"LO1": "yes", "LO2": "partly"}


@pytest.mark.parametrize(
    ("score", "confidence", "issues", "expected"),
    [
        (0.95, "low", [], "ESCALATE"),
        (0.90, "medium", [], "ACCEPT"),
        (0.89, "high", [], "ACCEPT_WITH_MINOR_REVISION"),
        (0.75, "high", [issue()] * 3, "ACCEPT_WITH_MINOR_REVISION"),
        (0.75, "high", [issue()] * 4, "ITERATIVE_REFINEMENT"),
        (0.85, "high", [issue(severity="critical")], "ITERATIVE_REFINEMENT"),
        (0.74, "high", [], "ITERATIVE_REFINEMENT"),
        (0.60, "high", [], "ITERATIVE_REFINEMENT"),
        (0.59, "high", [], "REGENERATE"),
        (math.nan, "high", [], "ESCALATE"),
        (1.5, "high", [], "ESCALATE"),
    ],
)
def test_recommendation(score: float, confidence: str, issues: list[object], expected: str) -> None:
    assert recommend(score, confidence, issues) == expected  # type: ignore[arg-type]


def part(description: str = "Unclear.", quote: str | None = None, unit: str = "s1") -> JudgeIssuePart:
    return JudgeIssuePart(
        criterion="clarity_readability", severity="minor", unit=unit, quotedText=quote, description=description
    )


def heard(*parts: JudgeIssuePart) -> SectionJudgement:
    return judged(unit="s1").model_copy(update={"issues": tuple(judge_issue(one, "s1") for one in parts)})


def test_a_score_that_nobody_asked_for_does_not_count() -> None:
    boastful = CriteriaPart(**dict.fromkeys(CRITERIA, 1.0))
    for asked in (OF_EVERY_TEXT, OF_FACTS, OF_WHOLE):
        assert asked_scores(boastful, asked) == dict.fromkeys(asked, 1.0)


def test_issues_that_do_not_hold_are_dropped_with_a_reason() -> None:
    said = heard(
        part(quote="the cat"),
        part(quote="the dog"),
        part("On second thought this is fine."),
        part(quote="the cat"),
        part("Something is missing."),
    )
    kept, dropped = verified(said, ["See the cat."])
    assert [one.quoted_text for one in kept.issues] == ["the cat", None]
    assert [one.reason for one in dropped] == ["quote_not_found", "self_refuting", "duplicate"]
    assert len(kept.issues) + len(dropped) == 5


@pytest.mark.parametrize("severity", ["critical", "major"])
def test_something_serious_is_never_dropped_for_its_quote(severity: str) -> None:
    said = heard(part("Dangerous.", "the dog").model_copy(update={"severity": severity}))
    assert is_misquoted(said.issues[0], ["See the cat."])
    kept, dropped = verified(said, ["See the cat."])
    assert dropped == () and kept.issues[0].quoted_text is None
    assert "words that are not in the text: “the dog”" in kept.issues[0].description
    assert verified(said, ["See\nthe   dog."])[0].issues[0].quoted_text == "the   dog", "blanks do not count"


@pytest.mark.parametrize("order", [("minor", "critical"), ("critical", "minor"), ("major", "critical", "minor")])
@pytest.mark.parametrize("quote", ["the cat", None])
def test_of_two_issues_that_say_the_same_the_worse_is_kept(order: tuple[str, ...], quote: str | None) -> None:
    said = [part("Wrong.", quote).model_copy(update={"severity": severity}) for severity in order]
    kept, dropped = verified(heard(*said), ["See the cat."])
    assert [one.severity for one in kept.issues] == ["critical"]
    assert {one.reason for one in dropped} == {"duplicate"}
    assert sorted(one.issue.severity for one in dropped) == sorted(one for one in order if one != "critical")


def test_what_the_judges_together_think_of_a_unit() -> None:
    both = [
        judged("a", "s1", {"clarity_readability": 0.6}),
        judged("b", "s1", {"clarity_readability": 0.8, "engagement_examples": 1.0}),
        judged("b", "s2", {"clarity_readability": 0.1}),
    ]
    assert unit_scores(both, "s1") == {"clarity_readability": 0.7, "engagement_examples": 1.0}
    assert unit_score(both, "s1") == pytest.approx(0.85)
    assert unit_score(both, "s9") is None


def test_panel_criteria_are_means_of_what_was_scored() -> None:
    assert panel_criteria([verdict("a", 0.6), verdict("b", {"completeness": 0.8})])["completeness"] == pytest.approx(
        0.7
    )
    assert panel_criteria([]) == {}


fractions = st.floats(0, 1)
some_scores = st.dictionaries(st.sampled_from(CRITERIA), fractions)


@given(some_scores)
def test_a_weighted_score_stays_between_its_parts(scores: dict[JudgeCriterion, float]) -> None:
    value = weighted(scores, WEIGHTS)
    assert 0 <= value <= 1
    if scores:
        assert min(scores.values()) - 1e-9 <= value <= max(scores.values()) + 1e-9
    else:
        assert value == 0


parts = st.builds(
    judged,
    unit=st.sampled_from([LESSON, "intro", "s1"]),
    scores=some_scores,
    confidence=st.sampled_from(["high", "medium", "low"]),
    words=st.integers(0, 1000),
)


@given(st.lists(parts, max_size=6), st.booleans())
def test_a_verdict_is_whole_and_in_range_or_there_is_none(
    judgements: list[SectionJudgement], with_sources: bool
) -> None:
    result = combined(*judgements, with_sources=with_sources)
    if isinstance(result, Abstention):
        assert result.reason
    else:
        assert 0 <= result.overall_score <= 1
        assert set(result.criteria_scores) == set(weights_for(with_sources=with_sources))
        assert {one.unit for one in judgements} == {LESSON, *UNITS}


def test_a_judgement_survives_the_journal() -> None:
    said = judged(issues=[issue(quote="x")])
    assert SectionJudgement.model_validate(said.as_wire()) == said


DOWN = Abstention("down", "no answer")


def voted(*ballots: Ballot) -> JudgeAggregatedResult:
    result = vote(ballots)
    assert isinstance(result, JudgeAggregatedResult)
    return result


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (verdict("a", 0.8), verdict("b", 0.9), None),
        (verdict("a", 0.3), verdict("b", 0.4), None),
        (verdict("a", 0.8), verdict("b", 0.91), "disagreement"),
        (verdict("a", 0.8, "low"), verdict("b", 0.8), "low_confidence"),
        (verdict("a", 0.8, "medium"), verdict("b", 0.8, "medium"), None),
        (verdict("a", 0.8), DOWN, "seat_failed"),
        (DOWN, DOWN, "seat_failed"),
    ],
)
def test_when_a_third_judge_is_asked(first: Ballot, second: Ballot, reason: str | None) -> None:
    assert third_judge_reason(first, second) == reason


def test_two_that_agree_give_their_mean() -> None:
    result = voted(verdict("a", 0.8), verdict("b", 0.9))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.85, "unanimous", True)
    assert result.final_recommendation == "ACCEPT_WITH_MINOR_REVISION" and result.may_accept


def test_two_of_three_that_agree_win() -> None:
    result = voted(verdict("a", 0.9), verdict("b", 0.5), verdict("c", 0.94))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.92, "majority", True)
    assert result.final_recommendation == "ACCEPT"


def test_the_pair_that_is_surest_then_closest_counts() -> None:
    result = voted(verdict("a", 0.80, "low"), verdict("b", 0.81), verdict("c", 0.89))
    assert result.aggregated_score == 0.85
    close = voted(verdict("a", 0.80), verdict("b", 0.90), verdict("c", 0.92))
    assert close.aggregated_score == 0.91


def test_three_that_are_apart_give_the_median() -> None:
    result = voted(verdict("a", 0.9), verdict("b", 0.5), verdict("c", 0.7))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.7, "tiebreaker", False)


def test_the_third_judge_takes_a_failed_seat() -> None:
    result = voted(verdict("a", 0.92), DOWN, verdict("c", 0.94))
    assert (result.voting_method, result.final_recommendation) == ("unanimous", "ACCEPT")
    assert len(result.verdicts) == 2


def test_two_that_disagree_without_a_third_give_the_lower() -> None:
    result = voted(verdict("a", 1.0), verdict("b", 0.8))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.8, "tiebreaker", False)
    doubtful = voted(verdict("a", 0.9, "low"), verdict("b", 0.9))
    assert doubtful.final_recommendation == "ESCALATE" and not doubtful.may_accept


@pytest.mark.parametrize(
    ("score", "issues", "expected"),
    [
        (0.99, 0, "ESCALATE"),
        (0.80, 0, "ESCALATE"),
        (0.80, 2, "ITERATIVE_REFINEMENT"),
        (0.70, 2, "ITERATIVE_REFINEMENT"),
        (0.50, 2, "REGENERATE"),
    ],
)
def test_a_lone_verdict_never_accepts(score: float, issues: int, expected: str) -> None:
    found = [issue(quote=str(number)) for number in range(issues)]
    result = voted(DOWN, verdict("b", score, issues=found), DOWN)
    assert result.final_recommendation == expected
    assert not result.may_accept and not result.consensus_reached


def test_all_failing_is_a_value_with_every_reason() -> None:
    result = vote([DOWN, Abstention("b", "unreadable")])
    assert isinstance(result, PanelFailed)
    assert "down: no answer" in result.message and "b: unreadable" in result.message


def test_what_two_judges_say_alike_is_one_issue_and_the_worse_one_counts() -> None:
    mild, grave = issue(quote="x", severity="minor"), issue(quote="x", severity="critical")
    found = distinct_issues([verdict("a", issues=[mild]), verdict("b", issues=[grave, issue(quote="y")])])
    assert [(one.severity, one.quoted_text) for one in found] == [("critical", "x"), ("major", "y")]


ballots = st.one_of(
    st.just(DOWN),
    st.builds(
        verdict,
        st.sampled_from("abc"),
        st.floats(0, 1).map(lambda score: round(score, 2)),
        st.sampled_from(["high", "medium", "low"]),
    ),
)


@given(st.lists(ballots, min_size=1, max_size=3))
def test_the_score_stays_among_the_verdicts_and_acceptance_needs_two(seats: list[Ballot]) -> None:
    result = vote(seats)
    if isinstance(result, PanelFailed):
        assert all(isinstance(ballot, Abstention) for ballot in seats)
        return
    scores = [one.overall_score for one in result.verdicts]
    assert min(scores) <= result.aggregated_score <= max(scores)
    if result.final_recommendation == "ACCEPT":
        agreeing = [one for one in result.verdicts if abs(one.overall_score - result.aggregated_score) <= 0.1]
        assert len(result.verdicts) >= 2 and any(one.confidence != "low" for one in agreeing)
        assert result.aggregated_score >= 0.9 - 1e-9
