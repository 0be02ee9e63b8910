"""Forecasts: the requests that work on units would make, before any cost.

The same generators run with pretended answers. No model is asked and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from burnish.core.checks import Selection
from burnish.core.documents import Unit
from burnish.core.effects import Answer, Ask, Effect, Keep, ModelRequest, ModelRoles, Request, Stop, Tool, about_tokens
from burnish.core.gate import StateTable
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.tasks import Environment, Gathered, Item, Stage, batches_of
from burnish.core.together import ITEMS, groups_of, joined

REWORKED = 0.05
"""The share of units that the likely estimate repairs once."""
USUAL_REASONING = 60
"""Tokens of the short reasoning that models give before their answer."""
USUAL_EDIT = 50
"""Tokens of one edit: its place, a few words, and their replacement."""
Reply = Callable[[ModelRequest], object | None]
"""Returns a pretended answer; None: an unusable one."""


@dataclass(frozen=True, slots=True)
class Charge:
    """A request that a run may make."""

    request: ModelRequest
    likely: float = 0.0
    """The likely number of times it is made."""
    most: int = 0
    """The highest number of times it is made."""
    after: tuple[ModelRequest, ...] = ()
    """Requests whose replies may be part of its prompt."""
    room: int = 1
    """The factor on the usual room of its reply."""
    step: int = 0
    """When it is made, beside other units: only requests of one step are joined."""


@dataclass(frozen=True, slots=True)
class RepairLimits:
    """Limits on the repair of one document, for all models together."""

    model: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The likely results for some units, and the requests for them."""

    units: int = 0
    clean: int = 0
    to_correct: int = 0
    for_a_person: int = 0
    charges: Sequence[Charge] = ()
    is_unique: bool = False
    """Whether equal requests are made only once, because the journal has the answer."""
    repairs: RepairLimits | None = None


def joined_forecasts(forecasts: Iterable[Forecast], size: int, roles: ModelRoles) -> Iterator[Forecast]:
    """Yield forecasts of units that are worked on together, from one forecast for each: what is asked about them at the
    same moment is one request, and, at most, is asked about each alone as well."""
    rest = iter(forecasts)
    while group := list(islice(rest, size)):
        charges = [charge for one in group for charge in one.charges]
        for step in sorted({charge.step for charge in charges}):
            likely = [charge for charge in charges if charge.likely and charge.step == step]
            for places in groups_of([charge.request for charge in likely], roles):
                several = [likely[place] for place in places]
                if len(several) > 1:
                    joint = joined([charge.request for charge in several])
                    charges = [_without(charge, several) for charge in charges]
                    charges.append(Charge(joint, likely=several[0].likely, most=1, step=step))
        yield Forecast(
            units=sum(one.units for one in group),
            clean=sum(one.clean for one in group),
            to_correct=sum(one.to_correct for one in group),
            for_a_person=sum(one.for_a_person for one in group),
            charges=charges,
        )


def _without(charge: Charge, joined: Sequence[Charge]) -> Charge:
    """Return a charge that is likely made with others; at most, it is made alone as well."""
    return replace(charge, likely=0.0) if any(charge is one for one in joined) else charge


@dataclass(frozen=True, slots=True)
class Document:
    """A document to estimate."""

    name: str
    units: Iterable[Unit]
    """The units as read."""
    context: object
    """The context of its checks."""
    preview: Iterable[Unit] = ()
    """A second pass over the units, for facts about all of them that are needed first."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The input of a forecast: the documents of a run, its rules and its models."""

    documents: Sequence[Document]
    selection: Selection
    roles: ModelRoles
    options: Mapping[str, Any] = field(default_factory=dict)
    overview: Mapping[str, Any] = field(default_factory=dict)
    off: Collection[str] = ()
    """Rules about whole documents that are switched off."""


def usual_tokens(ask: Request) -> int:
    """Estimate the tokens of a usual answer: one without objections, with a few sentences of reasoning."""
    if ask.parts:
        return sum(map(usual_tokens, ask.parts))
    if ask.usual is not None:
        return ask.usual
    from burnish.core.replies import reply_schema

    reply = _unobjecting(reply_schema(ask.reply, ask.scores), has_item=ask.item is not None)
    empty = about_tokens(dumps(reply).decode())
    return empty + USUAL_REASONING + (USUAL_EDIT if ask.reply == "edit_reply" else 0)


def _unobjecting(node: Mapping[str, Any], *, has_item: bool = False) -> object:
    """Return a value that fits a schema: empty lists, and the first of several alternatives. `has_item`: the list of
    items has one."""
    if "properties" in node:
        told = {name: _unobjecting(child) for name, child in node["properties"].items()}
        return told | {ITEMS: [_unobjecting(node["properties"][ITEMS]["items"])]} if has_item else told
    if "anyOf" in node:
        return _unobjecting(node["anyOf"][0])
    plain = {"array": [], "string": "", "boolean": True, "integer": 1, "number": 0.95, "null": None}
    return node["enum"][0] if "enum" in node else plain[node.get("type", "string")]


