"""New run: upload and check files, choose models, see the estimate, and start the run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import ceil
from typing import Any
from urllib.parse import quote

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from burnish.api.content import TURNS
from burnish.api.workplace import Here, Workplace
from burnish.app.run_sessions import prices_for
from burnish.app.run_starts import unlike_others
from burnish.app.settings import Settings
from burnish.app.start_choices import (
    MODES,
    ROLE_FIELDS,
    SAMPLES,
    allowed_models,
    estimated,
    inputs_of,
    loaded_with,
    planner_for,
    run_id_of,
    sample_named,
    start_sample,
    usual_choices,
)
from burnish.app.upload_check import FINDINGS, check_upload
from burnish.app.uploads import FIXED, KIND_TITLES, MOST_FILES, ROLES, InputFile, Upload, checked, chosen
from burnish.core.errors import BurnishError, NotFound, UsageError
from burnish.core.json_bytes import canonical, dumps, loads
from burnish.models.budget import Price
from burnish.store.files import write_atomically
from burnish.store.paths import default_run_id, document_path
from burnish.web import Drawn
from burnish.web.formatting import LONGEST_ID, count, in_words, money, plural
from burnish.web.labels import for_pages, model_name
from burnish.web.pieces import Piece, diff
from burnish.web.rendering import Fields, crumbs, new_link, page, run_link

router = APIRouter()
ESTIMATE = "estimate.json"
CELLS, A_ROW = 240, 12
"""Cells of the strip: in all, and per row."""
MOST_FIXES_SHOWN = 12
CONTEXT = 24
"""Characters shown on either side of a small fix."""
FORMATS = {
    "aiken": "Aiken",
    "csv": "CSV",
    "docx": "Word",
    "gift": "GIFT",
    "json": "JSON",
    "jsonl": "JSON lines",
    "markdown": "Markdown",
    "moodle_xml": "Moodle XML",
    "qti": "QTI 2.1",
    "qti3": "QTI 3.0",
    "qti1": "QTI 1.2 (Canvas, Blackboard)",
    "text": "plain text",
    "tsv": "TSV",
    "xlsx": "Excel",
}
"""Format -> its usual name."""
CHOSEN = ("mode", "max_cost", "max_tokens", "to", "from", "code", "rules_only", "max_attempts")
"""Fields of the form beside the roles."""


# -- files


@router.get("/new")
def new(request: Request, here: Here) -> Response:
    return page(
        request, "start/new.html", crumbs=crumbs(("Runs", "/runs"), ("New run", None)), samples=SAMPLES, problem=None
    )


@router.post("/new")
async def upload_files(request: Request, here: Here) -> Response:
    """Save the files, check them, and redirect to the result."""
    files = await _files(request)
    upload = await anyio.to_thread.run_sync(_save_and_check, here, files, limiter=TURNS)
    return RedirectResponse(new_link(upload.id), 303)


def _save_and_check(here: Workplace, files: Sequence[InputFile]) -> Upload:
    return check_upload(here.uploads, here.uploads.create(files), here.loaded)


async def _files(request: Request) -> list[InputFile]:
    async with request.form(max_files=MOST_FILES, max_fields=10) as form:
        return [
            InputFile(one.filename or "", await one.read())
            for one in form.getlist("files")
            if isinstance(one, UploadFile) and one.filename
        ]


@router.post("/new/{id}/files")
async def add_files(request: Request, here: Here, id: str) -> Response:
    files = await _files(request)

    def added() -> None:
        upload = here.uploads.add(here.uploads.open(id), files)
        _recheck(here, upload)

    await anyio.to_thread.run_sync(added, limiter=TURNS)
    return RedirectResponse(new_link(id), 303)


@router.post("/new/{id}/kind")
def change_kind(here: Here, id: str, fields: Fields) -> Response:
    """Change the kind and the roles of the files, and remove files."""
    upload = here.uploads.open(id)
    if fields.get("kind") not in ROLES:
        raise UsageError("This kind of content is not known.", hint="Choose one from the list.")
    for file in upload.files:
        if fields.get(f"role.{file.name}") == "remove":
            upload = here.uploads.remove(upload, file.name)
    roles = {file.name: fields.get(f"role.{file.name}", file.role) for file in upload.files}
    _recheck(here, replace(chosen(upload, fields["kind"], roles), choices={}))
    return RedirectResponse(new_link(id), 303)


def _recheck(here: Workplace, upload: Upload) -> None:
    (upload.folder / ESTIMATE).unlink(missing_ok=True)
    check_upload(here.uploads, upload, here.loaded)


@router.post("/new/{id}/delete")
def delete(here: Here, id: str) -> Response:
    here.uploads.delete(id)
    return RedirectResponse("/new", 303)


@router.get("/new/{id}/findings.csv")
def findings(here: Here, id: str) -> Response:
    upload = here.uploads.open(id)
    return FileResponse(upload.folder / FINDINGS, media_type="text/csv", filename=f"{_stem(upload)}-findings.csv")


@router.get("/new/{id}/fixed/{name}")
def fixed(here: Here, id: str, name: str) -> Response:
    """Download a file with its safe fixes. Only names in the record of the upload are accepted."""
    upload = here.uploads.open(id)
    if name not in (checked(upload) or {}).get("fixed_files", ()):
        raise NotFound("There is no such file.", hint="Go back and look at the list of fixes.")
    path = document_path(upload.folder / FIXED, name)
    saved = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return FileResponse(path, media_type="application/octet-stream", headers={"content-disposition": saved})


def _stem(upload: Upload) -> str:
    plain = upload.files[0].name.rpartition(".")[0] or upload.files[0].name
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in plain)[:60] or "upload"


# -- the page


@router.get("/new/{id}")
def uploaded(request: Request, here: Here, id: str) -> Response:
    return _page(request, here, here.uploads.open(id))


def _page(request: Request, here: Workplace, upload: Upload, problem: BurnishError | None = None) -> Response:
    found = checked(upload)
    if found is None:
        _recheck(here, upload)
        upload = here.uploads.open(upload.id)
        found = checked(upload) or {}
    choices = _choices(here, upload, found)
    # A rejected form shows its own error, else the estimate may have one.
    bill = _estimate(here, upload, choices) if problem is None and not found["unreadable"] else None
    refused = problem or (bill if isinstance(bill, BurnishError) else None)
    return page(
        request,
        "start/checked.html",
        status=200 if problem is None else 422,
        crumbs=crumbs(("Runs", "/runs"), ("New run", None)),
        upload=upload,
        kinds=KIND_TITLES,
        roles=ROLES,
        kind_roles=ROLES[upload.kind],
        found=found,
        many=f"{found['noun']}s",
        formats={name: FORMATS.get(format, format) for name, format in found["formats"].items()},
        places=_places(found["strip"]),
        heading=_heading(found),
        fixes=_fixes(found["fixes"], _places(found["strip"])),
        strip=_strip(found["strip"], found["noun"]),
        rows=role_rows(upload.kind, here.loaded.settings, choices),
        modes=MODES[upload.kind],
        choices=choices,
        bill=None if refused else bill,
        bar=money_bar(bill, choices, here.loaded.settings) if isinstance(bill, dict) else None,
        problem=refused,
        is_refused=problem is not None,
        hint=for_pages(refused.hint) if refused is not None else None,
        open_files="files" in request.query_params,
        models=allowed_models(here.loaded.settings),
        limits=here.loaded.settings.limits,
    )


def _choices(here: Workplace, upload: Upload, found: Mapping[str, Any]) -> dict[str, str]:
    usual = usual_choices(upload.kind, here.loaded.settings)
    if upload.kind in ("manuscripts", "legos"):
        named = [name for name in str(found["about"]).split(" and ") if name]
        usual |= {"from": named[0] if named else "", "to": named[1] if len(named) > 1 else "", "code": ""}
    return {**usual, **upload.choices}


def _heading(found: Mapping[str, Any]) -> str:
    severities = found["severities"]
    errors = severities["critical"] + severities["error"]
    parts = [(errors, "error"), (severities["warning"], "warning"), (severities["info"], "remark")]
    said = [plural(number, word) for number, word in parts if number]
    if not said:
        return f"Nothing found in {plural(found['units'], found['noun'])}"
    flawed = sum(1 for _, severity in found["strip"] if severity)
    where = f" in {count(flawed)} of {plural(found['units'], found['noun'])}" if flawed else " in the whole"
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said) + where


def _places(strip: Sequence[Sequence[str]]) -> dict[str, str]:
    """Id -> name of a unit: its number if the id is too long to read."""
    return {id: id if len(id) <= LONGEST_ID else str(number) for number, (id, _) in enumerate(strip, start=1)}


def _field(name: str) -> str:
    """`options.B` -> `option B`."""
    return in_words(name.replace("options.", "option "))


def _fixes(fixes: Sequence[Mapping[str, str]], places: Mapping[str, str]) -> list[Drawn]:
    return [
        Drawn(
            place=", ".join(part for part in (places.get(one["unit"], one["unit"]), _field(one["field"])) if part),
            pieces=near(diff(one["before"], one["after"])),
        )
        for one in fixes[:MOST_FIXES_SHOWN]
    ]


def near(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The changes with only a few characters around each."""
    last = len(pieces) - 1
    return tuple(
        piece if piece.change != "same" else replace(piece, text=_cut(piece.text, at == 0, at == last))
        for at, piece in enumerate(pieces)
    )


