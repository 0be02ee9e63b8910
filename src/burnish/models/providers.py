"""Send a call to a provider, and turn every error into one set of faults."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from burnish.core.documents import SHORTEST_SECRET, names_secret
from burnish.core.errors import UsageError
from burnish.models.calls import Call, FaultKind, ProviderFault, RawReply, TokenCount, refusal
from burnish.models.envelopes import Envelope, NotAnEnvelope, answering_model, open_envelope
from burnish.models.profiles import Endpoint
from burnish.models.rate_limits import parse_retry_after
from burnish.models.scripted import ScriptedModel

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport
    from pydantic_ai.messages import ModelResponse

    from burnish.models.connections import Captured, Connections

LONGEST_QUOTED = 200
"""Characters of a provider's error message that are quoted."""

MOVED = "No redirect is followed: set base_url to the address that the server names."
UNREACHABLE = "Check the network and the base URL, and that a server of your own is running."
HINTS = {
    401: "Check the provider's key in the environment.",
    402: "Add credit there, or name another model.",
    403: "Check the provider's key in the environment.",
    404: "Check the model's name and the base URL (most servers want it to end in /v1).",
}
LEADS: Mapping[FaultKind, str] = {
    "refused_key": "{provider} refused the key ({said}).",
    "no_credit": "Your account at {provider} has no credit left ({said}).",
}


