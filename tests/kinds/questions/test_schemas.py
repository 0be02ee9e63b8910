"""The wire types of validation and correction."""

import pytest
from pydantic import ValidationError

from burnish.core.checks import Examination
from burnish.core.findings import Finding
from burnish.kinds.questions.schemas import RuleConfig, RuleViolation, error_rules, validation_result, violation


def test_critical_is_an_error_there() -> None:
    made = violation(Finding("r", "critical", "q", None, "m"))
    assert (made.severity, made.field, made.suggestion) == ("error", "question", None)


def test_counts_and_verdict_follow_from_the_violations() -> None:
    found = tuple(Finding("r", severity, "q", "stem", "m") for severity in ("error", "warning", "warning", "info"))  # type: ignore[arg-type]
    result = validation_result("q", Examination(found, applied=30, escalated_fields=("stem",)), "now")
    assert (result.error_count, result.warning_count, result.info_count) == (1, 2, 1)
    assert (result.has_errors, result.has_warnings, result.passed) == (True, True, False)
    assert result.escalated_fields == ("stem",)
    assert result.rules_applied == 30
    clean = validation_result("q", Examination((), applied=30), "now")
    assert (clean.has_errors, clean.has_warnings, clean.passed) == (False, False, True)


def test_the_shapes_are_closed_and_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        RuleViolation.model_validate({"ruleId": "r", "severity": "fatal", "message": "m", "field": "f"})
    with pytest.raises(ValidationError):
        RuleConfig.model_validate({"institution_id": "i", "rules": []})
    with pytest.raises(ValidationError):
        RuleConfig(institution_id="i").institution_id = "other"  # type: ignore[misc]
    assert RuleConfig(institution_id="i").enabled_rules == ()


def test_only_errors_are_error_rules() -> None:
    made = [RuleViolation(ruleId=s, severity=s, message="m", field="f") for s in ("error", "warning", "info")]
    assert error_rules(made) == {"error"}
