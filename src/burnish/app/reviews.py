"""The review service: people's decisions about the runs of one folder, also while the runs are at work.

A decision becomes a row in the run's inbox and shows at once. If no process owns the run, this one acquires it for a
moment and applies the decision; else the owner does, half a minute later at the earliest. If two people decide about
one unit, the second gets an error that names the first one's decision.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Literal

from burnish.app.decisions import (
    PATIENCE_SECONDS,
    PORTION,
    DecisionRequest,
    RunDecisions,
    Step,
    acquire_run,
    apply_pending,
    decisions_of,
)
from burnish.app.labels import (
    NOBODY_ASKED,
    NOT_TAKEN_BACK,
    AlreadyDecided,
    BulkResult,
    DecisionResult,
    LastOfPair,
    MovedOn,
    UndoResult,
)
from burnish.app.run_card import Trace
from burnish.app.settings import Settings, redactor_of
from burnish.core.attempts import effective_decisions, findings_of
from burnish.core.errors import BurnishError, InputError, RunActive, SourceUnavailable, TooLate, UsageError
from burnish.core.notes import note_of
from burnish.core.records import AttemptRecord, Record, UnitRow
from burnish.engine.decisions import EDIT_HAS_ERRORS, Consequence, Decision, has_task_begun
from burnish.store.inbox import Inbox, InboxEntry, Refusals, Withdrawal
from burnish.store.journal import BriefJournal
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock, iso, system_clock
from burnish.store.sqlite_journal import hold_briefly, open_briefly, open_journal

__all__ = ["AlreadyDecided", "BulkResult", "DecisionResult", "MovedOn", "ReviewService", "Step", "TooLate"]

LONGEST_NAME = 200
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


Outcome = DecisionResult | BurnishError
"""The result of a step, or the error that refused it."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A step of a command before it is recorded."""

    step: Step
    entry: InboxEntry | Withdrawal
    follows: Consequence | None
    """None: a decision is taken out of the inbox, so nothing is written."""


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
        """Record a decision about one unit: see `decide`."""
        [result] = self.decide(run, [Step(unit, verdict, seen, note, text)], by=by, now=now)
        return result

    def undo(self, run: str, unit: str, *, by: str, of: str | None = None) -> DecisionResult:
        """Undo the last decision about a unit, or the one of the moment `of`: see `decide`."""
        [result] = self.decide(run, [Step(unit, "undo", of)], by=by)
        return result

    def decide(self, run: str, steps: Sequence[Step], *, by: str, now: bool = False) -> list[DecisionResult]:
        """Record a command: the decisions of one person about one or several units, all of them or none.

        Raise AlreadyDecided if another person was faster at one of them, MovedOn if the run has worked on it since it
        was shown, LastOfPair if another person dropped its near-duplicate, and TooLate if a task began with a decision
        to undo. `now`: a process at work on the run applies it at its next pause, without the 30 seconds in which
        undoing it costs nothing.
        """
        units = [step.unit for step in steps]
        if twice := next((unit for unit in units if units.count(unit) > 1), None):
            raise UsageError(f"The decision names {twice} twice.", hint="Name each unit once.")
        command = secrets.token_hex(8)
        results = self._carry_out(existing_run(self._runs, run), steps, _name(by), command, is_one=True, now=now)
        return [_raised(results[unit]) for unit in units]

    def decide_all(
        self,
        run: str,
        units: Sequence[str],
        *,
        by: str,
        verdict: Literal["accept", "reject", "dismiss"] = "accept",
        note: str | None = None,
        seen: Mapping[str, str] | None = None,
        text: str | None = None,
    ) -> BulkResult:
        """Accept all of these units that wait for a person, send them back, or dismiss what `text` says. Other units,
        and those that refuse it, are skipped.

        `seen`: unit -> the `at` of the row that was shown; units that changed since then are skipped, too. They are
        written in portions, each of them atomic, and others may decide in between.
        """
        moments, reason = seen or {}, note_of(note)
        steps = [Step(unit, verdict, moments.get(unit), reason, text) for unit in dict.fromkeys(units)]
        bulk, folder = secrets.token_hex(8), existing_run(self._runs, run)
        made = self._carry_out_each(folder, steps, _name(by), bulk)
        done = [result for result in made.values() if isinstance(result, DecisionResult)]
        refused = {unit: one.message for unit, one in made.items() if isinstance(one, BurnishError)}
        in_effect = all(result.in_effect for result in done)
        return BulkResult(folder.id, _name(by), tuple(result.unit for result in done), refused, in_effect, bulk)

    def undo_all(self, run: str, meant: Mapping[str, str | None], *, by: str) -> UndoResult:
        """Undo decisions about many units; those without a decision, or with another one, are skipped.

        `meant`: unit -> the `at` of the decision to undo; None: the last one.
        """
        folder, steps = existing_run(self._runs, run), [Step(unit, "undo", of) for unit, of in meant.items()]
        made = self._carry_out_each(folder, steps, _name(by), secrets.token_hex(8))
        refused = {unit: one.message for unit, one in made.items() if isinstance(one, BurnishError)}
        return UndoResult(folder.id, _name(by), tuple(unit for unit in meant if unit not in refused), refused)

    def _carry_out_each(self, folder: RunFolder, steps: Sequence[Step], by: str, bulk: str) -> dict[str, Outcome]:
        """Record each step by itself, in portions."""
        made: dict[str, Outcome] = {}
        for portion in _portions(steps):
            if made:
                sleep(BREATH_SECONDS)
            made |= self._carry_out(folder, portion, by, bulk, is_one=False)
        return made

    def _carry_out(
        self, folder: RunFolder, steps: Sequence[Step], by: str, command: str, *, is_one: bool, now: bool = False
    ) -> dict[str, Outcome]:
        """Unit -> the result of its decision, or the error. One connection and one transaction, however many units.
        `is_one`: all of them or none; then an error of one of them is raised."""
        together = command if is_one and len(steps) > 1 else None
        made: dict[str, Outcome] = {}
        prepared: dict[str, _Prepared] = {}
        with self._writing(folder) as (run, journal):
            dropped = {step.unit for step in steps if step.verdict == "drop"} if is_one else set[str]()
            for step in steps:
                try:
                    if (gone := _already_dropped(run, step, dropped)) is not None:
                        made[step.unit] = gone
                        continue
                    mark = f"{command}-{secrets.token_hex(8)}"
                    prepared[step.unit] = self._prepared(run, step, by, mark, dropped, together, now=now)
                except (UsageError, InputError, RunActive) as why:
                    if is_one:
                        raise
                    made[step.unit] = why
            refused = self._entered(run, journal, prepared.values())
            for unit, one in prepared.items():
                in_the_way = refused.get(unit)
                made[unit] = self._result(run, one) if in_the_way is None else self._conflict(run, one, in_the_way)
        return made

    def _prepared(
        self,
        run: RunDecisions,
        step: Step,
        by: str,
        mark: str,
        dropped: Collection[str],
        command: str | None,
        *,
        now: bool,
    ) -> _Prepared:
        """A step with everything that it leads to. Raise the error that refuses it."""
        _refuse_long(step.text, LONGEST_TEXT, "text")
        request = DecisionRequest(step.verdict, by, note_of(step.note), step.text, mark, self._token())
        moment = self._clock()
        if step.verdict == "undo":
            for entry in run.journal.inbox("waiting", "failed", unit=step.unit):
                if step.seen in (None, entry.at):
                    return _Prepared(step, Withdrawal(entry.mark, step.unit, by, iso(moment), command), None)
            row, follows = run.row(step.unit), self._undoing(run, step, by)
        else:
            row = self._decidable(run, step)
            follows = run.follows(row, request)
        grace = timedelta() if now or step.verdict == "undo" else GRACE
        entry = InboxEntry(
            mark,
            row.id,
            step.verdict,
            by,
            None if request.note is None else str(self._redactor.diagnostics(request.note)),
            step.text,
            seen=row.at,
            at=iso(moment),
            due=iso(moment + grace),
            token=request.token,
            command=command,
            beside=run.staying_beside(step, by, dropped) if step.verdict == "drop" else {},
        )
        return _Prepared(step, entry, follows)

    def _decidable(self, run: RunDecisions, step: Step) -> UnitRow:
        """The row of a unit that is open for a decision."""
        row, waiting = run.row(step.unit), run.kind.states.waiting
        run.refuse_decided(row)
        if step.verdict != "reopen" or step.seen is not None:  # an accepted unit need not wait to be reopened
            run.refuse_stale(row, step.seen)
        if row.state != waiting and self._worker(run.folder):
            # While the run is at work, only a waiting unit is certain not to change.
            raise RunActive(f"The run {run.folder.id} is working on {row.id}.", hint="Decide once the unit waits.")
        return row

    def _undoing(self, run: RunDecisions, step: Step, by: str) -> Consequence:
        """The records that undo an applied decision. Raise the error if it cannot be undone."""
        row = run.row(step.unit)
        run.refuse_decided(row, NOT_TAKEN_BACK)
        run.refuse_other(row, step.seen)
        return run.undone(row, by=by, token=self._token())

    # -- the inbox

    def _entered(self, run: RunDecisions, journal: BriefJournal, prepared: Collection[_Prepared]) -> Refusals:
        """Record the steps: applied at once, or in the inbox of the process that is at work on the run."""
        entries = [one.entry for one in prepared]
        decided = {one.entry.mark: one.follows.records for one in prepared if one.follows is not None}
        if not entries:
            return {}
        refused = self._applied(run.folder, journal, entries, decided)
        if refused is None:
            refused = Inbox(run.folder, journal.connection).add(entries)
        if journal.inbox("waiting", "withdrawn"):  # ours, if the process has just ended; or those of others
            self._apply_if_free(run.folder, 0.0)
        return refused

    def _applied(
        self,
        folder: RunFolder,
        journal: BriefJournal,
        entries: Sequence[InboxEntry | Withdrawal],
        decided: Mapping[str, Sequence[Record]],
    ) -> Refusals | None:
        """Apply the steps at once; None if a process is at work on the run, or others decide in it for too long."""
        deadline = monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with hold_briefly(folder, self._clock) as take_overs:
                    return journal.decide(entries, decided, take_overs)
            except RunActive:
                if self._worker(folder) or monotonic() > deadline:
                    return None
                sleep(0.005)

    def _conflict(self, run: RunDecisions, one: _Prepared, unit: str) -> UsageError:
        """The conflict with a faster decision about a unit, which waits or is already applied."""
        if unit != one.step.unit and (last := run.last_drop(unit)) is not None:
            return LastOfPair(last, one.step.unit)
        row = run.row(unit)
        try:
            if one.step.verdict == "undo" and unit == one.step.unit:
                self._undoing(run, one.step, one.entry.by)
            else:
                run.refuse_decided(row)
                run.refuse_stale(row, "")
        except UsageError as conflict:
            return conflict
        return MovedOn(row)

    def _result(self, run: RunDecisions, one: _Prepared) -> DecisionResult:
        """The current result of a step."""
        entry = one.entry
        if isinstance(entry, Withdrawal):
            return DecisionResult(run.folder.id, entry.unit, "undo", entry.by, None, entry.at, run.row(entry.unit))
        assert one.follows is not None, "only a withdrawal writes nothing"
        every = run.journal.inbox("waiting", "applied", "failed", unit=entry.unit)
        [now] = [each for each in every if each.mark == entry.mark]
        if now.waits:
            is_edit = entry.verdict == "edit"
            texts = [record for record in one.follows.records if is_edit and isinstance(record, AttemptRecord)]
            errors = tuple(finding for text in texts for finding in findings_of(text) if finding.blocks)
            keeps_waiting = one.follows.row.reason == EDIT_HAS_ERRORS
            return replace(run.waiting(now), errors=errors, keeps_waiting=keeps_waiting)
        if now.state == "failed":
            raise UsageError(str(now.why), hint="Look at the unit again.")
        events = run.made(entry.unit)
        made = [event for event in events if event.data.get("mark") == entry.mark]
        result = run.result((made or events)[-1])
        if entry.verdict == "edit":
            with suppress(SourceUnavailable):  # the decision counts even if this cannot be checked now
                result = replace(result, warning=run.why_not_held(result.row))
        return result

    # -- reading

    def refuse_changed(self, run: str, seen: Mapping[str, str]) -> None:
        """Raise AlreadyDecided or MovedOn if one of these units is decided or changed since it was shown."""
        with self._opened(existing_run(self._runs, run)) as looked:
            for unit, at in seen.items():
                row = looked.row(unit)
                looked.refuse_decided(row, NOBODY_ASKED)
                looked.refuse_stale(row, at, NOBODY_ASKED)

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
    def _writing(self, folder: RunFolder) -> Iterator[tuple[RunDecisions, BriefJournal]]:
        with closing(open_briefly(folder.journal, clock=self._clock, redactor=self._redactor)) as journal:
            yield decisions_of(folder, journal, self._redactor, thorough=self._is_thorough), journal

    @contextmanager
    def _opened(self, folder: RunFolder) -> Iterator[RunDecisions]:
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            yield decisions_of(folder, journal, self._redactor, thorough=self._is_thorough)


def _portions(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    return (steps[first : first + PORTION] for first in range(0, len(steps), PORTION))


def _raised(outcome: Outcome) -> DecisionResult:
    if isinstance(outcome, BurnishError):
        raise outcome
    return outcome


def _already_dropped(run: RunDecisions, step: Step, dropped: Collection[str]) -> DecisionResult | None:
    """The earlier drop of a unit that a person drops together with its near-duplicate; None if it is not dropped."""
    if step.verdict != "drop" or len(dropped) < 2 or run.row(step.unit).state != run.kind.states.dropped:
        return None
    stay = [unit for unit in dropped if run.row(unit).state != run.kind.states.dropped]
    if not stay or step.seen not in (None, run.row(step.unit).at):
        return None
    return run.last_drop(step.unit)


def _name(by: str) -> str:
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides.")
    _refuse_long(by, LONGEST_NAME, "name")
    return by.strip()


def _refuse_long(text: str | None, most: int, what: str) -> None:
    if text is not None and len(text) > most:
        raise UsageError(f"The {what} is longer than {most:,} characters.")
