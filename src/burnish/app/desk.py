"""The desk: where people's decisions are taken in, one after the other, whatever else goes on.

A run is owned only for the moment of a decision. While another process is at work on it, a decision goes into the
run's tray, and is put into effect when the run rests. Whoever was slower than somebody else is told what was decided.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from burnish.app.in_hand import PATIENCE_SECONDS, RunInHand, Wish, in_hand, taken_in_hand
from burnish.app.laying import lay, lay_all, take_all_out, take_out
from burnish.app.many import each, undoing
from burnish.app.rulings import (
    AlreadyDecided,
    Bulk,
    Busy,
    MovedOn,
    Portion,
    Ruling,
    TakenBack,
    decisions_about,
    is_in_effect,
    is_meant,
    refuse_laid,
    refuse_stale,
    ruling_in_tray,
    ruling_of,
)
from burnish.app.secrecy import redactor_of
from burnish.app.settings import Settings
from burnish.app.settling import PORTION, clear, settle
from burnish.core.decisions import standing_decisions
from burnish.core.errors import BurnishError, RunActive, TooLate, UsageError
from burnish.core.records import Record
from burnish.engine.deciding import Decision
from burnish.store.clock import Clock, iso, system_clock
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.sqlite_journal import open_journal
from burnish.store.tray import Tray, TrayEntry

__all__ = ["AlreadyDecided", "Bulk", "Busy", "Desk", "MovedOn", "Ruling", "TakenBack", "TooLate", "TrayEntry"]

T = TypeVar("T")
LONGEST_NAME = 200
LONGEST_NOTE = 20_000
LONGEST_TEXT = 1_000_000
"""Characters."""
TURN_SECONDS = 3.0
"""How long somebody waits here for others who decide about the same run."""
BREATH_SECONDS = 0.03
"""For how long a run is nobody's between two portions of many decisions: whoever waits for it looks more often."""


