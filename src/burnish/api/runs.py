"""`GET runs` and all below it: a run, its units and files, its events as a page or a stream, refinement of lessons."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import quote

from fastapi import APIRouter, Header, Query
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from burnish.api.messages import (
    After,
    Limit,
    Responses,
    RunId,
    UnitId,
    is_fresh,
    json_response,
    not_modified,
    page_end,
    problems,
    run_url,
    unit_url,
    version_of,
)
from burnish.api.shapes.runs import (
    EventList,
    ExportList,
    Refinement,
    RunDetail,
    RunList,
    StartingRun,
    UnitList,
    UnitRecord,
    WaitingList,
)
from burnish.api.streams import MEDIA_TYPE, event_record
from burnish.api.workplace import Here, Workplace
from burnish.app.reviews import selection_hash
from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader, UnitLine
from burnish.app.runs import RunState, View, unit_record
from burnish.core.errors import NotFound, UsageError
from burnish.core.findings import Severity
from burnish.core.json_bytes import loads
from burnish.core.records import EventRecord
from burnish.engine.exports import totals_record
from burnish.engine.versions import kept_versions
from burnish.store.paths import RunFolder, existing_run
from burnish.store.sqlite_journal import open_journal, trouble_of
from burnish.store.unit_queries import QueueFilter, UnitFilter

PIECE = 1 << 18
WALKS_BY_FOLDER = os.open in os.supports_dir_fd
"""Whether a path can be opened folder by folder, so that none can be replaced meanwhile. Not on Windows."""
OTHER = "application/octet-stream"
router = APIRouter(tags=["runs"])
MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
"""Ending -> media type; any other file is sent as bytes. Files are sent as downloads, never to be shown."""
FILE: Responses = {
    200: {
        "description": "The file.",
        "content": {type.partition(";")[0]: {"schema": {}} for type in (*MEDIA_TYPES.values(), OTHER)},
    }
}


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that may be downloaded."""

    name: str
    """Its path inside the run's folder."""
    sort: Literal["export", "published"]

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES.get(Path(self.name).suffix.lower(), OTHER)


def exported_files(run: View) -> dict[str, ExportedFile]:
    """Name -> every file that the run has recorded: its exports, what it published in its own folder, and what was kept
    of earlier versions."""
    digests = run.journal.get_meta("exports")
    names = json.loads(digests) if digests is not None else {}
    earlier = [f"{kept['folder']}/{name}" for kept in kept_versions(run.journal) for name in kept["files"]]
    exports = {name: ExportedFile(name, "export") for name in (*sorted(names), *earlier)}
    return exports | {name: ExportedFile(name, "published") for name, is_inside in run.published() if is_inside}


@router.get("/runs/{run_id}/exports", response_model=ExportList, responses=problems(404))
def list_exports(run_id: RunId, here: Here) -> Response:
    """The files that a run has made: reports, what it learnt, and the published documents."""
    run = here.index.open(run_id).view
    found = []
    for file in exported_files(run).values():
        try:
            descriptor, size = _open_export(run, file)
        except NotFound:  # deleted by hand; `burnish export` writes it again
            continue
        os.close(descriptor)
        url = f"{run_url(run_id)}/exports/{quote(file.name.encode('utf-8', 'replace'))}"
        found.append({"name": file.name, "sort": file.sort, "bytes": size, "media_type": file.media_type, "url": url})
    return json_response({"exports": found})


@router.get("/runs/{run_id}/exports/{name:path}", response_class=Response, responses={**FILE, **problems(404)})
def get_export(
    run_id: RunId,
    name: Annotated[str, InPath(description="As the list names it.", max_length=1024, examples=["receipt.json"])],
    here: Here,
) -> Response:
    """Download one file of a run."""
    run = here.index.open(run_id).view
    file = exported_files(run).get(name)
    if file is None:
        raise NotFound(f"The run {run_id} has no such file.", hint=f"GET {run_url(run_id)}/exports lists them.")
    descriptor, size = _open_export(run, file)
    plain = Path(file.name).name.encode("utf-8", "replace")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(plain, safe='')}",
        "Content-Length": str(size),
    }
    return StreamingResponse(_pieces(os.fdopen(descriptor, "rb"), size), headers=headers, media_type=file.media_type)


