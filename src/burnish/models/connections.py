"""Connections to providers through pydantic-ai, kept for one event loop.

Imported when the first call is made and not before: the libraries take seconds to load. The endpoint and the key come
from the operator's settings and environment, never from content.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import warnings
import zlib
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

from burnish.core.errors import UsageError
from burnish.models.profiles import OPENAI_NAMES, Endpoint, extra_for, family, key_variable, suggestion, variable_prefix

if TYPE_CHECKING:
    from pydantic_ai.settings import ModelSettings

    from burnish.models.calls import Call

MOST_CONNECTIONS = 1_000
LONGEST_BODY = 16_000_000
"""Bytes of an answer that are read; a server that sends more is cut off."""
LONGEST_RESULTS = 1_000_000_000
"""Bytes of a batch's answers that are read, line by line."""
RESULTS = ("/content", "/results")
"""How the paths end at which a batch's answers are: they are not read at once."""
PACKED = ("gzip", "x-gzip", "deflate")
EITHER_HEAD = 32 + zlib.MAX_WBITS
"""Tells zlib to take what gzip and deflate begin with."""
PLACEHOLDER_KEY = "no-key-set"
"""SDKs insist on a key; servers behind a base URL of the operator's own often want none."""
OLLAMA_ADDRESS = "http://127.0.0.1:11434/v1"
"""Where Ollama listens unless it was told otherwise."""
CLIENTS_OF_THEIR_OWN = frozenset({"groq", "cohere", "huggingface"})
"""Providers whose packages refuse our HTTP client; what they send back is taken from the library."""
CACHE_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "anthropic": {"anthropic_cache_instructions": True},
    "bedrock": {"bedrock_cache_instructions": True},
}
"""Providers that cache only what is marked, and the mark after the system part. All others cache by themselves."""
LEAST_BUDGET = 1_024
"""Tokens that a Claude which thinks by a budget may be given at least."""
AS_THEY_ARE = ModelProfile(json_schema_transformer=None)
"""The library makes schemas strict, anew with each call. Ours are strict, so that it changes nothing in them."""


