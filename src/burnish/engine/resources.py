"""What the operator brings to a session: models, ceilings and patience."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from burnish.engine.client import ModelClient
from burnish.engine.plan import Plan
from burnish.engine.runner import Between, nothing_pending
from burnish.models.budget import Budget, Price
from burnish.models.calls import CallLog, Provider
from burnish.models.gateway import Gateway
from burnish.models.rate_limits import Limits
from burnish.models.retry import Retry
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
    redactor: Redactor = field(default_factory=Redactor)
    between: Between = nothing_pending
    """Called before each task: applies what people decided while the run is at work."""

    def countdown(self) -> Callable[[], float] | None:
        """How much of the time limit is left from now on; None where there is none."""
        if self.max_seconds is None:
            return None
        end = time.monotonic() + self.max_seconds
        return lambda: end - time.monotonic()


def asker_of(means: RunResources, plan: Plan, journal: Journal) -> ModelClient | None:
    """Whoever asks the models of a run; None where there is nobody to ask."""
    if not plan.models:
        return None
    if means.replayed is None and means.provider is None:
        return None
    log: CallLog = means.replayed or journal
    gateway = Gateway(
        log,
        means.provider or ScriptedModel([]),
        budget=_budget(means, journal),
        limits=means.limits,
        retry=means.retry,
        replay=means.replayed is not None,
        holds_key=means.redactor.holds_key,
        seconds_left=means.countdown(),
    )
    copy_to = journal if means.replayed is not None else None
    return ModelClient(
        gateway, plan.nonce, copy_to=copy_to, at_once=means.workers, redactor=means.redactor, asking=plan.asking
    )


def _budget(means: RunResources, journal: Journal) -> Budget:
    """What earlier sessions spent counts, and so does what a kill may have cost; a replay spends nothing."""
    if means.replayed is not None:
        return Budget(prices=means.prices)
    totals = journal.totals()
    return Budget(
        max_tokens=means.max_tokens,
        max_cost=means.max_cost,
        prices=means.prices,
        spent=totals.usage,
        lost_tokens=totals.lost_tokens,
        lost_cost=totals.lost_cost,
    )
