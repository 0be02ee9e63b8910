"""Procedures: work on a document whose units belong together, written down as a plain generator.

A procedure yields what it wants done and is sent back what came of it. It decides everything and touches nothing:
whoever drives it asks the models, writes the journal and keeps the time. Given the same answers it does the same, so a
run that was killed is resumed by going through it again, with every recorded answer at hand.

    answers = yield from ask_together([Request(ask, model), ...])
    number = yield from draft(Draft(unit, "model", ...))
    yield from tell("batch_started", data={...})
    return Ending(...)
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.asks import Answer, Ask
from burnish.core.documents import Unit
from burnish.core.findings import Finding
from burnish.core.records import Cause, Usage


@dataclass(frozen=True, slots=True)
class Request:
    """One ask, put to one model."""

    ask: Ask
    model: str
    is_optional: bool = False
    """Another model can take the role. Where this one is away, the answer says so; else the work waits for it."""


@dataclass(frozen=True, slots=True)
class Together:
    """Requests that may run at the same time. Sent back: their answers, in the same order."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """Something that happened, for the journal and for whoever watches."""

    type: str
    unit: str | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """One attempt at a unit, with its review and its verdict. Sent back: its number."""

    unit: Unit
    cause: Cause
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    passed: bool = False
    failure: str | None = None
    edits: tuple[Mapping[str, Any], ...] = ()
    receipt: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    checked: Mapping[str, Any] = field(default_factory=dict)
    """What the rules did beyond their findings; empty where they were not run."""


Step = Together | Told | Draft
"""What a procedure may ask for."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Where one unit comes to rest."""

    ready: bool
    """False: it waits for a person."""
    reason: str
    attempt: int
    """The attempt that stands."""
    open_errors: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How the work on a document ended."""

    status: str
    """In the kind's own words, such as `accepted_warning`."""
    reason: str
    """Why it stopped."""
    units: Mapping[str, Rest]
    result: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that the kind wants to say of the document, ready for JSON."""


Procedure = Generator[Step, Any, Ending]
"""The whole work on one document."""


def ask_together(requests: Iterable[Request]) -> Generator[Step, Any, tuple[Answer, ...]]:
    """The answers to all requests; no request, no step."""
    wanted = tuple(requests)
    if not wanted:
        return ()
    answers: tuple[Answer, ...] = yield Together(wanted)
    return answers


def tell(type: str, unit: str | None = None, **data: Any) -> Generator[Step, Any, None]:
    """Write something down."""
    yield Told(type, unit, data)


def draft(attempt: Draft) -> Generator[Step, Any, int]:
    """Keep an attempt; its number."""
    number: int = yield attempt
    return number


@dataclass(frozen=True, slots=True)
class Seats:
    """Which model sits where."""

    judges: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> model, such as `reviewer`, `patcher`, `generator`."""

    def of(self, role: str) -> str | None:
        return self.roles.get(role)

    @property
    def all(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self.judges, *self.roles.values())))


@dataclass(frozen=True, slots=True)
class Round:
    """What one go at a document starts from. A person who sends units back begins another round."""

    number: int
    units: tuple[Unit, ...]
    """Every unit as it stands when the round begins, in document order."""
    attempts: Mapping[str, int]
    """Unit -> how many attempts it has had before."""
    notes: Mapping[str, str]
    """Unit -> what a person wrote when sending it back."""
    settled: frozenset[str]
    """Units that a person has accepted or written: nothing touches them any more."""
    seats: Seats = Seats()
    """Who sits where. It stays so for the whole round: other models begin another one."""
