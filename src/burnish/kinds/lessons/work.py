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

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from burnish.core.effects import Effect, Outcome, Settled, Stop, Work, tell
from burnish.kinds.lessons.drafts import regenerate
from burnish.kinds.lessons.iterations import JUDGES_LOST, refine
from burnish.kinds.lessons.panel import judge_lesson, record_judged
from burnish.kinds.lessons.policy import STATES
from burnish.kinds.lessons.prejudge import (
    apply_safe_fixes,
    first_review,
    record_source,
    repair_notes,
    repair_rule_findings,
)
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.refinement.controller import RefinementResult
from burnish.kinds.lessons.refinement.events import RefinementEvents
from burnish.kinds.lessons.refinement.types import LESSON, JudgeAggregatedResult, JudgeIssue
from burnish.kinds.lessons.refinement.verdicts import PanelFailed, distinct_issues
from burnish.kinds.lessons.self_review import SelfReview

Status = Literal[
    "accepted", "accepted_warning", "best_effort", "escalated", "regenerate", "not_judged", "judges_failed"
]

DELIVERED = frozenset({"accepted", "accepted_warning", "best_effort"})

MAX_REWRITES = 2
"""How often a lesson, or its broken part, is written again."""


@dataclass(slots=True)
class LessonWork:
    """One lesson on its way through the stages."""

    progress: LessonProgress
    round: int = 1
    """Which go at the lesson it is: a person who sends units back begins another."""
    rules_only: bool = False
    """Whether the user accepts what rules alone can judge, where nobody judges."""
    review: SelfReview | None = None
    panel: JudgeAggregatedResult | None = None
    rewrites: int = 0

    def run(self) -> Work:
        """Until there is an ending; what has to be written again is, where somebody can."""
        while True:
            ending = yield from self._once()
            may_rewrite = self.rewrites < MAX_REWRITES and self.progress.roles.of("generator") is not None
            if ending.status != "regenerate" or not may_rewrite:
                return ending
            self.rewrites += 1
            waiting = ending.units_in(STATES.waiting)
            yield from tell("writing_again", attempt=self.rewrites, reason=ending.reason, units=waiting)
            wrong = {id: self._wrong(id, ending.reason) for id in waiting}
            if not (yield from regenerate(self.progress, wrong, attempt=self.rewrites)):
                return ending

    def _once(self) -> Work:
        """From the rules to an ending."""
        progress = self.progress
        yield from self._read()
        fatal = self._fatal()
        if fatal and len(fatal) * 2 >= len(progress.lesson.units):
            yield from record_source(progress, progress.lesson.units)
            why = f"{len(fatal)} of {len(progress.lesson.units)} units are broken"
            return self._ending("regenerate", why, progress.broken)
        yield from repair_rule_findings(progress)
        unheeded = yield from repair_notes(progress)
        if self._fatal():
            yield from record_source(progress, progress.lesson.units)
            used_up = "the tokens for repairs are used up (stop_token_budget)"
            why = "repairs did not mend them" if progress.tokens_left else used_up
            return self._ending("regenerate", f"units are broken, and {why}", progress.broken)
        if fatal and progress.roles.of("reviewer") is not None:
            # Nobody has read it yet: as long as a rule had called it unusable, that would have been wasted.
            yield from self._read()
        return (yield from self._judged(unheeded))

    def _read(self) -> Generator[Effect, Any, None]:
        before = self.review.settled if self.review is not None else ()
        self.review = yield from first_review(self.progress, self.review)
        yield from apply_safe_fixes(self.progress, self.review.lesson, self.review.settled[len(before) :])

    def _judged(self, unheeded: list[str]) -> Work:
        progress = self.progress
        if not progress.roles.judges:
            yield from record_source(progress, progress.lesson.units)
            waiting = [*progress.broken, *unheeded]
            if self.rules_only and not waiting:
                return self._ending("accepted", "on rules alone, as --rules-only asks", [])
            return self._ending("not_judged", "no_judges", waiting)
        panel = yield from judge_lesson(progress)
        if isinstance(panel, PanelFailed):
            yield from record_source(progress, progress.lesson.units)
            yield from tell("judges_failed", message=panel.message)
            return self._ending("judges_failed", "judges_silent", [*progress.broken, *unheeded])
        self.panel = panel
        yield from tell("judged", clevResult=panel.as_wire())
        yield from record_judged(progress, panel)
        if panel.final_recommendation == "REGENERATE":
            why = f"the judges give it {panel.aggregated_score:.2f}"
            everything = [unit.id for unit in progress.lesson.units]
            return self._ending("regenerate", why, everything, critical=distinct_issues(panel.verdicts))
        result, full = yield from refine(progress, panel, RefinementEvents(self.round))
        if result.blocked == JUDGES_LOST:
            yield from tell("judges_failed", message=JUDGES_LOST)
            return self._ending("judges_failed", "judges_silent", [*progress.broken, *unheeded], result)
        if full is not None:
            everything = [unit.id for unit in progress.lesson.units]
            return self._ending("regenerate", full, everything, critical=result.remaining_issues)
        return self._refined(result, unheeded)

    def _refined(self, result: RefinementResult, unheeded: list[str]) -> Outcome:
        """Who waits for a person: the units with open issues; where nobody is to blame, the first one."""
        if result.status in ("accepted", "accepted_warning") and not unheeded:
            return self._ending(result.status, result.message, [], result)
        if result.status == "best_effort" and self.progress.rules_against() is None and not unheeded:
            return self._ending("best_effort", result.message, [], result)
        raised = (*result.remaining_issues, *result.rejected_issues)
        blamed = [issue.section_id for issue in raised if issue.section_id != LESSON]
        return self._ending("escalated", result.message, [*self.progress.broken, *unheeded, *blamed], result)

    def _ending(
        self,
        status: Status,
        reason: str,
        waiting: Iterable[str],
        result: RefinementResult | None = None,
        critical: Iterable[JudgeIssue] = (),
    ) -> Outcome:
        units = self.progress.open_units
        wanted = {unit.id for unit in units}.intersection(waiting)
        if not wanted and status in ("not_judged", "judges_failed", "escalated", "regenerate"):
            wanted = {units[0].id}
        raised = result.remaining_issues if result else critical
        report = {
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
        why = {"not_judged": "no_judges", "judges_failed": "judges_silent"}.get(status, status)
        delivered = "rules_only" if status == "accepted" and self.panel is None else status
        waits, ready = (
            Stop(STATES.waiting, why),
            Stop(STATES.ready, delivered if status in DELIVERED else "nothing_open"),
        )
        settled = (
            Settled(unit.id, (waits if unit.id in wanted else ready,), stands=self.progress.kept[unit.id].number)
            for unit in units
        )
        return Outcome(units=tuple(settled), status=status, reason=reason, result=report)

    def _fatal(self) -> list[str]:
        """Units in which a rule found something that makes them unusable."""
        broken = self.progress.broken.items()
        return [id for id, findings in broken if any(finding.severity == "critical" for finding in findings)]

    def _wrong(self, id: str, reason: str) -> list[str]:
        """What the next version of a unit must not repeat."""
        found = [finding.message for finding in self.progress.kept[id].findings if finding.blocks]
        issues = distinct_issues(self.panel.verdicts) if self.panel else []
        found += [issue.description for issue in issues if issue.location.split(": ")[0] in (id, LESSON)]
        return list(dict.fromkeys(found)) or [reason]
