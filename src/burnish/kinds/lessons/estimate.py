"""Models that only seem to answer, for the estimate of a lesson.

Nobody knows what models will say, so a lesson is gone through several times: with models that never answer, which makes
the work try all that it may; with kind ones that find no fault; and, where somebody could write again, with harsh ones.
Kind models give the likely bill. Everything that is asked in any of them makes the highest: there judges disagree, so
that the third is asked, and answer many a question only when it is put to them once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from burnish.core.checks import Selection
from burnish.core.documents import Unit, digest
from burnish.core.effects import Effect, ModelRequest, ModelRoles, Request
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
from burnish.kinds.lessons.drafts import TRIES
from burnish.kinds.lessons.findings import windows_of
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.policy import RefinementLimits
from burnish.kinds.lessons.refinement.router import estimated_tokens
from burnish.kinds.lessons.work import MAX_REWRITES

if TYPE_CHECKING:
    from burnish.kinds.lessons.kind import LessonsKind

QUOTED, CLAIMED = 80, 200
"""Characters of a text that stand for a claim, and for the words it is taken from."""
PATIENCE = 3
"""How often a reader is asked before it seems to answer; the work never asks more often."""
READINGS = frozenset({"self_review_reply", "claims_reply", "claim_verdict_reply"})


@dataclass(frozen=True, slots=True)
class Mood:
    """One way in which models are pretended to answer."""

    reply: Reply
    is_likely: bool = False
    """Whether it makes the likely bill; else the highest."""
    with_rules: bool = True
    """Whether the rules speak; else the work gets as far as its judges at once."""
    only_repairs: bool = False
    """Whether only the first repair of each unit is counted."""

    def charges(self, work: Generator[Effect, Any, Any]) -> list[Charge]:
        """What the work asks for while models answer so."""
        asked = [one for step in requests_of(work, self.reply) for one in step]
        if self.only_repairs:
            repairs = [one for one in asked if one.ask.role == "patcher"]
            asked = list({one.ask.unit: one for one in reversed(repairs)}.values())
        return [Charge(one, likely=1.0) if self.is_likely else Charge(one, most=1) for one in asked]


def forecasts(kind: LessonsKind, run: Rehearsal) -> Iterator[Forecast]:
    """A forecast for every lesson; repairs have a ceiling of their own."""
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
    """The most that the repairs of one lesson can ask for; one that is written again is refined again.

    Every task fails as often as it may, every judge is misheard once, and every delta judge but the last is mute.
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
    judged = 2 * len(roles.judges) * (parts + 1)  # the whole once more, where something was rolled back
    others = len(roles.judges) - (roles.of("reviewer") is None)
    calls = limits.max_iterations * (written + compared + seams + judged) + others * compared
    times = 1 if roles.of("generator") is None else 1 + MAX_REWRITES
    return RepairLimits(patcher, times * calls, times * limits.max_total_tokens)


def moods(units: Sequence[Unit], roles: ModelRoles) -> Iterator[Mood]:
    """Every way in which the models of a lesson are pretended to answer."""
    models = PretendedModels(tuple(units), roles)

    def silence(request: ModelRequest) -> None:
        """Nobody answers."""

    # The rules' repairs succeed at the first try, and nobody finds a fault.
    yield Mood(silence, is_likely=True, only_repairs=True)
    yield Mood(lambda request: models.answer(request.ask, 1.0), is_likely=True, with_rules=False)
    # Every answer is the dearest.
    yield Mood(silence)
    yield Mood(silence, with_rules=False)
    for score in (1.0,) if roles.of("generator") is None else (1.0, 0.0):
        for of_units in (True, False):
            yield Mood(slipping(models, score, of_units=of_units), with_rules=False)


@dataclass(frozen=True, slots=True)
class PretendedModels:
    """The models of one lesson, before anything is spent."""

    units: tuple[Unit, ...]
    roles: ModelRoles

    def answer(self, ask: Request, score: float) -> object | None:
        """An answer of the shape that is asked for."""
        if ask.reply == "self_review_reply":
            return SelfReviewReply(reasoning="", status="PASS", issues=())
        if ask.reply == "claims_reply":
            # One claim for every unit that is shown: the beginning of its text.
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
            # Every objective that is asked about is covered, with words of the lesson.
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
            # Another text every time: what is written anew is judged anew.
            return SectionReply(reasoning="", unit=ask.unit, text=f"{self._text(ask.unit)} {ask.max_tokens}.")
        return None

    def _text(self, unit: str) -> str:
        texts = next((one.texts() for one in self.units if one.id == unit), {})
        return max(texts.values(), key=len, default="")


def slipping(models: PretendedModels, score: float, *, of_units: bool) -> Reply:
    """Models whose first answer to many a question cannot be read, and judges of whom one disagrees with the others.

    They slip on windows (`of_units`) or on the whole, each of which is then asked for once more.
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
