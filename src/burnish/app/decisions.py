"""People's decisions about the units of one run: their consequences, and how the inbox is applied.

A run is owned while decisions are applied. The owner first applies the waiting decisions of its inbox, each exactly
once, in the order in which they were made.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import cast

from burnish.app.labels import NOT_TAKEN_BACK, AlreadyDecided, DecisionResult, LastOfPair, MovedOn
from burnish.app.materials import kind_for_reading, kind_of, known_rule
from burnish.app.runs import row_of
from burnish.core.attempts import DISMISS, effective_decisions, findings_of
from burnish.core.claims import is_of_rule
from burnish.core.errors import InputError, RunActive, SourceUnavailable, UsageError
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, Record, UnitRow, event
from burnish.engine.decisions import EDIT_HAS_ERRORS, Consequence, Deciding, duplicates_of, may_reopen, undone
from burnish.engine.dismissals import Wanted, rule_dismissed
from burnish.engine.plan import Plan, plan_of_run, recorded_plan
from burnish.engine.publish import CANNOT_WRITE_BACK, Publication
from burnish.engine.runner import RunResources
from burnish.engine.session import RunSession, neighbours_of
from burnish.engine.unit_loader import Examiner, KindPresenter, examiner_of, selection_of
from burnish.store.inbox import InboxEntry, Verdict, commands
from burnish.store.journal import Journal
from burnish.store.lock import DECIDE, live_holder
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, iso
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run

PORTION = 200
"""Decisions in one transaction: few commits, and each of them short."""
LOOK_SECONDS = 0.5
"""Least seconds between two looks of the process at work into the inbox."""
PATIENCE_SECONDS = 3.0
"""How long a decision waits for others. Each takes milliseconds, but there may be many."""
_PAUSE_SECONDS = 0.01
SMALL_DOCUMENT = 256 << 10
"""Bytes. A document up to this size is written at once to find out whether it can hold a draft; a larger one only if
it is known not to hold the kept draft. What else it cannot hold is reported by the run."""

AWAY = ("unreadable", "source_changed")
"""Error codes of a file that is missing or was replaced."""


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A decision as requested by a person."""

    verdict: Verdict
    by: str
    note: str | None = None
    text: str | None = None
    mark: str = field(default_factory=lambda: secrets.token_hex(16))
    """A unique id, so that it is applied only once."""
    token: str | None = None
    """The mark of the access token, for the audit trail."""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision about one unit, as a part of a command."""

    unit: str
    verdict: Verdict
    seen: str | None = None
    """The `at` of the unit's row when it was shown to the person; None: the unit must be waiting. With `undo`: the `at`
    of the decision to undo; None: the last one."""
    note: str | None = None
    text: str | None = None
    beside: Mapping[str, str | None] = field(default_factory=dict)
    """With `drop`: near-duplicates that stay, each with the `at` of its row when it was shown."""


@dataclass
class RunDecisions:
    """A run whose units are decided about: owned by us, or open for reading."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    redactor: Redactor
    thorough: bool = False
    """Whether also large documents are written to see what they can hold."""
    _not_held: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.journal.present_with(KindPresenter.of(self.kind))

    @cached_property
    def kind(self) -> Kind:
        """The kind without materials: enough for what is in the journal."""
        return kind_for_reading(self.plan)

    @cached_property
    def _equipped(self) -> Kind:
        """The kind with all materials of the run, for judging a new text or writing a document."""
        return kind_of(self.plan)

    @property
    def dismisses_singly(self) -> bool:
        """Whether units are judged one by one, so that claims about one can be dismissed."""
        return neighbours_of(self.plan, self.kind, self.journal) is not None

    def row(self, unit: str) -> UnitRow:
        return row_of(self.journal, self.folder.id, unit)

    def follows(self, row: UnitRow, request: DecisionRequest) -> Consequence:
        """The consequence of a decision. Raise the error that refuses it, or SourceUnavailable if it cannot be checked
        now. Nothing is written."""
        return _with_token(self._follows(row, request), request.token)

    def _follows(self, row: UnitRow, request: DecisionRequest) -> Consequence:
        with reading_sources(AWAY):
            if request.verdict == "undo":
                return undone(self.kind, self.journal, row, by=request.by)
            deciding = self._settling
            if request.verdict == "edit":
                # What is known about the documents is outdated now.
                self._not_held.clear()
                deciding = self._judging
            elif request.verdict == "dismiss":
                deciding = self._judging
            return deciding.consequence(
                row, request.verdict, by=request.by, note=request.note, text=request.text, mark=request.mark
            )

    @cached_property
    def _duplicates(self) -> Mapping[str, frozenset[str]]:
        return duplicates_of(self.kind, self.plan, self.journal) if self.kind.states.dropped is not None else {}

    def staying_beside(self, step: Step, by: str, dropped: Collection[str]) -> dict[str, str]:
        """The near-duplicates of which one must stay if this unit is dropped, with the moments of their rows.

        Raise an error if another person dropped one of them, or if the person says that a unit is a near-duplicate
        which is none. Whoever drops both says so: in one command, whose units are `dropped`, or one after the other.
        """
        known = self._duplicates.get(step.unit, frozenset())
        strange = [unit for unit in step.beside if unit not in known]
        if strange:
            raise UsageError(
                f"{strange[0]} is no near-duplicate of {step.unit}.", hint="Open the unit again, then decide."
            )
        found: dict[str, str] = {}
        for unit in sorted(known.difference(dropped)):
            row, last = self.row(unit), self.last_drop(unit)
            if last is None:
                if (seen := step.beside.get(unit)) is not None:
                    self.refuse_stale(row, seen)
                found[unit] = row.at
            elif last.by != by:
                raise LastOfPair(last, step.unit)
        return found

    def last_drop(self, unit: str) -> DecisionResult | None:
        """The decision by which a unit is or will be dropped; None if it stays."""
        for entry in self.journal.inbox("waiting", unit=unit):
            if entry.verdict == "drop":
                return self.waiting(entry)
        if self.row(unit).state != self.kind.states.dropped:
            return None
        return self.result(effective_decisions(self.made(unit))[-1])

    def undone(self, row: UnitRow, *, by: str, token: str | None = None) -> Consequence:
        return _with_token(undone(self.kind, self.journal, row, by=by), token)

    @cached_property
    def _settling(self) -> Deciding:
        """Checks nothing again, so that it is as fast in a long run as in a short one."""
        examiner = Examiner(self.kind, selection_of(self.plan, self.kind))
        neighbours = neighbours_of(self.plan, self.kind, self.journal)
        return Deciding(
            self.journal, examiner, neighbours, self.redactor, self.why_not_held, why_not_left_out=self.why_not_left_out
        )

    @cached_property
    def _judging(self) -> Deciding:
        """Checks a new text with all materials of the run."""
        with reading_sources():
            kind = self._equipped
            neighbours = neighbours_of(self.plan, kind, self.journal)
            return Deciding(self.journal, examiner_of(self.plan, kind), neighbours, self.redactor)

    def why_not_held(self, row: UnitRow) -> str | None:
        """Why a unit's document cannot hold the kept draft; None if it can, or if this is not checked."""
        resources = RunResources(redactor=self.redactor)
        if self.kind.is_phased:
            return RunSession(self.folder, self.journal, self.plan, self.kind, resources).why_not_held(row)
        if row.best_attempt < 2 or not (self.thorough or row.reason == CANNOT_WRITE_BACK or self._is_small(row)):
            return None
        if row.document not in self._not_held:
            with reading_sources():
                publication = Publication(self.folder, self.plan, self._equipped, self.journal)
                self._not_held[row.document] = publication.not_held(row.document)
        return self._not_held[row.document].get(row.id)

    def why_not_left_out(self, row: UnitRow) -> str | None:
        """Why the unit cannot be left out of its document; None if it can."""
        [document] = [each for each in self.plan.documents if each.name == row.document]
        with reading_sources():
            return self.kind.why_not_left_out(document.path, document.format)

    def _is_small(self, row: UnitRow) -> bool:
        [document] = [each for each in self.plan.documents if each.name == row.document]
        path = Path(document.path)
        return path.exists() and path.stat().st_size <= SMALL_DOCUMENT

    # -- recorded decisions

    def made(self, unit: str) -> list[EventRecord]:
        """Every decision about a unit, including undone ones and the undos."""
        return list(self.journal.events(unit=unit, types=("decision",)))

    def result(self, event: EventRecord) -> DecisionResult:
        """The result of an applied decision, also of an undone one."""
        data, row = event.data, self.row(str(event.unit))
        errors: tuple[Finding, ...] = ()
        if data["verdict"] == "edit":
            text = self.journal.attempts(row.id)[int(data["after_attempt"]) - 1]
            errors = tuple(finding for finding in findings_of(text) if finding.blocks)
        verdict = cast(Verdict, data["verdict"])
        return DecisionResult(
            self.folder.id,
            row.id,
            verdict,
            data["by"],
            data["note"],
            event.at,
            row,
            errors=errors,
            made_at=data.get("made_at"),
            keeps_waiting=verdict == "edit" and row.reason == EDIT_HAS_ERRORS,
        )

    def waiting(self, entry: InboxEntry, now: str = "") -> DecisionResult:
        """The result of a decision that waits in the inbox."""
        made = (entry.verdict, entry.by, entry.note, entry.at, self.row(entry.unit))
        return DecisionResult(self.folder.id, entry.unit, *made, in_effect=False, is_due=entry.due <= now)

    def refuse_stale(self, row: UnitRow, seen: str | None, kept: str = "Nothing was overwritten.") -> None:
        """Raise an error if a unit has changed since the person saw it or, without `seen`, if it does not wait."""
        if seen == row.at or (seen is None and row.state == self.kind.states.waiting):
            return
        decisions = self.made(row.id)
        if seen is None:
            standing = effective_decisions(decisions)
            if standing:
                raise AlreadyDecided(self.result(standing[-1]), kept)
            is_open_to = row.state == self.kind.states.ready and may_reopen(self.kind)
            raise UsageError(
                f"{row.id} is not waiting for a person: it is {row.state}.",
                hint=f"To decide again: `burnish reopen {self.folder.id} {row.id} --by NAME`."
                if is_open_to
                else "`burnish status RUN` lists the waiting units.",
            )
        if decisions and decisions[-1].at > seen:
            raise AlreadyDecided(self.result(decisions[-1]), kept)
        raise MovedOn(row)

    def refuse_decided(self, row: UnitRow, kept: str = "Nothing was overwritten.") -> None:
        """Raise AlreadyDecided if a decision about the unit waits in the inbox."""
        for entry in self.journal.inbox("waiting", unit=row.id):
            raise AlreadyDecided(self.waiting(entry), kept)

    def refuse_other(self, row: UnitRow, of: str | None) -> None:
        """Raise AlreadyDecided if the last decision in effect is not the one to undo: another person's decision must
        not be undone by mistake."""
        decisions = self.made(row.id)
        if of is None or not decisions:
            return
        standing = effective_decisions(decisions)
        last = self.result((standing or decisions)[-1])
        if not standing or not last.is_of(of):
            raise AlreadyDecided(last, NOT_TAKEN_BACK)


