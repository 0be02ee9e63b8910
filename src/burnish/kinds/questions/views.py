"""How questions are shown and exported: bank overview, item text, rule examples, and the lines of result files."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from string import ascii_uppercase
from typing import Any

from burnish.core.attempts import (
    BreakerState,
    History,
    blocking_rules,
    breaker_states,
    findings_of,
    open_errors,
    reported_decisions,
)
from burnish.core.checks import Examination
from burnish.core.documents import Field
from burnish.core.findings import Finding, ReportedFinding
from burnish.core.presentation import Illustration, Pictured, Remark, Table, UnitStory
from burnish.core.records import AttemptRecord, Usage
from burnish.kinds.questions import schemas
from burnish.kinds.questions.bank import LEVELS, BankContext
from burnish.kinds.questions.model import Option, Question
from burnish.kinds.questions.policy import STATES

UNSAID = "-"
NO_QUESTION = "·"
DIFFICULTIES = ("easy", "medium", "hard")


def describe(bank: Mapping[str, Any]) -> list[Remark | Table]:
    """The overview of a bank. Near-duplicates alone are left out: each has a finding."""
    claims = [Remark("all alike", claim["message"], alarming=True) for claim in bank.get("claims", ())]
    judged = [group for group in bank.get("key_balance", ()) if group["balanced"] is not None]
    facts: list[Remark | Table] = [Remark("keys", one["message"], alarming=not one["balanced"]) for one in judged]
    blueprint = list(_blueprint(bank.get("blueprint", ())))
    alike, ignored = bank.get("near_duplicates", 0), bank.get("near_duplicates_ignored", 0)
    if ignored or (alike and (facts or blueprint)):
        facts.append(Remark("duplicates", _duplicates(alike, ignored)))
    return [*claims, *facts, *blueprint]


def _duplicates(alike: int, ignored: int) -> str:
    many = f"{alike:,} questions are" if alike != 1 else "1 question is"
    but = f"; authors ignore {ignored:,} more" if ignored else ""
    return f"{many} nearly the same as another{but}."


def _blueprint(cells: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """The blueprint table: objective and level in rows, difficulty in columns."""
    if not cells:
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in cells:
        objective, level, difficulty = (cell[name] or UNSAID for name in ("objective", "bloom_level", "difficulty"))
        counts[objective, level, difficulty] += cell["questions"]
    across = sorted({difficulty for _, _, difficulty in counts}, key=lambda one: _ranked(one, DIFFICULTIES))
    down = sorted(
        {(objective, level) for objective, level, _ in counts}, key=lambda one: (one[0], _ranked(one[1], LEVELS))
    )
    rows = tuple((*names, *(f"{counts[*names, name] or NO_QUESTION}" for name in across)) for names in down)
    yield Table("blueprint", ("objective", "level", *across), rows, names=2)


def _ranked(name: str, order: Sequence[str]) -> tuple[int, str]:
    """A sort key by the usual order; unknown names come last."""
    known = [one.casefold() for one in order]
    return (known.index(name.casefold()) if name.casefold() in known else len(known)), name


def label(field: Field) -> str:
    """The label as in an exam: none for the stem, the letter for options, the field name for the rest."""
    head, _, rest = (field or "").partition(".")
    if head in ("stem", ""):
        return ""
    return f"{rest}. " if head == "options" else f"{field}: "


def ignoring(rule: str) -> str:
    return f'`"burnish_ignore": ["{rule}"]` on a single question'


def shown(question: Question) -> str:
    """The question as plain text, with a star before right options."""
    return "\n".join(_lines(question)) + "\n"


def _lines(question: Question) -> Iterator[str]:
    if question.vignette:
        yield question.vignette
        yield ""
    if question.stem:
        yield question.stem
    yield from _option_lines(question.options, {option.key for option in question.right})
    for item in question.items or ():
        yield ""
        yield item.stem
        yield from _option_lines(item.options or (), {item.correct_answer.strip()})
        if item.options is None:
            yield f"  Answer: {item.correct_answer}"
        if item.rationale:
            yield f"  Rationale: {item.rationale}"
    if question.rationale:
        yield ""
        yield f"Rationale: {question.rationale}"


def _option_lines(options: tuple[Option, ...], right: Collection[str]) -> Iterator[str]:
    for option in options:
        yield f"{'*' if option.key in right else ' '} {option.key}. {option.text}"


def difference(before: Question, after: Question) -> str:
    """A unified diff of the question as shown; empty if nothing visible has changed."""
    old, new = shown(before).splitlines(), shown(after).splitlines()
    return "\n".join(difflib.unified_diff(old, new, f"{before.id} before", f"{after.id} after", lineterm=""))


SOUND: Mapping[str, Any] = {
    "id": "example",
    "stem": (
        "A 54-year-old man comes to the emergency department because of crushing chest pain for 2 hours. "
        "An ECG shows ST-segment elevation in leads II, III, and aVF. "
        "Which of the following drugs should be given first?"
    ),
    "options": ("Aspirin", "Digoxin", "Furosemide", "Lidocaine", "Verapamil"),
    "correct_answer": "A",
    "language": "en",
}
"""A question without findings, the base of all examples."""

CONTEXT = "_context"
"""The key for facts about the bank in an example."""


def example_question(partial: Mapping[str, Any]) -> tuple[Question, BankContext]:
    """The SOUND question with the fields of an example, and its bank.

    Options may be plain texts; they are lettered in order. The bank has the fields that the example has, unless the
    example sets others under `_context`.
    """
    fields = {**SOUND, **{name: value for name, value in partial.items() if name != CONTEXT}}
    fields["options"] = [
        {"key": ascii_uppercase[index], "text": option} if isinstance(option, str) else option
        for index, option in enumerate(fields["options"])
    ]
    question = Question.model_validate(fields)
    carried = {name for name in ("rationale", "vignette") if getattr(question, name) is not None}
    if question.metadata is not None:
        carried |= {f"metadata.{name}" for name in question.metadata.model_fields_set}
    return question, replace(BankContext(carried=frozenset(carried)), **partial.get(CONTEXT, {}))


def illustration(partial: Mapping[str, Any]) -> Illustration:
    """The example for a reader: the fields that it sets are shown, the others are not."""
    question, context = example_question(partial)
    named = {name for name in partial if name != CONTEXT}
    pictures = []
    for field, text in question.texts().items():
        is_said = bool(text) and (field or "").partition(".")[0] in named
        pictures.append(Pictured(text, label(field), question.id, field, is_said))
    return Illustration(question, context, tuple(pictures))


def validation_row(story: UnitStory) -> Mapping[str, Any] | None:
    """The line of validation.jsonl: the findings on the best draft."""
    if not story.attempts:
        return None
    best = _best(story)
    examination = Examination(
        tuple(findings_of(best)),
        applied=int(best.checked.get("applied", 0)),
        escalated_fields=tuple(best.checked.get("escalated_fields", ())),
    )
    result = schemas.validation_result(story.source.id, examination, best.at)
    row = schemas.ValidationRow(
        **result.model_dump(),
        unit=story.row.id,
        state=story.row.state,
        ignored=tuple(
            schemas.violation(Finding.from_record(dict(record))) for record in best.checked.get("ignored", ())
        ),
        skipped_rules=tuple(best.checked.get("skipped", ())),
        language=best.checked.get("language"),
    )
    return row.model_dump(mode="json")


def correction_row(story: UnitStory, max_attempts: int) -> Mapping[str, Any] | None:
    """The line of corrections.jsonl: `pipeline_metadata.correction` as a pipeline stores it, and the whole result."""
    if not _corrections(story):
        return None
    result = correction_result(story, max_attempts)
    metadata = schemas.correction_metadata(result, _violations(_best(story)))
    breakers = _breakers(_corrections(story), max_attempts)
    row = schemas.CorrectionRow(
        unit=story.row.id,
        question_id=result.question_id,
        pipeline_metadata=schemas.PipelineMetadata(
            correction=schemas.PipelineCorrection(**metadata.model_dump(exclude={"question_id"}), status=result.status)
        ),
        circuit_breakers=tuple(schemas.CircuitBreakerState(**asdict(state)) for state in breakers),
        result=result,
        decisions=tuple(
            schemas.Decision(**{name: value for name, value in one.items() if name in schemas.Decision.model_fields})
            for one in reported_decisions(story.decisions)
        ),
    )
    return row.model_dump(mode="json", exclude_unset=True)


def queue_row(story: UnitStory) -> Mapping[str, Any] | None:
    """The line of review_queue.jsonl: a question that needs a decision, with the reason and the best draft."""
    if story.row.state != STATES.waiting or not story.attempts:
        return None
    best = _best(story)
    row = schemas.ReviewQueueRow(
        unit=story.row.id,
        question_id=story.source.id,
        reason=story.row.reason,
        open_errors=open_errors(best),
        findings=tuple(ReportedFinding(**finding.as_wire()) for finding in findings_of(best) if finding.blocks),
        attempts=len(story.attempts),
        best_attempt=best.number,
        draft=_question(story, best),
    )
    return row.model_dump(mode="json", exclude_unset=True)


def _best(story: UnitStory) -> AttemptRecord:
    """The attempt with the best draft."""
    return story.attempts[max(story.row.best_attempt, 1) - 1]


def correction_result(story: UnitStory, max_attempts: int) -> schemas.CorrectionResult:
    """The correction result of the contract, from the recorded attempts. It has no corrections if there were no errors,
    or none that a model could repair."""
    corrections = _corrections(story)
    original = _question(story, story.attempts[0])
    status: schemas.CorrectionStatus = "validated" if story.row.state == STATES.ready else "needs_manual_review"
    if story.row.state == STATES.working:
        status = "correcting"
    tripped = [s.rule_id for s in _breakers(corrections, max_attempts) if s.is_tripped]
    return schemas.CorrectionResult(
        question_id=original.id,
        original_draft=original,
        final_draft=_question(story, _best(story)),
        status=status,
        attempts=tuple(_attempt(story, attempt, index) for index, attempt in enumerate(corrections, start=1)),
        total_attempts=len(corrections),
        max_attempts=max_attempts,
        circuit_breaker_triggered=bool(tripped),
        circuit_breaker_rules=tuple(tripped),
        total_token_usage=token_usage(sum((attempt.usage for attempt in corrections), Usage())),
        started_at=story.attempts[0].at,
        completed_at=story.attempts[-1].at if corrections else story.row.at or story.attempts[-1].at,
    )


def _attempt(story: UnitStory, attempt: AttemptRecord, number: int) -> schemas.CorrectionAttempt:
    best = History.of(story.attempts, story.decisions).before(attempt.number).best
    before = best if best is not None else story.attempts[0]
    ingoing, outgoing = _violations(before), _violations(attempt)
    errors_in = [v for v in ingoing if v.severity == "error"]
    errors_out = [v for v in outgoing if v.severity == "error"]
    return schemas.CorrectionAttempt(
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


def resolved(before: Sequence[schemas.RuleViolation], after: Sequence[schemas.RuleViolation]) -> int:
    """The number of errors that are gone: their rule has no finding in the field or a part of it any more."""
    return sum(not any(_same_place(old, new) for new in after) for old in before)


def _same_place(one: schemas.RuleViolation, other: schemas.RuleViolation) -> bool:
    """Whether two violations have the same rule and place; `options` includes `options.A`."""
    nested = f"{one.field}.".startswith(f"{other.field}.") or f"{other.field}.".startswith(f"{one.field}.")
    return one.ruleId == other.ruleId and nested


def _corrections(story: UnitStory) -> list[AttemptRecord]:
    return [attempt for attempt in story.attempts if attempt.cause == "model"]


def _breakers(corrections: list[AttemptRecord], max_attempts: int) -> tuple[BreakerState, ...]:
    return breaker_states([blocking_rules(attempt) for attempt in corrections], max_attempts)


def _violations(attempt: AttemptRecord) -> tuple[schemas.RuleViolation, ...]:
    return tuple(schemas.violation(finding) for finding in findings_of(attempt))


def _question(story: UnitStory, attempt: AttemptRecord) -> Question:
    if attempt.content is None:
        assert isinstance(story.source, Question)
        return story.source
    return Question.model_validate(attempt.content)


def token_usage(usage: Usage) -> schemas.CorrectionTokenUsage:
    return schemas.CorrectionTokenUsage(
        prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, total_tokens=usage.total_tokens
    )
