"""`--estimate`: the bill before the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from burnish.app.check_summary import foretell_holes, hole
from burnish.app.labels import counted
from burnish.app.materials import kind_of
from burnish.app.settings import Settings
from burnish.app.terminal import Screen, json_text
from burnish.core.kinds import DirectedKind, Kind, PolishedKind, PublishedKind
from burnish.core.stages import StagedKind
from burnish.engine.estimate import Amount, BatchEstimator, Estimate, UnitEstimator, estimate_documents
from burnish.engine.plan import Plan
from burnish.engine.session import unit_examiner_of
from burnish.models.budget import Price

if TYPE_CHECKING:
    from burnish.app.studying import Study


def print_estimate(plan: Plan, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Say what the run would cost. Exit code 0."""
    kind = kind_of(plan)
    prices = {name: Price(price.input, price.output) for name, price in settings.prices.items()}
    estimate = _estimate(plan, kind, prices)
    if json:
        screen.stream.write(json_text(asdict(estimate)) + "\n")
    else:
        _tell(plan, kind, estimate, screen)
    return 0


def print_reading(read: Study, reader: str | None, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Say what the review of one lesson would cost. Exit code 0."""
    prices = {name: Price(price.input, price.output) for name, price in settings.prices.items()}
    estimate = read.estimate(reader, prices)
    if json:
        screen.stream.write(json_text(asdict(estimate)) + "\n")
        return 0
    screen.line(("strong", counted(estimate.units, "unit")), " read, no call made, nothing written.")
    _tell_amounts(estimate, () if reader is None else (reader,), screen)
    return 0


def _estimate(plan: Plan, kind: PublishedKind, prices: dict[str, Price]) -> Estimate:
    if kind.traits.is_phased:
        return BatchEstimator(plan, cast(StagedKind, kind), prices).estimate()
    if kind.traits.is_whole:
        return estimate_documents(plan, cast(DirectedKind, kind), prices)
    alone = cast(PolishedKind, kind)
    return UnitEstimator(plan, alone, unit_examiner_of(plan, alone), prices).estimate()


def _tell(plan: Plan, kind: Kind, estimate: Estimate, screen: Screen) -> None:
    screen.line(("strong", counted(estimate.units, kind.noun)), " read, no call made, nothing written.")
    foretell_holes([hole(part.path, part.line, part.message) for part in estimate.unreadable], screen)
    if kind.traits.is_phased:
        screen.line(f"  {estimate.clean:>8,}  {kind.traits.done} without a model")
        screen.line(f"  {estimate.to_correct:>8,}  by a model")
    else:
        screen.line(f"  {estimate.clean:>8,}  pass the rules")
        screen.line(f"  {estimate.to_correct:>8,}  to correct")
        screen.line(f"  {estimate.for_a_person:>8,}  for a person")
    _tell_amounts(estimate, plan.models, screen)


def _tell_amounts(estimate: Estimate, models: Sequence[str], screen: Screen) -> None:
    if not models:
        screen.line("No model is set, so it costs nothing. Name one with --model to see a price.")
        return
    priced = len(estimate.unpriced) < len(models)
    screen.line("  likely   ", _amount(estimate.likely, priced))
    screen.line("  at most  ", _amount(estimate.at_most, priced))
    for model in estimate.unpriced:
        screen.line(("warning", "note: "), f'no price is set for {model}; add [prices."{model}"] to burnish.toml.')


def _amount(amount: Amount, priced: bool) -> str:
    money = f", ${amount.cost:,.4f}" if priced else ""
    return f"{counted(amount.calls, 'call')}, {counted(amount.tokens, 'token')}{money}"
