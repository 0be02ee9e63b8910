"""The tabs that every run has: a page of its units, its events newest first, and its settings.

Nothing secret is in the settings: only what is named here is shown, and the words that fence prompts are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader
from burnish.engine.plan import Plan
from burnish.store.redaction import Redactor
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web.event_text import EventText, event_text
from burnish.web.formatting import count, in_words, money, plural, sentence, short_hash
from burnish.web.labels import look_of, state_filters
from burnish.web.links import Given, run_link

UNITS_SHOWN = 50
EVENTS_SHOWN = 50


def units_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of the units that the filter in the query lets through."""
    where = UnitFilter.from_query(query)
    backwards = "before" in query
    found = run.units(
        where, offset_key=query.get("before") or query.get("after"), limit=UNITS_SHOWN, backwards=backwards
    )
    asked = filter_query(where)
    return {
        "page": found,
        "where": where,
        "chips": _state_chips(card, where),
        "narrowed": _narrowed(card, where),
        "asked": asked,
        "looks": {line.state: look_of(line.state, line.sort) for line in found.lines},
        "before": run_link(card.id, tab="units", **asked, before=found.previous) if found.previous else None,
        "after": run_link(card.id, tab="units", **asked, after=found.next) if found.next else None,
    }


def filter_query(where: UnitFilter, **changes: Given) -> dict[str, Given]:
    """A filter as the query of a link, with some of it changed."""
    asked: dict[str, Given] = {}
    for name, value in where.as_query():
        before = asked.get(name)
        asked[name] = (*before, value) if isinstance(before, tuple) else (value,)
    return {**asked, **changes}


def _state_chips(card: RunCard, where: UnitFilter) -> list[tuple[str, str, int | None, bool]]:
    def link(**changes: Given) -> str:
        return run_link(card.id, tab="units", **filter_query(where, **changes))

    chips: list[tuple[str, str, int | None, bool]] = []
    for label, one, number in state_filters(card):
        if one == ALL:
            chips.append((label, run_link(card.id, tab="units"), number, where == ALL))
        elif one.repaired:
            chips.append((label, link(repaired=None if where.repaired else "1"), number, where.repaired))
        else:
            here = where.states == one.states
            chips.append((label, link(state=None if here else one.states), number, here))
    return chips


def _narrowed(card: RunCard, where: UnitFilter) -> list[tuple[str, str, str]]:
    """What else narrows the list: (name, value, the list without it)."""
    shown = {
        "rule": where.rule,
        "severity": where.severity,
        "cause": where.cause,
        "document": where.document,
        "text": where.text,
    }
    return [
        (name, value, run_link(card.id, tab="units", **filter_query(where, **{name: None})))
        for name, value in shown.items()
        if value
    ]


def events_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """Events newest first. The address of a page names its newest, so that it still shows the same tomorrow."""
    given = query.get("until", "")
    newest = min(int(given), card.event) if given.isdecimal() and len(given) < 19 and int(given) > 0 else card.event
    oldest = max(0, newest - EVENTS_SHOWN)
    events = list(run.view.journal.events(after=oldest, limit=newest - oldest)) if newest else []
    shown: list[EventText] = [event_text(event, run.view.kind) for event in reversed(events)]
    return {
        "event_texts": shown,
        "newest": newest,
        "oldest": oldest + 1,
        "total": card.event,
        "before": run_link(card.id, tab="events", until=min(card.event, newest + EVENTS_SHOWN))
        if newest < card.event
        else None,
        "after": run_link(card.id, tab="events", until=oldest) if oldest else None,
    }


