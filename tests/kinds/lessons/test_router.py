"""Routing and batches: the first line of the table that fits, and who may run beside whom."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.policy import RoutingConfig
from burnish.kinds.lessons.refinement import (
    LESSON,
    SEVERITIES,
    IssueSeverity,
    JudgeCriterion,
    RefinementPlan,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.router import (
    EXECUTORS,
    action_for,
    estimated_tokens,
    execution_batches,
    full_regenerate_reason,
    route,
    route_task,
)
from tests.kinds.lessons.makers import targeted, task


@pytest.mark.parametrize(
    ("found", "action", "reason"),
    [
        ([("pedagogical_structure", "critical")], "FULL_REGENERATE", "critical and structural"),
        (
            [("pedagogical_structure", "critical"), ("factual_accuracy", "minor")],
            "FULL_REGENERATE",
            "critical and structural",
        ),
        ([("factual_accuracy", "minor")], "REGENERATE_SECTION", "factual"),
        ([("clarity_readability", "minor"), ("completeness", "minor")], "REGENERATE_SECTION", "several criteria"),
        ([("clarity_readability", "critical")], "SURGICAL_EDIT", "clarity"),
        ([("clarity_readability", "major")], "SURGICAL_EDIT", "clarity"),
        ([("engagement_examples", "minor")], "SURGICAL_EDIT", "minor"),
        ([("pedagogical_structure", "minor")], "SURGICAL_EDIT", "minor"),
        ([("completeness", "major")], "REGENERATE_SECTION", "major"),
        ([("completeness", "critical")], "SURGICAL_EDIT", "preferSurgical"),
    ],
)
def test_the_first_line_that_fits(found: list[tuple[JudgeCriterion, IssueSeverity]], action: str, reason: str) -> None:
    issues = [targeted(criterion, severity) for criterion, severity in found]
    chosen, why = action_for(issues)
    assert chosen == action and why.startswith(reason)


def test_without_a_preference_for_edits_the_section_is_written_anew() -> None:
    assert action_for([targeted("completeness", "critical")], prefer_surgical=False)[0] == "REGENERATE_SECTION"


def test_a_decision_names_its_executor_and_price() -> None:
    decision = route_task(task("s1", "SURGICAL_EDIT"))
    assert (decision.action, decision.executor, decision.estimated_tokens) == ("SURGICAL_EDIT", "patcher", 950)
    assert estimated_tokens("REGENERATE_SECTION", 2) == 2000 and estimated_tokens("FULL_REGENERATE", 0) == 6000
    assert EXECUTORS["REGENERATE_SECTION"] == "section-expander" and EXECUTORS["FULL_REGENERATE"] == "planner"


def test_the_lesson_as_a_whole_is_no_section_to_write_anew() -> None:
    whole = task(LESSON, "SURGICAL_EDIT", targeted("completeness", "major", LESSON))
    assert route_task(whole).action == "SURGICAL_EDIT"


def test_tasks_beyond_the_budget_are_deferred_by_name() -> None:
    tasks = [task(f"s{number}") for number in range(4)]
    routing = route(tasks, RoutingConfig(token_budget=2000))
    assert [one.task.section_id for one in routing.decisions] == ["s0", "s1"]
    assert {one.reason for one in routing.deferred} == {"token_budget"} and routing.estimated_tokens == 1900
    few = route(tasks, RoutingConfig(max_patcher_calls=3))
    assert [one.reason for one in few.deferred] == ["max_patcher_calls"]
    assert few.decision("s0").executor == "patcher"
    with pytest.raises(KeyError):
        few.decision("s3")


def test_a_deferred_task_is_in_no_batch() -> None:
    tasks = (task("s0"), task("s2"), task("s4"))
    plan = RefinementPlan(tasks=tasks, agreement_score=1, execution_batches=((tasks[0], tasks[1]), (tasks[2],)))
    assert [
        [one.section_id for one in batch] for batch in route(tasks, RoutingConfig(max_patcher_calls=1)).batches(plan)
    ] == [["s0"]]


def test_a_small_task_may_still_fit_after_a_large_one_that_does_not() -> None:
    large = task("s1", "REGENERATE_SECTION", targeted("factual_accuracy"))
    routing = route([large, task("s3")], RoutingConfig(token_budget=1000))
    assert [one.task.section_id for one in routing.decisions] == ["s3"]


SIX = ["s1", "s2", "s3", "s4", "s5", "s6"]


@pytest.mark.parametrize(
    ("criteria", "issues", "expected"),
    [
        ({"pedagogical_structure": 0.59}, [], "structure scores 0.59"),
        ({"pedagogical_structure": 0.6}, [], None),
        ({}, [targeted("pedagogical_structure", "critical")], "critical and structural"),
        ({}, [targeted(severity="critical", section=f"s{n}") for n in (1, 2)], None),
        ({}, [targeted(severity="critical", section=f"s{n}") for n in (1, 2, 3)], "3 of 6 sections critical"),
        ({}, [targeted(severity="critical", section="s1") for _ in range(4)], None),
    ],
)
def test_when_the_lesson_is_written_again_whole(
    criteria: dict[JudgeCriterion, float], issues: list[TargetedIssue], expected: str | None
) -> None:
    reason = full_regenerate_reason(criteria, issues, SIX)
    assert reason is None if expected is None else str(reason).startswith(expected)


def test_exactly_two_fifths_critical_is_not_more_than_two_fifths() -> None:
    critical = [targeted(severity="critical", section=f"s{n}") for n in (1, 2)]
    assert full_regenerate_reason({}, critical, SIX[:5]) is None
    assert full_regenerate_reason({}, critical, []) is None


def test_batches_in_order_of_urgency() -> None:
    tasks = [
        task("s5", priority="minor"),
        task("s1", priority="critical"),
        task("s2", priority="critical"),
        task("s4", "REGENERATE_SECTION", priority="critical"),
    ]
    batches = execution_batches(tasks, SIX)
    assert [[one.section_id for one in batch] for batch in batches] == [["s1"], ["s2"], ["s4"], ["s5"]]


def test_what_nobody_can_place_runs_alone() -> None:
    batches = execution_batches([task("s1"), task("elsewhere"), task(LESSON)], SIX)
    assert [len(batch) for batch in batches] == [1, 1, 1]


places = [f"s{number}" for number in range(12)]
tasks = st.lists(st.sampled_from([*places, LESSON]), unique=True, max_size=12).flatmap(
    lambda sections: st.tuples(
        *(
            st.builds(
                task,
                st.just(section),
                st.sampled_from(["SURGICAL_EDIT", "SURGICAL_EDIT", "REGENERATE_SECTION"]),
                priority=st.sampled_from(SEVERITIES),
            )
            for section in sections
        )
    )
)


@given(tasks)
def test_batches_hold_every_task_once_and_no_two_that_may_not_meet(planned: tuple[SectionRefinementTask, ...]) -> None:
    batches = execution_batches(planned, places)
    assert sorted(one.section_id for batch in batches for one in batch) == sorted(one.section_id for one in planned)
    urgency = [SEVERITIES.index(batch[0].priority) for batch in batches]
    assert urgency == sorted(urgency)
    for batch in batches:
        assert 1 <= len(batch) <= 3 and len({one.priority for one in batch}) == 1
        assert len(batch) == 1 or all(one.action_type == "SURGICAL_EDIT" and one.section_id != LESSON for one in batch)
        for one, other in combinations(batch, 2):
            assert abs(places.index(one.section_id) - places.index(other.section_id)) > 1


@given(tasks, st.integers(0, 20_000), st.integers(0, 12))
def test_routing_never_spends_what_is_not_there(
    planned: tuple[SectionRefinementTask, ...], budget: int, calls: int
) -> None:
    routing = route(planned, RoutingConfig(token_budget=budget, max_patcher_calls=calls))
    assert routing.estimated_tokens <= budget
    assert sum(one.executor == "patcher" for one in routing.decisions) <= calls
    assert len(routing.decisions) + len(routing.deferred) == len(planned)
