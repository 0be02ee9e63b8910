"""How fast somebody decides: counted from the journals, so that it survives a restart and is the same in every tab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from statistics import median

from burnish.core.decisions import standing_decisions
from burnish.core.records import EventRecord
from burnish.store.clock import iso
from burnish.store.journal import Journal
from burnish.surfaces.web.wording import moment

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
    read = [list(islice(decisions_since(journal, since), MOST_READ + 1)) for journal in journals]
    moments = sorted(
        at
        for events in read
        for event in standing_decisions(events)
        if event.data.get("by") == by and (at := moment(event.at)) is not None
    )
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    thought = [gap for gap in gaps if AT_ONCE < gap <= BREAK]
    each = median(thought) if len(thought) >= FEWEST - 1 else None
    return Pace(len(moments), each, is_all=all(len(events) <= MOST_READ for events in read))


def decisions_since(journal: Journal, since: str) -> Iterator[EventRecord]:
    """The decisions from a moment on. Events are in the order of their moments, so the first is found by halving: a run
    with a hundred thousand decisions is not read from its beginning."""
    low, high = 0, _last(journal)
    while low < high:
        middle = (low + high) // 2
        found = next(iter(journal.events(after=middle, types=("decision",), limit=1)), None)
        if found is None or found.at >= since:
            high = middle
        else:
            low = found.seq
    return journal.events(after=low, types=("decision",))


def _last(journal: Journal) -> int:
    """A number that no decision is behind: found by doubling."""
    reach = 1
    while next(iter(journal.events(after=reach, types=("decision",), limit=1)), None) is not None:
        reach *= 2
    return reach


def midnight(now: datetime) -> str:
    """When today began, where the server stands, as the journal writes moments."""
    return iso(now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0))
