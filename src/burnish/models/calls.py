"""A call to a model as plain data, its reply or fault, and the span that traces it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from burnish.core.documents import digest
from burnish.core.errors import UsageError
from burnish.core.json_bytes import loads
from burnish.core.records import CallRecord, Record
from burnish.models.profiles import suggestion

FaultKind = Literal[
    "rate_limited",
    "server",
    "timeout",
    "connection",
    "rejected",
    "malformed",
    "truncated",
    "refused",
    "withheld",
    "crashed",
    "refused_key",
    "no_credit",
]
"""What went wrong with a try. The first four faults are temporary, the others are not."""

OF_ACCOUNT: frozenset[FaultKind] = frozenset({"refused_key", "no_credit"})
"""Faults of the account: no request of any model at this provider succeeds before a person acts."""

ANSWERED: frozenset[FaultKind] = frozenset({"truncated", "refused", "withheld"})
"""Faults of calls that the model answered and that are paid: repeating the call would only cost again."""

REFUSALS: frozenset[FaultKind] = frozenset({"refused", "withheld"})
"""Answers that concern the content of one request: they say nothing about the answers to others."""

OF_ENDPOINT: frozenset[FaultKind] = frozenset({"rate_limited", "server", "timeout", "connection", "malformed"})
"""Faults of the endpoint: any other request would have failed too."""

ENDPOINT_STATUSES = frozenset({401, 402, 403, 404, 407, 408, 429})
"""The 4xx of the endpoint: no key, no credit, no such model. The others (400, 413, 422) concern the one request."""

FINAL_STATUSES = frozenset({401, 402, 403, 404, 407})
"""Statuses of the endpoint that do not change by waiting."""
OF_CONTENT = re.compile(
    r"content[_ ](?:filter|policy|management|risk|exists)|content exists risk|responsibleai|moderation|data_inspection"
    r"|usage polic|safety system|blocked by content|invalid_prompt",
    re.IGNORECASE,
)
"""Words of a provider that refuses a request for what its content says."""
NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|credit balance|billing[_ ](?:hard[_ ]limit|not[_ ]active|error)"
    r"|(?:no|out of|used all available|not enough) credits?\b|spend(?:ing)?[_ ]limit|arrearage"
    r"|account is not active|specified api usage limits",
    re.IGNORECASE,
)
"""Words of a provider that refuses a request for want of money. "You exceeded your current quota" is not among them:
Gemini says so of a rate that is free again in a minute; OpenAI adds the code `insufficient_quota`."""
CREDIT_STATUSES = frozenset({400, 402, 403, 429})
"""Statuses with which providers tell that the credit is used up: 429 OpenAI, 400 Anthropic, 402 most others."""
TOLD = ("message", "code", "type", "status", "reason", "detail")
"""Fields of a provider's error that are its own words. Other fields may repeat the request, with its content."""
LONGEST_TOLD = 300
"""Characters of each field that are read; longer ones may repeat the request."""

SAME_MODEL = re.compile(r"(?:\d+b?|preview|instruct)*")
"""What one name of a model may have at its end and another not: a date, a size, a stage. `mini` is another model."""

KEY_VERSION = "call/1"
"""Raised when the meaning of a key changes, so that old recorded replies are not reused."""


