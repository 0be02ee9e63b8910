"""Stages 3 to 5: plan, repair in batches, judge again what changed, and stop for a reason that has a name."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.effects import Effect
from burnish.kinds.lessons.arbiter import consolidate, worst_first
from burnish.kinds.lessons.controller import (
    LAST_PHASE,
    RefinementIterationState,
    RefinementPhase,
    RefinementResult,
    best_result,
    conclude,
    decide,
    has_converged,
    limit_reached,
    moved,
    start,
    status_of,
    tokens_left,
    with_iteration,
    with_second_reading,
)
from burnish.kinds.lessons.drafts import Repair
from burnish.kinds.lessons.events import RefinementEvents
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.panel import (
    all_judgements,
    confirm,
    is_carried,
    judge_again,
    misquoted_units,
    record_judged,
    section_scores,
)
from burnish.kinds.lessons.policy import WHOLE_CRITERIA, RoutingConfig
from burnish.kinds.lessons.progress import KeptAttempt, Ledger, LessonProgress, content_sections
from burnish.kinds.lessons.refinement import (
    LESSON,
    ArbiterInput,
    ArbiterOutput,
    IterationFeedback,
    IterationResult,
    JudgeAggregatedResult,
    StopReason,
)
from burnish.kinds.lessons.repairs import BrokenTransition, broken_transitions, repair_sections
from burnish.kinds.lessons.router import Batch, Routing, route
from burnish.kinds.lessons.verdicts import PanelFailed, SectionJudgement, panel_criteria
from burnish.kinds.lessons.verify import section_violations

JUDGES_LOST = "The judges of the repairs gave no usable verdict."
NOTHING_OPEN: frozenset[StopReason] = frozenset({"stop_converged", "stop_all_sections_locked"})


@dataclass(slots=True)
class Refinement:
    """One lesson going through its iterations."""

    progress: LessonProgress
    panel: JudgeAggregatedResult
    """The panel's latest word."""
    event_log: RefinementEvents
    state: RefinementIterationState
    versions: list[tuple[Lesson, dict[str, KeptAttempt]]] = field(default_factory=list)
    """The lesson after each iteration, and the attempts that it is made of; the first is the lesson before any."""
    transitions: list[BrokenTransition] = field(default_factory=list)
    """Beginnings of sections that do not fit any more what was written anew before them."""
    blocked: str | None = None
    full_regenerate: str | None = None
    """Why the lesson has to be written again as a whole."""

    def run(self, output: ArbiterOutput) -> Generator[Effect, Any, RefinementResult]:
        """Iterate until there is a reason to stop; `progress` then holds the best version that was seen."""
        self._remember()
        yield self.event_log.refinement_start(self.panel, self.progress.config)
        reason = self._decided(output)
        if not self._goes_on(reason) and (output.accepted_issues or output.rejected_issues):
            # Nothing will be done, and yet something was said: what became of every issue is told all the same.
            yield self.event_log.arbiter_consolidation(self.state.iteration, output, Routing(()))
        while self._goes_on(reason):
            self._enter("ARBITER_CONSOLIDATING")
            budget = RoutingConfig(token_budget=tokens_left(self.state, self.progress.config))
            routing = route(output.plan.tasks, budget)
            yield self.event_log.arbiter_consolidation(self.state.iteration, output, routing)
            if output.full_regenerate is not None:
                self._give_up(output.full_regenerate)
            elif self.progress.roles.of("patcher") is None:
                break
            elif not routing.decisions:
                reason = "stop_token_budget"
            else:
                reason, output = yield from self._iteration(output, routing)
        return (yield from self._finish(reason))

    def _remember(self) -> None:
        self.versions.append((self.progress.lesson, dict(self.progress.kept)))

    def _goes_on(self, reason: StopReason) -> bool:
        return reason == "continue_more_tasks" and self.blocked is None and self._is_trusted

    @property
    def _is_trusted(self) -> bool:
        """What its own judges do not trust is nothing to work on: a person looks at it, or it is delivered as it is."""
        return self.panel.final_recommendation != "ESCALATE"

    def _enter(self, phase: RefinementPhase) -> None:
        self.state = moved(self.state, phase)

    def _give_up(self, why: str) -> None:
        self.full_regenerate = why
        self.blocked = f"The lesson has to be written again: {why}."

    def _decided(self, output: ArbiterOutput) -> StopReason:
        """Go on, or why not. A lesson that has to be written again as a whole is no lesson without open tasks."""
        open_ = {issue.section_id for issue in output.accepted_issues}
        reason = decide(self.state, self.progress.config, open_sections=open_)
        if reason in NOTHING_OPEN and output.full_regenerate is not None:
            return "continue_more_tasks"
        if reason == "continue_more_tasks" and not output.plan.tasks and output.full_regenerate is None:
            return "stop_all_sections_locked"
        return reason

    def _consolidated(self) -> ArbiterOutput:
        """The plan for what the judges say now. What the delta judge raised about neighbours, all of them are taken to
        agree on."""
        panel, issues = self.panel, [broken.issue for broken in self.transitions]
        if issues:
            said = (one.model_copy(update={"issues": (*one.issues, *issues)}) for one in panel.verdicts)
            panel = panel.model_copy(update={"verdicts": tuple(said)})
        return _plan(self.progress, panel, self.state.iteration_history)

    def _iteration(
        self, output: ArbiterOutput, routing: Routing
    ) -> Generator[Effect, Any, tuple[StopReason, ArbiterOutput]]:
        """All batches, then the judges once more; then the state with what came of it."""
        before = self.progress.ledger
        self.progress.ledger = Ledger()
        start_lesson = self.progress.lesson
        self._enter("ITERATION_STARTING")
        repairs, broken = yield from self._batches(routing.batches(output.plan), routing)
        self._enter("CONVERGENCE_CHECKING")
        kept = [repair for repair in repairs if repair.is_kept]
        regressed = (yield from self._judge_again(start_lesson, kept)) if kept else []
        # Transitions stay open until their section is edited, or what broke them is taken back.
        changed = {
            unit.id
            for unit in self.progress.lesson.units
            if unit.content_hash != start_lesson.unit(unit.id).content_hash
        }
        open_ = [one for one in self.transitions if one.issue.location not in changed]
        self.transitions = [*open_, *(one for one in broken if one.cause in changed)]
        locked_before, earlier = set(self.state.lock_reasons), self.state
        self._remember()
        result, after, reason = self._closed(earlier, output, repairs, regressed)
        is_over = reason != "continue_more_tasks" and self._accepts(self.state.content_history[-1])
        if is_over and (yield from self._read_whole()):
            result, after, reason = self._closed(earlier, output, repairs, regressed)
        newly_locked = {id: why for id, why in self.state.lock_reasons.items() if id not in locked_before}
        for section, why in newly_locked.items():
            yield self.event_log.section_locked(earlier.iteration, section, why)
        yield self.event_log.iteration_complete(
            earlier.iteration,
            result,
            start_score=earlier.score,
            judged=self.panel if kept else None,
            sections_locked=newly_locked,
            decision=reason,
        )
        if reason == "stop_converged" and has_converged(self.state.score_history):
            yield self.event_log.convergence_detected(earlier.iteration, self.state.score_history)
        before.usage += self.progress.ledger.usage
        before.seconds += self.progress.ledger.seconds
        self.progress.ledger = before
        return reason, after

    def _closed(
        self,
        earlier: RefinementIterationState,
        output: ArbiterOutput,
        repairs: Sequence[Repair],
        regressed: Sequence[str],
    ) -> tuple[IterationResult, ArbiterOutput, StopReason]:
        """The state after the iteration, by what the judges say now: its result, what is open, and whether to go on."""
        self.state = earlier
        judged = dict.fromkeys(repair.before.id for repair in repairs if repair.is_kept)
        changes = {
            "edited": tuple(dict.fromkeys(repair.before.id for repair in repairs if repair.after is not None)),
            "regressed": tuple(regressed),
            "feedback": "\n".join(task.synthesized_instructions for task in output.plan.tasks),
        }
        units = [self.progress.lesson.unit(id) for id in judged]
        result = _judged_result(self.progress, self.panel, self._consolidated(), units).model_copy(update=changes)
        self.state = with_iteration(earlier, result)
        closed = self.progress.settled | set(self.state.locked_sections)
        everything = all(unit.id in closed for unit in self.progress.lesson.units)
        self.progress.locked = frozenset({*closed, LESSON} if everything else closed)
        after = self._consolidated()
        return result, after, self._decided(after)

    def _accepts(self, result: IterationResult) -> bool:
        """Whether this version would be accepted."""
        is_best = best_result(self.state, self.progress.config) is result
        status = status_of(result, self.progress.config, blocked=self.blocked)
        return is_best and status in ("accepted", "accepted_warning")

    def _read_whole(self) -> Generator[Effect, Any, bool]:
        """Before a repaired lesson is accepted its judges read it as a whole once more. Whether there is news."""
        if not is_carried(self.progress):
            return False
        verdict = yield from confirm(self.progress)
        if isinstance(verdict, PanelFailed):
            self.blocked = JUDGES_LOST
        else:
            self.panel = verdict
        return True

    def _batches(
        self, batches: Sequence[Batch], routing: Routing
    ) -> Generator[Effect, Any, tuple[list[Repair], list[BrokenTransition]]]:
        done: list[Repair] = []
        broken: list[BrokenTransition] = []
        iteration = self.state.iteration
        for number, batch in enumerate(batches):
            tokens, ms = self.progress.ledger.usage.total_tokens, round(self.progress.ledger.seconds * 1000)
            if done and limit_reached(self.state, self.progress.config, tokens=tokens, duration_ms=ms) is not None:
                break
            self._enter("BATCH_EXECUTING")
            yield self.event_log.batch_started(iteration, number, batch)
            decisions = [routing.decision(task.section_id) for task in batch]
            for decision in decisions:
                yield self.event_log.task_started(iteration, decision)
            repairs = yield from repair_sections(self.progress, [(one.task, one.action) for one in decisions])
            self._enter("BATCH_VERIFYING")
            for repair in repairs:
                yield from self.event_log.repaired(iteration, repair)
            broken += yield from broken_transitions(self.progress, repairs)
            done += repairs
        return done, broken

    def _judge_again(self, start_lesson: Lesson, kept: Sequence[Repair]) -> Generator[Effect, Any, list[str]]:
        """Judge what stands anew. A section in which something good got worse goes back to what it was."""
        old = all_judgements(self.progress, start_lesson)
        whole = any(repair.task.criteria & WHOLE_CRITERIA for repair in kept)
        verdict = yield from judge_again(self.progress, start_lesson, whole=whole)
        regressed: list[str] = []
        if not isinstance(verdict, PanelFailed):
            regressed = yield from self._roll_back(start_lesson, kept, old)
        if regressed:
            verdict = yield from judge_again(self.progress, start_lesson, whole=whole)
        if isinstance(verdict, PanelFailed):
            # Nobody can say what the repairs are worth, so none of them counts.
            self.blocked = JUDGES_LOST
            self._restore(start_lesson, [repair.before.id for repair in kept])
            return []
        self.panel = verdict
        yield from record_judged(self.progress, self.panel)
        return regressed

    def _roll_back(
        self, start_lesson: Lesson, kept: Sequence[Repair], old: Sequence[SectionJudgement]
    ) -> Generator[Effect, Any, list[str]]:
        new = all_judgements(self.progress, self.progress.lesson)
        regressed: list[str] = []
        for unit in (*dict.fromkeys(repair.before.id for repair in kept), LESSON):
            violations = section_violations(old, new, unit)
            for violation in violations:
                yield self.event_log.quality_lock_triggered(self.state.iteration, violation)
            if violations and unit == LESSON:
                # Whose repairs made the whole worse: those that were about the whole; where there is none, all of them.
                about_whole = [one.before.id for one in kept if one.task.criteria & WHOLE_CRITERIA]
                regressed += about_whole or [one.before.id for one in kept]
            elif violations:
                regressed.append(unit)
        regressed = list(dict.fromkeys(regressed))
        self._restore(start_lesson, regressed)
        return regressed

    def _restore(self, start_lesson: Lesson, units: Iterable[str]) -> None:
        """Byte for byte what it was before the iteration."""
        for unit in units:
            self.progress.lesson = self.progress.lesson.with_unit(start_lesson.unit(unit))
            self.progress.kept[unit] = self.versions[-1][1][unit]

    def _finish(self, reason: StopReason) -> Generator[Effect, Any, RefinementResult]:
        """Take the best version that was seen, and say how it ended."""
        self._enter("FINALIZING")
        best = best_result(self.state, self.progress.config)
        if self._accepts(best) and not (yield from self._is_confirmed(best)):
            best = best_result(self.state, self.progress.config)
        if best.full_regenerate is not None and self.blocked is None and self._is_trusted:
            self._give_up(best.full_regenerate)
        lesson, kept = self.versions[_place(best.iteration)]
        self.progress.lesson, self.progress.kept = lesson, dict(kept)
        blocked = self.blocked or self._doubted() or self.progress.rules_against()
        stop = None if self.blocked or reason == "continue_more_tasks" else reason
        split = self.panel.split_message if self.panel.is_split else None
        result = conclude(self.state, self.progress.config, stop, blocked=blocked, disagreement=split)
        self._enter(LAST_PHASE[result.status])
        yield from self.event_log.ending(result)
        return result

    def _is_confirmed(self, best: IterationResult) -> Generator[Effect, Any, bool]:
        """Whether the best version was read as a whole. One that is not the last may not have been: it is now, and its
        new score is written into the state."""
        place = _place(best.iteration)
        self.progress.lesson = self.versions[place][0]
        if not (yield from self._read_whole()):
            return True
        read = _judged_result(self.progress, self.panel, self._consolidated(), ())
        self.state = with_second_reading(self.state, place, read)
        return False

    def _doubted(self) -> str | None:
        """Why a person has to look whatever the score says."""
        if units := misquoted_units(self.progress):
            return f"A judge raises a serious issue about words that are not in the text ({', '.join(units)})."
        if self.progress.config.escalation_enabled and self.panel.is_split:
            return self.panel.split_message
        return None


