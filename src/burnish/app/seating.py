"""Who sits down to a run: for each sort of kind the sitting that works on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from burnish.app.machines import machines_of
from burnish.core.kinds import Kind
from burnish.engine.plan import Plan
from burnish.engine.resources import RunResources
from burnish.engine.session import Approval, RunSession, nobody
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder


def seated(
    folder: RunFolder,
    journal: Journal,
    plan: Plan,
    kind: Kind,
    means: RunResources,
    *,
    approve: Approval = nobody,
    only_rework: bool = False,
) -> RunSession:
    """The sitting for a run. `approve` and `only_rework` are for runs that move through stages."""
    if not kind.is_phased:
        return RunSession(folder, journal, plan, kind, means)
    if plan.arguments.get("auto_merge"):
        approve = _automatic
    machines, deliver = partial(machines_of, plan), _delivery(plan, kind, journal)
    return RunSession(folder, journal, plan, kind, means, machines, approve, only_rework, deliver)


def _delivery(plan: Plan, kind: Kind, journal: Journal) -> Callable[[], None]:
    """Takes what a run holds to where it belongs besides the run: a course has records of its own."""
    deliver = DELIVERIES.get(plan.kind)
    return partial(deliver, plan, kind, journal) if deliver else lambda: None


def _into_course(plan: Plan, kind: Kind, journal: Journal) -> None:
    from burnish.app.legos.delivery import deliver
    from burnish.kinds.legos.kind import LegosKind

    deliver(plan, cast(LegosKind, kind), journal)


DELIVERIES = {"legos": _into_course}
"""Kinds whose results belong somewhere besides their run."""


def _automatic() -> dict[str, str]:
    return {"by": "auto-merge"}
