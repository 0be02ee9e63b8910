"""Connections to providers through pydantic-ai, built when the first call is made and kept for one event loop.

Nothing here is imported before a model is called: the libraries take seconds to load. The endpoint and the key come
from the operator's settings and environment, never from content.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

from burnish.core.errors import UsageError
from burnish.models.families import family
from burnish.models.turnstile import Turnstile, watch_arrival, watch_departure

if TYPE_CHECKING:
    import ssl

    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile

MOST_CONNECTIONS = 1_000
PLACEHOLDER_KEY = "no-key-set"
"""SDKs insist on a key; servers behind a base URL of the operator's own often want none."""
OPENAI_NAMES = frozenset({"openai", "openai-chat", "openai-responses"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where calls go and how long they may take."""

    base_url: str | None = None
    """None: the provider's own address."""
    timeout: float = 300.0
    """Seconds for one try, from connecting to the last byte."""
    connect_timeout: float = 10.0


@dataclass(frozen=True, slots=True)
class Captured:
    """An HTTP answer as it came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes


CAPTURED: ContextVar[list[Captured]] = ContextVar("captured")
"""Where the answers to the current task's request are put. Each send sets a list of its own."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A model ready to be asked."""

    model: Model[Any]
    wants_max_tokens: bool
    """Whether the limit must be called `max_tokens`. OpenAI's newer name, `max_completion_tokens`, is silently ignored
    by Ollama and by older llama.cpp, which then write without end; OpenAI's newer models refuse the older name."""


@dataclass(slots=True)
class Connections:
    """The HTTP client and the model objects of one event loop: neither survives a second one."""

    endpoint: Endpoint
    environ: Mapping[str, str]
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Base URLs of single providers, by name; they go before the endpoint's."""
    turnstile: Turnstile = field(default_factory=Turnstile)
    _client: httpx2.AsyncClient | None = None
    _models: dict[str, Connected] = field(default_factory=dict)

    def model(self, name: str) -> Connected:
        """The model object for a `provider:model` string. Building one costs milliseconds, so it is kept."""
        if name not in self._models:
            self._models[name] = Connected(self._build(name), self._wants_max_tokens(name))
        return self._models[name]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = None
        self._models.clear()

    def _build(self, name: str) -> Model[Any]:
        from pydantic_ai.exceptions import UserError

        # Usage is read from the wire (see envelopes); the library's trouble with strange usage is not news.
        warnings.filterwarnings("ignore", message="Failed to extract usage")
        provider, _, model_name = name.partition(":")
        base_url = self._base_url(provider)
        try:
            if provider == "anthropic":
                return self._anthropic(model_name, base_url)
            if provider == "ollama" and base_url is not None:
                return self._ollama(model_name, base_url)
            if provider in OPENAI_NAMES or base_url is not None:
                return self._openai(provider, model_name, base_url)
            return self._other(provider, name)
        except (UserError, ValueError, ImportError) as error:
            raise UsageError(
                f"The model {name} cannot be used: {str(error).partition(' To try Pydantic AI')[0]}",
                hint="`burnish models` shows what is configured. Keys are read from the environment.",
            ) from None

    def _base_url(self, provider: str) -> str | None:
        variable = f"{_variable_prefix(provider)}_BASE_URL"
        return self.base_urls.get(provider) or self.endpoint.base_url or self.environ.get(variable)

    def _wants_max_tokens(self, name: str) -> bool:
        provider, _, model_name = name.partition(":")
        if provider in ("anthropic", "openai-responses") or self._base_url(provider) is None:
            return False
        return provider == "ollama" or family(name) != "gpt" or "gpt-oss" in model_name

    def _openai(self, provider: str, model_name: str, base_url: str | None) -> Model[Any]:
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        kind = OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatModel
        served = OpenAIProvider(openai_client=self._openai_client(provider, base_url))
        return kind(model_name, provider=served, profile=_schemas_as_they_are())

    def _ollama(self, model_name: str, base_url: str) -> Model[Any]:
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        served = OllamaProvider(openai_client=self._openai_client("ollama", base_url))
        return OllamaModel(model_name, provider=served, profile=_schemas_as_they_are())

    def _openai_client(self, provider: str, base_url: str | None) -> AsyncOpenAI:
        from burnish.models.completions import PlainClient

        return PlainClient(
            base_url=base_url,
            api_key=self._key(provider, base_url),
            http_client=self._http(),
            timeout=self.endpoint.timeout,
            max_retries=0,
        )

    def _anthropic(self, model_name: str, base_url: str | None) -> Model[Any]:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(
            # This SDK adds /v1 itself, the others want it in the URL: one --base-url serves both.
            base_url=base_url.rstrip("/").removesuffix("/v1") if base_url else None,
            api_key=self._key("anthropic", base_url),
            http_client=self._http(),
            timeout=self.endpoint.timeout,
            max_retries=0,
        )
        return AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=client))

    def _other(self, provider: str, name: str) -> Model[Any]:
        """Any other provider that pydantic-ai knows, at its own address."""
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import Provider, infer_provider_class

        def connected(_: str) -> Provider[Any]:
            kind: Any = infer_provider_class(provider)
            given = {"http_client": self._http(), "api_key": self.environ.get(f"{_variable_prefix(provider)}_API_KEY")}
            taken = inspect.signature(kind).parameters
            made: Provider[Any] = kind(**{name: value for name, value in given.items() if value and name in taken})
            if hasattr(made.client, "max_retries"):
                made.client.max_retries = 0
            return made

        return infer_model(name, connected)

    def _key(self, provider: str, base_url: str | None) -> str:
        variable = key_variable(provider)
        key = self.environ.get(variable)
        if key:
            return key
        if base_url is None:
            raise ValueError(f"the environment variable {variable} is not set.")
        return PLACEHOLDER_KEY

    def _http(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            timeout = self.endpoint.timeout
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(timeout, connect=self.endpoint.connect_timeout, pool=None),
                limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
                headers={"accept-encoding": "identity"},  # a compressed bomb would pass the limit on bytes
                event_hooks={"request": [_hide_password, watch_departure], "response": [_capture, watch_arrival]},
                transport=None if _has_proxy() else _lanes(),
            )
        return self._client


