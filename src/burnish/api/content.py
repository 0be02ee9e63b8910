"""`POST check`, `estimate`, `polish`, `translate`, `courses`: check or price a request's content, or start a run on it.

The files of a request are written to a folder of their own; responses use the request's names for them.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.messages import JSON, PREFIX, Responses, StrictRoute, json_response, problems
from burnish.api.shapes import (
    Ceilings,
    CheckOrder,
    EstimateOrder,
    EstimateReport,
    ExtractOrder,
    Given,
    PolishOrder,
    Started,
    TranslateOrder,
    decoded,
)
from burnish.api.workplace import Here, Workplace
from burnish.app.check_json import CheckReport, JsonReport
from burnish.app.check_summary import Job, job_of, pair_of
from burnish.app.kinds import gather
from burnish.app.materials import materials
from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_starts import (
    DOCUMENTS,
    InputFiles,
    Planned,
    Planner,
    StoredFiles,
    temporary_files,
    unlike_others,
    without_folder,
)
from burnish.app.settings import Loaded
from burnish.app.start_choices import extracted, priced
from burnish.app.terminal import json_text
from burnish.app.translation_plan import TranslationOrder, new_plan
from burnish.app.uploads import InputFile
from burnish.core.errors import UsageError
from burnish.engine.check import CheckSummary
from burnish.store.paths import RunFolder, default_run_id

router = APIRouter(tags=["content"], route_class=StrictRoute)


def without_folder_in_json(text: str, folder: Path) -> str:
    """`without_folder` for JSON, in which the folder's path is escaped."""
    return without_folder(text, Path(json_text(str(folder))[1:-1]))


def request_files(documents: Sequence[Given], beside: Mapping[str, Sequence[Given]]) -> InputFiles:
    """The files of a request by role: the documents, and the files that are read with them."""
    given = {DOCUMENTS: documents, **beside}
    return {role: [InputFile(one.name, _data(one)) for one in files] for role, files in given.items()}


def _data(one: Given) -> bytes:
    if one.base64 is not None:
        return decoded(one.base64)
    if isinstance(one.content, str):
        return one.content.encode()
    return json.dumps(one.content, ensure_ascii=False, allow_nan=False, indent=1).encode()


TURNS = anyio.CapacityLimiter(2)
"""Checks that run at the same time. Others wait without a thread, so that pages stay quick."""
THE_REQUEST = "the request"


@router.post("/check", response_model=CheckReport, responses=problems(507))
async def check(order: CheckOrder, here: Here) -> Response:
    """Find what is wrong with content. No model is called and nothing is kept.

    The answer is the report of `burnish check --format json`; files have the names that the request gives them.
    Content that cannot be read is among the report's problems.
    """
    report = await anyio.to_thread.run_sync(_report, order, here.loaded, limiter=TURNS)
    return Response(report, media_type=JSON)


def _report(order: CheckOrder, loaded: Loaded) -> str:
    beside = {"spec": _as_list(order.spec), "sources": order.sources, "glossary": _as_list(order.glossary)}
    with temporary_files(request_files(order.given, beside)) as stored:
        job = _job(order, loaded_for(loaded, order), stored)
        stream, summary = io.StringIO(), CheckSummary(failures=len(job.gathered.failures))
        report = JsonReport(stream)
        for event in job.events():
            summary.take(event)
            report.take(event)
        report.close(summary, problems=job.gathered.failures, passed_over=job.gathered.passed_over, off=job.off)
        return without_folder_in_json(stream.getvalue(), stored.folder)


