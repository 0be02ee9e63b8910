"""The desk: where people's decisions are taken in, one after the other, whatever else goes on.

A run is owned only for the moment of a decision. While another process is at work on it, a decision goes into the
run's tray, and is put into effect when the run rests. Whoever was slower than somebody else is told what was decided.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from burnish.core.decisions import standing_decisions
from burnish.core.documents import Unit
from burnish.core.errors import BurnishError, RunActive, TooLate, UsageError
from burnish.core.records import Record
from burnish.engine.deciding import Consequence, Decision
from burnish.store.clock import Clock, iso, system_clock
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.sqlite_journal import open_journal
from burnish.store.tray import Tray, TrayEntry
from burnish.surfaces.catalogue import Catalogues
from burnish.surfaces.in_hand import PATIENCE_SECONDS, RunInHand, Wish, in_hand, taken_in_hand
from burnish.surfaces.laying import lay, lay_all, take_out
from burnish.surfaces.rulings import (
    AlreadyDecided,
    Bulk,
    MovedOn,
    Ruling,
    TakenBack,
    decisions_about,
    is_in_effect,
    refuse_stale,
    ruling_in_tray,
    ruling_of,
)
from burnish.surfaces.secrecy import redactor_of
from burnish.surfaces.settings import Settings
from burnish.surfaces.settling import PORTION, clear, settle

__all__ = ["AlreadyDecided", "Bulk", "Desk", "MovedOn", "Ruling", "TakenBack", "TooLate", "TrayEntry"]

T = TypeVar("T")
LONGEST_NAME = 200
LONGEST_NOTE = 20_000
LONGEST_TEXT = 1_000_000
"""Characters."""


class Desk:
    """People's decisions about the runs of one folder. For any number of threads."""

    def __init__(self, runs: Path, settings: Settings, catalogues: Catalogues, clock: Clock = system_clock) -> None:
        self._runs = runs
        self._redactor = redactor_of(settings)
        self._catalogues = catalogues
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
        deadline = time.monotonic() + PATIENCE_SECONDS
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
                    if time.monotonic() > deadline:
                        raise

    def _decided(self, hand: RunInHand, unit: str, wish: Wish, seen: str | None) -> Ruling:
        row = hand.row(unit)
        refuse_stale(hand.folder.id, hand.journal, row, seen, hand.kind.states.waiting)
        follows = hand.follows(row, wish)
        hand.journal.write_now(*follows.records)
        clear(hand, [unit])
        warning = hand.why_not_held(follows.row) if wish.verdict == "edit" else None
        return replace(_newest(hand, unit), warning=warning)

    def accept_all(self, run: str, units: Sequence[str], *, by: str, note: str | None = None) -> Bulk:
        """Accept all of these units that wait for a person. Those that do not, or cannot be accepted, are passed over.

        They are written in portions, each of them whole or not at all.
        """
        wish = _wish("accept", by, note, None)

        def accepted(hand: RunInHand, unit: str) -> Consequence:
            row = hand.row(unit)
            refuse_stale(hand.folder.id, hand.journal, row, None, hand.kind.states.waiting)
            return hand.follows(row, Wish("accept", wish.by, wish.note))

        return self._now_or_later(
            run,
            lambda hand: Bulk(hand.folder.id, wish.by, *self._each(hand, units, accepted)),
            lambda hand, active: lay_all(hand, units, wish, self._clock, active),
        )

    def _each(
        self, hand: RunInHand, units: Sequence[str], follows: Callable[[RunInHand, str], Consequence]
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """Units about which something could be decided; and why not about the others."""
        every, done, passed_over = list(dict.fromkeys(units)), list[str](), dict[str, str]()
        for first in range(0, len(every), PORTION):
            records: list[Record] = []
            portion: list[str] = []
            for unit in every[first : first + PORTION]:
                try:
                    records += follows(hand, unit).records
                    portion.append(unit)
                except UsageError as refused:
                    passed_over[unit] = refused.message
            hand.journal.write_now(*records)
            clear(hand, portion)
            done += portion
        return tuple(done), passed_over

    # -- taking back

    def undo(self, run: str, unit: str, *, by: str) -> Ruling:
        """Take the last decision about a unit back. TooLate once the run has gone on from it."""
        name = _name(by)
        return self._now_or_later(
            run,
            lambda hand: self._undone(hand, unit, name),
            lambda hand, active: take_out(hand, unit, name, self._clock, active),
        )

    def _undone(self, hand: RunInHand, unit: str, by: str) -> Ruling:
        row = hand.row(unit)
        if any(entry.unit == unit for entry in hand.tray.entries()):
            # It could not be put into effect, or it would be in the journal by now.
            clear(hand, [unit])
            return Ruling(hand.folder.id, unit, "undo", by, None, iso(self._clock()), row, in_effect=False)
        hand.journal.write_now(*hand.undone(row, by=by).records)
        return _newest(hand, unit)

    def undo_all(self, run: str, units: Sequence[str], *, by: str) -> TakenBack:
        """The same for many units; those of which nothing can be taken back are passed over.

        RunActive where the run is at work: what lies in its tray is taken out one by one.
        """
        name = _name(by)
        with self._turn(run) as folder, self._in_hand(folder) as hand:
            back = self._each(hand, units, lambda hand, unit: hand.undone(hand.row(unit), by=name))
            return TakenBack(folder.id, name, *back)

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
        if all(entry.why is not None for entry in self.in_tray(run)):
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
        """One decision at a time about a run, as far as this process goes."""
        folder = existing_run(self._runs, run)
        with self._door:
            turn = self._turns.setdefault(folder.id, threading.Lock())
        with turn:
            yield folder

    @contextmanager
    def _in_hand(self, folder: RunFolder) -> Iterator[RunInHand]:
        """The run, to decide about its units. What was laid into its tray was decided before."""
        with self._owned(folder) as hand:
            settle(hand)
            yield hand

    @contextmanager
    def _owned(self, folder: RunFolder) -> Iterator[RunInHand]:
        with taken_in_hand(folder, self._clock, self._redactor, self._source_of(folder)) as hand:
            yield hand

    @contextmanager
    def _looked_at(self, folder: RunFolder) -> Iterator[RunInHand]:
        with closing(open_journal(folder.journal, clock=self._clock, read_only=True)) as journal:
            yield in_hand(folder, journal, self._redactor, self._source_of(folder))

    def _source_of(self, folder: RunFolder) -> Callable[[str], Unit]:
        return lambda unit: self._catalogues.open(folder.id).story(unit).source


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
