"""`GET runs/{id}/exports`: the files of a run, and nothing else that may lie in its folder."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO, Literal
from urllib.parse import quote

from fastapi import APIRouter
from fastapi import Path as InPath
from starlette.responses import Response, StreamingResponse

from burnish.api.messages import Responses, RunId, problems, run_url, told
from burnish.api.shapes.runs import ExportList
from burnish.api.workplace import Here
from burnish.app.runs import View
from burnish.core.errors import NotFound

router = APIRouter(tags=["runs"])
PIECE = 1 << 18
OTHER = "application/octet-stream"
MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
"""Ending -> what a file is called; every other one is bytes. They are handed out to be saved, never to be shown."""
FILE: Responses = {
    200: {
        "description": "The file.",
        "content": {type.partition(";")[0]: {"schema": {}} for type in (*MEDIA_TYPES.values(), OTHER)},
    }
}


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that may be handed out."""

    name: str
    """Its path inside the run's folder."""
    sort: Literal["export", "published"]

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES.get(Path(self.name).suffix.lower(), OTHER)


def exported_files(run: View) -> dict[str, ExportedFile]:
    """Name -> every file that the run says it has made: its exports, and what it published in its own folder."""
    digests = run.journal.get_meta("exports")
    names = json.loads(digests) if digests is not None else {}
    exports = {name: ExportedFile(name, "export") for name in sorted(names)}
    return exports | {name: ExportedFile(name, "published") for name, is_inside in run.published() if is_inside}


@router.get("/runs/{run_id}/exports", response_model=ExportList, responses=problems(404), operation_id="list_exports")
def list_exports(run_id: RunId, here: Here) -> Response:
    """The files that a run has made: reports, what it learnt, and the published documents."""
    run = here.index.open(run_id).view
    found = []
    for file in exported_files(run).values():
        try:
            descriptor, size = _opened(run, file)
        except NotFound:  # removed by somebody: it can be made again with `burnish export`
            continue
        os.close(descriptor)
        url = f"{run_url(run_id)}/exports/{quote(file.name.encode('utf-8', 'replace'))}"
        found.append({"name": file.name, "sort": file.sort, "bytes": size, "media_type": file.media_type, "url": url})
    return told({"exports": found})


@router.get(
    "/runs/{run_id}/exports/{name:path}",
    response_class=Response,
    responses={**FILE, **problems(404)},
    operation_id="get_export",
)
def get_export(
    run_id: RunId,
    name: Annotated[str, InPath(description="As the list names it.", max_length=1024, examples=["receipt.json"])],
    here: Here,
) -> Response:
    """One file of a run, to be saved."""
    run = here.index.open(run_id).view
    file = exported_files(run).get(name)
    if file is None:
        raise NotFound(f"The run {run_id} has no such file.", hint=f"GET {run_url(run_id)}/exports lists them.")
    descriptor, size = _opened(run, file)
    headers = {"Content-Disposition": _to_be_saved(file.name), "Content-Length": str(size)}
    return StreamingResponse(_pieces(os.fdopen(descriptor, "rb"), size), headers=headers, media_type=file.media_type)


def _opened(run: View, file: ExportedFile) -> tuple[int, int]:
    """The file, opened without following a link on the way, and its size. NotFound where it is not there."""
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


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """As many bytes as were promised."""
    with file:
        while size > 0 and (piece := file.read(min(PIECE, size))):
            size -= len(piece)
            yield piece


def _to_be_saved(name: str) -> str:
    """The header that has a browser save the file under its own name, whatever characters that holds."""
    plain = Path(name).name.encode("utf-8", "replace")
    return f"attachment; filename*=UTF-8''{quote(plain, safe='')}"
