"""The work on one lesson: rules, the first review, the panel, targeted repairs, and an outcome with a reason.

A plain generator over `core.effects`: it yields what to ask and what to write down, and is sent back the answers. So
are its stages; the decisions themselves are made in `refinement` and `self_review`.

    progress     the lesson in work: its text, judgements, kept attempts and tokens
    prejudge     stage 1: rules, the first review, claims against the source; then prejudge repairs
    windows      what judges read at once
    panel        stage 2: the judges, the whole and window by window, and never twice the same text
    iterations   stages 3 to 5: plan, batches of repairs, judging again, stop
    repairs      one batch: new text checked by rules and the delta judge, kept or rolled back
    drafts       the new text: patching, expanding, regenerating, and what is refused
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.core.documents import Unit
from burnish.core.effects import Effect, ModelRoles, Outcome, Settled, Stop, Work, tell
from burnish.core.forecasts import RepairLimits
from burnish.core.tasks import Task
from burnish.kinds.lessons.drafts import TRIES, regenerate
from burnish.kinds.lessons.findings import windows_of
from burnish.kinds.lessons.iterations import JUDGES_LOST, refine
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit
from burnish.kinds.lessons.panel import judge_lesson, record_judged
from burnish.kinds.lessons.policy import STATES
from burnish.kinds.lessons.prejudge import (
    apply_safe_fixes,
    first_review,
    record_source,
    repair_notes,
    repair_rule_findings,
)
from burnish.kinds.lessons.progress import LessonProgress, source_index
from burnish.kinds.lessons.refinement.config import REFINEMENT_CONFIG, RefinementLimits, config_for
from burnish.kinds.lessons.refinement.controller import RefinementResult
from burnish.kinds.lessons.refinement.events import RefinementEvents
from burnish.kinds.lessons.refinement.router import estimated_tokens
from burnish.kinds.lessons.refinement.types import LESSON, JudgeAggregatedResult, JudgeIssue
from burnish.kinds.lessons.refinement.verdicts import PanelFailed, distinct_issues
from burnish.kinds.lessons.self_review import Examine, SelfReview

Status = Literal[
    "accepted", "accepted_warning", "best_effort", "escalated", "regenerate", "not_judged", "judges_failed"
]

DELIVERED = frozenset({"accepted", "accepted_warning", "best_effort"})

NOTHING_LEFT = "the tokens for repairs are used up"

MAX_REWRITES = 2
"""How often a lesson, or its broken part, is written again."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one go at a lesson starts from. A person who sends units back begins another round."""

    number: int
    units: tuple[Unit, ...]
    """Every unit as it stands when the round begins, in document order."""
    attempts: Mapping[str, int]
    """Unit -> how many attempts it has had before."""
    notes: Mapping[str, str]
    """Unit -> what a person wrote when sending it back."""
    settled: frozenset[str]
    """Units that a person has accepted or written: nothing touches them any more."""

    @classmethod
    def of(cls, task: Task) -> Round:
        attempts = {item.source.id: len(item.attempts) for item in task.units}
        return cls(task.number, tuple(item.unit for item in task.units), attempts, task.notes, task.settled)


@dataclass(frozen=True, slots=True)
class LessonTask:
    """What is wanted of one lesson."""

    lesson: Lesson
    context: LessonContext
    roles: ModelRoles
    mode: Literal["semi-auto", "full-auto"]
    examine: Examine
    round: Round
    limits: RefinementLimits = REFINEMENT_CONFIG.limits
    rules_only: bool = False