def _open_export(run: View, file: ExportedFile) -> tuple[int, int]:
    """The file, opened without following any link in its path, and its size. Raise NotFound if it does not exist."""
    if not WALKS_BY_FOLDER:
        return _open_by_path(run, file)
    folder = os.open(run.folder.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    *folders, name = Path(file.name).parts
    try:
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise NotFound(f"{file.name} no longer exists.", hint="`burnish export RUN` writes it again.") from error
    finally:
        os.close(folder)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise NotFound(f"{file.name} is no longer a file.", hint="`burnish export RUN` writes it again.")
    return descriptor, found.st_size


def _open_by_path(run: View, file: ExportedFile) -> tuple[int, int]:
    """The same on Windows, where a folder cannot be held open: a path with a link in it is refused."""
    path = run.folder.root.resolve().joinpath(*Path(file.name).parts)
    if path.resolve() != path or not path.is_file():
        raise NotFound(f"{file.name} no longer exists.", hint="`burnish export RUN` writes it again.")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    return descriptor, os.fstat(descriptor).st_size


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The file in pieces, never more bytes than its Content-Length."""
    with file:
        while size > 0 and (piece := file.read(min(PIECE, size))):
            size -= len(piece)
            yield piece


UNCHANGED: Responses = {304: {"description": "Not modified since the version in `If-None-Match`."}}
Text = Annotated[str, Query(max_length=200)]
Key = Annotated[
    str, Query(pattern=r"^[0-9]{1,18}\.[0-9]{1,18}$", description="The `next` or `previous` of another page.")
]


@router.get("/runs", response_model=RunList, responses=problems())
def list_runs(
    here: Here,
    state: Annotated[tuple[RunState, ...], Query(description="Only runs in these states. Repeatable.")] = (),
    kind: Annotated[Text | None, Query(description="Only of this kind.")] = None,
    find: Annotated[Text | None, Query(description="Text to look for in the id or the title.")] = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """All runs, the most recently active first."""
    cards = here.index.cards()
    needle = (find or "").casefold()
    found = [
        card
        for card in cards
        if isinstance(card, RunCard)
        and (not state or card.state in state)
        and kind in (None, card.kind)
        and (needle in card.id.casefold() or needle in card.title.casefold())
    ]
    end = after + limit
    return json_response(
        {
            "runs": [run_record(card) for card in found[after:end]],
            "unreadable": [asdict(card) for card in cards if not isinstance(card, RunCard)],
            **page_end(len(found), end),
        }
    )


def run_record(card: RunCard) -> dict[str, Any]:
    """A run as the API describes it."""
    record = asdict(card)
    for name in ("parts", "tokens", "cost", "session"):
        del record[name]  # parts are for pages, the session is for webhooks, and the totals have the others
    return {**record, "totals": totals_record(card.totals)}


@router.get("/runs/{run_id}", response_model=RunDetail | StartingRun, responses={**UNCHANGED, **problems(404)})
def get_run(
    run_id: RunId,
    here: Here,
    if_none_match: Annotated[str | None, Header(description="The `ETag` of an earlier answer.")] = None,
) -> Response:
    """The state of one run."""
    try:
        run = here.index.open(run_id)
    except UsageError as missing:  # there is no journal yet, or no plan in it
        # A run that was just started has no plan yet. If none was started, `missing` is raised.
        trouble = _trouble(run_id, here)
        if trouble is None and not here.jobs.is_at_work(run_id):
            raise missing
        return json_response({"id": run_id, "state": "starting" if trouble is None else "failed", "trouble": trouble})
    record = {
        **run_record(run.card),
        "causes": [asdict(cause) for cause in run.causes()],
        "findings": [asdict(rule) for rule in run.findings_by_rule()],
        "open_claims": run.doubts().as_record(),
        "scores": [asdict(score) for score in run.scores()],
        "resumes_in": here.jobs.seconds_left(run_id),
        "trouble": trouble_of(run.view.journal) or _trouble(run_id, here),
    }
    tag = version_of(record)
    return not_modified(tag) if is_fresh(if_none_match, tag) else json_response(record, headers={"ETag": tag})


def _trouble(run: str, here: Workplace) -> str | None:
    """Why a run without a plan does not start: from its journal, or from the last output of its process."""
    output = here.jobs.error_of(run)
    folder = RunFolder.at(here.runs, run)
    if output is None and folder.journal.exists() and not here.jobs.is_at_work(run):
        with closing(open_journal(folder.journal, clock=here.clock, read_only=True)) as journal:
            return trouble_of(journal)
    if output is None:
        return None
    try:
        error = loads(output.splitlines()[-1])["error"]
        return " ".join(str(error[name]) for name in ("message", "hint") if error.get(name))
    except (ValueError, KeyError, TypeError, IndexError):  # the last line is not one of our errors
        return output or "The process ended without a message."


@router.get("/queue", response_model=WaitingList, responses=problems(404))
def list_queue(
    here: Here,
    kind: Annotated[Text | None, Query(description="Only of this kind.")] = None,
    run: Annotated[Text | None, Query(description="Only of this run.")] = None,
    cause: Annotated[Text | None, Query(description="Only units that wait for this cause; with `run`.")] = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """The units of all runs that wait for a person, in the order of the workbench: what unblocks most first."""
    if run is not None:
        here.index.open(run)
    elif cause is not None:
        raise UsageError("`cause` is a cause of one run.", hint="Add `run`.")
    where = QueueFilter(kind=kind, run=run, cause=cause)
    lines = here.index.queue(where, offset=after, limit=limit)
    return json_response(
        {
            "units": [
                {
                    **line_record(here.index.open(one.run), one.line),
                    "run": one.run,
                    "title": one.title,
                    "kind": one.kind,
                    "waiting": one.waiting,
                }
                for one in lines
            ],
            **page_end(here.index.queue_total(where), after + limit),
        }
    )


@router.get("/runs/{run_id}/units", response_model=UnitList, responses=problems(404))
def list_units(
    run_id: RunId,
    here: Here,
    state: Annotated[tuple[Text, ...], Query(description="Only in these states. Repeatable.", max_length=20)] = (),
    waiting: Annotated[bool, Query(description="Only units that wait for a person.")] = False,
    rule: Annotated[Text | None, Query(description="Only units whose draft breaks this rule.")] = None,
    severity: Annotated[Severity | None, Query(description="Only units with this worst severity.")] = None,
    cause: Annotated[Text | None, Query(description="Only units that wait for this cause.")] = None,
    text: Annotated[Text | None, Query(description="Text to look for in the id or the text.")] = None,
    document: Annotated[str | None, Query(max_length=1024, description="Only of this document.")] = None,
    repaired: Annotated[bool, Query(description="Only units whose draft differs from the original.")] = False,
    open: Annotated[bool, Query(description="Only units with open findings.")] = False,
    after: Key | None = None,
    before: Key | None = None,
    limit: Limit = 50,
    digest: Annotated[bool, Query(description="Add a digest of all matching units, for a bulk decision.")] = False,
) -> Response:
    """The units of a run, in document order, a page at a time."""
    if after is not None and before is not None:
        raise UsageError("Use `after` or `before`, not both.", hint="Leave one of them out.")
    run = here.index.open(run_id)
    states = (*state, run.view.kind.states.waiting) if waiting else state
    where = UnitFilter(
        states=states,
        rule=rule,
        severity=severity,
        cause=cause,
        text=text,
        document=document,
        repaired=repaired,
        open=open,
    )
    page = run.units(where, offset_key=after or before, limit=limit, backwards=before is not None)
    return json_response(
        {
            "units": [line_record(run, line) for line in page.lines],
            "previous": page.previous,
            "next": page.next,
            "total": page.total,
            "digest": selection_hash(run.moments(where)) if digest else None,
        }
    )


def line_record(run: RunReader, line: UnitLine) -> dict[str, Any]:
    record = asdict(line)
    del record["key"]
    return {**record, "url": unit_url(run.view.folder.id, line.id)}


@router.get("/runs/{run_id}/units/{unit_id:path}", response_model=UnitRecord, responses={**UNCHANGED, **problems(404)})
def get_unit(
    run_id: RunId,
    unit_id: UnitId,
    here: Here,
    replies: Annotated[bool, Query(description="The models' raw replies as well.")] = False,
    if_none_match: Annotated[str | None, Header(description="The `ETag` of an earlier answer.")] = None,
) -> Response:
    """Everything that happened to one unit. Send its `ETag` as `If-Match` with a decision."""
    run = here.index.open(run_id)
    record = unit_record(run.view, run.story(unit_id), replies=replies)
    tag = version_of(record)
    return not_modified(tag) if is_fresh(if_none_match, tag) else json_response(record, headers={"ETag": tag})


LARGEST = (1 << 63) - 1
STREAM: Responses = {
    200: {
        "description": "A page of events as JSON; with `Accept: text/event-stream`, a stream of them.",
        "content": {
            MEDIA_TYPE: {
                "schema": {"type": "string"},
                "example": 'id: 12\nevent: happened\ndata: {"seq":12,"at":"...","type":"decision","unit":"q1",...}\n\n',
            }
        },
    }
}


@router.get("/runs/{run_id}/events", response_model=EventList, responses={**STREAM, **problems(404)})
async def list_events(
    run_id: RunId,
    here: Here,
    after: Annotated[int, Query(ge=0, le=LARGEST, description="Events after this number; 0: all.")] = 0,
    follow: Annotated[bool, Query(description="Keep the stream open when the run has stopped.")] = False,
    limit: Limit = 100,
    last_event_id: Annotated[str | None, Header(description="Sent by browsers that connect again.")] = None,
    accept: Annotated[str | None, Header(description="`text/event-stream` asks for a stream.")] = None,
) -> Response:
    """The events of a run: a page, or with `Accept: text/event-stream` a stream.

    In a stream each event has its number as `id` and is JSON in `data`. A comment is sent when nothing happens for 15
    seconds. When the run has stopped and all events are sent, `event: end` gives its state, and the stream ends; with
    `follow=true` it stays open for later events.
    """
    if MEDIA_TYPE not in (accept or ""):
        return await run_in_threadpool(_events_page, here, run_id, after, limit)
    at_rest = None if follow else partial(_final_state, here, run_id)
    return await here.streams.of_run(run_id, resumed(last_event_id, after), at_rest)


def _final_state(here: Workplace, run: str) -> str | None:
    """The state of a run that no process works on and that does not resume by itself; None for any other run."""
    if run in here.jobs.active():
        return None
    try:
        state = here.index.open(run).card.state
    except UsageError:  # it is just being started
        return None
    return None if state == "working" else state


def resumed(last_event_id: str | None, after: int) -> int:
    """The event after which a broken stream resumes: the last one that the browser received, or that in its address."""
    if last_event_id is None or not (last_event_id.isascii() and last_event_id.isdigit()):
        return after
    return max(after, min(int(last_event_id[:20]), LARGEST))


def _events_page(here: Workplace, run: str, after: int, limit: int) -> Response:
    folder = existing_run(here.runs, run)  # also of a run that has no plan yet
    with closing(open_journal(folder.journal, clock=here.clock, read_only=True)) as journal:
        found = list(islice(journal.events(after=after, limit=limit + 1), limit + 1))
    shown = found[:limit]
    return json_response(
        {
            "events": [event_record(event) for event in shown],
            "last": shown[-1].seq if shown else after,
            "next": shown[-1].seq if len(found) > limit else None,
        }
    )


PLAN, VOTES = "refinement_display.json", "panel_votes.json"


@router.get("/runs/{run_id}/refinement", response_model=Refinement, responses=problems(404))
def get_refinement(run_id: RunId, here: Here) -> Response:
    """Lessons: the plan, its iterations and tasks, and the votes of the judges."""
    run = here.index.open(run_id).view
    if not run.kind.is_whole:
        raise NotFound(f"The run {run_id} has no lessons.", hint="Only runs over lessons have a refinement.")
    displays = run.kind.displays()
    lessons = [
        {"document": name, "refinement": displays[PLAN](events), "votes": displays[VOTES](events)}
        for name, events in _by_document(run).items()
    ]
    return json_response({"run": run_id, "documents": lessons})


def _by_document(run: View) -> dict[str, list[EventRecord]]:
    """Document -> its events, in order."""
    found: dict[str, list[EventRecord]] = {document.name: [] for document in run.plan.documents}
    for event in run.journal.events():
        if event.data.get("document") in found:
            found[event.data["document"]].append(event)
    return found
