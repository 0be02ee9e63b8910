"""The review service: people's decisions about the runs of one folder, also while the runs are at work.

A decision becomes a row in the run's inbox and shows at once. If no process owns the run, this one acquires it for a
moment and applies the decision; else the owner does, half a minute later at the earliest. If two people decide about
one unit, the second gets an error that names the first one's decision.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Literal

from burnish.app.decisions import (
    PATIENCE_SECONDS,
    PORTION,
    DecisionRequest,
    Prepared,
    RunDecisions,
    acquire_run,
    apply_pending,
    decisions_of,
)
from burnish.app.labels import (
    NOT_TAKEN_BACK,
    AlreadyDecided,
    BulkResult,
    Busy,
    DecisionResult,
    MovedOn,
    UndoResult,
)
from burnish.app.run_card import Trace
from burnish.app.settings import Settings, redactor_of
from burnish.core.attempts import effective_decisions, findings_of
from burnish.core.errors import BurnishError, InputError, RunActive, SourceUnavailable, TooLate, UsageError
from burnish.core.records import AttemptRecord, Record, UnitRow
from burnish.engine.decisions import EDIT_HAS_ERRORS, Consequence, Decision, has_task_begun
from burnish.store.inbox import Inbox, InboxEntry
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock, iso, system_clock
from burnish.store.sqlite_journal import open_journal

__all__ = ["AlreadyDecided", "BulkResult", "Busy", "DecisionResult", "MovedOn", "ReviewService", "TooLate"]

LONGEST_NAME = 200
LONGEST_NOTE = 20_000
LONGEST_TEXT = 1_000_000
"""Characters."""
GRACE = timedelta(seconds=30)
"""How long a decision waits before a working run applies it: until then, undoing it costs nothing."""
BREATH_SECONDS = 0.03
"""How long a run stays free between two portions of many decisions, so that other processes can acquire it."""
HASH_SIZE = 32
"""Characters of a selection's hash."""


def selection_hash(moments: Mapping[str, str]) -> str:
    """A hash of units and the moments of their rows, in order: it changes if they are no longer those that a reviewer
    saw."""
    found = sha256()
    for unit, at in moments.items():
        found.update(f"{len(unit)}:{unit}{at}\n".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:HASH_SIZE]


