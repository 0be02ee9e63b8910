"""A client for Chat Completions that leaves out what the SDK does for nobody here.

Before each request the SDK walks through the whole body, once for every kind of message that there is, for names and
dates that Chat Completions does not have. After it, it builds the answer field by field, without validating it, which
pydantic-ai then does. Together that is a third of the work of a request. Here the body goes out as pydantic-ai made it,
and the answer is validated right from its bytes. Address, key, headers, timeouts and errors stay the SDK's own.

Imported with the SDK, when the first call is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import httpx2
from openai import NOT_GIVEN, AsyncOpenAI, NotGiven, Omit, RequestOptions
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion


class PlainCompletions(AsyncCompletions):
    """Completions in one piece: nothing here asks for a stream."""

    async def create(  # type: ignore[override]  # only what pydantic-ai passes beside the body has to be named
        self,
        *,
        extra_headers: dict[str, str],
        extra_body: Mapping[str, object] | None,
        timeout: float | httpx2.Timeout | NotGiven | None = NOT_GIVEN,
        **body: Any,
    ) -> ChatCompletion:
        options: RequestOptions = {"headers": extra_headers, "security": {"bearer_auth": True}}
        if extra_body is not None:
            options["extra_json"] = extra_body
        if not isinstance(timeout, NotGiven):
            options["timeout"] = timeout
        given = {name: value for name, value in body.items() if not isinstance(value, Omit | NotGiven)}
        response = await self._client.post("/chat/completions", cast_to=httpx2.Response, body=given, options=options)
        return ChatCompletion.model_validate_json(response.content)


class PlainChat(AsyncChat):
    @cached_property
    def completions(self) -> PlainCompletions:
        return PlainCompletions(self._client)


class PlainClient(AsyncOpenAI):
    """The SDK's client with these completions; copies that it makes of itself have them too."""

    @cached_property
    def chat(self) -> PlainChat:
        return PlainChat(self)
