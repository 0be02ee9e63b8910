"""The tabs of every run: its units, its events (newest first), and its settings.

The settings show no secrets: only the fields listed here, and not the words that fence content in prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from burnish.app.labels import DROPPED, REASONS, failure_of, state_words
from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader
from burnish.core.json_bytes import dumps
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord
from burnish.engine.plan import Plan
from burnish.store.redaction import Redactor
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import count, in_words, listed, money, plural, sentence, short_hash
from burnish.web.labels import look_of, model_name, said_by, state_filters
from burnish.web.rendering import Given, run_link

LONGEST_RECORD = 4_000
"""Characters of an event's record that are shown."""
LONGEST_WORDS = 300
Data = Mapping[str, Any]


def event_text(event: EventRecord, kind: Kind) -> Drawn:
    words = kind.said(event) or _words(event, kind)
    return Drawn(event=event, words=sentence(words)[:LONGEST_WORDS], record=_record(event.data))


def _words(event: EventRecord, kind: Kind) -> str:
    words = _EVENT_WORDS.get(event.type)
    try:
        return words(event.data, kind) if words else ""
    except (KeyError, TypeError, AttributeError):
        # Events of an older version may lack fields of newer ones: their record is still shown.
        return ""


def _record(data: Data) -> str:
    if not data:
        return ""
    text = dumps(data, indent=2).decode()
    return text if len(text) <= LONGEST_RECORD else f"{text[:LONGEST_RECORD]}\n…"


def _run_started(data: Data, kind: Kind) -> str:
    models = [model_name(model) for model in (data.get("corrector"), *data.get("judges", ())) if model]
    return f"with {listed(dict.fromkeys(models))}" if models else "without models"


def _state_changed(data: Data, kind: Kind) -> str:
    before, after = data.get("from"), state_words(str(data["to"]))
    reason = data.get("message") or kind.reasons.get(str(data.get("reason"))) or REASONS.get(str(data.get("reason")))
    return (f"from {state_words(before)} to {after}" if before else after) + (f": {reason}" if reason else "")


def _decision(data: Data, kind: Kind) -> str:
    note = f": {data['note']}" if data.get("note") else ""
    return f"{in_words(str(data['verdict']))} by {data['by']}{note}"


def _run_stopped(data: Data, kind: Kind) -> str:
    message = f": {data['message']}" if data.get("message") else ""
    return f"{state_words(str(data['reason']))}{message}"


def _publish_blocked(data: Data, kind: Kind) -> str:
    states = [f"{number:,} {state_words(state)}" for state, number in data.get("states", {}).items()]
    parts = data.get("unreadable_parts", 0)
    return listed([*states, *([plural(parts, "part") + " of the input cannot be read"] if parts else [])])


def _published(data: Data, kind: Kind) -> str:
    return f"wrote {listed(document['document'] for document in data['documents'])}"


def _edit_applied(data: Data, kind: Kind) -> str:
    fields = [
        in_words(str(field).replace("options.", "option ")) for field in data["receipt"]["changed_fields"] if field
    ]
    return f"attempt {data['attempt']}" + (f": {listed(fields)} changed" if fields else "")


def _edit_refused(data: Data, kind: Kind) -> str:
    return failure_of(kind, str(data["reason"]))


def _finding_dropped(data: Data, kind: Kind) -> str:
    reason = str(data["reason"])
    return f"{DROPPED.get(reason, in_words(reason))} ({said_by(str(data['source']))})"


def _batch_formed(data: Data, kind: Kind) -> str:
    return f"{in_words(str(data['stage']))} {data['number']}: {plural(len(data['units']), kind.noun)}"


_EVENT_WORDS: dict[str, Callable[[Data, Kind], str]] = {
    "run_started": _run_started,
    "state_changed": _state_changed,
    "decision": _decision,
    "decision_withdrawn": lambda data, kind: f"{_decision(data, kind)}; undone by {data['undone_by']}",
    "run_stopped": _run_stopped,
    "run_failed": lambda data, kind: str(data["message"]),
    "publish_blocked": _publish_blocked,
    "published": _published,
    "version_kept": lambda data, kind: f"version {data['version']}: {data['folder']}",
    "edit_applied": _edit_applied,
    "edit_refused": _edit_refused,
    "finding_dropped": _finding_dropped,
    "sheet_made": lambda data, kind: plural(int(data["entries"]), "rendering"),
    "batch_formed": _batch_formed,
    "batch_settled": lambda data, kind: f"batch {data['number']}",
    "task_begun": lambda data, kind: f"task {data['task']} begins",
    "ingested": lambda data, kind: f"read {data['document']}",
    "input_problem": lambda data, kind: str(data["message"]),
    "approved": lambda data, kind: f"by {data['by']}",
    "blocker_raised": lambda data, kind: in_words(str(data["reason"])),
    "other_model": lambda data, kind: f"{data['answered_by']} answered in the place of {data['model']}",
    "round_started": lambda data, kind: f"round {data['round']} of {data['document']}",
    "round_ended": lambda data, kind: f"round {data['round']} of {data['document']}: {data['reason']}",
    "trial_settled": lambda data, kind: f"{data['decision']}: {data['text']}",
}


