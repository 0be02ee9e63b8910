"""The poll: what people said of rules and judges over all runs. The same word, repeated in another run, counts once.

Who decides next waits for it, so nothing is counted anew: each run keeps its own sums, and what several runs hold of
the same is taken off. Only drawers that have changed, and that more than one run has something in, are looked through.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from burnish.app.catalogue.drawers import Cabinet, Drawer, Tally, drawer_of
from burnish.app.catalogue.precision import PrecisionLine
from burnish.app.catalogue.run import RunCatalogue
from burnish.app.catalogue.summing import precision_of

AT_A_TIME = 50_000
"""Words that are compared together: so many keys are in memory."""
Opened = Callable[[str], RunCatalogue]
"""How a run is opened."""
Excess = dict[int, Counter[tuple[str, bool]]]
"""Drawer -> of whom and what words speak that are there more than once, and how often too much."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """A run as it is in the poll."""

    kind: str
    stamp: object
    """What the run was like then."""
    cabinet: Cabinet

    def changed(self, now: Cabinet | None) -> Iterator[int]:
        """The drawers that are not what they were; None: the run has gone."""
        before, after = self.cabinet.drawers, now.drawers if now is not None else {}
        is_same = now is not None and now.made == self.cabinet.made
        return (number for number in {*before, *after} if not is_same or before.get(number) != after.get(number))


@dataclass(slots=True)
class Poll:
    """People's words over all runs. For one thread at a time: whoever uses it holds its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    _heard: dict[str, _Heard] = field(default_factory=dict)
    _excess: dict[str, Excess] = field(default_factory=lambda: defaultdict(dict))
    """By kind."""
    _stale: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Kind -> drawers whose excess is to be looked for."""

    def has_heard(self, run: str, stamp: object) -> bool:
        """Whether a run is in the poll as it is now."""
        known = self._heard.get(run)
        return known is not None and known.stamp == stamp

    def hear(self, run: RunCatalogue, stamp: object) -> None:
        """Take a run in as it is now. While its catalogue is still being made, what was known of it stands."""
        if run.reading is None:
            self._take(run.view.folder.id, _Heard(run.view.plan.kind, stamp, run.cabinet()))

    def leave(self, runs: Collection[str]) -> None:
        """Forget all runs but these."""
        for gone in set(self._heard) - set(runs):
            known = self._heard.pop(gone)
            self._stale[known.kind].update(known.changed(None))

    def lines(self, opened: Opened) -> list[PrecisionLine]:
        """Rules and judges, kind by kind."""
        for kind, stale in self._stale.items():
            self._compare(kind, stale, opened)
        self._stale.clear()
        kinds = sorted({known.kind for known in self._heard.values()})
        return [line for kind in kinds for line in precision_of(kind, self._tallies(kind))]

    def _take(self, run: str, now: _Heard) -> None:
        known = self._heard.get(run)
        if known is not None and known.kind != now.kind:
            self._stale[known.kind].update(known.changed(None))
            known = None
        changed = now.cabinet.drawers if known is None else known.changed(now.cabinet)
        self._stale[now.kind].update(changed)
        self._heard[run] = now

    def _compare(self, kind: str, stale: Iterable[int], opened: Opened) -> None:
        """Look for what is in some drawers more than once."""
        having = _having(self._of(kind), stale)
        excess = self._excess[kind]
        for number in stale:
            excess.pop(number, None)
        for numbers in _portions(having):
            runs = sorted({run for number in numbers for run in having[number]})
            for word, who, is_right in _repeated(runs, numbers, opened):
                excess.setdefault(drawer_of(word), Counter())[who, is_right] += 1

    def _tallies(self, kind: str) -> list[Tally]:
        sums = Counter[tuple[str, bool]]()
        for known in self._of(kind).values():
            for tally in known.cabinet.tallies:
                sums[tally.who, tally.is_right] += tally.count
        for more in self._excess[kind].values():
            sums.subtract(more)
        # A run that moved while it was compared may have too much taken off, until it is heard again.
        return [Tally(who, is_right, max(0, count)) for (who, is_right), count in sums.items()]

    def _of(self, kind: str) -> dict[str, _Heard]:
        return {run: known for run, known in self._heard.items() if known.kind == kind}


def _having(heard: Mapping[str, _Heard], drawers: Iterable[int]) -> dict[int, dict[str, int]]:
    """Drawer -> how many words each run has in it, of the drawers that several runs have something in."""
    none = Drawer(0, 0)
    every = {
        number: {run: words for run, known in heard.items() if (words := known.cabinet.drawers.get(number, none).words)}
        for number in drawers
    }
    return {number: runs for number, runs in every.items() if len(runs) > 1}


def _portions(having: Mapping[int, Mapping[str, int]]) -> Iterator[list[int]]:
    """Drawers that are compared together."""
    portion: list[int] = []
    room = AT_A_TIME
    for number, runs in having.items():
        portion.append(number)
        room -= sum(runs.values())
        if room <= 0:
            yield portion
            portion, room = [], AT_A_TIME
    if portion:
        yield portion


def _repeated(runs: Iterable[str], drawers: Collection[int], opened: Opened) -> Iterator[tuple[int, str, bool]]:
    """The words in some drawers that another run has said before."""
    known: set[int] = set()
    for run in runs:
        catalogue = opened(run)
        said = catalogue.keys(drawers)
        yield from catalogue.words(known & said)
        known |= said
