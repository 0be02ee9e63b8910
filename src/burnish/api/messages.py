"""Shared by all routes: strict JSON, ids in addresses, JSON responses, and problems with their descriptions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

import jiter
from fastapi import Path, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from burnish.app.terminal import json_text
from burnish.core.errors import (
    BurnishError,
    EditRefused,
    InputError,
    LimitReached,
    ModelFailed,
    NotFound,
    RunActive,
    SourceUnavailable,
    StorageFailed,
    UsageError,
)
from burnish.core.json_bytes import dumps
from burnish.store.paths import RUN_ID
from burnish.store.records.course_records import trouble_of

PROBLEM = "application/problem+json"
STATUSES: tuple[tuple[type[BurnishError], int], ...] = (
    (NotFound, 404),
    (SourceUnavailable, 409),
    (InputError, 422),
    (UsageError, 400),
    (RunActive, 409),
    (LimitReached, 429),
    (StorageFailed, 507),
    (ModelFailed, 502),
    (EditRefused, 422),
)
"""The first match counts. An error class may set its own `status`."""
MOST_ERRORS = 20
"""Wrong fields that a response lists."""
LONGEST_DETAIL = 2_000


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem, as it is reported to the client."""

    status: int
    code: str
    detail: str
    hint: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the response: the field, the line, another person's decision."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return HTTPStatus(self.status).phrase

    def as_record(self, instance: str) -> dict[str, Any]:
        members = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail[:LONGEST_DETAIL],
            "instance": instance,
            "code": self.code,
            "hint": self.hint,
            **self.more,
        }
        return {name: value for name, value in members.items() if value is not None}


class TooMuch(Exception):
    """A request that goes beyond a limit."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """The problem to report for an error. An unexpected error shows no details: they are in the log."""
    if isinstance(error, RequestValidationError):
        found = error.errors()[:MOST_ERRORS]
        errors = [{"field": _place(one["loc"]), "detail": str(one["msg"])} for one in found]
        first = errors[0] if errors else {"field": "body", "detail": "cannot be read"}
        return Problem(
            422,
            "bad_request",
            f"{first['field']}: {first['detail']}",
            "/api/openapi.json describes every request.",
            {"errors": errors},
        )
    if isinstance(error, HTTPException):
        return Problem(
            error.status_code,
            HTTPStatus(error.status_code).phrase.lower().replace(" ", "_").replace("-", "_"),
            str(error.detail),
            headers=error.headers or {},
        )
    if not isinstance(error, BurnishError):
        return Problem(500, "internal_error", "Internal error. The server's log has the details.")
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    places = {name: getattr(error, name, None) for name in ("line", "field")}
    return Problem(
        getattr(error, "status", status),
        error.code,
        error.message,
        error.hint,
        {**{name: value for name, value in places.items() if value is not None}, **getattr(error, "more", {})},
        getattr(error, "headers", {}),
    )


def problem_json(path: str, problem: Problem) -> Response:
    """The answer to a program."""
    body = dumps(problem.as_record(path))
    return Response(body, problem.status, dict(problem.headers), PROBLEM)


def _place(location: tuple[Any, ...]) -> str:
    """The place in the request, as a dotted name; each part is cut, because the client may have invented it."""
    return ".".join(str(part)[:80] for part in location)


Responses = dict[int | str, dict[str, Any]]
"""Status -> the description of a response."""

PREFIX = "/api/v1"
WHY = {
    400: "The request is not valid.",
    401: "The token is missing or wrong.",
    403: "The request comes from another site.",
    404: "Not found.",
    409: "Another person decided first, or the state is not what the request expects.",
    412: "The unit has changed since the version in `If-Match`: a person decided, or the run worked on it.",
    413: "The request is too large.",
    415: "The body is not JSON.",
    421: "The request names another host.",
    422: "A field, or the content itself, cannot be used; `field` and `line` say where.",
    429: "Too many requests, or too many running runs; `Retry-After` may say when to try again.",
    507: "The server's disk refuses to write.",
}
"""Status -> its meaning in this API."""
ALWAYS = (400, 401, 403, 413, 421, 422, 429)
"""Statuses of problems that any request may have."""


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The response of a route: JSON, whatever characters the content has.

    Routes do not return their values to FastAPI: it would validate every response again, and content may have
    characters that UTF-8 cannot encode. Tests check that responses match their descriptions.
    """
    return Response(json_text(value).encode(), status, dict(headers or {}), "application/json")


def page_end(total: int, end: int) -> dict[str, int | None]:
    """The last fields of every list: the total, and the `after` of the next page."""
    return {"total": total, "next": end if end < total else None}


def version_of(record: Mapping[str, Any]) -> str:
    """The `ETag` of a response: a digest of its content."""
    return f'"{hashlib.sha256(json_text(record).encode()).hexdigest()[:16]}"'


def is_fresh(if_none_match: str | None, tag: str) -> bool:
    """Whether the client has this version already."""
    return if_none_match is not None and tag in (one.strip().removeprefix("W/") for one in if_none_match.split(","))


def not_modified(tag: str) -> Response:
    return Response(status_code=304, headers={"ETag": tag})


def problems(*statuses: int) -> Responses:
    """The descriptions of the problems that a route may report."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": WHY[status], "content": {PROBLEM: {"schema": schema}}}
        for status in sorted({*ALWAYS, *statuses})
    }


RunId = Annotated[str, Path(description="The id of a run.", pattern=rf"^{RUN_ID.pattern}$", examples=["cardiology"])]
UnitId = Annotated[
    str,
    Path(
        description="The id of a unit; in a run over several documents `document/unit`. Percent-encode it.",
        max_length=2000,
        examples=["q1", "p_0035", "bank.json/q1"],
    ),
]
Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
After = Annotated[int, Query(ge=0, le=1_000_000, description="The `next` of the page before.")]


def run_url(run: str) -> str:
    return f"{PREFIX}/runs/{quote(run, safe='')}"


def unit_url(run: str, unit: str) -> str:
    """The address of a unit; characters that an address cannot hold are replaced by `?`."""
    return f"{run_url(run)}/units/{quote(unit.encode('utf-8', 'replace'), safe='')}"


JSON = "application/json"


class NotJson(UsageError):
    """A body that cannot be read."""

    code = "bad_json"


class OtherMediaType(UsageError):
    """A body that is not JSON."""

    code = "unsupported_media_type"
    status = 415


class StrictRequest(Request):
    """A request whose JSON has no duplicate keys, NaN or infinity, and a limited depth."""

    async def json(self) -> Any:
        return parse_strictly(await self.body())


class StrictRoute(APIRoute):
    """Reads bodies as a StrictRequest before anything else is done, so that invalid JSON is reported as such."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            if self.body_field is not None and await strict.body():
                content_type = request.headers.get("content-type", "")
                if content_type.partition(";")[0].strip().lower() != JSON:
                    raise OtherMediaType("The body of a request is JSON.", hint=f"Send it with `Content-Type: {JSON}`.")
                parse_strictly(await strict.body())
            return await handle(strict)

        return handled


def parse_strictly(data: bytes) -> Any:
    """The JSON value of a body. Raise NotJson if it cannot be read."""
    try:
        value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
        trouble = trouble_of(value)
    except ValueError as error:
        trouble = str(error)
    if trouble is not None:
        raise NotJson(f"The body cannot be read as JSON: {trouble}.", hint="/api/openapi.json describes every request.")
    return value