@contextmanager
def reading_sources(codes: Collection[str] | None = None) -> Iterator[None]:
    """In the block, the input of a run is read. If it cannot be read now, raise SourceUnavailable, which does not
    refuse the decision. `codes`: the errors to convert; None: all."""
    try:
        yield
    except SourceUnavailable:
        raise
    except InputError as away:
        if codes is not None and away.code not in codes:
            raise
        raise SourceUnavailable(
            away.message,
            path=away.path,
            line=away.line,
            code=away.code,
            hint=away.hint or "Restore the original file, and decide again.",
        ) from away


@contextmanager
def acquire_run(
    folder: RunFolder,
    clock: Clock,
    redactor: Redactor,
    *,
    thorough: bool = False,
    patience_seconds: float = PATIENCE_SECONDS,
) -> Iterator[RunDecisions]:
    """Own a run during the block. Raise RunActive if another process is at work on it, or if other decisions do not
    release it in time."""
    with ExitStack() as stack:
        deadline = time.monotonic() + patience_seconds
        while True:
            try:
                owned = stack.enter_context(own_run(folder, clock, redactor=redactor, purpose=DECIDE))
                break
            except RunActive:  # another decision holds it for milliseconds: wait
                holder = live_holder(folder, clock)
                if (holder is not None and not holder.is_brief) or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)
        yield decisions_of(folder, owned.journal, redactor, thorough=thorough)


