"""The line of waiting units as one person walks through it: which one is looked at, what is before and behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from burnish.app.run_index import QueueLine, RunIndex
from burnish.store.filters import QueueFilter
from burnish.web.links import Given, queue_link

SHOWN = 6
"""Units that are listed as next."""


@dataclass(frozen=True, slots=True)
class Lineup:
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


def lineup(index: RunIndex, where: QueueFilter, *, run: str | None, unit: str | None, at: int) -> Lineup:
    """The line under a filter, at a unit of it. Where that one does not wait any more, the one that took its place is
    looked at, and behind the last one the first."""
    total = index.queue_total(where)
    place = index.queue_place(where, run, unit) if run is not None and unit is not None else None
    here = place if place is not None else at if 0 <= at < total else 0
    first = max(0, here - 1)
    lines = index.queue(where, offset=first, limit=here - first + SHOWN)
    following = lines[here - first :]
    before = lines[0] if here > first and lines else None
    return Lineup(where, total, here, following[0] if following else None, before, following)