class ReviewService:
    """People's decisions about the runs of one folder. Safe for threads."""

    def __init__(
        self,
        runs: Path,
        settings: Settings,
        clock: Clock = system_clock,
        *,
        is_thorough: bool = False,
        token: Callable[[], str] = str,
    ) -> None:
        """`is_thorough`: also large documents are written to see whether they can hold a draft. `token`: gives the mark
        of the current request's access token, which is recorded with decisions."""
        self._token = token
        self._runs = runs
        self._is_thorough = is_thorough
        self._redactor = redactor_of(settings)
        self._clock = clock
        self._empty: dict[str, Trace] = {}
        """Runs with an empty inbox -> the trace of their journals at that time."""

    # -- deciding

    def record(
        self,
        run: str,
        unit: str,
        verdict: Decision,
        *,
        by: str,
        note: str | None = None,
        text: str | None = None,
        seen: str | None = None,
        now: bool = False,
    ) -> DecisionResult:
        """Record a decision. `seen`: the `at` of the row that the reviewer was shown. `now`: a process at work on the
        run applies it at its next pause, without the 30 seconds in which undoing it costs nothing.

        Raise AlreadyDecided if another person was faster, MovedOn if the run has worked on the unit since `seen`.
        Without `seen` the unit must be waiting for a person.
        """
        [result] = self.record_together(run, {unit: seen}, verdict, by=by, note=note, text=text, now=now)
        return result

    def record_together(
        self,
        run: str,
        units: Mapping[str, str | None],
        verdict: Decision,
        *,
        by: str,
        note: str | None = None,
        text: str | None = None,
        now: bool = False,
    ) -> list[DecisionResult]:
        """Record the same decision about several units (id -> `seen`): if one of them refuses it, none is recorded."""
        request, folder = self._request(verdict, by, note, text), existing_run(self._runs, run)
        made: dict[str, tuple[InboxEntry, Consequence]] = {}
        with self._opened(folder) as looked:
            for unit, seen in units.items():
                one = replace(request, mark=secrets.token_hex(16))
                row = self._decidable(looked, unit, seen)
                made[unit] = self._entry(row, one, timedelta() if now else GRACE), looked.follows(row, one)
        self._enqueue(folder, [entry for entry, _ in made.values()])
        self._apply(folder, {entry.mark: follows.records for entry, follows in made.values()})
        return [self._result(folder, entry, follows) for entry, follows in made.values()]

    def decide_all(
        self,
        run: str,
        units: Sequence[str],
        *,
        by: str,
        verdict: Literal["accept", "reject"] = "accept",
        note: str | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> BulkResult:
        """Accept all of these units that wait for a person, or send them back. Other units, and those that refuse it,
        are skipped.

        `seen`: unit -> the `at` of the row that was shown; units that changed since then are skipped, too. They are
        written in portions, each of them atomic, and others may decide in between.
        """
        request, bulk, moments = self._request(verdict, by, note, None), secrets.token_hex(8), seen or {}
        folder = existing_run(self._runs, run)
        done, passed_over, in_effect = list[str](), dict[str, str](), True
        for portion in _portions(dict.fromkeys(units)):
            if done or passed_over:
                sleep(BREATH_SECONDS)
            refused, waits = self._decide(folder, portion, request, bulk, moments)
            done += [unit for unit in portion if unit not in refused]
            passed_over |= refused
            in_effect = in_effect and not waits
        return BulkResult(folder.id, request.by, tuple(done), passed_over, in_effect, bulk)

    def _decide(
        self, folder: RunFolder, units: Sequence[str], request: DecisionRequest, bulk: str, seen: Mapping[str, str]
    ) -> tuple[Mapping[str, str], bool]:
        """Unit -> why it is skipped; and whether some of the others still wait to be applied."""
        entries: list[InboxEntry] = []
        prepared: dict[str, Sequence[Record]] = {}
        refused: dict[str, str] = {}
        with self._opened(folder) as looked:
            for unit in units:
                one = request.one_of(bulk)
                try:
                    row = self._decidable(looked, unit, seen.get(unit))
                    prepared[one.mark] = looked.follows(row, one).records
                    entries.append(self._entry(row, one))
                except (UsageError, InputError, RunActive) as why:
                    refused[unit] = why.message
            for unit in Inbox(folder).add(entries) if entries else ():
                refused[unit] = self._conflict(looked, unit).message
        entries = [entry for entry in entries if entry.unit not in refused]
        waiting = self._apply(folder, {entry.mark: prepared[entry.mark] for entry in entries})
        with self._opened(folder) as looked:
            failed = {one.unit: str(one.why) for one in looked.journal.inbox("failed") if one.mark in prepared}
        return refused | failed, waiting

    def _decidable(self, looked: RunDecisions, unit: str, seen: str | None) -> UnitRow:
        """The row of a unit that is open for a decision."""
        row, waiting = looked.row(unit), looked.kind.states.waiting
        looked.refuse_decided(row)
        looked.refuse_stale(row, seen)
        if row.state != waiting and self._worker(looked.folder):
            # While the run is at work, only a waiting unit is certain not to change.
            raise RunActive(f"The run {looked.folder.id} is working on {unit}.", hint="Decide once the unit waits.")
        return row

    def _entry(self, row: UnitRow, request: DecisionRequest, grace: timedelta = GRACE) -> InboxEntry:
        now = self._clock()
        note = None if request.note is None else str(self._redactor.diagnostics(request.note))
        moments = (row.at, iso(now), iso(now + grace))
        return InboxEntry(
            request.mark, row.id, request.verdict, request.by, note, request.text, *moments, token=request.token
        )

    def _request(self, verdict: Decision, by: str, note: str | None, text: str | None) -> DecisionRequest:
        _refuse_long(note, LONGEST_NOTE, "note")
        _refuse_long(text, LONGEST_TEXT, "text")
        return DecisionRequest(verdict, _name(by), note if note and note.strip() else None, text, token=self._token())

    # -- the inbox

    def _enqueue(self, folder: RunFolder, entries: Sequence[InboxEntry]) -> None:
        """Add all entries, or raise the conflict of one of them."""
        for unit in Inbox(folder).add(entries, all_or_none=True):
            with self._opened(folder) as looked:
                raise self._conflict(looked, unit)

    def _conflict(self, looked: RunDecisions, unit: str) -> UsageError:
        """The conflict with a faster decision about the unit, which waits or is already applied."""
        row = looked.row(unit)
        try:
            looked.refuse_decided(row)
            looked.refuse_stale(row, "")
        except (AlreadyDecided, MovedOn) as conflict:
            return conflict
        return MovedOn(row)

    def _apply(self, folder: RunFolder, prepared: Prepared) -> bool:
        """Apply waiting decisions, unless a process is at work on the run. True if some of them still wait."""
        deadline = monotonic() + PATIENCE_SECONDS
        while prepared:
            try:
                with acquire_run(folder, self._clock, self._redactor, patience_seconds=0.0) as run:
                    apply_pending(run, prepared=prepared)
                    return bool(prepared.keys() & {entry.mark for entry in run.journal.inbox("waiting")})
            except Busy:
                # The process that holds the run may be applying our decisions, too.
                with self._opened(folder) as looked:
                    if not prepared.keys() & {entry.mark for entry in looked.journal.inbox("waiting")}:
                        return False
                if monotonic() > deadline:
                    return True
                sleep(0.005)
            except RunActive:
                return True
        return False

    def _result(self, folder: RunFolder, entry: InboxEntry, follows: Consequence) -> DecisionResult:
        """The current result of an entry."""
        with self._opened(folder) as looked:
            [now] = [
                one
                for one in looked.journal.inbox("waiting", "applied", "failed", unit=entry.unit)
                if one.mark == entry.mark
            ]
            if now.waits:
                texts = [record for record in follows.records if isinstance(record, AttemptRecord)]
                errors = tuple(finding for text in texts for finding in findings_of(text) if finding.blocks)
                keeps_waiting = follows.row.reason == EDIT_HAS_ERRORS
                return replace(looked.waiting(now), errors=errors, keeps_waiting=keeps_waiting)
            if now.state == "failed":
                raise UsageError(str(now.why), hint="Look at the unit again.")
            every = looked.made(entry.unit)
            made = [event for event in every if event.data.get("mark") == entry.mark]
            result = looked.result((made or every)[-1])
            if entry.verdict == "edit":
                with suppress(SourceUnavailable):  # the decision counts even if this cannot be checked now
                    result = replace(result, warning=looked.why_not_held(result.row))
            return result

    # -- undoing

    def undo(self, run: str, unit: str, *, by: str, of: str | None = None) -> DecisionResult:
        """Undo the last decision about a unit. Raise TooLate once a task began with it.

        `of`: the `at` of the decision to undo. Raise AlreadyDecided if it is no longer the last one.
        """
        [result] = self._undo(existing_run(self._runs, run), {unit: of}, _name(by)).values()
        if isinstance(result, BurnishError):
            raise result
        return result

    def undo_together(self, run: str, units: Sequence[str], *, by: str) -> list[DecisionResult]:
        """Undo the last decisions about several units: all of them, or none if one cannot be undone."""
        with self._opened(existing_run(self._runs, run)) as looked:
            for unit in units:
                if not looked.journal.inbox("waiting", "failed", unit=unit):
                    looked.undone(looked.row(unit), by=_name(by))
        return [self.undo(run, unit, by=by) for unit in units]

    def undo_all(self, run: str, meant: Mapping[str, str | None], *, by: str) -> UndoResult:
        """Undo decisions about many units; those without a decision, or with another one, are skipped.

        `meant`: unit -> the `at` of the decision to undo; None: the last one.
        """
        name, folder = _name(by), existing_run(self._runs, run)
        results = self._undo(folder, meant, name) if meant else {}
        refused = {unit: one.message for unit, one in results.items() if isinstance(one, BurnishError)}
        return UndoResult(folder.id, name, tuple(unit for unit in meant if unit not in refused), refused)

    def _undo(
        self, folder: RunFolder, meant: Mapping[str, str | None], by: str
    ) -> dict[str, DecisionResult | BurnishError]:
        """Unit -> the result of undoing its decision, or the error. A waiting decision is withdrawn from the inbox; an
        applied one is undone by us, or by the process at work."""
        at = iso(self._clock())
        out = Inbox(folder).withdraw(meant, by=by, at=at)
        done: dict[str, DecisionResult | BurnishError] = {}
        with self._opened(folder) as looked:
            for unit in out:
                done[unit] = DecisionResult(folder.id, unit, "undo", by, None, at, looked.row(unit))
        for portion in _portions(unit for unit in meant if unit not in done):
            try:
                with acquire_run(folder, self._clock, self._redactor) as owned:
                    done |= self._undo_applied(owned, {unit: meant[unit] for unit in portion}, by)
            except Busy as busy:
                done |= dict.fromkeys(portion, busy)
            except RunActive:
                done |= {unit: self._undo_later(folder, unit, by, meant[unit]) for unit in portion}
        if out:  # record it in the journal
            self._apply_if_free(folder, 0.0)
        return done

    def _undo_applied(
        self, run: RunDecisions, meant: Mapping[str, str | None], by: str
    ) -> dict[str, DecisionResult | BurnishError]:
        """Undo decisions in a run that we own, in one transaction."""
        apply_pending(run)
        records: dict[str, Sequence[Record]] = {}
        refused: dict[str, DecisionResult | BurnishError] = {}
        for unit, of in meant.items():
            try:
                records[unit] = self._undoing(run, unit, by, of).records
            except (UsageError, InputError) as why:
                refused[unit] = why
        run.journal.write_now(*(record for some in records.values() for record in some))
        return refused | {unit: run.result(run.made(unit)[-1]) for unit in records}

    def _undoing(self, run: RunDecisions, unit: str, by: str, of: str | None) -> Consequence:
        """The records that undo an applied decision. Raise the error if it cannot be undone."""
        row = run.row(unit)
        run.refuse_decided(row, NOT_TAKEN_BACK)
        run.refuse_other(row, of)
        return run.undone(row, by=by, token=self._token())

    def _undo_later(self, folder: RunFolder, unit: str, by: str, of: str | None) -> DecisionResult | BurnishError:
        """Ask the process at work to undo a decision before a task begins with it."""
        try:
            with self._opened(folder) as looked:
                row, follows = looked.row(unit), self._undoing(looked, unit, by, of)
            entry = self._entry(row, DecisionRequest("undo", by, token=self._token()), timedelta())
            self._enqueue(folder, [entry])
            self._apply(folder, {entry.mark: ()} if not self._worker(folder) else {})
            return self._result(folder, entry, follows)
        except (UsageError, RunActive) as refused:
            return refused

    # -- reading

    def last(self, run: str, unit: str) -> DecisionResult | None:
        """The last valid decision about a unit, applied or waiting; None if there is none."""
        with self._opened(existing_run(self._runs, run)) as looked:
            row = looked.row(unit)
            for entry in looked.journal.inbox("waiting", unit=unit):
                return looked.waiting(entry, iso(self._clock()))
            standing = effective_decisions(looked.made(unit))
            if not standing:
                return None
            can_undo = not has_task_begun(looked.journal, row, standing[-1])
            return replace(looked.result(standing[-1]), can_undo=can_undo)

    def pending(self, run: str) -> tuple[InboxEntry, ...]:
        """Decisions that wait in the inbox, or could not be applied (`why`)."""
        folder = existing_run(self._runs, run)
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            return tuple(journal.inbox("waiting", "failed"))

    def rows(self, run: str, units: Iterable[str]) -> list[UnitRow]:
        """The current rows of units."""
        with self._opened(existing_run(self._runs, run)) as looked:
            return [looked.row(unit) for unit in units]

    # -- applying decisions

    def hasten(self, run: str, unit: str | None = None) -> int:
        """Have saved decisions, or the one about a unit, applied at the run's next pause, before the 30 seconds are
        over. How many these are."""
        number = Inbox(existing_run(self._runs, run)).hasten(iso(self._clock()), unit)
        self.apply_pending(run)
        return number

    def apply_pending(self, run: str) -> None:
        """Apply the inbox of a run, unless a process is at work on it and does that itself."""
        folder = existing_run(self._runs, run)
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            is_empty = not journal.inbox("waiting", "withdrawn")
        if not is_empty:
            self._apply_if_free(folder, PATIENCE_SECONDS)

    def _apply_if_free(self, folder: RunFolder, patience_seconds: float) -> None:
        with (
            suppress(RunActive),
            acquire_run(folder, self._clock, self._redactor, patience_seconds=patience_seconds) as owned,
        ):
            apply_pending(owned)

    def apply_all(self) -> None:
        """Apply the inbox of every run that is not at work. An error of one run is raised after all others are done."""
        failures: list[BurnishError] = []
        for folder in existing_runs(self._runs):
            trace = Trace.of(folder)
            if (trace.is_settled and self._empty.get(folder.id) == trace) or live_holder(folder, self._clock):
                continue
            try:
                self.apply_pending(folder.id)
                self._empty[folder.id] = trace
            except BurnishError as failure:
                failures.append(failure)
        if failures:
            raise failures[0]

    def _worker(self, folder: RunFolder) -> bool:
        """Whether a process is at work on the run."""
        holder = live_holder(folder, self._clock)
        return holder is not None and not holder.is_brief

    @contextmanager
    def _opened(self, folder: RunFolder) -> Iterator[RunDecisions]:
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            yield decisions_of(folder, journal, self._redactor, thorough=self._is_thorough)


def _portions(units: Iterable[str]) -> Iterator[Sequence[str]]:
    every = list(units)
    return (every[first : first + PORTION] for first in range(0, len(every), PORTION))


def _name(by: str) -> str:
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides.")
    _refuse_long(by, LONGEST_NAME, "name")
    return by.strip()


def _refuse_long(text: str | None, most: int, what: str) -> None:
    if text is not None and len(text) > most:
        raise UsageError(f"The {what} is longer than {most:,} characters.")
