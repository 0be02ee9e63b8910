"""A reviewer's position in the queue: the reserved unit, its neighbours, and the pace of decisions.

Reservations are soft: they end after two minutes, and a reviewer who opens a reserved unit by its address gets it, with
a note that somebody else is looking at it. They exist only if people have tokens of their own.
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
from burnish.app.labels import SAID
from burnish.app.run_index import QueueLine, RunIndex
from burnish.core.attempts import is_undo
from burnish.core.records import EventRecord
from burnish.store.journal import Journal
from burnish.store.processes import iso
from burnish.store.unit_queries import QueueFilter
from burnish.web.formatting import moment
from burnish.web.rendering import Given, queue_link

NEXT_SHOWN = 6
"""Units that are listed as next."""


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """The queue, seen from one unit."""

    where: QueueFilter
    total: int
    """All units that match the filter."""
    at: int
    """The index of the current unit."""
    focus: QueueLine | None
    """The current unit; None if nothing waits."""
    before: QueueLine | None
    following: Sequence[QueueLine]
    """The current unit and those after it."""

    @property
    def left(self) -> int:
        """How many other units wait."""
        return max(0, self.total - 1)

    @property
    def after(self) -> QueueLine | None:
        return self.following[1] if len(self.following) > 1 else None

    @property
    def same_cause(self) -> str | None:
        """The page of all units of the run that wait for the same cause; None if this is the only one."""
        if self.focus is None or self.focus.same_cause < 2 or self.focus.line.cause is None:
            return None
        return bulk_link(run=self.focus.run, cause=self.focus.line.cause)

    def link(self, line: QueueLine | None = None, at: int | None = None, **more: Given) -> str:
        """The queue under the same filter, at a unit."""
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
    """The position in the filtered queue. If the named unit no longer waits, it is the unit at `at`, or the first if
    the queue is shorter. `only`: the units of the queue, if the caller has them already."""
    if only is not None:
        named = next((place for place, one in enumerate(only) if (one.run, one.line.id) == (run, unit)), None)
        here = named if named is not None else at if 0 <= at < len(only) else 0
        following = only[here : here + NEXT_SHOWN]
        before = only[here - 1] if here else None
        return QueuePosition(where, len(only), here, following[0] if following else None, before, following)
    total = index.queue_total(where)
    place = index.queue_place(where, run, unit) if run is not None and unit is not None else None
    here = place if place is not None else at if 0 <= at < total else 0
    first = max(0, here - 1)
    lines = index.queue(where, offset=first, limit=here - first + NEXT_SHOWN)
    following = lines[here - first :]
    before = lines[0] if here > first and lines else None
    return QueuePosition(where, total, here, following[0] if following else None, before, following)


BREAK = 300.0
"""Seconds between two decisions above which the reviewer took a break."""
AT_ONCE = 0.5
"""Seconds; decisions closer than this were made together."""
FEWEST = 3
"""Decisions needed to compute a pace."""
MOST_READ = 2_000
"""Decisions of one run that are read: thousands at once say nothing about pace."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many units one person decided today, and how fast."""

    decided: int
    seconds_each: float | None
    """None: too few decisions."""
    is_all: bool = True
    """False: there were more than `decided`, and counting stopped."""

    def left(self, units: int) -> float | None:
        """Seconds that the given number of units will take."""
        return None if self.seconds_each is None else self.seconds_each * units


def pace_of(journals: Iterable[Journal], by: str, since: str) -> Pace:
    """The pace of one person since a given time, over several runs. Undone decisions do not count."""
    days = [_decisions_of(journal, since) for journal in journals]
    moments = sorted(at for day in days for who, at in day.made.values() if who == by)
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    thinking = [gap for gap in gaps if AT_ONCE < gap <= BREAK]
    each = median(thinking) if len(thinking) >= FEWEST - 1 else None
    return Pace(len(moments), each, is_all=all(day.read <= MOST_READ for day in days))


@dataclass(slots=True)
class _DayDecisions:
    """The decisions of a run since a given time, as far as they were read."""

    since: str
    last: int
    """The number of the last event that was read."""
    read: int = 0
    made: dict[int, tuple[str, datetime]] = field(default_factory=dict)
    """Event number of a decision that was not undone -> by whom, and when."""

    def follow(self, journal: Journal) -> None:
        """Read new decisions, up to one more than MOST_READ, which shows that there are more."""
        left = MOST_READ + 1 - self.read
        for event in islice(journal.events(after=self.last, types=("decision",)), left) if left > 0 else ():
            self.last, self.read = event.seq, self.read + 1
            at = moment(event.at)
            if is_undo(event):
                self.made.pop(int(event.data["undoes"]), None)
            elif at is not None:
                self.made[event.seq] = str(event.data.get("by")), at


_READ_DECISIONS: WeakKeyDictionary[Journal, _DayDecisions] = WeakKeyDictionary()
"""Decisions that were read already, while a journal is open: the pace is asked for after each decision."""
_READ_LOCK = threading.Lock()


