"""Start and resume runs of every kind, with the models that their settings name."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from burnish.app.decisions import decisions_of, ignore_rules, with_decisions
from burnish.app.kinds import kind_named
from burnish.app.materials import kind_of
from burnish.app.settings import Loaded, Settings, redactor_of, without_password
from burnish.core.errors import UsageError
from burnish.core.kinds import Kind
from burnish.engine.client import ModelClient
from burnish.engine.interpreters import Translator
from burnish.engine.plan import Plan, begin, plan_of_run, renewed, started_plan, take_up
from burnish.engine.runner import RunResources
from burnish.engine.session import Approval, Result, RunSession, Watcher, no_approval
from burnish.models.apertium import APERTIUM, Apertium
from burnish.models.batch import BatchProvider, refuse_unbatched
from burnish.models.budget import FREE, Budget, Price, batch_prices, prices_of, table_version
from burnish.models.calls import Provider
from burnish.models.gateway import Gateway
from burnish.models.profiles import Endpoint, family, key_variable
from burnish.models.providers import LiveModels, Models
from burnish.models.rate_limits import Limits, ModelLimits, Retry, RetryPolicy
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import own_run

RESUMED = "burnish resume"
"""Who leaves a rule out of a resumed run, if nobody signs."""
CEILINGS = ("max_tokens", "max_cost", "max_seconds")
"""Limits that belong to the run, not to the machine that resumes it."""


def refuse_kindred(settings: Settings) -> None:
    """Raise UsageError if two judges are of one family, or one is of the generator's family."""
    models = settings.models
    refuse_alike(models.judges, models.generator, families=settings.families, allowed=models.allow_same_family)


def refuse_alike(
    judges: Sequence[str], generator: str | None, *, families: Mapping[str, str] | None = None, allowed: bool = False
) -> None:
    """The same for model names. `allowed`: they may be of one family, but no model may be listed twice."""
    if len(set(judges)) < len(judges):
        raise UsageError("The same model is listed twice in --judges.", hint="Name different models with --judges.")
    if allowed:
        return
    seen: dict[str, str] = {family(generator, families): f"the generator {generator}"} if generator else {}
    for judge in judges:
        name = family(judge, families)
        if name in seen:
            raise UsageError(
                f"{judge} is of the same family ({name}) as {seen[name]}: they share their blind spots.",
                hint="Choose judges of different families, set [families], or allow it with --allow-same-family.",
            )
        seen[name] = judge


def kept_settings(settings: Settings, models: Iterable[str]) -> dict[str, Any]:
    """The settings that a resumed run uses again: address, ceilings, and the parameters of its requests."""
    asked = tuple(models)
    call_settings = settings.models.call_settings(asked).as_record()
    listed = [price for name, price in prices_for(settings, asked).items() if name not in settings.prices]
    is_listed = any(price != FREE for price in listed)
    return {
        "base_url": without_password(settings.models.base_url),
        "limits": {name: getattr(settings.limits, name) for name in CEILINGS},
        **({"asking": call_settings} if call_settings else {}),
        **({"price_table": table_version()} if is_listed else {}),
        **({"batch": True} if settings.models.batch else {}),
    }


def prices_for(settings: Settings, models: Iterable[str]) -> dict[str, Price]:
    """The prices of these models: from the settings, free, or from the price table; half of it in batches."""
    names = tuple(models)
    given = {
        name: Price(price.input, price.output, price.cached, price.cache_write)
        for name, price in settings.prices.items()
    }
    free = {name for name, endpoint in settings.endpoints.items() if endpoint.free}
    if settings.models.free and settings.models.base_url is not None:
        free |= {model.partition(":")[0] for model in names} - settings.endpoints.keys()
    prices = prices_of(names, given, free)
    return batch_prices(prices) if settings.models.batch else prices


