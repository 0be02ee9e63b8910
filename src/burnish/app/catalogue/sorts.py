"""What states mean, whatever a kind calls them."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.app.catalogue.cards import StatePart
from burnish.app.catalogue.lines import Sort
from burnish.core.kinds import PublishedKind
from burnish.core.stages import StagedKind

BAR: tuple[Sort, ...] = ("ready", "work", "rework", "fail", "person", "idle", "excluded")
"""The order of the pieces in the stacked bar."""


def sorts_of(kind: PublishedKind) -> dict[str, Sort]:
    """State -> what it means, whatever the kind calls it."""
    states, is_staged = kind.states, isinstance(kind, StagedKind)
    found: dict[str, Sort] = {state: _sort(kind, state) for state in states.moves}
    found |= {states.initial: "idle", states.working: "rework" if is_staged else "work"}
    found |= {states.ready: "ready", states.waiting: "person"}
    return found | ({kind.merged: "ready", kind.out_of_scope: "excluded"} if isinstance(kind, StagedKind) else {})


def _sort(kind: PublishedKind, state: str) -> Sort:
    """A review that just failed leads nowhere but to a rework or a person."""
    onward = kind.states.moves[state]
    return "fail" if kind.states.working in onward and kind.states.ready not in onward else "work"


def bar_of(sorts: Mapping[str, Sort], counts: Mapping[str, int]) -> tuple[StatePart, ...]:
    """The pieces of the stacked bar: done first, left out last."""
    parts = [StatePart(state, sorts.get(state, "work"), count) for state, count in counts.items()]
    return tuple(sorted(parts, key=lambda part: BAR.index(part.sort)))
