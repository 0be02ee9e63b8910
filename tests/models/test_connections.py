"""The HTTP client under the libraries: bounded answers, proxies, schemas as they are."""

import asyncio
import gzip
import json
import tracemalloc
import warnings
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from burnish.core.errors import UsageError
from burnish.core.replies import REPLIES, reply_schema
from burnish.models.calls import ProviderFault
from burnish.models.connections import LONGEST_BODY, BoundedStream
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels, Models, cause, never_connected
from burnish.models.scripted import ScriptedModel
from tests.loopback import Answer, LoopbackModel
from tests.models.fixtures import NO_EDITS, a_call


def test_a_bounded_stream_is_closed_with_what_it_bounds() -> None:
    class Body(httpx2.AsyncByteStream):
        closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"four"

        async def aclose(self) -> None:
            self.closed = True

    async def main() -> tuple[list[bytes], bool]:
        body = Body()
        bounded = BoundedStream(body, "identity", LONGEST_BODY)
        chunks = [chunk async for chunk in bounded]
        await bounded.aclose()
        return chunks, body.closed

    assert asyncio.run(main()) == ([b"four"], True)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with LiveModels(Endpoint("http://model.invalid/v1", timeout=5), environ={}) as live:
            await live.send(a_call(model="openai:x"))

    with LoopbackModel(lambda _: NO_EDITS) as server:
        monkeypatch.setenv("http_proxy", server.root)
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(ProviderFault) as caught:
            asyncio.run(main())
        assert caught.value.status == 404, "the loopback model is no proxy, and says so"
        assert server.requests[-1].path == "http://model.invalid/v1/chat/completions"


@pytest.mark.parametrize("name", REPLIES)
def test_the_library_would_change_nothing_in_our_schemas(name: str) -> None:
    """Why connections tell it to leave them alone."""
    model = OpenAIChatModel("gpt-x", provider=OpenAIProvider(openai_client=AsyncOpenAI(api_key="key")))
    transformer = model.profile["json_schema_transformer"]
    assert transformer is not None
    assert transformer(reply_schema(name), strict=True).walk() == reply_schema(name)


def sent(url: str) -> ProviderFault | str:
    async def main() -> str:
        async with LiveModels(Endpoint(url, timeout=30), environ={}) as live:
            return (await live.send(a_call(model=MODEL))).text

    try:
        return asyncio.run(main())
    except ProviderFault as fault:
        return fault


MODEL = "openai:x"


