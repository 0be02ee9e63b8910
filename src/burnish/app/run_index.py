"""All runs of a folder, for pages and programs."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from burnish.app.rulebook import DecidedRun, Precision, PrecisionLine, Word
from burnish.app.run_card import BrokenRun, Facts, RunCard, Trace, card_of, facts_of
from burnish.app.run_reader import RunReader, UnitLine
from burnish.app.runs import View
from burnish.core.errors import BurnishError, UsageError
from burnish.core.records import EventRecord
from burnish.engine.plan import Plan
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import open_journal
from burnish.store.unit_queries import QueueFilter

MOST_OPEN = 32
"""Runs whose journals are kept open for the next page."""


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One waiting unit of the review queue."""

    run: str
    title: str
    """The title of the run."""
    kind: str
    noun: str
    line: UnitLine
    """The unit: id, reason, words, cause, excerpt, ..."""
    waiting: int
    """How many units of its run wait, including this one."""
    same_cause: int
    """How many units of its run wait for the same cause, including this one."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A run with an open journal."""

    run: RunReader
    journal: Journal
    plan: Plan
    began: EventRecord | None
    file: int
    """The inode number of the journal."""

    def is_of(self, facts: Facts, file: int) -> bool:
        """Whether it is still the same run: another may have been begun, or restored from a copy."""
        return (self.plan, self.began, self.file) == (facts.plan, facts.started, file)


