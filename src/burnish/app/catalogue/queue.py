"""The queue: every unit that waits for a person, over all runs, what unblocks most first."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.app.catalogue.lines import UnitLine


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One waiting unit."""

    run: str
    title: str
    """The run's."""
    kind: str
    noun: str
    line: UnitLine
    """The unit: id, reason, words, cause, excerpt, ..."""
    waiting: int
    """How many units of its run wait, this one included."""
    same_cause: int
    """How many units of its run wait for the same cause, this one included."""
