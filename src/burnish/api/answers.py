"""How the API answers: JSON that is written as everywhere else, and problems as RFC 9457 has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from burnish.api.problems import MEDIA_TYPE as PROBLEM
from burnish.app.terminal import json_text

Responses = dict[int | str, dict[str, Any]]
"""Status -> what the description says of an answer."""

PREFIX = "/api/v1"
WHY = {
    400: "The request does not make sense as it stands.",
    401: "The token is missing or wrong.",
    403: "The request comes from another site.",
    404: "There is no such thing.",
    409: "Somebody else was first, or things are not as the request takes them to be.",
    413: "The request is too large.",
    415: "The body is no JSON.",
    421: "This server does not go by that name.",
    422: "A field, or the content itself, cannot be used; `field` and `line` say where.",
    429: "Too many requests, or as many runs at work as the operator allows; `Retry-After` may say when to try again.",
    503: "Others decide about the same run at this moment; `Retry-After` says when to try again.",
    507: "The disk of the server refuses.",
}
"""Status -> what it means here."""
ALWAYS = (400, 401, 403, 413, 421, 422, 429)
"""Problems that any request may meet."""


def told(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The answer of a route: JSON, whatever characters content holds.

    Routes do not hand their values to FastAPI: it would read every answer once more, and content may hold what UTF-8
    cannot. That answers are as they are described is shown by tests.
    """
    return Response(json_text(value).encode(), status, dict(headers or {}), "application/json")


def problems(*statuses: int) -> Responses:
    """What a route's description says of the problems that its requests may meet."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": WHY[status], "content": {PROBLEM: {"schema": schema}}}
        for status in sorted({*ALWAYS, *statuses})
    }
