"""Exam questions from Python: validate one, or correct it in the same loop as `polish` does, without a run.

validation = burnish.questions.validate(draft)
result = await burnish.questions.correct(draft, validation, model="openai:gpt-5-mini")
result.status                # "validated" or "needs_manual_review"
result.metadata              # what a pipeline stores beside the question
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from burnish.app.settings import Settings, redactor_of
from burnish.core import tasks
from burnish.core.checks import Selection, select
from burnish.core.choices import refuse_outside, refuse_slip
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, SelfCorrectionError
from burnish.core.findings import Finding
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, Record, UnitRow
from burnish.core.tasks import CORRECTOR, MOST_ATTEMPTS, USUAL_ATTEMPTS, Environment, RepairNotes, Task
from burnish.engine.client import ModelClient, rendered
from burnish.engine.interpreters import Live, TaskRecord
from burnish.kinds.questions import requests
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Item, Metadata, Option, Question
from burnish.kinds.questions.policy import STATES
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
    contradictions,
    correction_metadata,
    validation_result,
)
from burnish.kinds.questions.views import correction_result
from burnish.models.budget import Budget
from burnish.models.calls import Call, Provider, RawReply
from burnish.models.gateway import Gateway
from burnish.models.providers import LiveModels, Models
from burnish.store.journal import MemoryJournal
from burnish.store.processes import Clock, iso, system_clock

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


KIND = QuestionsKind()
Draft = Question | Mapping[str, Any]
VALIDATE_HINT = "Make one with burnish.questions.validate(draft), and pass that."


def validate(
    draft: Draft, *, config: RuleConfig | None = None, profile: str = "default", clock: Clock = system_clock
) -> ValidationResult:
    """Check one question with all rules."""
    question = _question(draft)
    examination = KIND.examine(question, _selection(config, profile), KIND.context([_bank_facts(question)], {}))
    return validation_result(question.id, examination, iso(clock()))


async def correct(
    draft: Draft,
    validation: ValidationResult | Mapping[str, Any] | None,
    *,
    model: str | Provider,
    judge: str | Provider | None = None,
    config: RuleConfig | None = None,
    profile: str = "default",
    max_attempts: int = USUAL_ATTEMPTS,
    on_state: Callable[[str], None] | None = None,
    clock: Clock = system_clock,
) -> CorrectionResult:
    """Correct a question's errors, in at most `max_attempts` attempts: 1 to 5.

    `validation` is the result of `validate`, or the same as a mapping (a ValidationResult that was stored as JSON).
    `model` is a `provider:model` string or anything with a `send` method, such as a ScriptedModel. `judge` is another
    model, which reviews the draft and solves it without seeing the key. Without one, a repair that can change the right
    answer is a proposal: its status is `needs_manual_review`. A bad answer of the model is a failed attempt;
    SelfCorrectionError is raised only for invalid arguments, such as the same model in both roles.
    """
    if judge is not None and (judge is model or judge == model):
        raise SelfCorrectionError(
            "The judge is the model that corrects: it would confirm its own work.", hint="Name another model as judge."
        )
    refuse_outside("max_attempts", max_attempts, 1, MOST_ATTEMPTS)
    question, selection = _question(draft), _selection(config, profile)
    validation = _believed(_validation(validation, question), question, selection)
    name = model if isinstance(model, str) else "scripted:given"
    judge_name = judge if judge is None or isinstance(judge, str) else "scripted:judge"
    roles = ModelRoles((judge_name,) if judge_name is not None else (), {CORRECTOR: name})
    async with Models(LiveModels()) as configured:
        given = {name: model, judge_name: judge}
        objects = {str(called): one for called, one in given.items() if one is not None and not isinstance(one, str)}
        provider = GivenModels(objects, configured)
        journal = NotifyingJournal(on_state, clock=clock)
        story = await _run_correction(question, validation, roles, provider, journal, selection, max_attempts)
    return correction_result(story, max_attempts)


class GivenModels:
    """Models that were passed as objects, by name; all other names are configured models."""

    def __init__(self, given: Mapping[str, Provider], others: Provider) -> None:
        self._given = given
        self._others = others

    async def send(self, call: Call) -> RawReply:
        return await self._given.get(call.model, self._others).send(call)


class NotifyingJournal(MemoryJournal):
    """A journal in memory that calls `on_state` with every state that the question enters."""

    def __init__(self, on_state: Callable[[str], None] | None, *, clock: Clock) -> None:
        super().__init__(clock=clock)
        self._on_state = on_state

    def write_now(self, *records: Record) -> None:
        for record in records:
            before = self.unit(record.id) if isinstance(record, UnitRow) else None
            super().write_now(record)
            if isinstance(record, UnitRow) and self._on_state and (before is None or before.state != record.state):
                self._on_state(record.state)


async def _run_correction(
    question: Question,
    validation: ValidationResult,
    roles: ModelRoles,
    provider: Provider,
    journal: MemoryJournal,
    selection: Selection,
    max_attempts: int,
) -> UnitStory:
    row = UnitRow(question.id, "", 0, question.content_hash, STATES.initial, attempts=1)
    findings = tuple(_finding(question.id, violation).as_record() for violation in validation.violations)
    failing = len({v.ruleId for v in validation.violations if v.severity == "error"})
    journal.write_now(
        row,
        AttemptRecord(
            unit=question.id,
            number=1,
            cause="source",
            content=None,
            content_hash=question.content_hash,
            scores={"rules": max(0.0, 1.0 - failing / max(validation.rules_applied, 1))},
            findings=findings,
            passed=not failing,
            checked={"applied": validation.rules_applied, "escalated_fields": list(validation.escalated_fields)},
        ),
    )
    redactor = redactor_of(Settings())
    gateway = Gateway(journal, provider, budget=Budget(), holds_key=redactor.holds_key)
    client = ModelClient(gateway, secrets.token_hex(16), redactor=redactor, is_alone=True)
    context = KIND.context([_bank_facts(question)], {})
    attempts = tuple(journal.attempts(question.id))
    # It corrects errors. Whether the key is true is asked of a judge, if there is one.
    env = Environment(selection, roles, context=context, options={"rules_only": True})
    task = Task(question.id, (tasks.Item(row, question, question, attempts),))
    kind = KIND.supplied({}, {"max_attempts": max_attempts})
    live = Live(kind, journal, client, TaskRecord(question.id, {question.id: row}, {question.id: 1}, lambda id: id))
    await live.run(kind.work(task, env))
    return UnitStory(live.rows[question.id], question, tuple(journal.attempts(question.id)), ())


def _finding(unit: str, violation: RuleViolation) -> Finding:
    field = None if violation.field == "question" else violation.field
    return Finding(violation.ruleId, violation.severity, unit, field, violation.message, violation.suggestion)


def correction_prompt(given: CorrectionPromptInput) -> str:
    """The prompt of a correction, to be read by people."""
    question = given.original_draft
    findings = [_finding(question.id, violation) for violation in given.violations]
    notes = RepairNotes(given.attempt_number, USUAL_ATTEMPTS, corrections=given.previous_corrections)
    text = rendered(requests.correction_ask(question, findings, notes), nonce="0" * 32)
    return f"{text.system}\n\n{text.user}"


def _selection(config: RuleConfig | None, profile: str) -> Selection:
    refuse_slip("profile", profile, list(KIND.profiles))
    rules = config or RuleConfig(institution_id="")
    severities = {**KIND.profiles[profile], **rules.severity_overrides}
    return select(KIND.checks, enabled=rules.enabled_rules, disabled=rules.disabled_rules, severities=severities)


def _question(draft: Draft) -> Question:
    if isinstance(draft, Question):
        return draft
    try:
        return Question.model_validate(draft)
    except ValidationError as wrong:
        message, field = _first_complaint(wrong)
        raise InputError(f"This is not a question: {message}.", field=field) from wrong


def _first_complaint(wrong: ValidationError) -> tuple[str, str]:
    """The message and the field of the first error."""
    first = wrong.errors()[0]
    return first["msg"], ".".join(str(part) for part in first["loc"])


def _validation(given: object, question: Question) -> ValidationResult:
    """The validation result. Raise SelfCorrectionError if it is invalid, contradictory or about another question."""
    if given is None:
        raise SelfCorrectionError("There is no validation result.", hint=VALIDATE_HINT)
    try:
        result = given if isinstance(given, ValidationResult) else ValidationResult.model_validate(given)
    except ValidationError as wrong:
        message, field = _first_complaint(wrong)
        where = f" (field {field})" if field else ""
        raise SelfCorrectionError(f"This is no validation result: {message}{where}.", hint=VALIDATE_HINT) from wrong
    if result.question_id != question.id:
        message = f"The validation result is about {result.question_id!r}, not about {question.id!r}."
        raise SelfCorrectionError(message, hint=VALIDATE_HINT)
    untrue = contradictions(result)
    if untrue:
        message = f"The validation result contradicts itself: {', '.join(untrue)} do not follow from its violations."
        raise SelfCorrectionError(message, hint=VALIDATE_HINT)
    return result


def _believed(given: ValidationResult, question: Question, selection: Selection) -> ValidationResult:
    """The validation result to work from. One without errors may be about an older draft: it is replaced by what the
    rules find in this text."""
    if given.has_errors:
        return given
    examination = KIND.examine(question, selection, KIND.context([_bank_facts(question)], {}))
    return validation_result(question.id, examination, given.validated_at)


def _bank_facts(question: Question) -> dict[str, Any]:
    """The facts about a bank of this one question."""
    names = [name for name in ("vignette", "rationale") if name in question.model_fields_set]
    metadata = question.metadata
    carried = names + ([f"metadata.{name}" for name in metadata.model_fields_set] if metadata else [])
    return {"carried": carried, "language": None}
