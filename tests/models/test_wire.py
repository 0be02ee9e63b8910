"""Lanes over real HTTP on loopback: how many connections there are, and what becomes of them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from burnish.models.calls import ProviderFault
from burnish.models.connections import Endpoint
from burnish.models.providers import LiveModels
from burnish.models.wire import BoundedStream, Lanes
from tests.loopback import Answer, Asked, LoopbackModel
from tests.models.fixtures import a_call


class CountedLane(httpx2.AsyncHTTPTransport):
    """A lane that tells how often it was closed."""

    closed = 0

    async def aclose(self) -> None:
        self.closed += 1
        await super().aclose()


def answer(asked: Asked) -> Answer:
    return Answer(asked.user, fault="reset" if asked.user == "reset" else None)


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel(answer, latency=0.02) as running:
        yield running


@asynccontextmanager
async def client_with(lanes: list[CountedLane]) -> AsyncIterator[httpx2.AsyncClient]:
    """A client whose lanes are put into `lanes` as they are opened."""

    def build() -> CountedLane:
        lanes.append(CountedLane(limits=httpx2.Limits(max_connections=1)))
        return lanes[-1]

    async with httpx2.AsyncClient(transport=Lanes(build)) as client:
        yield client


async def said(client: httpx2.AsyncClient, server: LoopbackModel, word: str) -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": word}]}
    response = await client.post(f"{server.base_url}/chat/completions", json=body)
    return str(response.json()["choices"][0]["message"]["content"])


def test_there_are_as_many_lanes_as_requests_under_way(server: LoopbackModel) -> None:
    async def main() -> list[int]:
        lanes: list[CountedLane] = []
        opened = []
        async with client_with(lanes) as client:
            for count in (1, 1, 5, 3):
                words = [f"word {number}" for number in range(count)]
                assert await asyncio.gather(*(said(client, server, word) for word in words)) == words
                opened.append(len(lanes))
        assert [lane.closed for lane in lanes] == [1] * len(lanes)
        return opened

    assert asyncio.run(main()) == [1, 1, 5, 5]


def test_each_server_has_lanes_of_its_own(server: LoopbackModel) -> None:
    async def main(other: LoopbackModel) -> int:
        lanes: list[CountedLane] = []
        async with client_with(lanes) as client:
            for _ in range(3):
                assert [await said(client, each, "hello") for each in (server, other)] == ["hello", "hello"]
        return len(lanes)

    with LoopbackModel(answer) as other:
        assert asyncio.run(main(other)) == 2


def test_a_lane_serves_on_after_a_failure_and_after_a_request_that_was_called_off(server: LoopbackModel) -> None:
    async def main() -> int:
        lanes: list[CountedLane] = []
        async with client_with(lanes) as client:
            with pytest.raises(httpx2.RemoteProtocolError):
                await said(client, server, "reset")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.005):
                    await said(client, server, "too late")
            assert await said(client, server, "again") == "again"
        return len(lanes)

    assert asyncio.run(main()) == 1


def test_an_answer_that_is_closed_twice_frees_one_lane(server: LoopbackModel) -> None:
    async def main() -> int:
        lanes: list[CountedLane] = []
        async with client_with(lanes) as client:
            async with client.stream("GET", f"{server.base_url}/models") as response:
                await response.stream.aclose()  # type: ignore[union-attr]
            await asyncio.gather(said(client, server, "a"), said(client, server, "b"))
        return len(lanes)

    assert asyncio.run(main()) == 2


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


def test_a_proxy_of_the_environment_is_used(server: LoopbackModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.root)
    monkeypatch.setenv("no_proxy", "")

    async def main() -> None:
        async with LiveModels(Endpoint("http://model.invalid/v1", timeout=5), environ={}) as live:
            await live.send(a_call(model="openai:x"))

    with pytest.raises(ProviderFault) as caught:
        asyncio.run(main())
    assert caught.value.status == 404, "the loopback model is no proxy, and says so"
    assert server.requests[-1].path == "http://model.invalid/v1/chat/completions"
