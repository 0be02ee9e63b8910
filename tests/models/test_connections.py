"""The HTTP client under the libraries: bounded answers, proxies, schemas as they are."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from burnish.core.replies import REPLIES, reply_schema
from burnish.models.calls import ProviderFault
from burnish.models.connections import BoundedStream
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels
from tests.loopback import LoopbackModel
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
        bounded = BoundedStream(body)
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
