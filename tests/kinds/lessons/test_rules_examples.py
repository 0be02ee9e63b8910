"""Every rule of lessons, held to its own documentation and examples."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnish.core.checks import HEADINGS, Check, discover, run_checks, select
from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.examples import example_lesson, example_whole
from burnish.kinds.lessons.model import Lesson

CHECKS = discover(checks)


def findings(check: Check, example: Mapping[str, Any]) -> tuple[Lesson, list[Finding]]:
    """What one check says about an example; a crash would be a finding under another rule's name."""
    unit, context = example_whole(example) if check.scope == "document" else example_lesson(example)
    raised = run_checks(select(CHECKS), [check], unit, context)
    assert all(finding.rule == check.id for finding in raised), raised
    return context.lesson, raised


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(check, example, id=f"{check.id}-{kind}-{index}")
        for check in CHECKS
        for index, example in enumerate(getattr(check, kind))
    ]


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
    assert findings(check, {})[1] == []
