"""People's decisions as events: which of them count, and what was taken back.

A decision is never erased. Who takes one back adds another event, whose verdict is `undo` and which names the decision
by its `seq`. A text that came with it stays among the attempts for ever, but it is withdrawn: nobody works from it,
nobody publishes it, and it counts as no try.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from burnish.core.records import AttemptRecord, EventRecord, UnitRow

UNDO = "undo"
"""The verdict of an event that takes a decision back."""
TOLD = ("verdict", "by", "note", "after_attempt", "reason_before")
"""What is told of a decision. The rest is for taking it back."""
KEPT = ("state", "reason", "best_attempt", "open_errors")
"""What a decision changes in a unit's row, and its undo brings back. Attempts are only ever added."""


def is_undo(event: EventRecord) -> bool:
    return event.data.get("verdict") == UNDO


def undoings(events: Iterable[EventRecord]) -> dict[int, EventRecord]:
    """`seq` of a decision that was taken back -> the event that did so."""
    return {int(event.data["undoes"]): event for event in events if is_undo(event)}


def standing_decisions(events: Iterable[EventRecord]) -> tuple[EventRecord, ...]:
    """The decisions that count, in order: neither those that were taken back nor the taking back. Other events that
    stand among them stay."""
    every = tuple(events)
    undone = undoings(every)
    return tuple(event for event in every if not is_undo(event) and event.seq not in undone) if undone else every


def rejections_in(decisions: Iterable[EventRecord]) -> tuple[int, ...]:
    """After which attempts a person sent the unit back, and left it at that."""
    standing = standing_decisions(decisions)
    return tuple(int(each.data["after_attempt"]) for each in standing if each.data.get("verdict") == "reject")


def withdrawn_in(decisions: Iterable[EventRecord]) -> frozenset[int]:
    """The numbers of the attempts that are texts of people who took them back."""
    every = tuple(decisions)
    undone = undoings(every)
    edits = (each for each in every if each.seq in undone and each.data["verdict"] == "edit")
    return frozenset(int(each.data["after_attempt"]) for each in edits)


def counted(attempts: Iterable[AttemptRecord], withdrawn: Collection[int]) -> tuple[AttemptRecord, ...]:
    """The attempts that count."""
    return tuple(attempt for attempt in attempts if attempt.number not in withdrawn)


def told_decisions(decisions: Iterable[EventRecord]) -> list[dict[str, Any]]:
    """What reports say of each decision. One that was taken back is among them, with who did so and when."""
    every = tuple(decisions)
    undone = undoings(every)
    return [_told(each, undone.get(each.seq)) for each in every if not is_undo(each)]


def _told(decision: EventRecord, undo: EventRecord | None) -> dict[str, Any]:
    said = {name: decision.data[name] for name in TOLD if name in decision.data} | {"at": decision.at}
    return said if undo is None else said | {"undone_by": undo.data["by"], "undone_at": undo.at}


def row_before(row: UnitRow) -> dict[str, Any]:
    """What a decision has to remember of the row that it changes."""
    return {name: getattr(row, name) for name in KEPT}


def restored(row: UnitRow, before: Mapping[str, Any]) -> UnitRow:
    """The row as it was before a decision; attempts that came since stay attempts."""
    return replace(row, **{name: before[name] for name in KEPT})