def _decisions_of(journal: Journal, since: str) -> _DayDecisions:
    with _READ_LOCK:
        day = _READ_DECISIONS.get(journal)
        if day is None or day.since != since:
            day = _READ_DECISIONS[journal] = _DayDecisions(since, _event_before(journal, since))
        day.follow(journal)
        return replace(day, made=dict(day.made))


def decisions_since(journal: Journal, since: str) -> Iterator[EventRecord]:
    """The decisions since a given time. The first is found by binary search, since events are in order of time, so that
    a run with a hundred thousand decisions is not read from its beginning."""
    return journal.events(after=_event_before(journal, since), types=("decision",))


def _event_before(journal: Journal, since: str) -> int:
    """The number of the last event before the first decision since a given time."""
    # Double until no decision comes after this number.
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
    """The start of today in the server's time zone, as the journal writes times."""
    return iso(now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0))


MOST_SKIPPED = 200
"""Reserved units in a row that are skipped: no more reviewers than this work at once."""
JUST_NOW = timedelta(minutes=10)
"""How recent a decision of somebody else must be to be mentioned to a reviewer who had the unit open."""


class Presence(NamedTuple):
    """The position that a reviewer gets, and a note about other reviewers."""

    place: QueuePosition
    said: str | None = None


def arrived(
    here: Workplace, name: str | None, where: QueueFilter, *, run: str | None, unit: str | None, at: int
) -> Presence:
    """Reserve a unit for this reviewer: the named one, the one they had open before, or the next free one. Units
    assigned to the reviewer are shown even if somebody else has them open."""
    people = here.people
    only = mine_of(here, name) if where.mine else None
    found = position(here.index, where, run=run, unit=unit, at=at, only=only)
    if only is not None and found.focus is not None and name is not None:
        holder = people.reserve(found.focus.run, found.focus.line.id, name)
        return Presence(found, f"{holder} is looking at it." if holder else None)
    if name is None or found.focus is None or not people.exist:
        return Presence(found)
    if unit is not None and _is_at(found.focus, run, unit):
        holder = people.reserve(found.focus.run, found.focus.line.id, name)
        return Presence(found, f"{holder} is looking at it." if holder else None)
    mine = next((key for key, who in people.looked_at().items() if who == name), None)
    # If the address names a unit that is no longer waiting, the page says who decided it.
    said = _recent_decision(here, run, unit, name) if run is not None and unit is not None else None
    if mine is not None and not at:
        again = position(here.index, where, run=mine[0], unit=mine[1], at=at)
        if _is_at(again.focus, *mine):
            people.reserve(*mine, name)
            return Presence(again, said)
        said = said or _recent_decision(here, *mine, name)
    free = _next_free(here, name, where, found)
    if free is not None:
        return Presence(free, said)
    left = ", ".join(sorted({who for who in people.looked_at().values() if who != name}))
    nothing = replace(found, focus=None, before=None, following=())
    return Presence(nothing, f"Others are looking at the units that are left: {left}.")


def mine_of(here: Workplace, name: str | None) -> list[QueueLine]:
    """The waiting units assigned to a person, newest first."""
    if name is None:
        return []
    return here.index.waiting_ones((str(task["run"]), str(task["unit"])) for task in here.people.tasks(name))


def _is_at(line: QueueLine | None, run: str | None, unit: str) -> bool:
    return line is not None and line.run == run and line.line.id == unit


def _next_free(here: Workplace, name: str, where: QueueFilter, found: QueuePosition) -> QueuePosition | None:
    """Reserve the first unit from this position on that nobody else has open. None: all are taken. The reservation
    itself decides between two reviewers who ask at the same time."""
    at = found.at
    for _ in range(min(MOST_SKIPPED, found.total)):
        line = position(here.index, where, run=None, unit=None, at=at)
        if line.focus is None or here.people.reserve(line.focus.run, line.focus.line.id, name) is None:
            return line
        at = (at + 1) % max(1, line.total)
    return None


def _recent_decision(here: Workplace, run: str, unit: str, name: str) -> str | None:
    """`Ada has just accepted q17`: a recent decision of somebody else on the unit."""
    result = here.reviews.last(run, unit)
    if result is None or result.by == name:
        return None
    then = moment(result.at)
    if then is None or here.clock() - then > JUST_NOW:
        return None
    return f"{result.by} has just {SAID[result.verdict]} {unit}."


def talk_of(here: Workplace, run: str, unit: str, unkept: tuple[str, str]) -> Mapping[str, Any] | None:
    """Notes and assignments of a unit; None if nobody has a token of their own."""
    if not here.people.exist:
        return None
    members = [member.name for member in here.people.active()]
    if not members:
        return None
    written, trouble = unkept
    notes, assigned = here.people.notes(run, unit), here.people.assigned(run, unit)
    return {"notes": notes, "assigned": assigned, "members": members, "written": written, "trouble": trouble}
