"""From what a user asks for to a run: the plan, the means, and one sitting. All doors to `polish` lead through here."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish import __version__
from burnish.app.decisions import with_decisions
from burnish.app.discovery import gather
from burnish.app.kinds import kind_named
from burnish.app.materials import Earlier, Materials, earlier_of, equipped, kind_of
from burnish.app.seating import seated
from burnish.app.secrecy import redactor_of, without_password
from burnish.app.selection import wanted
from burnish.app.settings import Loaded, Settings
from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import Kind
from burnish.engine.check import is_bad_input
from burnish.engine.client import ModelClient
from burnish.engine.plan import AGAINST, DocumentPlan, Plan
from burnish.engine.resources import RunResources
from burnish.engine.session import Approval, Result, RunSession, Watcher, begin, nobody, recorded_plan, renewed, take_up
from burnish.models.budget import Budget, Price
from burnish.models.calls import Provider
from burnish.models.gateway import Gateway
from burnish.models.profiles import Endpoint, family, key_variable
from burnish.models.prompts import prompt_named
from burnish.models.providers import LiveModels, Models
from burnish.models.rate_limits import Limits, ModelLimits
from burnish.models.retry import Retry, RetryPolicy
from burnish.store.clock import Clock, system_clock
from burnish.store.files import refuse_unreplaceable, sha256_of
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.ownership import OwnedRun, own_run
from burnish.store.paths import RunFolder, default_run_id, document_path, existing_run, operator_path
from burnish.store.sqlite_journal import open_journal

CEILINGS = ("max_tokens", "max_cost", "max_seconds")
"""Limits that belong to the run, not to the machine it happens to go on upon."""
NOT_POLISHED = {
    "manuscripts": ("A manuscript is translated", "burnish translate"),
    "legos": ("A course is cut", "burnish legos extract DIR"),
}
"""Kinds that have commands of their own."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a user asks of `polish`, beyond the settings."""

    path: str
    kind: str | None = None
    out: str | None = None
    run_id: str | None = None
    against: str | None = None
    strict_input: bool = False
    out_format: str | None = None
    materials: Materials = field(default_factory=Materials)
    """What is read beside the documents."""
    mode: str | None = None
    """`semi-auto` or `full-auto`, for kinds whose documents are judged as wholes."""


def plan_of(order: Order, loaded: Loaded, *, nonce: str | None = None, clock: Clock = system_clock) -> Plan:
    """Everything that shapes the run, found out before anything is spent."""
    bare, documents = _documents(order)
    kind = equipped(bare, order.materials)
    if order.strict_input:
        _refuse_problems(kind, documents)
    if kind.is_phased:
        said, command = NOT_POLISHED[kind.name]
        raise UsageError(f"{said}, not polished.", hint=f"Use `{command}`.")
    is_directed = kind.is_whole
    if not is_directed and order.mode is not None:
        raise UsageError(f"--mode does nothing for {kind.name}.", hint="Leave it out.")
    wants = wanted(kind, loaded)
    earlier = earlier_of(order.against, kind, wants.off, strict=order.strict_input)
    models = loaded.settings.models
    roles = roles_of(loaded.settings) if is_directed else {}
    asked = [model for model in (models.corrector_or_default(), *models.panel(), *roles.values()) if model]
    return Plan(
        run_id=order.run_id or default_run_id(order.path, clock()),
        kind=kind.name,
        documents=documents,
        nonce=nonce or secrets.token_hex(16),
        arguments=_arguments(order, loaded, kind, earlier, asked),
        rules=tuple(check.id for check in wants.selection.checks),
        severities={check.id: wants.selection.severity(check) for check in wants.selection.checks},
        demands=wants.demands,
        corrector=models.corrector_or_default(),
        judges=models.panel(),
        prompts={name: prompt_named(name).version for name in kind.prompts},
        version=__version__,
        out=str(_out(order, kind, documents)) if order.out else None,
        surveys=() if is_directed else tuple(_survey(kind, document) for document in documents),
        roles=roles,
        materials=(*order.materials.plans(), *([earlier.plan] if earlier else ())),
        off=tuple(sorted(wants.off)),
    )