def decisions_of(folder: RunFolder, journal: Journal, redactor: Redactor, *, thorough: bool = False) -> RunDecisions:
    """A run whose journal is open."""
    return RunDecisions(folder, journal, plan_of_run(journal, folder.id), redactor, thorough)


# -- the inbox

Command = Sequence[InboxEntry]
"""Decisions that are applied together or not at all."""


def apply_pending(run: RunDecisions, *, due_by: str | None = None, is_at_work: bool = False) -> int:
    """Apply the inbox of a run that we own: all of it, or what is due by a moment. How many were applied.

    Decisions that cannot be applied, or not now, stay there with the reason. Withdrawn ones become events of the
    journal.
    """
    withdrawn = {entry.mark: _withdrawal(entry) for entry in run.journal.inbox("withdrawn")}
    if withdrawn:
        run.journal.record_withdrawn(withdrawn)
    waiting = commands(run.journal.inbox("waiting"))
    if due_by is not None:
        waiting = [command for command in waiting if all(entry.due <= due_by for entry in command)]
    if is_at_work:
        documents, units = _documents_at_work(run.journal), _units_at_work(run.journal)
        waiting = [
            command
            for command in waiting
            if not any(entry.unit in units or run.row(entry.unit).document in documents for entry in command)
        ]
    left, applied = waiting, 0
    while left:
        portion = _portion(left)
        applied += _apply(run, portion)
        left = left[len(portion) :]
    if waiting:
        reach("inbox.applied")
    return applied


