"""What the corrections of a bank would ask for: judges may object to anything, every correction may fail."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.core.checks import Examination, Selection
from burnish.core.effects import ModelRequest, ModelRoles
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.forecasts import Charge, Forecast, Rehearsal
from burnish.core.safe_fixes import apply_safe_fixes
from burnish.core.tasks import CORRECTOR, RepairNotes
from burnish.kinds.questions import requests
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import MAX_CORRECTIONS

if TYPE_CHECKING:
    from burnish.kinds.questions.kind import QuestionsKind


def forecasts(kind: QuestionsKind, run: Rehearsal) -> Iterator[Forecast]:
    """A forecast for every question, beside those before it."""
    unit_forecast = UnitForecast(kind, run.selection, run.roles)
    with closing(kind.overview(run.overview, run.off)) as overview:
        deque(overview.prepare(), maxlen=0)  # one that is not whole was refused with the plan
        for document in run.documents:
            overview.begin(document.name)
            for unit in document.units:
                assert isinstance(unit, Question), f"not a question: {unit!r}"
                examination = kind.examine(unit, run.selection, document.context)
                beside = overview.add(unit, examination)
                is_copy = any(finding.blocks for finding in beside)
                yield unit_forecast.of(unit, examination, document.context, is_copy=is_copy)


@dataclass(frozen=True, slots=True)
class UnitForecast:
    """Says what one question would ask for."""

    kind: QuestionsKind
    selection: Selection
    roles: ModelRoles

    def of(self, source: Question, examination: Examination, context: object, *, is_copy: bool) -> Forecast:
        fixed = apply_safe_fixes(source, examination, lambda unit: self.kind.examine(unit, self.selection, context))
        assert isinstance(fixed.unit, Question)
        errors = [finding for finding in fixed.examination.findings if finding.blocks]
        reviews = self._reviews(fixed.unit)
        corrector = self.roles.of(CORRECTOR)
        if not errors and not is_copy:
            charges = [Charge(review, likely=1.0, most=1) for review in reviews]
            if self.roles.judges and corrector is not None:
                charges += self._at_most(fixed.unit, (), corrector, reviews)
            return Forecast(units=1, clean=1, charges=charges)
        if is_copy or corrector is None or self._is_hopeless(fixed.unit, errors):
            return Forecast(units=1, for_a_person=1)
        once = [self._correction(fixed.unit, errors, corrector), *reviews]
        charges = [Charge(request, likely=1.0) for request in once]
        charges += self._at_most(fixed.unit, errors, corrector, reviews)
        return Forecast(units=1, to_correct=1, charges=charges)

    def _is_hopeless(self, unit: Question, errors: Sequence[Finding]) -> bool:
        """Whether no model would be asked."""
        fatal = {finding.rule for finding in errors} & (self.kind.fatal_rules | {CRASHED_RULE})
        return bool(fatal) or not requests.editable(unit, errors)

    def _reviews(self, unit: Question) -> list[ModelRequest]:
        ask = requests.review_ask(unit, self.selection) if self.roles.judges else None
        return [ModelRequest(ask, judge) for judge in self.roles.judges] if ask is not None else []

    def _at_most(
        self, unit: Question, errors: Sequence[Finding], corrector: str, reviews: Sequence[ModelRequest]
    ) -> Iterator[Charge]:
        """Corrections as often as there may be, each with its review. What earlier replies put into the text is sent
        again, and may be flagged again."""
        whole = Finding("any", "error", unit.id, None, "A judge may find fault with anything.")
        correction = self._correction(unit, [*errors, whole], corrector)
        heard = tuple(reviews[:1])
        for before in range(MAX_CORRECTIONS):
            yield Charge(correction, most=1, after=heard + (correction,) * before, room=before + 1)
            for review in reviews:
                yield Charge(review, most=1, after=heard + (correction,) * (before + 1))

    def _correction(self, unit: Question, errors: Sequence[Finding], corrector: str) -> ModelRequest:
        return ModelRequest(requests.correction_ask(unit, errors, RepairNotes(1, MAX_CORRECTIONS)), corrector)
