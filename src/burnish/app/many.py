"""Decisions about many units of a run that is in hand: written in portions, for no longer than others can wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from burnish.app.in_hand import RunInHand
from burnish.app.rulings import NOT_TAKEN_BACK, AlreadyDecided, Portion, is_meant, refuse_other, ruling_in_tray
from burnish.app.settling import PORTION
from burnish.core.errors import InputError, UsageError
from burnish.core.records import Record
from burnish.store.tray import TrayEntry

HOLD_SECONDS = 0.5
"""How long a run is held at a stretch, besides the portion that was begun."""
Follows = Callable[[RunInHand, str, TrayEntry | None], Sequence[Record]]
"""What is to be written about a unit, of which something may lie in the tray; raises what speaks against it."""


def each(hand: RunInHand, units: Sequence[str], follows: Follows) -> Portion:
    """As many of the units, from the first on, as can be dealt with before others want their turn."""
    until = time.monotonic() + HOLD_SECONDS
    laid = {entry.unit: entry for entry in hand.tray.entries()}
    done, passed_over = list[str](), dict[str, str]()
    for first in range(0, len(units), PORTION):
        records: list[Record] = []
        portion: list[str] = []
        for unit in units[first : first + PORTION]:
            try:
                records += follows(hand, unit, laid.get(unit))
                portion.append(unit)
            except (UsageError, InputError) as refused:
                passed_over[unit] = refused.message
        hand.journal.write_now(*records)
        done += portion
        if time.monotonic() >= until:
            break
    return Portion(tuple(done), passed_over)


def undoing(hand: RunInHand, unit: str, laid: TrayEntry | None, by: str, of: str | None) -> Sequence[Record]:
    """What takes a decision back that is in effect; nothing where the one that is meant still lies in the tray."""
    row = hand.row(unit)
    if is_meant(laid, of):
        return ()
    if laid is not None and laid.why is None:
        raise AlreadyDecided(ruling_in_tray(hand.folder.id, laid, row), NOT_TAKEN_BACK)
    refuse_other(hand.folder.id, hand.journal, row, of)
    return hand.undone(row, by=by).records
