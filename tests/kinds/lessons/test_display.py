"""Events are told in order; what people see is folded from them."""

from collections.abc import Iterable
from dataclasses import replace

from burnish.core.edits import Edit
from burnish.core.effects import Note
from burnish.core.records import EventRecord, Usage
from burnish.kinds.lessons.arbiter import consolidate
from burnish.kinds.lessons.controller import conclude, with_iteration
from burnish.kinds.lessons.display import inspector_extension, voting_results
from burnish.kinds.lessons.drafts import Repair
from burnish.kinds.lessons.events import AGENTS, REFINEMENT_EVENTS, RefinementEvents
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.policy import FullAutoConfig, RoutingConfig, SemiAutoConfig
from burnish.kinds.lessons.refinement import (
    FixAction,
    JudgeAggregatedResult,
    QualityLockViolation,
    SectionRefinementTask,
)
from burnish.kinds.lessons.router import Routing, route
from burnish.kinds.lessons.verdicts import vote
from burnish.kinds.lessons.verify import Verification
from tests.kinds.lessons.makers import given_to_arbiter, issue, result_of, started, targeted, verdict

FIRST, SECOND = verdict("a", 0.70, issues=[issue(), issue("factual_accuracy", "minor", "s3")]), verdict("b", 0.72)
VIOLATION = QualityLockViolation(criterion="completeness", locked_score=0.8, new_score=0.6, delta=-0.2, section_id="s3")
PASSED, REFUSED = Verification(True, tokens_used=200, duration_ms=20), Verification(False, ("length_change",))


def panel(*scores: float) -> JudgeAggregatedResult:
    result = vote([verdict(judge, score) for judge, score in zip("abc", scores, strict=False)])
    assert isinstance(result, JudgeAggregatedResult)
    return result


def recorded(told: Iterable[Note]) -> list[EventRecord]:
    return [EventRecord(one.type, one.unit, one.data, seq=seq) for seq, one in enumerate(told, start=1)]


def repair(
    task: SectionRefinementTask, action: FixAction, verdict: Verification, tokens: int = 0, seconds: float = 0.0
) -> Repair:
    """A repair that put a word in, and what became of it."""
    before = LessonUnit(task.section_id, "section", {None: "Water rises."})
    edit = Edit(before.id, None, "rises", "always rises")
    after = before.with_text(None, "Water always rises.")
    paid = Usage(tokens, 0, 0.0)
    return Repair(task, action, before, after, (edit,), verification=verdict, usage=paid, seconds=seconds)


def whole_story(round: int = 0, config: SemiAutoConfig | FullAutoConfig | None = None) -> list[Note]:
    """One iteration with two tasks: the first is done, the second is rolled back after judging again."""
    chosen = config or SemiAutoConfig()
    event_log = RefinementEvents(round)
    output = consolidate(given_to_arbiter(FIRST, SECOND))
    routing = route(output.plan.tasks)
    (patch,), (rewrite,) = routing.batches(output.plan)
    state = with_iteration(
        started(0.71, "v0"),
        result_of(0.74, "v1", remaining_issues=(targeted(),), regressed=["s3"], tokens=3_000, duration_ms=900),
    )
    return [
        event_log.refinement_start(panel(0.70, 0.72), chosen),
        event_log.arbiter_consolidation(0, output, routing),
        event_log.batch_started(0, 0, [patch]),
        event_log.task_started(0, routing.decision("s1")),
        *event_log.repaired(0, repair(patch, "SURGICAL_EDIT", PASSED, tokens=900, seconds=0.09)),
        event_log.batch_started(0, 1, [rewrite]),
        event_log.task_started(0, routing.decision("s3")),
        *event_log.repaired(0, repair(rewrite, "REGENERATE_SECTION", PASSED, tokens=1_700, seconds=0.17)),
        event_log.quality_lock_triggered(0, VIOLATION),
        event_log.section_locked(0, "s3", "regression"),
        event_log.iteration_complete(
            0,
            state.content_history[-1],
            start_score=0.71,
            judged=panel(0.73, 0.75),
            sections_locked=["s3"],
            decision="stop_converged",
        ),
        event_log.convergence_detected(0, state.score_history),
        *event_log.ending(conclude(state, chosen, "stop_converged")),
    ]


def test_all_fourteen_events_can_be_told_in_order() -> None:
    told = [one.type for one in (*whole_story(), *whole_story(config=FullAutoConfig()))]
    assert set(told) == set(REFINEMENT_EVENTS) and len(REFINEMENT_EVENTS) == 14
    in_batches = {"batch_started", "task_started", "patch_applied", "section_regenerated", "verification_result"}
    around = [one.type for one in whole_story() if one.type not in in_batches]
    assert around == [name for name in REFINEMENT_EVENTS if name in around]
    assert set(AGENTS) <= set(REFINEMENT_EVENTS)


def test_events_stand_under_their_section() -> None:
    units = {one.type: one.unit for one in whole_story()}
    assert units["quality_lock_triggered"] == "s3" and units["refinement_complete"] is None


def test_the_whole_picture() -> None:
    picture = inspector_extension(recorded(whole_story()))
    plan = picture.refinement_plan
    assert plan is not None and picture.can_escalate and picture.active_refinement is None
    assert (plan.status, plan.total_tasks, plan.best_score) == ("COMPLETED", 2, 0.74)
    assert plan.tasks_by_priority.as_wire() == {"critical": 0, "major": 1, "minor": 1}
    assert plan.estimated_cost == 950 + 1800 and plan.current_iteration is None
    assert plan.status_message == "escalated at 0.74 after 1 iteration: stop_converged"
    (iteration,) = plan.iterations
    assert (iteration.start_score, iteration.end_score, iteration.improvement) == (0.71, 0.74, 0.03)
    assert (iteration.sections_locked, iteration.tokens_used, iteration.duration_ms) == (("s3",), 3_000, 900)
    done, undone = iteration.tasks
    assert (done.section_id, done.status, done.tokens_used, done.duration_ms) == ("s1", "completed", 900, 90)
    assert (undone.status, undone.error_message) == ("failed", "Rolled back: completeness fell from 0.80 to 0.60.")


