"""The journal: everything a run knows, behind an interface small enough for another database to follow; and one in
memory, for corrections that a program asks for without a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from burnish.core.records import (
    AttemptRecord,
    CallIntent,
    CallRecord,
    EventRecord,
    Json,
    Record,
    RoleTotals,
    SourceRecord,
    Totals,
    UnitRow,
    Usage,
)
from burnish.store.processes import Clock, from_microseconds, iso, system_clock, to_microseconds
from burnish.store.read_model import Presenter


class Journal(Protocol):
    """What a run remembers. What `write` acknowledged survives a crash; what it did not may or may not be there.

    Writing raises StorageFailed when the disk refuses, OwnershipLost when another process took the run over; in both
    cases nothing of it was written. Records carry no `at` when they come in: the journal stamps them, each later than
    all before it.
    """

    async def write(self, *records: Record) -> None:
        """Write all of `records` or none, durable on return. Writers that wait at the same time share one commit.

        A write that was handed over is carried out even if nobody waits for it any more.
        """
        ...

    def write_now(self, *records: Record) -> None:
        """The same for code outside an event loop."""
        ...

    def present_with(self, presenter: Presenter) -> None:
        """Show drafts in lists as their kind shows them, from the next write on."""
        ...

    def get_meta(self, key: str) -> str | None: ...

    def set_meta(self, key: str, value: str) -> None:
        """Remember a single value, durably."""
        ...

    def call(self, key: str) -> CallRecord | None:
        """The reply that was recorded first; where there is none, the newest failure; None for a call never made."""
        ...

    def calls(self, unit: str | None = None) -> Iterator[CallRecord]:
        """Every call, failed ones too, in the order of their recording."""
        ...

    def events(
        self, *, after: int = 0, unit: str | None = None, types: Sequence[str] = (), limit: int | None = None
    ) -> Iterator[EventRecord]:
        """Events with a `seq` above `after`, in order."""
        ...

    def unit(self, id: str) -> UnitRow | None: ...

    def units(
        self, *, states: Sequence[str] = (), after_position: int = -1, limit: int | None = None
    ) -> Iterator[UnitRow]:
        """Units by position; those in one of `states` if any are named."""
        ...

    def attempts(self, unit: str) -> list[AttemptRecord]:
        """A unit's attempts, by number."""
        ...

    def source(self, unit: str) -> Json | None:
        """A unit as it was read, where that was recorded."""
        ...

    def standing(self) -> Iterator[tuple[UnitRow, Json]]:
        """Every unit whose source was recorded, by position, with the text that stands: its best draft, or the
        source."""
        ...

    def counts(self) -> dict[str, int]:
        """How many units are in each state."""
        ...

    def totals_by_role(self) -> list[RoleTotals]:
        """What each role has cost so far, by its name."""
        ...

    def submitted(self) -> list[CallIntent]:
        """The calls that are with a provider in a batch, or were about to be, in the order of their intents."""
        ...

    def totals(self) -> Totals:
        """What the run has cost so far: all calls, failed ones too. `cost` adds up the calls whose price is known."""
        ...

    def close(self) -> None:
        """Finish what was handed over, then close. More than once does no harm."""
        ...


def unreadable_replies(events: Iterable[EventRecord]) -> set[str]:
    """The calls behind answers that could not be read, by the events `unanswered`; those that were cut off or refused
    are among them, and have failed by their records."""
    of_replies = (e.data for e in events if str(e.data.get("failure", "")).startswith("reply_unreadable"))
    return {key for data in of_replies for key in data["calls"][-1:]}


def role_totals(
    bills: Iterable[tuple[str, str | None, int, Usage, int]], unreadable: Mapping[str, int]
) -> list[RoleTotals]:
    """Bills (role, error, calls, usage, calls without a price) added up by role.

    `unreadable`: role -> replies that came whole and could not be read."""
    found: dict[str, RoleTotals] = {}
    for role, error, calls, usage, unpriced in sorted(bills, key=lambda bill: bill[0]):
        known = found.get(role, RoleTotals(role, 0, Usage(), 0, {}))
        kind = (error or "").partition(":")[0]
        found[role] = RoleTotals(
            role,
            known.calls + calls,
            known.usage + replace(usage, cost=usage.cost or 0.0),
            known.unpriced_calls + unpriced,
            {**known.failures, kind: known.failures.get(kind, 0) + calls} if kind else known.failures,
        )
    for role, number in unreadable.items():
        found[role] = replace(found[role], failures={**found[role].failures, "unreadable": number})
    return list(found.values())


