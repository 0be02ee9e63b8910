"""The workplace: everything that pages and API share, created once when the server starts; and its audit trail."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request

from burnish.api.access import OPERATOR, VISITOR, Access
from burnish.api.streams import Streams
from burnish.app.background_jobs import BackgroundJobs
from burnish.app.labels import SAID
from burnish.app.reviews import ReviewService
from burnish.app.run_card import RunCard
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.app.run_starts import RunStarter
from burnish.app.settings import Loaded
from burnish.app.uploads import Uploads
from burnish.app.webhooks import Webhooks, webhooks_of
from burnish.core.attempts import is_undo
from burnish.core.errors import BurnishError, RunActive
from burnish.store.paths import RunFolder
from burnish.store.people import People, TrailEntry
from burnish.store.processes import Clock, system_clock

P = ParamSpec("P")
R = TypeVar("R")
DECISION_THREADS = anyio.CapacityLimiter(8)
"""Decisions that are recorded at the same time. Others wait without a thread, so that pages stay quick."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """A folder of runs, with the services that pages and API use."""

    loaded: Loaded
    """The operator's settings; requests bring none."""
    runs: Path
    index: RunIndex
    """The read model of the runs."""
    reviews: ReviewService
    """Records people's decisions."""
    jobs: BackgroundJobs
    """The active and queued runs of this server."""
    streams: Streams
    """The open event streams."""
    access: Access
    clock: Clock
    uploads: Uploads
    """Uploaded files that are not part of a run yet."""
    webhooks: Webhooks | None
    """Notifies other systems of the state of runs; None if the operator names no address."""

    @property
    def people(self) -> People:
        """The people with access, and the units that they look at."""
        return People(self.runs, self.clock)

    @property
    def starter(self) -> RunStarter:
        return RunStarter(self.runs, self.jobs, self.loaded, self.clock)

    def note_decided(self, run: str, *units: str) -> None:
        """After a decision: release its units, and schedule the run to resume if nothing waits in it any more."""
        member = VISITOR.get().member
        for unit in units:
            self.people.release(run, unit, member.name if member is not None else None)
        if self.index.open(run).card.waiting:
            self.jobs.cancel_resume(run)
        else:
            self.jobs.schedule_resume(run)

    @contextmanager
    def signed(self, action: str, run: str) -> Iterator[Callable[[], None]]:
        """Record an action on a run in the audit trail before it is done, so that nothing happens unsigned.

        The entry is removed if the action is refused, or by the yielded function. One person alone has no trail."""
        people = self.people
        if not people.exist:
            yield lambda: None
            return
        visitor = VISITOR.get()
        name = visitor.member.name if visitor.member is not None else OPERATOR
        undo = partial(people.remove_action, people.act(name, f"{action} the run {run}", visitor.mark))
        try:
            yield undo
        except BurnishError:
            undo()
            raise

    def delete_run(self, run: str) -> None:
        """Delete a run with all its files. Raise RunActive if it is active: it must be stopped first."""
        opened = self.index.open(run)
        card = opened.card
        if self.jobs.is_at_work(run) or self.jobs.place(run) is not None or card.state == "working":
            raise RunActive(f"The run {run} is working.", hint="Stop it first.")
        with self.signed("deleted", run):
            if self.people.exist:
                self.people.keep(decisions_in(opened))
            shutil.rmtree(RunFolder.at(self.runs, run).root)

    def close(self) -> None:
        self.streams.end()
        self.jobs.close()
        self.index.close()


def workplace_of(
    loaded: Loaded, access: Access, *, continues: bool = True, grace: float | None = None, clock: Clock = system_clock
) -> Workplace:
    """The workplace of an operator. `continues`: runs resume automatically when the last unit is decided."""
    settings = loaded.settings
    runs = Path(settings.runs).absolute()
    access = replace(access, people=People(runs, clock))
    index = RunIndex(runs, clock=clock)
    reviews = ReviewService(runs, settings, clock=clock, token=lambda: VISITOR.get().mark)
    options = {} if grace is None else {"grace": grace}
    jobs = BackgroundJobs(runs, most=settings.serve.runs_at_once, continues=continues, **options)
    streams = Streams(runs, clock, settings.serve.streams)
    webhooks = webhooks_of(settings.serve, runs, index, jobs.active, access.address, clock)
    return Workplace(loaded, runs, index, reviews, jobs, streams, access, clock, Uploads(runs), webhooks)


def workplace(request: Request) -> Workplace:
    here: Workplace = request.app.state.workplace
    return here


Here = Annotated[Workplace, Depends(workplace)]


def on_decision_thread(route: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """Run a route on one of the decision threads: it may have to wait for other decisions in the same run."""

    @wraps(route)
    async def threaded(*given: P.args, **named: P.kwargs) -> R:
        return await anyio.to_thread.run_sync(partial(route, *given, **named), limiter=DECISION_THREADS)

    return threaded


def audit(people: People, index: RunIndex) -> list[TrailEntry]:
    """The whole audit trail, in order of time. A decision found both in a run and in the trail is one entry."""
    rows = people.actions()
    for card in index.cards():
        if isinstance(card, RunCard):
            rows += decisions_in(index.open(card.id))
    return sorted(dict.fromkeys(rows), key=lambda row: row.at)


def decisions_in(run: RunReader) -> Iterator[TrailEntry]:
    """The decisions of a run, each with the mark of its token, if one was used."""
    for event in run.view.journal.events(types=("decision",)):
        data = event.data
        what = "undid a decision" if is_undo(event) else SAID[str(data["verdict"])]
        yield TrailEntry(
            event.at, str(data["by"]), what, run.card.id, event.unit or "", data["note"] or "", data.get("token", "")
        )
