"""Every rule of questions, held to its own documentation and examples."""

from collections.abc import Mapping
from typing import Any

import pytest

from burnish.core.checks import Check, discover, run_checks, select
from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.questions import checks
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.views import SOUND, example_question

CHECKS = discover(checks)


def findings(check: Check, example: Mapping[str, Any]) -> tuple[Question, list[Finding]]:
    """What one check says about an example; a crash would be a finding under another rule's name."""
    question, context = example_question(example)
    raised = run_checks(select(CHECKS), [check], question, context)
    assert all(finding.rule == check.id for finding in raised), raised
    return question, raised


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(check, example, id=f"{check.id}-{kind}-{index}")
        for check in CHECKS
        for index, example in enumerate(getattr(check, kind))
    ]


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_speaks_on_bad_examples(check: Check, example: Mapping[str, Any]) -> None:
    question, raised = findings(check, example)
    assert raised
    for finding in raised:
        assert finding.message.endswith((".", "?", ")")) and finding.suggestion
        assert finding.severity in SEVERITIES
        assert finding.field is None or finding.field == "options" or _exists(question, finding.field)
        if finding.quote is not None:
            assert question.texts()[finding.field][finding.start : finding.end] == finding.quote != ""


def _exists(question: Question, field: str) -> bool:
    return field in question.texts() or field.partition(".")[0] in ("metadata", "correct_answer")


@pytest.mark.parametrize(("check", "example"), examples("good"))
def test_silent_on_good_examples(check: Check, example: Mapping[str, Any]) -> None:
    assert findings(check, example)[1] == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_silent_on_the_sound_question(check: Check) -> None:
    assert findings(check, {})[1] == []


def test_an_example_is_laid_over_the_sound_question() -> None:
    question, context = example_question({"rationale": "Because.", "options": ("x", "y"), "correct_answer": "B"})
    assert question.stem == SOUND["stem"]
    assert [(option.key, option.text) for option in question.options] == [("A", "x"), ("B", "y")]
    assert context.carried == {"rationale"}


def test_an_example_may_describe_its_bank() -> None:
    question, context = example_question({"metadata": {"difficulty": "easy"}, "_context": {"carried": frozenset()}})
    assert question.metadata is not None and question.metadata.difficulty == "easy"
    assert not context.carries("metadata")
    carried = example_question({"metadata": {"difficulty": "easy"}})[1]
    assert carried.carries("metadata.difficulty")
