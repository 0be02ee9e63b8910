"""How fast somebody decides: counted from the journals, so that it survives a restart and is the same in every tab."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice, pairwise
from statistics import median
from weakref import WeakKeyDictionary

from burnish.core.decisions import is_undo
from burnish.core.records import EventRecord
from burnish.store.clock import iso
from burnish.store.journal import Journal
from burnish.web.formatting import moment

BREAK = 300.0
"""Seconds after which somebody was not thinking about one unit any more."""
AT_ONCE = 0.5
"""Decisions closer to each other than this were made together."""
FEWEST = 3
"""Decisions from which a pace can be told."""
MOST_READ = 2_000
"""Decisions of one run that are looked at: thousands at once are no pace."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What one person decided today."""

    decided: int
    seconds_each: float | None
    """None: too few to say."""
    is_all: bool = True
    """False: it was more than that, and nobody counted on: thousands were decided at once."""

    def left(self, units: int) -> float | None:
        """Seconds until so many more are decided."""
        return None if self.seconds_each is None else self.seconds_each * units


def pace_of(journals: Iterable[Journal], by: str, since: str) -> Pace:
    """The decisions of one person since a moment, over several runs. What was taken back does not count."""
    days = [_day_of(journal, since) for journal in journals]
    moments = sorted(at for day in days for who, at in day.standing.values() if who == by)
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    thought = [gap for gap in gaps if AT_ONCE < gap <= BREAK]
    each = median(thought) if len(thought) >= FEWEST - 1 else None
    return Pace(len(moments), each, is_all=all(day.read <= MOST_READ for day in days))


@dataclass(slots=True)
class _Day:
    """The decisions of a run since a moment, as far as they were read."""

    since: str
    last: int
    """The number of the last event that was."""
    read: int = 0
    standing: dict[int, tuple[str, datetime]] = field(default_factory=dict)
    """Number of a decision that was not taken back -> who made it, and when."""

    def follow(self, journal: Journal) -> None:
        """Read what is new, up to one more than there may be."""
        left = MOST_READ + 1 - self.read
        for event in islice(journal.events(after=self.last, types=("decision",)), left) if left > 0 else ():
            self.last, self.read = event.seq, self.read + 1
            at = moment(event.at)
            if is_undo(event):
                self.standing.pop(int(event.data["undoes"]), None)
            elif at is not None:
                self.standing[event.seq] = str(event.data.get("by")), at


_DAYS: WeakKeyDictionary[Journal, _Day] = WeakKeyDictionary()
"""What was read already, for as long as a journal is open: whoever decides a thousand units looks here as often."""
_READING = threading.Lock()


def _day_of(journal: Journal, since: str) -> _Day:
    with _READING:
        day = _DAYS.get(journal)
        if day is None or day.since != since:
            day = _DAYS[journal] = _Day(since, _before(journal, since))
        day.follow(journal)
        return replace(day, standing=dict(day.standing))


def decisions_since(journal: Journal, since: str) -> Iterator[EventRecord]:
    """The decisions from a moment on. Events are in the order of their moments, so the first is found by halving: a run
    with a hundred thousand decisions is not read from its beginning."""
    return journal.events(after=_before(journal, since), types=("decision",))


def _before(journal: Journal, since: str) -> int:
    """The number of an event behind which all decisions from a moment on lie, and no others."""
    low, high = 0, _last(journal)
    while low < high:
        middle = (low + high) // 2
        found = next(iter(journal.events(after=middle, types=("decision",), limit=1)), None)
        if found is None or found.at >= since:
            high = middle
        else:
            low = found.seq
    return low


def _last(journal: Journal) -> int:
    """A number that no decision is behind: found by doubling."""
    reach = 1
    while next(iter(journal.events(after=reach, types=("decision",), limit=1)), None) is not None:
        reach *= 2
    return reach


def midnight(now: datetime) -> str:
    """When today began, where the server stands, as the journal writes moments."""
    return iso(now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0))
