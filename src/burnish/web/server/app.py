"""The application: pages, API and static files behind one guard."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from burnish import __version__, api
from burnish.api.workplace import Workplace
from burnish.app.kinds import known_kinds
from burnish.app.webhooks import Webhooks
from burnish.core.errors import BurnishError, NotFound
from burnish.web.pages import api_docs, decisions, new, people, queue, rules, run, run_progress, runs, unit
from burnish.web.rendering import STYLESHEET, environment, stylesheet
from burnish.web.server.guard import Guard, handle_errors

PAGES = (new, runs, unit, run, run_progress, queue, decisions, people, rules, api_docs)
"""Each has a `router`. A unit's address begins with its run's, so it is looked for first."""
log = logging.getLogger("burnish.web")
CARE_SECONDS = 1.0
"""How often it is looked whether a run is to go on."""
WEBHOOK_SECONDS = 2.0
"""How often it is looked whether somebody is to be told."""
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
    app.add_api_route(f"/static/{STYLESHEET}", _styles, include_in_schema=False)
    app.mount("/static", KeptFiles(directory=static_folder()), name="static")
    app.add_middleware(Guard, access=workplace.access, serving=workplace.loaded.settings.serve)
    return app


def static_folder() -> Path:
    return Path(str(resources.files("burnish.web"))) / "static"


KEPT = {"cache-control": "private, max-age=31536000, immutable"}
"""What a browser may keep for good: the address changes with the content."""


class KeptFiles(StaticFiles):
    """Files that a browser may keep."""

    def file_response(self, *given: Any, **more: Any) -> Response:
        response = super().file_response(*given, **more)
        response.headers.update(KEPT)
        return response


def _styles(request: Request) -> Response:
    """All styles in one file, compressed."""
    headers = {**KEPT, "vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(stylesheet(), headers=headers, media_type="text/css")
    return Response(_packed_styles(), headers={**headers, "content-encoding": "gzip"}, media_type="text/css")


@cache
def _packed_styles() -> bytes:
    return gzip.compress(stylesheet().encode(), mtime=0)


def _home() -> Response:
    return RedirectResponse("/runs", 303)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    here: Workplace = app.state.workplace
    here.jobs.rested = partial(_rested, here)
    here.jobs.is_settled = lambda run: here.index.open(run).card.state == "ready_to_continue"
    tasks = [asyncio.create_task(_care(here)), asyncio.create_task(run_in_threadpool(_warm, here))]
    if here.webhooks is not None:
        tasks.append(asyncio.create_task(_tell(here.webhooks)))
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
    with suppress(NotFound):  # a job that failed before there was a run leaves nothing to apply
        here.reviews.apply_pending(run)


async def _tell(webhooks: Webhooks) -> None:
    """Tell others how runs stand, apart from everything else: an address may take its time."""
    while True:
        try:
            await run_in_threadpool(webhooks.look)
        except Exception:  # whatever it is, the next look is made: nobody would see that messages have ceased
            log.exception("webhooks: nobody was told")
        await asyncio.sleep(WEBHOOK_SECONDS)


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
