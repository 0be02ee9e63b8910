"""Effects: what the work on content may ask for, so that the work itself touches nothing; requests and answers as data.

The work on a task is a plain generator. It yields effects and is sent back what came of them; an interpreter
(`engine.interpreters`) asks the models, writes the journal and keeps the time. Given the same answers it does the same,
so a run that was killed goes through its open tasks again, with every recorded answer at hand.

    answers = yield from ask_together([ModelRequest(ask, model), ...])
    number = yield Keep(unit, "model", ...)
    yield from tell("batch_started", data={...})
    yield Move(unit, "correcting")
    return Outcome(...)

An interpreter may close the generator at an Ask (a model is away, a limit is met): nothing is written for it and the
task stays open. Work that cannot do without a model that is away raises ModelAway itself, with the same result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.documents import Unit
from burnish.core.errors import ModelAway
from burnish.core.findings import Finding
from burnish.core.records import Cause, Usage

BYTES_PER_TOKEN = 4
"""Measured with the tokenisers cl100k and o200k: .22 to .28 tokens a character of English, Spanish and JSON, .38 to .63
a Cyrillic letter, about .8 a Chinese one."""


def about_tokens(text: str) -> int:
    """About how many tokens models make of a text: a fair guess, where a budget takes one that is rather too high."""
    return len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1


@dataclass(frozen=True, slots=True)
class Request:
    """Everything about a request that does not depend on which model answers it."""

    role: str
    """Which model role is asked, such as `corrector` or `reviewer`."""
    unit: str
    prompt: str
    """Package and name of the prompt file, such as `burnish.kinds.questions.prompts:correct`."""
    reply: str
    """Name of the reply's shape in `core.replies`."""
    trusted: Mapping[str, str]
    """Values that we or the operator wrote."""
    untrusted: Mapping[str, str]
    """Content. It goes between fences and has no authority."""
    max_tokens: int
    """How long the answer may be."""
    usual: int | None = None
    """About how many tokens a usual answer has, where that follows from the content; None: it repeats none of it."""
    scores: tuple[str, ...] | None = None
    """The criteria or dimensions that are asked for; None: all that the reply knows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request. Exactly one of `reply` and `failure` is there."""

    model: str
    reply: object | None
    failure: str | None = None
    """`model_failed` or `reply_unreadable`, with the reason behind a colon."""
    calls: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """How long the call took when it was made: the same on resume."""
    refused: bool = False
    """The endpoint is there, and would not answer this very request: another one may be answered."""
    away: bool = False
    """The model is away, and whoever asked can do without it: another model takes the role."""

    def as_outage(self) -> ModelAway:
        """What to raise where nobody can do without it after all."""
        return ModelAway(self.model, (self.failure or "").removeprefix("model_failed: "))


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, put to one model."""

    ask: Request
    model: str
    is_optional: bool = False
    """Another model can take the role. Where this one is away, the answer says so; else the work waits for it."""
    goes_on: bool = False
    """It is asked after others because it shows what came of them, not because they failed: an estimate counts it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests that may run at the same time. Sent back: their answers, in the same order."""

    requests: tuple[ModelRequest, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened, for the journal and for those who watch."""

    type: str
    unit: str | None
    data: Mapping[str, Any]
    key: str | None = None
    """Under which it is written once at most; None: the place in the work."""


@dataclass(frozen=True, slots=True)
class Move:
    """The unit enters a state while it is worked on."""

    unit: str
    state: str


@dataclass(frozen=True, slots=True)
class Keep:
    """One attempt at a unit, with its review and its verdict. Sent back: its number."""

    unit: Unit
    cause: Cause
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    passed: bool = False
    failure: str | None = None
    edits: tuple[Mapping[str, Any], ...] = ()
    receipt: Mapping[str, Any] | None = None
    usage: Usage | None = field(default_factory=Usage)
    """None: what its calls have cost and no attempt before it was charged for."""
    calls: tuple[str, ...] = ()
    checked: Mapping[str, Any] = field(default_factory=dict)
    """What the rules did beyond their findings; empty where they were not run."""
    best: int | None = None
    """The number of the attempt that counts from now on; None: that is said at the end."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Texts for a translator that is no language model. Sent back: their translations in the same order."""

    tool: str
    """Such as `apertium:eng-spa`."""
    texts: tuple[str, ...]


Effect = Ask | Note | Keep | Move | Tool
"""What work may ask for."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A state that a unit passes through or comes to rest in."""

    state: str
    reason: str | None = None
    rules: tuple[str, ...] = ()
    """The rules that the reason is about."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one unit."""

    unit: str
    """Its own id."""
    states: tuple[Stop, ...]
    """Every state it passes, in order. Each move is checked against the kind's table."""
    drafts: tuple[Keep, ...] = ()
    """Attempts that are written with the outcome, where they were not kept on the way."""
    told: tuple[Note, ...] = ()
    stands: int | None = None
    """The number of the attempt that counts; None: the last draft, or the one that counted if there is no new one."""


@dataclass(frozen=True, slots=True)
class Blocker:
    """Something that keeps the run from being published and is no unit's fault: a person has to decide on it."""

    key: str
    """The same whenever the same thing is met, and in the order in which blockers are numbered."""
    reason: str
    record: Mapping[str, Any]
    """What there is to show, as the kind's `blocker` reads it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task. It is written in one transaction; units that it does not name stay where they are."""

    units: tuple[Settled, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    status: str = ""
    """How the work on a whole document ended, in the kind's own words, such as `accepted_warning`."""
    reason: str = ""
    """Why it ended so."""
    result: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that the kind wants to say of the document, ready for JSON."""

    def units_in(self, state: str) -> list[str]:
        """Return the units that come to rest in a state."""
        return [one.unit for one in self.units if one.states[-1].state == state]


Work = Generator[Effect, Any, Outcome]
"""The work on one task."""


def ask_together(requests: Iterable[ModelRequest]) -> Generator[Effect, Any, tuple[Answer, ...]]:
    """The answers to all requests; no request, no step."""
    wanted = tuple(requests)
    if not wanted:
        return ()
    answers: tuple[Answer, ...] = yield Ask(wanted)
    return answers


def tell(type: str, unit: str | None = None, **data: Any) -> Generator[Effect, Any, None]:
    """Write something down."""
    yield Note(type, unit, data)


def draft(attempt: Keep) -> Generator[Effect, Any, int]:
    """Keep an attempt; its number."""
    number: int = yield attempt
    return number


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """Which model has which role."""

    judges: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> model, such as `reviewer`, `patcher`, `generator`."""
    contexts: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Model -> how many tokens it holds, where that is known."""

    def of(self, role: str) -> str | None:
        return self.roles.get(role)

    @property
    def all(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self.judges, *self.roles.values())))