@dataclass(frozen=True, slots=True)
class CallItem:
    """One of several items that a request is about."""

    id: str
    """Its id in the prompt and in the reply."""
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one model. Calls with equal keys may share a reply."""

    model: str
    """`provider:model`."""
    role: str
    """The model role. Not sent, so not part of the key."""
    unit: str
    """The unit of the request. Not sent by itself, so not part of the key."""
    system: str
    user: str
    reply_name: str
    """Name of the reply in `core.replies`, sent as the name of the schema or tool."""
    schema: Mapping[str, Any]
    max_tokens: int
    """Always sent: without it some providers write up to 64,000 tokens."""
    temperature: float | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the model, by pydantic-ai's names, such as `top_p` or `openai_reasoning_effort`."""
    sample: int = 0
    """Incremented to repeat the same request on purpose."""
    thinking: int = 0
    """The part of `max_tokens` for thinking. Only its sum with the room for the answer is sent and part of the key."""
    shared: int = 0
    """How many characters at the start of `user` are common to several calls of the run: providers may cache them."""
    fence: str = ""
    """The token of its fences; it is part of the prompt already."""
    items: tuple[CallItem, ...] = ()
    """Its items, which are part of the prompt already; empty if it is not about several."""
    key: str = field(init=False)
    """Hash of everything that shapes the reply. The endpoint is not part of it: a run may be resumed on another one."""

    def __post_init__(self) -> None:
        if ":" not in self.model:
            meant = suggestion(self.model)
            hint = f"Did you mean `{meant}`?" if meant else "Write provider:model, for example openai:gpt-5-mini."
            raise UsageError(f"{self.model!r} is not a model.", hint=hint)
        if self.max_tokens < 1:
            raise UsageError(f"max_tokens must be at least 1, not {self.max_tokens}.")
        object.__setattr__(self, "key", digest(KEY_VERSION, self.model, self.request()))

    @property
    def provider(self) -> str:
        return self.model.partition(":")[0]

    @property
    def model_name(self) -> str:
        return self.model.partition(":")[2]

    def is_answered_by(self, named: str) -> bool:
        """Return whether a model's name in an answer may be that of the model asked: providers add dates and tags, and
        leave out the vendor or `latest`."""
        short, long = sorted((_plain_name(self.model_name), _plain_name(named)), key=len)
        return not short or (long.startswith(short) and SAME_MODEL.fullmatch(long, len(short)) is not None)

    def as_record(self) -> dict[str, Any]:
        """Return every field, for a call whose answer another process may collect."""
        whole = {"model": self.model, "role": self.role, "unit": self.unit, "thinking": self.thinking}
        return {**whole, **self.request()}

    def request(self) -> dict[str, Any]:
        """Return the request for the journal. No key, no header, no endpoint."""
        return {
            "system": self.system,
            "user": self.user,
            "reply_name": self.reply_name,
            "schema": self.schema,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "extra": self.extra,
            "sample": self.sample,
        }


def _plain_name(model: str) -> str:
    name = model.rpartition("/")[2].partition("@")[0].casefold().removesuffix("latest")
    return "".join(character for character in name if character.isalnum())


@dataclass(frozen=True, slots=True)
class TokenCount:
    """What a provider reports for a try. It may be wrong; the budget checks it."""

    prompt: int
    completion: int
    """Everything that the model wrote, including thinking."""
    reasoning: int = 0
    """The part of the completion that was thinking."""
    cached: int = 0
    """The part of the prompt read from the provider's cache."""
    written: int = 0
    """The part of the prompt written to the cache, for which some providers charge more."""


@dataclass(frozen=True, slots=True)
class RawReply:
    """A model's answer before it is parsed."""

    text: str
    """Exactly what the model wrote."""
    usage: TokenCount | None
    """None if the provider did not report it, or reported something that is not a number."""
    finish: str | None = None
    """Why the model stopped, in the provider's words."""
    duration_ms: int = 0
    model: str | None = None
    """The model's name in the answer; None if it does not say."""


class ProviderFault(Exception):
    """One try failed. The retry loop decides whether there is another."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        body: str = "",
        usage: TokenCount | None = None,
        hint: str | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.kind: FaultKind = kind
        self.message = message
        self.status = status
        self.retry_after = retry_after
        """Seconds that the provider asks us to wait; None if it does not say, or the value is not usable."""
        self.body = body
        """The provider's answer, or as much of it as arrived."""
        self.usage = usage
        self.hint = hint
        self.sent = sent
        """False if no connection was made: the prompt was not read, so it is not billed."""

    @property
    def of_endpoint(self) -> bool:
        """Whether the endpoint is at fault, not the content of this request."""
        if self.kind in OF_ACCOUNT:
            return True
        if self.status is not None and 300 <= self.status < 500:
            return self.status < 400 or self.status in ENDPOINT_STATUSES
        return self.kind in OF_ENDPOINT

    @property
    def is_final(self) -> bool:
        """Whether every other call would fail too: the endpoint is unreachable or has moved, or the key, the credit or
        the model is missing."""
        if self.kind in OF_ACCOUNT:
            return True
        has_moved = self.status is not None and 300 <= self.status < 400
        return has_moved or self.status in FINAL_STATUSES or (self.kind == "connection" and not self.sent)

    @property
    def of_content(self) -> bool:
        """Whether the provider says that the content of this request is at fault: it is too large, or was filtered."""
        return self.status == 413 or (self.kind == "rejected" and OF_CONTENT.search(told(self.body)) is not None)


