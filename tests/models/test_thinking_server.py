"""The test kit's model that thinks: hidden tokens inside the limit, as providers bill and cut them."""

import asyncio
from collections.abc import Iterator

import pytest

from burnish.models.calls import Call, ProviderFault, RawReply
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels
from tests.loopback import LoopbackModel, thinking
from tests.models.fixtures import NO_EDITS, a_call

MODELS = ["openai:gpt-5-mini", "openai-responses:gpt-5-mini", "anthropic:claude-x"]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel(thinking(lambda _: NO_EDITS, 800)) as running:
        yield running


def send(server: LoopbackModel, call: Call) -> RawReply:
    async def main() -> RawReply:
        async with LiveModels(Endpoint(server.base_url), environ={}) as live:
            return await live.send(call)

    return asyncio.run(main())


@pytest.mark.parametrize("model", MODELS)
def test_with_room_it_answers_and_bills_what_it_thought(server: LoopbackModel, model: str) -> None:
    reply = send(server, a_call(model=model, max_tokens=8_000))
    assert reply.text == NO_EDITS
    assert reply.usage is not None
    assert 200 < reply.usage.completion < 8_000


@pytest.mark.parametrize("model", MODELS)
def test_without_room_the_reply_is_empty_and_cut_off(server: LoopbackModel, model: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        send(server, a_call(model=model, max_tokens=150))
    assert (caught.value.kind, caught.value.body) == ("truncated", "")
    assert caught.value.usage is not None
    assert caught.value.usage.completion == 150


def test_about_the_median_is_spent_and_the_same_prompt_costs_the_same(server: LoopbackModel) -> None:
    spent = [
        usage.completion
        for number in range(30)
        if (usage := send(server, a_call(f"Mend {number}.", model="openai:x", max_tokens=8_000)).usage)
    ]
    assert 500 < sorted(spent)[len(spent) // 2] < 1_200
    again = send(server, a_call("Mend 0.", model="openai:x", max_tokens=9_000)).usage
    assert again is not None
    assert again.completion == spent[0]
