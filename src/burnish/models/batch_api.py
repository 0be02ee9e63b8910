"""The batch endpoints of OpenAI and Anthropic: many requests at half the price, answered within a day.

A request in a batch has the same body as a live call: a transport that sends nothing takes it from the model library.
The answer goes back through the same transport, so it is read, checked and charged like any other. Batches are
identified by their custom ids, which begin with our own name of the batch (`mark`). OpenAI lists the mark too.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx2

from burnish.core.errors import UsageError
from burnish.models.batch import MaybeOurs, Progress, Result
from burnish.models.calls import Call, ProviderFault, RawReply
from burnish.models.envelopes import NOTHING, Value
from burnish.models.providers import UNREACHABLE, LiveModels, never_connected

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

PATIENCE = 300.0
"""Seconds for one request to a batch endpoint, and for each line of a batch's answers."""
NAMES = re.compile(r"[\w.-]{1,200}")
"""A valid id of a batch or a file; ids become part of a URL."""
UNRUN = frozenset({"batch_expired", "batch_cancelled"})
"""OpenAI's codes for requests that were never run."""
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Anthropic's error types -> the status that a live call would have had."""


@dataclass(slots=True)
class _Sheet:
    """A request body and the answer to play back for it."""

    status: int = 418
    answer: bytes = b"{}"
    sent: bytes | None = None


_sheet: ContextVar[_Sheet] = ContextVar("sheet")


