"""Examining by rules alone: what a person's text is held against, whatever the kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from burnish.core.checks import Examination, Selection, select
from burnish.core.documents import Unit
from burnish.core.errors import UsageError
from burnish.core.kinds import DirectedKind, PublishedKind
from burnish.engine.plan import Plan
from burnish.engine.publish import verify_source


class Examining(Protocol):
    """Whoever knows the rules of a run."""

    @property
    def kind(self) -> PublishedKind: ...

    def for_document(self, name: str) -> Examining: ...

    def examine(self, unit: Unit) -> Examination: ...


@dataclass(frozen=True, slots=True)
class Examiner:
    """The rules of a run, and what is known of each of its documents."""

    kind: PublishedKind
    selection: Selection
    context: object = None
    contexts: Mapping[str, object] = field(default_factory=dict)

    def for_document(self, name: str) -> Examiner:
        return replace(self, context=self.contexts[name])

    def examine(self, unit: Unit) -> Examination:
        return self.kind.examine(unit, self.selection, self.context)


def selection_of(plan: Plan, kind: PublishedKind) -> Selection:
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


def examiner_of(plan: Plan, kind: DirectedKind) -> Examiner:
    """The rules for documents that are looked at as wholes: each is read again, and is still what it was."""
    contexts = {}
    for document in plan.documents:
        verify_source(document)
        with Path(document.path).open("rb") as stream:
            surveyed = kind.survey(stream, document.path, document.format)
        contexts[document.name] = kind.context([surveyed], plan.demands)
    return Examiner(kind, selection_of(plan, kind), contexts=contexts)