def with_decisions(resources: RunResources, folder: RunFolder, journal: Journal, clock: Clock) -> RunResources:
    """The resources of a resumed run: waiting decisions are applied now, later ones between two tasks."""
    if journal.inbox("waiting", "withdrawn") and recorded_plan(journal) is not None:
        apply_pending(decisions_of(folder, journal, resources.redactor))
    return replace(resources, apply_decisions=DueDecisions(folder, journal, resources.redactor, clock))


@dataclass(slots=True)
class DueDecisions:
    """Applies due decisions between the tasks of a run at work. It is called often and looks every half second; at the
    end of a pass always, because no later call would find the last decisions."""

    folder: RunFolder
    journal: Journal
    redactor: Redactor
    clock: Clock
    _next: float = 0.0

    def __call__(self, *, is_end: bool = False) -> bool:
        """Whether anything was applied."""
        now = time.monotonic()
        if now < self._next and not is_end:
            return False
        self._next = now + LOOK_SECONDS
        due_by = iso(self.clock())
        if not self.journal.has_due(due_by):
            return False
        return apply_pending(decisions_of(self.folder, self.journal, self.redactor), due_by=due_by, is_at_work=True) > 0


def _documents_at_work(journal: Journal) -> set[str]:
    """Documents that a task works on as wholes now: decisions about their units wait until it has ended."""
    begun = Counter(str(one.data["document"]) for one in journal.events(types=("round_started",)))
    begun.subtract(str(one.data["document"]) for one in journal.events(types=("round_ended",)))
    return {document for document, number in begun.items() if number > 0}


