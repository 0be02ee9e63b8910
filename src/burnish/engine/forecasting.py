"""What work on whole documents would cost: their procedures are gone through with models that only seem to answer.

Nobody knows what models will say, so each document is gone through several times: with models that never answer, which
makes a procedure try all that it may; with kind ones that find no fault; and, where somebody could write again, with
harsh ones. Kind models give the likely bill. Everything that is asked in any of them makes the highest: there judges
disagree, so that the third is asked, and answer many a question only when it is put to them once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from burnish.core.asks import Ask
from burnish.core.checks import Selection
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import Request, Round, Seats
from burnish.core.hashing import digest
from burnish.core.kinds import DirectedKind
from burnish.core.replies import (
    ClaimPart,
    ClaimsReply,
    ClaimVerdictReply,
    CriteriaPart,
    DeltaReply,
    JudgeReply,
    SectionReply,
    SelfReviewReply,
)
from burnish.engine.asking import call_of
from burnish.engine.estimating import Estimate, likely_tokens
from burnish.engine.examining import examiner_of
from burnish.engine.interpreters import Reply, requests_of
from burnish.engine.plan import DocumentPlan, Plan
from burnish.models.budget import Price, most_tokens
from burnish.models.calls import TokenCount

NO_RULES = Selection(())
"""A document on which no rule speaks gets as far as its judges."""
QUOTED, CLAIMED = 80, 200
"""Characters of a text that stand for a claim, and for the words it is taken from."""

PATIENCE = 3
"""How often a reader is asked before it seems to answer; no procedure asks more often."""
READINGS = frozenset({"self_review_reply", "claims_reply", "claim_verdict_reply"})


def estimate_documents(plan: Plan, kind: DirectedKind, prices: Mapping[str, Price]) -> Estimate:
    """The bill of all documents; repairs have a ceiling of their own."""
    result = Estimate(unpriced=tuple(model for model in plan.models if model not in prices))
    examiner = examiner_of(plan, kind)
    seats = Seats(plan.judges, plan.roles)
    options: Mapping[str, Any] = plan.arguments.get("options", {})
    for document in plan.documents:
        units = _units(kind, document, result)
        context = examiner.contexts[document.name]
        for unit in units:
            broken = any(finding.blocks for finding in kind.examine(unit, examiner.selection, context).findings)
            result.units += 1
            result.clean += not broken
            result.to_correct += broken
        forecast = Forecast(kind, units, context, examiner.selection, seats, options)
        _count(result, plan, forecast, prices)
        _count_repairs(result, forecast, prices)
    return result


@dataclass(frozen=True, slots=True)
class Forecast:
    """One document, before anything is spent."""

    kind: DirectedKind
    units: tuple[Unit, ...]
    context: object
    selection: Selection
    seats: Seats
    options: Mapping[str, Any]

    def likely(self) -> list[Request]:
        """The rules' repairs succeed at the first try, and nobody finds a fault."""
        first = {request.ask.unit: request for request in reversed(self._asked(_silence, self.selection, _repairs))}
        return [*first.values(), *self._asked(self._kindly, NO_RULES)]

    def at_most(self) -> list[Request]:
        """All that is asked if every answer is the dearest."""
        asked = [*self._asked(_silence, self.selection), *self._asked(_silence, NO_RULES)]
        scores = (1.0,) if self.seats.of("generator") is None else (1.0, 0.0)
        for score in scores:
            for of_units in (True, False):
                asked += self._asked(Slipping(self, score, of_units), NO_RULES)
        return asked

    def _asked(
        self, reply: Reply, selection: Selection, wanted: Callable[[Request], bool] = lambda _: True
    ) -> list[Request]:
        round = Round(1, self.units, {}, {}, frozenset())
        procedure = self.kind.procedure(round, self.context, selection, self.seats, self.options)
        return [one for step in requests_of(procedure, reply) for one in step if wanted(one)]

    def _kindly(self, request: Request) -> object | None:
        return self.answer(request.ask, 1.0)

    def answer(self, ask: Ask, score: float) -> object | None:
        """An answer of the shape that is asked for."""
        if ask.reply == "self_review_reply":
            return SelfReviewReply(reasoning="", status="PASS", issues=())
        if ask.reply == "claims_reply":
            return ClaimsReply(reasoning="", claims=tuple(self._claims(ask)))
        if ask.reply == "claim_verdict_reply":
            return ClaimVerdictReply(reasoning="", verdicts=())
        if ask.reply == "judge_reply":
            criteria = CriteriaPart(**dict.fromkeys(CriteriaPart.model_fields, score))
            return JudgeReply(reasoning="", unit=ask.unit, criteria=criteria, confidence="high", issues=())
        if ask.reply == "delta_reply":
            return DeltaReply(reasoning="", passed=True, confidence="high", newIssues=())
        if ask.reply == "section_reply":
            # Another text every time: what is written anew is judged anew.
            return SectionReply(reasoning="", unit=ask.unit, text=f"{self._text(ask.unit)} {ask.max_tokens}.")
        return None

    def _claims(self, ask: Ask) -> list[ClaimPart]:
        """One claim for every unit that is shown: the beginning of its text."""
        shown = "\n".join(ask.untrusted.values())
        texts = {unit.id: self._text(unit.id).strip() for unit in self.units}
        return [
            ClaimPart(unit=id, quote=text[:QUOTED], claim=" ".join(text[:CLAIMED].split()))
            for id, text in texts.items()
            if text and text[:QUOTED] in shown
        ]

    def _text(self, unit: str) -> str:
        texts = next((one.texts() for one in self.units if one.id == unit), {})
        return max(texts.values(), key=len, default="")