@dataclass(frozen=True, slots=True)
class Captured:
    """An HTTP answer as it came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_captured: ContextVar[list[Captured]] = ContextVar("captured")
"""Where the answers to the current task's request are put. Each request sets a list of its own."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A model ready to be asked."""

    model: Model[Any]
    wants_max_tokens: bool
    """Whether the limit must be called `max_tokens`. OpenAI's newer name, `max_completion_tokens`, is silently ignored
    by Ollama and by older llama.cpp, which then write without end; OpenAI's newer models refuse the older name."""

    async def request(self, call: Call, captured: list[Captured], timeout: float) -> ModelResponse:
        """The answer as the library reads it; what came over the wire is put into `captured`, whatever happens."""
        messages: list[ModelMessage] = [
            ModelRequest(parts=[SystemPromptPart(content=call.system), UserPromptPart(content=_marked(call))])
        ]
        token = _captured.set(captured)
        try:
            async with asyncio.timeout(timeout):
                return await model_request(
                    self.model,
                    messages,
                    model_settings=self._settings(call),
                    model_request_parameters=self._parameters(call),
                )
        finally:
            _captured.reset(token)

    def _settings(self, call: Call) -> ModelSettings:
        settings: dict[str, Any] = {**CACHE_SETTINGS.get(call.provider, {}), **call.extra}
        if self.wants_max_tokens:
            settings["extra_body"] = {**call.extra.get("extra_body", {}), "max_tokens": call.max_tokens}
        else:
            settings["max_tokens"] = call.max_tokens
        if call.temperature is not None:
            settings["temperature"] = call.temperature
        profile: Mapping[str, Any] = self.model.profile
        by_budget = profile.get("supports_thinking") and not profile.get("anthropic_supports_adaptive_thinking")
        if call.provider == "anthropic" and call.extra.get("thinking") and by_budget:
            # The library's budgets are larger than our room, and Anthropic refuses one that is not below the limit.
            del settings["thinking"]
            if call.thinking >= LEAST_BUDGET:
                settings["anthropic_thinking"] = {"type": "enabled", "budget_tokens": call.thinking}
                settings.pop("temperature", None)  # refused beside a budget
        if call.seed is not None:
            settings["seed"] = call.seed
        return settings  # type: ignore[return-value]  # a TypedDict with provider-specific keys

    def _parameters(self, call: Call) -> ModelRequestParameters:
        """Native JSON-schema output where the model has it, a tool elsewhere.

        Models that think may not be forced to use a tool: then nothing would hold them to the schema.
        """
        schema = dict(call.schema)
        if self.model.profile.get("supports_json_schema_output", False):
            if call.provider == "anthropic":  # the only one that sends no name beside the schema
                schema["description"] = call.reply_name
            shape = OutputObjectDefinition(name=call.reply_name, json_schema=schema, strict=True)
            return ModelRequestParameters(output_mode="native", output_object=shape)
        tool = ToolDefinition(
            name=call.reply_name, description="Your answer.", parameters_json_schema=schema, kind="output"
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _marked(call: Call) -> str | list[UserContent]:
    """Return the user's part, with a mark after what other calls share where the provider needs one. (Elsewhere it
    stays one text: not every server takes a list.)"""
    if not call.shared or call.provider not in CACHE_SETTINGS:
        return call.user
    return [call.user[: call.shared], CachePoint(), call.user[call.shared :]]


@dataclass(slots=True)
class Connections:
    """The HTTP client and the model objects of one event loop: neither survives a second one."""

    endpoint: Endpoint
    environ: Mapping[str, str]
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Base URLs of single providers, by name; they go before the endpoint's."""
    transport: httpx2.AsyncBaseTransport | None = None
    """Takes the place of the network."""
    _client: httpx2.AsyncClient | None = None
    _models: dict[str, Connected] = field(default_factory=dict)

    def model(self, name: str) -> Connected:
        """Return the model object for a `provider:model` string. Building one costs milliseconds, so it is kept."""
        if name not in self._models:
            self._models[name] = Connected(self._build(name), self._wants_max_tokens(name))
        return self._models[name]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = None
        self._models.clear()

    def _build(self, name: str) -> Model[Any]:
        # Usage is read from the wire (see envelopes); the library's trouble with strange usage is not news.
        warnings.filterwarnings("ignore", message="Failed to extract usage")
        # Models that think take no temperature; the settings page says so, not the screen in mid-run.
        warnings.filterwarnings("ignore", message="Sampling parameters")
        provider, _, model_name = name.partition(":")
        base_url = self._base_url(provider)
        try:
            if provider == "anthropic":
                return self._anthropic(model_name, base_url)
            if provider == "ollama":
                ollama = OllamaProvider(openai_client=self._openai_client(provider, base_url))
                return OllamaModel(model_name, provider=ollama, profile=AS_THEY_ARE)
            if provider in OPENAI_NAMES or base_url is not None:
                kind = OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatModel
                served = OpenAIProvider(openai_client=self._openai_client(provider, base_url))
                return kind(model_name, provider=served, profile=AS_THEY_ARE)
            return infer_model(name, lambda _: self._other_provider(provider))
        except (UserError, ValueError, ImportError) as error:
            raise _cannot_be_used(name, error) from None

    def _base_url(self, provider: str) -> str | None:
        variable = f"{variable_prefix(provider)}_BASE_URL"
        default = OLLAMA_ADDRESS if provider == "ollama" else None
        return self.base_urls.get(provider) or self.endpoint.base_url or self.environ.get(variable) or default

    def _wants_max_tokens(self, name: str) -> bool:
        provider, _, model_name = name.partition(":")
        if provider in ("anthropic", "openai-responses") or self._base_url(provider) is None:
            return False
        return provider == "ollama" or family(name) != "gpt" or "gpt-oss" in model_name

    def _openai_client(self, provider: str, base_url: str | None) -> AsyncOpenAI:
        return AsyncOpenAI(base_url=base_url, **self._given(provider, base_url))

    def _given(self, provider: str, base_url: str | None) -> dict[str, Any]:
        """What every SDK's client is made with."""
        key = self._key(provider, base_url)
        return {"api_key": key, "http_client": self._http(), "timeout": self._timeout, "max_retries": 0}

    def _anthropic(self, model_name: str, base_url: str | None) -> Model[Any]:
        # A second longer to load than all the others together.
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(
            # This SDK adds /v1 itself, the others want it in the URL: one --base-url serves both.
            base_url=base_url.rstrip("/").removesuffix("/v1") if base_url else None,
            **self._given("anthropic", base_url),
        )
        return AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=client), profile=AS_THEY_ARE)

    def _other_provider(self, provider: str) -> Provider[Any]:
        """Any other provider that pydantic-ai knows, at its own address."""
        kind: Any = infer_provider_class(provider)
        if provider == "bedrock":
            os.environ.setdefault("AWS_MAX_ATTEMPTS", "1")  # the only way to tell its package not to try again
        given: dict[str, Any] = {"api_key": self.environ.get(key_variable(provider))}
        if provider not in CLIENTS_OF_THEIR_OWN:
            given["http_client"] = self._http()
        taken = inspect.signature(kind).parameters
        made: Provider[Any] = kind(**{name: value for name, value in given.items() if value and name in taken})
        if hasattr(made.client, "max_retries"):
            made.client.max_retries = 0
        return made

    def _key(self, provider: str, base_url: str | None) -> str:
        key = self.environ.get(key_variable(provider))
        if not key and base_url is None:
            raise ValueError(f"the environment variable {key_variable(provider)} is not set.")
        return key or PLACEHOLDER_KEY

    @property
    def _timeout(self) -> httpx2.Timeout:
        """Only connecting is timed here: how long an answer may take depends on the call (`Connected.request`)."""
        return httpx2.Timeout(None, connect=self.endpoint.connect_timeout)

    def _http(self) -> httpx2.AsyncClient:
        if self._client is None:
            self._client = httpx2.AsyncClient(
                transport=self.transport,
                timeout=self._timeout,
                limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
                headers={"accept-encoding": "identity"},
                follow_redirects=False,  # the prompt and the key go to the address that the operator named
                event_hooks={"request": [_hide_password], "response": [_capture]},
            )
        return self._client