class Playback(httpx2.AsyncBaseTransport):
    """Sends nothing: records the request and returns the prepared answer."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        sheet = _sheet.get()
        sheet.sent = await request.aread()
        return httpx2.Response(sheet.status, headers={"content-type": "application/json"}, content=sheet.answer)


@dataclass(slots=True)
class BatchEndpoints:
    """The batch endpoints at the operator's addresses and keys. Raises ProviderFault if one does not answer."""

    live: LiveModels
    _played: LiveModels = field(init=False)

    def __post_init__(self) -> None:
        self._played = self.live.over(Playback())

    async def prepared(self, call: Call) -> bytes:
        """Return the body that a live call would send."""
        sheet = _Sheet()
        with suppress(ProviderFault):  # there is no answer yet
            await self._play(call, sheet)
        if sheet.sent is None:
            raise UsageError(f"{call.model} cannot be asked in a batch: its library makes no request for the call.")
        return sheet.sent

    async def reply(self, call: Call, result: Result) -> RawReply:
        """Return the answer in a result, read like the answer to a live call."""
        if result.status is None:
            raise ProviderFault("server", "The batch ended before the request was run.", sent=False)
        return await self._play(call, _Sheet(result.status, result.body))

    async def _play(self, call: Call, sheet: _Sheet) -> RawReply:
        token = _sheet.set(sheet)
        try:
            return await self._played.send(call)
        finally:
            _sheet.reset(token)

    async def submit(self, model: str, mark: str, requests: Mapping[str, bytes]) -> str:
        """Submit the requests, by their custom ids. Return the provider's name of the batch."""
        async with self._named(model):
            return _name(await self._api(model).submit(mark, requests))

    async def look(self, model: str, id: str) -> Progress:
        async with self._named(model):
            return await self._api(model).look(id)

    async def find(self, model: str, mark: str, count: int, since: datetime) -> str | None:
        """Return the provider's name of the batch with this mark, if it arrived; MaybeOurs if that is unknown yet."""
        async with self._named(model):
            return await self._api(model).find(mark, count, since)

    async def results(self, model: str, id: str, progress: Progress) -> AsyncIterator[Result]:
        """Yield the results of a batch that has ended, one by one, in any order."""
        results = self._api(model).results(id, progress)
        while True:
            async with self._named(model):
                result = await anext(results, None)
            if result is None:
                return
            yield result

    def _api(self, model: str) -> OpenAIBatches | AnthropicBatches:
        client: Any = self.live.connections().model(model).model.client  # type: ignore[attr-defined]
        if model.partition(":")[0] == "anthropic":
            return AnthropicBatches(client)
        return OpenAIBatches(
            client, "/v1/responses" if model.startswith("openai-responses:") else "/v1/chat/completions"
        )

    @asynccontextmanager
    async def _named(self, model: str) -> AsyncIterator[None]:
        """Turn any error into a ProviderFault, and limit the time."""
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        except (ProviderFault, MaybeOurs):
            raise
        except Exception as error:
            raise self._fault(error, model.partition(":")[0]) from error

    def _fault(self, error: Exception, provider: str) -> ProviderFault:
        from burnish.models.connections import Captured

        response = getattr(error, "response", None)
        if isinstance(response, httpx2.Response):
            fault = self.live.status_fault(Captured(response.status_code, response.headers, response.content), provider)
            if response.status_code == 404:
                fault.hint = "Does the server at this address have a batch endpoint? Is it the same account?"
            return fault
        if isinstance(error, TimeoutError) or type(error).__name__ == "APITimeoutError":
            return ProviderFault("timeout", f"No answer within {PATIENCE:g} s.")
        if never_connected(error):
            return ProviderFault("connection", "No connection could be made.", hint=UNREACHABLE, sent=False)
        if isinstance(error, httpx2.HTTPError) or type(error).__name__ == "APIConnectionError":
            return ProviderFault("connection", "The connection broke off.")
        return ProviderFault("crashed", f"The provider's library failed ({type(error).__name__}).")


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """OpenAI: a file of requests, a batch of it, and one or two files of answers."""

    client: AsyncOpenAI
    endpoint: Any
    """The path of every request of a batch."""

    async def submit(self, mark: str, requests: Mapping[str, bytes]) -> str:
        head = f',"method":"POST","url":"{self.endpoint}","body":'.encode()
        lines = (b'{"custom_id":"' + id.encode() + b'"' + head + body + b"}\n" for id, body in requests.items())
        file = await self.client.files.create(file=(f"{mark}.jsonl", b"".join(lines)), purpose="batch")
        batch = await self.client.batches.create(
            input_file_id=_name(file.id), endpoint=self.endpoint, completion_window="24h", metadata={"burnish": mark}
        )
        return batch.id

    async def look(self, id: str) -> Progress:
        batch = await self.client.batches.retrieve(id)
        counts = batch.request_counts
        done, total = (counts.completed + counts.failed, counts.total) if counts is not None else (0, 0)
        has_ended = batch.status in ("completed", "expired", "cancelled", "failed")
        files = tuple(_name(file) for file in (batch.output_file_id, batch.error_file_id) if file)
        trouble = "It was cancelled." if batch.status == "cancelled" else None
        if batch.status == "failed":
            errors = (batch.errors.data if batch.errors is not None else None) or []
            trouble = " ".join(["It was rejected.", *(error.message or "" for error in errors[:3])]).strip()
        return Progress(has_ended, done, total, trouble, files)

    async def results(self, id: str, progress: Progress) -> AsyncIterator[Result]:
        for file in progress.files:
            async with self.client.files.with_streaming_response.content(file) as response:
                async for line in _lines(response.iter_bytes()):
                    yield self._result(line)

    def _result(self, line: Value) -> Result:
        members = line.members()
        response, error = members.get("response", NOTHING), members.get("error", NOTHING)
        id, status = members.get("custom_id", NOTHING).string() or "", response.get("status_code").count()
        if status is None and error.get("code").string() not in UNRUN:
            return Result(id, 500, f'{{"error":{error.raw or "null"}}}'.encode())
        return Result(id, status, response.get("body").raw.encode("utf-8", "surrogateescape"))

    async def find(self, mark: str, count: int, since: datetime) -> str | None:
        """Search the whole list: its order is not documented, so an older batch does not end the search."""
        async for batch in self.client.batches.list(limit=100):
            if batch.created_at >= since.timestamp() and (batch.metadata or {}).get("burnish") == mark:
                return _name(batch.id)
        return None


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Anthropic: all requests in one body; all answers at once, when the batch has ended."""

    client: AsyncAnthropic

    async def submit(self, mark: str, requests: Mapping[str, bytes]) -> str:
        given: Any = [{"custom_id": id, "params": json.loads(body)} for id, body in requests.items()]
        return (await self.client.messages.batches.create(requests=given)).id

    async def look(self, id: str) -> Progress:
        batch = await self.client.messages.batches.retrieve(id)
        total = sum(vars(batch.request_counts).values())
        trouble = "It was cancelled." if batch.cancel_initiated_at is not None else None
        return Progress(batch.processing_status == "ended", total - batch.request_counts.processing, total, trouble)

    async def results(self, id: str, progress: Progress) -> AsyncIterator[Result]:
        # Not the URL that the batch names: the key goes only to the operator's address.
        response: httpx2.Response = await self.client.get(
            f"/v1/messages/batches/{_name(id)}/results",
            cast_to=httpx2.Response,
            options={"headers": {"X-Stainless-Raw-Response": "stream", "Accept": "application/binary"}},
        )
        try:
            async for line in _lines(response.aiter_bytes()):
                yield self._result(line)
        finally:
            await response.aclose()

    def _result(self, line: Value) -> Result:
        id, result = line.get("custom_id").string() or "", line.get("result")
        match result.get("type").string():
            case "succeeded":
                return Result(id, 200, result.get("message").raw.encode("utf-8", "surrogateescape"))
            case "errored":
                error = result.get("error")
                name = error.get("error").get("type").string() or error.get("type").string() or ""
                return Result(id, STATUSES.get(name, 500), error.raw.encode("utf-8", "surrogateescape"))
        return Result(id, None, b"")

    async def find(self, mark: str, count: int, since: datetime) -> str | None:
        """Compare custom ids of answers: a batch of the same size without answers yet cannot be identified."""
        is_unsure = False
        async for batch in self.client.messages.batches.list(limit=100):
            if batch.created_at.astimezone(UTC) < since:
                break
            if sum(vars(batch.request_counts).values()) != count or batch.archived_at is not None:
                continue
            if batch.processing_status != "ended":
                is_unsure = True
            elif await self._is_marked(batch.id, mark):
                return _name(batch.id)
        if is_unsure:
            raise MaybeOurs
        return None

    async def _is_marked(self, id: str, mark: str) -> bool:
        results = self.results(id, Progress(True, 0, 0))
        first = await anext(results, None)
        await results.aclose()  # type: ignore[attr-defined]
        return first is not None and first.custom_id.startswith(f"{mark}-")


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[Value]:
    """Yield each line of a stream. Raise ProviderFault for a line that is too long to be an answer."""
    from burnish.models.connections import LONGEST_BODY

    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in (*whole, b""):
            if max(len(line), len(rest)) > LONGEST_BODY:
                raise ProviderFault(
                    "malformed", f"A line of the batch's answers is longer than {LONGEST_BODY:,} bytes."
                )
            if line.strip():
                yield _value(line)
    if rest.strip():
        yield _value(rest)


def _value(line: bytes) -> Value:
    text = line.decode("utf-8", "surrogateescape")
    return Value(text, 0, len(text))


def _name(id: str) -> str:
    if NAMES.fullmatch(id) is None:
        raise ProviderFault("malformed", "The provider returned a batch id that cannot be part of a URL.")
    return id
