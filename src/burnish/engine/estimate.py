"""What a run would cost, before anything is spent: its work is gone through with models that only seem to answer.

No call is made and nothing is written. How models seem to answer is the kind's to say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish.core.checks import Examination, Selection
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import ModelRequest, ModelRoles, Round
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.kinds import DirectedKind, Overview, PolishedKind, RepairLimits, RepairNotes
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.safe_fixes import mend
from burnish.core.stages import Item, Stage, StagedKind, StageOrder
from burnish.engine.client import call_of
from burnish.engine.examiner import Examiner, examiner_of, selection_of
from burnish.engine.interpreters import requests_of
from burnish.engine.plan import DocumentPlan, Plan
from burnish.models.budget import Price, most_tokens
from burnish.models.calls import Call, TokenCount

NO_RULES = Selection(())
"""A document on which no rule speaks gets as far as its judges."""
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

    def add_share(self, times: float, tokens: TokenCount, price: Price | None) -> None:
        """The same for what only some of the units will need. Whoever adds them up counts the calls."""
        self.tokens += round(times * (tokens.prompt + tokens.completion))
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
    """Judges object to everything, every correction fails as often as it may, every reply is as long as it may be.

    Tries that fail on the way (a server that is down) are not foreseen; a budget counts them when they happen."""
    unreadable: list[Problem] = field(default_factory=list)
    """Parts of the input that make no unit: while there is one, nothing is published."""
    unpriced: tuple[str, ...] = ()
    """Models without a price in the settings: their tokens are counted, their money is not."""


@dataclass(frozen=True, slots=True)
class UnitEstimator:
    """What units that stand alone would cost."""

    plan: Plan
    kind: PolishedKind
    examiner: Examiner
    prices: Mapping[str, Price]

    def estimate(self) -> Estimate:
        result = Estimate(unpriced=tuple(model for model in self.plan.models if model not in self.prices))
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            deque(overview.prepare(), maxlen=0)  # one that is not whole was refused with the plan
            for document in self.plan.documents:
                overview.begin(document.name)
                one = replace(self, examiner=self.examiner.for_document(document.name))
                for unit, examination, duplicate in one._units(document, overview, result.unreadable):
                    result.units += 1
                    one._count(result, unit, examination, duplicate=duplicate)
        return result

    def _units(
        self, document: DocumentPlan, overview: Overview, unreadable: list[Problem]
    ) -> Iterator[tuple[Unit, Examination, bool]]:
        with Path(document.path).open("rb") as stream:
            for part in self.kind.read(stream, document.path, document.format):
                if isinstance(part, Problem | PassedThrough):
                    if isinstance(part, Problem) and part.blocks:
                        unreadable.append(replace(part, path=document.name))
                    continue
                examination = self.examiner.examine(part)
                beside = overview.add(part, examination)
                yield part, examination, any(finding.blocks for finding in beside)

    def _count(self, result: Estimate, source: Unit, examination: Examination, *, duplicate: bool) -> None:
        mending = mend(source, examination, self.examiner.examine)
        unit, errors = mending.unit, _errors(mending.examination)
        if not errors and not duplicate:
            result.clean += 1
            self._review(result, unit)
            if self.plan.judges:
                self._correct(result, unit, ())
        elif duplicate or self.plan.corrector is None or self._hopeless(unit, errors):
            result.for_a_person += 1
        else:
            result.to_correct += 1
            self._correct(result, unit, errors)

    def _hopeless(self, unit: Unit, errors: Sequence[Finding]) -> bool:
        """Whether no model would be asked."""
        fatal = {finding.rule for finding in errors} & (self.kind.fatal_rules | {CRASHED_RULE})
        return bool(fatal) or not self.kind.editable(unit, errors)

    def _review(self, result: Estimate, unit: Unit) -> None:
        for call in self._reviews(unit):
            most = most_tokens(call)
            result.at_most.add(1, most, self.prices.get(call.model))
            result.likely.add(1, likely_tokens(most), self.prices.get(call.model))

    def _reviews(self, unit: Unit) -> list[Call]:
        ask = self.kind.review_ask(unit, self.examiner.selection) if self.plan.judges else None
        return (
            [call_of(ask, judge, self.plan.nonce, self.plan.asking) for judge in self.plan.judges]
            if ask is not None
            else []
        )

    def _correct(self, result: Estimate, unit: Unit, errors: Sequence[Finding]) -> None:
        """Corrections, each with its review. Without an error yet, they are only what judges may ask for."""
        corrector = self.plan.corrector
        if corrector is None:
            return
        if errors:
            likely = self._correction(unit, errors, corrector)
            for call in (likely, *self._reviews(unit)):
                result.likely.add(1, likely_tokens(most_tokens(call)), self.prices.get(call.model))
        whole = Finding("any", "error", unit.id, None, "A judge may find fault with anything.")
        most = most_tokens(self._correction(unit, [*errors, whole], corrector))
        reviews = [(call.model, most_tokens(call)) for call in self._reviews(unit)]
        heard = max((tokens.completion for _, tokens in reviews), default=0)
        for before in range(self.kind.max_repairs):
            # What earlier replies put into the text is sent again, and may be flagged again.
            grown = heard + before * most.completion
            room = TokenCount(most.prompt + grown, most.completion * (before + 1))
            result.at_most.add(1, room, self.prices.get(corrector))
            for model, tokens in reviews:
                longer = TokenCount(tokens.prompt + grown + most.completion, tokens.completion)
                result.at_most.add(1, longer, self.prices.get(model))

    def _correction(self, unit: Unit, errors: Sequence[Finding], corrector: str) -> Call:
        notes = RepairNotes(1, self.kind.max_repairs)
        return call_of(self.kind.repair_ask(unit, errors, notes), corrector, self.plan.nonce, self.plan.asking)


def _errors(examination: Examination) -> list[Finding]:
    return [finding for finding in examination.findings if finding.blocks]


def likely_tokens(most: TokenCount) -> TokenCount:
    return TokenCount(most.prompt, round(most.completion * LIKELY_SHARE))


# -- documents as wholes


def estimate_documents(plan: Plan, kind: DirectedKind, prices: Mapping[str, Price]) -> Estimate:
    """The bill of all documents; repairs have a ceiling of their own."""
    result = Estimate(unpriced=tuple(model for model in plan.models if model not in prices))
    examiner = examiner_of(plan, kind)
    seats = ModelRoles(plan.judges, plan.roles)
    options: Mapping[str, Any] = plan.arguments.get("options", {})
    for document in plan.documents:
        units = _units(kind, document, result)
        context = examiner.contexts[document.name]
        for unit in units:
            broken = any(finding.blocks for finding in kind.examine(unit, examiner.selection, context).findings)
            result.units += 1
            result.clean += not broken
            result.to_correct += broken
        most: list[ModelRequest] = []
        likely: list[ModelRequest] = []
        for mood in kind.moods(units, seats):
            selection = examiner.selection if mood.with_rules else NO_RULES
            work = kind.procedure(Round(1, units, {}, {}, frozenset()), context, selection, seats, options)
            asked = [one for step in requests_of(work, mood.reply) for one in step if mood.wanted(one)]
            if mood.once_a_unit:
                asked = list({one.ask.unit: one for one in reversed(asked)}.values())
            (likely if mood.is_likely else most).extend(asked)
        for model, tokens in _calls(plan, most):
            result.at_most.add(1, tokens, prices.get(model))
        for model, tokens in _calls(plan, likely):
            result.likely.add(1, likely_tokens(tokens), prices.get(model))
        _add_repairs(result, kind.repair_limits(units, seats, options), seats, prices)
    return result


def _units(kind: DirectedKind, document: DocumentPlan, result: Estimate) -> tuple[Unit, ...]:
    units: list[Unit] = []
    with Path(document.path).open("rb") as stream:
        for part in kind.read(stream, document.path, document.format):
            if isinstance(part, Problem):
                result.unreadable += [part] if part.blocks else []
            elif not isinstance(part, PassedThrough):
                units.append(part)
    return tuple(units)


def _calls(plan: Plan, requests: Sequence[ModelRequest]) -> list[tuple[str, TokenCount]]:
    """Each call once, however often it is asked for: the journal answers the second time."""
    calls = (call_of(request.ask, request.model, plan.nonce, plan.asking) for request in requests)
    return [(call.model, most_tokens(call)) for call in {call.key: call for call in calls}.values()]


def _add_repairs(result: Estimate, limits: RepairLimits, seats: ModelRoles, prices: Mapping[str, Price]) -> None:
    """Repairs have a ceiling of their own; half of it is a usual bill."""
    model = seats.of("patcher")
    if model is None or not seats.judges:
        return
    price = prices.get(model)
    result.at_most.add(1, TokenCount(limits.tokens * 2 // 3, limits.tokens - limits.tokens * 2 // 3), price)
    result.at_most.calls += limits.calls - 1
    result.likely.add(1, TokenCount(limits.tokens_once // 3, limits.tokens_once // 6), price)


# -- units in phases

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
class BatchEstimator:
    """What units that move through phases would cost: a first answer that is taken makes the likely bill, answers that
    can never be used the highest."""

    plan: Plan
    kind: StagedKind
    prices: Mapping[str, Price]

    def estimate(self) -> Estimate:
        result = Estimate(unpriced=tuple(model for model in self.plan.models if model not in self.prices))
        everything = list(self._read())
        sources = [unit for unit in everything if self.kind.admitted(unit).state != self.kind.out_of_scope]
        result.units = len(sources)
        options: Mapping[str, Any] = self.plan.arguments.get("options", {})
        order = StageOrder(selection_of(self.plan, self.kind), ModelRoles(self.plan.judges, self.plan.roles), options)
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

    def _add(self, result: Estimate, request: ModelRequest, likely: float, most: int) -> None:
        call = call_of(request.ask, request.model, self.plan.nonce, self.plan.asking)
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