def _cut(text: str, is_first: bool, is_last: bool) -> str:
    if len(text) <= 2 * CONTEXT:
        return text
    head = "" if is_first else text[:CONTEXT]
    tail = "" if is_last else text[-CONTEXT:]
    return f"{head}…{tail}"


def _strip(units: Sequence[Sequence[str]], noun: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Rows of cells with a label each; in a long file a cell stands for several units."""
    size = max(1, ceil(len(units) / CELLS))
    a_row = size * A_ROW
    rows = []
    for first in range(0, len(units), a_row):
        cells = []
        for at in range(first, min(first + a_row, len(units)), size):
            inside = [severity for _, severity in units[at : at + size]]
            worst = "error" if {"critical", "error"} & set(inside) else "warning" if any(inside) else ""
            name = units[at][0] if size == 1 else f"{at + 1} to {min(at + size, len(units))}"
            cells.append((worst, f"{noun.capitalize()} {name}, {worst}" if worst else ""))
        rows.append((f"{count(first + 1)} to {count(min(first + a_row, len(units)))}", cells))
    return rows


def role_rows(kind: str, settings: Settings, choices: Mapping[str, str]) -> list[Drawn]:
    models = allowed_models(settings)
    prices = prices_for(settings, models)
    options = [("", "none"), *((model, f"{model_name(model)}: {_price(prices.get(model))}") for model in models)]
    return [Drawn(field=field, value=choices.get(field.name, ""), options=options) for field in ROLE_FIELDS[kind]]


def _price(price: Price | None) -> str:
    if price is None:
        return "price not known"
    if not price.input and not price.output:
        return "free"
    return f"${price.input:.2f} in, ${price.output:.2f} out"


# -- the estimate


def _estimate(here: Workplace, upload: Upload, choices: Mapping[str, str]) -> dict[str, Any] | BurnishError:
    """The estimate of the run, or the error that would refuse it. Estimates are cached until the choices change."""
    key = hashlib.sha256(canonical([upload.kind, dict(choices)])).hexdigest()
    kept = upload.folder / ESTIMATE
    if kept.is_file() and (record := loads(kept.read_bytes()))["key"] == key:
        return dict(record["bill"])
    files = inputs_of(upload, fixed=choices.get("fixes", "1") == "1")
    try:
        bill, _ = estimated(here.starter, upload.kind, choices, files, here.runs)
    except BurnishError as refused:
        return refused
    record = {**asdict(bill), "unreadable": len(bill.unreadable)}
    write_atomically(kept, dumps({"key": key, "bill": record}))
    return record


def money_bar(bill: Mapping[str, Any], choices: Mapping[str, str], settings: Settings) -> Drawn | None:
    """The bar of the estimate; None if nothing costs money."""
    low, high = bill["likely"]["cost"], max(bill["likely_up_to"]["cost"], bill["likely"]["cost"])
    most = bill["at_most"]["cost"]
    if not most:
        return None
    high = high if high > low * 1.05 else min(most, low * 1.5)
    given = choices.get("max_cost", "").replace(",", "").replace("$", "").strip()
    ceiling = float(given) if given else settings.limits.max_cost
    end = ceiling if ceiling else most
    words = f"Estimate {money(low)} to {money(high)}, " + (
        f"ceiling {money(end)}" if ceiling else f"at most {money(end)}"
    )
    scale = end or 1.0
    return Drawn(
        spent=None,
        low=round(min(100.0, 100 * low / scale), 2),
        high=round(min(100.0, 100 * high / scale), 2),
        low_words=money(low),
        high_words=money(high),
        end_words=money(end),
        has_ceiling=bool(ceiling),
        label=words,
    )


@router.post("/new/{id}/settings")
def update(request: Request, here: Here, id: str, fields: Fields) -> Response:
    """Save the choices and show the new estimate."""
    upload = here.uploads.save(replace(here.uploads.open(id), choices=_submitted(here.uploads.open(id).kind, fields)))
    try:
        loaded_with(here.loaded, upload.kind, upload.choices)
    except UsageError as refused:
        return _page(request, here, upload, refused)
    return RedirectResponse(f"{new_link(id)}#repair", 303)


def _submitted(kind: str, fields: Mapping[str, str]) -> dict[str, str]:
    names = [*(field.name for field in ROLE_FIELDS[kind]), *CHOSEN]
    return {
        **{name: fields[name][:500] for name in names if name in fields},
        "fixes": "1" if "fixes" in fields else "0",
    }


# -- the start


@router.post("/new/{id}/start")
def start(request: Request, here: Here, id: str, fields: Fields) -> Response:
    upload = here.uploads.open(id)
    upload = here.uploads.save(replace(upload, choices=_submitted(upload.kind, fields)))
    found = checked(upload) or {"about": ""}
    choices = _choices(here, upload, found)
    run = unlike_others(default_run_id(upload.files[0].name, here.clock()))
    try:
        loaded = loaded_with(here.loaded, upload.kind, choices)
        planner = planner_for(upload.kind, loaded, choices, run, here.clock)
        # Prices, ceilings and languages are checked as for the estimate, so nothing starts that it would refuse.
        refused = _estimate(here, upload, choices)
        if isinstance(refused, BurnishError):
            raise refused
        with here.uploads.claimed(id), here.signed("started", run):
            here.starter.start(run, inputs_of(upload, fixed=choices["fixes"] == "1"), planner)
            here.uploads.delete(id)
    except NotFound:
        raise  # an earlier click has started it already
    except BurnishError as refused:
        return _page(request, here, upload, refused)
    return RedirectResponse(run_link(run, done="start"), 303)


@router.post("/samples/{kind}")
def try_sample(here: Here, kind: str) -> Response:
    sample = sample_named(kind)
    run = run_id_of(sample)
    with here.signed("started", run):
        start_sample(sample, run, here.starter)
    return RedirectResponse(run_link(run, done="sample"), 303)
