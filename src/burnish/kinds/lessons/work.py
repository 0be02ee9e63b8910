"""The work on one lesson: rules, the first review, the panel, targeted repairs, and a result with a reason.

A generator over `core.effects`: it yields requests and records, and is sent the answers. So are its stages; the
decisions themselves are made in `refinement` and `self_review`.

    progress     the lesson being processed: its text, judgements, kept attempts and tokens
    prejudge     stage 1: rules, the first review, claims against the source; then prejudge repairs
    panel        stage 2: the judges, on the whole and window by window, never twice on the same text
    iterations   stages 3 to 5: plan, batches of repairs, judging again, stop
    repairs      one batch: new text checked by rules and the delta judge, kept or rolled back
    drafts       the new text: patching, expanding, regenerating, and what is refused

The estimate runs the same work with simulated models. Since real answers are not known, it does so several times: with
models that never answer, so that the work tries everything; with lenient ones that find no fault; and, if a model can
write again, with harsh ones. Lenient models give the likely cost. The requests of all runs together give the highest
cost: there the judges disagree, so that the third is asked, and many questions are answered only when repeated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from burnish.core.checks import Selection
from burnish.core.documents import Unit, digest
from burnish.core.effects import Effect, ModelRequest, ModelRoles, Outcome, Request, Settled, Stop, Work, note
from burnish.core.forecasts import Charge, Forecast, Rehearsal, RepairLimits, Reply, requests_of
from burnish.core.records import UnitRow
from burnish.core.replies import (
    ClaimPart,
    ClaimsReply,
    ClaimVerdictReply,
    CriteriaPart,
    DeltaReply,
    JudgeReply,
    LessonJudgeReply,
    ObjectivePart,
    SectionReply,
    SelfReviewReply,
    UnitScoresPart,
)
from burnish.core.tasks import Environment, Item, Task
from burnish.kinds.lessons.controller import RefinementResult
from burnish.kinds.lessons.drafts import TRIES, regenerate
from burnish.kinds.lessons.events import RefinementEvents
from burnish.kinds.lessons.findings import windows_of
from burnish.kinds.lessons.iterations import JUDGES_LOST, refine
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.panel import judge_lesson, record_judged
from burnish.kinds.lessons.policy import STATES, RefinementLimits
from burnish.kinds.lessons.prejudge import (
    apply_safe_fixes,
    first_review,
    record_source,
    repair_notes,
    repair_rule_findings,
)
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.refinement import LESSON, JudgeAggregatedResult, JudgeIssue
from burnish.kinds.lessons.router import estimated_tokens
from burnish.kinds.lessons.self_review import SelfReview
from burnish.kinds.lessons.verdicts import PanelFailed, distinct_issues

if TYPE_CHECKING:
    from burnish.kinds.lessons.kind import LessonsKind

Status = Literal[
    "accepted", "accepted_warning", "best_effort", "escalated", "regenerate", "not_judged", "judges_failed"
]

DELIVERED = frozenset({"accepted", "accepted_warning", "best_effort"})

MAX_REWRITES = 2
"""How often a lesson, or its broken units, are written again."""


@dataclass(slots=True)
class LessonWork:
    """One lesson passing through the stages."""

    progress: LessonProgress
    round: int = 1
    """The number of the round: a person who sends units back starts another."""
    rules_only: bool = False
    """Whether the user accepts the rules' verdict alone if there are no judges."""
    review: SelfReview | None = None
    panel: JudgeAggregatedResult | None = None
    rewrites: int = 0

    def run(self) -> Work:
        """Run until there is a result; write units again if necessary and a model can."""
        while True:
            ending = yield from self._once()
            may_rewrite = self.rewrites < MAX_REWRITES and self.progress.roles.of("generator") is not None
            if ending.status != "regenerate" or not may_rewrite:
                return ending
            self.rewrites += 1
            waiting = ending.units_in(STATES.waiting)
            yield from note("writing_again", attempt=self.rewrites, reason=ending.reason, units=waiting)
            wrong = {id: self._wrong(id, ending.reason) for id in waiting}
            if not (yield from regenerate(self.progress, wrong, attempt=self.rewrites)):
                return ending

    def _once(self) -> Work:
        """One pass from the rules to a result."""
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
            # Only now: reading a lesson that the rules find unusable would have wasted a call.
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
            yield from note("judges_failed", message=panel.message)
            return self._ending("judges_failed", "judges_silent", [*progress.broken, *unheeded])
        self.panel = panel
        yield from note("judged", clevResult=panel.as_wire())
        yield from record_judged(progress, panel)
        if panel.final_recommendation == "REGENERATE":
            why = f"the judges give it {panel.aggregated_score:.2f}"
            everything = [unit.id for unit in progress.lesson.units]
            return self._ending("regenerate", why, everything, critical=distinct_issues(panel.verdicts))
        result, full = yield from refine(progress, panel, RefinementEvents(self.round))
        if result.blocked == JUDGES_LOST:
            yield from note("judges_failed", message=JUDGES_LOST)
            return self._ending("judges_failed", "judges_silent", [*progress.broken, *unheeded], result)
        if full is not None:
            everything = [unit.id for unit in progress.lesson.units]
            return self._ending("regenerate", full, everything, critical=result.remaining_issues)
        return self._refined(result, unheeded)

    def _refined(self, result: RefinementResult, unheeded: list[str]) -> Outcome:
        """The units that wait for a person: those with open issues, or else the first one."""
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
            Settled(unit.id, (waits if unit.id in wanted else ready,), best=self.progress.kept[unit.id].number)
            for unit in units
        )
        return Outcome(units=tuple(settled), status=status, reason=reason, result=report)

    def _fatal(self) -> list[str]:
        """Units that a rule found unusable."""
        broken = self.progress.broken.items()
        return [id for id, findings in broken if any(finding.severity == "critical" for finding in findings)]

    def _wrong(self, id: str, reason: str) -> list[str]:
        """The faults that the next version of a unit must not repeat."""
        found = [finding.message for finding in self.progress.kept[id].findings if finding.blocks]
        issues = distinct_issues(self.panel.verdicts) if self.panel else []
        found += [issue.description for issue in issues if issue.location.split(": ")[0] in (id, LESSON)]
        return list(dict.fromkeys(found)) or [reason]