class Desk:
    """People's decisions about the runs of one folder. For any number of threads."""

    def __init__(self, runs: Path, settings: Settings, clock: Clock = system_clock) -> None:
        self._runs = runs
        self._redactor = redactor_of(settings)
        self._clock = clock
        self._turns: dict[str, threading.Lock] = {}
        self._door = threading.Lock()

    # -- deciding

    def decide(
        self,
        run: str,
        unit: str,
        verdict: Decision,
        *,
        by: str,
        note: str | None = None,
        text: str | None = None,
        seen: str | None = None,
    ) -> Ruling:
        """Record a decision. `seen`: the `at` of the row that the reviewer was shown.

        AlreadyDecided where somebody was quicker, MovedOn where the run has worked on the unit since it was seen.
        Without `seen` only a unit that waits for a person can be decided about.
        """
        wish = _wish(verdict, by, note, text)
        return self._now_or_later(
            run,
            lambda hand: self._decided(hand, unit, wish, seen),
            lambda hand, active: lay(hand, unit, wish, seen, self._clock, active),
        )

    def _now_or_later(
        self, run: str, now: Callable[[RunInHand], T], later: Callable[[RunInHand, RunActive], T | None]
    ) -> T:
        """Do it now; or, where a process is at work on the run, leave it for later. What comes to rest in between is
        taken now after all."""
        deadline = monotonic() + PATIENCE_SECONDS
        with self._turn(run) as folder:
            while True:
                try:
                    with self._in_hand(folder) as hand:
                        return now(hand)
                except RunActive as active:
                    with self._looked_at(folder) as hand:
                        left = later(hand, active)
                    if left is not None:
                        return left
                    if monotonic() > deadline:
                        raise Busy(folder.id) from active

    def _decided(self, hand: RunInHand, unit: str, wish: Wish, seen: str | None) -> Ruling:
        row = hand.row(unit)
        refuse_stale(hand.folder.id, hand.journal, row, seen, hand.kind.states.waiting)
        refuse_laid(hand.folder.id, hand.tray.entries(), row)
        follows = hand.follows(row, wish)
        hand.journal.write_now(*follows.records)
        clear(hand, [unit], by=wish.by, at=iso(self._clock()))
        warning = hand.why_not_held(follows.row) if wish.verdict == "edit" else None
        return replace(_newest(hand, unit), warning=warning)

    def accept_all(
        self,
        run: str,
        units: Sequence[str],
        *,
        by: str,
        note: str | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> Bulk:
        """Accept all of these units that wait for a person. Those that do not, or cannot be accepted, are passed over.

        `seen`: unit -> the `at` of its row when it was looked at; who has moved since is passed over, too. They are
        written in portions, each of them whole or not at all, and others may decide in between.
        """
        wish, bulk, moments = _wish("accept", by, note, None), secrets.token_hex(8), seen or {}

        def accepted(hand: RunInHand, unit: str, laid: TrayEntry | None) -> Sequence[Record]:
            row = hand.row(unit)
            refuse_stale(hand.folder.id, hand.journal, row, moments.get(unit), hand.kind.states.waiting)
            refuse_laid(hand.folder.id, [laid] if laid else (), row)
            return hand.follows(row, wish.one_of(bulk)).records

        def now(hand: RunInHand, some: Sequence[str]) -> Portion:
            portion = each(hand, some, accepted)
            clear(hand, portion.done, by=wish.by, at=iso(self._clock()))
            return portion

        def later(hand: RunInHand, some: Sequence[str], active: RunActive) -> Portion | None:
            return lay_all(hand, some, wish, bulk, moments, self._clock, active)

        made = self._in_portions(run, units, now, later)
        return Bulk(existing_run(self._runs, run).id, wish.by, made.done, made.passed_over, made.in_effect, bulk)

    def _in_portions(
        self,
        run: str,
        units: Iterable[str],
        now: Callable[[RunInHand, Sequence[str]], Portion],
        later: Callable[[RunInHand, Sequence[str], RunActive], Portion | None],
    ) -> Portion:
        """Something about many units. The run is given back again and again: nobody waits for all of it."""
        left = list(dict.fromkeys(units))
        done, passed_over, in_effect = list[str](), dict[str, str](), True
        while left:
            try:
                portion = self._now_or_later(run, partial(_some, now, left), partial(_few, later, left))
            except RunActive as held:
                if not done:
                    raise
                passed_over |= dict.fromkeys(left, held.message)
                break
            done += portion.done
            passed_over |= portion.passed_over
            in_effect = in_effect and portion.in_effect
            left = left[len(portion) :]
            if left:
                sleep(BREATH_SECONDS)
        return Portion(tuple(done), passed_over, in_effect)

    # -- taking back

    def undo(self, run: str, unit: str, *, by: str, of: str | None = None) -> Ruling:
        """Take the last decision about a unit back. TooLate once the run has gone on from it.

        `of`: the `at` of the decision that is meant. AlreadyDecided where another one stands by now, or none.
        """
        name = _name(by)
        return self._now_or_later(
            run,
            lambda hand: self._undone(hand, unit, name, of),
            lambda hand, active: take_out(hand, unit, name, of, self._clock, active),
        )

    def _undone(self, hand: RunInHand, unit: str, by: str, of: str | None) -> Ruling:
        laid = next((entry for entry in hand.tray.entries() if entry.unit == unit), None)
        records = undoing(hand, unit, laid, by, of)
        if not records:
            clear(hand, [unit], by=by, at=iso(self._clock()))
            return Ruling(hand.folder.id, unit, "undo", by, None, iso(self._clock()), hand.row(unit), in_effect=False)
        hand.journal.write_now(*records)
        return _newest(hand, unit)

    def undo_all(self, run: str, meant: Mapping[str, str | None], *, by: str) -> TakenBack:
        """The same for many units; where nothing can be taken back, or another decision stands, it is passed over.

        `meant`: unit -> the `at` of the decision that is meant; None: the last one.
        """
        name = _name(by)

        def now(hand: RunInHand, some: Sequence[str]) -> Portion:
            laid = {entry.unit: entry for entry in hand.tray.entries()}
            portion = each(hand, some, lambda hand, unit, entry: undoing(hand, unit, entry, name, meant[unit]))
            withdrawn = [unit for unit in portion.done if is_meant(laid.get(unit), meant[unit])]
            clear(hand, withdrawn, by=name, at=iso(self._clock()))
            return portion

        def later(hand: RunInHand, some: Sequence[str], active: RunActive) -> Portion | None:
            return take_all_out(hand, {unit: meant[unit] for unit in some}, name, self._clock, active)

        made = self._in_portions(run, meant, now, later)
        return TakenBack(existing_run(self._runs, run).id, name, made.done, made.passed_over)

    # -- looking

    def last(self, run: str, unit: str) -> Ruling | None:
        """The last decision about a unit that stands, be it in effect or in the tray; None where there is none."""
        with self._looked_at(existing_run(self._runs, run)) as hand:
            row = hand.row(unit)
            for entry in hand.tray.entries():
                if entry.unit == unit and entry.why is None and not is_in_effect(hand.journal, entry):
                    return ruling_in_tray(run, entry, row)
            standing = standing_decisions(decisions_about(hand.journal, unit))
            return ruling_of(run, hand.journal, standing[-1]) if standing else None

    def in_tray(self, run: str) -> tuple[TrayEntry, ...]:
        """What was decided while the run was at work, and is not in effect: it waits, or it could not be (`why`)."""
        return tuple(Tray(existing_run(self._runs, run).tray).entries())

    # -- the tray

    def settle(self, run: str) -> None:
        """Put into effect what lies in the tray; where the run is at work, that is done when it rests."""
        tray = Tray(existing_run(self._runs, run).tray)
        if all(entry.why is not None for entry in tray.entries()) and not tray.withdrawn():
            return
        with self._turn(run) as folder:
            try:
                with self._owned(folder) as hand:
                    settle(hand)
            except RunActive:
                # Whoever is at work on it began with the tray. What came since is settled at the next rest.
                return

    def settle_all(self) -> None:
        """The same for every run that rests: some are worked on by processes that nobody here watches. What is wrong
        with one of them is raised when all others are settled."""
        failures: list[BurnishError] = []
        for folder in existing_runs(self._runs):
            if folder.tray.exists() and live_holder(folder, self._clock) is None:
                try:
                    self.settle(folder.id)
                except BurnishError as failure:
                    failures.append(failure)
        if failures:
            raise failures[0]

    # -- taking runs in hand

    @contextmanager
    def _turn(self, run: str) -> Iterator[RunFolder]:
        """One decision at a time about a run, as far as this process goes. Busy where it takes too long."""
        folder = existing_run(self._runs, run)
        with self._door:
            turn = self._turns.setdefault(folder.id, threading.Lock())
        if not turn.acquire(timeout=TURN_SECONDS):
            raise Busy(folder.id)
        try:
            yield folder
        finally:
            turn.release()

    @contextmanager
    def _in_hand(self, folder: RunFolder) -> Iterator[RunInHand]:
        """The run, to decide about its units. What was laid into its tray was decided before."""
        with self._owned(folder) as hand:
            settle(hand)
            yield hand

    @contextmanager
    def _owned(self, folder: RunFolder) -> Iterator[RunInHand]:
        with taken_in_hand(folder, self._clock, self._redactor) as hand:
            yield hand

    @contextmanager
    def _looked_at(self, folder: RunFolder) -> Iterator[RunInHand]:
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            yield in_hand(folder, journal, self._redactor)


def _some(now: Callable[[RunInHand, Sequence[str]], T], units: Sequence[str], hand: RunInHand) -> T:
    return now(hand, units)


def _few(
    later: Callable[[RunInHand, Sequence[str], RunActive], T], units: Sequence[str], hand: RunInHand, active: RunActive
) -> T:
    return later(hand, units[:PORTION], active)


def _newest(hand: RunInHand, unit: str) -> Ruling:
    return ruling_of(hand.folder.id, hand.journal, decisions_about(hand.journal, unit)[-1])


def _wish(verdict: Decision, by: str, note: str | None, text: str | None) -> Wish:
    _refuse_long(note, LONGEST_NOTE, "note")
    _refuse_long(text, LONGEST_TEXT, "text")
    return Wish(verdict, _name(by), note if note is not None and note.strip() else None, text)


def _name(by: str) -> str:
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides.")
    _refuse_long(by, LONGEST_NAME, "name")
    return by.strip()


def _refuse_long(text: str | None, most: int, what: str) -> None:
    if text is not None and len(text) > most:
        raise UsageError(f"The {what} is longer than {most:,} characters.")
