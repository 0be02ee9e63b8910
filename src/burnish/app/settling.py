"""Putting into effect what lies in the tray of a run that rests: each decision exactly once, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from burnish.app.in_hand import RunInHand, Wish
from burnish.app.rulings import is_in_effect, refuse_stale
from burnish.core.errors import InputError, SourceUnavailable, UsageError
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.records import EventRecord, Record
from burnish.engine.session import recorded_plan
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.redaction import Redactor
from burnish.store.tray import HeldTray, Tray, TrayEntry, Withdrawn

PORTION = 200
"""Units that are written in one go: few commits, and nobody waits long for one."""


def settle(hand: RunInHand) -> None:
    """Everything in the tray that waits. What cannot be put into effect stays there, with why; so does what cannot be
    put into effect now. What was taken back before it was in effect is told."""
    tray = hand.tray
    if not _has_work(tray):
        return
    with tray.held() as held:
        tell_withdrawn(hand, held)
        waiting = [entry for entry in held.entries() if entry.why is None]
        while waiting:
            portion = _portion(waiting)
            _settle(hand, held, portion)
            waiting = waiting[len(portion) :]
    reach("tray.cleared")


def _has_work(tray: Tray) -> bool:
    return any(entry.why is None for entry in tray.entries()) or bool(tray.withdrawn())


def tell_withdrawn(hand: RunInHand, held: HeldTray) -> None:
    """Let the journal tell of every decision that was taken back before it was in effect."""
    told = [_withdrawal(each) for each in held.withdrawn()]
    if told:
        hand.journal.write_now(*told)
        held.forget_withdrawn()


def _withdrawal(withdrawn: Withdrawn) -> EventRecord:
    entry = withdrawn.entry
    said = {"verdict": entry.verdict, "by": entry.by, "note": entry.note, "text": entry.text, "decided_at": entry.at}
    taken = {"undone_by": withdrawn.by, "undone_at": withdrawn.at, "why": entry.why, "mark": entry.mark}
    return event("decision_withdrawn", entry.unit, dedupe=f"withdrawn:{entry.mark}", data=said | taken)


def _portion(waiting: Sequence[TrayEntry]) -> list[TrayEntry]:
    """What is written together. A text is judged beside all that was decided before it."""
    edits = [place for place, entry in enumerate(waiting) if entry.verdict == "edit"]
    first = edits[0] if edits else len(waiting)
    return list(waiting[: min(first, PORTION) or 1])


def _settle(hand: RunInHand, held: HeldTray, portion: Sequence[TrayEntry]) -> None:
    records: list[Record] = []
    for entry in portion:
        try:
            records += _follows(hand, entry)
            held.remove(entry.unit)
        except SourceUnavailable as away:
            held.put_off(entry.unit, str(away))
        except (UsageError, InputError) as refused:
            held.fail(entry.unit, str(refused))
    hand.journal.write_now(*records)
    if records:
        reach("tray.in_effect")


def _follows(hand: RunInHand, entry: TrayEntry) -> tuple[Record, ...]:
    """What has to be written for a decision; nothing where that was done by somebody who did not live to say so."""
    if is_in_effect(hand.journal, entry):
        return ()
    row = hand.row(entry.unit)
    refuse_stale(hand.folder.id, hand.journal, row, entry.seen, hand.kind.states.waiting)
    follows = hand.follows(row, Wish(entry.verdict, entry.by, entry.note, entry.text, entry.mark))
    return tuple(_dated(record, entry.at) for record in follows.records)


def _dated(record: Record, laid_at: str) -> Record:
    """A decision tells when it was made, too: whoever made it knows it by that moment."""
    if isinstance(record, EventRecord) and record.type == "decision":
        return replace(record, data={**record.data, "laid_at": laid_at})
    return record


def clear(hand: RunInHand, units: Sequence[str], *, by: str, at: str) -> None:
    """What could not be put into effect about these units: a later decision takes its place."""
    laid = {entry.unit for entry in hand.tray.entries()}
    if laid.intersection(units):
        with hand.tray.held() as held:
            for unit in laid.intersection(units):
                held.withdraw(unit, by=by, at=at)
            tell_withdrawn(hand, held)


def settle_first(folder: RunFolder, journal: Journal, redactor: Redactor) -> None:
    """For whoever goes on with a run: what was decided while it was at work comes first."""
    tray = Tray(folder.tray)
    plan = recorded_plan(journal) if _has_work(tray) else None
    if plan is not None:
        settle(RunInHand(folder, journal, plan, redactor))
