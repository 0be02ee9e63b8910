"""How a run stands, in words: made from its journal, its lock and its plan."""

from __future__ import annotations

from burnish.core.kinds import PublishedKind
from burnish.core.stages import StagedKind
from burnish.surfaces.catalogue.lines import Sort

WORDS = {
    "working": "Working",
    "waiting_for_people": "Waiting for people",
    "waiting_for_approval": "Waiting for approval",
    "ready_to_continue": "Ready to go on",
    "published": "Published",
    "accepted_with_warning": "Accepted with a warning",
    "best_effort": "Delivered as the best effort",
    "at_its_ceiling": "Stopped at its ceiling",
    "silent": "No sign of life",
    "interrupted": "Interrupted",
    "failed": "Stopped",
}


def sort_of(kind: PublishedKind, state: str) -> Sort:
    """What a state means, whatever the kind calls it."""
    states = kind.states
    if isinstance(kind, StagedKind):
        if state == kind.merged:
            return "ready"
        if state == kind.out_of_scope:
            return "excluded"
    named: dict[str, Sort] = {
        states.initial: "idle",
        states.working: "rework" if isinstance(kind, StagedKind) else "work",
        states.ready: "ready",
        states.waiting: "person",
    }
    if state in named:
        return named[state]
    # A review that just failed leads nowhere but to a rework or a person.
    onward = states.moves.get(state, frozenset())
    return "fail" if states.working in onward and states.ready not in onward else "work"
