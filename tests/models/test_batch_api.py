"""The batch endpoints of OpenAI and Anthropic over real HTTP, against an imitation with their documented shapes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest

from burnish.models import connections
from burnish.models.batch import MaybeOurs, Progress, Result
from burnish.models.batch_api import BatchEndpoints
from burnish.models.calls import Call, ProviderFault, RawReply
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels
from tests.batch_server import BatchServer
from tests.loopback import Answer, Asked
from tests.models.fixtures import NO_EDITS, a_call

T = TypeVar("T")
MODELS = ["openai:gpt-5-mini", "openai-responses:gpt-5-mini", "anthropic:claude-sonnet-5", "anthropic:claude-3-haiku"]
"""Each API, with a schema and with a tool."""
BOTH = ["openai:gpt-5-mini", "anthropic:claude-sonnet-5"]
LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


def said(asked: Asked) -> Answer:
    """An answer that a careless reader would change: a repeated key, and thinking before it."""
    return Answer('{"reasoning": "a", "reasoning": "b", "edits": []}', usage=(70, 30), reasoning=10)


def at(server: BatchServer, use: Callable[[BatchEndpoints], Awaitable[T]]) -> T:
    async def main() -> T:
        async with LiveModels(Endpoint(server.base_url), environ={}) as live:
            return await use(BatchEndpoints(live))

    return asyncio.run(main())


async def collected(endpoints: BatchEndpoints, call: Call, *, mark: str = "m") -> Result:
    id = await endpoints.submit(call.model, mark, {f"{mark}-1": await endpoints.prepared(call)})
    progress = await endpoints.look(call.model, id)
    assert progress.has_ended
    [result] = [result async for result in endpoints.results(call.model, id, progress)]
    return result


@pytest.mark.parametrize("model", MODELS)
def test_a_request_in_a_batch_is_the_one_that_a_live_call_sends_and_so_is_its_answer(model: str) -> None:
    call = a_call("Ceci n'est pas <b>é</b> 字.", model=model, max_tokens=9_000)

    async def both(endpoints: BatchEndpoints) -> tuple[RawReply, RawReply]:
        live = await endpoints.live.send(call)
        return live, await endpoints.reply(call, await collected(endpoints, call))

    with BatchServer(said) as server:
        live, batched = at(server, both)
        [sent] = server.batches[0].requests.values()
        assert sent == server.requests[0].body
        assert (batched.text, batched.usage, batched.finish) == (live.text, live.usage, live.finish)
        assert batched.text.count("reasoning") == 2


def test_the_bytes_of_a_request_stand_in_the_file_as_they_are() -> None:
    call = a_call("字", model="openai:gpt-5-mini")

    async def file(endpoints: BatchEndpoints) -> bytes:
        await collected(endpoints, call)
        return await endpoints.prepared(call)

    with BatchServer(said) as server:
        body = at(server, file)
        assert body in server.files["file-1"]
        assert json.loads(server.files["file-1"])["url"] == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("{", finish="length"), "truncated"),
        (Answer(status=400), "rejected"),
        (Answer(status=429), "rate_limited"),
        (Answer(status=529), "server"),
    ],
)
@pytest.mark.parametrize("model", BOTH)
def test_what_goes_wrong_in_a_batch_has_the_same_name_as_in_a_live_call(model: str, answer: Answer, kind: str) -> None:
    call = a_call(model=model)

    async def fault(endpoints: BatchEndpoints) -> str:
        result = await collected(endpoints, call)
        with pytest.raises(ProviderFault) as caught:
            await endpoints.reply(call, result)
        return caught.value.kind

    with BatchServer(lambda _: answer) as server:
        assert at(server, fault) == kind


@pytest.mark.parametrize("ends", ["expired", "cancelled"])
@pytest.mark.parametrize("model", BOTH)
def test_what_was_never_run_says_so(model: str, ends: str) -> None:
    call = a_call(model=model)

    async def progress(endpoints: BatchEndpoints) -> tuple[Result, Progress]:
        return await collected(endpoints, call), await endpoints.look(model, server.batches[0].id)

    with BatchServer(said, unrun=lambda batch: set(batch.requests), ends=ends) as server:
        result, shown = at(server, progress)
    assert (result.status, result.custom_id) == (None, "m-1")
    assert (shown.trouble is not None) == (ends == "cancelled")


def test_a_batch_that_openai_does_not_take_says_why() -> None:
    async def trouble(endpoints: BatchEndpoints) -> str | None:
        body = await endpoints.prepared(a_call(model="openai:gpt-5-mini"))
        line = b'{"custom_id":"m-1","method":"POST","url":"/v1/other","body":' + body + b"}"
        client = endpoints._api("openai:gpt-5-mini").client  # type: ignore[attr-defined]
        file = await client.files.create(file=("x.jsonl", line), purpose="batch")
        batch = await client.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
        )
        return (await endpoints.look("openai:gpt-5-mini", batch.id)).trouble

    with BatchServer(said) as server:
        assert at(server, trouble) == "It was not accepted. The URL of the line is not that of the batch."


@pytest.mark.parametrize("model", BOTH)
def test_a_batch_is_found_again_by_its_mark(model: str) -> None:
    async def found(endpoints: BatchEndpoints) -> list[str | None]:
        body = await endpoints.prepared(a_call(model=model))
        for mark in ("one", "two", "three"):
            await endpoints.submit(model, mark, {f"{mark}-1": body})
        marks = ("two", "one", "never")
        return [await endpoints.find(model, mark, 1, LONG_AGO) for mark in marks] + [
            await endpoints.find(model, "one", 1, datetime.now(UTC) + timedelta(hours=1))
        ]

    with BatchServer(said, page=2) as server:
        ids = at(server, found)
        names = [batch.id for batch in server.batches]
    assert ids == [names[1], names[0], None, None]


def test_of_anthropics_batches_at_work_nobody_can_tell_whose_they_are() -> None:
    model = "anthropic:claude-sonnet-5"

    async def unsure(endpoints: BatchEndpoints) -> str | None:
        body = await endpoints.prepared(a_call(model=model))
        await endpoints.submit(model, "theirs", {"theirs-1": body})
        with pytest.raises(MaybeOurs):
            await endpoints.find(model, "ours", 1, LONG_AGO)
        return await endpoints.find(model, "ours", 2, LONG_AGO)  # of another size: not ours

    with BatchServer(said, looks=9) as server:
        assert at(server, unsure) is None


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("status", [302, 401, 404, 503])
def test_a_refusal_is_a_fault_and_no_redirect_is_followed(model: str, status: int) -> None:
    with BatchServer(said) as elsewhere:
        moved = Answer(status=status, headers={"Location": f"{elsewhere.root}/v1/batches"}, body=b"{}")
        with BatchServer(said, refuse=lambda method, path: moved) as server:

            async def fault(endpoints: BatchEndpoints) -> ProviderFault:
                with pytest.raises(ProviderFault) as caught:
                    await endpoints.look(model, "batch_1")
                return caught.value

            assert at(server, fault).status == status
        assert elsewhere.asked == []


def test_answers_are_fetched_where_the_operator_said_and_not_where_the_batch_says() -> None:
    model = "anthropic:claude-sonnet-5"
    with BatchServer(said) as elsewhere, BatchServer(said) as server:

        async def fetched(endpoints: BatchEndpoints) -> Result:
            id = await endpoints.submit(model, "m", {"m-1": await endpoints.prepared(a_call(model=model))})
            server._port, port = elsewhere._port, server._port  # what the batch names from now on
            progress = await endpoints.look(model, id)
            server._port = port
            return await anext(endpoints.results(model, id, progress))

        assert at(server, fetched).status == 200
        assert elsewhere.asked == []


def test_an_endless_line_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LONGEST_BODY", 5_000)
    call = a_call(model="anthropic:claude-sonnet-5")

    async def fault(endpoints: BatchEndpoints) -> str:
        with pytest.raises(ProviderFault) as caught:
            await collected(endpoints, call)
        return caught.value.message

    with BatchServer(lambda _: "x" * 10_000) as server:
        assert "longer than 5,000 bytes" in at(server, fault)


def test_many_answers_are_longer_than_one_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LONGEST_BODY", 5_000)
    model = "openai:gpt-5-mini"

    async def all_of_them(endpoints: BatchEndpoints) -> int:
        body = await endpoints.prepared(a_call(model=model))
        id = await endpoints.submit(model, "m", {f"m-{number}": body for number in range(30)})
        progress = await endpoints.look(model, id)
        return len([result async for result in endpoints.results(model, id, progress)])

    with BatchServer(lambda _: NO_EDITS * 8) as server:
        assert at(server, all_of_them) == 30


def test_a_name_that_leads_elsewhere_is_refused() -> None:
    body = b'{"id":"../../x","object":"batch","type":"message_batch"}'
    with BatchServer(said, refuse=lambda method, path: Answer(body=body)) as server:

        async def fault(endpoints: BatchEndpoints) -> str:
            with pytest.raises(ProviderFault) as caught:
                await endpoints.submit("anthropic:claude-sonnet-5", "m", {"m-1": b"{}"})
            return caught.value.kind

        assert at(server, fault) == "malformed"


def test_nobody_there_is_a_fault_that_was_never_sent() -> None:
    async def main() -> ProviderFault:
        async with LiveModels(Endpoint("http://127.0.0.1:9/v1"), environ={}) as live:
            with pytest.raises(ProviderFault) as caught:
                await BatchEndpoints(live).submit("openai:gpt-5-mini", "m", {"m-1": b"{}"})
            return caught.value

    assert not asyncio.run(main()).sent
