"""Requests are read strictly: JSON that two readers could understand differently is not accepted."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import jiter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from burnish.core.errors import UsageError
from burnish.store.records.course_records import trouble_of

JSON = "application/json"


class NotJson(UsageError):
    """A body that cannot be read."""

    code = "bad_json"


class OtherMediaType(UsageError):
    """A body that is something else than JSON."""

    code = "unsupported_media_type"
    status = 415


class StrictRequest(Request):
    """A request whose JSON has no duplicate keys, no NaN, no infinity, no depth without end."""

    async def json(self) -> Any:
        return strictly(await self.body())


class StrictRoute(APIRoute):
    """Reads bodies through a StrictRequest, before anything else is done: what is wrong with one is told as such."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            if self.body_field is not None and await strict.body():
                _refuse_other_media(request.headers.get("content-type", ""))
                strictly(await strict.body())
            return await handle(strict)

        return handled


def _refuse_other_media(given: str) -> None:
    if given.partition(";")[0].strip().lower() != JSON:
        raise OtherMediaType("The body of a request is JSON.", hint=f"Send it with `Content-Type: {JSON}`.")


def strictly(data: bytes) -> Any:
    """The JSON value in a body."""
    try:
        value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
        trouble = trouble_of(value)
    except ValueError as error:
        trouble = str(error)
    if trouble is not None:
        raise NotJson(f"The body cannot be read as JSON: {trouble}.", hint="/api/openapi.json describes every request.")
    return value
