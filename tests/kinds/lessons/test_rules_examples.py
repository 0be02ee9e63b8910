"""Every rule of lessons, held to its own documentation and examples."""

from collections.abc import Mapping
from typing import Any

import pytest

from burnish.core.checks import Check, discover, run_checks, select
from burnish.core.edits import apply_edits
from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.views import example_of

CHECKS = discover(checks)
TEXT_CHECKS = {
    "truncation", "wrong_language", "foreign_script", "homoglyphs", "placeholder", "empty_field", "chatbot_phrase",
    "unclosed_emphasis", "broken_link", "broken_list", "heading_order", "duplicate_paragraph", "code_fence",
}  # fmt: skip


def findings(check: Check, example: Mapping[str, Any]) -> tuple[Lesson, list[Finding]]:
    """What one check says about an example; a crash would be a finding under another rule's name."""
    unit, context = example_of(check, example)
    raised = run_checks(select(CHECKS), [check], unit, context)
    assert all(finding.rule == check.id for finding in raised), raised
    return context.lesson, raised


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(check, example, id=f"{check.id}-{kind}-{index}")
        for check in CHECKS
        for index, example in enumerate(getattr(check, kind))
    ]


def test_all_text_checks_are_there() -> None:
    assert {check.id for check in CHECKS} >= TEXT_CHECKS


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_speaks_on_bad_examples(check: Check, example: Mapping[str, Any]) -> None:
    lesson, raised = findings(check, example)
    assert raised
    for finding in raised:
        assert finding.message.endswith((".", "?", ")")) and finding.suggestion
        assert finding.severity in SEVERITIES
        if finding.unit == "lesson":
            assert finding.field is None and finding.quote is None
            continue
        text = lesson.unit(finding.unit).texts()[finding.field]
        if finding.quote is not None:
            assert text[finding.start : finding.end] == finding.quote != ""


@pytest.mark.parametrize(("check", "example"), examples("good"))
def test_silent_on_good_examples(check: Check, example: Mapping[str, Any]) -> None:
    assert findings(check, example)[1] == []


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_a_fix_can_be_applied_and_settles_its_finding(check: Check, example: Mapping[str, Any]) -> None:
    unit, context = example_of(check, example)
    _, raised = findings(check, example)
    for finding in raised:
        if finding.fix is None:
            continue
        assert isinstance(unit, LessonUnit)
        mended = apply_edits(unit, [finding.fix])
        again = run_checks(select(CHECKS), [check], mended, context)
        assert len(again) < len(raised), mended.texts()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_silent_on_the_sound_lesson(check: Check) -> None:
    assert findings(check, {})[1] == []
