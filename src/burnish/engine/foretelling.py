"""What a run over stages would cost: every batch is gone through with models that only seem to answer.

A first answer that is taken makes the likely bill. Answers that can never be used make the highest: then a stage asks
all that it may, and every unit fails its review as often as it may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import Request, Seats
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.stages import Item, Stage, StagedKind, StageOrder
from burnish.engine.asking import call_of
from burnish.engine.estimating import Estimate, likely_tokens
from burnish.engine.examining import selection_of
from burnish.engine.interpreters import requests_of
from burnish.engine.plan import Plan
from burnish.models.budget import Price, most_tokens

REWORKED = 0.05
"""The share of units that a likely bill has mended once."""


@dataclass(slots=True)
class Pretended:
    """Units as they would be, laid side by side."""

    units: list[Unit] = field(default_factory=list)
    rows: list[UnitRow] = field(default_factory=list)

    def beside(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        at = row.position
        return self.units[max(at - before, 0) : at], self.units[at + 1 : at + 1 + after]

    def is_settled(self, unit: str) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Foretelling:
    """Goes through the stages of a plan without asking anybody."""

    plan: Plan
    kind: StagedKind
    prices: Mapping[str, Price]

    def estimate(self) -> Estimate:
        result = Estimate(unpriced=tuple(model for model in self.plan.models if model not in self.prices))
        everything = list(self._read())
        sources = [unit for unit in everything if self.kind.admitted(unit).state != self.kind.out_of_scope]
        result.units = len(sources)
        options: Mapping[str, Any] = self.plan.arguments.get("options", {})
        order = StageOrder(selection_of(self.plan, self.kind), Seats(self.plan.judges, self.plan.roles), options)
        drafts = [self.kind.pretended(unit) for unit in sources]
        order = replace(order, facts=self.kind.gathered(map(self.kind.pretended, everything), order).facts)
        stages = [stage for name in self.kind.phases if not (stage := self.kind.stage(name, order)).moves]
        for place, stage in enumerate(stages):
            if not stage.pays or not stage.takes:
                continue
            if place == 0:
                result.to_correct = self._charge(result, stage, self._items(sources), likely=1.0, most=1)
            if self.kind.states.working in stage.takes:
                failed = self._items(drafts, failed=True)
                self._charge(result, stage, failed, likely=REWORKED, most=self.kind.most_attempts - 1)
            elif place > 0:
                reviewed = self._items(drafts)
                self._charge(result, stage, reviewed, likely=1.0 + REWORKED, most=self.kind.most_attempts)
        result.clean = result.units - result.to_correct
        return result

    def _read(self) -> Iterator[Unit]:
        [document] = self.plan.documents
        with Path(document.path).open("rb") as stream:
            for part in self.kind.read(stream, document.path, document.format):
                if not isinstance(part, Problem | PassedThrough):
                    yield part

    def _items(self, units: Sequence[Unit], *, failed: bool = False) -> tuple[list[Item], Pretended]:
        """`failed`: behind a review that they did not pass."""
        laid = Pretended(list(units))
        items = []
        for at, unit in enumerate(units):
            attempts = (_attempt(unit, self.kind, 1), *([self.kind.pretended_failure(unit)] if failed else ()))
            row = UnitRow(unit.id, "", at, unit.content_hash, "", None, len(attempts), len(attempts))
            items.append(Item(row, unit, unit, attempts))
        return items, laid

    def _charge(
        self, result: Estimate, stage: Stage, laid: tuple[list[Item], Pretended], *, likely: float, most: int
    ) -> int:
        """Add what a stage costs; how many units it asks about."""
        items, around = laid
        asked = first = 0
        for batch in _batches(stage, items):
            steps = list(requests_of(stage.work(batch, around), lambda _: None))
            asked += len(batch) if steps else 0
            first += len(steps[0]) if steps else 0
            for place, requests in enumerate(steps):
                for request in requests:
                    self._add(result, request, likely if place == 0 else 0.0, most)
        result.likely.calls += max(1, round(likely * first)) if first else 0
        return asked

    def _add(self, result: Estimate, request: Request, likely: float, most: int) -> None:
        call = call_of(request.ask, request.model, self.plan.nonce)
        tokens, price = most_tokens(call), self.prices.get(call.model)
        result.at_most.add(most, tokens, price)
        if likely:
            result.likely.add_share(likely, likely_tokens(tokens), price)


def _attempt(unit: Unit, kind: StagedKind, number: int) -> AttemptRecord:
    return AttemptRecord(unit.id, number, "source", kind.to_record(unit), unit.content_hash, {}, (), passed=False)


def _batches(stage: Stage, items: Iterable[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    room = stage.room
    for item in items:
        weight = stage.weight(item)
        if batch and (len(batch) == stage.size or weight > room):
            yield batch
            batch, room = [], stage.room
        batch.append(item)
        room -= weight
    if batch:
        yield batch
