"""The shapes of questions that others may rely on, by name."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.kinds import Contract

_RESULTS = "burnish.kinds.questions.results"

CONTRACTS: Mapping[str, Contract] = {
    "question": Contract(
        "An exam question (QuestionDraft).", "burnish.kinds.questions.model", "Question", alias="question_draft"
    ),
    "validation_result": Contract("All rules on one question.", _RESULTS, "ValidationResult"),
    "rule_config": Contract("Which rules an institution wants.", _RESULTS, "RuleConfig"),
    "correction_result": Contract("What became of a question that had errors.", _RESULTS, "CorrectionResult"),
    "correction_attempt": Contract("One try at mending a question.", _RESULTS, "CorrectionAttempt"),
    "correction_metadata": Contract("How a correction went, in numbers.", _RESULTS, "CorrectionMetadata"),
    "circuit_breaker_state": Contract("How often a rule failed in a row.", _RESULTS, "CircuitBreakerState"),
    "validation_row": Contract("A line of validation.jsonl of a run.", _RESULTS, "ValidationRow"),
    "correction_row": Contract("A line of corrections.jsonl of a run.", _RESULTS, "CorrectionRow"),
    "review_queue_row": Contract("A line of review_queue.jsonl of a run.", _RESULTS, "ReviewQueueRow"),
}