def resources_of(settings: Settings, models: tuple[str, ...], *, provider: Provider | None = None) -> RunResources:
    """Models, prices and limits from the operator's settings. `provider` replaces the configured models, for tests."""
    limits = settings.limits
    prices = prices_for(settings, models)
    unpriced = [model for model in models if model not in prices]
    if limits.max_cost is not None and unpriced:
        raise UsageError(
            f"There is a ceiling on cost, but no price is known for {', '.join(unpriced)}.",
            hint=f'Add [prices."{unpriced[0]}"] with input and output to burnish.toml, or use --max-tokens.',
        )
    rates = ModelLimits(limits.requests_per_minute, limits.tokens_per_minute)
    provider = provider or configured_models(settings, models)
    return RunResources(
        provider=provider,
        batches=_batches(settings, models, provider),
        batch_wait=settings.models.batch_wait,
        prices=prices,
        max_tokens=limits.max_tokens,
        max_cost=limits.max_cost,
        max_seconds=limits.max_seconds,
        workers=limits.workers,
        limits=Limits(otherwise=rates),
        retry=Retry(RetryPolicy(max_attempts=limits.max_tries)),
        redactor=redactor_of(settings),
    )


def _batches(settings: Settings, models: tuple[str, ...], provider: Provider) -> BatchProvider | None:
    """The batch endpoints of the configured models, if calls are submitted in batches."""
    if not settings.models.batch or not models or not isinstance(provider, Models):
        return None
    refuse_unbatched(models)
    from burnish.models.batch_api import BatchEndpoints

    return BatchEndpoints(provider.live)


@asynccontextmanager
async def client_for_models(settings: Settings, models: tuple[str, ...]) -> AsyncIterator[ModelClient | None]:
    """A client for these models outside a run, under the operator's ceilings; None if no model is named."""
    if not models:
        yield None
        return
    async with opened(resources_of(settings, models)) as resources:
        assert resources.provider is not None, "models that are named are configured"
        budget = Budget(max_tokens=resources.max_tokens, max_cost=resources.max_cost, prices=resources.prices)
        gateway = Gateway(
            MemoryJournal(),
            resources.provider,
            budget=budget,
            limits=resources.limits,
            retry=resources.retry,
            holds_key=resources.redactor.holds_key,
        )
        yield ModelClient(
            gateway,
            secrets.token_hex(16),
            at_once=resources.workers,
            redactor=resources.redactor,
            call_settings=settings.models.call_settings(models),
        )


def configured_models(settings: Settings, models: Iterable[str]) -> Models:
    """The models behind the operator's endpoints and keys; `models` are those that will be asked."""
    endpoint = Endpoint(settings.models.base_url, timeout=settings.limits.timeout_seconds)
    addresses = {name: e.base_url for name, e in settings.endpoints.items() if e.base_url}
    used = {model.partition(":")[0] for model in models}
    return Models(LiveModels(endpoint, base_urls=addresses, environ=_environment(settings, used)))


def refuse_unknown(settings: Settings, models: Collection[str]) -> None:
    """Raise UsageError if a model's provider or script does not exist, before a price is printed. Neither a key nor
    the provider's package is needed."""
    configured_models(settings, models).refuse_unknown(models)


def _environment(settings: Settings, used: Collection[str]) -> Mapping[str, str]:
    """The environment, with each provider's key under the name that its library reads."""
    environ = dict(os.environ)
    for provider, endpoint in settings.endpoints.items():
        name = endpoint.api_key_env
        if name is not None and name in os.environ:
            environ[key_variable(provider)] = os.environ[name]
        elif name is not None and provider in used:
            raise UsageError(
                f"The key of {provider} should be in {name}, which is not set.",
                hint=f"Set it, or remove endpoints.{provider}.api_key_env from the settings.",
            )
    return environ


@asynccontextmanager
async def opened(resources: RunResources, models: Iterable[str] = ()) -> AsyncIterator[RunResources]:
    """The resources with their connections, which are closed however the session ends.

    `models` are opened now, others at their first request: a run without further requests needs no key.
    """
    if isinstance(resources.provider, Models):
        async with resources.provider as provider:
            provider.ready(models)
            yield resources
    else:
        yield resources


def with_recorded_arguments(folder: RunFolder, loaded: Loaded) -> Settings:
    """Settings for a resume: base URL, ceilings and `--batch` of the run's start, unless a flag or variable overrides
    them.

    A settings file does not override them: it already applied when the run began, below the flags of that time.
    """
    plan = started_plan(folder)
    recorded = plan.arguments if plan else {}
    settings, limits = loaded.settings, recorded.get("limits", {})
    now, then = settings.models.base_url, recorded.get("base_url", settings.models.base_url)
    # The password is not recorded: a settings file that still names the same address supplies it.
    is_kept = "models.base_url" in loaded.given or without_password(now) == then
    kept = {name: limits[name] for name in CEILINGS if name in limits and f"limits.{name}" not in loaded.given}
    return settings.model_copy(
        update={
            "models": settings.models.model_copy(
                update={
                    "base_url": now if is_kept else then,
                    "batch": settings.models.batch or bool(recorded.get("batch")),
                }
            ),
            "limits": settings.limits.model_copy(update=kept),
        }
    )


