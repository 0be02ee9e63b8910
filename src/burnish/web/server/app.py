"""The application: pages, API and static files behind one guard."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from burnish import __version__, api
from burnish.api.workplace import Workplace
from burnish.app.kinds import known_kinds
from burnish.core.errors import BurnishError, NotFound
from burnish.web.pages import api_docs, decisions, new, people, queue, rules, run, run_progress, runs, unit
from burnish.web.rendering import environment
from burnish.web.server.guard import Guard, handle_errors

PAGES = (new, runs, unit, run, run_progress, queue, decisions, people, rules, api_docs)
"""Each has a `router`. A unit's address begins with its run's, so it is looked for first."""
log = logging.getLogger("burnish.web")
CARE_SECONDS = 1.0
"""How often it is looked whether a run is to go on."""
INBOX_SECONDS = 5
"""How often the inboxes of runs that rest are looked at."""


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
    handle_errors(app)
    app.add_api_route("/", _home, include_in_schema=False)
    for module in PAGES:
        app.include_router(module.router, include_in_schema=False)
    app.include_router(api.router)
    api.install(app)
    app.mount("/static", KeptFiles(directory=static_folder()), name="static")
    app.add_middleware(Guard, access=workplace.access, serving=workplace.loaded.settings.serve)
    return app


def static_folder() -> Path:
    return Path(str(resources.files("burnish.web"))) / "static"


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
    here.jobs.rested = partial(_rested, here)
    here.jobs.is_settled = lambda run: here.index.open(run).card.state == "ready_to_continue"
    tasks = [asyncio.create_task(_care(here)), asyncio.create_task(run_in_threadpool(_warm, here))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await run_in_threadpool(here.close)


def _warm(here: Workplace) -> None:
    """Load what pages need before somebody asks for one: the first visitor would wait for it."""
    known_kinds()
    here.index.precision()
    templates = environment()
    for name in templates.list_templates():
        templates.get_template(name)


def _rested(here: Workplace, run: str) -> None:
    """Apply what was decided while the run was at work."""
    with suppress(NotFound):  # an errand that failed before there was a run leaves nothing to apply
        here.reviews.apply_pending(run)


async def _care(here: Workplace) -> None:
    """Let runs go on whose last unit was decided, and apply what waits in the inboxes of runs that rest.

    Whoever worked on such a run may be a process that nobody here watched.
    """
    for second in count():
        await asyncio.sleep(CARE_SECONDS)
        for work in (here.jobs.start_due, *([here.reviews.apply_all] if second % INBOX_SECONDS == 0 else ())):
            try:
                await run_in_threadpool(work)
            except (BurnishError, OSError) as trouble:
                # Of one run: it is tried again, and the others are cared for meanwhile.
                log.warning("%s", trouble)
