"""Examiner by rules alone: what a person's text is held against, whatever the kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from burnish.core.checks import Examination, Selection, select
from burnish.core.documents import Unit
from burnish.core.errors import UsageError
from burnish.core.kinds import Kind
from burnish.engine.plan import Plan
from burnish.engine.publish import verify_source


@dataclass(frozen=True, slots=True)
class Examiner:
    """The rules of a run, and what is known of each of its documents."""

    kind: Kind
    selection: Selection
    context: object = None
    contexts: Mapping[str, object] = field(default_factory=dict)

    def for_document(self, name: str) -> Examiner:
        return replace(self, context=self.contexts[name])

    def examine(self, unit: Unit) -> Examination:
        return self.kind.examine(unit, self.selection, self.context)


def selection_of(plan: Plan, kind: Kind) -> Selection:
    """The rules that a plan asks for."""
    known = {check.id for check in kind.checks}
    gone = sorted(set(plan.rules) - known)
    if gone:
        raise UsageError(
            f"The run {plan.run_id} goes by rules that this version does not have: {', '.join(gone)}.",
            hint=f"Go on with Burnish {plan.version}, or start a new run.",
        )
    left_out = known - set(plan.rules)
    return select(kind.checks, disabled=left_out, severities=dict(plan.severities))  # type: ignore[arg-type]


def examiner_of(plan: Plan, kind: Kind) -> Examiner:
    """The rules of a plan, with what is known of each of its documents."""
    contexts = {name: kind.context(surveys, plan.demands) for name, surveys in _surveys(plan, kind)}
    everything = kind.context(list(plan.surveys), plan.demands) if plan.surveys or kind.is_phased else None
    return Examiner(kind, selection_of(plan, kind), everything, contexts)


def _surveys(plan: Plan, kind: Kind) -> Iterator[tuple[str, list[object]]]:
    """Of each document what was found out about it as a whole: recorded; or read again, where all of it counts and it
    is still what it was; or nothing, where that is gathered on the way."""
    for place, document in enumerate(plan.documents):
        if not kind.is_whole:
            yield document.name, [plan.surveys[place]] if plan.surveys else []
            continue
        verify_source(document)
        with Path(document.path).open("rb") as stream:
            yield document.name, [kind.survey(stream, document.path, document.format)]
