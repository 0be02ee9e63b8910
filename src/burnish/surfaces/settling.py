"""Putting into effect what lies in the tray of a run that rests: each decision exactly once, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from burnish.core.documents import Unit
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.core.faultpoints import reach
from burnish.core.kinds import PublishedKind
from burnish.core.records import Record
from burnish.engine.exporting import sources
from burnish.engine.plan import Plan
from burnish.engine.session import recorded_plan
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.redaction import Redactor
from burnish.store.tray import HeldTray, Tray, TrayEntry
from burnish.surfaces.in_hand import RunInHand, Wish
from burnish.surfaces.materials import kind_to_look_with
from burnish.surfaces.rulings import is_in_effect, refuse_stale

PORTION = 200
"""Units that are written in one go: few commits, and nobody waits long for one."""


def settle(hand: RunInHand) -> None:
    """Everything in the tray that waits. What cannot be put into effect stays there, with why."""
    tray = hand.tray
    if not any(entry.why is None for entry in tray.entries()):
        return
    with tray.held() as held:
        waiting = [entry for entry in held.entries() if entry.why is None]
        while waiting:
            portion = _portion(waiting)
            _settle(hand, held, portion)
            waiting = waiting[len(portion) :]
    reach("tray.cleared")


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
    return hand.follows(row, Wish(entry.verdict, entry.by, entry.note, entry.text, entry.mark)).records


def clear(hand: RunInHand, units: Sequence[str]) -> None:
    """What could not be put into effect about these units: a later decision takes its place."""
    laid = {entry.unit for entry in hand.tray.entries()}
    if laid.intersection(units):
        with hand.tray.held() as held:
            for unit in units:
                held.remove(unit)


def settle_first(folder: RunFolder, journal: Journal, redactor: Redactor) -> None:
    """For whoever goes on with a run: what was decided while it was at work comes first."""
    waiting = [entry for entry in Tray(folder.tray).entries() if entry.why is None]
    plan = recorded_plan(journal) if waiting else None
    if plan is not None:
        kind = kind_to_look_with(plan)
        settle(RunInHand(folder, journal, plan, redactor, _read_once(plan, kind, journal, waiting)))


def _read_once(
    plan: Plan, kind: PublishedKind, journal: Journal, waiting: Sequence[TrayEntry]
) -> Callable[[str], Unit]:
    """The sources of all units that need theirs, found in one pass over the documents."""
    found = sources(plan, kind, journal, [entry.unit for entry in waiting if entry.verdict != "accept"])

    def source_of(unit: str) -> Unit:
        if unit not in found:
            raise StateCorrupt(f"{unit} is in the journal, but not in the source any more.")
        return found[unit]

    return source_of
