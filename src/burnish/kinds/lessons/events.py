"""The fourteen events of a refinement, in the order in which they happen, each with its payload.

    refinement_start          mode, score, recommendation, clevResult, maxIterations, maxTotalTokens, timeoutMs
    per iteration:
      arbiter_consolidation   agreementScore, agreementInterval, agreementLevel, needsReview, accepted, rejected,
                              conflicts, tasks, batches, deferred, estimatedTokens, fullRegenerate
      per batch:
        batch_started         batch, tasks
        task_started          task and its description, executor, reason, estimatedTokens, issues
        patch_applied         task, edits, charactersBefore, charactersAfter, hashBefore, hashAfter, tokensUsed,
                              durationMs
        section_regenerated   the same without edits
        verification_result   task, passed, reasons, newIssues, rolledBack, tokensUsed, durationMs: a task's last word
      quality_lock_triggered  the violation, after judging again: the section was rolled back
      section_locked          reason
      iteration_complete      startScore, endScore, improvement, sectionsLocked, decision, clevResult, tokens, time
    convergence_detected      scores
    best_effort_selected      deliveredIteration, score, qualityStatus, hints      full-auto below the threshold
    escalation_triggered      score, reason, hints                                 semi-auto below the threshold
    refinement_complete       status, score, stopReason, blocked, totals, message

Every payload also has `round` (a person who sends a lesson back starts another one) and `node` (its author), and all
but the first and the last three have `iteration`. A section's event is journalled under that unit. If all issues are
rejected, one arbiter_consolidation without tasks lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from burnish.core.effects import Note
from burnish.kinds.lessons.controller import RefinementResult
from burnish.kinds.lessons.policy import RefinementConfig
from burnish.kinds.lessons.refinement import (
    LESSON,
    ArbiterOutput,
    IterationResult,
    JudgeAggregatedResult,
    LockReason,
    QualityLockViolation,
    RouterDecision,
    SectionRefinementTask,
    StopReason,
)
from burnish.kinds.lessons.router import Routing
from burnish.kinds.lessons.verify import Verification

if TYPE_CHECKING:
    # Only for types: repairs are made from tasks of this package.
    from burnish.kinds.lessons.drafts import Repair

RefinementEventType = Literal[
    "refinement_start",
    "arbiter_consolidation",
    "batch_started",
    "task_started",
    "patch_applied",
    "section_regenerated",
    "verification_result",
    "quality_lock_triggered",
    "section_locked",
    "iteration_complete",
    "convergence_detected",
    "best_effort_selected",
    "escalation_triggered",
    "refinement_complete",
]
REFINEMENT_EVENTS: tuple[RefinementEventType, ...] = get_args(RefinementEventType)

RefinementAgentName = Literal["arbiter", "router", "patcher", "section_expander", "delta_judge", "verifier"]
AGENTS: Mapping[str, RefinementAgentName] = {
    "arbiter_consolidation": "arbiter",
    "task_started": "router",
    "patch_applied": "patcher",
    "section_regenerated": "section_expander",
    "verification_result": "delta_judge",
    "quality_lock_triggered": "verifier",
}
"""The agent of each refinement event, for filtering logs."""

Stage6NodeName = Literal["self_reviewer", "judge", "generator"]
"""The other agents that work on a lesson."""
ExtendedStage6NodeName = Stage6NodeName | Literal["system"] | RefinementAgentName
STAGES: Mapping[str, Stage6NodeName] = {
    "self_reviewed": "self_reviewer",
    "claim_verified": "self_reviewer",
    "third_judge_asked": "judge",
    "judged": "judge",
    "judges_failed": "judge",
    "writing_again": "generator",
    "unit_written": "generator",
    "unit_not_written": "generator",
}
"""The agent of each event of the other stages."""

PhaseName = Literal[
    "stage_6_rag_planning",
    "stage_6_judge",
    "stage_6_refinement",
    "stage_6_arbiter",
    "stage_6_patcher",
    "stage_6_section_expander",
    "stage_6_delta_judge",
]
PHASES: Mapping[ExtendedStage6NodeName, PhaseName] = {
    "judge": "stage_6_judge",
    "arbiter": "stage_6_arbiter",
    "patcher": "stage_6_patcher",
    "section_expander": "stage_6_section_expander",
    "delta_judge": "stage_6_delta_judge",
}
"""The phase of a node, if it has its own."""


def node_of(type: str) -> ExtendedStage6NodeName:
    """The agent of an event of this type; `system` if there is none."""
    return AGENTS.get(type) or STAGES.get(type) or "system"


def phase_of(type: str) -> PhaseName | None:
    """The phase of an event; None before the judges, and for events without a phase."""
    return PHASES.get(node_of(type), "stage_6_refinement" if type in REFINEMENT_EVENTS else None)


@dataclass(frozen=True, slots=True)
class RefinementEvents:
    """Creates the events of one round of refinement. They are not yet written."""

    round: int = 0

    def refinement_start(self, result: JudgeAggregatedResult, config: RefinementConfig) -> Note:
        return self._note(
            "refinement_start",
            mode=config.mode,
            score=result.aggregated_score,
            recommendation=result.final_recommendation,
            clevResult=result.as_wire(),
            **config.limits.as_wire(),
        )

    def arbiter_consolidation(self, iteration: int, output: ArbiterOutput, routing: Routing) -> Note:
        """The plan of this iteration, with deferred tasks listed separately."""
        plan = output.plan
        routed = [decision.task for decision in routing.decisions]
        return self._note(
            "arbiter_consolidation",
            iteration=iteration,
            agreementScore=output.agreement_score,
            agreementInterval=output.agreement_interval,
            agreementLevel=output.agreement_level,
            needsReview=output.needs_review,
            accepted=[issue.as_wire() for issue in output.accepted_issues],
            rejected=[issue.as_wire() for issue in output.rejected_issues],
            rejections=[rejection.as_wire() for rejection in output.rejections],
            conflicts=[conflict.as_wire() for conflict in plan.conflict_resolutions],
            tasks=[self.described(iteration, task) for task in routed],
            batches=[[self.task_id(iteration, task) for task in batch] for batch in routing.batches(plan)],
            deferred=[{**self.described(iteration, one.task), "reason": one.reason} for one in routing.deferred],
            estimatedTokens=routing.estimated_tokens,
            fullRegenerate=output.full_regenerate,
        )

    def batch_started(self, iteration: int, batch: int, tasks: Iterable[SectionRefinementTask]) -> Note:
        names = [self.task_id(iteration, task) for task in tasks]
        return self._note("batch_started", iteration=iteration, batch=batch, tasks=names)

    def task_started(self, iteration: int, decision: RouterDecision) -> Note:
        return self._of_task(
            "task_started",
            iteration,
            decision.task,
            **self.described(iteration, decision.task),
            executor=decision.executor,
            reason=decision.reason,
            estimatedTokens=decision.estimated_tokens,
            issues=[issue.id for issue in decision.task.source_issues],
        )

    def repaired(self, iteration: int, repair: Repair) -> Iterator[Note]:
        """The edit of a repair, if any, and the final verification. Each part of its cost is in one of them."""
        task, tokens, ms = repair.task, repair.usage.total_tokens, round(repair.seconds * 1000)
        verdict = repair.verification or Verification(
            False, (repair.failure or "no_edit",), tokens_used=tokens, duration_ms=ms
        )
        if repair.after is not None:
            edits = [{"find": edit.find, "replace": edit.replace, "field": edit.field} for edit in repair.edits]
            is_patch = repair.action == "SURGICAL_EDIT"
            yield self._of_task(
                "patch_applied" if is_patch else "section_regenerated",
                iteration,
                task,
                **({"edits": edits} if is_patch else {}),
                charactersBefore=len(repair.before.text),
                charactersAfter=len(repair.after.text),
                hashBefore=repair.before.content_hash,
                hashAfter=repair.after.content_hash,
                tokensUsed=max(0, tokens - verdict.tokens_used),
                durationMs=max(0, ms - verdict.duration_ms),
            )
        yield self._of_task(
            "verification_result",
            iteration,
            task,
            passed=verdict.passed,
            reasons=list(verdict.reasons),
            message=repair.failure,
            newIssues=[issue.as_wire() for issue in verdict.new_issues],
            rolledBack=repair.after is not None and not repair.is_kept,
            tokensUsed=verdict.tokens_used,
            durationMs=verdict.duration_ms,
        )

    def quality_lock_triggered(self, iteration: int, violation: QualityLockViolation) -> Note:
        return self._note(
            "quality_lock_triggered", unit=violation.section_id, iteration=iteration, **violation.as_wire()
        )

    def section_locked(self, iteration: int, section_id: str, reason: LockReason) -> Note:
        return self._note("section_locked", unit=section_id, iteration=iteration, sectionId=section_id, reason=reason)

    def iteration_complete(
        self,
        iteration: int,
        result: IterationResult,
        *,
        start_score: float,
        judged: JudgeAggregatedResult | None,
        sections_locked: Iterable[str],
        decision: StopReason,
    ) -> Note:
        """`judged`: the panel's new result; None if nothing changed, so that nothing was judged again."""
        return self._note(
            "iteration_complete",
            iteration=iteration,
            startScore=start_score,
            endScore=result.score,
            improvement=round(result.score - start_score, 9),
            sectionsLocked=sorted(sections_locked),
            decision=decision,
            clevResult=judged.as_wire() if judged else None,
            tokensUsed=result.tokens,
            durationMs=result.duration_ms,
        )

    def convergence_detected(self, iteration: int, scores: Sequence[float]) -> Note:
        return self._note("convergence_detected", iteration=iteration, scores=list(scores))

    def ending(self, result: RefinementResult) -> Iterator[Note]:
        """The last events: best effort or escalation if it occurred, then completion."""
        score, hints = result.score, list(result.improvement_hints)
        iteration, quality = result.iteration, result.quality_status
        if result.status == "best_effort":
            yield self._note(
                "best_effort_selected", deliveredIteration=iteration, score=score, qualityStatus=quality, hints=hints
            )
        elif result.status == "escalated":
            reason = result.blocked or result.stop_reason
            yield self._note("escalation_triggered", score=score, reason=reason, hints=hints)
        yield self._note(
            "refinement_complete",
            status=result.status,
            score=score,
            deliveredIteration=iteration,
            qualityStatus=quality,
            stopReason=result.stop_reason,
            blocked=result.blocked,
            iterations=result.iterations,
            lockedSections=dict(result.locked_sections),
            tokensUsed=result.tokens_used,
            durationMs=result.duration_ms,
            message=result.message,
        )

    def task_id(self, iteration: int, task: SectionRefinementTask) -> str:
        """The id of a task: there is one per section in an iteration."""
        return f"{self.round}.{iteration}/{task.section_id}"

    def described(self, iteration: int, task: SectionRefinementTask) -> dict[str, Any]:
        """The data of a task for lists."""
        return {
            "task": self.task_id(iteration, task),
            "sectionId": task.section_id,
            "sectionTitle": task.section_title,
            "actionType": task.action_type,
            "priority": task.priority,
        }

    def _of_task(self, type: RefinementEventType, iteration: int, task: SectionRefinementTask, /, **data: Any) -> Note:
        named = {"task": self.task_id(iteration, task), "sectionId": task.section_id}
        return self._note(type, unit=task.section_id, iteration=iteration, **{**named, **data})

    def _note(self, type: RefinementEventType, *, unit: str | None = None, **data: Any) -> Note:
        return Note(type, None if unit == LESSON else unit, {"round": self.round, "node": node_of(type), **data})
