"""People: who has access with which role, invitations, the audit trail, notes on units, and what is asked of you."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from burnish.api.workplace import Here, Workplace
from burnish.app.run_card import RunCard
from burnish.app.upload_check import FORMULA
from burnish.core.errors import UsageError
from burnish.store.people import ROLES
from burnish.web.links import queue_link
from burnish.web.pages.decisions import local
from burnish.web.presence import SAID
from burnish.web.rendering import Fields, name_of, page

router = APIRouter()
SHOWN = 20
"""Entries of the audit trail on the page."""
COLUMNS = ("at", "who", "what", "run", "unit", "note", "token")
OPERATOR = "operator"
"""Who holds the link of the server and gave no name."""


def _by(request: Request) -> str:
    return name_of(request) or OPERATOR


@router.get("/people")
def people(request: Request, here: Here) -> Response:
    return _people_page(request, here)


def _people_page(request: Request, here: Workplace, link: str | None = None, invited: str = "") -> Response:
    trail = list(audit(here))
    return page(
        request,
        "people.html",
        members=here.people.members(),
        invitations=here.people.invitations(),
        roles=ROLES,
        link=link,
        invited=invited,
        trail=trail[::-1][:SHOWN],
        entries=len(trail),
    )


@router.post("/people/invite")
def invite(request: Request, here: Here, fields: Fields) -> Response:
    """Make a link for somebody. It is shown this once, and works once."""
    name, days = fields.get("name", "").strip(), fields.get("days", "7")
    valid = timedelta(days=min(30, max(1, int(days[:2]))) if days.isdecimal() else 7)
    secret = here.people.invite(name, fields.get("role", ""), _by(request), valid)
    return _people_page(request, here, f"{here.access.address}/join?invitation={secret}", name)


@router.post("/people/role")
def change_role(request: Request, here: Here, fields: Fields) -> Response:
    here.people.change_role(fields.get("name", ""), fields.get("role", ""), _by(request))
    return RedirectResponse("/people", 303)


@router.post("/people/revoke")
def revoke(request: Request, here: Here, fields: Fields) -> Response:
    here.people.revoke(fields.get("name", ""), _by(request))
    return RedirectResponse("/people", 303)


@router.post("/people/withdraw")
def withdraw(request: Request, here: Here, fields: Fields) -> Response:
    here.people.withdraw(fields.get("name", ""), _by(request))
    return RedirectResponse("/people", 303)


# -- the audit trail


def audit(here: Workplace) -> Iterator[Mapping[str, Any]]:
    """What people did, in the order of time: in the workbench, and in every run."""
    marks = {member.name: member.mark for member in here.people.members()}
    rows = [_row(one["at"], one["name"], one["what"], marks) for one in here.people.actions()]
    for card in here.index.cards():
        if not isinstance(card, RunCard):
            continue
        for event in here.index.open(card.id).view.journal.events(types=("decision",)):
            said = SAID.get(str(event.data.get("verdict")), "decided")
            what = "undid a decision" if event.data.get("undoes") is not None else said
            more = {"run": card.id, "unit": event.unit or "", "note": event.data.get("note") or ""}
            rows.append(_row(event.at, str(event.data.get("by")), what, marks, **more))
    yield from sorted(rows, key=lambda row: str(row["at"]))


def _row(at: str, who: str, what: str, marks: Mapping[str, str], **more: str) -> dict[str, Any]:
    return {"at": at, "who": who, "what": what, "run": "", "unit": "", "note": "", "token": marks.get(who, ""), **more}


def _cell(text: str) -> str:
    """What a spreadsheet would take for a formula stays text."""
    return f"'{text}" if text.startswith(FORMULA) else text


@router.get("/people/audit.csv")
def audit_csv(here: Here) -> Response:
    held = io.StringIO()
    table = csv.writer(held)
    table.writerow(COLUMNS)
    table.writerows([_cell(str(row[column])) for column in COLUMNS] for row in audit(here))
    return _download(held.getvalue(), "audit.csv", "text/csv")


@router.get("/people/audit.jsonl")
def audit_lines(here: Here) -> Response:
    lines = "".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in audit(here))
    return _download(lines, "audit.jsonl", "application/jsonl")


def _download(text: str, name: str, media: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode("utf-8", "replace"), headers=headers, media_type=media)


# -- notes and tasks


@router.post("/notes")
def write_note(request: Request, here: Here, fields: Fields) -> Response:
    run, unit = _named(here, fields)
    here.people.note(run, unit, _by(request), fields.get("text", ""))
    return RedirectResponse(local(fields.get("next", "")), 303)


@router.post("/assign")
def assign(request: Request, here: Here, fields: Fields) -> Response:
    run, unit = _named(here, fields)
    here.people.assign(run, unit, fields.get("to", ""), _by(request))
    return RedirectResponse(local(fields.get("next", "")), 303)


def _named(here: Workplace, fields: Mapping[str, str]) -> tuple[str, str]:
    run, unit = fields.get("run", ""), fields.get("unit", "")
    if not run or not unit or here.index.open(run).line(unit) is None:
        raise UsageError("The form names no unit.", hint="Go back to the queue.")
    return run, unit


@router.get("/mine")
def mine(request: Request, here: Here) -> Response:
    """The units that somebody asked you about."""
    tasks = here.people.tasks(_by(request))
    links = [queue_link(of=str(task["run"]), unit=str(task["unit"])) for task in tasks]
    return page(request, "mine.html", tasks=list(zip(tasks, links, strict=True)))
