"""Rework packets: the contract's fields in its order, and fixes in plain words."""

from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.review_rows import ReviewIssue, row
from burnish.kinds.manuscripts.verdict import MOST_ISSUES, aggregate, issue_line, required_fixes, rework_packet

PARAGRAPH = Paragraph("p_0002", 2, "paragraph", "He walked.", "El caminó.")
ISSUE = ReviewIssue("grammar", "critical", "The pronoun\n needs an accent.", "Él", "El", 0, 2, reviewer="grammar")


def test_a_packet_as_in_the_contract() -> None:
    scores = {"grammar": 0.9, "vocabulary": 0.9, "style": 0.9, "voice": 0.6, "semantic_fidelity": 0.9}
    verdict = aggregate([row("p_0002", "grammar", scores, (ISSUE,))])
    packet = rework_packet(PARAGRAPH, verdict, failure_history=verdict.reasons, attempt=2)
    assert list(packet.items()) == [
        ("paragraph_id", "p_0002"),
        ("content_hash", PARAGRAPH.source_hash),
        ("current_text", "El caminó."),
        ("source_text", "He walked."),
        ("failure_reasons", ["voice_below_threshold", "critical_grammar"]),
        ("failure_history", ["voice_below_threshold", "critical_grammar"]),
        (
            "required_fixes",
            [
                "preserve semantics",
                "raise voice fidelity",
                "fix grammar",
                'grammar: "El": The pronoun needs an accent. -> Él',
            ],
        ),
        ("attempt", 2),
    ]


def test_what_is_missing_and_what_a_person_wrote_is_said() -> None:
    fixes = required_fixes(
        ["style_missing", "critic_a_missing", "critical_a_missing", "critical_a_below_threshold", "hard_fail"],
        [],
        "Shorter!",
    )
    assert fixes == (
        "preserve semantics",
        "review style again: it was not judged",
        "review critic a again: it was not judged",
        "fix a missing",
        "fix a below threshold",
        "settle what a reviewer failed the paragraph for",
        "follow the note: Shorter!",
    )


def test_the_worst_comes_first_and_remarks_are_left_out() -> None:
    issues = [
        ReviewIssue("style", "warning", "w"),
        ReviewIssue("style", "info", "i"),
        ReviewIssue("style", "error", "e"),
        ReviewIssue("timeline", "info", "t", reviewer="fidelity"),
        ReviewIssue("style", "odd", "o"),  # type: ignore[arg-type]
    ]
    assert required_fixes([], issues)[1:] == ("style: o", "timeline: t", "style: e")
    fixes = required_fixes(["style_below_threshold"], issues)
    assert fixes[1:] == ("raise style", "style: o", "timeline: t", "style: e", "style: w")


def test_a_long_review_is_cut_and_says_so() -> None:
    fixes = required_fixes([], [ReviewIssue("style", "error", f"number {n}") for n in range(MOST_ISSUES + 3)])
    assert len(fixes) == MOST_ISSUES + 2 and fixes[-1] == "settle 3 more issues of the review"


def test_a_long_description_is_cut() -> None:
    line = issue_line(ReviewIssue("style", "error", "long " * 400))
    assert len(line) < 320 and line.endswith("…")
