"""What a run would cost, before anything is spent. No call is made and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from burnish.core.asks import Ask
from burnish.core.checks import Examination
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.findings import CRASHED_RULE
from burnish.core.kinds import PolishedKind, RepairNotes
from burnish.engine.asking import call_of
from burnish.engine.plan import Plan
from burnish.engine.repairing import apply_safe_fixes
from burnish.engine.reviewing import Reviewer
from burnish.llm.budget import Price, most_tokens
from burnish.llm.calls import TokenCount

LIKELY_SHARE = 0.25
"""Models use about a quarter of the room that a reply is given."""


@dataclass(slots=True)
class Amount:
    """Calls, tokens and money."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def add(self, times: int, tokens: TokenCount, price: Price | None) -> None:
        self.calls += times
        self.tokens += times * (tokens.prompt + tokens.completion)
        self.cost += times * price.of(tokens) if price else 0.0


@dataclass(slots=True)
class Estimate:
    """What a run is likely to cost, and what it can cost at most."""

    units: int = 0
    clean: int = 0
    """Units that the rules accept as they are, safe fixes included."""
    to_correct: int = 0
    for_a_person: int = 0
    """Units that no model will be asked about."""
    likely: Amount = field(default_factory=Amount)
    """Every correction works at once, replies of ordinary length."""
    at_most: Amount = field(default_factory=Amount)
    """Every correction fails as often as it may, every reply as long as it may be."""
    unpriced: tuple[str, ...] = ()
    """Models without a price in the settings: their tokens are counted, their money is not."""


@dataclass(frozen=True, slots=True)
class Estimator:
    """Walks through the input as a run would."""

    plan: Plan
    kind: PolishedKind
    reviewer: Reviewer
    prices: Mapping[str, Price]

    def estimate(self) -> Estimate:
        result = Estimate(unpriced=tuple(model for model in self.plan.models if model not in self.prices))
        for unit, examination, duplicate in self._units():
            result.units += 1
            self._count(result, unit, examination, duplicate=duplicate)
        return result

    def _units(self) -> Iterator[tuple[Unit, Examination, bool]]:
        options = dict(self.plan.arguments.get("overview", {}))
        for document in self.plan.documents:
            with Path(document.path).open("rb") as stream, closing(self.kind.overview(options)) as overview:
                for part in self.kind.read(stream, document.path, document.format):
                    if isinstance(part, Problem | PassedThrough):
                        continue
                    examination = self.reviewer.examine(part)
                    beside = overview.add(part, examination)
                    fixed, edits = apply_safe_fixes(part, examination.findings)
                    if edits:
                        part, examination = fixed, self.reviewer.examine(fixed)
                    yield part, examination, any(finding.blocks for finding in beside)

    def _count(self, result: Estimate, unit: Unit, examination: Examination, *, duplicate: bool) -> None:
        errors = [finding for finding in examination.findings if finding.blocks]
        fatal = duplicate or {f.rule for f in errors} & (self.kind.fatal_rules | {CRASHED_RULE})
        if not errors and not duplicate:
            result.clean += 1
            self._reviews(result, unit, 1)
        elif fatal or self.plan.corrector is None:
            result.for_a_person += 1
        else:
            result.to_correct += 1
            repairs = self.kind.loop.max_repairs
            ask = self.kind.repair_ask(unit, errors, RepairNotes(1, repairs))
            self._add(result, ask, self.plan.corrector, repairs)
            self._reviews(result, unit, repairs)

    def _reviews(self, result: Estimate, unit: Unit, rounds: int) -> None:
        ask = self.kind.review_ask(unit, self.reviewer.selection) if self.plan.judges else None
        for judge in self.plan.judges if ask is not None else ():
            self._add(result, ask, judge, rounds)  # type: ignore[arg-type]

    def _add(self, result: Estimate, ask: Ask, model: str, rounds: int) -> None:
        most = most_tokens(call_of(ask, model, self.plan.nonce))
        price = self.prices.get(model)
        result.at_most.add(rounds, most, price)
        result.likely.add(1, TokenCount(most.prompt, round(most.completion * LIKELY_SHARE)), price)
