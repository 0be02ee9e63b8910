"""Runs over questions whose journals a test writes line by line: as long and as odd as it wants them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish.app.polish_plan import Order, plan_of
from burnish.app.settings import load
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, CallRecord, Record, SourceRecord, UnitRow, Usage, event
from burnish.engine.plan import Plan, begin
from burnish.engine.unit_loader import KindPresenter
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import create_journal

Said = tuple[str, str] | tuple[str, str, str]
"""A finding: rule, severity, and who says so (the rule itself where that is left out)."""
WAITING = "needs_manual_review"


def question(number: int, document: int = 0) -> dict[str, Any]:
    options = [{"key": key, "text": f"Answer {key} of {number}"} for key in "ABCD"]
    stem = f"Which of the following is the best answer to question {number} of bank {document}?"
    return {"id": f"q{number:04}", "stem": stem, "options": options, "correct_answer": "A"}


@dataclass
class Ledger:
    """A run that is being written."""

    folder: RunFolder
    plan: Plan
    journal: Journal
    units: dict[str, Question]
    """Unit's name in the run -> the question."""
    rows: dict[str, UnitRow]
    kind: QuestionsKind = field(default_factory=QuestionsKind)
    held: list[Record] | None = None
    """What is written together."""

    def name(self, number: int) -> str:
        return list(self.units)[number]

    def attempt(
        self,
        unit: str,
        *findings: Said,
        stem: str | None = None,
        cause: Any = None,
        failure: str | None = None,
        scores: dict[str, float] | None = None,
    ) -> AttemptRecord:
        """The next draft of a unit; with another stem where one is given."""
        row, source = self.rows[unit], self.units[unit]
        draft = source if stem is None else source.with_text("stem", stem)
        number = row.attempts + 1
        self.rows[unit] = replace(row, attempts=number)
        return AttemptRecord(
            unit=unit,
            number=number,
            cause=cause or ("source" if number == 1 else "model"),
            content=None if stem is None else dict(self.kind.to_record(draft)),
            content_hash=draft.content_hash,
            scores={"rules": 0.5} if scores is None else scores,
            findings=tuple(finding(draft, *one).as_record() for one in findings),
            passed=not findings,
            failure=failure,
        )

    def row(self, unit: str, state: str, reason: str | None = None, best: int | None = None) -> UnitRow:
        """The row of a unit, moved to a state."""
        known = self.rows[unit]
        stands = known.attempts if best is None else best
        self.rows[unit] = replace(known, state=state, reason=reason, best_attempt=stands)
        return self.rows[unit]

    def write(self, *records: Record) -> None:
        if self.held is not None:
            self.held += records
        else:
            self.journal.write_now(*records)

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for all that is written meanwhile."""
        self.held = []
        yield
        held, self.held = self.held, None
        self.write(*held)

    def rests(self, unit: str, *findings: Said, reason: str = "attempts_exhausted", **given: Any) -> None:
        """A draft of a unit that waits for a person, or passes where nothing is found."""
        attempt = self.attempt(unit, *findings, **given)
        state = WAITING if findings else "validated"
        self.write(attempt, self.row(unit, state, reason if findings else f"attempt_{attempt.number}"))

    def decided(self, unit: str, verdict: str, *, by: str = "Ada", after: int | None = None, **more: Any) -> None:
        """A person's decision, as the journal has it."""
        known = self.rows[unit]
        data = {"verdict": verdict, "by": by, "note": None, "after_attempt": after or known.attempts, **more}
        self.write(event("decision", unit, data=data), known)

    def spends(self, number: int, cost: float | None = 0.001) -> None:
        self.write(*(call(f"k{index}", cost) for index in range(number)))

    def ends(self, reason: str = "needs_person", message: str | None = None) -> None:
        self.write(event("run_stopped", data={"reason": reason, "message": message}))


def finding(unit: Question, rule: str, severity: Any, source: str = "rule") -> Finding:
    stem = str(unit.stem)
    return Finding(rule, severity, unit.id, "stem", "It is not good.", None, stem[:9], 0, 9, source=source)


def call(key: str, cost: float | None = 0.001) -> CallRecord:
    usage = Usage(90, 10, cost)
    return CallRecord(key, "q0000", "corrector", "openai:m", "edit_reply", {"user": "?"}, "ok", "{}", usage, 1, 5)


@contextmanager
def ledger(
    home: Path, id: str = "r", *, sizes: Sequence[int] = (6,), clock: Clock = system_clock, **settings: Any
) -> Iterator[Ledger]:
    """A run over banks of these sizes, taken in and not begun."""
    home.mkdir(parents=True, exist_ok=True)
    bank = home / f"{id}.jsonl" if len(sizes) == 1 else home / id
    if len(sizes) > 1:
        bank.mkdir()
    for number, size in enumerate(sizes):
        path = bank if len(sizes) == 1 else bank / f"bank{number}.jsonl"
        path.write_bytes(b"".join(dumps(question(each, number)) + b"\n" for each in range(size)))
    flags = {name: ("the test", value) for name, value in settings.items()}
    plan = plan_of(Order(str(bank), run_id=id), load(start=home, environ={}, flags=flags))
    folder = RunFolder.at(home / "runs", id)
    folder.root.mkdir(parents=True)
    with closing(create_journal(folder.journal, clock=clock)) as journal:
        kind = QuestionsKind()
        begin(journal, plan)
        units = dict(_units(plan, sizes))
        positions = {unit: position for position, unit in enumerate(units)}
        rows = {
            unit: UnitRow(unit, document, positions[unit], units[unit].content_hash, "draft")
            for unit, document in _documents(plan, sizes)
        }
        journal.present_with(KindPresenter.of(kind))
        journal.write_now(
            *(SourceRecord(unit, kind.to_record(question)) for unit, question in units.items()), *rows.values()
        )
        journal.set_meta("ingested", "yes")
        yield Ledger(folder, plan, journal, units, rows)


def _units(plan: Plan, sizes: Sequence[int]) -> Iterator[tuple[str, Question]]:
    for number, (document, size) in enumerate(zip(plan.documents, sizes, strict=True)):
        for each in range(size):
            read = Question.model_validate(question(each, number))
            yield plan.unit_id(document.name, read.id), read


def _documents(plan: Plan, sizes: Sequence[int]) -> Iterator[tuple[str, str]]:
    for document, size in zip(plan.documents, sizes, strict=True):
        for each in range(size):
            yield plan.unit_id(document.name, f"q{each:04}"), document.name
