"""Sessions on runs: a new run is started, or one is taken up where it stands, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from burnish.app.decisions import with_decisions
from burnish.app.kinds import kind_named
from burnish.app.materials import kind_of
from burnish.app.run_models import means_of, opened, replay_means
from burnish.app.secrecy import redactor_of
from burnish.app.settings import Settings
from burnish.core.errors import UsageError
from burnish.core.kinds import Kind
from burnish.engine.interpreters import Translator
from burnish.engine.plan import Plan, begin, recorded_plan, renewed, take_up
from burnish.engine.resources import RunResources
from burnish.engine.session import Approval, Result, RunSession, Watcher, nobody
from burnish.models.apertium import APERTIUM, Apertium
from burnish.store.clock import Clock, system_clock
from burnish.store.journal import Journal
from burnish.store.ownership import OwnedRun, own_run
from burnish.store.paths import RunFolder, existing_run
from burnish.store.sqlite_journal import open_journal


def session_of(
    folder: RunFolder,
    journal: Journal,
    plan: Plan,
    kind: Kind,
    means: RunResources,
    *,
    approve: Approval = nobody,
    only_rework: bool = False,
) -> RunSession:
    """A session on a run, with the tools and the delivery that its plan asks for."""
    if plan.arguments.get("auto_merge"):
        approve = _approve_automatically
    deliver = DELIVERIES.get(plan.kind)
    delivery = partial(deliver, plan, kind, journal) if deliver else lambda: None
    return RunSession(folder, journal, plan, kind, means, partial(_tools, plan), approve, only_rework, delivery)


def _tools(plan: Plan) -> dict[str, Translator]:
    """The translators that are no language models, as far as a run needs them."""
    tool = str(plan.arguments["options"].get("translator", ""))
    return {tool: Apertium(tool.removeprefix(APERTIUM))} if tool.startswith(APERTIUM) else {}


def _into_course(plan: Plan, kind: Kind, journal: Journal) -> None:
    from burnish.app.course_delivery import deliver
    from burnish.kinds.legos.kind import LegosKind

    deliver(plan, cast(LegosKind, kind), journal)


DELIVERIES = {"legos": _into_course}
"""Kinds whose results belong somewhere besides their run: a course has records of its own."""


def _approve_automatically() -> dict[str, str]:
    return {"by": "auto-merge"}


async def start_run(
    folder: RunFolder,
    plan: Plan,
    means: RunResources,
    watcher: Watcher,
    *,
    record: Callable[[Journal, Plan], Plan] = begin,
    approve: Approval = nobody,
    only_rework: bool = False,
    clock: Clock = system_clock,
) -> Result:
    """One session on a run that is started, or taken up where it stands.

    Its models are opened first: one that cannot be asked leaves no run behind. `record` writes the plan down, or takes
    up the one that is there.
    """
    kind = kind_of(plan)
    async with opened(means, plan.models) as ready:
        with own_run(folder, clock, redactor=means.redactor) as owned:
            ready = with_decisions(ready, folder, owned.journal, clock)
            current = record(owned.journal, plan)
            session = session_of(folder, owned.journal, current, kind, ready, approve=approve, only_rework=only_rework)
            return await session.work(watcher)


@dataclass(frozen=True, slots=True)
class OtherModels:
    """Models named anew for a resume; what is not named stays as it was."""

    corrector: str | None = None
    judges: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (*((self.corrector,) if self.corrector is not None else ()), *self.judges)


async def resume_run(
    folder: RunFolder,
    settings: Settings,
    watcher: Watcher,
    *,
    others: OtherModels | None = None,
    means: RunResources | None = None,
    approve: Approval = nobody,
    clock: Clock = system_clock,
) -> Result:
    """Another session on a run, with the arguments it was started with."""
    redactor = redactor_of(settings)
    with own_run(folder, clock, redactor=redactor) as owned:
        known = _known_plan(owned)
        named = others or OtherModels()
        judges = _judges(known, named)
        plan = renewed(known, corrector=named.corrector, judges=judges)
        with ExitStack() as stack:
            own_means = means or resources_again(folder, plan, settings, stack)
            # Models that are named anew are opened before that is written down: a slip must not stay with the run.
            async with opened(own_means, named.all) as ready:
                ready = with_decisions(ready, folder, owned.journal, clock)
                take_up(owned.journal, known, plan)
                return await session_of(folder, owned.journal, plan, kind_of(plan), ready, approve=approve).work(
                    watcher
                )


def resources_again(folder: RunFolder, plan: Plan, settings: Settings, stack: ExitStack) -> RunResources:
    """The means of a resumed run; a replay that was stopped goes on replaying."""
    replayed = plan.arguments.get("replay")
    if replayed is None:
        return means_of(settings, plan.models)
    journal, _ = replayed_journal(folder.root.parent, replayed, stack)
    return replay_means(settings, journal)


def _known_plan(owned: OwnedRun) -> Plan:
    plan = recorded_plan(owned.journal)
    if plan is None:
        raise UsageError(
            f"The run {owned.folder.id} was stopped before it had a plan.", hint="Start it again with `burnish polish`."
        )
    return plan


def _judges(plan: Plan, others: OtherModels) -> tuple[str, ...]:
    """The judges that are named anew; one model that is named for a run without any judges too."""
    alone = not others.judges and not plan.judges and others.corrector is not None
    if alone and others.corrector is not None and not kind_named(plan.kind).is_phased:
        return (others.corrector,)
    return others.judges


def replayed_journal(runs: Path, id: str, stack: ExitStack, clock: Clock = system_clock) -> tuple[Journal, Plan]:
    """The journal of a finished run, to answer from."""
    folder = existing_run(runs, id)
    journal = stack.enter_context(closing(open_journal(folder.journal, clock=clock, read_only=True)))
    plan = recorded_plan(journal)
    if plan is None:
        raise UsageError(f"The run {id} holds nothing to replay.")
    return journal, plan