@dataclass(slots=True)
class Slipping:
    """Models whose first answer to many a question cannot be read, and judges of whom one disagrees with the others.

    Where nothing that a judge says can be read it loses its seat, and is asked no more. So it slips on either the
    units or the whole, and never on both.
    """

    forecast: Forecast
    score: float
    of_units: bool
    """Whether judges slip on units; else on the whole."""
    _heard: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: Request) -> object | None:
        ask = request.ask
        question = digest(request.model, ask.prompt, ask.unit, dict(ask.trusted), dict(ask.untrusted))
        self._heard[question] += 1
        return self.forecast.answer(ask, self._score(request)) if self._heard[question] >= self._patience(ask) else None

    def _score(self, request: Request) -> float:
        judges = self.forecast.seats.judges
        disagrees = len(judges) > 2 and request.model == judges[1]
        return 1.0 - self.score if disagrees else self.score

    def _patience(self, ask: Ask) -> int:
        if ask.reply in READINGS:
            return PATIENCE
        is_unit = any(unit.id == ask.unit for unit in self.forecast.units)
        return 2 if ask.reply == "judge_reply" and is_unit == self.of_units else 1


def _units(kind: DirectedKind, document: DocumentPlan, result: Estimate) -> tuple[Unit, ...]:
    units: list[Unit] = []
    with Path(document.path).open("rb") as stream:
        for part in kind.read(stream, document.path, document.format):
            if isinstance(part, Problem):
                result.unreadable += [part] if part.blocks else []
            elif not isinstance(part, PassedThrough):
                units.append(part)
    return tuple(units)


def _silence(request: Request) -> None:
    """Nobody answers."""


def _repairs(request: Request) -> bool:
    return request.ask.role == "patcher"


def _count(result: Estimate, plan: Plan, forecast: Forecast, prices: Mapping[str, Price]) -> None:
    for model, most in _calls(plan, forecast.at_most()):
        result.at_most.add(1, most, prices.get(model))
    for model, most in _calls(plan, forecast.likely()):
        result.likely.add(1, likely_tokens(most), prices.get(model))


def _calls(plan: Plan, requests: Sequence[Request]) -> list[tuple[str, TokenCount]]:
    """Each call once, however often it is asked for: the journal answers the second time."""
    calls = (call_of(request.ask, request.model, plan.nonce) for request in requests)
    return [(call.model, most_tokens(call)) for call in {call.key: call for call in calls}.values()]


def _count_repairs(result: Estimate, forecast: Forecast, prices: Mapping[str, Price]) -> None:
    """Repairs have a ceiling of their own; half of it is a usual bill."""
    seats = forecast.seats
    model = seats.of("patcher")
    if model is None or not seats.judges:
        return
    price = prices.get(model)
    limits = forecast.kind.repair_limits(forecast.units, seats, forecast.options)
    result.at_most.add(1, TokenCount(limits.tokens * 2 // 3, limits.tokens - limits.tokens * 2 // 3), price)
    result.at_most.calls += limits.calls - 1
    result.likely.add(1, TokenCount(limits.tokens_once // 3, limits.tokens_once // 6), price)
