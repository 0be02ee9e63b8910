"""The runner: a bounded pool over the tasks of a run, its limits, the one outage policy for every kind, and what the
operator brings to it: models, ceilings and patience."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from burnish.core.effects import ModelRoles
from burnish.core.errors import CallDeferred, LimitReached, ModelAway, UsageError
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, UnitRow, Usage, event
from burnish.core.tasks import Environment, Item
from burnish.engine.client import NO_MODELS, Asker, ModelClient
from burnish.engine.decisions import RecordedDecisions
from burnish.engine.interpreters import Live, TaskRecord, Translator
from burnish.engine.plan import Plan
from burnish.engine.unit_loader import Examiner
from burnish.models.batch import BatchGateway, BatchProvider
from burnish.models.budget import Budget, Price
from burnish.models.calls import Provider
from burnish.models.gateway import Gateway
from burnish.models.rate_limits import Limits, Retry
from burnish.models.scripted import ScriptedModel
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

Job = Callable[[], Awaitable[None]]
"""The work on one task, to be begun when its turn comes."""


Between = Callable[..., bool]
"""Applies what people decided meanwhile, and says whether anything was. `is_end=True`: nothing is left of the pass."""


def nothing_pending(*, is_end: bool = False) -> bool:
    """Nobody has decided anything."""
    return False


@dataclass(slots=True)
class Runner:
    """Works on tasks, as many at a time as there are workers.

    A limit begins nothing new and lets calls under way end. A task whose model is away is parked: nothing is written
    for it. One failure alone does not make a model away, so parked tasks are tried again after the others; once it
    counts as away, no new call begins, and what needs no model is still worked on. A task whose call was put by for a
    batch is parked, too: when all of a pass are, the calls are exchanged for answers.
    """

    client: Asker | None
    workers: int
    seconds_left: Callable[[], float] | None = None
    """How much of the time limit is left; None: no limit."""
    between: Between = nothing_pending
    """Called before a task begins and when none is left."""
    is_reopened: bool = False
    """Whether people decided something in the present pass: it may have reopened tasks, so another pass follows."""
    is_in_order: bool = False
    """Whether a task begins when the one before it has ended: for a replay that repeats decisions by their place."""
    limit: LimitReached | None = None
    parked: int = 0
    """Tasks of the present pass that were left where they are."""

    @property
    def outage(self) -> str | None:
        """Which model is away, so that the run stops; None where all that were needed answered."""
        if self.client is None:
            return NO_MODELS if self.parked else None
        return self.client.outage

    @property
    def stops(self) -> bool:
        """Whether nothing new is begun that may ask a model."""
        return self.limit is not None or self.outage is not None

    def is_out_of_time(self) -> bool:
        if self.limit is None and self.seconds_left is not None and self.seconds_left() <= 0:
            self.limit = LimitReached("The time limit is reached.", hint="`burnish resume` continues.")
        return self.limit is not None

    def take_reopened(self) -> bool:
        """Whether another pass is due because people decided something; asked once a pass."""
        reopened, self.is_reopened = self.is_reopened, False
        return reopened

    async def drain(self, jobs: Callable[[], AsyncIterator[Job]]) -> bool:
        """Work on one pass of jobs until none of them is parked. Whether there were any."""
        is_first, any_begun = True, False
        await self._exchange()
        while is_first or (self.parked and not self.stops):
            self.parked = 0
            queue: asyncio.Queue[Job | None] = asyncio.Queue(maxsize=self.workers)
            try:
                async with asyncio.TaskGroup() as pool:
                    for _ in range(self.workers):
                        pool.create_task(self._work(queue))
                    async for job in jobs():
                        if self.is_out_of_time():
                            break
                        any_begun = any_begun or is_first
                        await queue.put(job)
                        if self.is_in_order:
                            await queue.join()
                    for _ in range(self.workers):
                        await queue.put(None)
            except BaseExceptionGroup as failures:
                # One failure ends the run and the others follow from it: tell the first.
                raise failures.exceptions[0] from None
            is_first = False
            if self.parked:
                await self._exchange()
        # The end of a pass is a pause, too: what became due while the last task was at work is not left behind.
        self.is_reopened = self.between(is_end=True) or self.is_reopened
        return any_begun

    async def _exchange(self) -> None:
        if self.client is not None and not self.stops:
            try:
                await self.client.exchange()
            except LimitReached as limit:
                self.limit = limit

    async def _work(self, queue: asyncio.Queue[Job | None]) -> None:
        while (job := await queue.get()) is not None:
            if not self.is_out_of_time():
                self.is_reopened = self.between() or self.is_reopened
                try:
                    await job()
                except LimitReached as limit:
                    self.limit = self.limit or limit
                except CallDeferred:
                    self.parked += 1
                except ModelAway as away:
                    self.parked += 1
                    if self.client is not None:
                        self.client.park(away)
            queue.task_done()


MODEL_TROUBLE = frozenset({"model_failed", "judges_silent", "no_model", "no_judges"})
"""Reasons to wait that may be gone the next time: `resume` tries such units again."""
REOPENED = "reopened"


@dataclass(slots=True, kw_only=True)
class RunTasks:
    """The tasks of one plan: a task is a unit, a round at a document, or a batch of a phase."""

    plan: Plan
    kind: Kind
    journal: Journal
    examiner: Examiner
    env: Environment
    """The rules, the models and the options of the run."""
    client: Asker | None
    runner: Runner
    rested: Callable[[UnitRow], None]
    happened: Callable[[EventRecord], None] = lambda _: None
    """Told of every step of a task."""
    tools: Mapping[str, Translator] = field(default_factory=dict)
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""
    replayed: Journal | None = None
    """The journal of the run that this one repeats."""

    async def work_on_all(self) -> LimitReached | None:
        """Bring everything to rest. The limit that was met, if one was."""
        raise NotImplementedError

    def record(self, key: str, items: Sequence[Item], **how: Any) -> TaskRecord:
        """How a task over these units is written down."""
        rows = {item.source.id: item.row for item in items}
        attempts = {item.source.id: len(item.attempts) for item in items}
        return TaskRecord(key, rows, attempts, partial(self.plan.unit_id, items[0].row.document), **how)

    def live(self, record: TaskRecord, *, is_new: bool = False, unit: str | None = None) -> Live:
        """Goes through the work on a task. An answer that could not be used before is not used again, in this run or in
        the one that is repeated: so the work takes no other turn. `unit`: the one that it is about."""
        silences: dict[str, Mapping[str, Any]] = {}
        if self.replayed is not None or not is_new:
            found = (self.replayed or self.journal).events(unit=unit, types=("unanswered",))
            silences = {e.data["place"]: e.data for e in found if e.data["place"].startswith(f"{record.key}:")}
        return Live(self.kind, self.journal, self.client, record, self.tools, silences, self.happened, self.charge)

    @property
    def charge(self) -> Callable[[str, int, Collection[str]], Usage] | None:
        """What attempts have cost; None: what the journal says of their calls."""
        return None

    async def reopen(self) -> None:
        """After an orderly end, what only waits because a model was away gets another chance, if there is one now.

        A replay gives the chances that the recorded run gave.
        """
        stopped = any(True for _ in self.journal.events(types=("run_stopped",), limit=1))
        if self.replayed is not None or not stopped:
            return
        for row in list(self.journal.units(states=(self.kind.states.waiting,))):
            if row.reason in MODEL_TROUBLE and self.has_models_for(row.reason):
                await self.journal.write(*self.reopened(row))

    def has_models_for(self, trouble: str) -> bool:
        """Whether the models are named now for want of which a unit waits."""
        return trouble != "no_model" or bool(self.plan.corrector or self.plan.roles)

    def reopened(self, row: UnitRow) -> tuple[EventRecord, UnitRow]:
        again = replace(row, state=self.kind.states.check(row.state, self.kind.states.working), reason=REOPENED)
        return event("reopened", row.id, data={"after_attempt": row.attempts}), again

    async def call_back(self) -> None:
        """What shows only now that everything rests may send accepted units to a person after all."""

    def goes_on(self) -> bool:
        """Whether there is more to do after all: people reopened something."""
        return self.runner.take_reopened()

    def ending(self) -> str | None:
        """How it ended, in the kind's own words; None where what the units say is all."""
        return None