def _units_at_work(journal: Journal) -> set[str]:
    """Units of batches that are not settled: a person's text for them would be overwritten now."""
    formed = {one.data["number"]: one.data["units"] for one in journal.events(types=("batch_formed",))}
    for settled in journal.events(types=("batch_settled",)):
        formed.pop(settled.data["number"], None)
    return {unit for units in formed.values() for unit in units}


def _withdrawal(entry: InboxEntry) -> EventRecord:
    made = {"verdict": entry.verdict, "by": entry.by, "note": entry.note, "text": entry.text, "decided_at": entry.at}
    undo = {"undone_by": entry.withdrawn_by, "undone_at": entry.withdrawn_at, "why": entry.why, "mark": entry.mark}
    return event("decision_withdrawn", entry.unit, dedupe=f"withdrawn:{entry.mark}", data=made | undo)


def _portion(waiting: Sequence[Command]) -> Sequence[Command]:
    """Commands for one transaction. An edit is applied alone, after all decisions before it."""
    edits = (place for place, command in enumerate(waiting) if any(entry.verdict == "edit" for entry in command))
    return waiting[: min(next(edits, len(waiting)), PORTION) or 1]


def _apply(run: RunDecisions, portion: Sequence[Command]) -> int:
    """Apply some commands in one transaction, all decisions of each or none. How many decisions could be applied
    now."""
    decided: dict[str, tuple[str, Sequence[Record]]] = {}
    failed: dict[str, str] = {}
    delayed: dict[str, str] = {}
    together: list[list[str]] = []
    for command in portion:
        marks = [entry.mark for entry in command]
        try:
            rows = [run.row(entry.unit) for entry in command]
            made = [_consequences(run, row, entry) for row, entry in zip(rows, command, strict=True)]
        except SourceUnavailable as away:
            delayed |= dict.fromkeys(marks, str(away))
        except (UsageError, InputError) as refused:
            failed |= dict.fromkeys(marks, str(refused))
        else:
            decided |= {mark: (row.at, records) for mark, row, records in zip(marks, rows, made, strict=True)}
            together.append(marks)
    reach("inbox.applying")
    run.journal.apply_decisions(decided, together=together, failed=failed, delayed=delayed)
    return len(decided)


def _consequences(run: RunDecisions, row: UnitRow, entry: InboxEntry) -> Sequence[Record]:
    """The records of a decision, with the moment at which it was made: its maker identifies it by that."""
    if entry.verdict == "undo":
        return run.undone(row, by=entry.by, token=entry.token).records
    run.refuse_stale(row, entry.seen)
    request = DecisionRequest(entry.verdict, entry.by, entry.note, entry.text, entry.mark, entry.token)
    return [_extended(record, made_at=entry.at) for record in run.follows(row, request).records]


def _with_token(follows: Consequence, token: str | None) -> Consequence:
    if not token:
        return follows
    return replace(follows, records=tuple(_extended(record, token=token) for record in follows.records))


def _extended(record: Record, **more: str) -> Record:
    """A decision with more data; other records unchanged."""
    if isinstance(record, EventRecord) and record.type == "decision":
        return replace(record, data={**record.data, **more})
    return record


# -- rules


def ignore_rules(run: RunDecisions, rules: Sequence[str], by: str) -> None:
    """Leave rules out of a run that exists, which we own: their claims are dismissed where units wait for a person, and
    not raised in what is still to come."""
    for rule in rules:
        known_rule(run.kind, rule)
    for rule in rules:
        run.journal.write_now(rule_dismissed(run.journal, rule, by, None))
        for row in list(run.journal.units(states=(run.kind.states.waiting,))):
            if run.dismisses_singly and _claims(run, row, rule):
                request = DecisionRequest(DISMISS, by, None, Wanted(rule=rule).text)
                run.journal.write_now(*run.follows(row, request).records)


def _claims(run: RunDecisions, row: UnitRow, rule: str) -> bool:
    if not row.best_attempt:
        return False
    findings = findings_of(run.journal.attempts(row.id)[row.best_attempt - 1])
    return any(one.rule == rule and is_of_rule(one) for one in findings)
