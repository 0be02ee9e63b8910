"""Where a person is in the queue: the unit that is reserved, its neighbours, and how fast decisions are made.

Reservations are soft. They end after two minutes, and whoever names a unit gets it, with a word about who looks at it.
They are kept only where people have tokens of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice, pairwise
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from burnish.api.workplace import Workplace
from burnish.app.run_index import QueueLine, RunIndex
from burnish.core.attempts import is_undo
from burnish.core.records import EventRecord
from burnish.store.journal import Journal
from burnish.store.processes import iso
from burnish.store.unit_queries import QueueFilter
from burnish.web.formatting import moment
from burnish.web.rendering import Given, queue_link

SHOWN = 6
"""Units that are listed as next."""


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """The line, seen from one unit."""

    where: QueueFilter
    total: int
    """All units that the filter lets through."""
    at: int
    """The place of the unit that is looked at, from 0."""
    focus: QueueLine | None
    """None: nothing waits here."""
    before: QueueLine | None
    following: Sequence[QueueLine]
    """The unit that is looked at, and those behind it."""

    @property
    def left(self) -> int:
        """How many wait besides."""
        return max(0, self.total - 1)

    @property
    def after(self) -> QueueLine | None:
        return self.following[1] if len(self.following) > 1 else None

    @property
    def same_cause(self) -> str | None:
        """The page of all units that wait in the same run for the same cause; None where there is no other."""
        if self.focus is None or self.focus.same_cause < 2 or self.focus.line.cause is None:
            return None
        return bulk_link(run=self.focus.run, cause=self.focus.line.cause)

    def link(self, line: QueueLine | None = None, at: int | None = None, **more: Given) -> str:
        """The queue under the same filter, at a unit of it."""
        place: Mapping[str, Given] = {} if line is None else {"of": line.run, "unit": line.line.id}
        return queue_link(**dict(self.where.as_query()), **place, at=at or None, **more)


def bulk_link(**query: str) -> str:
    return f"/queue/bulk?{urlencode(query, errors='surrogatepass')}"


def position(
    index: RunIndex,
    where: QueueFilter,
    *,
    run: str | None,
    unit: str | None,
    at: int,
    only: Sequence[QueueLine] | None = None,
) -> QueuePosition:
    """The line under a filter, at a unit of it. Where that one does not wait any more, the one that took its place is
    looked at, and behind the last one the first. `only`: the line itself, where somebody knows it already."""
    if only is not None:
        named = next((place for place, one in enumerate(only) if (one.run, one.line.id) == (run, unit)), None)
        here = named if named is not None else at if 0 <= at < len(only) else 0
        following = only[here : here + SHOWN]
        before = only[here - 1] if here else None
        return QueuePosition(where, len(only), here, following[0] if following else None, before, following)
    total = index.queue_total(where)
    place = index.queue_place(where, run, unit) if run is not None and unit is not None else None
    here = place if place is not None else at if 0 <= at < total else 0
    first = max(0, here - 1)
    lines = index.queue(where, offset=first, limit=here - first + SHOWN)
    following = lines[here - first :]
    before = lines[0] if here > first and lines else None
    return QueuePosition(where, total, here, following[0] if following else None, before, following)


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
    # A number that no decision is behind: found by doubling.
    reach = 1
    while next(iter(journal.events(after=reach, types=("decision",), limit=1)), None) is not None:
        reach *= 2
    low, high = 0, reach
    while low < high:
        middle = (low + high) // 2
        found = next(iter(journal.events(after=middle, types=("decision",), limit=1)), None)
        if found is None or found.at >= since:
            high = middle
        else:
            low = found.seq
    return low


def midnight(now: datetime) -> str:
    """When today began, where the server stands, as the journal writes moments."""
    return iso(now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0))


MOST_PASSED = 200
"""Units in a row that others look at: more people than that are not at work."""
JUST_NOW = timedelta(minutes=10)
"""How long ago a decision is that a page tells of: whoever looks at a unit may be writing about it."""
SAID = {"accept": "accepted", "edit": "edited", "reject": "sent back", "drop": "dropped", "undo": "reopened"}


class Presence(NamedTuple):
    """The place in the queue that somebody gets, and what is said about others."""

    place: QueuePosition
    said: str | None = None


def arrived(
    here: Workplace, name: str | None, where: QueueFilter, *, run: str | None, unit: str | None, at: int
) -> Presence:
    """The unit that this person looks at from now on: the named one, the one looked at before, or the next free one.
    What somebody is asked about is not kept from them because another one looks at it."""
    people = here.people
    only = mine_of(here, name) if where.mine else None
    found = position(here.index, where, run=run, unit=unit, at=at, only=only)
    if only is not None and found.focus is not None and name is not None:
        holder = people.reserve(found.focus.run, found.focus.line.id, name)
        return Presence(found, f"{holder} is looking at it." if holder else None)
    if name is None or found.focus is None or not people.exist:
        return Presence(found)
    if unit is not None and _is(found.focus, run, unit):
        holder = people.reserve(found.focus.run, found.focus.line.id, name)
        return Presence(found, f"{holder} is looking at it." if holder else None)
    mine = next((key for key, who in people.looked_at().items() if who == name), None)
    # A page that was opened with the address of a unit is told what became of that one.
    said = _decided(here, run, unit, name) if run is not None and unit is not None else None
    if mine is not None and not at:
        again = position(here.index, where, run=mine[0], unit=mine[1], at=at)
        if _is(again.focus, *mine):
            people.reserve(*mine, name)
            return Presence(again, said)
        said = said or _decided(here, *mine, name)
    free = _next_free(here, name, where, found)
    if free is not None:
        return Presence(free, said)
    left = ", ".join(sorted({who for who in people.looked_at().values() if who != name}))
    nothing = replace(found, focus=None, before=None, following=())
    return Presence(nothing, f"Others are looking at the units that are left: {left}.")


def mine_of(here: Workplace, name: str | None) -> list[QueueLine]:
    """The waiting units that somebody is asked about, newest first."""
    if name is None:
        return []
    return here.index.waiting_ones((str(task["run"]), str(task["unit"])) for task in here.people.tasks(name))


def _is(line: QueueLine | None, run: str | None, unit: str) -> bool:
    return line is not None and line.run == run and line.line.id == unit


def _next_free(here: Workplace, name: str, where: QueueFilter, found: QueuePosition) -> QueuePosition | None:
    """The first unit from this place on that nobody else looks at; reserving it settles who was first. None: each of
    them is looked at."""
    at = found.at
    for _ in range(min(MOST_PASSED, found.total)):
        line = position(here.index, where, run=None, unit=None, at=at)
        if line.focus is None or here.people.reserve(line.focus.run, line.focus.line.id, name) is None:
            return line
        at = (at + 1) % max(1, line.total)
    return None


def _decided(here: Workplace, run: str, unit: str, name: str) -> str | None:
    """`Ada has just accepted q17`: what became of the unit that was looked at."""
    result = here.reviews.last(run, unit)
    if result is None or result.by == name:
        return None
    then = moment(result.at)
    if then is None or here.clock() - then > JUST_NOW:
        return None
    return f"{result.by} has just {SAID.get(result.verdict, 'decided')} {unit}."


def talk_of(here: Workplace, run: str, unit: str) -> Mapping[str, Any] | None:
    """What people say about a unit; None where nobody has a token of his own."""
    if not here.people.exist:
        return None
    members = [member.name for member in here.people.active()]
    if not members:
        return None
    return {"notes": here.people.notes(run, unit), "assigned": here.people.assigned(run, unit), "members": members}
