"""The runner: a bounded pool over the tasks of a run, its limits, the one outage policy for all kinds, and the
operator's resources: models, ceilings and waiting times."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from burnish.core.effects import ModelRoles
from burnish.core.errors import CallDeferred, LimitReached, ModelAway, UsageError
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, UnitRow, event
from burnish.core.tasks import Environment, Item
from burnish.engine.client import NO_MODELS, Client, ModelClient
from burnish.engine.dismissals import RunDismissals
from burnish.engine.interpreters import Live, TaskRecord, Translator
from burnish.engine.plan import ModelChanges, Plan
from burnish.engine.unit_loader import Examiner
from burnish.models.batch import BatchGateway, BatchProvider
from burnish.models.budget import Budget, Price
from burnish.models.calls import Provider
from burnish.models.gateway import CallWatch, Gateway
from burnish.models.rate_limits import Limits, Retry
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

Job = Callable[[], Awaitable[None]]
"""The work on one task, which begins when it is called."""


ApplyDecisions = Callable[..., bool]
"""Applies people's decisions, and returns whether there were any. `is_end=True`: the pass has no more tasks."""


def nothing_pending(*, is_end: bool = False) -> bool:
    """Apply nothing."""
    return False


@dataclass(slots=True)
class Runner:
    """Processes tasks, as many at a time as there are workers.

    At a limit no new task begins, and calls in flight end. A task whose model is away is parked: nothing is recorded
    for it. One failure does not make a model away, so parked tasks are tried again after the others; once it counts as
    away, no new call begins, and tasks that need no model continue. A task with a call queued for a batch is parked,
    too: when all tasks of a pass are done or parked, the calls are exchanged for answers.
    """

    client: Client | None
    workers: int
    seconds_left: Callable[[], float] | None = None
    """Returns the time left; None: no limit."""
    apply_decisions: ApplyDecisions = nothing_pending
    """Called before a task begins and when none is left."""
    is_reopened: bool = False
    """Whether people decided something in the current pass: this may have reopened tasks, so another pass follows."""
    limit: LimitReached | None = None
    parked: int = 0
    """Tasks parked in the current pass."""

    @property
    def outage(self) -> str | None:
        """Why the run stops: the model that is away; None if all needed models answered."""
        if self.client is None:
            return NO_MODELS if self.parked else None
        return self.client.outage

    @property
    def stops(self) -> bool:
        """Whether no new task that may ask a model begins."""
        return self.limit is not None or self.outage is not None

    def is_out_of_time(self) -> bool:
        if self.limit is None and self.seconds_left is not None and self.seconds_left() <= 0:
            self.limit = LimitReached("The time limit is reached.", hint="`burnish resume` continues.")
        return self.limit is not None

    def take_reopened(self) -> bool:
        """Return whether another pass is due because of people's decisions, and reset that."""
        reopened, self.is_reopened = self.is_reopened, False
        return reopened

    async def drain(self, jobs: Callable[[], AsyncGenerator[Job]]) -> bool:
        """Run one pass of jobs until none of them is parked. Return whether there were any."""
        is_first, any_begun = True, False
        await self._exchange()
        while is_first or (self.parked and not self.stops):
            is_first, self.parked = False, 0
            turn = asyncio.Lock()
            try:
                async with aclosing(jobs()) as queue, asyncio.TaskGroup() as pool:
                    workers = [pool.create_task(self._work(queue, turn)) for _ in range(self.workers)]
            except BaseExceptionGroup as failures:
                # One failure ends the run and the others follow from it, so raise the first.
                raise failures.exceptions[0] from None
            any_begun = any_begun or any(worker.result() for worker in workers)
            if self.parked:
                await self._exchange()
        # The end of a pass is a pause, too: apply decisions that became due during the last task.
        self.is_reopened = self.apply_decisions(is_end=True) or self.is_reopened
        return any_begun

    async def _exchange(self) -> None:
        if self.client is not None and not self.stops:
            try:
                await self.client.exchange()
            except LimitReached as limit:
                self.limit = limit

    async def _work(self, queue: AsyncGenerator[Job], turn: asyncio.Lock) -> bool:
        """Run jobs one by one; the workers fetch them in turns. Return whether there were any."""
        any_begun = False
        while not self.is_out_of_time():
            async with turn:
                job = await anext(queue, None)
            if job is None or self.is_out_of_time():
                break
            any_begun = True
            self.is_reopened = self.apply_decisions() or self.is_reopened
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
        return any_begun


MODEL_TROUBLE = frozenset({"model_failed", "judges_silent", "no_model", "no_judges"})
"""Reasons for waiting that other models may end: `resume` with other models tries them on such units."""
REOPENED = "reopened"


