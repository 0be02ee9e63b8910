"""The lean client beside the SDK's own: the same request on the wire, the same answer in hand."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion
from pydantic import ValidationError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from burnish.core.replies import REPLIES, reply_schema
from burnish.models.completions import PlainClient, PlainCompletions
from burnish.models.connections import Connected
from burnish.models.providers import _request
from tests.loopback import Answer, Asked, LoopbackModel
from tests.models.fixtures import NO_EDITS, a_call


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel(lambda _: NO_EDITS) as running:
        yield running


def asked_by(kind: type[AsyncOpenAI], server: LoopbackModel, **changes: Any) -> tuple[Asked, ModelResponse]:
    """What reaches the server from a client of this kind, and what pydantic-ai makes of the answer."""

    async def main() -> ModelResponse:
        async with kind(base_url=server.base_url, api_key="key", max_retries=0) as client:
            model = OpenAIChatModel("local-model", provider=OpenAIProvider(openai_client=client))
            return await _request(Connected(model, wants_max_tokens=True), a_call("Mend ⵣ.", **changes))

    response = asyncio.run(main())
    return server.requests[-1], response


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"temperature": 0.5, "seed": 7},
        {"extra": {"top_p": 0.3, "timeout": 20, "stop_sequences": ["."], "extra_headers": {"x-a": "b"}}},
        {"extra": {"extra_body": {"min_p": 0.1}, "openai_reasoning_effort": "low"}},
    ],
)
def test_it_sends_and_gets_what_the_sdk_sends_and_gets(server: LoopbackModel, changes: dict[str, Any]) -> None:
    (lean, answer), (usual, expected) = (asked_by(kind, server, **changes) for kind in (PlainClient, AsyncOpenAI))
    assert lean.body == usual.body
    assert lean.headers == usual.headers
    assert (answer.parts, answer.usage, answer.finish_reason) == (expected.parts, expected.usage, "stop")


def test_copies_of_the_client_are_lean_too() -> None:
    copy = PlainClient(api_key="key").with_options(max_retries=1)
    assert isinstance(copy.chat.completions, PlainCompletions)


def test_an_answer_that_is_no_completion_is_refused() -> None:
    async def main(url: str) -> ChatCompletion:
        async with PlainClient(base_url=url, api_key="key", max_retries=0) as client:
            return await client.chat.completions.create(extra_headers={}, extra_body=None, model="m", messages=[])

    with LoopbackModel(lambda _: Answer(body=b"{}")) as server, pytest.raises(ValidationError):
        asyncio.run(main(server.base_url))


@pytest.mark.parametrize("name", REPLIES)
def test_the_library_would_change_nothing_in_our_schemas(name: str) -> None:
    """Why connections tell it to leave them alone."""
    model = OpenAIChatModel("gpt-x", provider=OpenAIProvider(openai_client=PlainClient(api_key="key")))
    transformer = model.profile["json_schema_transformer"]
    assert transformer is not None
    assert transformer(reply_schema(name), strict=True).walk() == reply_schema(name)
