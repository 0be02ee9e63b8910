"""The reports of a course over a small course with a SEED of every standing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from burnish.kinds.legos.policy import REASONS, UNUSUAL
from burnish.kinds.legos.reports import FOLDER, course_reports, shapes
from burnish.kinds.legos.reports.inventory import taught_seeds, teaching_order
from tests.kinds.legos.reports.sample_course import (
    COURSE,
    LEGOS,
    RECORDS,
    attempt,
    concern,
    lego,
    suggestion,
    translation,
)

SHAPES: dict[str, type[BaseModel]] = {
    "quality_reports/quality_report.json": shapes.QualityReport,
    "quality_reports/flagged_seeds.json": shapes.FlaggedSeeds,
    "quality_reports/failed_seeds.json": shapes.FailedSeeds,
    "quality_reports/retry_queue.json": shapes.RetryQueue,
    "quality_reports/human_review_queue.json": shapes.HumanReviewQueue,
    "teaching_order.json": shapes.TeachingOrder,
}


def named(name: str, records: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """One of the reports by itself."""
    return course_reports(records, (), **options)[f"{FOLDER}/{name}.json"]


def ids(report: dict[str, Any]) -> list[str]:
    return [row["seed_id"] for row in report["seeds"]]


def test_the_quality_report_counts_every_seed_once() -> None:
    report = named("quality_report", RECORDS)
    assert report["course_codes"] == [COURSE]
    assert report["as_of"] == "2026-01-03T10:00:00.000Z"
    assert report["quality_summary"] == {
        "total_seeds": 6,
        "accepted": 2,
        "flagged": 1,
        "failed": 0,
        "pending_review": 2,
        "not_extracted": 1,
        "acceptance_rate": 0.3333,
        "average_quality_score": 6.7,
        "average_attempts_per_seed": 1.6,
    }
    assert report["dimension_averages"] == {
        "iron_rule_compliance": 6.7,
        "naturalness": 6.2,
        "pedagogical_value": 5.7,
        "consistency": 5.2,
        "edge_case_handling": 4.7,
    }
    assert report["human_review_needed"] == 2


def test_a_concern_is_counted_once_a_seed_and_only_while_it_is_open() -> None:
    frequency = named("quality_report", RECORDS)["concern_frequency"]
    assert list(frequency.items()) == [
        ("c_iron_rule_violation", 2),
        ("c_too_small", 2),
        ("c_dangling_determiner", 1),
        ("c_too_large", 1),
    ]


def test_trends_tell_what_trying_again_brought() -> None:
    trends = named("quality_report", RECORDS)["improvement_trends"]
    assert (trends["seeds_retried"], trends["seeds_improved_on_retry"]) == (2, 2)
    assert trends["average_score_improvement"] == 1.75
    assert trends["most_effective_suggestion"] == "s_target_word_count"
    assert trends["suggestion_effects"] == [
        {"suggestion_id": "s_target_word_count", "retries": 2, "average_gain": 2.0},
        {"suggestion_id": "s_preserve_phrasal_verbs", "retries": 1, "average_gain": 2.0},
    ]


def test_a_suggestion_that_lowered_scores_is_not_the_most_effective() -> None:
    worse = translation("C0001", "a", "b", attempt(1, 7.0, (), [suggestion("s_harmful")]), attempt(2, 6.0))
    trends = named("quality_report", [worse])["improvement_trends"]
    assert trends["most_effective_suggestion"] is None
    assert trends["suggestion_effects"] == [{"suggestion_id": "s_harmful", "retries": 1, "average_gain": -1.0}]
    assert (trends["seeds_improved_on_retry"], trends["average_score_improvement"]) == (0, -1.0)


def test_a_course_without_seeds_or_without_attempts_has_no_averages() -> None:
    for records in ([], [RECORDS[-1]]):
        report = named("quality_report", records)
        assert report["quality_summary"]["average_quality_score"] is None
        assert report["dimension_averages"]["naturalness"] is None
        assert report["as_of"] is None
        shapes.QualityReport.model_validate(report, strict=True)
    assert named("quality_report", [])["quality_summary"]["acceptance_rate"] is None


def test_no_seed_is_both_flagged_and_failed() -> None:
    assert ids(named("flagged_seeds", RECORDS)) == ["C0003", "C0004"]
    assert ids(named("failed_seeds", RECORDS)) == ["C0005"]
    waiting = translation("C0007", "a", "b", attempt(1, 4.9), status="pending_review", flagged=True)
    assert ids(named("failed_seeds", [waiting])) == ["C0007"] and named("flagged_seeds", [waiting])["count"] == 0
    row = named("failed_seeds", RECORDS)["seeds"][0]
    assert [one["concern_id"] for one in row["concerns"]] == ["c_iron_rule_violation", "c_too_small"]
    assert row["review_notes"] == "Attempt 1 reviewed."


def test_a_seed_flagged_before_any_attempt_is_listed_with_nothing_open() -> None:
    row = named("flagged_seeds", [translation("C0001", "a", "b", status="pending_review", flagged=True)])["seeds"][0]
    assert (row["concerns"], row["review_notes"], row["total_attempts"]) == ([], None, 0)


def test_the_retry_queue_says_why_and_with_what() -> None:
    (row,) = named("retry_queue", RECORDS)["seeds"]
    assert row == {
        "seed_id": "C0003",
        "uuid": RECORDS[2]["uuid"],
        "source": "We sat in the old kitchen",
        "target": "Седевме во старата кујна",
        "current_attempt": 1,
        "max_attempts": 3,
        "last_score": 7.0,
        "retry_reason": "7.0 of 8.0: One ends on 'the'",
        "suggested_prompt_changes": ["Never end on a determiner", "Aim at three to five words"],
        "scheduled_retry_at": "2026-01-01T10:00:00.000Z",
    }


def test_a_retry_without_a_concern_is_told_by_its_score() -> None:
    seed = translation("C0001", "a", "b", attempt(1, 7.9, status="retry_scheduled"), status="flagged")
    (row,) = named("retry_queue", [seed], max_attempts=5)["seeds"]
    assert (row["retry_reason"], row["max_attempts"]) == ("7.9 of 8.0", 5)


def test_the_queue_of_people_has_the_most_urgent_first() -> None:
    failed, exhausted = named("human_review_queue", RECORDS)["seeds"]
    assert (failed["seed_id"], failed["priority"]) == ("C0005", "critical")
    assert failed["reason"] == (
        "a critical concern is left: c_iron_rule_violation; best score 3.5 after 1 attempt, accepted from 8.0"
    )
    assert (exhausted["seed_id"], exhausted["priority"]) == ("C0004", "high")
    assert exhausted["reason"] == "best score 6.0 after 3 attempts, accepted from 8.0"
    assert exhausted["best_attempt_score"] == 6.0 and exhausted["agent_notes"] == "Attempt 2 reviewed."
    assert exhausted["concerns_summary"] == [
        {"concern_id": "c_unnatural_boundary", "severity": "medium", "count": 1, "affected_legos": ["S4L2"]}
    ]


@pytest.mark.parametrize(
    ("score", "severities", "priority"),
    [
        (9.0, (), "low"),
        (9.0, ("high",), "medium"),
        (9.0, ("critical", "low"), "critical"),
        (7.9, (), "high"),
        (4.9, (), "critical"),
    ],
)
def test_priority(score: float, severities: tuple[str, ...], priority: str) -> None:
    concerns = [concern(f"c_{severity}", severity) for severity in severities]
    seed = translation("C0001", "a", "b", attempt(1, score, concerns), person=True)
    assert named("human_review_queue", [seed])["seeds"][0]["priority"] == priority


def test_a_request_without_a_visible_reason_and_one_before_any_attempt() -> None:
    asked = translation("C0001", "a", "b", attempt(1, 9.0), person=True)
    uncut = translation("C0002", "a", "b", status="pending_review", person=True)
    first, second = named("human_review_queue", [asked, uncut])["seeds"]
    assert (first["seed_id"], first["reason"], first["best_attempt_score"]) == (
        "C0002",
        "it has not been cut yet",
        None,
    )
    assert (second["seed_id"], second["reason"]) == ("C0001", "a review by a person was requested")


@pytest.mark.parametrize(
    ("course", "reason"),
    [("mkd_for_eng", "an unusual SEED: 26 words"), ("mkd_for_jpn", "a review by a person was requested")],
)
def test_an_unusual_sentence_is_a_reason_where_its_language_is_known(course: str, reason: str) -> None:
    seed = translation("C0001", "word " * 26, "b", attempt(1, 9.0), person=True)
    seed = {**seed, "metadata": {**seed["metadata"], "course_code": course}}
    assert named("human_review_queue", [seed])["seeds"][0]["reason"] == reason


def test_of_equal_attempts_the_later_is_kept_where_none_is_named() -> None:
    seed = translation("C0001", "a", "b", attempt(1, 7.0), attempt(2, 7.0), attempt(3, 6.0), person=True)
    assert named("human_review_queue", [seed])["seeds"][0]["agent_notes"] == "Attempt 2 reviewed."


def test_concerns_are_summed_up_the_worst_first() -> None:
    concerns = [concern("c_b", "low", "S1L2"), concern("c_a", "high", "S1L1"), concern("c_b", "low", "S1L2", "S1L3")]
    seed = translation("C0001", "a", "b", attempt(1, 7.0, concerns), person=True)
    assert named("human_review_queue", [seed])["seeds"][0]["concerns_summary"] == [
        {"concern_id": "c_a", "severity": "high", "count": 1, "affected_legos": ["S1L1"]},
        {"concern_id": "c_b", "severity": "low", "count": 2, "affected_legos": ["S1L2", "S1L3"]},
    ]


def test_the_teaching_order_has_every_lego_once_in_the_order_of_meeting() -> None:
    again = translation("C0010", "THIS MORNING I slept", "Утрово спиев", attempt(1, 9.0))
    legos = [lego(again, 1, "THIS MORNING", "Утрово"), *reversed(LEGOS)]
    known = {seed["uuid"]: seed for seed in (*RECORDS, again)}
    order = teaching_order(taught_seeds(known, legos, known), "course")
    assert (order["count"], order["left_out"]) == (len(LEGOS), 0)
    assert [row["provenance"] for row in order["legos"]] == ["S1L1", "S1L2", "S2L1", "S2L2", "S3L1", "S4L1"]
    assert [row["times_met"] for row in order["legos"]] == [1, 2, 1, 1, 1, 1]
    assert [row["first_met"] for row in order["legos"]] == [1, 1, 2, 2, 3, 4]
    assert order["legos"][1]["source"] == "this morning"


def test_positions_are_numbers_not_text_and_other_halves_make_another_lego() -> None:
    seed = translation("C0001", "go go", "оди иди", attempt(1, 9.0))
    legos = [lego(seed, 10, "go", "иди"), lego(seed, 9, "go", "оди")]
    order = teaching_order(taught_seeds({seed["uuid"]: seed}, legos, {seed["uuid"]}))
    assert [row["provenance"] for row in order["legos"]] == ["S1L9", "S1L10"]


def test_only_what_is_accepted_and_needs_nobody_is_taught() -> None:
    asked = translation("C0008", "hi I need coffee", "еј Ми треба кафе", attempt(1, 9.0), person=True)
    more = [
        lego(asked, 1, "hi", "еј"),
        lego(asked, 2, "I need coffee", "Ми треба кафе"),
        lego(translation("C0009", "bye", "чао"), 1, "bye", "чао"),
    ]
    order = course_reports([*RECORDS, asked], [*LEGOS, *more])["teaching_order.json"]
    assert [row["provenance"] for row in order["legos"]] == ["S1L1", "S1L2", "S2L1", "S2L2"]
    assert [row["times_met"] for row in order["legos"]] == [1, 1, 1, 1]
    assert (order["count"], order["left_out"]) == (4, 4), "a LEGO that is taught elsewhere is not left out"


def test_what_a_person_cut_is_no_evidence_for_a_suggestion() -> None:
    by_hand = {**attempt(2, 9.0), "agent_version": "burnish_0.1_person"}
    first = attempt(1, 6.0, (), [suggestion("s_any")])
    trends = named("quality_report", [translation("C0001", "a", "b", first, by_hand, attempt(3, 9.5))])[
        "improvement_trends"
    ]
    assert (trends["most_effective_suggestion"], trends["suggestion_effects"]) == (None, [])
    assert (trends["seeds_retried"], trends["average_score_improvement"]) == (1, 3.5)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([REASONS[UNUSUAL], "30 words"], "30 words"),
        ([REASONS[UNUSUAL]], REASONS[UNUSUAL][:-1]),
        (["Somebody wants to see the cut.", "3 clauses"], "Somebody wants to see the cut; 3 clauses"),
        ([], "a review by a person was requested"),
    ],
)
def test_the_queue_of_people_says_what_the_run_recorded(said: list[str], reason: str) -> None:
    seed = translation("C0001", "a", "b", attempt(1, 9.0), person=True, review_reasons=said)
    [row] = named("human_review_queue", [seed])["seeds"]
    assert (row["reason"], row["waits_in_a_run"]) == (reason, bool(said))


def test_the_queue_of_people_has_what_was_noted_and_how_many_legos_there_are() -> None:
    review = {"decision": "reject", "by": "Ann", "at": "2026-01-01T10:00:00Z", "note": "Keep the verb."}
    noted = translation("C0001", "a", "b", attempt(1, 9.0), person=True, human_review=review)
    silent = translation("C0002", "a", "b", person=True, human_review={**review, "note": ""})
    rows = {row["seed_id"]: row for row in named("human_review_queue", [noted, silent])["seeds"]}
    assert [rows["C0001"][name] for name in ("legos", "note", "noted_by")] == [2, "Keep the verb.", "Ann"]
    assert [rows["C0002"][name] for name in ("legos", "note", "noted_by")] == [0, None, None]


def test_every_file_keeps_its_shape() -> None:
    made = course_reports(RECORDS, LEGOS)
    assert set(made) == set(SHAPES)
    for path, shape in SHAPES.items():
        shape.model_validate(made[path], strict=True)


@given(st.randoms(use_true_random=False))
def test_no_order_of_records_changes_a_report(dice: random.Random) -> None:
    records, legos = dice.sample(RECORDS, len(RECORDS)), dice.sample(LEGOS, len(LEGOS))
    assert course_reports(records, legos) == course_reports(RECORDS, LEGOS)


scores = st.floats(0, 10, allow_nan=False).map(lambda score: round(score, 1))


@given(st.lists(st.lists(scores, max_size=4), max_size=12))
def test_the_numbers_of_any_course_fit_together(courses: list[list[float]]) -> None:
    statuses = ("accepted", "flagged", "failed", "pending_review")
    records = [
        translation(
            f"C{number:04}",
            "a",
            "b",
            *(attempt(place, score, (), [suggestion("s_any")]) for place, score in enumerate(scores, start=1)),
            status=statuses[number % 4],
            person=number % 3 == 0,
        )
        for number, scores in enumerate(courses)
    ]
    report = shapes.QualityReport.model_validate(named("quality_report", records), strict=True)
    summary = report.quality_summary
    counts = (summary.accepted, summary.flagged, summary.failed, summary.pending_review, summary.not_extracted)
    assert sum(counts) == summary.total_seeds == len(records)
    assert report.human_review_needed == named("human_review_queue", records)["count"]
    trends = report.improvement_trends
    assert trends.seeds_improved_on_retry <= trends.seeds_retried == sum(len(scores) > 1 for scores in courses)