def _cannot_be_used(name: str, error: Exception) -> UsageError:
    """What is wrong with a model that cannot be built, and what to do."""
    provider = name.partition(":")[0]
    reason = re.sub(r" or pass it via `[^`]*`", "", str(error).partition(" To try Pydantic AI")[0])
    hint = "`burnish models` shows what is configured. Keys are read from the environment."
    if isinstance(error, ImportError):
        reason = f"the package for {provider} is not installed."
        hint = f"Install it: pip install 'burnish[{extra_for(provider)}]'."
    elif str(error).startswith("Unknown provider"):
        reason = f"{provider} is not a provider."
        meant = suggestion(name)
        hint = "docs/guides/models.md lists them. With --base-url any name is taken for a server of your own."
        hint = f"Did you mean `{meant}`?" if meant else hint
    return UsageError(f"The model {name} cannot be used: {reason}", hint=hint)


class UnusableBody(httpx2.ReadError):
    """An answer that is too long or cannot be unpacked: the same request would bring the same again."""


class BoundedStream(httpx2.AsyncByteStream):
    """A stream that ends with an error where the answer gets too long, unpacked where a server packs it unasked."""

    def __init__(self, stream: httpx2.AsyncByteStream, encoding: str, most: int) -> None:
        self._stream = stream
        self._most = most
        self._encoding = encoding.strip().lower()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._encoding not in ("", "identity", *PACKED):
            raise UnusableBody(f"the answer is packed as {self._encoding}, which nobody asked for")
        packed = zlib.decompressobj(wbits=EITHER_HEAD) if self._encoding in PACKED else None
        left = self._most
        async for chunk in self._stream:
            plain = chunk if packed is None else _unpacked(packed, chunk, left + 1)
            left -= len(plain)
            if left < 0:
                raise UnusableBody(f"the answer is longer than {self._most:,} bytes")
            yield plain
        if packed is not None and not packed.eof:
            raise httpx2.ReadError("the packed answer breaks off")

    async def aclose(self) -> None:
        await self._stream.aclose()


def _unpacked(packed: zlib._Decompress, chunk: bytes, most: int) -> bytes:
    try:
        return packed.decompress(chunk, most)
    except zlib.error as error:
        raise UnusableBody(f"the answer cannot be unpacked ({error})") from None


async def _hide_password(request: httpx2.Request) -> None:
    """A password in the address has become a header by now; left in the address, the library would log it."""
    if request.url.userinfo:
        request.url = request.url.copy_with(userinfo=b"")


async def _capture(response: httpx2.Response) -> None:
    """Read the whole answer, under the limit, before anyone interprets it."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    # We unpack it ourselves: the library would, without a limit.
    encoding = response.headers.pop("content-encoding", "")
    if response.status_code == 200 and response.request.url.path.endswith(RESULTS):
        response.stream = BoundedStream(response.stream, encoding, LONGEST_RESULTS)
        return
    response.stream = BoundedStream(response.stream, encoding, LONGEST_BODY)
    body = await response.aread()
    _captured.get([]).append(Captured(response.status_code, response.headers, body))
