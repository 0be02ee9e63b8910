"""All rules on one question: sets taken apart, ignores honoured, piled-up warnings raised."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.checks import Selection, check, select
from burnish.core.edits import Edit
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import ESCALATION, escalate, parts
from tests.engine.questions_bench import biased, sound

EVERYTHING = select(KIND.checks)
MATCHING: dict[str, Any] = {
    "id": "m",
    "type": "extended_matching",
    "stem": "Which of the following drugs is the best choice?",
    "options": [
        {"key": "A", "text": "All of the above"},
        {"key": "B", "text": "Heparin"},
        {"key": "C", "text": "Aspirin"},
    ],
    "items": [
        {"stem": "A man has a clot in the leg.", "correct_answer": "B"},
        {"stem": "A woman has a headache.", "correct_answer": "C"},
    ],
}


def examined(given: dict[str, Any], selection: Selection = EVERYTHING) -> Any:
    return KIND.examine(Question.model_validate(given), selection, BankContext())


def test_a_rule_that_is_ignored_is_listed_apart() -> None:
    result = examined(biased(0, burnish_ignore=["ext_bias_detection"]))
    assert result.findings == ()
    assert [finding.rule for finding in result.ignored] == ["ext_bias_detection"]
    assert result.applied == len(KIND.checks)


def test_a_language_that_a_rule_cannot_judge_is_skipped_and_said() -> None:
    result = examined(biased(0, language="es"))
    assert "nbme_negation_detection" in result.skipped
    assert result.applied + len(result.skipped) == len(KIND.checks)
    assert result.language == "es"


def test_a_flaw_of_a_shared_list_is_found_once() -> None:
    result = examined(MATCHING)
    assert [f.field for f in result.findings if f.rule == "nbme_all_of_the_above"] == ["options.A"]


def test_flaws_of_items_are_placed_in_the_item() -> None:
    sequential = {
        "id": "s",
        "type": "sequential_set",
        "vignette": "A man has had chest pain for two hours.",
        "items": [
            {k: v for k, v in sound(0).items() if k in ("stem", "options", "correct_answer")},
            {k: v for k, v in biased(1).items() if k in ("stem", "options", "correct_answer")},
        ],
    }
    [found] = [f for f in examined(sequential).findings if f.rule == "ext_bias_detection"]
    assert found.field == "items.1.stem"
    whole = Question.model_validate(sequential)
    assert whole.texts()[found.field][found.start : found.end] == found.quote


def test_without_a_stem_of_the_set_each_item_asks_for_itself() -> None:
    matching = {**MATCHING, "stem": "", "items": [{"stem": biased(0)["stem"], "correct_answer": "B"}]}
    assert [part.question.stem for part in parts(Question.model_validate(matching))] == [biased(0)["stem"]]
    [found] = [f for f in examined(matching).findings if f.rule == "ext_bias_detection"]
    assert found.field == "items.0.stem"


def test_a_fix_is_placed_with_its_finding() -> None:
    @check(id="fixes", severity="warning", bad=(), good=())
    def fixes(question: Question) -> Iterator[Finding]:
        """Proposes an edit of the stem."""
        yield Finding.at(question, field="stem", message="m", fix=Edit(question.id, "stem", "a", "b"))
        yield Finding.at(question, field=None, message="about all of it")

    sequential = {"id": "s", "type": "sequential_set", "items": [{"stem": "a?", "options": [], "correct_answer": ""}]}
    first, second = examined(sequential, Selection((fixes,))).findings
    assert (first.field, first.fix.field) == ("items.0.stem", "items.0.stem")
    assert second.field is None


def test_a_rule_that_crashes_is_a_violation_and_hides_no_other() -> None:
    @check(id="crashes", severity="warning", bad=(), good=())
    def crashes(question: Question) -> Iterator[Finding]:
        """Divides by nothing."""
        yield Finding.at(question, field="stem", message=str(1 // 0))

    chosen = tuple(c for c in KIND.checks if c.id == "ext_bias_detection")
    found = examined(biased(0), Selection((crashes, *chosen))).findings
    assert [f.rule for f in found] == [CRASHED_RULE, "ext_bias_detection"]
    assert found[0].blocks
    assert "ZeroDivisionError" in found[0].message


FIELDS = st.sampled_from(["stem", "options.A", "rationale", None])
FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.sampled_from("abc"),
        severity=st.sampled_from(["critical", "error", "warning", "info"]),
        unit=st.just("q"),
        field=FIELDS,
        message=st.text(max_size=3),
    ),
    max_size=20,
)


def warning(rule: str, start: int, quote: str) -> Finding:
    return Finding(rule, "warning", "q", "stem", "Said.", quote=quote, start=start, end=start + len(quote))


@pytest.mark.parametrize(
    ("places", "is_error"),
    [
        (((0, "some long words"), (5, "long"), (10, "words")), False),
        (((0, "often"), (20, "Often"), (40, "often")), False),
        (((0, "some"), (10, "long"), (20, "words")), True),
        (((0, "some long"), (5, "long words"), (16, "here"), (30, "there")), True),
    ],
)
def test_warnings_on_one_passage_are_one_fault(places: tuple[tuple[int, str], ...], is_error: bool) -> None:
    raised, fields = escalate([warning(f"r{place}", *where) for place, where in enumerate(places)])
    assert {finding.severity for finding in raised} == {"error" if is_error else "warning"}
    assert fields == (("stem",) if is_error else ())


@given(FINDINGS)
def test_warnings_are_raised_where_three_or_more_pile_up_and_nowhere_else(findings: list[Finding]) -> None:
    raised, fields = escalate(findings)
    assert len(raised) == len(findings)
    for before, after in zip(findings, raised, strict=True):
        piled = sum(f.field == before.field and f.severity == "warning" for f in findings) >= ESCALATION
        expected = "error" if before.severity == "warning" and piled and before.field is not None else before.severity
        assert after.severity == expected
        assert (before.field in fields) == (piled and before.field is not None)