def roles_of(begun: EventRecord) -> ModelRoles:
    """The models with which a task was begun. They stay so to its end: others begin another one."""
    given = begun.data if "judges" in begun.data else begun.data["roles"]
    return ModelRoles(tuple(given["judges"]), given["roles"], given.get("contexts", {}))


@dataclass(frozen=True, slots=True)
class RunResources:
    """What the operator brings to a session: models, ceilings and patience. None of it is content's to choose."""

    provider: Provider | None = None
    """None: no model is called."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
    workers: int = 4
    limits: Limits | None = None
    retry: Retry | None = None
    replayed: Journal | None = None
    """The journal of a run to repeat: answers come from there and nowhere else."""
    batches: BatchProvider | None = None
    """Takes calls in batches, at half the price; None: each call is made by itself."""
    batch_wait: float = 0.0
    """Seconds to wait for a batch before the session leaves."""
    redactor: Redactor = field(default_factory=Redactor)
    between: Between = nothing_pending
    """Called before each task: applies what people decided while the run is at work."""

    def countdown(self) -> Callable[[], float] | None:
        """How much of the time limit is left from now on; None where there is none."""
        if self.max_seconds is None:
            return None
        end = time.monotonic() + self.max_seconds
        return lambda: end - time.monotonic()


def asker_of(
    resources: RunResources, plan: Plan, journal: Journal, happened: Callable[[EventRecord], None] = lambda _: None
) -> ModelClient | None:
    """Whoever asks the models of a run; None where there is nobody to ask. `happened` hears of batches."""
    if not plan.models:
        return None
    if resources.replayed is None and resources.provider is None:
        return None
    copy_to = journal if resources.replayed is not None else None
    return ModelClient(
        _gateway(resources, journal, happened),
        plan.nonce,
        copy_to=copy_to,
        at_once=resources.workers,
        redactor=resources.redactor,
        asking=plan.asking,
    )


def _gateway(resources: RunResources, journal: Journal, happened: Callable[[EventRecord], None]) -> Gateway:
    budget = Budget(prices=resources.prices)  # a replay spends nothing
    if resources.replayed is None:
        totals = journal.totals()  # what earlier sessions spent counts, and so does what a kill may have cost
        budget = Budget(
            max_tokens=resources.max_tokens,
            max_cost=resources.max_cost,
            prices=resources.prices,
            spent=totals.usage,
            lost_tokens=totals.lost_tokens,
            lost_cost=totals.lost_cost,
        )
    common: dict[str, Any] = {
        "budget": budget,
        "retry": resources.retry,
        "holds_key": resources.redactor.holds_key,
        "seconds_left": resources.countdown(),
    }
    provider = resources.provider or ScriptedModel([])
    if resources.batches is not None and resources.replayed is None:
        return BatchGateway(
            journal, provider, resources.batches, wait=resources.batch_wait, happened=happened, **common
        )
    if resources.replayed is None and (open := len(journal.submitted())):
        raise UsageError(
            f"{open:,} calls of this run are submitted as a batch; single calls would be paid for twice.",
            hint="`burnish resume` with --batch collects them.",
        )
    return Gateway(
        resources.replayed or journal,
        provider,
        limits=resources.limits,
        replay=resources.replayed is not None,
        **common,
    )
