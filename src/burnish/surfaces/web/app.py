"""The application: pages, API and static files behind one guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from burnish import __version__
from burnish.surfaces import api
from burnish.surfaces.web import problems
from burnish.surfaces.web.guard import Guard
from burnish.surfaces.web.pages import deciding, names, precision, queue, report, rules, run, runs, unit
from burnish.surfaces.web.pages import live as live_pages
from burnish.surfaces.web.workplace import Workplace

PAGES = (runs, report, unit, run, queue, deciding, rules, precision, names, live_pages)
"""Each has a `router`. A unit's address begins with its run's, so it is looked for first."""
CARE_SECONDS = 1.0
"""How often it is looked whether a run is to go on."""


def create_app(workplace: Workplace) -> FastAPI:
    """Everything that the server answers."""
    app = FastAPI(
        title="Burnish",
        version=__version__,
        summary="Finds what is wrong in model-written learning content, repairs only that, proves the rest.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.workplace = workplace
    problems.install(app)
    app.add_api_route("/", _home, include_in_schema=False)
    for module in PAGES:
        app.include_router(module.router, include_in_schema=False)
    app.include_router(api.router)
    api.install(app)
    app.mount("/static", KeptFiles(directory=static_folder()), name="static")
    app.add_middleware(Guard, access=workplace.access, serving=workplace.loaded.settings.serve)
    return app


def static_folder() -> Path:
    return Path(str(resources.files("burnish.surfaces.web"))) / "static"


class KeptFiles(StaticFiles):
    """Files that a browser may keep for good: the address of each changes with its content."""

    def file_response(self, *given: Any, **more: Any) -> Response:
        response = super().file_response(*given, **more)
        response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response


def _home() -> Response:
    return RedirectResponse("/runs", 303)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    here: Workplace = app.state.workplace
    here.errands.rested = here.desk.settle
    care = asyncio.create_task(_care(here))
    try:
        yield
    finally:
        care.cancel()
        await run_in_threadpool(here.close)


async def _care(here: Workplace) -> None:
    """Let runs go on whose last unit was decided."""
    while True:
        await asyncio.sleep(CARE_SECONDS)
        await run_in_threadpool(here.errands.start_due)