class LiveModels:
    """Models behind an API: any `provider:model` that pydantic-ai knows, or any OpenAI-compatible base URL."""

    def __init__(
        self,
        endpoint: Endpoint | None = None,
        *,
        base_urls: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        transport: AsyncBaseTransport | None = None,
    ) -> None:
        """`transport` replaces the network."""
        self._transport = transport
        self._endpoint = endpoint or Endpoint()
        self._base_urls = dict(base_urls or {})
        self._environ = dict(os.environ if environ is None else environ)
        self._secrets = {
            value: name for name, value in self._environ.items() if names_secret(name) and len(value) >= SHORTEST_SECRET
        }
        self._per_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Connections] = WeakKeyDictionary()

    def over(self, transport: AsyncBaseTransport) -> LiveModels:
        """Return the same models with another transport instead of the network."""
        return LiveModels(self._endpoint, base_urls=self._base_urls, environ=self._environ, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the running loop's connections."""
        connections = self._per_loop.pop(asyncio.get_running_loop(), None)
        if connections is not None:
            await connections.close()

    def ready(self, name: str) -> None:
        """Check that the model can be called: a known provider and a key. Raise UsageError if not."""
        self.connections().model(name)

    def refuse_unknown(self, name: str) -> None:
        """Raise UsageError if the model's provider is unknown. Neither its package nor a key is needed."""
        from burnish.models.connections import Connections

        Connections(self._endpoint, self._environ, self._base_urls).refuse_unknown(name)

    async def send(self, call: Call) -> RawReply:
        connected = self.connections().model(call.model)
        started = time.monotonic()
        captured: list[Captured] = []
        try:
            response = await connected.request(call, captured, self._endpoint.patience(call.thinking))
        except Exception as error:  # noqa: BLE001 - libraries raise anything, even IndexError, for a strange answer
            envelope = self._despite(error, captured, call)
        else:
            envelope = self._opened(captured, call, response)
        text = self._without_secrets(envelope.text)
        if envelope.cut_off:
            raise ProviderFault(
                "truncated",
                f"The reply was cut off at max_tokens={call.max_tokens}, after {len(text):,} characters.",
                body=text,
                usage=envelope.usage,
                hint="Allow longer replies, or ask for less at once.",
            )
        if envelope.withheld:
            raise ProviderFault(
                "refused", f"The model or its filter refused ({envelope.finish}).", body=text, usage=envelope.usage
            )
        duration = round((time.monotonic() - started) * 1000)
        named = answering_model(captured[-1].body) if captured else None
        return RawReply(envelope.text, envelope.usage, envelope.finish, duration, named)

    def connections(self) -> Connections:
        """Return the connections of the running loop."""
        from burnish.models.connections import Connections

        loop = asyncio.get_running_loop()
        if loop not in self._per_loop:
            self._per_loop[loop] = Connections(self._endpoint, self._environ, self._base_urls, self._transport)
        return self._per_loop[loop]

    def _opened(self, captured: list[Captured], call: Call, response: ModelResponse) -> Envelope:
        """Return the envelope read from the HTTP answer, or the library's text if its shape is unknown."""
        try:
            return open_envelope(captured[-1].body if captured else b"", call.reply_name)
        except NotAnEnvelope as unknown:
            text = _text_of(response)
            if text is None:
                raise ProviderFault("malformed", f"The answer cannot be used: {unknown}.") from None
            usage = TokenCount(response.usage.input_tokens, response.usage.output_tokens)
            return Envelope(text, response.finish_reason, usage)

    def _despite(self, error: Exception, captured: list[Captured], call: Call) -> Envelope:
        """Return the answer if the body is usable although the library failed; otherwise raise the fault."""
        answered = captured[-1] if captured else None
        if answered is None:
            raise self._unanswered(error, call) from error
        if not 200 <= answered.status < 300:
            raise self.status_fault(answered, call.provider) from error
        try:
            return open_envelope(answered.body, call.reply_name)
        except NotAnEnvelope as reason:
            body = self._without_secrets(answered.body.decode("utf-8", "replace"))
            raise ProviderFault(
                "malformed", f"The answer is not in the provider's protocol: {reason}.", body=body
            ) from error

    def _unanswered(self, error: Exception, call: Call) -> Exception:
        from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelTimeoutError, UserError

        from burnish.models.connections import Captured, UnusableBody

        if isinstance(error, ModelHTTPError):  # of a package that does not use our HTTP client
            body = str(error.body or "").encode()
            return self.status_fault(Captured(error.status_code, error.headers or {}, body), call.provider)
        if isinstance(error, TimeoutError | ModelTimeoutError):
            return ProviderFault("timeout", f"No answer within {self._endpoint.patience(call.thinking):g} s.")
        if isinstance(error, ModelConnectionError):
            if unusable := cause(error, UnusableBody):
                return ProviderFault("malformed", f"The answer cannot be used: {unusable}.")
            if never_connected(error):
                return ProviderFault("connection", "No connection could be made.", hint=UNREACHABLE, sent=False)
            return ProviderFault("connection", "The connection broke off.")
        reason = self._without_secrets(str(error))[:LONGEST_QUOTED]
        if isinstance(error, UserError):
            return UsageError(f"The model cannot be asked this way: {reason}")
        return ProviderFault("crashed", f"The provider's library failed ({type(error).__name__}: {reason}).")

    def status_fault(self, answered: Captured, provider: str) -> ProviderFault:
        """Return the fault for an answer of `provider` without a success status."""
        body = self._without_secrets(answered.body.decode("utf-8", "replace"))
        kind = refusal(answered.status, body)
        # The start of an error page, printable and on one line.
        line = " ".join(body.split())[:LONGEST_QUOTED]
        quoted = "".join(character if character.isprintable() else "?" for character in line)
        said = f"{answered.status}{f': {quoted}' if quoted else ''}"
        return ProviderFault(
            kind,
            LEADS.get(kind, "The provider answered {said}.").format(provider=provider, said=said),
            status=answered.status,
            retry_after=_retry_after(answered.headers),
            body=body,
            hint=MOVED if 300 <= answered.status < 400 else HINTS.get(402 if kind == "no_credit" else answered.status),
        )

    def _without_secrets(self, text: str) -> str:
        """Replace keys in error pages: servers echo headers, and no key may reach the journal. Answers are kept."""
        for value, name in self._secrets.items():
            text = text.replace(value, f"[{name}]")
        return text


class Models:
    """Every model a run may name: live models, and scripted ones by the path of their rules or a registered name."""

    def __init__(self, live: LiveModels | None = None, scripted: Mapping[str, ScriptedModel] | None = None) -> None:
        self.live = live or LiveModels()
        self._scripted = dict(scripted or {})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.live.close()

    async def send(self, call: Call) -> RawReply:
        if call.provider != "scripted":
            return await self.live.send(call)
        return await self._script(call.model_name).send(call)

    def ready(self, names: Iterable[str]) -> None:
        """Open these models before work starts. Raise UsageError for the first that cannot be called."""
        for name in names:
            provider, _, model_name = name.partition(":")
            if provider == "scripted":
                self._script(model_name)
            else:
                self.live.ready(name)

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Raise UsageError for the first of these models whose provider or script does not exist."""
        for name in names:
            provider, _, model_name = name.partition(":")
            if provider == "scripted":
                self._script(model_name)
            else:
                self.live.refuse_unknown(name)

    def _script(self, name: str) -> ScriptedModel:
        if name not in self._scripted:
            self._scripted[name] = ScriptedModel.from_file(Path(name))
        return self._scripted[name]


def never_connected(error: BaseException | None) -> bool:
    """Return whether the error came before the first byte: refused, unknown host, no route."""
    import httpx2

    return cause(error, httpx2.ConnectError, httpx2.ConnectTimeout) is not None


def cause(error: BaseException | None, *kinds: type[BaseException]) -> BaseException | None:
    """Return the first error of one of these kinds in the chain of causes, starting with this one."""
    while error is not None and not isinstance(error, kinds):
        error = error.__cause__ or error.__context__
    return error


def _text_of(response: ModelResponse) -> str | None:
    for part in response.parts:
        if part.part_kind == "text":
            return part.content
        if part.part_kind == "tool-call":
            return part.args if isinstance(part.args, str) else part.args_as_json_str()
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = headers.get("retry-after-ms", "")
    if milliseconds.isascii() and milliseconds.isdigit() and len(milliseconds) < 12:
        return int(milliseconds) / 1000
    return parse_retry_after(headers.get("retry-after"), datetime.now(UTC))
