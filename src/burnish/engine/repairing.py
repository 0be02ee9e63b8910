"""Repairing one draft: the smallest edit a model can offer, in flagged fields only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from burnish.core.documents import Unit
from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.core.kinds import PolishedKind, RepairNotes
from burnish.engine.answers import Asker


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of one try. `draft` is None where the answer was not used."""

    draft: Unit | None
    edits: tuple[Edit, ...] = ()
    failure: str | None = None
    calls: tuple[str, ...] = ()


async def repair(
    kind: PolishedKind, asker: Asker, model: str, unit: Unit, findings: Sequence[Finding], notes: RepairNotes
) -> Repair:
    """One try at settling the errors among `findings`."""
    answer = await asker.ask(kind.repair_ask(unit, findings, notes), model)
    if answer.reply is None:
        return Repair(None, failure=answer.failure, calls=answer.calls)
    edits = tuple(kind.edits(unit, answer.reply))
    try:
        draft = apply_edits(unit, edits, allowed=kind.editable(unit, findings))
    except EditRefused as refusal:
        failure = f"edit_refused: {refusal.reason}: {refusal.message}"
        return Repair(None, edits, failure, answer.calls)
    return Repair(draft, edits, None, answer.calls)
