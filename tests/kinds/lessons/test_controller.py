"""The controller and the ending: the loop always ends, for a reason, with the best that was seen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from burnish.core.errors import StateCorrupt
from burnish.kinds.lessons.controller import (
    LAST_PHASE,
    PHASES,
    RefinementIterationState,
    RefinementResult,
    best_result,
    conclude,
    decide,
    has_converged,
    improvement_hints,
    limit_reached,
    moved,
    quality_status,
    tokens_left,
    with_iteration,
)
from burnish.kinds.lessons.policy import (
    FullAutoConfig,
    RefinementLimits,
    SemiAutoConfig,
    config_for,
)
from burnish.kinds.lessons.refinement import IssueSeverity, IterationResult
from tests.kinds.lessons.makers import result_of, started, targeted

SEMI, FULL = SemiAutoConfig(), FullAutoConfig()
OPEN = {"s1", "s2"}


def after(*scores: float, **outcome: object) -> RefinementIterationState:
    """The state after iterations with these scores; the first one is the first judging."""
    state = started(scores[0], "v0")
    for number, score in enumerate(scores[1:], start=1):
        state = with_iteration(state, result_of(score, f"v{number}", **outcome))
    return state


# Stop


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (after(0.7), "continue_more_tasks"),
        (after(0.9), "stop_score_threshold_met"),
        (after(0.7, 0.91, 0.8), "stop_score_threshold_met"),
        (after(0.5, 0.6, 0.7, 0.8), "stop_max_iterations"),
        (after(0.7, 0.75, tokens=15_000), "stop_token_budget"),
        (after(0.7, 0.75, duration_ms=300_000), "stop_timeout"),
        (after(0.7, 0.71, 0.72), "stop_converged"),
        (after(0.7, 0.72, 0.73), "continue_more_tasks"),
        (after(0.7, 0.6, regressed={"s1", "s2"}), "stop_all_sections_locked"),
        (after(0.7, 0.6, regressed={"s1"}), "continue_more_tasks"),
    ],
)
def test_reasons_to_stop(state: RefinementIterationState, reason: str) -> None:
    assert decide(state, SEMI, open_sections=OPEN) == reason


def test_the_reasons_have_an_order() -> None:
    everything = after(0.95, 0.95, 0.95, 0.95, tokens=9_000, duration_ms=200_000, regressed=OPEN)
    assert decide(everything, SEMI, open_sections=OPEN) == "stop_score_threshold_met"
    low = after(0.5, 0.5, 0.5, 0.5, tokens=9_000, duration_ms=200_000, regressed=OPEN)
    assert decide(low, SEMI, open_sections=OPEN) == "stop_max_iterations"
    longer = SemiAutoConfig(limits=RefinementLimits(max_iterations=9))
    assert decide(low, longer, open_sections=OPEN) == "stop_token_budget"
    richer = SemiAutoConfig(limits=RefinementLimits(max_iterations=9, max_total_tokens=10**9))
    assert decide(low, richer, open_sections=OPEN) == "stop_timeout"
    slower = SemiAutoConfig(limits=RefinementLimits(max_iterations=9, max_total_tokens=10**9, timeout_ms=10**9))
    assert decide(low, slower, open_sections=OPEN) == "stop_all_sections_locked"
    assert decide(low, slower, open_sections={"s9"}) == "stop_converged"


def test_nothing_left_to_work_on_is_convergence() -> None:
    assert decide(after(0.7), SEMI, open_sections=()) == "stop_converged"


def test_a_score_that_may_not_accept_does_not_stop_the_loop() -> None:
    assert decide(started(0.95, "v0", may_accept=False), SEMI, open_sections=OPEN) == "continue_more_tasks"


def test_a_limit_is_seen_between_batches() -> None:
    state = after(0.7, 0.75, tokens=10_000, duration_ms=200_000)
    assert limit_reached(state, SEMI) is None and tokens_left(state, SEMI) == 5_000
    assert limit_reached(state, SEMI, tokens=5_000) == "stop_token_budget"
    assert limit_reached(state, SEMI, duration_ms=100_000) == "stop_timeout"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.7,), False),
        ((0.7, 0.71), False),
        ((0.5, 0.7, 0.71), False),
        ((0.7, 0.72, 0.72), False),
        ((0.7, 0.69, 0.7), True),
    ],
)
def test_convergence_needs_two_small_steps(scores: tuple[float, ...], expected: bool) -> None:
    assert has_converged(scores) == expected


# Locks


def test_two_edits_lock_a_section() -> None:
    state = after(0.7, 0.75, edited=["s1"])
    assert state.locked_sections == () and state.section_edit_count == {"s1": 1}
    state = with_iteration(state, result_of(0.8, "v2", edited=["s1", "s2"]))
    assert state.lock_reasons == {"s1": "max_edits"} and state.locked_sections == ("s1",)


def test_up_and_down_locks_a_section() -> None:
    state = started(0.7, "v0", section_scores={"s1": 0.7, "s2": 0.7})
    state = with_iteration(state, result_of(0.75, "v1", section_scores={"s1": 0.8, "s2": 0.8}))
    state = with_iteration(state, result_of(0.74, "v2", section_scores={"s1": 0.78, "s2": 0.79}))
    assert state.lock_reasons == {"s1": "oscillation"}


def test_the_first_reason_stays_and_a_regression_says_most() -> None:
    state = after(0.7, 0.75, edited=["s1"], regressed=["s1"])
    assert state.lock_reasons == {"s1": "regression"}
    state = with_iteration(state, result_of(0.75, "v2", edited=["s1"]))
    assert state.lock_reasons == {"s1": "regression"}


def test_good_criteria_are_defended_at_their_best() -> None:
    state = started(0.7, "v0", criteria={"completeness": 0.8, "factual_accuracy": 0.5})
    state = with_iteration(state, result_of(0.75, "v1", criteria={"completeness": 0.78, "factual_accuracy": 0.9}))
    assert state.quality_locks == {"completeness": 0.8, "factual_accuracy": 0.9}


def test_what_is_no_score_never_enters_the_history() -> None:
    with pytest.raises(ValidationError):
        started(float("nan"), "v0")
    with pytest.raises(ValidationError):
        with_iteration(started(0.7, "v0"), result_of(1.2, "v1"))


# The machine


def test_the_way_through_the_machine() -> None:
    state = started(0.7, "v0")
    for phase in (
        "ARBITER_CONSOLIDATING",
        "ITERATION_STARTING",
        "BATCH_EXECUTING",
        "BATCH_VERIFYING",
        "BATCH_EXECUTING",
        "BATCH_VERIFYING",
        "CONVERGENCE_CHECKING",
        "ARBITER_CONSOLIDATING",
        "FINALIZING",
        "ESCALATED",
    ):
        state = moved(state, phase)  # type: ignore[arg-type]
    assert state.phase == "ESCALATED" and not PHASES["ESCALATED"]
    with pytest.raises(StateCorrupt, match="from ESCALATED to IDLE"):
        moved(state, "IDLE")
    assert set(LAST_PHASE.values()) == PHASES["FINALIZING"]


def test_a_state_survives_the_journal() -> None:
    state = after(0.7, 0.75, edited=["s1"], regressed=["s2"], remaining_issues=(targeted(),), feedback="Mend it.")
    assert RefinementIterationState.model_validate(state.as_wire()) == state
    wire = state.as_wire()
    assert {"iteration", "scoreHistory", "contentHistory", "lockedSections", "sectionEditCount", "qualityLocks"} <= set(
        wire
    )
    assert state.score == 0.75 and wire["iteration"] == 1 and wire["contentHistory"][1]["iteration"] == 0


# The ending


CRITICAL, MINOR = targeted(severity="critical"), targeted(severity="minor")


@pytest.mark.parametrize(
    ("config", "score", "critical", "status"),
    [
        (SEMI, 0.90, False, "accepted"),
        (SEMI, 1.00, True, "escalated"),
        (SEMI, 0.89, False, "accepted_warning"),
        (SEMI, 0.85, True, "escalated"),
        (SEMI, 0.84, False, "escalated"),
        (FULL, 0.85, False, "accepted"),
        (FULL, 1.00, True, "best_effort"),
        (FULL, 0.75, False, "accepted_warning"),
        (FULL, 0.75, True, "best_effort"),
        (FULL, 0.74, False, "best_effort"),
    ],
)
def test_both_modes(config: SemiAutoConfig | FullAutoConfig, score: float, critical: bool, status: str) -> None:
    state = started(score, "v0", remaining_issues=(CRITICAL if critical else MINOR,))
    result = conclude(state, config, "stop_converged")
    assert result.status == status
    assert (result.best_effort is not None) == (status == "best_effort")
    assert status in result.message and "stop_converged" in result.message
    assert ("1 critical issue is open" in result.message) == critical


def test_what_is_blocked_or_not_trusted_is_never_accepted() -> None:
    assert conclude(started(0.99, "v0"), SEMI, None, blocked="full regeneration").status == "escalated"
    assert conclude(started(0.99, "v0"), FULL, None, blocked="full regeneration").status == "best_effort"
    alone = conclude(started(0.99, "v0", may_accept=False), SEMI, "stop_converged")
    assert alone.status == "escalated" and alone.blocked is not None and "alone" in alone.message


def test_the_best_is_delivered_and_the_earliest_of_equals() -> None:
    result = conclude(after(0.6, 0.7, 0.7, 0.65), FULL, "stop_max_iterations")
    assert (result.content, result.iteration, result.score) == ("v1", 0, 0.7)
    assert conclude(after(0.7, 0.7), FULL, None).iteration is None
    assert result.best_effort is not None and result.best_effort.content == "v1"
    assert [one.score for one in result.refinement_history] == [0.7, 0.7, 0.65]


def test_a_score_does_not_stop_the_loop_while_something_critical_is_open() -> None:
    critical = started(0.96, "v0", remaining_issues=(CRITICAL,))
    assert decide(critical, SEMI, open_sections=OPEN) == "continue_more_tasks"
    assert decide(started(0.96, "v0", full_regenerate="structure"), SEMI, open_sections=OPEN) == "continue_more_tasks"
    assert (
        decide(started(0.96, "v0", remaining_issues=(MINOR,)), SEMI, open_sections=OPEN) == "stop_score_threshold_met"
    )
    mended = with_iteration(critical, result_of(0.93, "v1"))
    assert decide(mended, SEMI, open_sections=()) == "stop_score_threshold_met"
    result = conclude(mended, SEMI, "stop_score_threshold_met")
    assert (result.status, result.content) == ("accepted", "v1"), "a better score does not outweigh what is critical"
    spoilt = with_iteration(critical, result_of(0.5, "v1"))
    assert conclude(spoilt, FULL, "stop_max_iterations").content == "v0"


def test_what_has_to_be_written_again_is_never_accepted() -> None:
    assert conclude(started(0.97, "v0", full_regenerate="structure"), SEMI, None).status == "escalated"


@pytest.mark.parametrize("config", [SEMI, FULL])
def test_what_several_judges_call_major_is_worth_a_warning_though_it_was_set_aside(
    config: SemiAutoConfig | FullAutoConfig,
) -> None:
    both = targeted(judges=("a", "b"))
    result = conclude(
        started(0.95, "v0", rejected_issues=(both,), needs_review=True), config, "stop_score_threshold_met"
    )
    assert (result.status, result.needs_review, result.rejected_issues) == ("accepted_warning", True, (both,))
    assert "too little agreement: 1 issue is set aside for a person to look at" in result.message
    [hint] = result.improvement_hints
    assert hint.endswith("(set aside: too few judges agree)")


def test_what_one_judge_says_and_was_set_aside_is_a_hint_all_the_same() -> None:
    low = conclude(started(0.95, "v0", rejected_issues=(targeted(), MINOR), needs_review=True), SEMI, None)
    assert low.status == "accepted" and len(low.improvement_hints) == 2
    assert "2 issues are set aside" in low.message
    outvoted = conclude(started(0.95, "v0", rejected_issues=(MINOR,)), SEMI, None)
    assert outvoted.status == "accepted" and outvoted.improvement_hints == ()
    assert outvoted.rejected_issues == (MINOR,)


def test_nothing_left_to_repair_is_not_called_a_score_that_does_not_move() -> None:
    assert conclude(started(0.7, "v0"), SEMI, "stop_converged").message == (
        "escalated at 0.70 after 0 iterations: nothing is left to repair"
    )
    stuck = after(0.7, 0.7, 0.7, remaining_issues=(MINOR,))
    assert conclude(stuck, SEMI, "stop_converged").message.endswith("after 2 iterations: stop_converged")


def test_five_worst_issues_are_hints() -> None:
    severities: list[IssueSeverity] = ["minor", "minor", "major", "critical", "minor", "major"]
    issues = [targeted(severity=severity, section=f"s{place}") for place, severity in enumerate(severities)]
    issues.append(targeted("factual_accuracy", "critical", "s9"))
    plain = issues[0].model_copy(update={"description": "unclear", "suggested_fix": "say it plainly"})
    assert improvement_hints([plain])[0].endswith(": unclear. say it plainly")
    hints = improvement_hints(issues)
    assert [hint.split(" ")[0] for hint in hints] == ["s9", "s3", "s2", "s5", "s0"]
    assert hints[0] == "s9 (critical, factual_accuracy): Hard to follow. Say it in one sentence."


def test_quality_has_three_names() -> None:
    assert [quality_status(score, SEMI) for score in (0.9, 0.85, 0.84)] == ["good", "acceptable", "below_standard"]
    assert [quality_status(score, FULL) for score in (0.85, 0.75, 0.74)] == ["good", "acceptable", "below_standard"]


def test_a_config_for_each_mode() -> None:
    assert config_for("semi-auto") == SEMI and config_for("full-auto") == FULL
    assert FULL.as_wire()["escalationEnabled"] is False


fractions = st.floats(0, 1).map(lambda score: round(score, 3))
sections = st.sets(st.sampled_from(["s1", "s2", "s3"]))
outcomes = st.builds(
    result_of,
    fractions,
    st.text(max_size=3),
    may_accept=st.booleans(),
    section_scores=st.dictionaries(st.sampled_from(["s1", "s2", "s3"]), fractions),
    edited=sections,
    regressed=sections,
    tokens=st.integers(0, 8_000),
    duration_ms=st.integers(0, 150_000),
)


@given(
    fractions,
    st.lists(outcomes, min_size=3, max_size=3),
    st.sampled_from([SEMI, FULL]),
    st.lists(sections, min_size=4, max_size=4),
)
@settings(deadline=None)
def test_the_loop_ends_within_its_limits_with_the_best_that_was_seen(
    first: float,
    results: list[IterationResult],
    config: SemiAutoConfig | FullAutoConfig,
    open_sections: list[set[str]],
) -> None:
    state = started(first, "first")
    stop = decide(state, config, open_sections=open_sections[0])
    for outcome, still_open in zip(results, open_sections[1:], strict=True):
        if stop != "continue_more_tasks":
            break
        before = state
        state = with_iteration(state, outcome)
        assert set(before.locked_sections) <= set(state.locked_sections)
        stop = decide(state, config, open_sections=still_open)
    assert stop != "continue_more_tasks" and state.iteration <= 3
    result = conclude(state, config, stop)
    assert result.score == max(state.score_history)
    assert result.content == best_result(state, config).content
    if result.status.startswith("accepted"):
        assert result.score >= config.good_enough_threshold - 1e-9 and result.blocked is None
    assert RefinementResult.model_validate(result.as_wire()) == result
