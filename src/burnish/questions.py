"""Exam questions from Python: validate one, or have it corrected.

validation = burnish.questions.validate(draft)
result = await burnish.questions.correct(draft, validation, model="openai:gpt-5-mini")
result.status                # "validated" or "needs_manual_review"
result.metadata              # what a pipeline stores beside the question
"""

from burnish.app.question_calls import correct, correction_prompt, validate
from burnish.core.errors import SelfCorrectionError
from burnish.kinds.questions.model import Item, Metadata, Option, Question
from burnish.kinds.questions.schemas import (
    CircuitBreakerState,
    CorrectionAttempt,
    CorrectionMetadata,
    CorrectionPromptInput,
    CorrectionResult,
    CorrectionTokenUsage,
    RuleConfig,
    RuleViolation,
    ValidationResult,
    correction_metadata,
)

QuestionDraft = Question

__all__ = [
    "CircuitBreakerState",
    "CorrectionAttempt",
    "CorrectionMetadata",
    "CorrectionPromptInput",
    "CorrectionResult",
    "CorrectionTokenUsage",
    "Item",
    "Metadata",
    "Option",
    "Question",
    "QuestionDraft",
    "RuleConfig",
    "RuleViolation",
    "SelfCorrectionError",
    "ValidationResult",
    "correct",
    "correction_metadata",
    "correction_prompt",
    "validate",
]
