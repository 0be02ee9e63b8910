"""Who sits down to a run: for each sort of kind the sitting that works on it."""

from __future__ import annotations

from functools import partial

from burnish.core.kinds import PublishedKind
from burnish.core.stages import StagedKind
from burnish.engine.means import Means
from burnish.engine.plan import Plan
from burnish.engine.session import Sitting
from burnish.engine.staged import Approval, StagedSitting, nobody
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.surfaces.machines import machines_of


def seated(
    folder: RunFolder,
    journal: Journal,
    plan: Plan,
    kind: PublishedKind,
    means: Means,
    *,
    approve: Approval = nobody,
    only_rework: bool = False,
) -> Sitting | StagedSitting:
    """The sitting for a run. `approve` and `only_rework` are for runs that move through stages."""
    if not isinstance(kind, StagedKind):
        return Sitting(folder, journal, plan, kind, means)
    if plan.arguments.get("auto_merge"):
        approve = _automatic
    return StagedSitting(folder, journal, plan, kind, means, partial(machines_of, plan), approve, only_rework)


def _automatic() -> dict[str, str]:
    return {"by": "auto-merge"}