@dataclass(slots=True)
class LessonWork:
    """One lesson on its way through the stages."""

    progress: LessonProgress
    event_log: RefinementEvents
    review: SelfReview | None = None
    panel: JudgeAggregatedResult | None = None
    rewrites: int = 0
    rules_only: bool = False
    """Whether the user accepts what rules alone can judge, where nobody judges."""

    def run(self) -> Work:
        while True:
            ending = yield from self._once()
            if ending.status != "regenerate" or not self._may_rewrite():
                return ending
            self.rewrites += 1
            yield from tell("writing_again", attempt=self.rewrites, reason=ending.reason, units=_waiting(ending))
            written = yield from regenerate(
                self.progress,
                {id: self._wrong(id, ending) for id in _waiting(ending)},
                truncated=self._truncated(),
                attempt=self.rewrites,
            )
            if not written:
                return ending

    def _may_rewrite(self) -> bool:
        return self.rewrites < MAX_REWRITES and self.progress.roles.of("generator") is not None

    def _once(self) -> Work:
        """From the rules to an ending."""
        yield from self._read()
        fatal = self._fatal()
        if len(fatal) * 2 >= len(self.progress.lesson.units) and fatal:
            yield from record_source(self.progress, self.progress.lesson.units)
            why = f"{len(fatal)} of {len(self.progress.lesson.units)} units are broken"
            return self._ending("regenerate", why, self._broken())
        yield from repair_rule_findings(self.progress)
        unheeded = yield from repair_notes(self.progress)
        if self._fatal():
            yield from record_source(self.progress, self.progress.lesson.units)
            why = "repairs did not mend them" if self.progress.tokens_left else f"{NOTHING_LEFT} (stop_token_budget)"
            return self._ending("regenerate", f"units are broken, and {why}", self._broken())
        if fatal and self.progress.roles.of("reviewer") is not None:
            # Nobody has read it yet: as long as a rule had called it unusable, that would have been wasted.
            yield from self._read()
        return (yield from self._judged(unheeded))

    def _read(self) -> Generator[Effect, Any, None]:
        before = self.review.settled if self.review is not None else ()
        self.review = yield from first_review(self.progress, self.review)
        yield from apply_safe_fixes(self.progress, self.review.lesson, self.review.settled[len(before) :])

    def _judged(self, unheeded: list[str]) -> Work:
        if not self.progress.roles.judges:
            yield from record_source(self.progress, self.progress.lesson.units)
            waiting = [*self._broken(), *unheeded]
            if self.rules_only and not waiting:
                return self._ending("accepted", "on rules alone, as --rules-only asks", [])
            return self._ending("not_judged", "no_judges", waiting)
        panel = yield from judge_lesson(self.progress)
        if isinstance(panel, PanelFailed):
            yield from record_source(self.progress, self.progress.lesson.units)
            yield from tell("judges_failed", message=panel.message)
            return self._ending("judges_failed", "judges_silent", [*self._broken(), *unheeded])
        self.panel = panel
        yield from tell("judged", clevResult=panel.as_wire())
        yield from record_judged(self.progress, panel)
        if panel.final_recommendation == "REGENERATE":
            why = f"the judges give it {panel.aggregated_score:.2f}"
            everything = [unit.id for unit in self.progress.lesson.units]
            return self._ending("regenerate", why, everything, critical=distinct_issues(panel.verdicts))
        result, full = yield from refine(self.progress, panel, self.event_log)
        if result.blocked == JUDGES_LOST:
            yield from tell("judges_failed", message=JUDGES_LOST)
            return self._ending("judges_failed", "judges_silent", [*self._broken(), *unheeded], result)
        if full is not None:
            everything = [unit.id for unit in self.progress.lesson.units]
            return self._ending("regenerate", full, everything, critical=result.remaining_issues)
        return self._refined(result, unheeded)

    def _refined(self, result: RefinementResult, unheeded: list[str]) -> Outcome:
        """Who waits for a person: the units with open issues; where nobody is to blame, the first one."""
        broken = self._broken()
        if result.status in ("accepted", "accepted_warning") and not unheeded:
            return self._ending(result.status, result.message, [], result)
        if result.status == "best_effort" and self.progress.rules_against() is None and not unheeded:
            return self._ending("best_effort", result.message, [], result)
        raised = (*result.remaining_issues, *result.rejected_issues)
        blamed = [issue.section_id for issue in raised if issue.section_id != LESSON]
        return self._ending("escalated", result.message, [*broken, *unheeded, *blamed] or [self._first()], result)

    def _ending(
        self,
        status: Status,
        reason: str,
        waiting: Iterable[str],
        result: RefinementResult | None = None,
        critical: Iterable[JudgeIssue] = (),
    ) -> Outcome:
        wanted = [id for id in dict.fromkeys(waiting) if id in self.progress.lesson and id not in self.progress.settled]
        if not wanted and status in ("not_judged", "judges_failed", "escalated", "regenerate"):
            wanted = [self._first()]
        return Outcome(
            units=tuple(
                self._settled(unit, status, unit.id in wanted)
                for unit in self.progress.lesson.units
                if unit.id not in self.progress.settled
            ),
            status=status,
            reason=reason,
            result=self._report(status, reason, result, result.remaining_issues if result else critical),
        )

    def _settled(self, unit: LessonUnit, status: Status, waits: bool) -> Settled:
        why = {"not_judged": "no_judges", "judges_failed": "judges_silent"}.get(status, status)
        delivered = "rules_only" if status == "accepted" and self.panel is None else status
        ready = Stop(STATES.ready, delivered if status in DELIVERED else "nothing_open")
        stop = Stop(STATES.waiting, why) if waits else ready
        return Settled(unit.id, (stop,), stands=self.progress.kept[unit.id].number)

    def _report(
        self, status: Status, reason: str, result: RefinementResult | None, raised: Iterable[JudgeIssue]
    ) -> dict[str, Any]:
        """What the report says of the lesson."""
        return {
            "lesson_id": self.progress.lesson.lesson_id,
            "status": status,
            "reason": reason,
            "self_review": self.review.response().model_dump(mode="json", exclude={"patched_content"})
            if self.review
            else None,
            "clevResult": self.panel.as_wire() if self.panel else None,
            "refinement": result.model_copy(update={"content": None}).as_wire() if result else None,
            "refinement_history": [one.as_wire() for one in result.refinement_history] if result else [],
            "rewrites": self.rewrites,
            "open_critical": [f"{one.location}: {one.description}" for one in raised if one.severity == "critical"],
            "rules": self.progress.rules_against(),
        }

    def _first(self) -> str:
        return next(unit.id for unit in self.progress.lesson.units if unit.id not in self.progress.settled)

    def _fatal(self) -> list[str]:
        """Units in which a rule found something that makes them unusable."""
        return [
            unit.id
            for unit in self.progress.lesson.units
            if unit.id not in self.progress.settled
            and any(finding.severity == "critical" for finding in self.progress.findings(unit))
        ]

    def _broken(self) -> list[str]:
        return [
            unit.id
            for unit in self.progress.lesson.units
            if unit.id not in self.progress.settled and any(finding.blocks for finding in self.progress.findings(unit))
        ]

    def _wrong(self, id: str, ending: Outcome) -> list[str]:
        """What the next version of a unit must not repeat."""
        found = [finding.message for finding in self.progress.kept[id].findings if finding.blocks]
        issues = distinct_issues(self.panel.verdicts) if self.panel else []
        found += [issue.description for issue in issues if issue.location.split(": ")[0] in (id, LESSON)]
        return list(dict.fromkeys(found)) or [ending.reason]

    def _truncated(self) -> frozenset[str]:
        return frozenset(
            unit.id
            for unit in self.progress.lesson.units
            if any(finding.rule == "truncation" for finding in self.progress.findings(unit))
        )


