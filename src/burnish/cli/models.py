"""`burnish models`: which model sits in which seat, and whether it answers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from burnish.app.loading import Loaded, load
from burnish.app.polishing import configured_models, refuse_kindred
from burnish.app.secrecy import redactor_of
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import (
    BaseUrl,
    Generator,
    JsonOutput,
    Judges,
    Model,
    NoColor,
    Patcher,
    lesson_flags,
    model_flags,
)
from burnish.core.errors import BurnishError, ReplyUnreadable, UsageError
from burnish.core.records import CallRecord
from burnish.core.replies import reply_schema
from burnish.models.budget import Budget
from burnish.models.calls import Call
from burnish.models.gateway import CallFailed, Gateway
from burnish.models.parsing import parse_reply
from burnish.models.profiles import family
from burnish.models.retry import Retry, RetryPolicy
from burnish.store.memory_journal import MemoryJournal


@dataclass(frozen=True, slots=True)
class Seat:
    """One role and who fills it."""

    role: str
    model: str | None
    family: str | None
    priced: bool
    set_by: str | None
    answer: str | None = None
    """What came of asking: `answers` with the time it took; `reachable, but` what it sent; or why it is silent."""


def models(
    model: Model = None,
    judges: Judges = None,
    patcher: Patcher = None,
    generator: Generator = None,
    base_url: BaseUrl = None,
    ask: Annotated[bool, typer.Option("--ask/--no-ask", help="Ask each model one short question.")] = True,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Show the roles, what is configured for them, and which models answer.

    Each model is asked once, for a small JSON object. Exit code 0: all that are configured answer as they were asked.
    1: some do not, or send something else.
    """
    flags = model_flags(model, judges, base_url)
    loaded = load(flags={**flags, **lesson_flags(patcher, generator)})
    seats = list(_seats(loaded))
    if ask:
        seats = asyncio.run(_asked(seats, loaded))
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        screen.stream.write(json_text({"roles": [asdict(seat) for seat in seats]}) + "\n")
    else:
        for seat in seats:
            _tell(seat, screen)
        _tell_kindred(loaded, screen)
    return 1 if any(seat.answer and not seat.answer.startswith("answers") for seat in seats) else 0


def _seats(loaded: Loaded) -> Iterator[Seat]:
    settings = loaded.settings
    yield _seat("corrector", settings.models.corrector_or_default(), loaded)
    panel = settings.models.panel()
    for index, judge in enumerate(panel, start=1):
        yield _seat("reviewer" if len(panel) == 1 else f"judge {index}", judge, loaded)
    if not panel:
        yield _seat("reviewer", None, loaded)
    yield from _seats_of_lessons(loaded)


def _seats_of_lessons(loaded: Loaded) -> Iterator[Seat]:
    """Seats that only lessons have, where somebody was set for them: who reads first, edits, and writes again."""
    models = loaded.settings.models
    if models.judges and (models.reviewer or models.model):
        yield _seat("reviewer", models.reviewer or models.model, loaded)
    if models.patcher:
        yield _seat("patcher", models.patcher, loaded)
    if models.generator:
        yield _seat("generator", models.generator, loaded)


def _seat(role: str, model: str | None, loaded: Loaded) -> Seat:
    if model is None:
        return Seat(role, None, None, False, None)
    known = loaded.settings.families.get(model) or family(model)
    models = loaded.settings.models
    own = getattr(models, role, None)
    on_panel = role.startswith("judge")
    key = f"models.{role}" if own else "models.judges" if on_panel else "models.model"
    return Seat(role, model, known, model in loaded.settings.prices, loaded.source_of(key))


async def _asked(seats: list[Seat], loaded: Loaded) -> list[Seat]:
    models = list(dict.fromkeys(seat.model for seat in seats if seat.model))
    async with configured_models(loaded.settings, models) as provider:
        # A server may put the key that it was sent into its refusal, and a model into its answer.
        redactor = redactor_of(loaded.settings)
        once = Retry(RetryPolicy(max_attempts=1))
        gateway = Gateway(MemoryJournal(), provider, budget=Budget(), retry=once, holds_key=redactor.holds_key)
        answers = {model: redactor.diagnostics(await _answer(gateway, model)) for model in models}
    return [Seat(**{**asdict(seat), "answer": answers.get(seat.model or "")}) for seat in seats]


async def _answer(gateway: Gateway, model: str) -> str:
    call = Call(
        model=model,
        role="probe",
        unit="probe",
        system="Answer with the JSON object that is asked for, and nothing else.",
        user="Reply with the reasoning 'ready' and an empty list of edits.",
        reply_name="edit_reply",
        schema=reply_schema("edit_reply"),
        max_tokens=200,
    )
    try:
        record = await gateway.ask(call)
        parse_reply(call.reply_name, record.raw)
    except CallFailed as failure:
        return f"reachable, but {failure.message}" if failure.answered else failure.message
    except ReplyUnreadable as unreadable:
        return f"reachable, but it did not keep to the asked JSON: {unreadable.message} ({_bill(record)})"
    except BurnishError as failure:
        return failure.message
    return f"answers ({_bill(record)})"


def _bill(record: CallRecord) -> str:
    return f"{record.duration_ms} ms, {record.usage.total_tokens} tokens"


def _tell_kindred(loaded: Loaded, screen: Screen) -> None:
    """Whether a panel of this kind would be refused for lessons."""
    try:
        refuse_kindred(loaded.settings)
    except UsageError as refused:
        screen.paragraph(f"lessons: {refused.message}", indent="  ", first=(("warning", "note: "),))


def _tell(seat: Seat, screen: Screen) -> None:
    if seat.model is None:
        screen.line(("strong", f"{seat.role:10}"), ("faint", "not set: rules only, or name one with --model"))
        return
    details = f"family {seat.family}, {'price known' if seat.priced else 'no price set'}, from {seat.set_by}"
    screen.line(("strong", f"{seat.role:10}"), f"{seat.model}  ", ("faint", details))
    if seat.answer:
        role = "good" if seat.answer.startswith("answers") else "error"
        screen.line(" " * 10, (role, seat.answer))  # type: ignore[arg-type]
