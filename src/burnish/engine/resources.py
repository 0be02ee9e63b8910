"""What the operator brings to a session: models, ceilings and patience."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from burnish.core.errors import UsageError
from burnish.core.records import EventRecord
from burnish.engine.client import ModelClient
from burnish.engine.plan import Plan
from burnish.engine.runner import Between, nothing_pending
from burnish.models.batch import BatchGateway, BatchProvider
from burnish.models.budget import Budget, Price
from burnish.models.calls import Provider
from burnish.models.gateway import Gateway
from burnish.models.rate_limits import Limits, Retry
from burnish.models.scripted import ScriptedModel
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor


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
    common: dict[str, Any] = {
        "budget": _budget(resources, journal),
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
            f"{open:,} calls of this run are with the provider in a batch: made singly they would be paid twice.",
            hint="`burnish resume` with --batch collects them.",
        )
    return Gateway(
        resources.replayed or journal,
        provider,
        limits=resources.limits,
        replay=resources.replayed is not None,
        **common,
    )


def _budget(resources: RunResources, journal: Journal) -> Budget:
    """What earlier sessions spent counts, and so does what a kill may have cost; a replay spends nothing."""
    if resources.replayed is not None:
        return Budget(prices=resources.prices)
    totals = journal.totals()
    return Budget(
        max_tokens=resources.max_tokens,
        max_cost=resources.max_cost,
        prices=resources.prices,
        spent=totals.usage,
        lost_tokens=totals.lost_tokens,
        lost_cost=totals.lost_cost,
    )