def work(task: LessonTask) -> Work:
    """The work generator of one lesson's round."""
    progress = LessonProgress(
        lesson=task.lesson.replaced(unit for unit in task.round.units if isinstance(unit, LessonUnit)),
        context=task.context,
        roles=task.roles,
        config=config_for(task.mode, task.limits),
        examine=task.examine,
        index=source_index(task.context),
        notes=dict(task.round.notes),
        settled=task.round.settled,
        first_cause="review" if any(task.round.attempts.values()) else "source",
    )
    return (yield from LessonWork(progress, RefinementEvents(task.round.number), rules_only=task.rules_only).run())


def _waiting(ending: Outcome) -> list[str]:
    return ending.units_in(STATES.waiting)


def repair_limits(units: Sequence[LessonUnit], roles: ModelRoles, limits: RefinementLimits) -> RepairLimits | None:
    """The most that the repairs of one lesson can ask for; one that is written again is refined again."""
    patcher = roles.of("patcher")
    if patcher is None or not roles.judges:
        return None
    times = 1 if roles.of("generator") is None else 1 + MAX_REWRITES
    return RepairLimits(patcher, times * _most_calls(units, roles, limits), times * limits.max_total_tokens)


def _most_calls(units: Sequence[LessonUnit], roles: ModelRoles, limits: RefinementLimits) -> int:
    """Every task fails as often as it may, every judge is misheard once, and every delta judge but the last is mute."""
    tasks = min(len(units) + 1, max(1, limits.max_total_tokens // estimated_tokens("SURGICAL_EDIT")))
    in_groups = tasks // 2
    written = in_groups + TRIES * tasks
    compared = in_groups + tasks
    seams = tasks
    parts = 1 + sum(len(windows_of(unit.text)) for unit in units)
    judged = 2 * len(roles.judges) * (parts + 1)  # the whole once more, where something was rolled back
    others = len(roles.judges) - (roles.of("reviewer") is None)
    return limits.max_iterations * (written + compared + seams + judged) + others * compared