def key_variable(provider: str) -> str:
    """The environment variable in which a provider's key is looked for."""
    return f"{_variable_prefix(provider)}_API_KEY"


def _variable_prefix(provider: str) -> str:
    return "OPENAI" if provider in OPENAI_NAMES else provider.upper().replace("-", "_")


def _schemas_as_they_are() -> ModelProfile:
    """The library makes schemas strict, anew with each call. Ours are strict, so that it changes nothing in them."""
    from pydantic_ai.profiles import ModelProfile

    return ModelProfile(json_schema_transformer=None)


def _has_proxy() -> bool:
    """Whether the environment names a proxy: the library finds the way through it only with a transport of its own."""
    proxies = getproxies()
    return any(proxies.get(scheme) for scheme in ("http", "https", "all"))


def _lanes() -> httpx2.AsyncBaseTransport:
    import httpx2

    from burnish.models.wire import Lanes

    certificates = _certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1)
    return Lanes(lambda: httpx2.AsyncHTTPTransport(verify=certificates, limits=limits))


@cache
def _certificates(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Shared by all connections and event loops: reading them takes as long as ten calls."""
    import httpx2

    return httpx2.create_ssl_context()


async def _hide_password(request: httpx2.Request) -> None:
    """A password in the address has become a header by now; left in the address, the library would log it."""
    if request.url.userinfo:
        request.url = request.url.copy_with(userinfo=b"")


async def _capture(response: httpx2.Response) -> None:
    """Read the whole answer, under the limit, before anyone interprets it."""
    import httpx2

    from burnish.models.wire import BoundedStream

    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = BoundedStream(response.stream)
    body = await response.aread()
    CAPTURED.get([]).append(Captured(response.status_code, response.headers, body))