def refine(
    progress: LessonProgress, panel: JudgeAggregatedResult, event_log: RefinementEvents
) -> Generator[Effect, Any, tuple[RefinementResult, str | None]]:
    """Refine a judged lesson. The result, and why it has to be written again as a whole, if it has."""
    progress.locked = progress.settled
    output = _plan(progress, panel)
    state = start(_judged_result(progress, panel, output, progress.lesson.units))
    refinement = Refinement(progress, panel, event_log, state)
    result = yield from refinement.run(output)
    return result, refinement.full_regenerate


def _judged_result(
    progress: LessonProgress, panel: JudgeAggregatedResult, output: ArbiterOutput, units: Iterable[LessonUnit]
) -> IterationResult:
    """The judges' word on the lesson as it is now, with what the ledger says was spent: prejudge repairs count too."""
    return IterationResult(
        score=panel.aggregated_score,
        # What finds the content again: the attempt that stands in each unit.
        content={unit.id: progress.kept[unit.id].number for unit in progress.lesson.units if unit.id in progress.kept},
        remaining_issues=tuple(worst_first(output.accepted_issues)),
        rejected_issues=output.rejected_issues,
        needs_review=output.needs_review,
        full_regenerate=output.full_regenerate,
        may_accept=panel.may_accept,
        criteria=panel_criteria(panel.verdicts),
        section_scores=section_scores(progress, units),
        tokens=progress.ledger.usage.total_tokens,
        duration_ms=round(progress.ledger.seconds * 1000),
    )


def _plan(
    progress: LessonProgress, panel: JudgeAggregatedResult, history: tuple[IterationFeedback, ...] = ()
) -> ArbiterOutput:
    """What the arbiter makes of the judges' word. What is locked gets no task."""
    given = ArbiterInput(
        clev_result=panel, content_sections=content_sections(progress.lesson), operation_mode=progress.config.mode
    )
    return consolidate(given, locked=progress.locked, history=history)


def _place(iteration: int | None) -> int:
    """Where a version stands in the list: the lesson before any iteration is the first."""
    return 0 if iteration is None else iteration + 1
