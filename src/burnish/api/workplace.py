"""The workplace: everything that pages and API share, made once when the server starts."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request

from burnish.api.access import Access
from burnish.api.streams import Streams
from burnish.app.background_jobs import BackgroundJobs
from burnish.app.reviews import ReviewService
from burnish.app.run_index import RunIndex
from burnish.app.run_starts import RunStarter
from burnish.app.settings import Loaded
from burnish.app.uploads import Uploads
from burnish.core.errors import RunActive
from burnish.store.paths import RunFolder
from burnish.store.people import People
from burnish.store.processes import Clock, system_clock

P = ParamSpec("P")
R = TypeVar("R")
DECISION_THREADS = anyio.CapacityLimiter(8)
"""Decisions that are under way at the same time. Others wait, and cost nobody a thread: pages stay quick."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """One folder of runs, and those who work on it."""

    loaded: Loaded
    """The operator's settings: no request brings any."""
    runs: Path
    index: RunIndex
    """What there is to see."""
    reviews: ReviewService
    """Takes in people's decisions."""
    jobs: BackgroundJobs
    """The runs that are at work."""
    streams: Streams
    """Those who watch."""
    access: Access
    clock: Clock
    uploads: Uploads
    """Files that were dropped, and are not part of a run yet."""

    @property
    def people(self) -> People:
        """Who works here, and who looks at what."""
        return People(self.runs, self.clock)

    @property
    def starter(self) -> RunStarter:
        return RunStarter(self.runs, self.jobs, self.loaded, self.clock)

    def note_decided(self, run: str, unit: str | None = None) -> None:
        """After a decision: the unit is nobody's any more, and a run in which nothing waits resumes after a while."""
        if unit is not None:
            self.people.release(run, unit)
        if self.index.open(run).card.waiting:
            self.jobs.unsettled(run)
        else:
            self.jobs.settled(run)

    def delete_run(self, run: str) -> None:
        """Take a run with all its files away. RunActive for one that works: it is stopped first."""
        card = self.index.open(run).card
        if self.jobs.is_at_work(run) or self.jobs.place(run) is not None or card.state == "working":
            raise RunActive(f"The run {run} is working.", hint="Stop it first.")
        shutil.rmtree(RunFolder.at(self.runs, run).root)

    def close(self) -> None:
        self.streams.end()
        self.jobs.close()
        self.index.close()


def workplace_of(
    loaded: Loaded, access: Access, *, continues: bool = True, grace: float | None = None, clock: Clock = system_clock
) -> Workplace:
    """The workplace of an operator. `continues`: runs go on by themselves when the last unit is decided."""
    settings = loaded.settings
    runs = Path(settings.runs).absolute()
    access = replace(access, people=People(runs, clock))
    index = RunIndex(runs, clock=clock)
    reviews = ReviewService(runs, settings, clock=clock)
    options = {} if grace is None else {"grace": grace}
    jobs = BackgroundJobs(runs, most=settings.serve.runs_at_once, continues=continues, **options)
    streams = Streams(runs, clock, settings.serve.streams)
    return Workplace(loaded, runs, index, reviews, jobs, streams, access, clock, Uploads(runs))


def workplace(request: Request) -> Workplace:
    here: Workplace = request.app.state.workplace
    return here


Here = Annotated[Workplace, Depends(workplace)]


def on_decision_thread(route: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """Run a route that decides on one of these threads: it may have to wait for others who decide in the run."""

    @wraps(route)
    async def apart(*given: P.args, **named: P.kwargs) -> R:
        return await anyio.to_thread.run_sync(partial(route, *given, **named), limiter=DECISION_THREADS)

    return apart
