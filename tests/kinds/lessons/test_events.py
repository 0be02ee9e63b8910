"""Who speaks in an event, and in which phase: the names of the logs."""

from __future__ import annotations

from typing import get_args

import pytest

from burnish.kinds.lessons.events import (
    PHASES,
    REFINEMENT_EVENTS,
    ExtendedStage6NodeName,
    PhaseName,
    RefinementAgentName,
    RefinementEvents,
    node_of,
    phase_of,
)


@pytest.mark.parametrize(
    ("type", "node", "phase"),
    [
        ("arbiter_consolidation", "arbiter", "stage_6_arbiter"),
        ("task_started", "router", "stage_6_refinement"),
        ("patch_applied", "patcher", "stage_6_patcher"),
        ("section_regenerated", "section_expander", "stage_6_section_expander"),
        ("verification_result", "delta_judge", "stage_6_delta_judge"),
        ("quality_lock_triggered", "verifier", "stage_6_refinement"),
        ("refinement_start", "system", "stage_6_refinement"),
        ("judged", "judge", "stage_6_judge"),
        ("self_reviewed", "self_reviewer", None),
        ("ended", "system", None),
    ],
)
def test_who_speaks_and_when(type: str, node: str, phase: str | None) -> None:
    assert (node_of(type), phase_of(type)) == (node, phase)


def test_every_agent_speaks_and_every_name_is_one_of_the_wire() -> None:
    assert {node_of(type) for type in REFINEMENT_EVENTS} == {*get_args(RefinementAgentName), "system"}
    nodes = {name for part in get_args(ExtendedStage6NodeName) for name in get_args(part) or (part,)}
    assert set(PHASES) <= nodes and set(PHASES.values()) <= set(get_args(PhaseName))


def test_an_event_says_who_speaks() -> None:
    assert RefinementEvents().batch_started(0, 1, ()).data == {
        "round": 0,
        "node": "system",
        "iteration": 0,
        "batch": 1,
        "tasks": [],
    }