def test_a_body_is_bounded_after_decoding() -> None:
    """A small body may decode to more than the machine can hold."""
    bomb = gzip.compress(b" " * 200_000_000, 9)
    packed = Answer(body=bomb, headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    with LoopbackModel(lambda _: packed) as server:
        caught = sent(server.base_url)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(caught, ProviderFault)
    assert caught.kind == "malformed"
    assert peak < 60_000_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_packed_unasked_is_read(encoding: str) -> None:
    plain = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": NO_EDITS}}]}).encode()
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    with LoopbackModel(lambda _: Answer(body=pack(plain), headers={"Content-Encoding": encoding})) as server:
        assert sent(server.base_url) == NO_EDITS


@pytest.mark.parametrize(
    "body", [b"not packed at all", gzip.compress(b"{}" * 1_000, mtime=0)[:-20]], ids=["plain", "cut off"]
)
def test_a_body_that_cannot_be_unpacked_is_a_fault(body: bytes) -> None:
    with LoopbackModel(lambda _: Answer(body=body, headers={"Content-Encoding": "gzip"})) as server:
        caught = sent(server.base_url)
    assert isinstance(caught, ProviderFault)


@pytest.mark.parametrize("model", ["openai:x", "openai-responses:x", "anthropic:x", "ollama:x", "deepseek:x"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(model: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt and the key would go to an address that the operator did not name."""
    monkeypatch.setattr("tests.models.test_connections.MODEL", model)
    with LoopbackModel(lambda _: NO_EDITS) as other:
        moved = Answer(status=status, headers={"Location": f"{other.base_url}/chat/completions"})
        with LoopbackModel(lambda _: moved) as server:
            caught = sent(server.base_url)
            assert len(server.requests) == 1
        assert other.requests == []
    assert isinstance(caught, ProviderFault)
    assert (caught.status, caught.of_endpoint, caught.is_final) == (status, True, True)
    assert "redirect" in (caught.hint or "")


def body_of(model: str, **given: object) -> dict[str, Any]:
    """What goes over the wire for a call whose first words other calls share."""
    with LoopbackModel(lambda _: NO_EDITS) as server:

        async def main() -> None:
            async with LiveModels(Endpoint(server.base_url, timeout=30), environ={}) as live:
                await live.send(a_call("The book. This page.", model=model, shared=len("The book. "), **given))

        asyncio.run(main())
        return dict(server.requests[-1].body)


def test_what_calls_share_is_marked_for_a_provider_that_caches_only_what_is_marked() -> None:
    body, mark = body_of("anthropic:claude-x"), {"type": "ephemeral", "ttl": "5m"}
    assert [(block["text"], block.get("cache_control")) for block in body["system"]] == [("You mend questions.", mark)]
    shared, own = body["messages"][0]["content"]
    assert (shared["text"], shared["cache_control"]) == ("The book. ", mark)
    assert own["text"] == "This page." and "cache_control" not in own


def test_elsewhere_the_prompt_stays_one_text() -> None:
    body = body_of("openai:x")
    assert [message["content"] for message in body["messages"]] == ["You mend questions.", "The book. This page."]


@pytest.mark.parametrize("model", ["anthropic:claude-haiku-4-5", "anthropic:claude-opus-4-5"])
@pytest.mark.parametrize(("effort", "room"), [("low", 2_000), ("medium", 8_000), ("high", 16_000)])
def test_claude_is_never_told_to_think_beyond_the_room_of_the_call(model: str, effort: str, room: int) -> None:
    """Anthropic refuses a budget that is not below the limit, and a temperature beside it."""
    given = {"max_tokens": 600 + room, "thinking": room, "extra": {"thinking": effort}, "temperature": 0.3}
    body = body_of(model, **given)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": room}
    assert body["max_tokens"] == 600 + room
    assert "temperature" not in body


def test_claude_does_not_think_where_there_is_less_room_than_the_least_it_may_be_told() -> None:
    body = body_of("anthropic:claude-haiku-4-5", max_tokens=1_100, thinking=500, extra={"thinking": "low"})
    assert "thinking" not in body


def test_a_claude_that_finds_out_for_itself_is_given_no_budget() -> None:
    body = body_of("anthropic:claude-sonnet-5-5", max_tokens=2_600, thinking=2_000, extra={"thinking": "low"})
    assert body["thinking"] == {"type": "adaptive"}


@pytest.mark.parametrize("model", ["openai:gpt-5-mini", "openai-responses:gpt-5-mini", "anthropic:claude-sonnet-5-5"])
def test_a_temperature_that_a_model_does_not_take_is_left_out_without_a_word_on_the_screen(model: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        body = body_of(model, max_tokens=2_600, thinking=2_000, extra={"thinking": "low"}, temperature=0.3)
    assert "temperature" not in body
    assert [str(one.message) for one in said if issubclass(one.category, UserWarning)] == []


class Chunks(httpx2.AsyncByteStream):
    def __init__(self, *chunks: bytes) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


def bounded(most: int, *chunks: bytes, encoding: str = "") -> bytes:
    async def read() -> bytes:
        return b"".join([chunk async for chunk in BoundedStream(Chunks(*chunks), encoding, most)])

    return asyncio.run(read())


@pytest.mark.parametrize("chunks", [(b"12345678",), (b"1234", b"5678"), (b"1234567", b"8", b"")])
@pytest.mark.parametrize("encoding", ["", "identity", " GZIP "])
def test_an_answer_may_be_as_long_as_the_limit_and_no_longer(chunks: tuple[bytes, ...], encoding: str) -> None:
    whole = b"".join(chunks)
    sent = (gzip.compress(whole),) if "GZIP" in encoding else chunks
    for most in (8, 9):
        assert bounded(most, *sent, encoding=encoding) == whole
    with pytest.raises(httpx2.ReadError, match="longer than 7 bytes"):
        bounded(7, *sent, encoding=encoding)


def test_an_encoding_that_nobody_asked_for_is_refused() -> None:
    with pytest.raises(httpx2.ReadError, match="compressed as br"):
        bounded(9, b"x", encoding="br")
    with pytest.raises(httpx2.ReadError, match="breaks off"):
        bounded(99, gzip.compress(b"12345678")[:-1], encoding="gzip")


def ready(models: LiveModels, name: str) -> None:
    async def main() -> None:
        models.ready(name)

    asyncio.run(main())


def test_keys_are_read_from_the_environment_that_was_given_and_from_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-this-machine")
    ready(LiveModels(), "openai:x")
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        ready(LiveModels(environ={}), "openai:x")
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        ready(LiveModels(environ={"OPENAI_API_KEY": ""}), "openai:x")
    ready(LiveModels(environ={"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}), "openai:x")


def test_a_script_is_a_file_and_every_other_model_has_a_provider(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"rules": []}')

    async def main() -> None:
        models = Models(LiveModels(environ={}), {"known": ScriptedModel([])})
        models.refuse_unknown([f"scripted:{rules}", "scripted:known", "openai:x", "openai-responses:x", "anthropic:x"])
        models.ready([f"scripted:{rules}", "scripted:known"])
        for names in (["nobody:x"], ["scripted:known", f"scripted:{tmp_path}/missing.json"]):
            with pytest.raises(UsageError):
                models.refuse_unknown(names)
        with pytest.raises(UsageError, match="OPENAI_API_KEY"):
            models.ready(["scripted:known", "openai:x"])

    asyncio.run(main())


def test_the_first_error_of_a_kind_in_a_chain_is_its_cause() -> None:
    inner, middle = httpx2.ConnectError("no route"), ValueError("wrapped")
    middle.__cause__ = inner
    outer = RuntimeError("outer")
    outer.__context__ = middle
    assert cause(outer, httpx2.ConnectError) is inner and cause(outer, ValueError, KeyError) is middle
    assert cause(outer, KeyError) is None and cause(None, KeyError) is None
    assert never_connected(outer) and not never_connected(httpx2.ReadError("cut"))
