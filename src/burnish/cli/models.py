"""`burnish models`: show the model for each role and test the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from burnish.app.run_sessions import configured_models, prices_for, refuse_kindred
from burnish.app.settings import Loaded, load, redactor_of
from burnish.app.terminal import Role, Screen
from burnish.cli.options import BaseUrl, Generator, ModelOptions, Output, Patcher, RunOptions, lesson_flags
from burnish.core.errors import BurnishError, ReplyUnreadable, UsageError
from burnish.core.records import CallRecord
from burnish.core.replies import reply_schema
from burnish.models.budget import FREE, Budget
from burnish.models.calls import Call
from burnish.models.envelopes import parse_reply
from burnish.models.gateway import CallFailed, Gateway
from burnish.models.profiles import CallSettings, family
from burnish.models.rate_limits import Retry, RetryPolicy
from burnish.store.journal import MemoryJournal


@dataclass(frozen=True, slots=True)
class ModelRole:
    """One role and its model."""

    role: str
    model: str | None
    family: str | None
    price: str
    """`free`, `price known` or `no price known`."""
    set_by: str | None
    answer: str | None = None
    """The result of the test: `answers` with the time it took, `reachable, but` with the fault, or why it failed."""


def models(
    named: ModelOptions,
    output: Output,
    patcher: Patcher = None,
    generator: Generator = None,
    base_url: BaseUrl = None,
    ask: Annotated[bool, typer.Option("--ask/--no-ask", help="Ask each model one short question.")] = True,
) -> int:
    """Show the model for each role and test the connection.

    Each model is asked once for a small JSON object. Exit code 0: every configured model answers correctly. 1: some do
    not.
    """
    base = RunOptions(base_url=base_url).flags()
    loaded = load(flags={**named.flags(), **base, **lesson_flags(patcher, generator)})
    roles = list(_roles(loaded))
    if ask:
        roles = asyncio.run(_tested(roles, loaded))
    screen = output.screen
    if output.json:
        output.write({"roles": [asdict(role) for role in roles]})
    else:
        for role in roles:
            _print_role(role, screen)
        # Lessons refuse a panel whose models are of one family.
        try:
            refuse_kindred(loaded.settings)
        except UsageError as refused:
            screen.paragraph(f"lessons: {refused.message}", indent="  ", first=(("warning", "note: "),))
    return 1 if any(role.answer and not role.answer.startswith("answers") for role in roles) else 0


def _roles(loaded: Loaded) -> Iterator[ModelRole]:
    settings = loaded.settings
    yield _role("corrector", settings.models.corrector_or_default(), loaded)
    panel = settings.models.panel()
    for index, judge in enumerate(panel, start=1):
        yield _role("reviewer" if len(panel) == 1 else f"judge {index}", judge, loaded)
    if not panel:
        yield _role("reviewer", None, loaded)
    # Roles that only lessons have, if models are set for them: they read first, edit, and rewrite.
    models = loaded.settings.models
    if models.judges and (models.reviewer or models.model):
        yield _role("reviewer", models.reviewer or models.model, loaded)
    if models.patcher:
        yield _role("patcher", models.patcher, loaded)
    if models.generator:
        yield _role("generator", models.generator, loaded)


def _role(role: str, model: str | None, loaded: Loaded) -> ModelRole:
    if model is None:
        return ModelRole(role, None, None, "", None)
    known = loaded.settings.families.get(model) or family(model)
    models = loaded.settings.models
    is_set = bool(getattr(models, role, None))
    on_panel = role.startswith("judge")
    key = f"models.{role}" if is_set else "models.judges" if on_panel else "models.model"
    price = prices_for(loaded.settings, [model]).get(model)
    price_text = "no price known" if price is None else "free" if price == FREE else "price known"
    return ModelRole(role, model, known, price_text, loaded.source_of(key))


async def _tested(roles: list[ModelRole], loaded: Loaded) -> list[ModelRole]:
    models = list(dict.fromkeys(role.model for role in roles if role.model))
    async with configured_models(loaded.settings, models) as provider:
        # A server may repeat the key in its refusal, and a model in its answer.
        redactor = redactor_of(loaded.settings)
        once = Retry(RetryPolicy(max_attempts=1))
        gateway = Gateway(MemoryJournal(), provider, budget=Budget(), retry=once, holds_key=redactor.holds_key)
        settings = loaded.settings.models.call_settings(models)
        answers = {model: redactor.diagnostics(await _ask(gateway, model, settings)) for model in models}
    return [ModelRole(**{**asdict(role), "answer": answers.get(role.model or "")}) for role in roles]


async def _ask(gateway: Gateway, model: str, settings: CallSettings) -> str:
    room = settings.room("probe", model)
    call = Call(
        model=model,
        role="probe",
        unit="probe",
        system="Answer with the JSON object that is asked for, and nothing else.",
        user="Reply with the reasoning 'ready' and an empty list of edits.",
        reply_name="edit_reply",
        schema=reply_schema("edit_reply"),
        max_tokens=settings.limited(model, 200 + room),
        thinking=room,
    )
    try:
        record = await gateway.ask(call)
        parse_reply(call.reply_name, record.raw)
    except CallFailed as failure:
        return f"reachable, but {failure.message}" if failure.answered else failure.message
    except ReplyUnreadable as unreadable:
        return f"reachable, but the reply does not match the requested JSON: {unreadable.message} ({_bill(record)})"
    except BurnishError as failure:
        return f"{failure.message} {failure.hint}" if failure.hint else failure.message
    return f"answers ({_bill(record)})"


def _bill(record: CallRecord) -> str:
    return f"{record.duration_ms} ms, {record.usage.total_tokens} tokens"


def _print_role(role: ModelRole, screen: Screen) -> None:
    if role.model is None:
        screen.line(("strong", f"{role.role:10}"), ("faint", "not set: only rules are used; name a model with --model"))
        return
    details = f"family {role.family}, {role.price}, from {role.set_by}"
    screen.line(("strong", f"{role.role:10}"), f"{role.model}  ", ("faint", details))
    if role.answer:
        tone: Role = "good" if role.answer.startswith("answers") else "error"
        screen.line(" " * 10, (tone, role.answer))
