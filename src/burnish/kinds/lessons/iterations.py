"""Stages 3 to 5: plan, repair in batches, judge again what changed, and stop for a reason that has a name."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.effects import Effect
from burnish.kinds.lessons.drafts import Repair
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.panel import (
    confirm,
    current_judgements,
    is_carried,
    judge_again,
    judgements_of,
    misquoted_units,
    record_judged,
    section_scores,
)
from burnish.kinds.lessons.progress import KeptAttempt, Ledger, LessonProgress, content_sections
from burnish.kinds.lessons.refinement.arbiter import consolidate, open_issues
from burnish.kinds.lessons.refinement.config import WHOLE_CRITERIA, RoutingConfig
from burnish.kinds.lessons.refinement.controller import (
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
from burnish.kinds.lessons.refinement.events import RefinementEvents
from burnish.kinds.lessons.refinement.router import Batch, Routing, route
from burnish.kinds.lessons.refinement.types import (
    LESSON,
    ArbiterInput,
    ArbiterOutput,
    IterationFeedback,
    IterationResult,
    JudgeAggregatedResult,
    JudgeIssue,
    StopReason,
)
from burnish.kinds.lessons.refinement.verdicts import PanelFailed, SectionJudgement, panel_criteria
from burnish.kinds.lessons.refinement.verify import Verification, section_violations
from burnish.kinds.lessons.repairs import BrokenTransition, broken_transitions, repair_sections

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
    versions: list[Lesson] = field(default_factory=list)
    """The lesson after each iteration; the first is the lesson before any."""
    kept_history: list[dict[str, KeptAttempt]] = field(default_factory=list)
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
        reason = decide(self.state, self.progress.config, open_sections=_open(output))
        if reason in NOTHING_OPEN and output.full_regenerate is not None:
            return "continue_more_tasks"
        if reason == "continue_more_tasks" and not output.plan.tasks and output.full_regenerate is None:
            return "stop_all_sections_locked"
        return reason

    def _consolidated(self) -> ArbiterOutput:
        """The plan for what the judges say now, with the transitions that are broken."""
        panel = _with_issues(self.panel, [broken.issue for broken in self.transitions])
        return _plan(self.progress, panel, locked=self.progress.locked, history=self.state.iteration_history)

    def _lock(self) -> None:
        """What is closed from now on; where nothing is left open, the lesson as a whole is closed too."""
        closed = self.progress.settled | set(self.state.locked_sections)
        everything = all(unit.id in closed for unit in self.progress.lesson.units)
        self.progress.locked = frozenset({*closed, LESSON} if everything else closed)

    def _iteration(
        self, output: ArbiterOutput, routing: Routing
    ) -> Generator[Effect, Any, tuple[StopReason, ArbiterOutput]]:
        """All batches, then the judges once more; then the state with what came of it."""
        before = self.progress.ledger
        self.progress.ledger = Ledger()
        start_score, start_lesson = self.state.score, self.progress.lesson
        self._enter("ITERATION_STARTING")
        repairs, broken = yield from self._batches(routing.batches(output.plan), routing)
        self._enter("CONVERGENCE_CHECKING")
        kept = [repair for repair in repairs if repair.stands]
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
        yield from self._tell_iteration(start_score, locked_before, reason, result, judged=bool(kept))
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
        result = self._result(output, self._consolidated(), repairs, regressed)
        self.state = with_iteration(earlier, result)
        self._lock()
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
            spent = self.progress.ledger
            limit = limit_reached(
                self.state,
                self.progress.config,
                tokens=spent.usage.total_tokens,
                duration_ms=round(spent.seconds * 1000),
            )
            if limit is not None and done:
                break
            self._enter("BATCH_EXECUTING")
            yield self.event_log.batch_started(iteration, number, batch)
            decisions = [routing.decision(task.section_id) for task in batch]
            for decision in decisions:
                yield self.event_log.task_started(iteration, decision)
            repairs = yield from repair_sections(self.progress, [(one.task, one.action) for one in decisions])
            self._enter("BATCH_VERIFYING")
            for repair in repairs:
                yield from self._tell_repair(iteration, repair)
            broken += yield from broken_transitions(self.progress, repairs)
            done += repairs
        return done, broken

    def _tell_repair(self, iteration: int, repair: Repair) -> Generator[Effect, Any, None]:
        """What a repair did and what became of it. Together the events tell its cost, each part of it once."""
        tokens, ms = repair.usage.total_tokens, round(repair.seconds * 1000)
        verdict = repair.verification or Verification(
            False, (repair.failure or "no_edit",), tokens_used=tokens, duration_ms=ms
        )
        if repair.after is not None:
            before = (len(repair.before.text), repair.before.content_hash)
            after = (len(repair.after.text), repair.after.content_hash)
            cost = {"tokens": max(0, tokens - verdict.tokens_used), "ms": max(0, ms - verdict.duration_ms)}
            edits = [{"find": edit.find, "replace": edit.replace, "field": edit.field} for edit in repair.edits]
            told = edits if repair.action == "SURGICAL_EDIT" else None
            yield self.event_log.repaired(iteration, repair.task, before=before, after=after, edits=told, **cost)
        yield self.event_log.verification_result(
            iteration,
            repair.task,
            verdict,
            rolled_back=repair.after is not None and not repair.stands,
            message=repair.failure,
        )

    def _judge_again(self, start_lesson: Lesson, kept: Sequence[Repair]) -> Generator[Effect, Any, list[str]]:
        """Judge what stands anew. A section in which something good got worse goes back to what it was."""
        old = [one for judge in self.progress.roles.judges for one in judgements_of(self.progress, start_lesson, judge)]
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
        new = [one for judge in self.progress.roles.judges for one in current_judgements(self.progress, judge)]
        regressed: list[str] = []
        for unit in (*dict.fromkeys(repair.before.id for repair in kept), LESSON):
            violations = section_violations(old, new, unit)
            for violation in violations:
                yield self.event_log.quality_lock_triggered(self.state.iteration, violation)
            if violations:
                regressed += [unit] if unit != LESSON else _to_blame(kept)
        regressed = list(dict.fromkeys(regressed))
        self._restore(start_lesson, regressed)
        return regressed

    def _restore(self, start_lesson: Lesson, units: Iterable[str]) -> None:
        """Byte for byte what it was before the iteration."""
        for unit in units:
            self.progress.lesson = self.progress.lesson.with_unit(start_lesson.unit(unit))
            self.progress.kept[unit] = self.kept_history[-1][unit]

    def _result(
        self, output: ArbiterOutput, after: ArbiterOutput, repairs: Sequence[Repair], regressed: Sequence[str]
    ) -> IterationResult:
        judged = dict.fromkeys(repair.before.id for repair in repairs if repair.stands)
        changes = {
            "edited": tuple(dict.fromkeys(repair.before.id for repair in repairs if repair.after is not None)),
            "regressed": tuple(regressed),
            "feedback": "\n".join(task.synthesized_instructions for task in output.plan.tasks),
        }
        units = [self.progress.lesson.unit(id) for id in judged]
        return _judged_result(self.progress, self.panel, after, units).model_copy(update=changes)

    def _tell_iteration(
        self, start_score: float, locked_before: set[str], reason: StopReason, result: IterationResult, *, judged: bool
    ) -> Generator[Effect, Any, None]:
        iteration = self.state.iteration - 1
        for section, why in self.state.lock_reasons.items():
            if section not in locked_before:
                yield self.event_log.section_locked(iteration, section, why)
        yield self.event_log.iteration_complete(
            iteration,
            start_score=start_score,
            result=self.panel if judged else None,
            end_score=result.score,
            sections_locked=set(self.state.lock_reasons) - locked_before,
            decision=reason,
            tokens=result.tokens,
            ms=result.duration_ms,
        )
        if reason == "stop_converged" and has_converged(self.state.score_history):
            yield self.event_log.convergence_detected(iteration, self.state.score_history)

    def _finish(self, reason: StopReason) -> Generator[Effect, Any, RefinementResult]:
        """Take the best version that was seen, and say how it ended."""
        self._enter("FINALIZING")
        best = best_result(self.state, self.progress.config)
        if self._accepts(best) and not (yield from self._is_confirmed(best)):
            best = best_result(self.state, self.progress.config)
        if best.full_regenerate is not None and self.blocked is None and self._is_trusted:
            self._give_up(best.full_regenerate)
        place = _place(best.iteration)
        self.progress.lesson, self.progress.kept = self.versions[place], dict(self.kept_history[place])
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
        self.progress.lesson = self.versions[place]
        if not (yield from self._read_whole()):
            return True
        read = _judged_result(self.progress, self.panel, self._consolidated(), ())
        self.state = with_second_reading(self.state, place, read)
        return False

    def _doubted(self) -> str | None:
        """Why a person has to look whatever the score says."""
        if units := misquoted_units(self.progress):
            return f"A judge says something serious of words that are not in the text ({', '.join(units)})."
        if self.progress.config.escalation_enabled and self.panel.is_split:
            return self.panel.split_message
        return None

    def _remember(self) -> None:
        self.versions.append(self.progress.lesson)
        self.kept_history.append(dict(self.progress.kept))


def refine(
    progress: LessonProgress, panel: JudgeAggregatedResult, event_log: RefinementEvents
) -> Generator[Effect, Any, tuple[RefinementResult, str | None]]:
    """Refine a judged lesson. The result, and why it has to be written again as a whole, if it has."""
    output = _plan(progress, panel, locked=progress.settled, history=())
    state = start(_judged_result(progress, panel, output, progress.lesson.units))
    refinement = Refinement(progress, panel, event_log, state)
    progress.locked = progress.settled
    result = yield from refinement.run(output)
    return result, refinement.full_regenerate


def _judged_result(
    progress: LessonProgress, panel: JudgeAggregatedResult, output: ArbiterOutput, units: Iterable[LessonUnit]
) -> IterationResult:
    """The judges' word on the lesson as it is now, with what the ledger says was spent: prejudge repairs count too."""
    return IterationResult(
        score=panel.aggregated_score,
        content=progress.where(),
        remaining_issues=open_issues(output),
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
    progress: LessonProgress,
    panel: JudgeAggregatedResult,
    *,
    locked: Collection[str],
    history: Iterable[IterationFeedback],
) -> ArbiterOutput:
    given = ArbiterInput(
        clev_result=panel, content_sections=content_sections(progress.lesson), operation_mode=progress.config.mode
    )
    return consolidate(given, locked=locked, history=history)


def _place(iteration: int | None) -> int:
    """Where a version stands in the list: the lesson before any iteration is the first."""
    return 0 if iteration is None else iteration + 1


def _open(output: ArbiterOutput) -> frozenset[str]:
    return frozenset(issue.section_id for issue in output.accepted_issues)


def _to_blame(kept: Sequence[Repair]) -> list[str]:
    """Whose repairs made the whole worse: those that were about the whole; where there is none, all of them."""
    about_whole = [repair.before.id for repair in kept if repair.task.criteria & WHOLE_CRITERIA]
    return about_whole or [repair.before.id for repair in kept]


def _with_issues(panel: JudgeAggregatedResult, issues: Sequence[JudgeIssue]) -> JudgeAggregatedResult:
    """The panel's word, with issues that the delta judge raised about neighbours: every judge is taken to agree."""
    if not issues:
        return panel
    verdicts = tuple(verdict.model_copy(update={"issues": (*verdict.issues, *issues)}) for verdict in panel.verdicts)
    return panel.model_copy(update={"verdicts": verdicts})