def _job(order: CheckOrder, loaded: Loaded, stored: StoredFiles) -> Job:
    if order.kind == "manuscripts":
        if len(stored.documents) != 1 or len(order.sources) != 1 or order.spec is not None:
            raise UsageError(
                "A translation is checked with its source.",
                hint="Give the translation as `content`, and its source as the one file of `sources`.",
            )
        [source], [target] = stored.all("sources"), stored.documents
        return job_of(loaded, pair_of([source, str(target)], stored.one("glossary")), None, None, strict_input=False)
    if order.glossary is not None:
        raise UsageError("A glossary has no effect here.", hint="It is for `kind: manuscripts`.")
    beside = materials(stored.one("spec"), stored.all("sources"))
    gathered = gather([str(path) for path in stored.documents], order.kind, beside.places())
    return job_of(loaded, gathered, None, None, strict_input=False, beside=beside)


def loaded_for(loaded: Loaded, order: CheckOrder) -> Loaded:
    """The operator's settings, with the rules that a request asks for."""
    requested: dict[str, object] = {
        "select": tuple(order.select) or None,
        "ignore": (*loaded.settings.check.ignore, *order.ignore) if order.ignore else None,
        "profile": order.profile,
    }
    given = {name: value for name, value in requested.items() if value is not None}
    check = loaded.settings.check.model_copy(update={**given, "jobs": 1})
    sources = {**loaded.sources, **{f"check.{name}": THE_REQUEST for name in given}}
    return replace(loaded, settings=loaded.settings.model_copy(update={"check": check}), sources=sources)


@dataclass(frozen=True, slots=True)
class Start:
    """A run that a request asks for, ready to be started or priced."""

    run: str
    files: InputFiles
    planner: Planner
    loaded: Loaded
    request: str
    """The digest of the request. A client that got no answer and sends it again gets the run that it started, if the
    request names that run (`run_id`)."""


STARTS: Responses = {200: {"model": Started, "description": "The same request has started this run before."}}


@router.post("/polish", status_code=202, response_model=Started, responses={**STARTS, **problems(409, 507)})
def polish(order: PolishOrder, here: Here) -> Response:
    """Start a run over content: find what is wrong, repair only that, publish when nothing is left to decide.

    The run uses the operator's models and ceilings. Content that cannot be read is refused before anything is started
    or spent. The run is recorded before the answer is sent.
    """
    return start_run(_polish(order, here), here)


def _polish(order: PolishOrder, here: Workplace) -> Start:
    files = request_files(order.given, {"spec": _as_list(order.spec), "source": order.sources})
    run = order.run_id or _name(order.given[0].name, here)
    loaded = _with_ceilings(_with_profile(here.loaded, order.profile), order.ceilings)

    def planned(stored: StoredFiles, folder: RunFolder) -> Planned:
        beside = materials(stored.one("spec"), stored.all("source"))
        polish_order = Order(
            stored.path,
            order.kind,
            None,
            run,
            out_format=order.out_format,
            materials=beside,
            mode=order.mode,
            rules_only=order.rules_only,
            max_attempts=order.max_attempts,
        )
        return Planned(plan_of(polish_order, loaded, clock=here.clock))

    return Start(run, files, planned, loaded, _digest("polish", order))


@router.post("/translate", status_code=202, response_model=Started, responses={**STARTS, **problems(409, 507)})
def translate(order: TranslateOrder, here: Here) -> Response:
    """Start the translation of a manuscript, paragraph by paragraph. It is published when a person approves."""
    return start_run(_translate(order, here), here)


def _translate(order: TranslateOrder, here: Workplace) -> Start:
    beside = {role: _as_list(getattr(order, role)) for role in ("glossary", "style", "exclude", "draft")}
    files = request_files(order.given, {**beside, "memory": order.memories})
    run = order.run_id or _name(order.name, here)
    loaded = _with_ceilings(here.loaded, order.ceilings)

    def planned(stored: StoredFiles, folder: RunFolder) -> Planned:
        return Planned(
            new_plan(
                TranslationOrder(
                    run,
                    source=stored.path,
                    to=order.to,
                    source_language=order.from_,
                    profile=order.pipeline_profile,
                    orthography=order.orthography,
                    memories=tuple(stored.all("memory")),
                    glossary=stored.one("glossary"),
                    draft=stored.one("draft"),
                    exclude=stored.one("exclude"),
                    style=stored.one("style"),
                    rules_only=order.rules_only,
                ),
                loaded,
            )
        )

    return Start(run, files, planned, loaded, _digest("translate", order))