def session_of(
    folder: RunFolder,
    journal: Journal,
    plan: Plan,
    kind: Kind,
    resources: RunResources,
    *,
    approve: Approval = no_approval,
    only_rework: bool = False,
) -> RunSession:
    """A session on a run, with the tools and the delivery that its plan requires."""
    if plan.arguments.get("auto_merge"):
        approve = _approved_at_the_start
    deliver = DELIVERIES.get(plan.kind)
    delivery = partial(deliver, plan, kind, journal) if deliver else lambda: None
    return RunSession(folder, journal, plan, kind, resources, partial(_tools, plan), approve, only_rework, delivery)


def _approved_at_the_start(left_empty: Sequence[str]) -> Mapping[str, Any]:
    return {"by": "auto-merge"}


def _tools(plan: Plan) -> dict[str, Translator]:
    """The machine translators, other than language models, that a run needs."""
    tool = str(plan.arguments["options"].get("translator", ""))
    return {tool: Apertium(tool.removeprefix(APERTIUM))} if tool.startswith(APERTIUM) else {}


def _into_course(plan: Plan, kind: Kind, journal: Journal) -> None:
    from burnish.app.course_delivery import deliver
    from burnish.kinds.legos.kind import LegosKind

    deliver(plan, cast(LegosKind, kind), journal)


DELIVERIES = {"legos": _into_course}
"""Kinds whose results are also delivered outside their run: a course has its own records."""


async def start_run(
    folder: RunFolder,
    plan: Plan,
    resources: RunResources,
    watcher: Watcher,
    *,
    record: Callable[[Journal, Plan], Plan] = begin,
    approve: Approval = no_approval,
    only_rework: bool = False,
    clock: Clock = system_clock,
) -> Result:
    """One session on a new or resumed run.

    Its models are opened first: if one fails, no run is created. `record` writes the plan into the journal, or loads
    the recorded one.
    """
    kind = kind_of(plan)
    async with opened(resources, plan.models) as ready:
        with own_run(folder, clock, redactor=resources.redactor, began_by=kind.words.command) as owned:
            ready = with_decisions(ready, folder, owned.journal, clock)
            current = record(owned.journal, plan)
            session = session_of(folder, owned.journal, current, kind, ready, approve=approve, only_rework=only_rework)
            return await session.work(watcher)


@dataclass(frozen=True, slots=True)
class OtherModels:
    """Models that replace recorded ones in a resume; roles that are not named keep theirs."""

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
    resources: RunResources | None = None,
    approve: Approval = no_approval,
    ignored: Sequence[str] = (),
    by: str = RESUMED,
    clock: Clock = system_clock,
) -> Result:
    """Another session on a run, with the arguments of its start. `ignored`: rules that are left out from now on, as
    `by` says."""
    redactor = redactor_of(settings)
    with own_run(folder, clock, redactor=redactor) as owned:
        known = plan_of_run(owned.journal, folder.id)
        named = others or OtherModels()
        judges = _judges(known, named)
        plan = renewed(known, corrector=named.corrector, judges=judges)
        # New models are opened before they are recorded: a mistyped name must not stay with the run.
        async with opened(resources or resources_of(settings, plan.models), named.all) as ready:
            ready = with_decisions(ready, folder, owned.journal, clock)
            ignore_rules(decisions_of(folder, owned.journal, redactor), ignored, by)
            take_up(owned.journal, known, plan, names_models=bool(named.all))
            return await session_of(folder, owned.journal, plan, kind_of(plan), ready, approve=approve).work(watcher)


def _judges(plan: Plan, others: OtherModels) -> tuple[str, ...]:
    """The new judges; in a run without judges, one new model takes that role too."""
    alone = not others.judges and not plan.judges and others.corrector is not None
    if alone and others.corrector is not None and not kind_named(plan.kind).is_phased:
        return (others.corrector,)
    return others.judges