@dataclass(slots=True, kw_only=True)
class RunTasks:
    """The tasks of one plan: a task is a unit, a round of a document, or a batch of a phase."""

    plan: Plan
    kind: Kind
    journal: Journal
    examiner: Examiner
    env: Environment
    """The rules, the models and the options of the run."""
    dismissals: RunDismissals
    client: Client | None
    runner: Runner
    on_settled: Callable[[UnitRow], None]
    on_event: Callable[[EventRecord], None] = lambda _: None
    """Called with every event of a task."""
    tools: Mapping[str, Translator] = field(default_factory=dict)
    known_changes: ModelChanges | None = None

    async def work_on_all(self) -> LimitReached | None:
        """Process all tasks. Return the limit that was reached, if any."""
        raise NotImplementedError

    def record(self, key: str, items: Sequence[Item], **how: Any) -> TaskRecord:
        """Return how a task over these units is recorded."""
        rows = {item.source.id: item.row for item in items}
        attempts = {item.source.id: len(item.attempts) for item in items}
        return TaskRecord(key, rows, attempts, partial(self.plan.unit_id, items[0].row.document), **how)

    def live(self, record: TaskRecord, *, is_new: bool = False, units: Sequence[str | None] = (None,)) -> Live:
        """Return the interpreter for a task. Answers that were unusable before stay unusable, so that the work takes
        the same path. `units`: the only units whose answers count."""
        silences: dict[str, Mapping[str, Any]] = {}
        if not is_new:
            found = (e for unit in units for e in self.journal.events(unit=unit, types=("unanswered",)))
            silences = {e.data["place"]: e.data for e in found if e.data["place"].startswith(f"{record.key}:")}
        return Live(self.kind, self.journal, self.client, record, self.tools, silences, self.on_event)

    async def prepare(self) -> None:
        """Do what comes before the first task."""

    def due_again(self) -> list[UnitRow]:
        """Return the units that wait because of models, if others are named now, or the same ones anew. Otherwise they
        would say the same, so a settled run costs nothing."""
        if not self.model_changes.last:
            return []
        return [row for row in self.journal.units(states=(self.kind.states.waiting,)) if self.is_due_again(row)]

    def is_due_again(self, row: UnitRow) -> bool:
        """Return whether a unit waits because of models, and models were named since."""
        return (
            row.state == self.kind.states.waiting
            and row.reason in MODEL_TROUBLE
            and row.at < self.model_changes.last
            and self.has_models_for(row.reason)
        )

    @property
    def model_changes(self) -> ModelChanges:
        if self.known_changes is None:
            self.known_changes = ModelChanges.of(self.journal) if self.client is not None else ModelChanges()
        return self.known_changes

    def has_models_for(self, trouble: str) -> bool:
        """Return whether the missing models for which a unit waits are named now."""
        if trouble == "no_judges":
            return bool(self.plan.judges)
        return trouble != "no_model" or bool(self.plan.corrector or self.plan.roles)

    def reopened(self, row: UnitRow) -> tuple[EventRecord, UnitRow]:
        again = replace(row, state=self.kind.states.check(row.state, self.kind.states.working), reason=REOPENED)
        return event("reopened", row.id, data={"after_attempt": row.attempts}), again

    async def call_back(self) -> None:
        """Send accepted units to a person for findings that show only when all units are settled."""

    def goes_on(self) -> bool:
        """Return whether there is more to do because people reopened units."""
        return self.runner.take_reopened()

    def ending(self) -> str | None:
        """Return how the run ended in the kind's terms; None if the states of the units decide."""
        return None


def roles_of(begun: EventRecord) -> ModelRoles:
    """Return the models of a task. They do not change during the task: other models need a new one."""
    given = begun.data if "judges" in begun.data else begun.data["roles"]
    return ModelRoles(tuple(given["judges"]), given["roles"], given.get("contexts", {}), given.get("replies", {}))


@dataclass(frozen=True, slots=True)
class RunResources:
    """The operator's resources for a session: models, ceilings and waiting times. Content cannot choose them."""

    provider: Provider | None = None
    """None: no model is called."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
    workers: int = 4
    limits: Limits | None = None
    retry: Retry | None = None
    batches: BatchProvider | None = None
    """Takes calls in batches, at half the price; None: each call is made singly."""
    batch_wait: float = 0.0
    """Seconds to wait for a batch before the session ends."""
    redactor: Redactor = field(default_factory=Redactor)
    apply_decisions: ApplyDecisions = nothing_pending
    """Called before each task: applies people's decisions during the run."""

    def countdown(self) -> Callable[[], float] | None:
        """Return a function for the time left from now on; None if there is no limit."""
        if self.max_seconds is None:
            return None
        end = time.monotonic() + self.max_seconds
        return lambda: end - time.monotonic()


def client_of(
    resources: RunResources,
    plan: Plan,
    journal: Journal,
    on_event: Callable[[EventRecord], None] = lambda _: None,
    watch: CallWatch | None = None,
) -> ModelClient | None:
    """Return the client of a run's models; None if there are none. `on_event` is called with events of batches."""
    if not plan.models or resources.provider is None:
        return None
    return ModelClient(
        _gateway(resources, resources.provider, journal, on_event, watch),
        plan.nonce,
        at_once=resources.workers,
        redactor=resources.redactor,
        call_settings=plan.call_settings,
    )


def _gateway(
    resources: RunResources,
    provider: Provider,
    journal: Journal,
    on_event: Callable[[EventRecord], None],
    watch: CallWatch | None,
) -> Gateway:
    totals = journal.totals()  # includes earlier sessions, and calls that a kill may have cost
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
    if resources.batches is not None:
        return BatchGateway(
            journal, provider, resources.batches, wait=resources.batch_wait, on_event=on_event, **common
        )
    if open := len(journal.submitted()):
        raise UsageError(
            f"{open:,} calls of this run are submitted as a batch; single calls would be paid for twice.",
            hint="`burnish resume` with --batch collects them.",
        )
    return Gateway(journal, provider, limits=resources.limits, watch=watch, **common)
