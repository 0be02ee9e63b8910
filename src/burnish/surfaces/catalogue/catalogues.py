"""All runs of a folder, as pages and programs look at them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from itertools import chain
from pathlib import Path

from burnish.core.errors import BurnishError
from burnish.store.clock import Clock, system_clock
from burnish.store.paths import existing_runs
from burnish.surfaces.catalogue.cards import BrokenRun, RunCard
from burnish.surfaces.catalogue.filters import QueueFilter, UnitFilter
from burnish.surfaces.catalogue.precision import PrecisionLine
from burnish.surfaces.catalogue.queue import QueueLine
from burnish.surfaces.catalogue.run import RunCatalogue

MOST_OPEN = 32


class Catalogues:
    """Every run of a folder. For any number of threads."""

    def __init__(self, runs: Path, *, clock: Clock = system_clock) -> None:
        self._runs = runs
        self._clock = clock
        self._open: OrderedDict[str, RunCatalogue] = OrderedDict()
        self._lock = threading.RLock()

    def cards(self) -> list[RunCard | BrokenRun]:
        """Every run, newest activity first; those that cannot be read come last."""
        found = [self._card(folder.id) for folder in existing_runs(self._runs)]
        cards = [card for card in found if isinstance(card, RunCard)]
        cards.sort(key=lambda card: card.active_at, reverse=True)
        return [*cards, *(card for card in found if isinstance(card, BrokenRun))]

    def open(self, run: str) -> RunCatalogue:
        """A run, brought up to date. UsageError for one that is not there."""
        with self._lock:
            if run not in self._open:
                self._open[run] = RunCatalogue(self._runs, run, self._clock)
            self._open.move_to_end(run)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)[1].close()
            return self._open[run]

    def queue(self, where: QueueFilter, *, offset: int = 0, limit: int = 50) -> list[QueueLine]:
        """Waiting units, what unblocks most first."""
        cards = [card for card in self.cards() if isinstance(card, RunCard) and card.waiting]
        cards = [card for card in cards if where.kind in (None, card.kind) and where.run in (None, card.id)]
        cards.sort(key=lambda card: card.waiting)
        lines = list(chain.from_iterable(self._waiting(card, where) for card in cards))
        return lines[offset : offset + limit]

    def queue_place(self, where: QueueFilter, run: str, unit: str) -> int | None:
        """The number of a unit in the queue, from 0: what `offset` takes. None: it does not wait, or not there."""
        every = self.queue(where, limit=1_000_000)
        return next((place for place, one in enumerate(every) if (one.run, one.line.id) == (run, unit)), None)

    def queue_counts(self) -> dict[str, int]:
        """Kind -> how many units wait for a person."""
        counts: dict[str, int] = {}
        for card in self.cards():
            if isinstance(card, RunCard) and card.waiting:
                counts[card.kind] = counts.get(card.kind, 0) + card.waiting
        return counts

    def precision(self) -> list[PrecisionLine]:
        """Rules and judges over all runs."""
        return []

    def close(self) -> None:
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def _card(self, run: str) -> RunCard | BrokenRun:
        try:
            return self.open(run).card
        except BurnishError as broken:
            return BrokenRun(run, broken.message, broken.hint)

    def _waiting(self, card: RunCard, where: QueueFilter) -> list[QueueLine]:
        run = self.open(card.id)
        causes = {cause.cause: cause.count for cause in run.causes()}
        waiting = UnitFilter((run.view.kind.states.waiting,), cause=where.cause, document=where.document)
        return [
            QueueLine(card.id, card.title, card.kind, card.noun, line, card.waiting, causes[str(line.cause)])
            for line in run.units(waiting, limit=1_000_000).lines
        ]
