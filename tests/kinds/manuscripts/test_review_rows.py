"""Whoever reviews, rows come out: nothing is lost at the door, and nobody speaks for another."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.replies import CriticReply, TranslationReviewReply
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import DIMENSIONS
from burnish.kinds.manuscripts.review_rows import (
    TWICE,
    UNANSWERED,
    LineMap,
    Placement,
    ReviewIssue,
    ReviewRow,
    critic_named,
    issue_scores,
    row_of_findings,
    rows_of_critics,
    rows_of_issues,
    rows_of_review,
    tool_named,
    unread_rows,
)
from burnish.kinds.manuscripts.reviews import ForeignIssue
from burnish.kinds.manuscripts.verdict import aggregate

SCORES = dict.fromkeys(DIMENSIONS, 0.9)
TEXTS = {"p_0001": "Era de noche.", "p_0002": "El banquero caminaba."}
PARAGRAPHS = [Paragraph(id, n, "paragraph", "It was.", text) for n, (id, text) in enumerate(TEXTS.items(), 1)]
LINES = LineMap([Placement("p_0001", 1, 1, 1, "Era de noche."), Placement("p_0002", 2, 3, 3, "El banquero caminaba.")])


def review(*paragraphs: dict[str, Any]) -> TranslationReviewReply:
    return TranslationReviewReply.model_validate({"reasoning": "", "paragraphs": list(paragraphs)})


def judged(id: str, *issues: dict[str, Any], **scores: float) -> dict[str, Any]:
    return {"paragraph_id": id, "scores": scores or SCORES, "issues": list(issues)}


def issue(description: str = "wrong", **more: Any) -> dict[str, Any]:
    return {"category": "Grammar", "severity": "major", "description": description, **more}


def by_id(rows: tuple[ReviewRow, ...]) -> dict[str, ReviewRow]:
    return {row.paragraph_id: row for row in rows}


def test_the_rules_score_all_five() -> None:
    finding = Finding("numbers_changed", "error", "p_0001", None, "15 is missing", "Write 15.", "50", 3, 5)
    row = row_of_findings("p_0001", [finding])
    assert row.expected == DIMENSIONS and row.scores["semantic_fidelity"] == 0.7 and row.hard_fail
    assert row.as_wire()["issues"] == [
        {
            "category": "numbers_units",
            "severity": "error",
            "description": "15 is missing",
            "suggested_fix": "Write 15.",
            "quote": "50",
            "start": 3,
            "end": 5,
            "reviewer": "rules",
            "rule": "numbers_changed",
        }
    ]


def test_a_rule_that_only_warns_blocks_nothing() -> None:
    row = row_of_findings("p_0001", [Finding("numbers_changed", "warning", "p_0001", None, "maybe")])
    assert not row.hard_fail and aggregate([row]).passed


@pytest.mark.parametrize("rule", [CRASHED_RULE, "unknown_rule"])
def test_a_rule_that_crashed_or_is_unknown_leaves_no_score(rule: str) -> None:
    row = row_of_findings("p_0001", [Finding(rule, "error", "p_0001", None, "It crashed.")])
    assert row.scores == {} and row.issues[0].category == "other"
    assert aggregate([row]).reasons == tuple(f"{name}_missing" for name in DIMENSIONS)


def test_a_model_review_becomes_a_row_for_each_paragraph() -> None:
    reply = review(judged("p_0001"), judged("p_0002", issue(quote="caminaba"), issue(quote="gone"), issue()))
    first, second = rows_of_review(reply, PARAGRAPHS, "review").rows
    assert first.scores == SCORES and first.issues == () and not first.hard_fail
    assert [(i.quote, i.start, i.end) for i in second.issues] == [
        ("caminaba", 12, 20),
        ("gone", None, None),
        (None, None, None),
    ]
    assert {(i.category, i.severity, i.reviewer) for i in second.issues} == {("grammar", "error", "review")}


def test_a_review_that_leaves_a_paragraph_out_or_judges_it_twice_scores_it_not() -> None:
    reply = review(judged("p_0001", issue("one")), judged("p_0001", issue("two")))
    rows = by_id(rows_of_review(reply, PARAGRAPHS, "review").rows)
    assert (rows["p_0001"].failure, rows["p_0002"].failure) == (TWICE, UNANSWERED)
    assert [i.description for i in rows["p_0001"].issues] == ["one", "two"]
    for row in rows.values():
        full = row_of_findings(row.paragraph_id, [])
        assert aggregate([full, row]).reasons == tuple(f"{name}_missing" for name in DIMENSIONS)


def test_a_reviewer_scores_all_five_and_what_it_scores_besides_informs() -> None:
    reply = review(judged("p_0001", rhythm=0.2, **SCORES))
    [row] = rows_of_review(reply, PARAGRAPHS[:1], "review").rows
    assert row.scores == SCORES and row.expected == DIMENSIONS and row.informational == {"rhythm": 0.2}


def test_issues_of_paragraphs_that_nobody_asked_about_are_unmapped() -> None:
    reviewed = rows_of_review(review(judged("p_0009", issue("lost"))), PARAGRAPHS, "review")
    [unmapped] = reviewed.unmapped
    assert unmapped.as_wire()["issue"]["description"] == "lost" and "not shown" in unmapped.reason
    assert [row.paragraph_id for row in reviewed.rows] == ["p_0001", "p_0002"]


def test_what_takes_itself_back_is_kept_aside() -> None:
    taken_back = issue("The verb looks odd. Actually, this is fine.")
    reviewed = rows_of_review(review(judged("p_0001", taken_back, issue())), PARAGRAPHS[:1], "review")
    assert [i.description for i in reviewed.dropped] == [taken_back["description"]]
    assert [i.description for i in reviewed.rows[0].issues] == ["wrong"]
    reply = CriticReply.model_validate({"reasoning": "", "issues": [{**taken_back, "line": 99}]})
    criticised = rows_of_critics(reply, LINES, TEXTS, ["x"])
    assert len(criticised.dropped) == 1 and criticised.unmapped == ()


def test_an_answer_that_cannot_be_read_fails_all_it_was_about() -> None:
    for reviewer, reasons in {
        "review:m": tuple(f"{name}_missing" for name in DIMENSIONS),
        critic_named("typography"): ("critic_typography_missing",),
    }.items():
        rows = unread_rows(TEXTS, reviewer, "reply_unreadable: no JSON")
        assert [row.paragraph_id for row in rows] == list(TEXTS)
        assert all(aggregate([row_of_findings(row.paragraph_id, []), row]).reasons == reasons for row in rows)


def test_a_critics_scores_inform_and_its_issues_count() -> None:
    issues = [
        issue(category="typography", line=1),
        issue(category="negation", severity="minor", quote="banquero"),
        issue(category="typography", severity="minor", start_line=1, end_line=3),
        issue(line=2, quote="Era"),
    ]
    reply = CriticReply.model_validate({"reasoning": "", "issues": issues, "scores": {"style": 0.1}})
    reviewed = rows_of_critics(reply, LINES, TEXTS, ["typography"])
    rows = by_id(reviewed.rows)
    assert rows["p_0001"].scores == {"style": 0.7} and not rows["p_0001"].hard_fail
    assert rows["p_0002"].scores == {"semantic_fidelity": 0.95, "style": 0.95} and rows["p_0002"].hard_fail
    assert rows["p_0002"].issues[0].start == 3
    assert all(row.informational == {"style": 0.1} and row.reviewer == "critic:typography" for row in rows.values())
    assert [unmapped.issue.line for unmapped in reviewed.unmapped] == [2]
    assert aggregate([row_of_findings("p_0001", []), rows["p_0001"]]).reasons == ("style_below_threshold",)


def test_each_issue_is_its_critics_own() -> None:
    said = [issue(line=1, lens="Typography"), issue(line=3, lens="tone"), issue(line=1), issue(line=0, quote="Era")]
    reply = CriticReply.model_validate({"reasoning": "", "issues": said})
    rows = rows_of_critics(reply, LINES, TEXTS, ["typography", "tone"]).rows
    found = {(row.reviewer, row.paragraph_id): len(row.issues) for row in rows if row.issues}
    assert found[critic_named("typography"), "p_0001"] == 1 and found[critic_named("tone"), "p_0002"] == 1
    assert {name for name, _ in found} == {"critic:typography", "critic:tone", "critic:other"}
    alone = rows_of_critics(reply, LINES, TEXTS, ["my-critic"]).rows
    assert {row.reviewer for row in alone} == {"critic:my-critic"}, "whatever the answer calls it"


def test_a_critic_that_finds_nothing_has_looked_at_every_paragraph() -> None:
    rows = rows_of_critics(CriticReply(reasoning="", issues=()), LINES, TEXTS, ["x"]).rows
    assert [(row.paragraph_id, row.scores, row.issues) for row in rows] == [(id, {}, ()) for id in TEXTS]


def test_a_critical_word_of_a_critic_blocks_but_does_not_fall_below_the_floor() -> None:
    found = ReviewIssue("meaning_change", "critical", "wrong", reviewer="critic:x")
    assert found.blocks and issue_scores([found]) == {"semantic_fidelity": 0.7}


def test_another_tool_speaks_under_its_own_name_and_may_name_paragraphs() -> None:
    def told(**anchors: Any) -> ForeignIssue:
        return ForeignIssue("numbers", "minor", "wrong", "rules", **anchors)

    issues = [told(quote="noche"), told(paragraph_id="p_0002", line=1), told(paragraph_id="p_0009", line=1), told()]
    reviewed = rows_of_issues(issues, LINES, TEXTS, tool_named("rules"))
    assert {(row.paragraph_id, row.reviewer) for row in reviewed.rows} == {
        ("p_0001", "file:rules"),
        ("p_0002", "file:rules"),
    }
    assert ["p_0009" in one.reason for one in reviewed.unmapped] == [True, False]
    assert tool_named("") == "file"


ANCHORS = st.fixed_dictionaries(
    {},
    optional={
        "line": st.integers(1, 9),
        "start_line": st.integers(1, 9),
        "end_line": st.integers(1, 9),
        "quote": st.sampled_from(["", "noche", "El", "nowhere"]),
    },
)


@given(st.lists(ANCHORS, max_size=8))
def test_no_issue_of_a_critic_is_ever_lost(anchors: list[dict[str, Any]]) -> None:
    issues = [issue(f"number {n}", **anchor) for n, anchor in enumerate(anchors)]
    reviewed = rows_of_critics(CriticReply.model_validate({"reasoning": "", "issues": issues}), LINES, TEXTS, ["x"])
    mapped = {i.description for row in reviewed.rows for i in row.issues}
    lost = {unmapped.issue.description for unmapped in reviewed.unmapped}
    assert mapped.isdisjoint(lost) and mapped | lost == {i["description"] for i in issues}
