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
from burnish.store.tray import TrayEntry
from burnish.surfaces.in_hand import RunInHand, Wish
from burnish.surfaces.rulings import AlreadyDecided, Bulk, Ruling, is_in_effect, refuse_stale, ruling_in_tray


def lay(hand: RunInHand, unit: str, wish: Wish, seen: str | None, *, at: str, active: RunActive) -> Ruling:
    """Lay a decision in. What speaks against it is raised now, as far as that is known already."""
    row = _waiting_row(hand, unit, seen, active)
    _refuse_laid(hand, hand.tray.entries(), row)
    errors = _errors(hand.follows(row, wish))
    entry = _entry(hand, row, wish, at)
    with hand.tray.held() as held:
        _refuse_laid(hand, held.entries(), row)
        held.lay(entry)
    reach("tray.laid")
    return replace(ruling_in_tray(hand.folder.id, entry, row), errors=errors)


def lay_all(hand: RunInHand, units: Sequence[str], wish: Wish, *, at: str, active: RunActive) -> Bulk:
    """The same for many units, all at once; what cannot be laid in is passed over."""
    laid: list[str] = []
    passed_over: dict[str, str] = {}
    with hand.tray.held() as held:
        for unit in dict.fromkeys(units):
            try:
                row = _waiting_row(hand, unit, None, active)
                _refuse_laid(hand, filter(None, [held.entry(unit)]), row)
                mine = Wish(wish.verdict, wish.by, wish.note)
                hand.follows(row, mine)
            except (UsageError, RunActive) as refused:
                passed_over[unit] = refused.message
                continue
            held.lay(_entry(hand, row, mine, at))
            laid.append(unit)
    reach("tray.laid")
    return Bulk(hand.folder.id, wish.by, tuple(laid), passed_over, in_effect=False)


def take_out(hand: RunInHand, unit: str, by: str, *, at: str, active: RunActive) -> Ruling:
    """Take a decision out again. One that is in effect in a run which has gone on cannot be taken back."""
    row = hand.row(unit)
    with hand.tray.held() as held:
        entry = held.entry(unit)
        if entry is not None:
            held.remove(unit)
    if entry is not None and not is_in_effect(hand.journal, entry):
        return Ruling(hand.folder.id, unit, "undo", by, None, at, row, in_effect=False)
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


def _entry(hand: RunInHand, row: UnitRow, wish: Wish, at: str) -> TrayEntry:
    note = None if wish.note is None else str(hand.redactor.diagnostics(wish.note))
    return TrayEntry(row.id, wish.mark, wish.verdict, wish.by, note, wish.text, seen=row.at, at=at)


def _errors(follows: Consequence) -> tuple[Finding, ...]:
    """What an edited text breaks."""
    texts = [record for record in follows.records if isinstance(record, AttemptRecord)]
    return tuple(finding for text in texts for finding in findings_of(text) if finding.blocks)
