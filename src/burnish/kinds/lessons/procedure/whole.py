"""The five stages in order: free rules, the cheap reader, the panel, targeted repair, and an ending with a reason."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from burnish.core.effects import Effect, ModelRoles, Outcome, Round, Settled, Stop, Work, tell
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit
from burnish.kinds.lessons.policy import STATES
from burnish.kinds.lessons.procedure.cleaning import mend_notes, mend_rules, record_source, take_safe_fixes
from burnish.kinds.lessons.procedure.desk import Desk, Examine, source_index
from burnish.kinds.lessons.procedure.judging import convene, record_judged
from burnish.kinds.lessons.procedure.refining import JUDGES_LOST, refine
from burnish.kinds.lessons.procedure.reviewing import first_reading
from burnish.kinds.lessons.procedure.rewriting import write_again
from burnish.kinds.lessons.refinement.config import REFINEMENT_CONFIG, RefinementLimits, config_for
from burnish.kinds.lessons.refinement.controller import RefinementResult
from burnish.kinds.lessons.refinement.events import Chronicle
from burnish.kinds.lessons.refinement.types import LESSON, JudgeAggregatedResult, JudgeIssue
from burnish.kinds.lessons.refinement.verdicts import PanelFailed, distinct_issues
from burnish.kinds.lessons.self_review import SelfReview

Status = Literal[
    "accepted", "accepted_warning", "best_effort", "escalated", "regenerate", "not_judged", "judges_failed"
]

DELIVERED = frozenset({"accepted", "accepted_warning", "best_effort"})

NOTHING_LEFT = "the tokens for repairs are used up"

MOST_REWRITES = 2
"""How often a lesson, or its broken part, is written again."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of one lesson."""

    lesson: Lesson
    context: LessonContext
    seats: ModelRoles
    mode: Literal["semi-auto", "full-auto"]
    examine: Examine
    round: Round
    limits: RefinementLimits = REFINEMENT_CONFIG.limits


