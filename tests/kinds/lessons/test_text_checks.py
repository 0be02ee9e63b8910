"""Every text check of lessons, held to its own documentation and examples."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnish.core.checks import HEADINGS, Check, discover, run_checks, select
from burnish.core.documents import Unit
from burnish.core.edits import apply_edits
from burnish.core.findings import Finding
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.examples import example_lesson, example_whole
from burnish.kinds.lessons.model import LessonContext, LessonUnit

TEXT_CHECKS = {
    "truncation", "wrong_language", "foreign_script", "homoglyphs", "placeholder", "empty_field", "chatbot_phrase",
    "unclosed_emphasis", "broken_link", "broken_list", "heading_order", "duplicate_paragraph", "code_fence",
}  # fmt: skip
ALL = discover(checks)
CHECKS = tuple(check for check in ALL if check.id in TEXT_CHECKS)


def findings(check: Check, example: Mapping[str, Any]) -> tuple[Unit, LessonContext, list[Finding]]:
    """What one check says about an example; a crash would be a finding under another rule's name."""
    unit, context = (example_whole if check.scope == "document" else example_lesson)(example)
    raised = run_checks(select(ALL), [check], unit, context)
    assert all(finding.rule == check.id for finding in raised), raised
    return unit, context, raised


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(check, example, id=f"{check.id}-{kind}-{index}")
        for check in CHECKS
        for index, example in enumerate(getattr(check, kind))
    ]


def test_all_text_checks_are_there() -> None:
    assert {check.id for check in CHECKS} == TEXT_CHECKS


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_speaks_on_bad_examples(check: Check, example: Mapping[str, Any]) -> None:
    _, context, raised = findings(check, example)
    assert raised
    for finding in raised:
        assert finding.message.endswith((".", "?", ")")) and finding.suggestion
        text = context.lesson.unit(finding.unit).texts()[finding.field]
        if finding.quote is not None:
            assert text[finding.start : finding.end] == finding.quote != ""


@pytest.mark.parametrize(("check", "example"), examples("good"))
def test_silent_on_good_examples(check: Check, example: Mapping[str, Any]) -> None:
    assert findings(check, example)[2] == []


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_a_fix_can_be_applied_and_settles_its_finding(check: Check, example: Mapping[str, Any]) -> None:
    unit, context, raised = findings(check, example)
    for finding in raised:
        if finding.fix is None:
            continue
        assert isinstance(unit, LessonUnit)
        mended = apply_edits(unit, [finding.fix])
        again = run_checks(select(ALL), [check], mended, context)
        assert len(again) < len(raised), mended.texts()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_documented(check: Check) -> None:
    assert check.doc.startswith(f"{check.id}: ") and check.summary.endswith(".")
    assert all(check.section(heading) for heading in HEADINGS)
    assert len(check.bad) >= 2 and len(check.good) >= 2


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_id_is_the_file_name(check: Check) -> None:
    module = sys.modules[check.run.__module__]
    assert Path(str(module.__file__)).stem == check.id


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_silent_on_the_sound_lesson(check: Check) -> None:
    assert findings(check, {})[2] == []