QUOTED, CLAIMED = 80, 200
"""Characters of text that simulate a claim, and its quote."""
PATIENCE = 3
"""How often a reader is asked before it simulates an answer; the work never asks more often."""
READINGS = frozenset({"self_review_reply", "claims_reply", "claim_verdict_reply"})


@dataclass(frozen=True, slots=True)
class Mood:
    """One way in which simulated models answer."""

    reply: Reply
    is_likely: bool = False
    """Whether it gives the likely cost; otherwise the highest."""
    with_rules: bool = True
    """Whether rules report findings; otherwise the work reaches its judges at once."""
    only_repairs: bool = False
    """Whether only the first repair of each unit is counted."""

    def charges(self, work: Generator[Effect, Any, Any]) -> list[Charge]:
        """The requests of the work with these answers."""
        asked = [one for step in requests_of(work, self.reply) for one in step]
        if self.only_repairs:
            repairs = [one for one in asked if one.ask.role == "patcher"]
            asked = list({one.ask.unit: one for one in reversed(repairs)}.values())
        return [Charge(one, likely=1.0) if self.is_likely else Charge(one, most=1) for one in asked]


def forecasts(kind: LessonsKind, run: Rehearsal) -> Iterator[Forecast]:
    """A forecast for every lesson; repairs have a separate limit."""
    for document in run.documents:
        units = tuple(document.units)
        rows = [UnitRow(unit.id, document.name, 0, unit.content_hash, "") for unit in units]
        task = Task(document.name, tuple(Item(row, unit, unit, ()) for row, unit in zip(rows, units, strict=True)))
        charges: list[Charge] = []
        for mood in moods(units, run.roles):
            selection = run.selection if mood.with_rules else Selection(())
            env = Environment(selection, run.roles, run.options, context=document.context)
            charges += mood.charges(kind.work(task, env))
        found = [kind.examine(unit, run.selection, document.context).findings for unit in units]
        broken = sum(any(finding.blocks for finding in findings) for findings in found)
        lesson_units = [unit for unit in units if isinstance(unit, LessonUnit)]
        repairs = _repair_limits(lesson_units, run.roles)
        yield Forecast(len(units), len(units) - broken, broken, 0, charges, is_unique=True, repairs=repairs)


