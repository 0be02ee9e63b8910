"""The audit trail: what people did in the workbench, and what they decided in its runs."""

from __future__ import annotations

from collections.abc import Iterator

from burnish.app.labels import SAID
from burnish.app.run_card import RunCard
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.core.attempts import is_undo
from burnish.store.people import People, TrailEntry


def audit(people: People, index: RunIndex) -> list[TrailEntry]:
    """Everything, in the order of time. What a run says and what was kept of it are one entry."""
    rows = people.actions()
    for card in index.cards():
        if isinstance(card, RunCard):
            rows += decisions_in(index.open(card.id))
    return sorted(dict.fromkeys(rows), key=lambda row: row.at)


def decisions_in(run: RunReader) -> Iterator[TrailEntry]:
    """Each with the mark of the token that it was made with, where one was used."""
    for event in run.view.journal.events(types=("decision",)):
        said = event.data
        what = "undid a decision" if is_undo(event) else SAID[str(said["verdict"])]
        yield TrailEntry(
            event.at, str(said["by"]), what, run.card.id, event.unit or "", said["note"] or "", said.get("token", "")
        )
