"""The arbiter: what counts, what wins, and that nothing is lost on the way."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.lessons.arbiter import (
    agreement,
    consolidate,
    context_anchors,
    context_window,
    first_sentences,
    instructions,
    last_sentences,
    located,
    quotes_overlap,
    targeted_issues,
    terminology,
)
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.policy import CRITERIA
from burnish.kinds.lessons.progress import content_sections
from burnish.kinds.lessons.refinement import (
    LESSON,
    ArbiterOutput,
    IterationFeedback,
    JudgeCriterion,
    JudgeIssue,
    LessonContentSection,
)
from tests.kinds.lessons.makers import (
    ORDER,
    SECTIONS,
    aggregated,
    given_to_arbiter,
    issue,
    targeted,
    verdict,
)

MODERATE: dict[JudgeCriterion, float] = {
    "learning_objective_alignment": 0.8,
    "pedagogical_structure": 0.8,
    "factual_accuracy": 0.8,
    "clarity_readability": 0.8,
    "engagement_examples": 0.6,
    "completeness": 0.95,
}
"""Beside a judge that gives 0.8 throughout, four of six criteria agree."""


def spread(*values: float) -> dict[JudgeCriterion, float]:
    return dict(zip(CRITERIA, values, strict=True))


# How far judges agree


def test_identical_ratings_are_perfect_agreement() -> None:
    agreed = agreement([verdict("a", 0.8), verdict("b", 0.8)])
    assert (agreed.alpha, agreed.interval, agreed.level) == (1.0, (1.0, 1.0), "high")


def test_near_equal_scores_are_high_agreement_whatever_alpha_says() -> None:
    agreed = agreement(
        [verdict("a", spread(0.9, 0.8, 0.9, 0.8, 0.9, 0.9)), verdict("b", spread(0.8, 0.9, 0.9, 0.9, 0.9, 0.8))]
    )
    assert agreed.alpha < 0 and agreed.level == "high"
    assert agreed.interval is not None and agreed.interval[0] <= agreed.alpha <= agreed.interval[1]


def test_four_of_six_near_are_moderate_and_three_are_low() -> None:
    assert agreement([verdict("a", 0.8), verdict("b", MODERATE)]).level == "moderate"
    low = {**MODERATE, "clarity_readability": 0.5}
    assert agreement([verdict("a", 0.8), verdict("b", low)]).level == "low"


def test_alpha_alone_can_make_agreement_high() -> None:
    wide = spread(0.1, 0.3, 0.5, 0.7, 0.9, 0.2)
    other = spread(0.1, 0.3, 0.5, 0.7, 0.9, 0.31)
    agreed = agreement([verdict("a", wide), verdict("b", other)])
    assert agreed.alpha > 0.8 and agreed.level == "high"


def test_four_of_five_are_moderate_without_sources() -> None:
    four = {name: score for name, score in MODERATE.items() if name not in ("factual_accuracy", "completeness")}
    three = {**four, "completeness": 0.95}
    flat: dict[JudgeCriterion, float] = {name: 0.8 for name in CRITERIA if name != "factual_accuracy"}
    assert agreement([verdict("a", flat), verdict("b", {**four, "completeness": 0.8})]).level == "moderate"
    assert agreement([verdict("a", flat), verdict("b", three)]).level == "low"


def test_one_judge_agrees_with_nobody() -> None:
    agreed = agreement([verdict("a", 0.9)])
    assert (agreed.alpha, agreed.interval, agreed.level) == (0.0, None, "low")


# Which issues count


def consolidated(first: list[JudgeIssue], second: list[JudgeIssue], scores: object = 0.8) -> ArbiterOutput:
    return consolidate(given_to_arbiter(verdict("a", 0.8, issues=first), verdict("b", scores, issues=second)))  # type: ignore[arg-type]


def test_high_agreement_accepts_every_issue() -> None:
    output = consolidated([issue(severity="minor")], [])
    assert len(output.accepted_issues) == 1 and output.rejected_issues == () and not output.needs_review


def test_moderate_agreement_needs_two_judges_or_a_critical_issue() -> None:
    shared = issue(quote="It was invented in 1856.")
    overlapping = issue(quote="invented in 1856. It is slow")
    alone = issue("engagement_examples", location="s2")
    grave = issue("factual_accuracy", "critical", "s3")
    output = consolidated([shared, alone], [overlapping, grave], MODERATE)
    assert output.agreement_level == "moderate"
    assert {one.section_id for one in output.accepted_issues} == {"s1", "s3"}
    assert next(one for one in output.accepted_issues if one.section_id == "s1").judges == ("a", "b")
    assert [one.reason for one in output.rejections] == ["too_few_judges"]
    assert output.rejections[0].issue_id == output.rejected_issues[0].id


def test_two_issues_of_one_judge_are_one_voice() -> None:
    twice = [issue(quote="It was invented in 1856."), issue(quote="invented in 1856")]
    output = consolidated(twice, [], MODERATE)
    assert output.accepted_issues == () and output.rejected_issues[0].judges == ("a",)


def test_low_agreement_accepts_only_what_is_critical_and_asks_for_review() -> None:
    low = {**MODERATE, "clarity_readability": 0.5}
    both = issue(quote="It is slow on long lists.")
    output = consolidated([both, issue(severity="critical", location="s2")], [both], low)
    assert [one.severity for one in output.accepted_issues] == ["critical"]
    assert [one.reason for one in output.rejections] == ["low_agreement"] and output.needs_review


def test_a_vague_issue_joins_another_judges_quote_but_never_its_own() -> None:
    vague, exact = issue(), issue(quote="It is slow")
    assert [
        one.judges for one in targeted_issues([verdict("a", issues=[vague]), verdict("b", issues=[exact])], SECTIONS)
    ] == [("a", "b")]
    assert len(targeted_issues([verdict("a", issues=[vague, exact])], SECTIONS)) == 2


def test_the_worst_version_speaks_for_all_and_all_advice_is_kept() -> None:
    mild = issue(severity="minor", fix="Cut it.")
    grave = issue(severity="critical", fix="Explain it.", description="Wrong.")
    found = targeted_issues([verdict("a", issues=[mild]), verdict("b", issues=[grave])], SECTIONS)
    assert found[0].severity == "critical" and found[0].fix_instructions == "Cut it.; Explain it."


def test_quotes_overlap_where_their_words_do() -> None:
    one, other = issue(quote="It was invented in"), issue(quote="invented in 1856")
    assert quotes_overlap(one, other, SECTIONS[1])
    assert not quotes_overlap(one, other, None)
    assert not quotes_overlap(one, other, SECTIONS[2])
    assert not quotes_overlap(one, issue(quote="It is slow"), SECTIONS[1])
    assert quotes_overlap(one, issue(quote="invented"), None)


# Where an issue stands


@pytest.mark.parametrize(
    ("location", "quote", "expected"),
    [
        ("s1", None, "s1"),
        ("s2: second paragraph", None, "s2"),
        ("Merge sort", None, "s2"),
        ("“which one?”", None, "s3"),
        ("the introduction", None, "intro"),
        ("end of the conclusion", None, "conclusion"),
        ("see s3 (last line)", None, "s3"),
        ("s1 and s2", None, LESSON),
        ("everywhere", None, LESSON),
        ("lesson", "It needs more memory.", "s2"),
        ("s1", "It needs more memory.", "s2"),
        ("s1", "words that stand nowhere", "s1"),
        ("nowhere", "words that stand nowhere", LESSON),
        ("", None, LESSON),
    ],
)
def test_an_issue_finds_its_section(location: str, quote: str | None, expected: str) -> None:
    assert located(issue(location=location, quote=quote), SECTIONS) == expected


def test_without_an_introduction_nothing_is_sent_there() -> None:
    assert located(issue(location="the introduction"), SECTIONS[1:4]) == LESSON


def test_the_window_is_the_paragraph_of_the_quote() -> None:
    window = context_window(issue(quote="It needs more memory."), SECTIONS[2])
    assert (window.scope, window.start_quote) == ("paragraph", "It needs more memory.")
    first = context_window(issue(quote="Then it merges"), SECTIONS[2])
    assert first.start_quote is not None and first.start_quote.startswith("Merge sort splits")
    assert context_window(issue(), SECTIONS[2]).scope == "section"
    assert context_window(issue(quote="nowhere"), SECTIONS[2]).scope == "section"
    assert context_window(issue(), None).scope == "global"


def test_anchors_are_three_sentences_of_the_neighbours() -> None:
    anchors = context_anchors(SECTIONS, "s1")
    assert anchors.prev_section_end == "You will learn two ways. Both are old. Both are still used."
    assert anchors.next_section_start == SECTIONS[2].content
    assert context_anchors(SECTIONS, "intro").prev_section_end is None
    assert context_anchors(SECTIONS, "conclusion").next_section_start is None
    assert context_anchors(SECTIONS, LESSON).as_wire() == {}
    assert first_sentences("") == "" and last_sentences(" \n") == ""


def test_every_unit_of_a_lesson_is_shown_with_all_its_fields() -> None:
    units = (
        LessonUnit("s1", "section", {"title": "One", None: "Text."}),
        LessonUnit("exercises/0", "exercise", {"question": "Why?", "solution": "Because."}),
    )
    sections = content_sections(Lesson("l", "L", "en", units))
    assert [(one.id, one.title, one.content) for one in sections] == [
        ("s1", "One", "Text."),
        ("exercises/0", None, "Why?\n\nBecause."),
    ]


# Conflicts and the plan


def test_in_a_conflict_the_higher_criterion_wins_and_the_lower_becomes_a_constraint() -> None:
    clarity = issue(quote="It was invented in 1856.", description="Too curt.")
    facts = issue("factual_accuracy", quote="invented in 1856", description="The year is wrong.")
    output = consolidated([clarity], [facts])
    (conflict,) = output.plan.conflict_resolutions
    assert (conflict.issue1.criterion, conflict.issue2.criterion) == ("factual_accuracy", "clarity_readability")
    (task,) = output.plan.tasks
    assert [one.criterion for one in task.source_issues] == ["factual_accuracy"]
    assert "Must not get worse: clarity_readability (Too curt.)" in task.synthesized_instructions
    assert len(output.accepted_issues) == 2


def test_issues_about_other_words_do_not_conflict() -> None:
    output = consolidated([issue(quote="It is slow")], [issue("factual_accuracy", quote="invented in 1856")])
    assert output.plan.conflict_resolutions == ()
    assert output.plan.tasks[0].action_type == "REGENERATE_SECTION"


def test_a_plan_names_what_changes_and_what_stays() -> None:
    history = [IterationFeedback(feedback="Mend it.", score=0.7)]
    given_ = given_to_arbiter(
        verdict("a", issues=[issue(location="s1"), issue(severity="minor", location="s3")]), verdict("b")
    )
    plan = consolidate(given_, history=history).plan
    assert plan.sections_to_modify == ("s1", "s3") and plan.sections_to_preserve == ("intro", "s2", "conclusion")
    assert plan.preserve_terminology == ("neighbours",) and plan.iteration_history == tuple(history)
    assert [[task.section_id for task in batch] for batch in plan.execution_batches] == [["s1"], ["s3"]]
    assert plan.status == "PENDING" and plan.tasks[0].context_anchors.prev_section_end is not None


def test_a_locked_section_gets_no_task_but_keeps_its_issue() -> None:
    output = consolidate(given_to_arbiter(verdict("a", issues=[issue()]), verdict("b")), locked={"s1"})
    assert output.plan.tasks == () and [one.section_id for one in output.accepted_issues] == ["s1"]


def test_an_issue_about_the_whole_becomes_a_global_task_that_runs_last() -> None:
    output = consolidated([issue("completeness", location="everywhere"), issue(location="s2")], [])
    assert [task.section_id for task in output.plan.tasks] == ["s2", LESSON]
    assert output.plan.tasks[1].source_issues[0].context_window.scope == "global"


def test_a_broken_structure_is_said_at_once() -> None:
    weak = {**MODERATE, "pedagogical_structure": 0.3}
    assert consolidated([], [], weak).full_regenerate == "structure scores 0.55, under 0.60"
    assert consolidated([], []).full_regenerate is None


def test_instructions_hold_every_demand() -> None:
    text = instructions([targeted(), targeted("completeness", "minor")], [targeted("engagement_examples")])
    assert text.count("\n") == 2 and "completeness" in text and "Must not get worse: engagement_examples" in text


def test_terms_in_bold_are_kept_once() -> None:
    sections = [LessonContentSection(id="a", content="A **term**, **term:** and **other** and ****.")]
    assert terminology(sections) == ("term", "other")


quotes = st.none() | st.sampled_from(["It was invented in 1856.", "invented in 1856", "It is slow", "no such words"])
issues = st.builds(
    issue,
    st.sampled_from(CRITERIA),
    st.sampled_from(["critical", "major", "minor"]),
    st.sampled_from([*ORDER, "everywhere", "s2: here"]),
    quotes,
    st.sampled_from(["Hard.", "Wrong."]),
)


@given(st.lists(st.lists(issues, max_size=5), min_size=1, max_size=3), st.floats(0, 1), st.sets(st.sampled_from(ORDER)))
@settings(max_examples=60, deadline=None)
def test_nothing_is_lost(raised: list[list[JudgeIssue]], score: float, locked: set[str]) -> None:
    verdicts = [verdict(str(seat), score if seat else 0.8, issues=found) for seat, found in enumerate(raised)]
    given_ = given_to_arbiter(*verdicts)
    output = consolidate(given_, locked=locked)
    everything = [*output.accepted_issues, *output.rejected_issues]
    assert len({one.id for one in everything}) == len(everything)
    for one in (one for found in raised for one in found):
        assert any(one.criterion == kept.criterion and located(one, SECTIONS) == kept.section_id for kept in everything)
    assert {one.issue_id for one in output.rejections} == {one.id for one in output.rejected_issues}
    assert not any(one.severity == "critical" for one in output.rejected_issues)
    worked_on = {one.id for task in output.plan.tasks for one in task.source_issues}
    lost = {conflict.issue2.id for conflict in output.plan.conflict_resolutions}
    shut = {one.id for one in output.accepted_issues if one.section_id in locked}
    assert {one.id for one in output.accepted_issues} == worked_on | lost | shut
    assert sorted(task.section_id for batch in output.plan.execution_batches for task in batch) == sorted(
        task.section_id for task in output.plan.tasks
    )
    assert ArbiterOutput.model_validate(output.as_wire()) == output


def test_the_wire_has_the_contracts_names() -> None:
    output = consolidated([issue(quote="It is slow")], []).as_wire()
    assert {"plan", "agreementScore", "agreementLevel", "acceptedIssues", "rejectedIssues"} <= set(output)
    assert {"issues", "sectionsToPreserve", "sectionsToModify", "preserveTerminology", "iterationHistory", "status"} | {
        "tasks",
        "agreementScore",
        "conflictResolutions",
        "executionBatches",
    } == set(output["plan"])
    (task,) = output["plan"]["tasks"]
    assert {"sectionId", "sectionTitle", "actionType", "synthesizedInstructions", "contextAnchors", "priority"} | {
        "sourceIssues"
    } == set(task)
    (found,) = output["acceptedIssues"]
    assert {"criterion", "severity", "location", "description", "quotedText", "suggestedFix", "id", "sectionId"} | {
        "fixAction",
        "contextWindow",
        "fixInstructions",
        "judges",
    } == set(found)
    assert set(aggregated(verdict("a")).as_wire()) == {
        "verdicts",
        "aggregatedScore",
        "finalRecommendation",
        "votingMethod",
        "consensusReached",
    }
