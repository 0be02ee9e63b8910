"""The wire types of validation and correction, with the field names of the exam pipeline's contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.core.checks import Examination
from burnish.core.findings import Finding, ReportedFinding, Severity
from burnish.core.presentation import Contract
from burnish.kinds.questions.model import Question

ViolationSeverity = Literal["error", "warning", "info"]
CorrectionStatus = Literal["correcting", "validated", "needs_manual_review"]


class Wire(BaseModel):
    """The base of the wire types: immutable, without extra fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RuleViolation(Wire):
    """One finding in the shape of the contract."""

    ruleId: str
    severity: ViolationSeverity
    message: str
    field: str
    suggestion: str | None = None


class RuleConfig(Wire):
    """The rules that an institution enables, and their severities."""

    institution_id: str
    enabled_rules: tuple[str, ...] = Field(default=(), description="Empty: all rules.")
    disabled_rules: tuple[str, ...] = ()
    severity_overrides: dict[str, Severity] = Field(default_factory=dict)


class ValidationResult(Wire):
    """The result of all rules on one question."""

    question_id: str
    violations: tuple[RuleViolation, ...]
    has_errors: bool
    has_warnings: bool
    error_count: int
    warning_count: int
    info_count: int
    escalated_fields: tuple[str, ...]
    validated_at: str
    rules_applied: int
    passed: bool