def requests_of(work: Generator[Effect, Any, Any], reply: Reply) -> Iterator[tuple[ModelRequest, ...]]:
    """Yield the requests of the work step by step, given the pretended answers. No model is asked."""
    sent: object = None
    numbers: dict[str, int] = {}
    while True:
        try:
            effect = work.send(sent)
        except StopIteration:
            return
        sent = None
        if isinstance(effect, Ask):
            yield effect.requests
            answers = [(request.model, reply(request)) for request in effect.requests]
            none = "reply_unreadable: nobody was asked"
            sent = tuple(Answer(model, said, none if said is None else None) for model, said in answers)
        elif isinstance(effect, Keep):
            numbers[effect.unit.id] = sent = numbers.get(effect.unit.id, 0) + 1
        elif isinstance(effect, Tool):
            sent = tuple("" for _ in effect.texts)


# -- units in phases


class Phased(Protocol):
    """A kind whose units move through phases, and its possible results."""

    @property
    def states(self) -> StateTable: ...

    @property
    def out_of_scope(self) -> str: ...

    @property
    def phases(self) -> tuple[str, ...]: ...

    @property
    def most_attempts(self) -> int:
        """How often a unit may be reviewed before a person must decide."""
        ...

    def admitted(self, unit: Unit) -> Stop: ...

    def to_record(self, unit: Unit) -> Mapping[str, Any]: ...

    def stage(self, name: str, env: Environment) -> Stage: ...

    def prepared(self, units: Iterable[Unit], env: Environment) -> Gathered: ...

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered: ...

    def pretended(self, unit: Unit) -> Unit:
        """Return a unit with a draft of the likely length."""
        ...

    def pretended_failure(self, draft: Unit) -> AttemptRecord:
        """Return a failed review of such a draft: attempt 2, after the draft itself."""
        ...


@dataclass(slots=True)
class Pretended:
    """Pretended units in document order."""

    units: list[Unit] = field(default_factory=list)

    def drafts_around(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        at = row.position
        return self.units[max(at - before, 0) : at], self.units[at + 1 : at + 1 + after]

    def is_settled(self, unit: str) -> bool:
        return True


def phase_forecasts(kind: Phased, run: Rehearsal) -> Iterator[Forecast]:
    """Yield a forecast for each phase that asks models: the likely estimate has usable first answers, the highest has
    only unusable ones."""
    everything = [unit for document in run.documents for unit in document.units]
    sources = [unit for unit in everything if kind.admitted(unit).state != kind.out_of_scope]
    drafts = [kind.pretended(unit) for unit in sources]
    env = Environment(run.selection, run.roles, run.options)
    env = replace(env, facts=kind.prepared(sources, env).facts)
    env = replace(env, facts=kind.gathered(map(kind.pretended, everything), env).facts)
    stages = [stage for name in kind.phases if not (stage := kind.stage(name, env)).moves]
    asked = 0
    for place, stage in enumerate(stages):
        if not stage.pays or not stage.takes:
            continue
        if place == 0:
            asked, charges = _charges(kind, stage, sources, likely=1.0, most=1)
            yield Forecast(charges=charges)
        if kind.states.working in stage.takes:
            most = kind.most_attempts - 1
            yield Forecast(charges=_charges(kind, stage, drafts, failed=True, likely=REWORKED, most=most)[1])
        elif place > 0:
            reviewed = _charges(kind, stage, drafts, likely=1.0 + REWORKED, most=kind.most_attempts)[1]
            yield Forecast(charges=reviewed)
    yield Forecast(units=len(sources), to_correct=asked, clean=len(sources) - asked)


def _charges(
    kind: Phased, stage: Stage, units: Sequence[Unit], *, likely: float, most: int, failed: bool = False
) -> tuple[int, list[Charge]]:
    """Return the number of units asked about in a phase, and its requests. `failed`: after a failed review."""
    items = []
    for at, unit in enumerate(units):
        first = AttemptRecord(unit.id, 1, "source", kind.to_record(unit), unit.content_hash, {}, (), passed=False)
        attempts = (first, kind.pretended_failure(unit)) if failed else (first,)
        row = UnitRow(unit.id, "", at, unit.content_hash, "", None, len(attempts), len(attempts))
        items.append(Item(row, unit, unit, attempts))
    asked, charges = 0, []
    for batch in batches_of(stage, items):
        steps = list(requests_of(stage.work(batch, Pretended(list(units))), lambda _: None))
        asked += len(batch) if steps else 0
        for place, requests in enumerate(steps):
            charges += [Charge(one, likely if place == 0 or one.goes_on else 0.0, most) for one in requests]
    return asked, charges