def roles_of(settings: Settings) -> dict[str, str]:
    """Who reads first, who repairs and who writes again, where units belong together. Judges are refused that are
    too much alike: they share their blind spots."""
    models = settings.models
    refuse_kindred(settings)
    given = {
        "reviewer": models.reviewer or models.model,
        "patcher": models.patcher or models.corrector_or_default(),
        "generator": models.generator,
    }
    return {role: model for role, model in given.items() if model is not None}


def refuse_kindred(settings: Settings) -> None:
    """UsageError for a panel with two judges of one family, or with one of the generator's own family."""
    models = settings.models
    refuse_alike(models.judges, models.generator, families=settings.families, allowed=models.allow_same_family)


def refuse_alike(
    judges: Sequence[str], generator: str | None, *, families: Mapping[str, str] | None = None, allowed: bool = False
) -> None:
    """The same for models by their names. `allowed`: they may be of one family, but nobody sits there twice."""
    if len(set(judges)) < len(judges):
        raise UsageError("A judge sits on the panel twice.", hint="Name different models with --judges.")
    if allowed:
        return
    seen: dict[str, str] = {family(generator, families): f"the generator {generator}"} if generator else {}
    for judge in judges:
        own = family(judge, families)
        if own in seen:
            raise UsageError(
                f"{judge} is of the same family ({own}) as {seen[own]}: they share their blind spots.",
                hint="Choose judges of different families, set [families], or allow it with --allow-same-family.",
            )
        seen[own] = judge


def _arguments(
    order: Order, loaded: Loaded, kind: Kind, earlier: Earlier | None, models: Iterable[str]
) -> dict[str, Any]:
    """What `resume` has to know again. Ceilings are among them: a bill must not grow because a run was stopped."""
    return {
        "path": str(Path(order.path).absolute()),
        "is_folder": Path(order.path).is_dir(),
        "overview": {"against": earlier.option} if earlier else {},
        "out_format": _out_format(order.out_format, kind),
        "profile": loaded.settings.check.profile,
        "institution": loaded.settings.check.institution,
        "options": {"mode": order.mode or "semi-auto"} if kind.is_whole else {},
        **kept_settings(loaded.settings, models),
    }


def kept_settings(settings: Settings, models: Iterable[str]) -> dict[str, Any]:
    """The settings that a run keeps to when it is resumed: address, ceilings, and how its models are asked."""
    asking = settings.models.asking(models).as_record()
    return {
        "base_url": without_password(settings.models.base_url),
        "limits": {name: getattr(settings.limits, name) for name in CEILINGS},
        **({"asking": asking} if asking else {}),
    }


def _documents(order: Order) -> tuple[Kind, tuple[DocumentPlan, ...]]:
    gathered = gather([order.path], order.kind, order.materials.places())
    if gathered.failures:
        raise gathered.failures[0]
    if len(gathered.documents) != 1:
        raise UsageError(
            f"{order.path} holds several kinds of content: {', '.join(sorted(gathered.documents))}.",
            hint="Choose one with --kind.",
        )
    [(name, found)] = gathered.documents.items()
    home = Path(order.path)
    plans = tuple(
        DocumentPlan(
            name=_document_name(Path(document.path), home),
            path=str(Path(document.path).absolute()),
            format=document.format,
            sha256=sha256_of(Path(document.path)),
        )
        for document in found
    )
    return kind_named(name), plans


def _document_name(path: Path, home: Path) -> str:
    """What the document is called in out/ and in unit ids: a name that cannot be written there is refused now."""
    name = path.relative_to(home).as_posix() if home.is_dir() else path.name
    document_path(Path(), name)
    return name


def _out(order: Order, kind: Kind, documents: tuple[DocumentPlan, ...]) -> Path:
    """Where the result goes, made sure of before anything is spent. A folder takes a file under its own name."""
    assert order.out is not None
    source, out = Path(order.path), operator_path(order.out).absolute()
    if not source.is_dir() and (out.is_dir() or order.out.endswith(("/", os.sep))):
        out = document_path(out, documents[0].name)
    for document in documents:
        target = document_path(out, document.name) if source.is_dir() else out
        if target.resolve() == Path(document.path).resolve():
            raise UsageError(
                f"The result cannot take the place of its source {document.path}: the run still needs it.",
                hint="Write to another file with --out, and exchange the two when the run is done.",
            )
        _refuse_ending(target, document, kind, order.out_format)
        refuse_unreplaceable(target)
    return out