CEILING_WORDS = {"max_tokens": "tokens", "max_cost": "", "max_seconds": "seconds"}


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One thing that was settled before the run began."""

    label: str
    texts: tuple[str, ...]
    """What it is; more than one make a list."""
    code: bool = False
    """Whether the texts are names for machines."""


@dataclass(frozen=True, slots=True)
class PlanPart:
    title: str
    beside: str
    lines: tuple[PlanLine, ...]


def plan_parts(plan: Plan, redactor: Redactor) -> tuple[PlanPart, ...]:
    """The plan, part by part; empty lines are left out."""
    parts = (
        PlanPart("Input", short_hash(plan.input_digest), _input(plan)),
        PlanPart("Models", "as they were named when the run began", _models(plan)),
        PlanPart("Rules", f"{count(len(plan.rules))} on, {count(len(plan.off))} off", _rules(plan)),
        PlanPart("Options", f"Burnish {plan.version}", _options(plan)),
        PlanPart("Prompts", plural(len(plan.prompts), "prompt"), _prompts(plan)),
    )
    return tuple(_redacted(part, redactor) for part in parts if any(line.texts for line in part.lines))


def _redacted(part: PlanPart, redactor: Redactor) -> PlanPart:
    lines = [
        PlanLine(line.label, tuple(str(redactor.diagnostics(text)) for text in line.texts), line.code)
        for line in part.lines
        if line.texts
    ]
    return PlanPart(part.title, part.beside, tuple(lines))


def _input(plan: Plan) -> tuple[PlanLine, ...]:
    documents = tuple(f"{one.name}, {one.format}, {short_hash(one.sha256)}" for one in plan.documents)
    roles: dict[str, list[str]] = {}
    for material in plan.materials:
        roles.setdefault(material.role, []).append(f"{material.name}, {short_hash(material.sha256)}")
    beside = [PlanLine(sentence(in_words(role)), tuple(names)) for role, names in roles.items()]
    out = PlanLine("Output", (plan.out,) if plan.out else ("the run's own folder",))
    return (PlanLine("Documents", documents), *beside, out)


def _models(plan: Plan) -> tuple[PlanLine, ...]:
    seats = {"corrector": plan.corrector, **plan.roles}
    named = [PlanLine(sentence(in_words(seat)), (_model(model),)) for seat, model in seats.items() if model]
    judges = PlanLine("Judges", tuple(_model(model) for model in plan.judges))
    address = plan.arguments.get("base_url")
    return (*named, judges, PlanLine("Server", (str(address),) if address else ()))


def _model(name: str) -> str:
    """With its provider; of a file only its own name."""
    provider, colon, model = name.partition(":")
    return f"{provider}{colon}{model.rpartition('/')[2] if model.startswith('/') else model}"


def _rules(plan: Plan) -> tuple[PlanLine, ...]:
    given = plan.arguments
    return (
        PlanLine("Profile", (str(given["profile"]),) if given.get("profile") else ()),
        PlanLine("Institution", (str(given["institution"]),) if given.get("institution") else ()),
        PlanLine("Demands", tuple(_flat(plan.demands))),
        PlanLine("Off", tuple(plan.off), code=True),
        PlanLine("On", (", ".join(plan.rules),) if plan.rules else (), code=True),
    )


def _options(plan: Plan) -> tuple[PlanLine, ...]:
    given = plan.arguments
    ceilings = {name: value for name, value in (given.get("limits") or {}).items() if value is not None}
    shown = [
        money(value) if name == "max_cost" else f"{count(int(value))} {CEILING_WORDS.get(name, in_words(name))}"
        for name, value in ceilings.items()
    ]
    options = given.get("options") or {}
    single = [PlanLine(sentence(in_words(str(name))), _texts(value)) for name, value in options.items()]
    return (PlanLine("Task", (plan.task,) if plan.task else ()), PlanLine("Ceilings", tuple(shown)), *single)


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == [] or value == {} or value == "":
        return ()
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    if isinstance(value, Mapping):
        return tuple(_flat(value))
    if isinstance(value, list | tuple):
        return tuple(str(one) for one in value)
    return (str(value),)


def _flat(value: Mapping[str, Any]) -> list[str]:
    return [f"{in_words(str(name))}: {', '.join(_texts(one))}" for name, one in value.items() if _texts(one)]


def _prompts(plan: Plan) -> tuple[PlanLine, ...]:
    versions = tuple(f"{name.rpartition(':')[2]} {version}" for name, version in plan.prompts.items())
    return (PlanLine("Versions", (", ".join(versions),) if versions else (), code=True),)
