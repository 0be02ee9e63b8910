"""Laying decisions into the tray of a run that another process is at work on, and taking them out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from burnish.app.in_hand import RunInHand, Wish
from burnish.app.rulings import (
    NOT_TAKEN_BACK,
    AlreadyDecided,
    Portion,
    Ruling,
    is_in_effect,
    is_meant,
    refuse_laid,
    refuse_other,
    refuse_stale,
    ruling_in_tray,
)
from burnish.core.attempts import findings_of
from burnish.core.errors import InputError, RunActive, TooLate, UsageError
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord, UnitRow
from burnish.engine.deciding import Consequence
from burnish.engine.undoing import has_gone_on, last_standing
from burnish.store.clock import Clock, iso
from burnish.store.lock import worker_kept
from burnish.store.tray import HeldTray, TrayEntry


def lay(hand: RunInHand, unit: str, wish: Wish, seen: str | None, clock: Clock, active: RunActive) -> Ruling | None:
    """Lay a decision in. What speaks against it is raised now, as far as that is known already.

    None where nobody is at work on the run any more: who owns it decides at once.
    """
    row = _waiting_row(hand, unit, seen, active)
    refuse_laid(hand.folder.id, hand.tray.entries(), row)
    errors = _errors(hand.follows(row, wish))
    entry = _entry(hand, row, wish, clock)
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        # Nobody but the worker can have moved it from here on: whoever decides has to own the run.
        _waiting_row(hand, unit, row.at, active)
        with hand.tray.held() as held:
            refuse_laid(hand.folder.id, held.entries(), row)
            _lay(held, entry)
    reach("tray.laid")
    return replace(ruling_in_tray(hand.folder.id, entry, row), errors=errors)


def _lay(held: HeldTray, entry: TrayEntry) -> None:
    """In the place of one that could not be put into effect."""
    held.withdraw(entry.unit, by=entry.by, at=entry.at)
    held.lay(entry)


def lay_all(
    hand: RunInHand,
    units: Sequence[str],
    wish: Wish,
    bulk: str,
    seen: Mapping[str, str],
    clock: Clock,
    active: RunActive,
) -> Portion | None:
    """The same for many units, all at once; what cannot be laid in is passed over. `seen`: unit -> when it was seen."""
    rows: list[UnitRow] = []
    laid: list[str] = []
    passed_over: dict[str, str] = {}
    for unit in dict.fromkeys(units):
        try:
            rows.append(_waiting_row(hand, unit, seen.get(unit), active))
            hand.follows(rows[-1], wish)
        except (UsageError, InputError, RunActive) as refused:
            passed_over[unit] = refused.message
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        with hand.tray.held() as held:
            for row in (row for row in rows if row.id not in passed_over):
                try:
                    _waiting_row(hand, row.id, row.at, active)
                    refuse_laid(hand.folder.id, filter(None, [held.entry(row.id)]), row)
                except UsageError as refused:
                    passed_over[row.id] = refused.message
                else:
                    _lay(held, _entry(hand, row, wish.one_of(bulk), clock))
                    laid.append(row.id)
    reach("tray.laid")
    return Portion(tuple(laid), passed_over, in_effect=False)


def take_out(hand: RunInHand, unit: str, by: str, of: str | None, clock: Clock, active: RunActive) -> Ruling | None:
    """Take a decision out again. One that is in effect in a run which has gone on cannot be taken back.

    None where nobody is at work on the run any more.
    """
    row, at = hand.row(unit), iso(clock())
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        with hand.tray.held() as held:
            is_out = _take_out(hand, held, row, by, of, at)
    if is_out:
        return Ruling(hand.folder.id, unit, "undo", by, None, at, row, in_effect=False)
    refuse_other(hand.folder.id, hand.journal, row, of)
    if has_gone_on(hand.journal, last_standing(hand.journal, row)):
        raise TooLate(
            f"The decision about {unit} cannot be taken back: the run has gone on since.",
            hint="Where the unit waits again, decide anew.",
        )
    raise active


def take_all_out(
    hand: RunInHand, meant: Mapping[str, str | None], by: str, clock: Clock, active: RunActive
) -> Portion | None:
    """The same for many units; where there is nothing to take out, or it is another decision, it is passed over."""
    done: list[str] = []
    passed_over: dict[str, str] = {}
    with worker_kept(hand.folder, clock) as worker:
        if worker is None:
            return None
        with hand.tray.held() as held:
            for unit, of in meant.items():
                try:
                    is_out = _take_out(hand, held, hand.row(unit), by, of, iso(clock()))
                except UsageError as refused:
                    passed_over[unit] = refused.message
                    continue
                if is_out:
                    done.append(unit)
                else:
                    passed_over[unit] = active.message
    return Portion(tuple(done), passed_over, in_effect=False)


def _take_out(hand: RunInHand, held: HeldTray, row: UnitRow, by: str, of: str | None, at: str) -> bool:
    """Whether the decision that is meant lay in the tray, and does not any more."""
    entry = held.entry(row.id)
    if entry is not None and is_in_effect(hand.journal, entry):
        held.remove(row.id)
        return False
    if is_meant(entry, of):
        held.withdraw(row.id, by=by, at=at)
        return True
    if entry is not None and entry.why is None:
        raise AlreadyDecided(ruling_in_tray(hand.folder.id, entry, row), NOT_TAKEN_BACK)
    return False


def _waiting_row(hand: RunInHand, unit: str, seen: str | None, active: RunActive) -> UnitRow:
    """Only a unit that waits is sure to stay as it is while the run is at work."""
    row = hand.row(unit)
    refuse_stale(hand.folder.id, hand.journal, row, seen, hand.kind.states.waiting)
    if row.state != hand.kind.states.waiting:
        raise active
    return row


def _entry(hand: RunInHand, row: UnitRow, wish: Wish, clock: Clock) -> TrayEntry:
    note = None if wish.note is None else str(hand.redactor.diagnostics(wish.note))
    return TrayEntry(row.id, wish.mark, wish.verdict, wish.by, note, wish.text, seen=row.at, at=iso(clock()))


def _errors(follows: Consequence) -> tuple[Finding, ...]:
    """What an edited text breaks."""
    texts = [record for record in follows.records if isinstance(record, AttemptRecord)]
    return tuple(finding for text in texts for finding in findings_of(text) if finding.blocks)
