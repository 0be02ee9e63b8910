"""The workplace: everything that pages and API share, made once when the server starts; and its audit trail."""

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
    webhooks: Webhooks | None
    """Tells others how runs stand; None where the operator names no address."""

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
            member = VISITOR.get().member
            self.people.release(run, unit, member.name if member is not None else None)
        if self.index.open(run).card.waiting:
            self.jobs.unsettled(run)
        else:
            self.jobs.settled(run)

    @contextmanager
    def signed(self, did: str, run: str) -> Iterator[Callable[[], None]]:
        """Record in the audit trail what whoever makes this request does with a run, before it is done: nothing happens
        unsigned. What is refused is taken out again; so is what turns out to be done already, by the function that is
        given. One person alone has no trail."""
        people = self.people
        if not people.exist:
            yield lambda: None
            return
        visitor = VISITOR.get()
        name = visitor.member.name if visitor.member is not None else OPERATOR
        take_back = partial(people.take_back, people.act(name, f"{did} the run {run}", visitor.mark))
        try:
            yield take_back
        except BurnishError:
            take_back()
            raise

    def delete_run(self, run: str) -> None:
        """Take a run with all its files away. RunActive for one that works: it is stopped first."""
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
    """The workplace of an operator. `continues`: runs go on by themselves when the last unit is decided."""
    settings = loaded.settings
    runs = Path(settings.runs).absolute()
    access = replace(access, people=People(runs, clock))
    index = RunIndex(runs, clock=clock)
    reviews = ReviewService(runs, settings, clock=clock, token=lambda: VISITOR.get().mark)
    options = {} if grace is None else {"grace": grace}
    jobs = BackgroundJobs(runs, most=settings.serve.runs_at_once, continues=continues, **options)
    streams = Streams(runs, clock, settings.serve.streams)
    webhooks = webhooks_of(settings.serve, runs, index, jobs.on_their_way, access.address, clock)
    return Workplace(loaded, runs, index, reviews, jobs, streams, access, clock, Uploads(runs), webhooks)


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


def audit(people: People, index: RunIndex) -> list[TrailEntry]:
    """Everything, in the order of time. What a run says and what was kept of it are one entry."""
    rows = people.actions()
    for card in index.cards():
        if isinstance(card, RunCard):
            rows += decisions_in(index.open(card.id))
    return sorted(dict.fromkeys(rows), key=lambda row: row.at)


def decisions_in(run: RunReader) -> Iterator[TrailEntry]:
    """Each with the mark of the token that it was made with, where one was used."""
    for event in run.view.journal.events(types=("decision",)):
        said = event.data
        what = "undid a decision" if is_undo(event) else SAID[str(said["verdict"])]
        yield TrailEntry(
            event.at, str(said["by"]), what, run.card.id, event.unit or "", said["note"] or "", said.get("token", "")
        )
