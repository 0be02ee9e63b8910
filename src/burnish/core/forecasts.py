"""Forecasts: what the work on units would ask for, before anything is spent.

The same generators are gone through with models that only seem to answer. Nobody is asked and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from burnish.core.checks import Selection
from burnish.core.documents import Unit
from burnish.core.effects import Answer, Ask, Effect, Keep, ModelRequest, ModelRoles, Request, Stop, Tool, about_tokens
from burnish.core.gate import StateTable
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.tasks import Environment, Gathered, Item, Stage, batches_of

REWORKED = 0.05
"""The share of units that a likely bill has mended once."""
USUAL_REASONING = 60
"""Tokens of the few sentences that models are asked to give before their answer."""
USUAL_EDIT = 50
"""Tokens of one edit: its place, a few words, and what takes their place."""
Reply = Callable[[ModelRequest], object | None]
"""What a model is pretended to answer; None: nothing that can be used."""


@dataclass(frozen=True, slots=True)
class Charge:
    """A request that a run may make."""

    request: ModelRequest
    likely: float = 0.0
    """How often it is likely to be made."""
    most: int = 0
    """How often it is made at most."""
    after: tuple[ModelRequest, ...] = ()
    """Requests whose replies may stand in its prompt by then."""
    room: int = 1
    """How many times the usual room its reply may take."""


@dataclass(frozen=True, slots=True)
class RepairLimits:
    """What the repair of one document may cost, whoever is asked."""

    model: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would become of some units, and the requests for them."""

    units: int = 0
    clean: int = 0
    to_correct: int = 0
    for_a_person: int = 0
    charges: Sequence[Charge] = ()
    is_unique: bool = False
    """Whether a request that is there twice is made once: the journal answers the second time."""
    repairs: RepairLimits | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A document of which the cost is told."""

    name: str
    units: Iterable[Unit]
    """As they are read."""
    context: object
    """What its checks know."""
    preview: Iterable[Unit] = ()
    """The units once more, for what has to be known of all of them before the first."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a forecast is made of: the documents of a run, its rules and its models."""

    documents: Sequence[Document]
    selection: Selection
    roles: ModelRoles
    options: Mapping[str, Any] = field(default_factory=dict)
    overview: Mapping[str, Any] = field(default_factory=dict)
    off: Collection[str] = ()
    """Rules about documents as wholes that say nothing."""


def usual_tokens(ask: Request) -> int:
    """About how many tokens a usual answer has: one that objects to nothing, with a few sentences of reasoning."""
    if ask.usual is not None:
        return ask.usual
    from burnish.core.replies import reply_schema

    empty = about_tokens(orjson.dumps(_unobjecting(reply_schema(ask.reply, ask.scores))).decode())
    return empty + USUAL_REASONING + (USUAL_EDIT if ask.reply == "edit_reply" else 0)


def _unobjecting(node: Mapping[str, Any]) -> object:
    """Return a value that fits a schema: lists are empty, of several possibilities it is the first."""
    if "properties" in node:
        return {name: _unobjecting(child) for name, child in node["properties"].items()}
    if "anyOf" in node:
        return _unobjecting(node["anyOf"][0])
    plain = {"array": [], "string": "", "boolean": True, "integer": 1, "number": 0.95, "null": None}
    return node["enum"][0] if "enum" in node else plain[node.get("type", "string")]


def requests_of(work: Generator[Effect, Any, Any], reply: Reply) -> Iterator[tuple[ModelRequest, ...]]:
    """Everything that the work asks for while it hears such answers, step by step. Nobody is asked."""
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
            heard = [(request.model, reply(request)) for request in effect.requests]
            none = "reply_unreadable: nobody was asked"
            sent = tuple(Answer(model, said, none if said is None else None) for model, said in heard)
        elif isinstance(effect, Keep):
            numbers[effect.unit.id] = sent = numbers.get(effect.unit.id, 0) + 1
        elif isinstance(effect, Tool):
            sent = tuple("" for _ in effect.texts)


# -- units in phases


class Phased(Protocol):
    """A kind whose units move through phases, and what may become of them."""

    @property
    def states(self) -> StateTable: ...

    @property
    def out_of_scope(self) -> str: ...

    @property
    def phases(self) -> tuple[str, ...]: ...

    @property
    def most_attempts(self) -> int:
        """How often a unit may be reviewed before a person has to look at it."""
        ...

    def admitted(self, unit: Unit) -> Stop: ...

    def to_record(self, unit: Unit) -> Mapping[str, Any]: ...

    def stage(self, name: str, env: Environment) -> Stage: ...

    def prepared(self, units: Iterable[Unit], env: Environment) -> Gathered: ...

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered: ...

    def pretended(self, unit: Unit) -> Unit:
        """Return a unit with a draft as long as one is likely to be."""
        ...

    def pretended_failure(self, draft: Unit) -> AttemptRecord:
        """Return a review that such a draft did not pass: number 2, behind the draft itself."""
        ...


@dataclass(slots=True)
class Pretended:
    """Units as they would be, laid side by side."""

    units: list[Unit] = field(default_factory=list)

    def beside(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        at = row.position
        return self.units[max(at - before, 0) : at], self.units[at + 1 : at + 1 + after]

    def is_settled(self, unit: str) -> bool:
        return True


def phase_forecasts(kind: Phased, run: Rehearsal) -> Iterator[Forecast]:
    """One forecast for each phase that asks models: a first answer that is taken makes the likely bill, answers that
    can never be used the highest."""
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
    """What a phase asks for, and about how many units. `failed`: behind a review that they did not pass."""
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
