"""Runs of any length, written straight into their journals: what benchmarks of the workbench look at.

The questions are those of `questions_corpus`; what became of them is made up, the same for the same length: most pass,
some were repaired, some wait for a person, a few are still to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeGuard

from bench.questions_corpus import generate
from burnish.app.polish_plan import Order, plan_of
from burnish.app.settings import load
from burnish.core.attempts import row_before
from burnish.core.documents import text_digest
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, CallRecord, Record, SourceRecord, UnitRow, Usage, event
from burnish.engine.plan import begin
from burnish.engine.unit_loader import KindPresenter
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import create_journal

BATCH = 2_000
"""Records that are written together."""
RULES = ("nbme_absolute_terms", "nbme_negation_detection", "nbme_vague_terms", "nbme_stem_clarity", "nbme_lead_in")
REASONS = ("attempts_exhausted", "circuit_breaker", "model_failed")
JUDGE = "openai:reviewer"


def write_run(folder: Path, id: str, size: int, *, decided: int = 0, is_settled: bool = False) -> RunFolder:
    """A run over so many questions, in `folder`/runs; the bank lies in `folder`. People have `decided` the first of
    them, whatever would have become of those otherwise. `is_settled`: none is still to do."""
    bank = folder / f"{id}.jsonl"
    with bank.open("wb") as stream:
        for record in generate(size, seed=5):
            stream.write(dumps(record) + b"\n")
    run = RunFolder.at(folder / "runs", id)
    run.root.mkdir(parents=True)
    plan = plan_of(Order(str(bank), run_id=id), load(start=folder, environ={}))
    with closing(create_journal(run.journal, clock=system_clock)) as journal:
        journal.present_with(KindPresenter.of(QuestionsKind()))
        begin(journal, plan)
        batch: list[Record] = []
        for records in _units(size, plan.documents[0].name, decided):
            batch += [replace(one, state="validated") if _is_left(one, is_settled) else one for one in records]
            if len(batch) >= BATCH:
                journal.write_now(*batch)
                batch = []
        journal.write_now(*batch, event("run_stopped", data={"reason": "needs_person", "message": None}))
        journal.set_meta("ingested", "yes")
        if is_settled:
            journal.set_meta(f"overview:{plan.documents[0].name}", "{}")
    return run


def _is_left(record: Record, is_settled: bool) -> TypeGuard[UnitRow]:
    return is_settled and isinstance(record, UnitRow) and record.state == "draft"


def _units(size: int, document: str, decided: int) -> Iterator[list[Record]]:
    kind, chance = QuestionsKind(), Random(7)
    for position, record in enumerate(generate(size, seed=5)):
        question = Question.model_validate(record)
        unit = _decided if position < decided else _unit
        source = SourceRecord(question.id, kind.to_record(question))
        yield [source, *unit(kind, chance, question, document, position)]


def _decided(kind: QuestionsKind, chance: Random, question: Question, document: str, position: int) -> Iterator[Record]:
    """A question that waited, and on which somebody decided."""
    changed = question.with_text("stem", f"{question.stem} Choose one.")
    findings = [_finding(changed, rule, "error") for rule in chance.sample(RULES, 2)]
    yield _attempt(question.id, 1, None, question.content_hash, findings)
    yield _attempt(question.id, 2, dict(kind.to_record(changed)), changed.content_hash, findings)
    waits = UnitRow(question.id, document, position, question.content_hash, "needs_manual_review", REASONS[0], 2, 2, 2)
    yield event("state_changed", question.id, data={"from": "draft", "to": waits.state, "reason": waits.reason})
    verdict, state = ("accept", "validated") if chance.random() < 0.7 else ("reject", "draft")
    said = {"verdict": verdict, "by": "Ada", "note": None, "after_attempt": 2, "reason_before": waits.reason}
    yield event("decision", question.id, data={**said, "before": row_before(waits)})
    yield replace(waits, state=state, reason=f"{verdict}ed by Ada")


def _unit(kind: QuestionsKind, chance: Random, question: Question, document: str, position: int) -> Iterator[Record]:
    row = UnitRow(question.id, document, position, question.content_hash, "validated", "attempt_1", 1, 1, 0)
    drawn = chance.random()
    if drawn < 0.02:
        yield UnitRow(question.id, document, position, question.content_hash, "draft")
        return
    first = chance.choice(RULES)
    findings = [_finding(question, first, "error" if drawn < 0.25 else "warning")] if drawn < 0.45 else []
    yield _attempt(question.id, 1, None, question.content_hash, findings)
    if drawn < 0.25:
        changed = question.with_text("stem", f"{question.stem} Choose one.")
        left = [_finding(changed, first, "error")] if drawn < 0.1 else []
        yield from _answer(question, position)
        yield _attempt(question.id, 2, dict(kind.to_record(changed)), changed.content_hash, left)
        row = UnitRow(question.id, document, position, question.content_hash, "validated", "attempt_2", 2, 2, len(left))
        if left:
            reason = chance.choice(REASONS)
            row = UnitRow(
                question.id, document, position, question.content_hash, "needs_manual_review", reason, 2, 2, 1
            )
    yield event("state_changed", question.id, data={"from": "draft", "to": row.state, "reason": row.reason})
    yield row


def _finding(question: Question, rule: str, severity: Any) -> dict[str, Any]:
    stem = question.stem or ""
    said = "These words give the answer away to whoever reads them twice."
    return Finding(rule, severity, question.id, "stem", said, "Say it plainly.", stem[:20], 0, 20).as_record()


def _attempt(
    unit: str, number: int, content: dict[str, Any] | None, content_hash: str, findings: list[dict[str, Any]]
) -> AttemptRecord:
    errors = sum(finding["severity"] == "error" for finding in findings)
    return AttemptRecord(
        unit=unit,
        number=number,
        cause="source" if number == 1 else "model",
        content=content,
        content_hash=content_hash,
        scores={"rules": 1.0 - errors / 30},
        findings=tuple(findings),
        passed=not errors,
        checked={"applied": 30, "language": "en"},
    )


def _answer(question: Question, position: int) -> Iterator[Record]:
    stem = question.stem or ""
    yield CallRecord(
        key=text_digest(question.id),
        unit=question.id,
        role="corrector",
        model=JUDGE,
        reply_name="edit_reply",
        request={"system": "Mend it. " * 60, "user": stem * 4},
        status="ok",
        raw=f'{{"reasoning": "It is mended.", "edits": [{{"find": "{position}"}}]}}',
        usage=Usage(900, 60, 0.0004),
        tries=1,
        duration_ms=900,
    )