@router.post("/courses", status_code=202, response_model=Started, responses={**STARTS, **problems(409, 507)})
def start_course(order: ExtractOrder, here: Here) -> Response:
    """Start a course: sentence pairs are taken in, and each is cut into LEGOs. Cuts that score too low wait."""
    return start_run(_extract(order, here), here)


def _extract(order: ExtractOrder, here: Workplace) -> Start:
    run = order.run_id or _name(order.name, here)
    loaded = _with_ceilings(here.loaded, order.ceilings)

    def planned(stored: StoredFiles, folder: RunFolder) -> Planned:
        return extracted(stored, folder, loaded, code=order.course, run=run, hold=order.hold, clock=here.clock)

    return Start(run, request_files(order.given, {}), planned, loaded, _digest("courses", order))


@router.post("/estimate", response_model=EstimateReport, responses=problems(409, 507))
async def estimate(order: EstimateOrder, here: Here) -> Response:
    """What a start would cost: calls, tokens and money. No model is called and nothing is kept.

    Everything that would refuse the start refuses the estimate.
    """
    return Response(await anyio.to_thread.run_sync(_priced, order, here, limiter=TURNS), media_type=JSON)


def _priced(order: EstimateOrder, here: Workplace) -> str:
    if order.polish is not None:
        start = _polish(order.polish, here)
    elif order.translate is not None:
        start = _translate(order.translate, here)
    else:
        assert order.courses is not None, "one of the three is checked"
        start = _extract(order.courses, here)
    here.starter.was_started(start.run, start.request)
    with here.starter.temporary_plan(start.run, start.files, start.planner) as (planned, folder):
        bill = priced(planned.plan, start.loaded.settings, here.runs)
        return without_folder_in_json(json_text(asdict(bill)), folder)


def _digest(what: str, order: PolishOrder | TranslateOrder | ExtractOrder) -> str:
    return hashlib.sha256(f"{what}\n{order.model_dump_json()}".encode("utf-8", "surrogatepass")).hexdigest()


def start_run(start: Start, here: Workplace) -> Response:
    """Start the run. If the same request has started it before, give the same answer."""
    with here.signed("started", start.run) as undo:
        is_new = here.starter.start(start.run, start.files, start.planner, request=start.request)
        if not is_new:
            undo()
    return started(start.run, 202 if is_new else 200)


def started(run: str, status: int = 202) -> Response:
    place = f"{PREFIX}/runs/{run}"
    return json_response({"run_id": run, "run": place, "events": f"{place}/events"}, status, {"Location": place})


def _name(document: str, here: Workplace) -> str:
    return unlike_others(default_run_id(document, here.clock()))


def _as_list(given: Given | None) -> list[Given]:
    return [given] if given is not None else []


def _with_profile(loaded: Loaded, profile: str | None) -> Loaded:
    if profile is None:
        return loaded
    check = loaded.settings.check.model_copy(update={"profile": profile})
    sources = {**loaded.sources, "check.profile": "the request"}
    return replace(loaded, settings=loaded.settings.model_copy(update={"check": check}), sources=sources)


def _with_ceilings(loaded: Loaded, asked: Ceilings) -> Loaded:
    """The settings with the limits of a request. Raise UsageError if one is above the operator's."""
    given = {name: value for name, value in asked.model_dump().items() if value is not None}
    for name, value in given.items():
        allowed = getattr(loaded.settings.limits, name)
        if allowed is not None and value > allowed:
            raise UsageError(f"{name} is at most {allowed:g} here, not {value:g}.", hint="Ask for less.")
    limits = loaded.settings.limits.model_copy(update=given)
    return replace(loaded, settings=loaded.settings.model_copy(update={"limits": limits}))
