"""Decisions of people about the units of one run: what follows from each, and applying those in its inbox.

A run is owned for as long as deciding takes. Whoever owns it applies what waits in its inbox first, each decision
exactly once, in the order in which they were made.
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

from burnish.app.labels import NOT_TAKEN_BACK, AlreadyDecided, Busy, DecisionResult, MovedOn
from burnish.app.materials import kind_of, kind_to_look_with
from burnish.app.runs import row_of
from burnish.core.attempts import findings_of, standing_decisions
from burnish.core.errors import InputError, RunActive, SourceUnavailable, UsageError
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, Record, UnitRow, event
from burnish.engine.decisions import EDIT_HAS_ERRORS, Consequence, Deciding, undone
from burnish.engine.plan import Plan, plan_of_run, recorded_plan
from burnish.engine.publish import CANNOT_WRITE_BACK, Publication
from burnish.engine.runner import RunResources
from burnish.engine.session import RunSession, neighbours_of
from burnish.engine.unit_loader import Examiner, KindPresenter, examiner_of, selection_of
from burnish.store.inbox import InboxEntry, Verdict
from burnish.store.journal import Journal
from burnish.store.lock import DECIDE, live_holder
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, iso
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run

PORTION = 200
"""Decisions that are written in one transaction: few commits, and nobody waits long for one."""
LOOK_SECONDS = 0.5
"""How often the process at work looks into the inbox, at most."""
PATIENCE_SECONDS = 3.0
"""How long somebody who decides waits for others who do. Each needs milliseconds, but there may be many."""
_PAUSE_SECONDS = 0.01
SMALL_DOCUMENT = 256 << 10
"""Bytes. Whether a document of this size can hold a draft is found out at once, by writing it; a larger one is only
written where it is known that it could not hold what stands there. What else it cannot hold is told by the run."""

AWAY = ("unreadable", "source_changed")
"""What is wrong with a file that is away, or another one by now."""


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A decision as somebody asks for it."""

    verdict: Verdict
    by: str
    note: str | None = None
    text: str | None = None
    mark: str = field(default_factory=lambda: secrets.token_hex(16))
    """A name of its own, under which it is put into effect once, whichever way it takes."""
    token: str | None = None
    """The mark of the token that is used, for the audit trail."""

    def one_of(self, bulk: str) -> DecisionRequest:
        """The same about one more unit. The marks of all of them begin with the name of the bulk."""
        return replace(self, mark=f"{bulk}-{secrets.token_hex(8)}")


