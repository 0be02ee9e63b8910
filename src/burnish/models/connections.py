"""Connections to providers through pydantic-ai, kept for one event loop.

Imported when the first call is made, because the libraries take seconds to load. The endpoint and the key come from the
operator's settings and environment, never from content.
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
"""The most bytes of an answer that are read; a longer answer is an error."""
LONGEST_RESULTS = 1_000_000_000
"""The most bytes of a batch's answers that are read, line by line."""
RESULTS = ("/content", "/results")
"""Ends of the paths of a batch's answers, which are streamed."""
PACKED = ("gzip", "x-gzip", "deflate")
EITHER_HEAD = 32 + zlib.MAX_WBITS
"""Makes zlib accept the headers of both gzip and deflate."""
PLACEHOLDER_KEY = "no-key-set"
"""SDKs require a key; servers at an operator's base URL often do not."""
OLLAMA_ADDRESS = "http://127.0.0.1:11434/v1"
"""Ollama's default address."""
CLIENTS_OF_THEIR_OWN = frozenset({"groq", "cohere", "huggingface"})
"""Providers whose packages do not accept our HTTP client; their answers are taken from the library."""
CACHE_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "anthropic": {"anthropic_cache_instructions": True},
    "bedrock": {"bedrock_cache_instructions": True},
}
"""Providers that cache only marked text, and the mark after the system part. All others cache by themselves."""
LEAST_BUDGET = 1_024
"""The smallest thinking budget that Claude models accept."""
AS_THEY_ARE = ModelProfile(json_schema_transformer=None)
"""Keeps the library from transforming our schemas at each call: they are strict already."""


@dataclass(frozen=True, slots=True)
class Captured:
    """An HTTP answer as received."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_captured: ContextVar[list[Captured]] = ContextVar("captured")
"""The answers to the current task's request. Each request sets a list of its own."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A model that is ready for requests."""

    model: Model[Any]
    wants_max_tokens: bool
    """Whether the limit must be called `max_tokens`. Ollama and older llama.cpp silently ignore OpenAI's newer name,
    `max_completion_tokens`, and then write without end; OpenAI's newer models refuse the older name."""

    async def request(self, call: Call, captured: list[Captured], timeout: float) -> ModelResponse:
        """Return the answer as the library reads it; every HTTP answer is added to `captured`, even after an error."""
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
            # The library's budgets are larger than our room, and Anthropic requires a budget below the limit.
            del settings["thinking"]
            if call.thinking >= LEAST_BUDGET:
                settings["anthropic_thinking"] = {"type": "enabled", "budget_tokens": call.thinking}
                settings.pop("temperature", None)  # refused together with a budget
        if call.seed is not None:
            settings["seed"] = call.seed
        return settings  # type: ignore[return-value]  # a TypedDict with provider-specific keys

    def _parameters(self, call: Call) -> ModelRequestParameters:
        """Return settings for native JSON-schema output if the model supports it, otherwise for a tool.

        Models that think cannot be forced to use a tool, so the schema would not be enforced.
        """
        schema = dict(call.schema)
        if self.model.profile.get("supports_json_schema_output", False):
            if call.provider == "anthropic":  # the only provider that sends no name with the schema
                schema["description"] = call.reply_name
            shape = OutputObjectDefinition(name=call.reply_name, json_schema=schema, strict=True)
            return ModelRequestParameters(output_mode="native", output_object=shape)
        tool = ToolDefinition(
            name=call.reply_name, description="Your answer.", parameters_json_schema=schema, kind="output"
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _marked(call: Call) -> str | list[UserContent]:
    """Return the user's part, with a cache mark after the shared text if the provider needs one. Otherwise it stays
    one text: not every server accepts a list."""
    if not call.shared or call.provider not in CACHE_SETTINGS:
        return call.user
    return [call.user[: call.shared], CachePoint(), call.user[call.shared :]]


@dataclass(slots=True)
class Connections:
    """The HTTP client and the model objects of one event loop; neither can be used in another loop."""

    endpoint: Endpoint
    environ: Mapping[str, str]
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Base URLs of single providers, by name; they override the endpoint's."""
    transport: httpx2.AsyncBaseTransport | None = None
    """Replaces the network."""
    _client: httpx2.AsyncClient | None = None
    _models: dict[str, Connected] = field(default_factory=dict)

    def model(self, name: str) -> Connected:
        """Return the model object for a `provider:model` string. Building one costs milliseconds, so it is kept."""
        if name not in self._models:
            self._models[name] = Connected(self._build(name), self._wants_max_tokens(name))
        return self._models[name]

    def refuse_unknown(self, name: str) -> None:
        """Raise UsageError if the model's provider is unknown. Neither its package nor a key is needed."""
        provider = name.partition(":")[0]
        if provider in OPENAI_NAMES or provider == "anthropic" or self._base_url(provider) is not None:
            return
        try:
            infer_provider_class(provider)
        except ImportError:
            return  # known, but not installed: prices are compared before a provider is chosen
        except ValueError as error:
            raise _cannot_be_used(name, error) from None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = None
        self._models.clear()

    def _build(self, name: str) -> Model[Any]:
        # Usage is read from the HTTP answer (see envelopes); the library's warnings about it are not needed.
        warnings.filterwarnings("ignore", message="Failed to extract usage")
        # Models that think take no temperature; the settings page says so, not the screen during the run.
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
        """Return the arguments of every SDK's client."""
        key = self._key(provider, base_url)
        return {"api_key": key, "http_client": self._http(), "timeout": self._timeout, "max_retries": 0}

    def _anthropic(self, model_name: str, base_url: str | None) -> Model[Any]:
        # Takes a second longer to load than all the others together.
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(
            # This SDK adds /v1 itself, the others expect it in the URL: one --base-url serves both.
            base_url=base_url.rstrip("/").removesuffix("/v1") if base_url else None,
            **self._given("anthropic", base_url),
        )
        return AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=client), profile=AS_THEY_ARE)

    def _other_provider(self, provider: str) -> Provider[Any]:
        """Return any other provider that pydantic-ai knows, at its own address."""
        kind: Any = infer_provider_class(provider)
        if provider == "bedrock":
            os.environ.setdefault("AWS_MAX_ATTEMPTS", "1")  # the only way to turn off its package's retries
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
        """Limit only connecting: the time for an answer depends on the call (`Connected.request`)."""
        return httpx2.Timeout(None, connect=self.endpoint.connect_timeout)

    def _http(self) -> httpx2.AsyncClient:
        if self._client is None:
            self._client = httpx2.AsyncClient(
                transport=self.transport,
                timeout=self._timeout,
                limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
                headers={"accept-encoding": "identity"},
                follow_redirects=False,  # the prompt and the key go only to the operator's address
                event_hooks={"request": [_hide_password], "response": [_capture]},
            )
        return self._client