def _refuse_ending(target: Path, document: DocumentPlan, kind: Kind, wanted: str | None) -> None:
    """A name must not say something else than the file will be."""
    if wanted is not None:
        named = kind.output_format(target.name, wanted)
        if named != wanted:
            raise UsageError(
                f"A file named {target.name} is written as {named}, not as {wanted}.",
                hint=f"Endings of {wanted}: {', '.join(kind.formats[wanted])}.",
            )
        return
    endings = sorted({ending for known in kind.formats.values() for ending in known})
    if target.suffix.lower() not in ("", Path(document.path).suffix.lower(), *endings):
        raise UsageError(
            f"No format is written as {target.suffix}.",
            hint=f"Endings: {', '.join(endings)}. Or name a format with --out-format.",
        )


def _out_format(name: str | None, kind: Kind) -> str | None:
    if name is not None and name not in kind.formats:
        raise UsageError(f"There is no format {name!r}.", hint=f"Formats: {', '.join(kind.formats)}.")
    return name


def _survey(kind: Kind, document: DocumentPlan) -> object:
    with Path(document.path).open("rb") as stream:
        return kind.survey(stream, document.path, document.format)


def _refuse_problems(kind: Kind, documents: tuple[DocumentPlan, ...]) -> None:
    for document in documents:
        with Path(document.path).open("rb") as stream:
            for part in kind.read(stream, document.path, document.format):
                if isinstance(part, Problem) and is_bad_input(part):
                    raise InputError(part.message, path=part.path, line=part.line, field=part.field, hint=part.hint)


def means_of(settings: Settings, models: tuple[str, ...], *, provider: Provider | None = None) -> RunResources:
    """What the operator's settings allow. `provider` takes the place of the configured models, for tests."""
    limits = settings.limits
    prices = {name: Price(price.input, price.output) for name, price in settings.prices.items()}
    unpriced = [model for model in models if model not in prices]
    if limits.max_cost is not None and unpriced:
        raise UsageError(
            f"There is a ceiling on cost, but no price for {', '.join(unpriced)}.",
            hint=f'Add [prices."{unpriced[0]}"] with input and output to burnish.toml, or use --max-tokens.',
        )
    rates = ModelLimits(limits.requests_per_minute, limits.tokens_per_minute)
    return RunResources(
        provider=provider or configured_models(settings, models),
        prices=prices,
        max_tokens=limits.max_tokens,
        max_cost=limits.max_cost,
        max_seconds=limits.max_seconds,
        workers=limits.workers,
        limits=Limits(otherwise=rates),
        retry=Retry(RetryPolicy(max_attempts=limits.max_tries)),
        redactor=redactor_of(settings),
    )


@asynccontextmanager
async def asker_of(settings: Settings, models: tuple[str, ...]) -> AsyncIterator[ModelClient | None]:
    """Whoever asks these models without a run, under the operator's ceilings; nobody where none is named."""
    if not models:
        yield None
        return
    async with opened(means_of(settings, models)) as means:
        assert means.provider is not None, "models that are named are configured"
        budget = Budget(max_tokens=means.max_tokens, max_cost=means.max_cost, prices=means.prices)
        gateway = Gateway(
            MemoryJournal(),
            means.provider,
            budget=budget,
            limits=means.limits,
            retry=means.retry,
            holds_key=means.redactor.holds_key,
        )
        yield ModelClient(
            gateway,
            secrets.token_hex(16),
            at_once=means.workers,
            redactor=means.redactor,
            asking=settings.models.asking(models),
        )


def configured_models(settings: Settings, models: Iterable[str]) -> Models:
    """The models behind the operator's endpoints and keys; `models` are those that will be asked."""
    endpoint = Endpoint(settings.models.base_url, timeout=settings.limits.timeout_seconds)
    addresses = {name: e.base_url for name, e in settings.endpoints.items() if e.base_url}
    used = {model.partition(":")[0] for model in models}
    return Models(LiveModels(endpoint, base_urls=addresses, environ=_environment(settings, used)))


def _environment(settings: Settings, used: Collection[str]) -> Mapping[str, str]:
    """The environment, with each provider's key under the name its library looks for."""
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


