"""The HTTP API: what the commands do, for programs that have no shell. It decides nothing."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, FastAPI

from burnish.api import content, courses, decisions, exports, knowledge, runs
from burnish.api.messages import PREFIX
from burnish.api.openapi import describe

__all__ = ["install", "router"]

router = APIRouter(prefix=PREFIX)
for part in (content, decisions, exports, runs, courses, knowledge):
    router.include_router(part.router)
"""A unit's id may hold slashes, so that its own route comes behind those that are longer."""


def install(app: FastAPI) -> None:
    """Let the app describe the API at `/api/openapi.json`."""
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
