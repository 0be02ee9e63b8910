"""The HTTP API: what the commands do, for programs that have no shell. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi

from burnish.api import content, courses, decisions, knowledge, runs
from burnish.api.messages import PREFIX, problems
from burnish.api.shapes import Problem

TEMPLATE = "#/components/schemas/{model}"
TAGS = {
    "content": "Check content, or start a run over it.",
    "runs": "Runs, their units, their events and their files.",
    "decisions": "Decisions of people.",
    "courses": "Courses of LEGOs.",
    "knowledge": "Rules, schemas, and how often rules and judges are right.",
}
ABOUT = """\
Everything is JSON. Runs that are started here use the operator's models and settings only: a request cannot name an
endpoint, a key, a model or a path, and a field that is not described is refused.

Send the token that `burnish serve` prints as `Authorization: Bearer TOKEN`. Problems are
`application/problem+json` (RFC 9457): `code` never changes, `detail` says what is wrong, `hint` what to do about it.
"""


def describe(app: FastAPI) -> dict[str, Any]:
    """The description, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Burnish",
            version=app.version,
            openapi_version="3.1.0",
            summary=app.summary,
            description=ABOUT,
            routes=app.routes,
            tags=[{"name": name, "description": text} for name, text in TAGS.items()],
            separate_input_output_schemas=False,
        )
        components = made.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        described = Problem.model_json_schema(ref_template=TEMPLATE)
        schemas.update(described.pop("$defs"))
        schemas["Problem"] = described
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
        for operation in _operations(made):
            operation["responses"]["422"] = problems()[422]
        app.openapi_schema = made
    return app.openapi_schema


def _operations(made: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in made["paths"].values():
        yield from path.values()


__all__ = ["install", "router"]

router = APIRouter(prefix=PREFIX)
for part in (content, decisions, runs, courses, knowledge):
    router.include_router(part.router)
"""A unit's id may hold slashes, so that its own route comes behind those that are longer."""


def install(app: FastAPI) -> None:
    """Let the app describe the API at `/api/openapi.json`."""
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