def refusal(status: int, body: str) -> FaultKind:
    """Return the kind of fault of an answer without a success status."""
    if status == 402 or (status in CREDIT_STATUSES and NO_CREDIT.search(told(body))):
        return "no_credit"
    if status in (401, 429):
        return "refused_key" if status == 401 else "rate_limited"
    return "rejected" if status < 500 else "server"


def told(body: str) -> str:
    """Return the provider's own words in the body of an error."""
    try:
        value = loads(body)
    except ValueError:
        return body[:LONGEST_TOLD]
    value = next(iter(value), None) if isinstance(value, list) else value
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return str(error)[:LONGEST_TOLD]
    inner = error.get("innererror")
    fields = {**(inner if isinstance(inner, dict) else {}), **error}
    return " ".join(str(fields[name])[:LONGEST_TOLD] for name in TOLD if isinstance(fields.get(name), str))


class Provider(Protocol):
    """Sends calls to models. Raises only ProviderFault and UsageError on purpose."""

    async def send(self, call: Call) -> RawReply: ...


class CallLog(Protocol):
    """The log of finished calls. A run's journal is one."""

    def call(self, key: str) -> CallRecord | None:
        """Return the newest record under `key`; a record with status `ok` is never replaced."""
        ...

    def has_answered(self, model: str) -> bool:
        """Return whether the model has answered any call."""
        ...

    def replies(self, role: str, model: str) -> Iterator[tuple[str, str]]:
        """Yield the replies of a model in a role, in order: name of the reply, and text."""
        ...

    def failures(self, key: str, model: str) -> tuple[int, bool]:
        """Return how often a call failed, but for limits of the run, and whether the model answered another since."""
        ...

    async def write(self, *records: Record) -> None:
        """Return once the records are durable."""
        ...


CONVENTIONAL = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "google-cloud": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}
"""Provider -> its `gen_ai.provider.name`, if that differs."""


@contextmanager
def span(name: str, attributes: Mapping[str, Any], *, is_client: bool = False) -> Iterator[Any]:
    """Trace a block with an OpenTelemetry span. Yield None if OpenTelemetry is not loaded."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield None
        return
    kind = trace.SpanKind.CLIENT if is_client else trace.SpanKind.INTERNAL
    given = {key: value for key, value in attributes.items() if value is not None}
    with trace.get_tracer("burnish").start_as_current_span(
        name, kind=kind, attributes=given, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except BaseException as error:
            current.set_attribute("error.type", getattr(error, "code", None) or type(error).__name__)
            current.set_status(trace.StatusCode.ERROR)
            raise


@contextmanager
def call_span(call: Call) -> Iterator[Callable[[CallRecord], None]]:
    """Trace a call with all its tries. Yield a function that adds the figures of its record to the span."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": CONVENTIONAL.get(call.provider, call.provider),
        "gen_ai.request.model": call.model_name,
        "gen_ai.request.max_tokens": call.max_tokens,
        "gen_ai.request.temperature": call.temperature,
        "gen_ai.request.seed": call.seed,
        "gen_ai.output.type": "json",
        "burnish.role": call.role,
        "burnish.unit": call.unit,
    }
    with span(f"chat {call.model_name}", attributes, is_client=True) as current:

        def add_figures(record: CallRecord) -> None:
            if current is not None:
                usage = record.usage
                current.set_attributes(
                    {
                        "gen_ai.usage.input_tokens": usage.prompt_tokens,
                        "gen_ai.usage.output_tokens": usage.completion_tokens,
                        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
                        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
                        "burnish.tries": record.tries,
                        "burnish.status": record.status,
                        **({} if usage.cost is None else {"burnish.cost_usd": usage.cost}),
                        **({} if record.error is None else {"burnish.fault": record.error.partition(":")[0]}),
                    }
                )

        yield add_figures
