"""Laying decisions into the tray of a run that another process is at work on, and taking them out again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from burnish.core.attempts import findings_of
from burnish.core.errors import RunActive, TooLate, UsageError
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord, UnitRow
from burnish.engine.deciding import Consequence
from burnish.engine.undoing import has_gone_on, last_standing
from burnish.store.clock import Clock, iso
from burnish.store.lock import worker_kept
from burnish.store.tray import TrayEntry
from burnish.surfaces.in_hand import RunInHand, Wish
from burnish.surfaces.rulings import AlreadyDecided, Bulk, Ruling, is_in_effect, refuse_stale, ruling_in_tray


def lay(hand: RunInHand, unit: str, wish: Wish, seen: str | None, clock: Clock, active: RunActive) -> Ruling | None:
    """Lay a decision in. What speaks against it is raised now, as far as that is known already.

    None where nobody is at work on the run any more: who owns it decides at once.
    """
    row = _waiting_row(hand, unit, seen, active)
    _refuse_laid(hand, hand.tray.entries(), row)
    errors = _errors(hand.follows(row, wish))
    entry = _entry(hand, row, wish, clock)
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        # Nobody but the worker can have moved it from here on: whoever decides has to own the run.
        _waiting_row(hand, unit, row.at, active)
        with hand.tray.held() as held:
            _refuse_laid(hand, held.entries(), row)
            held.lay(entry)
    reach("tray.laid")
    return replace(ruling_in_tray(hand.folder.id, entry, row), errors=errors)


def lay_all(hand: RunInHand, units: Sequence[str], wish: Wish, clock: Clock, active: RunActive) -> Bulk | None:
    """The same for many units, all at once; what cannot be laid in is passed over."""
    rows: list[UnitRow] = []
    laid: list[str] = []
    passed_over: dict[str, str] = {}
    for unit in dict.fromkeys(units):
        try:
            rows.append(_waiting_row(hand, unit, None, active))
            hand.follows(rows[-1], wish)
        except (UsageError, RunActive) as refused:
            passed_over[unit] = refused.message
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        with hand.tray.held() as held:
            for row in (row for row in rows if row.id not in passed_over):
                try:
                    _waiting_row(hand, row.id, row.at, active)
                    _refuse_laid(hand, filter(None, [held.entry(row.id)]), row)
                except UsageError as refused:
                    passed_over[row.id] = refused.message
                else:
                    held.lay(_entry(hand, row, Wish(wish.verdict, wish.by, wish.note), clock))
                    laid.append(row.id)
    reach("tray.laid")
    return Bulk(hand.folder.id, wish.by, tuple(laid), passed_over, in_effect=False)


def take_out(hand: RunInHand, unit: str, by: str, clock: Clock, active: RunActive) -> Ruling | None:
    """Take a decision out again. One that is in effect in a run which has gone on cannot be taken back.

    None where nobody is at work on the run any more.
    """
    row = hand.row(unit)
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        with hand.tray.held() as held:
            entry = held.entry(unit)
            held.remove(unit)
    if entry is not None and not is_in_effect(hand.journal, entry):
        return Ruling(hand.folder.id, unit, "undo", by, None, iso(clock()), row, in_effect=False)
    if has_gone_on(hand.journal, last_standing(hand.journal, row)):
        raise TooLate(
            f"The decision about {unit} cannot be taken back: the run has gone on since.",
            hint="Where the unit waits again, decide anew.",
        )
    raise active


def _waiting_row(hand: RunInHand, unit: str, seen: str | None, active: RunActive) -> UnitRow:
    """Only a unit that waits is sure to stay as it is while the run is at work."""
    row = hand.row(unit)
    refuse_stale(hand.folder.id, hand.journal, row, seen, hand.kind.states.waiting)
    if row.state != hand.kind.states.waiting:
        raise active
    return row


def _refuse_laid(hand: RunInHand, entries: Iterable[TrayEntry], row: UnitRow) -> None:
    for entry in entries:
        if entry.unit == row.id and entry.why is None:
            raise AlreadyDecided(ruling_in_tray(hand.folder.id, entry, row))


def _entry(hand: RunInHand, row: UnitRow, wish: Wish, clock: Clock) -> TrayEntry:
    note = None if wish.note is None else str(hand.redactor.diagnostics(wish.note))
    return TrayEntry(row.id, wish.mark, wish.verdict, wish.by, note, wish.text, seen=row.at, at=iso(clock()))


def _errors(follows: Consequence) -> tuple[Finding, ...]:
    """What an edited text breaks."""
    texts = [record for record in follows.records if isinstance(record, AttemptRecord)]
    return tuple(finding for text in texts for finding in findings_of(text) if finding.blocks)