@dataclass
class RunDecisions:
    """A run whose units are decided about: owned by us, or only looked at."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    redactor: Redactor
    thorough: bool = False
    """Whether documents are written to see what they can hold, however large they are."""
    _not_held: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.journal.present_with(KindPresenter.of(self.kind))

    @cached_property
    def kind(self) -> Kind:
        """For whoever settles what is in the journal: nothing else is read for that."""
        return kind_to_look_with(self.plan)

    @cached_property
    def _equipped(self) -> Kind:
        """For whoever judges a new text, or writes a document: with all that the run was started with."""
        return kind_of(self.plan)

    def row(self, unit: str) -> UnitRow:
        return row_of(self.journal, self.folder.id, unit)

    def follows(self, row: UnitRow, request: DecisionRequest) -> Consequence:
        """What follows from a decision; raises what speaks against it, or SourceUnavailable where that cannot be found
        out now. Nothing is written."""
        return _with_token(self._follows(row, request), request.token)

    def _follows(self, row: UnitRow, request: DecisionRequest) -> Consequence:
        with reading_sources(AWAY):
            if request.verdict == "undo":
                return undone(self.kind, self.journal, row, by=request.by)
            deciding = self._settling
            if request.verdict == "edit":
                # Whatever was found out about the documents is out of date now.
                self._not_held.clear()
                deciding = self._judging
            return deciding.consequence(
                row, request.verdict, by=request.by, note=request.note, text=request.text, mark=request.mark
            )

    def undone(self, row: UnitRow, *, by: str, token: str | None = None) -> Consequence:
        return _with_token(undone(self.kind, self.journal, row, by=by), token)

    @cached_property
    def _settling(self) -> Deciding:
        """Judges nothing again, so that it takes no longer in a long run than in a short one."""
        examiner = Examiner(self.kind, selection_of(self.plan, self.kind))
        neighbours = neighbours_of(self.plan, self.kind, self.journal)
        return Deciding(
            self.journal, examiner, neighbours, self.redactor, self.why_not_held, why_not_left_out=self.why_not_left_out
        )

    @cached_property
    def _judging(self) -> Deciding:
        """Judges a new text by everything that the run was started with."""
        with reading_sources():
            kind = self._equipped
            neighbours = neighbours_of(self.plan, kind, self.journal)
            return Deciding(self.journal, examiner_of(self.plan, kind), neighbours, self.redactor)

    def why_not_held(self, row: UnitRow) -> str | None:
        """Why a unit's document cannot hold the draft that stands; None where it can, or where that is not asked."""
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
        """Why a unit's document cannot do without it; None where it can."""
        [document] = [each for each in self.plan.documents if each.name == row.document]
        with reading_sources():
            return self.kind.why_not_left_out(document.path, document.format)

    def _is_small(self, row: UnitRow) -> bool:
        [document] = [each for each in self.plan.documents if each.name == row.document]
        path = Path(document.path)
        return path.exists() and path.stat().st_size <= SMALL_DOCUMENT

    # -- what was decided

    def made(self, unit: str) -> list[EventRecord]:
        """Every decision about a unit, with what was taken back and the taking back."""
        return list(self.journal.events(unit=unit, types=("decision",)))

    def result(self, event: EventRecord) -> DecisionResult:
        """A decision that is in effect, or was until it was taken back."""
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
        """A decision that waits in the inbox."""
        said = (entry.verdict, entry.by, entry.note, entry.at, self.row(entry.unit))
        return DecisionResult(self.folder.id, entry.unit, *said, in_effect=False, is_due=entry.due <= now)

    def refuse_stale(self, row: UnitRow, seen: str | None) -> None:
        """Raise where a unit is not as whoever decides has seen it; not seen at all, it has to wait for a person."""
        if seen == row.at or (seen is None and row.state == self.kind.states.waiting):
            return
        decisions = self.made(row.id)
        if seen is None:
            standing = standing_decisions(decisions)
            if standing:
                raise AlreadyDecided(self.result(standing[-1]))
            raise UsageError(
                f"{row.id} is not waiting for a person: it is {row.state}.",
                hint="`burnish status RUN` lists the waiting units.",
            )
        if decisions and decisions[-1].at > seen:
            raise AlreadyDecided(self.result(decisions[-1]))
        raise MovedOn(row)

    def refuse_decided(self, row: UnitRow, kept: str = "Nothing was overwritten.") -> None:
        """Raise where a decision about the unit waits in the inbox."""
        for entry in self.journal.inbox("waiting", unit=row.id):
            raise AlreadyDecided(self.waiting(entry), kept)

    def refuse_other(self, row: UnitRow, of: str | None) -> None:
        """Raise where the last decision in effect is not the one that is meant: it is somebody's, and not to be taken
        back by mistake."""
        decisions = self.made(row.id)
        if of is None or not decisions:
            return
        standing = standing_decisions(decisions)
        last = self.result((standing or decisions)[-1])
        if not standing or not last.is_of(of):
            raise AlreadyDecided(last, NOT_TAKEN_BACK)


@contextmanager
def reading_sources(codes: Collection[str] | None = None) -> Iterator[None]:
    """Inside the block, what a run was started with is read. That it cannot be read now says nothing about what
    somebody decided. `codes`: the errors that tell so, where others may come up as well; None: all do."""
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
            hint=away.hint or "Put the file back where it was, as it was, and decide again.",
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
    """A run of our own for as long as the block lasts. RunActive if another process is at work on it, Busy if others
    who decide do not let go in time."""
    with ExitStack() as stack:
        deadline = time.monotonic() + patience_seconds
        while True:
            try:
                owned = stack.enter_context(own_run(folder, clock, redactor=redactor, purpose=DECIDE))
                break
            except RunActive as active:  # somebody else who decides has it for milliseconds, and is waited for
                holder = live_holder(folder, clock)
                if holder is not None and not holder.is_brief:
                    raise
                if time.monotonic() > deadline:
                    raise Busy(folder.id) from active
                time.sleep(_PAUSE_SECONDS)
        yield decisions_of(folder, owned.journal, redactor, thorough=thorough)


def decisions_of(folder: RunFolder, journal: Journal, redactor: Redactor, *, thorough: bool = False) -> RunDecisions:
    """A run whose journal is open."""
    return RunDecisions(folder, journal, plan_of_run(journal, folder.id), redactor, thorough)


# -- the inbox

Prepared = Mapping[str, Sequence[Record]]
"""Mark -> the records that were found to follow from a decision a moment ago."""