@dataclass(slots=True)
class LessonWork:
    """One lesson on its way through the stages."""

    desk: Desk
    chronicle: Chronicle
    review: SelfReview | None = None
    panel: JudgeAggregatedResult | None = None
    rewrites: int = 0

    def run(self) -> Work:
        while True:
            ending = yield from self._once()
            if ending.status != "regenerate" or not self._may_rewrite():
                return ending
            self.rewrites += 1
            yield from tell("writing_again", attempt=self.rewrites, reason=ending.reason, units=_waiting(ending))
            written = yield from write_again(
                self.desk,
                {id: self._wrong(id, ending) for id in _waiting(ending)},
                truncated=self._truncated(),
                attempt=self.rewrites,
            )
            if not written:
                return ending

    def _may_rewrite(self) -> bool:
        return self.rewrites < MOST_REWRITES and self.desk.seats.of("generator") is not None

    def _once(self) -> Work:
        """From the rules to an ending."""
        yield from self._read()
        fatal = self._fatal()
        if len(fatal) * 2 >= len(self.desk.lesson.units) and fatal:
            yield from record_source(self.desk, self.desk.lesson.units)
            why = f"{len(fatal)} of {len(self.desk.lesson.units)} units are broken"
            return self._ending("regenerate", why, self._broken())
        yield from mend_rules(self.desk)
        unheeded = yield from mend_notes(self.desk)
        if self._fatal():
            yield from record_source(self.desk, self.desk.lesson.units)
            why = "repairs did not mend them" if self.desk.tokens_left else f"{NOTHING_LEFT} (stop_token_budget)"
            return self._ending("regenerate", f"units are broken, and {why}", self._broken())
        if fatal and self.desk.seats.of("reviewer") is not None:
            # Nobody has read it yet: as long as a rule had called it unusable, that would have been wasted.
            yield from self._read()
        return (yield from self._judged(unheeded))

    def _read(self) -> Generator[Effect, Any, None]:
        self.review = yield from first_reading(self.desk)
        yield from take_safe_fixes(self.desk, self.review.lesson, self.review.settled)

    def _judged(self, unheeded: list[str]) -> Work:
        if not self.desk.seats.judges:
            yield from record_source(self.desk, self.desk.lesson.units)
            return self._ending("not_judged", "no_judges", [*self._broken(), *unheeded])
        panel = yield from convene(self.desk)
        if isinstance(panel, PanelFailed):
            yield from record_source(self.desk, self.desk.lesson.units)
            yield from tell("judges_failed", message=panel.message)
            return self._ending("judges_failed", "judges_silent", [*self._broken(), *unheeded])
        self.panel = panel
        yield from tell("judged", clevResult=panel.as_wire())
        yield from record_judged(self.desk, panel)
        if panel.final_recommendation == "REGENERATE":
            why = f"the judges give it {panel.aggregated_score:.2f}"
            everything = [unit.id for unit in self.desk.lesson.units]
            return self._ending("regenerate", why, everything, critical=distinct_issues(panel.verdicts))
        result, full = yield from refine(self.desk, panel, self.chronicle)
        if result.blocked == JUDGES_LOST:
            yield from tell("judges_failed", message=JUDGES_LOST)
            return self._ending("judges_failed", "judges_silent", [*self._broken(), *unheeded], result)
        if full is not None:
            everything = [unit.id for unit in self.desk.lesson.units]
            return self._ending("regenerate", full, everything, critical=result.remaining_issues)
        return self._refined(result, unheeded)

    def _refined(self, result: RefinementResult, unheeded: list[str]) -> Outcome:
        """Who waits for a person: the units with open issues; where nobody is to blame, the first one."""
        broken = self._broken()
        if result.status in ("accepted", "accepted_warning") and not unheeded:
            return self._ending(result.status, result.message, [], result)
        if result.status == "best_effort" and self.desk.rules_against() is None and not unheeded:
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
        wanted = [id for id in dict.fromkeys(waiting) if id in self.desk.lesson and id not in self.desk.settled]
        if not wanted and status in ("not_judged", "judges_failed", "escalated", "regenerate"):
            wanted = [self._first()]
        return Outcome(
            units=tuple(
                self._settled(unit, status, unit.id in wanted)
                for unit in self.desk.lesson.units
                if unit.id not in self.desk.settled
            ),
            status=status,
            reason=reason,
            result=self._report(status, reason, result, result.remaining_issues if result else critical),
        )

    def _settled(self, unit: LessonUnit, status: Status, waits: bool) -> Settled:
        why = {"not_judged": "no_judges", "judges_failed": "judges_silent"}.get(status, status)
        ready = Stop(STATES.ready, status if status in DELIVERED else "nothing_open")
        stop = Stop(STATES.waiting, why) if waits else ready
        return Settled(unit.id, (stop,), stands=self.desk.standing[unit.id].number)

    def _report(
        self, status: Status, reason: str, result: RefinementResult | None, raised: Iterable[JudgeIssue]
    ) -> dict[str, Any]:
        """What the report says of the lesson."""
        return {
            "lesson_id": self.desk.lesson.lesson_id,
            "status": status,
            "reason": reason,
            "self_review": _without_content(self.review) if self.review else None,
            "clevResult": self.panel.as_wire() if self.panel else None,
            "refinement": result.model_copy(update={"content": None}).as_wire() if result else None,
            "refinement_history": [one.as_wire() for one in result.refinement_history] if result else [],
            "rewrites": self.rewrites,
            "open_critical": [f"{one.location}: {one.description}" for one in raised if one.severity == "critical"],
            "rules": self.desk.rules_against(),
        }

    def _first(self) -> str:
        return next(unit.id for unit in self.desk.lesson.units if unit.id not in self.desk.settled)

    def _fatal(self) -> list[str]:
        """Units in which a rule found something that makes them unusable."""
        return [
            unit.id
            for unit in self.desk.lesson.units
            if unit.id not in self.desk.settled
            and any(finding.severity == "critical" for finding in self.desk.findings(unit))
        ]

    def _broken(self) -> list[str]:
        return [
            unit.id
            for unit in self.desk.lesson.units
            if unit.id not in self.desk.settled and any(finding.blocks for finding in self.desk.findings(unit))
        ]

    def _wrong(self, id: str, ending: Outcome) -> list[str]:
        """What the next version of a unit must not repeat."""
        found = [finding.message for finding in self.desk.standing[id].findings if finding.blocks]
        issues = distinct_issues(self.panel.verdicts) if self.panel else []
        found += [issue.description for issue in issues if issue.location.split(": ")[0] in (id, LESSON)]
        return list(dict.fromkeys(found)) or [ending.reason]

    def _truncated(self) -> frozenset[str]:
        return frozenset(
            unit.id
            for unit in self.desk.lesson.units
            if any(finding.rule == "truncation" for finding in self.desk.findings(unit))
        )


def polish(order: Order) -> Work:
    """The whole work on one lesson."""
    desk = Desk(
        lesson=order.lesson.replaced(unit for unit in order.round.units if isinstance(unit, LessonUnit)),
        context=order.context,
        seats=order.seats,
        config=config_for(order.mode, order.limits),
        examine=order.examine,
        index=source_index(order.context),
        notes=dict(order.round.notes),
        settled=order.round.settled,
        first_cause="review" if any(order.round.attempts.values()) else "source",
    )
    return (yield from LessonWork(desk, Chronicle(order.round.number)).run())


def _without_content(review: SelfReview) -> dict[str, Any]:
    """The verdict of stage 1 for a report; the content itself stands in the document."""
    return review.response().model_dump(mode="json", exclude={"patched_content"})


def _waiting(ending: Outcome) -> list[str]:
    return ending.units_in(STATES.waiting)