async def polish_run(
    folder: RunFolder, plan: Plan, means: RunResources, watcher: Watcher, *, clock: Clock = system_clock
) -> Result:
    """One sitting on a run that is started, or taken up where it stands.

    Its models are opened first: one that cannot be asked leaves no run behind.
    """
    kind = kind_of(plan)
    async with opened(means, plan.models) as ready:
        with own_run(folder, clock, redactor=means.redactor) as owned:
            ready = with_decisions(ready, folder, owned.journal, clock)
            current = begin(owned.journal, plan)
            return await RunSession(folder, owned.journal, current, kind, ready).work(watcher)


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
    """Another sitting on a run, with the arguments it was started with."""
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
                return await seated(folder, owned.journal, plan, kind_of(plan), ready, approve=approve).work(watcher)


def resources_again(folder: RunFolder, plan: Plan, settings: Settings, stack: ExitStack) -> RunResources:
    """The means of a resumed run; a replay that was stopped goes on replaying."""
    replayed = plan.arguments.get("replay")
    if replayed is None:
        return means_of(settings, plan.models)
    journal, _ = replayed_journal(folder.root.parent, replayed, stack)
    return replay_means(settings, journal)


def replay_means(settings: Settings, journal: Journal) -> RunResources:
    """RunResources that answer from a journal and call nobody."""
    return replace(means_of(settings, ()), provider=None, replayed=journal)


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


@asynccontextmanager
async def opened(means: RunResources, models: Iterable[str] = ()) -> AsyncIterator[RunResources]:
    """The means with their connections, which are closed however the sitting ends.

    `models` are opened at once. Others are when they are first asked: a run that asks nobody any more needs no key.
    """
    if isinstance(means.provider, Models):
        async with means.provider as provider:
            provider.ready(models)
            yield means
    else:
        yield means


def with_recorded_arguments(folder: RunFolder, loaded: Loaded, clock: Clock = system_clock) -> Settings:
    """Settings for a resume: the base URL and the ceilings of the run's start, unless a flag or variable gives others.

    A settings file gives none: it was there when the run began, and a flag was stronger then.
    """
    with closing(open_journal(folder.journal, clock=clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
    recorded = plan.arguments if plan else {}
    settings, limits = loaded.settings, recorded.get("limits", {})
    kept = {name: limits[name] for name in CEILINGS if name in limits and f"limits.{name}" not in loaded.given}
    return settings.model_copy(
        update={
            "models": settings.models.model_copy(update={"base_url": _address_again(recorded, loaded)}),
            "limits": settings.limits.model_copy(update=kept),
        }
    )


def _address_again(recorded: Mapping[str, Any], loaded: Loaded) -> str | None:
    now = loaded.settings.models.base_url
    then: str | None = recorded.get("base_url", now)
    # The password is not written down: a file that still names the same address brings it back.
    return now if "models.base_url" in loaded.given or without_password(now) == then else then


def replay_of(recorded: Plan, plan: Plan) -> Plan:
    """A plan that repeats a recorded one under another name: the same input, models, rules and fences."""
    if not plan.arguments["overview"]:  # what it was compared with need not be named again
        compared = [material for material in recorded.materials if material.role == AGAINST]
        overview = recorded.arguments.get("overview", {})
        plan = replace(plan, materials=(*plan.materials, *compared), arguments={**plan.arguments, "overview": overview})
    if recorded.input_digest != plan.input_digest:
        raise UsageError(
            f"The run {recorded.run_id} is about other input, so it holds no answers for this: "
            f"{recorded.other_input(plan)}",
            hint="Give the files that it was started with; where they lie does not matter.",
        )
    how = {name: value for name, value in plan.arguments.items() if name != "asking"}
    how |= {"asking": recorded.arguments["asking"]} if "asking" in recorded.arguments else {}
    return replace(
        recorded,
        run_id=plan.run_id,
        documents=plan.documents,
        materials=plan.materials,
        arguments={**how, "replay": recorded.run_id},
        out=plan.out,
        version=plan.version,
    )


def replayed_journal(runs: Path, id: str, stack: ExitStack, clock: Clock = system_clock) -> tuple[Journal, Plan]:
    """The journal of a finished run, to answer from."""
    folder = existing_run(runs, id)
    journal = stack.enter_context(closing(open_journal(folder.journal, clock=clock, read_only=True)))
    plan = recorded_plan(journal)
    if plan is None:
        raise UsageError(f"The run {id} holds nothing to replay.")
    return journal, plan