def apply_pending(
    run: RunDecisions, *, due_by: str | None = None, prepared: Prepared | None = None, is_at_work: bool = False
) -> int:
    """Apply what waits in the inbox of a run that we own: all of it, or what is due by a moment. How many were applied.

    What cannot be applied stays there with the reason; so does what cannot be applied now. What was taken back before
    it was applied is told.
    """
    told = {entry.mark: _withdrawal(entry) for entry in run.journal.inbox("withdrawn")}
    if told:
        run.journal.tell_withdrawn(told)
    waiting = [entry for entry in run.journal.inbox("waiting") if due_by is None or entry.due <= due_by]
    if is_at_work:
        documents, units = _documents_at_work(run.journal), _units_at_work(run.journal)
        idle = (entry for entry in waiting if entry.unit not in units)
        waiting = [entry for entry in idle if run.row(entry.unit).document not in documents]
    known = prepared if prepared is not None and [entry.mark for entry in waiting] == list(prepared) else {}
    left, applied = waiting, 0
    while left:
        portion = _portion(left)
        applied += _apply(run, portion, known)
        left = left[len(portion) :]
    if waiting:
        reach("inbox.applied")
    return applied


def with_decisions(resources: RunResources, folder: RunFolder, journal: Journal, clock: Clock) -> RunResources:
    """For whoever goes on with a run: what was decided meanwhile comes first, and what is decided from now on is
    applied between two tasks. A replay repeats what was decided then."""
    if journal.inbox("waiting", "withdrawn") and recorded_plan(journal) is not None:
        apply_pending(decisions_of(folder, journal, resources.redactor))
    if resources.replayed is not None:
        return resources
    return replace(resources, between=DueDecisions(folder, journal, resources.redactor, clock))


@dataclass(slots=True)
class DueDecisions:
    """Applies what is due, between the tasks of a run that is at work. Called often, it looks now and then; at the end
    of a pass, always: nobody would come back to what was decided a moment ago."""

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
    """Documents that a task works on as wholes just now: their units are left alone until it has ended."""
    begun = Counter(str(one.data["document"]) for one in journal.events(types=("round_started",)))
    begun.subtract(str(one.data["document"]) for one in journal.events(types=("round_ended",)))
    return {document for document, number in begun.items() if number > 0}


def _units_at_work(journal: Journal) -> set[str]:
    """Units of batches that were begun and not settled: a text that a person gave them now would be overwritten."""
    formed = {one.data["number"]: one.data["units"] for one in journal.events(types=("batch_formed",))}
    for settled in journal.events(types=("batch_settled",)):
        formed.pop(settled.data["number"], None)
    return {unit for units in formed.values() for unit in units}


def _withdrawal(entry: InboxEntry) -> EventRecord:
    said = {"verdict": entry.verdict, "by": entry.by, "note": entry.note, "text": entry.text, "decided_at": entry.at}
    taken = {"undone_by": entry.withdrawn_by, "undone_at": entry.withdrawn_at, "why": entry.why, "mark": entry.mark}
    return event("decision_withdrawn", entry.unit, dedupe=f"withdrawn:{entry.mark}", data=said | taken)


def _portion(waiting: Sequence[InboxEntry]) -> Sequence[InboxEntry]:
    """What is written together. A text is judged beside all that was decided before it."""
    first = next((place for place, entry in enumerate(waiting) if entry.verdict == "edit"), len(waiting))
    return waiting[: min(first, PORTION) or 1]


def _apply(run: RunDecisions, portion: Sequence[InboxEntry], prepared: Prepared) -> int:
    """Apply some decisions in one transaction. How many: those that cannot be applied, or not yet, do not count."""
    decided: dict[str, tuple[str, Sequence[Record]]] = {}
    failed: dict[str, str] = {}
    delayed: dict[str, str] = {}
    for entry in portion:
        try:
            row = run.row(entry.unit)
            decided[entry.mark] = row.at, _consequences(run, row, entry, prepared.get(entry.mark))
        except SourceUnavailable as away:
            delayed[entry.mark] = str(away)
        except (UsageError, InputError) as refused:
            failed[entry.mark] = str(refused)
    reach("inbox.applying")
    run.journal.apply_decisions(decided, failed=failed, delayed=delayed)
    return len(decided)


def _consequences(
    run: RunDecisions, row: UnitRow, entry: InboxEntry, prepared: Sequence[Record] | None
) -> Sequence[Record]:
    """What has to be written for a decision. It tells when it was made, too: its maker knows it by that moment."""
    if entry.verdict == "undo":
        return run.undone(row, by=entry.by, token=entry.token).records
    run.refuse_stale(row, entry.seen)
    if prepared is not None:
        return prepared
    request = DecisionRequest(entry.verdict, entry.by, entry.note, entry.text, entry.mark, entry.token)
    return [_telling(record, made_at=entry.at) for record in run.follows(row, request).records]


def _with_token(follows: Consequence, token: str | None) -> Consequence:
    if not token:
        return follows
    return replace(follows, records=tuple(_telling(record, token=token) for record in follows.records))


def _telling(record: Record, **more: str) -> Record:
    """A decision that tells this, too; other records as they are."""
    if isinstance(record, EventRecord) and record.type == "decision":
        return replace(record, data={**record.data, **more})
    return record
