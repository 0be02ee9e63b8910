"""`POST check`: what is wrong with content, without a model."""

from __future__ import annotations

import io
from dataclasses import replace

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.answers import problems
from burnish.api.handing_in import HandedIn, Placed, laid_out, without_folder_in_json
from burnish.api.shapes.content import CheckOrder
from burnish.api.strict import JSON, StrictRoute
from burnish.api.workplace import Here
from burnish.app.check_job import Job, job_of, pair_of
from burnish.app.discovery import gather
from burnish.app.materials import materials
from burnish.app.reports.check_json import CheckReport, JsonReport
from burnish.app.settings import Loaded
from burnish.core.errors import UsageError
from burnish.engine.check_summary import Tally

router = APIRouter(tags=["content"], route_class=StrictRoute)
TURNS = anyio.CapacityLimiter(2)
"""Checks that are under way at the same time. Others wait, and cost nobody a thread: pages stay quick."""
THE_REQUEST = "the request"


@router.post("/check", response_model=CheckReport, responses=problems(507), operation_id="check")
async def check(order: CheckOrder, here: Here) -> Response:
    """Find what is wrong with content. No model is called, nothing is kept.

    The answer is the report of `burnish check --format json`; files go by the names that the request gives them.
    Content that cannot be read as it stands is among the report's problems.
    """
    report = await anyio.to_thread.run_sync(_report, order, here.loaded, limiter=TURNS)
    return Response(report, media_type=JSON)


def _report(order: CheckOrder, loaded: Loaded) -> str:
    handed = HandedIn(
        order.given,
        {
            "spec": [order.spec] if order.spec else [],
            "sources": order.sources,
            "glossary": [order.glossary] if order.glossary else [],
        },
    )
    with laid_out(handed) as placed:
        job = _job(order, loaded_for(loaded, order), placed)
        return without_folder_in_json(_told(job), placed.folder)


def _job(order: CheckOrder, loaded: Loaded, placed: Placed) -> Job:
    if order.kind == "manuscripts":
        if len(placed.documents) != 1 or len(order.sources) != 1 or order.spec is not None:
            raise UsageError(
                "A translation is checked beside the one text that it translates.",
                hint="Give the translation as `content`, and its source as the one file of `sources`.",
            )
        [source], [target] = placed.all("sources"), placed.documents
        return job_of(loaded, pair_of([source, str(target)], placed.one("glossary")), None, None, strict_input=False)
    if order.glossary is not None:
        raise UsageError("A glossary does nothing here.", hint="It is for `kind: manuscripts`.")
    beside = materials(placed.one("spec"), placed.all("sources"))
    gathered = gather([str(path) for path in placed.documents], order.kind, beside.places())
    return job_of(loaded, gathered, None, None, strict_input=False, beside=beside)


def _told(job: Job) -> str:
    stream, tally = io.StringIO(), Tally(failures=len(job.gathered.failures))
    report = JsonReport(stream)
    for event in job.events():
        tally.take(event)
        report.take(event)
    report.close(tally, problems=job.gathered.failures, passed_over=job.gathered.passed_over, off=job.off)
    return stream.getvalue()


def loaded_for(loaded: Loaded, order: CheckOrder) -> Loaded:
    """The operator's settings, with the rules that a request asks for."""
    wanted: dict[str, object] = {
        "select": tuple(order.select) or None,
        "ignore": (*loaded.settings.check.ignore, *order.ignore) if order.ignore else None,
        "profile": order.profile,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    check = loaded.settings.check.model_copy(update={**given, "jobs": 1})
    sources = {**loaded.sources, **{f"check.{name}": THE_REQUEST for name in given}}
    return replace(loaded, settings=loaded.settings.model_copy(update={"check": check}), sources=sources)