UNITS_SHOWN = 50
EVENTS_SHOWN = 50


def units_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of the units that match the filter in the query."""
    where = UnitFilter.from_query(query)
    backwards = "before" in query
    found = run.units(
        where, offset_key=query.get("before") or query.get("after"), limit=UNITS_SHOWN, backwards=backwards
    )
    asked = filter_query(where)
    shown = {
        "rule": where.rule,
        "severity": where.severity,
        "cause": where.cause,
        "document": where.document,
        "text": where.text,
    }
    return {
        "page": found,
        "where": where,
        "chips": _state_chips(card, where),
        "narrowed": [
            (name, value, run_link(card.id, tab="units", **filter_query(where, **{name: None})))
            for name, value in shown.items()
            if value
        ],
        "asked": asked,
        "looks": {line.state: look_of(line.state, line.sort) for line in found.lines},
        "before": run_link(card.id, tab="units", **asked, before=found.previous) if found.previous else None,
        "after": run_link(card.id, tab="units", **asked, after=found.next) if found.next else None,
    }


def filter_query(where: UnitFilter, **changes: Given) -> dict[str, Given]:
    """A filter as the query of a link, with some values changed."""
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


def events_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of events, newest first. Its address names the newest event, so that it always shows the same ones."""
    given = query.get("until", "")
    newest = min(int(given), card.event) if given.isdecimal() and len(given) < 19 and int(given) > 0 else card.event
    oldest = max(0, newest - EVENTS_SHOWN)
    events = list(run.view.journal.events(after=oldest, limit=newest - oldest)) if newest else []
    shown: list[Drawn] = [event_text(event, run.view.kind) for event in reversed(events)]
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
    """One setting of the run."""

    label: str
    texts: tuple[str, ...]
    """Its values; several are shown as a list."""
    code: bool = False
    """Whether the texts are names for machines."""
    rules: bool = False
    """Whether they are ids of rules, which have titles for people."""


@dataclass(frozen=True, slots=True)
class PlanPart:
    title: str
    beside: str
    lines: tuple[PlanLine, ...]


def plan_parts(plan: Plan, redactor: Redactor) -> tuple[PlanPart, ...]:
    """The plan of the run in parts, without empty lines."""
    parts = (
        PlanPart("Input", short_hash(plan.input_digest), _input(plan)),
        PlanPart("Models", "as named at the start of the run", _models(plan)),
        PlanPart("Options", f"Burnish {plan.version}", _options(plan)),
        PlanPart("Prompts", plural(len(plan.prompts), "prompt"), _prompts(plan)),
        PlanPart("Rules", f"{count(len(plan.rules))} on, {count(len(plan.off))} off", _rules(plan)),
    )
    return tuple(_redacted(part, redactor) for part in parts if any(line.texts for line in part.lines))


def _redacted(part: PlanPart, redactor: Redactor) -> PlanPart:
    lines = [
        replace(line, texts=tuple(str(redactor.diagnostics(text)) for text in line.texts))
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
    roles = {"corrector": plan.corrector, **plan.roles}
    named = [PlanLine(sentence(in_words(role)), (_model(model),)) for role, model in roles.items() if model]
    judges = PlanLine("Judges", tuple(_model(model) for model in plan.judges))
    address = plan.arguments.get("base_url")
    return (*named, judges, PlanLine("Server", (str(address),) if address else ()))


def _model(name: str) -> str:
    """A model with its provider; of a file only the file name."""
    provider, colon, model = name.partition(":")
    return f"{provider}{colon}{model.rpartition('/')[2] if model.startswith('/') else model}"


def _rules(plan: Plan) -> tuple[PlanLine, ...]:
    given = plan.arguments
    return (
        PlanLine("Profile", (str(given["profile"]),) if given.get("profile") else ()),
        PlanLine("Institution", (str(given["institution"]),) if given.get("institution") else ()),
        PlanLine("Demands", tuple(_pairs(plan.demands))),
        PlanLine("Off", tuple(plan.off), rules=True),
        PlanLine("On", tuple(plan.rules), rules=True),
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
        return tuple(_pairs(value))
    if isinstance(value, list | tuple):
        return tuple(str(one) for one in value)
    return (str(value),)


def _pairs(value: Mapping[str, Any]) -> list[str]:
    return [f"{in_words(str(name))}: {', '.join(_texts(one))}" for name, one in value.items() if _texts(one)]


def _prompts(plan: Plan) -> tuple[PlanLine, ...]:
    versions = tuple(f"{name.rpartition(':')[2]} {version}" for name, version in plan.prompts.items())
    return (PlanLine("Versions", (", ".join(versions),) if versions else (), code=True),)