class RunIndex:
    """Every run of a folder. Safe for threads."""

    def __init__(self, runs: Path, *, clock: Clock = system_clock) -> None:
        self._runs = runs
        self._clock = clock
        self._known: dict[str, tuple[Trace, Facts | BrokenRun]] = {}
        """Run -> the trace of its journal, and the facts read at that time."""
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._precision = Precision()
        self._lock = threading.RLock()

    # -- runs

    def cards(self) -> list[RunCard | BrokenRun]:
        """Every run, newest activity first; those that cannot be read come last."""
        every = {folder.id: self._facts(folder) for folder in existing_runs(self._runs)}
        for gone in set(self._known) - set(every):
            self._known.pop(gone, None)
        cards = [card_of(facts, self._clock) for facts in every.values() if isinstance(facts, Facts)]
        cards.sort(key=lambda card: card.active_at, reverse=True)
        return [*cards, *(facts for facts in every.values() if isinstance(facts, BrokenRun))]

    def _facts(self, folder: RunFolder) -> Facts | BrokenRun:
        known, trace = self._known.get(folder.id), Trace.of(folder)
        if known is not None and known[0] == trace and trace.is_settled:
            return known[1]
        try:
            facts: Facts | BrokenRun = facts_of(folder)
        except BurnishError as broken:
            facts = BrokenRun(folder.id, broken.message, broken.hint)
        self._known[folder.id] = trace, facts
        return facts

    def open(self, run: str) -> RunReader:
        """A run, for reading. Raise UsageError if there is no such run."""
        folder = existing_run(self._runs, run)
        facts = self._facts(folder)
        if isinstance(facts, BrokenRun):
            facts = facts_of(folder)  # raises the error
        with self._lock:
            found, file = self._open.get(folder.id), folder.journal.stat().st_ino
            if found is None or not found.is_of(facts, file):
                journal = open_journal(folder.journal, clock=self._clock, read_only=True)
                view = View(folder, journal, facts.plan, facts.kind)
                reader = RunReader(view, journal, partial(self._card, folder))
                # Closed when the last page has released it: it may be in use when it is removed from `_open`.
                weakref.finalize(reader, journal.close)
                found = self._open[folder.id] = _Open(reader, journal, facts.plan, facts.started, file)
            self._open.move_to_end(folder.id)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return found.run

    def _card(self, folder: RunFolder) -> RunCard:
        facts = self._facts(folder)
        return card_of(facts if isinstance(facts, Facts) else facts_of(folder), self._clock)

    # -- the queue

    def queue(self, where: QueueFilter, *, offset: int = 0, limit: int = 50) -> list[QueueLine]:
        """Waiting units, what unblocks most first."""
        found: list[QueueLine] = []
        for card in self._waiting(where):
            number = self._how_many(card, where)
            if offset >= number:
                offset -= number
                continue
            lines = self.open(card.id).waiting(where, offset=offset, limit=limit - len(found))
            found += [
                QueueLine(card.id, card.title, card.kind, card.noun, line, card.waiting, same) for line, same in lines
            ]
            offset = 0
            if len(found) >= limit:
                break
        return found

    def waiting_ones(self, units: Iterable[tuple[str, str]]) -> list[QueueLine]:
        """Those of these pairs of run and unit that wait for a person."""
        found: list[QueueLine] = []
        for id, unit in units:
            try:
                run = self.open(id)
                line = run.line(unit)
            except UsageError:  # the run was removed, or is just being started
                continue
            if line is not None and line.sort == "person":
                card = run.card
                found.append(QueueLine(id, card.title, card.kind, card.noun, line, card.waiting, 1))
        return found

    def queue_place(self, where: QueueFilter, run: str, unit: str) -> int | None:
        """The place of a unit in the queue, from 0, for `offset`. None if it does not wait in this run."""
        before = 0
        for card in self._waiting(where):
            if card.id == run:
                place = self.open(run).place_in_queue(where, unit)
                return None if place is None else before + place
            before += self._how_many(card, where)
        return None

    def queue_total(self, where: QueueFilter) -> int:
        """How many units wait under a filter."""
        return sum(self._how_many(card, where) for card in self._waiting(where))

    def queue_counts(self) -> dict[str, int]:
        """Kind -> how many units wait for a person."""
        counts: dict[str, int] = {}
        for card in self._waiting(QueueFilter()):
            counts[card.kind] = counts.get(card.kind, 0) + card.waiting
        return counts

    def _waiting(self, where: QueueFilter) -> list[RunCard]:
        """Runs that wait for decisions: first those where a decision unblocks most, and nothing else is to do."""
        cards = [card for card in self.cards() if isinstance(card, RunCard) and card.waiting]
        chosen = [card for card in cards if where.kind in (None, card.kind) and where.run in (None, card.id)]
        return sorted(chosen, key=_order)

    def _how_many(self, card: RunCard, where: QueueFilter) -> int:
        is_whole = where.cause is None and where.document is None
        return card.waiting if is_whole else self.open(card.id).how_many_wait(where)

    # -- people's decisions as numbers

    def precision(self) -> list[PrecisionLine]:
        """The precision of rules and judges over all runs, kind by kind."""
        decided = {}
        for folder in existing_runs(self._runs):
            facts = self._facts(folder)
            if isinstance(facts, Facts) and facts.decided:
                # Another journal in its place may have a last decision of the same number.
                identity = facts.plan.nonce, facts.started, folder.journal.stat().st_ino
                words = partial(self._words, folder.id)
                decided[folder.id] = DecidedRun(facts.plan.kind, identity, facts.decided, words)
        return self._precision.lines(decided)

    def precision_by_day(self, kind: str | None = None) -> list[PrecisionLine]:
        """The precision of all rules and judges together, day by day."""
        days: dict[str, list[int]] = {}
        for folder in existing_runs(self._runs):
            facts = self._facts(folder)
            if isinstance(facts, Facts) and facts.decided and kind in (None, facts.plan.kind):
                for day, is_right, number in self.open(folder.id).judgements_by_day():
                    sums = days.setdefault(day, [0, 0])
                    sums[0] += number if is_right else 0
                    sums[1] += number
        return [PrecisionLine.counted(day, "", *sums) for day, sums in sorted(days.items()) if sums[1] > 0]

    def _words(self, run: str, seq: int) -> list[Word]:
        return self.open(run).judgements_after(seq)

    def close(self) -> None:
        with self._lock:
            while self._open:
                self._open.popitem()[1].journal.close()


def _order(card: RunCard) -> tuple[object, ...]:
    rest = card.requested - card.ready - card.waiting
    return -(card.requested / card.waiting), rest > 0, card.waiting, card.id
