"""What work on whole documents would cost: their procedures are gone through with models that never answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from burnish.core.asks import Answer
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.kinds import DirectedKind
from burnish.core.procedures import Draft, Request, Round, Seats, Together
from burnish.engine.asking import call_of
from burnish.engine.estimating import Estimate, likely_tokens
from burnish.engine.examining import examiner_of
from burnish.engine.plan import DocumentPlan, Plan
from burnish.llm.budget import Price, most_tokens
from burnish.llm.calls import TokenCount


def estimate_documents(plan: Plan, kind: DirectedKind, prices: Mapping[str, Price]) -> Estimate:
    """Everything that is asked before the first repair, and the procedure's own ceiling for all that follows."""
    result = Estimate(unpriced=tuple(model for model in plan.models if model not in prices))
    examiner = examiner_of(plan, kind)
    seats = Seats(plan.judges, plan.roles)
    options: Mapping[str, Any] = plan.arguments.get("options", {})
    for document in plan.documents:
        units = _units(kind, document, result)
        context = examiner.contexts[document.name]
        for unit in units:
            found = kind.examine(unit, examiner.selection, context).findings
            result.units += 1
            result.clean += not any(finding.blocks for finding in found)
            result.to_correct += any(finding.blocks for finding in found)
        round = Round(1, units, {}, {}, frozenset())
        procedure = kind.procedure(round, context, examiner.selection, seats, options)
        for request in _requests(procedure):
            _count(result, plan, request, prices)
        _count_repairs(result, kind, seats, options, prices)
    return result


def _units(kind: DirectedKind, document: DocumentPlan, result: Estimate) -> tuple[Unit, ...]:
    units: list[Unit] = []
    with Path(document.path).open("rb") as stream:
        for part in kind.read(stream, document.path, document.format):
            if isinstance(part, Problem):
                result.unreadable += [part] if part.unit is None else []
            elif not isinstance(part, PassedThrough):
                units.append(part)
    return tuple(units)


def _requests(procedure: Any) -> list[Request]:
    """All that the procedure asks while nobody answers."""
    asked: list[Request] = []
    sent: object = None
    numbers: dict[str, int] = {}
    while True:
        try:
            step = procedure.send(sent)
        except StopIteration:
            return asked
        sent = None
        if isinstance(step, Together):
            asked += step.requests
            sent = tuple(Answer(request.model, None, "model_failed: only estimated") for request in step.requests)
        elif isinstance(step, Draft):
            numbers[step.unit.id] = sent = numbers.get(step.unit.id, 0) + 1


def _count(result: Estimate, plan: Plan, request: Request, prices: Mapping[str, Price]) -> None:
    most = most_tokens(call_of(request.ask, request.model, plan.nonce))
    price = prices.get(request.model)
    result.at_most.add(1, most, price)
    # The third judge is asked only where the first two fail, doubt or disagree.
    if request.model not in plan.judges[2:]:
        result.likely.add(1, likely_tokens(most), price)


def _count_repairs(
    result: Estimate, kind: DirectedKind, seats: Seats, options: Mapping[str, Any], prices: Mapping[str, Price]
) -> None:
    """Repairs have a ceiling of their own; half of it is a usual bill."""
    ceiling = kind.repair_tokens(options)
    model = seats.of("patcher")
    if model is None or not seats.judges:
        return
    price = prices.get(model)
    result.at_most.add(1, TokenCount(ceiling * 2 // 3, ceiling - ceiling * 2 // 3), price)
    result.likely.add(1, TokenCount(ceiling // 3, ceiling // 6), price)
