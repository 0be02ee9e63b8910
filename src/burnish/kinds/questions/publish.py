"""The files that a run over questions leaves behind, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from burnish.core.attempts import (
    BreakerState,
    History,
    blocking_rules,
    breaker_states,
    findings_of,
    open_errors,
    rejections_in,
)
from burnish.core.kinds import ExportRow, UnitStory
from burnish.core.records import AttemptRecord, Usage
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import MAX_CORRECTIONS, STATES
from burnish.kinds.questions.results import (
    CircuitBreakerState,
    CorrectionAttempt,
    CorrectionResult,
    CorrectionStatus,
    CorrectionTokenUsage,
    RuleViolation,
    correction_metadata,
    violation,
)
from burnish.kinds.questions.showing import difference


def validation_row(story: UnitStory) -> Mapping[str, Any] | None:
    """The question's violations as it stands now."""
    if not story.attempts:
        return None
    best = story.attempts[max(story.row.best_attempt, 1) - 1]
    violations = _violations(best)
    return {
        "question_id": story.row.id,
        "state": story.row.state,
        "violations": [v.model_dump() for v in violations],
        "passed": best.passed,
        "validated_at": best.at,
    }


def correction_row(story: UnitStory) -> Mapping[str, Any] | None:
    """The correction in the shape a pipeline stores: `pipeline_metadata.correction`, and the whole result beside it."""
    result = correction_of(story)
    if result is None:
        return None
    metadata = correction_metadata(result).model_dump(mode="json", exclude={"question_id"})
    breakers = _breakers(_corrections(story))
    return {
        "question_id": result.question_id,
        "pipeline_metadata": {"correction": {**metadata, "status": result.status}},
        "circuit_breakers": [CircuitBreakerState(**asdict(state)).model_dump() for state in breakers],
        "result": result.model_dump(mode="json", exclude_unset=True),
    }


def queue_row(story: UnitStory) -> Mapping[str, Any] | None:
    """What a person has to decide, with the reason and the best draft."""
    if story.row.state != STATES.waiting or not story.attempts:
        return None
    best = story.attempts[max(story.row.best_attempt, 1) - 1]
    return {
        "unit": story.row.id,
        "reason": story.row.reason,
        "open_errors": open_errors(best),
        "findings": [finding.as_wire() for finding in findings_of(best) if finding.blocks],
        "attempts": len(story.attempts),
        "best_attempt": best.number,
        "draft": best.content or story.source.model_dump(mode="json", exclude_unset=True),  # type: ignore[attr-defined]
    }


EXPORTS: dict[str, ExportRow] = {
    "validation.jsonl": validation_row,
    "corrections.jsonl": correction_row,
    "review_queue.jsonl": queue_row,
}


def correction_of(story: UnitStory) -> CorrectionResult | None:
    """The contract's result for a unit that a model worked on, made from its recorded attempts."""
    corrections = _corrections(story)
    if not corrections:
        return None
    original = _question(story, story.attempts[0])
    status: CorrectionStatus = "validated" if story.row.state == STATES.ready else "needs_manual_review"
    if story.row.state == STATES.working:
        status = "correcting"
    tripped = [s.rule_id for s in _breakers(corrections) if s.is_tripped]
    return CorrectionResult(
        question_id=original.id,
        original_draft=original,
        final_draft=_question(story, story.attempts[max(story.row.best_attempt, 1) - 1]),
        status=status,
        attempts=tuple(_attempt(story, attempt, index) for index, attempt in enumerate(corrections, start=1)),
        total_attempts=len(corrections),
        max_attempts=MAX_CORRECTIONS,
        circuit_breaker_triggered=bool(tripped),
        circuit_breaker_rules=tuple(tripped),
        total_token_usage=token_usage(sum((attempt.usage for attempt in corrections), Usage())),
        started_at=story.attempts[0].at,
        completed_at=story.attempts[-1].at,
    )


def _attempt(story: UnitStory, attempt: AttemptRecord, number: int) -> CorrectionAttempt:
    before = _best_before(story, attempt)
    ingoing, outgoing = _violations(before), _violations(attempt)
    errors_in = [v for v in ingoing if v.severity == "error"]
    errors_out = [v for v in outgoing if v.severity == "error"]
    return CorrectionAttempt(
        attempt_number=number,
        input_violations=tuple(errors_in),
        corrected_draft=_question(story, attempt),
        output_violations=outgoing,
        resolved_count=resolved(errors_in, errors_out),
        remaining_count=len(errors_out),
        token_usage=token_usage(attempt.usage),
        attempted_at=attempt.at,
        correction_diff=difference(_question(story, before), _question(story, attempt)),
        failure=attempt.failure,
    )


def resolved(before: Sequence[RuleViolation], after: Sequence[RuleViolation]) -> int:
    """How many of the errors are gone: those whose rule no longer speaks about their field, or a part of it."""
    return sum(not any(_same_place(old, new) for new in after) for old in before)


def _same_place(one: RuleViolation, other: RuleViolation) -> bool:
    """Whether two violations are about the same thing; one may say `options` where the other says `options.A`."""
    nested = f"{one.field}.".startswith(f"{other.field}.") or f"{other.field}.".startswith(f"{one.field}.")
    return one.ruleId == other.ruleId and nested


def _best_before(story: UnitStory, attempt: AttemptRecord) -> AttemptRecord:
    best = History(story.attempts, rejections_in(story.decisions)).before(attempt.number).best
    return best if best is not None else story.attempts[0]


def _corrections(story: UnitStory) -> list[AttemptRecord]:
    return [attempt for attempt in story.attempts if attempt.cause == "model"]


def _breakers(corrections: list[AttemptRecord]) -> tuple[BreakerState, ...]:
    return breaker_states([blocking_rules(attempt) for attempt in corrections], MAX_CORRECTIONS)


def _violations(attempt: AttemptRecord) -> tuple[RuleViolation, ...]:
    return tuple(violation(finding) for finding in findings_of(attempt))


def _question(story: UnitStory, attempt: AttemptRecord) -> Question:
    if attempt.content is None:
        assert isinstance(story.source, Question)
        return story.source
    return Question.model_validate(attempt.content)


def token_usage(usage: Usage) -> CorrectionTokenUsage:
    return CorrectionTokenUsage(
        prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, total_tokens=usage.total_tokens
    )