class MemoryJournal:
    """The Journal interface over plain lists. It stamps and numbers like the real one; a crash forgets it."""

    def __init__(self, *, clock: Clock = system_clock) -> None:
        self._clock = clock
        self._last_stamp = 0
        self._meta: dict[str, str] = {}
        self._calls: list[CallRecord] = []
        self._intents: dict[str, CallIntent] = {}
        self._events: list[EventRecord] = []
        self._units: dict[str, UnitRow] = {}
        self._attempts: dict[str, dict[int, AttemptRecord]] = {}
        self._sources: dict[str, Json] = {}

    async def write(self, *records: Record) -> None:
        self.write_now(*records)

    def write_now(self, *records: Record) -> None:
        for record in records:
            if isinstance(record, SourceRecord):
                self._sources[record.unit] = record.content
                continue
            self._last_stamp = max(self._last_stamp + 1, to_microseconds(self._clock()))
            self._take(record, iso(from_microseconds(self._last_stamp)))

    def _take(self, record: CallRecord | CallIntent | EventRecord | UnitRow | AttemptRecord, at: str) -> None:
        if isinstance(record, CallRecord) or (isinstance(record, CallIntent) and record.is_over):
            self._intents.pop(record.key, None)
        if isinstance(record, CallIntent):
            begun = self._intents.get(record.key, replace(record, at=at))
            self._intents |= {} if record.is_over else {record.key: begun}
        elif isinstance(record, CallRecord):
            known = self.call(record.key)
            if record.status == "failed" or known is None or known.status == "failed":
                self._calls.append(replace(record, at=at))
        elif isinstance(record, UnitRow):
            self._units[record.id] = replace(record, at=at)
        elif isinstance(record, AttemptRecord):
            self._attempts.setdefault(record.unit, {}).setdefault(record.number, replace(record, at=at))
        elif record.dedupe is None or all(event.dedupe != record.dedupe for event in self._events):
            self._events.append(replace(record, seq=len(self._events) + 1, at=at))

    def present_with(self, presenter: Presenter) -> None:
        """Nobody lists what is in memory."""

    def get_meta(self, key: str) -> str | None:
        return self._meta.get(key)

    def set_meta(self, key: str, value: str) -> None:
        self._meta[key] = value

    def call(self, key: str) -> CallRecord | None:
        found = [call for call in self._calls if call.key == key]
        answered = [call for call in found if call.status == "ok"]
        return next(iter((answered or found)[-1:]), None)

    def calls(self, unit: str | None = None) -> Iterator[CallRecord]:
        return (call for call in self._calls if unit is None or call.unit == unit)

    def events(
        self, *, after: int = 0, unit: str | None = None, types: Sequence[str] = (), limit: int | None = None
    ) -> Iterator[EventRecord]:
        found = [
            event
            for event in self._events
            if event.seq > after and unit in (None, event.unit) and (not types or event.type in types)
        ]
        return iter(found[:limit])

    def unit(self, id: str) -> UnitRow | None:
        return self._units.get(id)

    def units(
        self, *, states: Sequence[str] = (), after_position: int = -1, limit: int | None = None
    ) -> Iterator[UnitRow]:
        rows = sorted(self._units.values(), key=lambda row: row.position)
        found = [row for row in rows if row.position > after_position and (not states or row.state in states)]
        return iter(found[:limit])

    def attempts(self, unit: str) -> list[AttemptRecord]:
        known = self._attempts.get(unit, {})
        return [known[number] for number in sorted(known)]

    def source(self, unit: str) -> Json | None:
        return self._sources.get(unit)

    def standing(self) -> Iterator[tuple[UnitRow, Json]]:
        for row in self.units():
            if row.id in self._sources:
                best = self._attempts.get(row.id, {}).get(row.best_attempt)
                yield row, self._sources[row.id] if best is None or best.content is None else best.content

    def counts(self) -> dict[str, int]:
        return dict(Counter(row.state for row in self._units.values()))

    def totals_by_role(self) -> list[RoleTotals]:
        keys = unreadable_replies(self.events(types=("unanswered",)))
        unreadable = Counter(call.role for call in self._calls if call.key in keys and call.status == "ok")
        bills = ((call.role, call.error, 1, call.usage, call.usage.cost is None) for call in self._calls)
        return role_totals(bills, unreadable)

    def submitted(self) -> list[CallIntent]:
        return [intent for intent in self._intents.values() if intent.batch is not None]

    def totals(self) -> Totals:
        unpriced = [call for call in self._calls if call.usage.cost is None]
        priced = [replace(call.usage, cost=call.usage.cost or 0.0) for call in self._calls]
        failed = sum(call.status == "failed" for call in self._calls)
        lost = [intent for intent in self._intents.values() if intent.batch is None]
        tokens, cost = sum(intent.tokens for intent in lost), sum(intent.cost or 0.0 for intent in lost)
        return Totals(len(self._calls), failed, sum(priced, Usage()), len(unpriced), len(lost), tokens, cost)

    def close(self) -> None:
        """Nothing to give back."""
