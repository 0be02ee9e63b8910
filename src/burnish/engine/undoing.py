"""Taking a decision back: one more event, and the unit stands exactly where it stood before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.decisions import UNDO, restored, standing_decisions
from burnish.core.errors import TooLate, UsageError
from burnish.core.events import event
from burnish.core.kinds import PublishedKind
from burnish.core.records import EventRecord, UnitRow
from burnish.core.states import StateTable
from burnish.engine.deciding import Consequence
from burnish.engine.merging import PLACING
from burnish.engine.standings import moved
from burnish.store.journal import Journal

GONE_ON = ("run_resumed", "round_started", "reopened", "batch_formed", "run_stopped", "published")
"""Events after which a decision is part of what was made of it: a model may have been asked, a file written."""


def undone(kind: PublishedKind, journal: Journal, row: UnitRow, *, by: str) -> Consequence:
    """What follows from taking back the last decision about a unit. TooLate where the run has gone on from it."""
    decision = last_standing(journal, row)
    if has_gone_on(journal, decision):
        raise TooLate(
            f"{decision.data['by']}'s decision about {row.id} cannot be taken back: the run has gone on since.",
            hint=f"`burnish show RUN {row.id}` tells what came of it; where it waits, decide anew.",
        )
    return undone_again(kind, journal, row, by=by)


def undone_again(kind: PublishedKind, journal: Journal, row: UnitRow, *, by: str) -> Consequence:
    """The same where that was in time, in a run that is repeated."""
    decision = last_standing(journal, row)
    before: Mapping[str, Any] | None = decision.data.get("before")
    if before is None:
        raise TooLate(
            f"{decision.data['by']}'s decision about {row.id} was recorded by an older Burnish, "
            "which did not write down what it changed.",
            hint="Decide anew once the unit waits for a person again.",
        )
    back = restored(row, before)
    data = {
        "verdict": UNDO,
        "by": by,
        "note": None,
        "undoes": decision.seq,
        "after_attempt": row.attempts,
        "reason_before": row.reason,
        "row": dict(before),
    }
    told = event("decision", row.id, dedupe=f"undo:{decision.seq}", data=data)
    moves = _moves(kind.states, row, back, by) if kind.traits.is_phased else []
    return Consequence(back, (told, *moves, back))


def last_standing(journal: Journal, row: UnitRow) -> EventRecord:
    """The last decision about a unit that was not taken back."""
    standing = standing_decisions(journal.events(unit=row.id, types=("decision",)))
    if not standing:
        raise UsageError(f"Nobody has decided about {row.id}.", hint="There is nothing to take back.")
    return standing[-1]


def has_gone_on(journal: Journal, decision: EventRecord) -> bool:
    """Whether anything has come of a decision. Each type is found by its index, however long the run is."""
    if journal.get_meta(PLACING) is not None:
        return True
    return any(True for type in GONE_ON for _ in journal.events(after=decision.seq, types=(type,), limit=1))


def _moves(states: StateTable, row: UnitRow, back: UnitRow, by: str) -> list[EventRecord]:
    """The way back, through the state that only people lead out of; every move is in the table."""
    found: list[EventRecord] = []
    for state in dict.fromkeys((states.waiting, back.state)):
        if row.state != state:
            reason = back.reason if state == back.state else f"taken back by {by}"
            told, row = moved(states, row, state, reason)
            found.append(told)
    return found
