"""The journal: everything a run knows, behind an interface small enough for another database to follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from burnish.core.records import AttemptRecord, CallRecord, EventRecord, Json, Record, Totals, UnitRow
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

    def counts(self) -> dict[str, int]:
        """How many units are in each state."""
        ...

    def totals(self) -> Totals:
        """What the run has cost so far: all calls, failed ones too. `cost` adds up the calls whose price is known."""
        ...

    def close(self) -> None:
        """Finish what was handed over, then close. More than once does no harm."""
        ...