class CorrectionTokenUsage(Wire):
    """The tokens of one correction attempt."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CorrectionAttempt(Wire):
    """One attempt to correct a question."""

    attempt_number: int
    input_violations: tuple[RuleViolation, ...]
    corrected_draft: Question
    output_violations: tuple[RuleViolation, ...]
    resolved_count: int
    remaining_count: int
    token_usage: CorrectionTokenUsage
    attempted_at: str
    correction_diff: str = Field(default="", description="Unified diff of the question as shown.")
    failure: str | None = Field(default=None, description="Why the answer was not used; null if it was.")


class CorrectionResult(Wire):
    """The correction of a question that had errors."""

    question_id: str
    original_draft: Question
    final_draft: Question
    status: CorrectionStatus
    attempts: tuple[CorrectionAttempt, ...]
    total_attempts: int
    max_attempts: int
    circuit_breaker_triggered: bool
    circuit_breaker_rules: tuple[str, ...]
    total_token_usage: CorrectionTokenUsage
    started_at: str
    completed_at: str

    @property
    def metadata(self) -> CorrectionMetadata:
        """The summary that a pipeline stores with the question."""
        return correction_metadata(self)


class CorrectionMetadata(Wire):
    """The figures of a correction."""

    question_id: str
    total_attempts: int
    violations_per_attempt: tuple[int, ...] = Field(description="The number of errors before each attempt.")
    resolved_rules: tuple[str, ...]
    persistent_rules: tuple[str, ...]
    total_tokens: int


class PipelineCorrection(Wire):
    """The figures and the status of a correction, stored with the question as `pipeline_metadata.correction`."""

    total_attempts: int
    violations_per_attempt: tuple[int, ...]
    resolved_rules: tuple[str, ...]
    persistent_rules: tuple[str, ...]
    total_tokens: int
    status: CorrectionStatus


class CircuitBreakerState(Wire):
    """How often a rule failed in a row."""

    rule_id: str
    consecutive_failures: int
    is_tripped: bool


class CorrectionPromptInput(Wire):
    """The input of a correction prompt."""

    original_draft: Question
    violations: tuple[RuleViolation, ...]
    attempt_number: int
    previous_corrections: tuple[str, ...]


class ValidationRow(ValidationResult):
    """A line of validation.jsonl: the result for the best draft, and the state of the question."""

    unit: str = Field(description="The question's name in the run: its id, or `<document>/<id>` in a folder.")
    state: str
    ignored: tuple[RuleViolation, ...] = Field(description="Findings that the author ignores.")
    skipped_rules: tuple[str, ...] = Field(description="Rules that do not support the language of the question.")
    language: str | None = Field(description="Null if it is unknown.")


class PipelineMetadata(Wire):
    """The metadata that a pipeline stores with the question."""

    correction: PipelineCorrection


class Decision(Wire):
    """A decision of a reviewer."""

    verdict: Literal["accept", "edit", "reject", "drop", "dismiss", "reopen"]
    by: str
    note: str | None
    at: str
    undone_by: str | None = Field(default=None, description="Who undid it; an undone decision does not count.")
    undone_at: str | None = None


class CorrectionRow(Wire):
    """A line of corrections.jsonl: a question that a model worked on, in its current state."""

    unit: str
    question_id: str
    pipeline_metadata: PipelineMetadata
    circuit_breakers: tuple[CircuitBreakerState, ...]
    result: CorrectionResult
    decisions: tuple[Decision, ...] = Field(
        description="In order. An edit makes the final draft the reviewer's; an accepted draft may still break rules."
    )


class ReviewQueueRow(Wire):
    """A line of review_queue.jsonl: a question that waits for a person."""

    unit: str
    question_id: str
    reason: str | None
    open_errors: int
    findings: tuple[ReportedFinding, ...]
    attempts: int
    best_attempt: int
    draft: Question = Field(description="The best draft so far.")


def violation(finding: Finding) -> RuleViolation:
    """The finding in the shape of the contract, which has three severities: critical becomes error."""
    severity: ViolationSeverity = "error" if finding.severity == "critical" else finding.severity
    return RuleViolation(
        ruleId=finding.rule,
        severity=severity,
        message=finding.message,
        field=finding.field or "question",
        suggestion=finding.suggestion,
    )


def validation_result(question_id: str, examination: Examination, validated_at: str) -> ValidationResult:
    """The result of an examination in the shape of the contract."""
    violations = tuple(violation(finding) for finding in examination.findings)
    return ValidationResult(
        question_id=question_id,
        violations=violations,
        escalated_fields=examination.escalated_fields,
        validated_at=validated_at,
        rules_applied=examination.applied,
        **_summary(violations),
    )


def contradictions(result: ValidationResult) -> tuple[str, ...]:
    """The fields whose values contradict the violations."""
    given = result.model_dump()
    return tuple(name for name, value in _summary(result.violations).items() if given[name] != value)


def _summary(violations: Iterable[RuleViolation]) -> dict[str, Any]:
    """The fields that are computed from the violations."""
    counts = Counter(violation.severity for violation in violations)
    return {
        "has_errors": counts["error"] > 0,
        "has_warnings": counts["warning"] > 0,
        "error_count": counts["error"],
        "warning_count": counts["warning"],
        "info_count": counts["info"],
        "passed": counts["error"] == 0,
    }


def error_rules(violations: Iterable[RuleViolation]) -> frozenset[str]:
    return frozenset(v.ruleId for v in violations if v.severity == "error")


def correction_metadata(
    result: CorrectionResult, remaining: Iterable[RuleViolation] | None = None
) -> CorrectionMetadata:
    """Resolved: failed at first and not in the final draft. Persistent: still failing at the end.

    `remaining` are the violations of the final draft; give them if it may not come from an attempt, but from a person.
    """
    attempts = result.attempts
    at_first = error_rules(attempts[0].input_violations) if attempts else frozenset()
    if remaining is None:
        kept = next((a for a in reversed(attempts) if a.corrected_draft == result.final_draft), None)
        remaining = kept.output_violations if kept else attempts[0].input_violations if attempts else ()
    at_last = error_rules(remaining)
    return CorrectionMetadata(
        question_id=result.question_id,
        total_attempts=result.total_attempts,
        violations_per_attempt=tuple(len(attempt.input_violations) for attempt in attempts),
        resolved_rules=tuple(sorted(at_first - at_last)),
        persistent_rules=tuple(sorted(at_last)),
        total_tokens=result.total_token_usage.total_tokens,
    )


_RESULTS = "burnish.kinds.questions.schemas"

CONTRACTS: Mapping[str, Contract] = {
    "question": Contract(
        "An exam question (QuestionDraft).", "burnish.kinds.questions.model", "Question", alias="question_draft"
    ),
    "validation_result": Contract("The result of all rules on one question.", _RESULTS, "ValidationResult"),
    "rule_config": Contract("The rules that an institution enables.", _RESULTS, "RuleConfig"),
    "correction_result": Contract("The correction of a question that had errors.", _RESULTS, "CorrectionResult"),
    "correction_attempt": Contract("One attempt to correct a question.", _RESULTS, "CorrectionAttempt"),
    "correction_metadata": Contract("The figures of a correction.", _RESULTS, "CorrectionMetadata"),
    "circuit_breaker_state": Contract("How often a rule failed in a row.", _RESULTS, "CircuitBreakerState"),
    "validation_row": Contract("A line of validation.jsonl of a run.", _RESULTS, "ValidationRow"),
    "correction_row": Contract("A line of corrections.jsonl of a run.", _RESULTS, "CorrectionRow"),
    "review_queue_row": Contract("A line of review_queue.jsonl of a run.", _RESULTS, "ReviewQueueRow"),
}