def test_every_moment_of_the_story_can_be_shown() -> None:
    events = recorded(whole_story())
    statuses = []
    for moment in range(len(events) + 1):
        picture = inspector_extension(events[:moment])
        statuses.append(picture.refinement_plan.status if picture.refinement_plan else None)
        assert (picture.active_refinement is not None) == (statuses[-1] is not None and 2 <= moment < 13)
    assert statuses == [None] * 2 + ["PENDING"] + ["EXECUTING"] * 12 + ["EXECUTING", "COMPLETED"]


def test_what_is_being_done_now() -> None:
    events = recorded(whole_story())
    early = inspector_extension(events[:4]).active_refinement
    assert early is not None and early.current_task is not None and early.current_task.section_id == "s1"
    assert early.estimated_time_remaining_ms == 300_000
    later = inspector_extension(events[:8]).active_refinement
    assert later is not None and later.current_task is not None and later.current_task.section_id == "s3"
    assert later.estimated_time_remaining_ms == 90
    wire = inspector_extension(events[:6]).as_wire()
    assert wire["activeRefinement"]["currentTask"] is None and wire["refinementPlan"]["currentIteration"] == 0


def test_a_refused_task_says_why() -> None:
    story = whole_story()
    event_log, output = RefinementEvents(), consolidate(given_to_arbiter(FIRST, SECOND))
    refusal = replace(repair(output.plan.tasks[0], "SURGICAL_EDIT", REFUSED), after=None)
    refused = [*story[:4], *event_log.repaired(0, refusal)]
    told = [*story[:4], *event_log.repaired(0, replace(refusal, failure="Too long."))]
    for events, message in ((refused, "length_change"), (told, "Too long.")):
        plan = inspector_extension(recorded(events)).refinement_plan
        assert plan is not None and plan.iterations[0].tasks[0].error_message == message


def test_a_deferred_task_is_named_in_the_event_and_no_task_of_the_plan() -> None:
    output = consolidate(given_to_arbiter(FIRST, SECOND))
    routing = route(output.plan.tasks, RoutingConfig(token_budget=1_000))
    told = RefinementEvents().arbiter_consolidation(0, output, routing)
    assert [one["reason"] for one in told.data["deferred"]] == ["token_budget"]
    assert told.data["batches"] == [["0.0/s1"]] and len(told.data["tasks"]) == 1


def test_only_the_latest_round_is_shown() -> None:
    plan = inspector_extension(recorded([*whole_story(0), *whole_story(1)])).refinement_plan
    assert plan is not None and [one.id for one in plan.iterations[0].tasks] == ["1.0/s1", "1.0/s3"]


def test_nothing_to_show() -> None:
    other = [EventRecord("run_started"), EventRecord("refinement_start_of_something_else")]
    assert inspector_extension(other).as_wire() == {} and voting_results(other) == ()


def test_a_blocked_refinement_has_failed() -> None:
    result = conclude(started(0.5, "v0"), SemiAutoConfig(), None, blocked="No judge gave a usable verdict.")
    plan = inspector_extension(recorded([*whole_story()[:2], *RefinementEvents().ending(result)])).refinement_plan
    assert plan is not None and plan.status == "FAILED" and "No judge" in str(plan.status_message)


def test_every_vote_is_shown() -> None:
    first, second = voting_results(recorded(whole_story()))
    assert (first.iteration, second.iteration) == (None, 0)
    assert [one.role for one in first.verdicts] == ["primary", "secondary"]
    assert second.aggregated_score == 0.74 and second.voting_method == "unanimous"
    assert "temperature" not in first.verdicts[0].as_wire()


def test_the_wire_has_the_contracts_names() -> None:
    plan = inspector_extension(recorded(whole_story()[:8])).refinement_plan
    assert plan is not None
    wire = plan.as_wire()
    assert {"status", "agreementScore", "agreementLevel", "totalTasks", "tasksByPriority", "estimatedCost"} | {
        "iterations",
        "currentIteration",
        "bestScore",
    } == set(wire)
    assert {"iteration", "startScore", "endScore", "improvement", "tasks", "sectionsLocked", "durationMs"} | {
        "tokensUsed"
    } == set(wire["iterations"][0])
    assert {"id", "sectionId", "sectionTitle", "actionType", "priority", "status", "durationMs", "tokensUsed"} == set(
        wire["iterations"][0]["tasks"][0]
    )


def test_a_plan_that_only_tells_what_was_set_aside_is_no_iteration() -> None:
    event_log = RefinementEvents()
    told = [
        event_log.refinement_start(panel(0.95, 0.95), SemiAutoConfig()),
        event_log.arbiter_consolidation(0, consolidate(given_to_arbiter(FIRST, SECOND)), Routing(())),
        *event_log.ending(conclude(started(0.95, "v0"), SemiAutoConfig(), "stop_score_threshold_met")),
    ]
    shown = inspector_extension(recorded(told)).refinement_plan
    assert shown is not None
    assert (shown.iterations, shown.total_tasks, shown.agreement_level) == ((), 0, "high")