def _cannot_be_used(name: str, error: Exception) -> UsageError:
    """Return a UsageError that says why a model cannot be built and what to do."""
    provider = name.partition(":")[0]
    reason = re.sub(r" or pass it via `[^`]*`", "", str(error).partition(" To try Pydantic AI")[0])
    hint = "`burnish models` shows what is configured. Keys are read from the environment."
    if isinstance(error, ImportError):
        reason = f"the package for {provider} is not installed."
        hint = f"Install it: pip install 'burnish[{extra_for(provider)}]'."
    elif str(error).startswith("Unknown provider"):
        reason = f"{provider} is not a provider."
        meant = suggestion(name)
        hint = "docs/guides/models.md lists them. With --base-url any name works, for a server of your own."
        hint = f"Did you mean `{meant}`?" if meant else hint
    return UsageError(f"The model {name} cannot be used: {reason}", hint=hint)


class UnusableBody(httpx2.ReadError):
    """The answer is too long or cannot be decompressed: the same request would give the same answer."""


class BoundedStream(httpx2.AsyncByteStream):
    """Decompresses a stream, and raises UnusableBody if it gets too long."""

    def __init__(self, stream: httpx2.AsyncByteStream, encoding: str, most: int) -> None:
        self._stream = stream
        self._most = most
        self._encoding = encoding.strip().lower()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._encoding not in ("", "identity", *PACKED):
            raise UnusableBody(f"the answer is compressed as {self._encoding}, which was not requested")
        packed = zlib.decompressobj(wbits=EITHER_HEAD) if self._encoding in PACKED else None
        left = self._most
        async for chunk in self._stream:
            plain = chunk if packed is None else _unpacked(packed, chunk, left + 1)
            left -= len(plain)
            if left < 0:
                raise UnusableBody(f"the answer is longer than {self._most:,} bytes")
            yield plain
        if packed is not None and not packed.eof:
            raise httpx2.ReadError("the compressed answer breaks off")

    async def aclose(self) -> None:
        await self._stream.aclose()


def _unpacked(packed: zlib._Decompress, chunk: bytes, most: int) -> bytes:
    try:
        return packed.decompress(chunk, most)
    except zlib.error as error:
        raise UnusableBody(f"the answer cannot be decompressed ({error})") from None


async def _hide_password(request: httpx2.Request) -> None:
    """Remove a password from the URL, which the library would log. It was already made into a header."""
    if request.url.userinfo:
        request.url = request.url.copy_with(userinfo=b"")


async def _capture(response: httpx2.Response) -> None:
    """Read the whole answer, up to the limit, before it is interpreted."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    # We decompress it ourselves, because the library would do so without a limit.
    encoding = response.headers.pop("content-encoding", "")
    if response.status_code == 200 and response.request.url.path.endswith(RESULTS):
        response.stream = BoundedStream(response.stream, encoding, LONGEST_RESULTS)
        return
    response.stream = BoundedStream(response.stream, encoding, LONGEST_BODY)
    body = await response.aread()
    _captured.get([]).append(Captured(response.status_code, response.headers, body))
