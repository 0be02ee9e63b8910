"""Problems: what did not work, for whoever asked, as problem+json (RFC 9457). Pages show the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

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

MEDIA_TYPE = "application/problem+json"
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
"""The first that fits. An error class may say its own in `status`."""
MOST_ERRORS = 20
"""Wrong fields that an answer names."""
LONGEST_DETAIL = 2_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that did not work, for whoever asked."""

    status: int
    code: str
    detail: str
    hint: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the answer: the field, the line, what somebody else decided."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return HTTPStatus(self.status).phrase

    def as_record(self, instance: str) -> dict[str, Any]:
        said = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail[:LONGEST_DETAIL],
            "instance": instance,
            "code": self.code,
            "hint": self.hint,
            **self.more,
        }
        return {name: value for name, value in said.items() if value is not None}


class TooMuch(Exception):
    """A request that goes beyond a limit."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """What an error says to a visitor. One that nobody raised on purpose says nothing but that it is ours."""
    if isinstance(error, RequestValidationError):
        return _wrong_request(error)
    if isinstance(error, HTTPException):
        return Problem(error.status_code, _code(error.status_code), str(error.detail), headers=error.headers or {})
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
    body = orjson.dumps(problem.as_record(path), option=orjson.OPT_NON_STR_KEYS)
    return Response(body, problem.status, dict(problem.headers), MEDIA_TYPE)


def _wrong_request(error: RequestValidationError) -> Problem:
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


def _place(location: tuple[Any, ...]) -> str:
    """Where in the request, as a dotted name; a name that the visitor made up is cut short."""
    return ".".join(str(part)[:80] for part in location)


def _code(status: int) -> str:
    return HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_")
