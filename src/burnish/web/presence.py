"""Who looks at what: a unit of the queue is reserved for whoever opens it, and others get the next one.

Reservations are soft. They end after two minutes, and whoever names a unit gets it, with a word about who looks at it.
They are kept only where people have tokens of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from burnish.api.workplace import Workplace
from burnish.app.run_index import QueueLine
from burnish.store.unit_queries import QueueFilter
from burnish.web.formatting import moment
from burnish.web.queue_position import QueuePosition, position

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
