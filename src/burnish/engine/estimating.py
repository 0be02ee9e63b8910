"""What a run would cost, before anything is spent. No call is made and nothing is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from burnish.core.checks import Examination
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.kinds import Overview, PolishedKind, RepairNotes
from burnish.core.mending import mend
from burnish.engine.asking import call_of
from burnish.engine.examining import Examiner
from burnish.engine.plan import DocumentPlan, Plan
from burnish.models.budget import Price, most_tokens
from burnish.models.calls import Call, TokenCount

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
class Estimator:
    """Walks through the input as a run would."""

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
        return [call_of(ask, judge, self.plan.nonce) for judge in self.plan.judges] if ask is not None else []

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
        return call_of(self.kind.repair_ask(unit, errors, notes), corrector, self.plan.nonce)


def _errors(examination: Examination) -> list[Finding]:
    return [finding for finding in examination.findings if finding.blocks]


def likely_tokens(most: TokenCount) -> TokenCount:
    return TokenCount(most.prompt, round(most.completion * LIKELY_SHARE))
