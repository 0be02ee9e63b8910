"""Effects: the requests that work on content makes, so that the work itself has no side effects; requests and answers.

The work on a task is a plain generator. It yields effects and is sent their results; an interpreter
(`engine.interpreters`) asks the models, writes the journal and keeps the time. The same answers give the same work, so
a killed run repeats its open tasks with the recorded answers.

    answers = yield from ask_together([ModelRequest(ask, model), ...])
    number = yield Keep(unit, "model", ...)
    yield from note("batch_started", data={...})
    yield Move(unit, "correcting")
    return Outcome(...)

An interpreter may close the generator at an Ask (a model is away, a limit is reached): nothing is recorded for it and
the task stays open. Work that cannot continue without a model that is away raises ModelAway, with the same result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.documents import Unit
from burnish.core.errors import BurnishError, ModelAway
from burnish.core.findings import Finding
from burnish.core.records import Cause, Usage

BYTES_PER_TOKEN = 4
"""Measured with the tokenisers cl100k and o200k: .22 to .28 tokens per character of English, Spanish and JSON, .38 to
.63 per Cyrillic letter, about .8 per Chinese character."""


def about_tokens(text: str) -> int:
    """Estimate the tokens of a text: a fair count, while a budget uses a high one."""
    return len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a request that do not depend on the model."""

    role: str
    """The model role, such as `corrector` or `reviewer`."""
    unit: str
    prompt: str
    """Package and name of the prompt file, such as `burnish.kinds.questions.prompts:correct`."""
    reply: str
    """Name of the reply in `core.replies`."""
    trusted: Mapping[str, str]
    """Values from us or the operator."""
    untrusted: Mapping[str, str]
    """Content. It is put between fences and has no authority."""
    max_tokens: int
    """The limit of the answer."""
    usual: int | None = None
    """Tokens of a usual answer, if that depends on the content; None: it repeats no content."""
    scores: tuple[str, ...] | None = None
    """The criteria or dimensions to score; None: all those of the reply."""
    item: str | None = None
    """The item that it is about, by its id in the prompt and in the reply, if `core.together` may join it with others;
    None: it is asked as it is."""
    parts: tuple[Request, ...] = ()
    """The requests about one item each that it joins; empty: it joins none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request. Either `reply` or `failure` is None."""

    model: str
    reply: object | None
    failure: str | None = None
    """`model_failed` or `reply_unreadable`, with the reason after a colon."""
    calls: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """The duration of the original call: the same on resume."""
    refused: bool = False
    """The endpoint is available but refused this request: others may succeed."""
    away: bool = False
    """The model is away, but the request was optional: another model takes the role."""

    def as_outage(self) -> ModelAway:
        """Return the error to raise if the work needs this model after all."""
        return ModelAway(self.model, (self.failure or "").removeprefix("model_failed: "))


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to one model."""

    ask: Request
    model: str
    is_optional: bool = False
    """Another model can take the role: if this one is away, the answer says so instead of parking the work."""
    goes_on: bool = False
    """It follows other requests because it shows their results, not because they failed: estimates count it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests that may run at the same time. Sends back their answers in the same order."""

    requests: tuple[ModelRequest, ...]
    may_be_late: bool = False
    """An interpreter may send back Late in place of an answer."""


@dataclass(frozen=True, slots=True)
class Late:
    """There is no answer now: a limit is reached, a model is away, or the call waits for a batch. The task stays open;
    what does not need the answer may be settled before the work raises the reason."""

    reason: BurnishError


@dataclass(frozen=True, slots=True)
class Note:
    """An event for the journal and for observers."""

    type: str
    unit: str | None
    data: Mapping[str, Any]
    key: str | None = None
    """The key under which it is written at most once; None: its place in the work."""


@dataclass(frozen=True, slots=True)
class Move:
    """The unit enters a state during the work."""

    unit: str
    state: str


@dataclass(frozen=True, slots=True)
class Keep:
    """One attempt at a unit, with its review and verdict. Sends back its number."""

    unit: Unit
    cause: Cause
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    passed: bool = False
    failure: str | None = None
    edits: tuple[Mapping[str, Any], ...] = ()
    receipt: Mapping[str, Any] | None = None
    usage: Usage | None = field(default_factory=Usage)
    """None: the cost of its calls that no earlier attempt was charged for."""
    calls: tuple[str, ...] = ()
    checked: Mapping[str, Any] = field(default_factory=dict)
    """Results of the rules besides findings; empty if they were not run."""
    best: int | None = None
    """The number of the current best attempt; None: it is set at the end."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Texts for a translator that is not a language model. Sends back their translations in the same order."""

    tool: str
    """For example `apertium:eng-spa`."""
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """A state that a unit passes through or ends in."""

    state: str
    reason: str | None = None
    rules: tuple[str, ...] = ()
    """The rules that the reason refers to."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The result for one unit."""

    unit: str
    """The unit's id."""
    states: tuple[Stop, ...]
    """All states it passes, in order. Each move is checked against the kind's table."""
    drafts: tuple[Keep, ...] = ()
    """Attempts that are written with the outcome, if they were not kept earlier."""
    notes: tuple[Note, ...] = ()
    best: int | None = None
    """The number of the best attempt; None: the last draft, or the previous best if there is no new draft."""


Effect = Ask | Note | Keep | Move | Tool | Settled
"""Everything that work may yield. A unit that is settled before the others of its task is yielded as it is."""


@dataclass(frozen=True, slots=True)
class Blocker:
    """Something that keeps the run from being published but concerns no single unit: a person must decide."""

    key: str
    """Identifies the blocker; blockers are numbered in the order of their keys."""
    reason: str
    record: Mapping[str, Any]
    """Data to show, as the kind's `blocker` reads it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a task, written in one transaction. Units that it does not name keep their state."""

    units: tuple[Settled, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    status: str = ""
    """How the work on a whole document ended, in the kind's terms, such as `accepted_warning`."""
    reason: str = ""
    """The reason for the status."""
    result: Mapping[str, Any] = field(default_factory=dict)
    """Further results of the kind for the document, ready for JSON."""

    def units_in(self, state: str) -> list[str]:
        """Return the units that end in a state."""
        return [one.unit for one in self.units if one.states[-1].state == state]


Work = Generator[Effect, Any, Outcome]
"""The work on one task."""


def ask_together(requests: Iterable[ModelRequest]) -> Generator[Effect, Any, tuple[Answer, ...]]:
    """Ask all requests at the same time and return the answers; do nothing without requests."""
    asked = tuple(requests)
    if not asked:
        return ()
    answers: tuple[Answer, ...] = yield Ask(asked)
    return answers


def note(type: str, unit: str | None = None, **data: Any) -> Generator[Effect, Any, None]:
    """Record an event."""
    yield Note(type, unit, data)


def draft(attempt: Keep) -> Generator[Effect, Any, int]:
    """Keep an attempt and return its number."""
    number: int = yield attempt
    return number


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """The models for each role."""

    judges: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> model, such as `reviewer`, `patcher`, `generator`."""
    contexts: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Model -> the size of its context in tokens, if known."""
    replies: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Model -> the most tokens of a reply besides thinking, if known."""

    def of(self, role: str) -> str | None:
        return self.roles.get(role)

    @property
    def all(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self.judges, *self.roles.values())))