def _repair_limits(units: Sequence[LessonUnit], roles: ModelRoles) -> RepairLimits | None:
    """The most that the repairs of one lesson can request; a lesson that is written again is refined again.

    Every task fails as often as possible, every judge is misread once, and every delta judge but the last fails.
    """
    patcher = roles.of("patcher")
    if patcher is None or not roles.judges:
        return None
    limits = RefinementLimits()
    tasks = min(len(units) + 1, max(1, limits.max_total_tokens // estimated_tokens("SURGICAL_EDIT")))
    in_groups = tasks // 2
    written = in_groups + TRIES * tasks
    compared = in_groups + tasks
    seams = tasks
    parts = 1 + sum(len(windows_of(unit.text)) for unit in units)
    judged = 2 * len(roles.judges) * (parts + 1)  # the whole once more, if something was rolled back
    others = len(roles.judges) - (roles.of("reviewer") is None)
    calls = limits.max_iterations * (written + compared + seams + judged) + others * compared
    times = 1 if roles.of("generator") is None else 1 + MAX_REWRITES
    return RepairLimits(patcher, times * calls, times * limits.max_total_tokens)


def moods(units: Sequence[Unit], roles: ModelRoles) -> Iterator[Mood]:
    """Every way in which the models of a lesson are simulated."""
    models = PretendedModels(tuple(units), roles)

    def silence(request: ModelRequest) -> None:
        """No answer."""

    # The rules' repairs succeed at the first try, and no reader finds a fault.
    yield Mood(silence, is_likely=True, only_repairs=True)
    yield Mood(lambda request: models.answer(request.ask, 1.0), is_likely=True, with_rules=False)
    # Every answer has the highest cost.
    yield Mood(silence)
    yield Mood(silence, with_rules=False)
    for score in (1.0,) if roles.of("generator") is None else (1.0, 0.0):
        for of_units in (True, False):
            yield Mood(slipping(models, score, of_units=of_units), with_rules=False)


@dataclass(frozen=True, slots=True)
class PretendedModels:
    """Simulated models of one lesson, for the estimate."""

    units: tuple[Unit, ...]
    roles: ModelRoles

    def answer(self, ask: Request, score: float) -> object | None:
        """An answer of the requested type."""
        if ask.reply == "self_review_reply":
            return SelfReviewReply(reasoning="", status="PASS", issues=())
        if ask.reply == "claims_reply":
            # One claim for every unit shown: the beginning of its text.
            shown = "\n".join(ask.untrusted.values())
            texts = {unit.id: self._text(unit.id).strip() for unit in self.units}
            claims = (
                ClaimPart(unit=id, quote=text[:QUOTED], claim=" ".join(text[:CLAIMED].split()))
                for id, text in texts.items()
                if text and text[:QUOTED] in shown
            )
            return ClaimsReply(reasoning="", claims=tuple(claims))
        if ask.reply == "claim_verdict_reply":
            return ClaimVerdictReply(reasoning="", verdicts=())
        criteria = CriteriaPart(**dict.fromkeys(CriteriaPart.model_fields, score))
        if ask.reply == "lesson_judge_reply":
            # Every objective in the question is covered, with words of the lesson.
            words = ask.untrusted["text"].rpartition("\n")[2][:QUOTED]
            ids = re.findall(r"^objective: (.+)$", ask.untrusted["objectives"], re.MULTILINE)
            covered = tuple(ObjectivePart(id=id, covered="yes", quote=words) for id in ids)
            return LessonJudgeReply(reasoning="", criteria=criteria, objectives=covered, confidence="high", issues=())
        if ask.reply == "judge_reply":
            units = tuple(UnitScoresPart(unit=unit.id, criteria=criteria) for unit in self.units)
            return JudgeReply(reasoning="", units=units, confidence="high", issues=())
        if ask.reply == "delta_reply":
            return DeltaReply(reasoning="", passed=True, confidence="high", newIssues=())
        if ask.reply == "section_reply":
            # A new text every time, so that it is judged again.
            return SectionReply(reasoning="", unit=ask.unit, text=f"{self._text(ask.unit)} {ask.max_tokens}.")
        return None

    def _text(self, unit: str) -> str:
        texts = next((one.texts() for one in self.units if one.id == unit), {})
        return max(texts.values(), key=len, default="")


def slipping(models: PretendedModels, score: float, *, of_units: bool) -> Reply:
    """Models whose first answers often cannot be read, and judges of whom one disagrees with the others.

    They fail on windows (`of_units`) or on the whole, each of which is then requested again.
    """
    heard: Counter[str] = Counter()
    judges = models.roles.judges

    def reply(request: ModelRequest) -> object | None:
        ask = request.ask
        question = digest(request.model, ask.prompt, ask.unit, dict(ask.untrusted))
        heard[question] += 1
        slips = ask.reply == ("judge_reply" if of_units else "lesson_judge_reply")
        if heard[question] < (PATIENCE if ask.reply in READINGS else 2 if slips else 1):
            return None
        disagrees = len(judges) > 2 and request.model == judges[1]
        return models.answer(ask, 1.0 - score if disagrees else score)

    return reply
