"""People: members and roles, invitations, the audit trail, notes on units, and assigned units."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, astuple
from dataclasses import fields as dataclass_fields
from datetime import datetime, timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from burnish.api.access import OPERATOR, VISITOR
from burnish.api.workplace import Here, Workplace, audit
from burnish.app.labels import AlreadyDecided, MovedOn
from burnish.app.upload_check import FORMULA
from burnish.core.errors import UsageError
from burnish.store.people import ROLES, TrailEntry
from burnish.store.processes import iso
from burnish.store.unit_queries import QueueFilter
from burnish.web import Drawn
from burnish.web.kinds import RejectedForm
from burnish.web.pages.decisions import CONFLICT, local, why_not
from burnish.web.pages.queue import Stay, queue_page
from burnish.web.rendering import Fields, name_of, page, queue_link

router = APIRouter()
SHOWN = 20
"""Entries of the audit trail that the page shows."""
COLUMNS = tuple(field.name for field in dataclass_fields(TrailEntry))
PRESENT_SECONDS = 120
"""Seconds after a request in which a member counts as present."""


def _by(request: Request) -> str:
    return name_of(request) or OPERATOR


@router.get("/people")
def people(request: Request, here: Here) -> Response:
    return _people_page(request, here)


def _people_page(request: Request, here: Workplace, link: str | None = None, invited: str = "") -> Response:
    trail = audit(here.people, here.index)
    now = here.clock()
    since = iso(now - timedelta(days=7))
    week = Counter(row.who for row in trail if row.unit and row.at >= since)
    lately = iso(now - timedelta(seconds=PRESENT_SECONDS))
    return page(
        request,
        "people.html",
        people=[
            Drawn(
                member=one, is_here=one.revoked_at is None and (one.seen_at or "") >= lately, decisions=week[one.name]
            )
            for one in here.people.members()
        ],
        invitations=[
            (one, max(0.0, (datetime.fromisoformat(one.expires_at) - now).total_seconds()))
            for one in here.people.invitations()
        ],
        roles=ROLES,
        link=link,
        invited=invited,
        trail=trail[::-1][:SHOWN],
        entries=len(trail),
    )


@router.post("/people/invite")
def invite(request: Request, here: Here, fields: Fields) -> Response:
    """Create an invitation link. It is shown once and works once."""
    name, days = fields.get("name", "").strip(), fields.get("days", "7")
    valid = timedelta(days=min(30, max(1, int(days[:2]))) if days.isdecimal() else 7)
    secret = here.people.invite(name, fields.get("role", ""), _by(request), valid, VISITOR.get().mark)
    return _people_page(request, here, f"{here.access.address}/join?invitation={secret}", name)


@router.post("/people/role")
def change_roles(request: Request, here: Here, fields: Fields) -> Response:
    """Change the roles that differ from those that the form was shown with."""
    roles = {field.removeprefix("role."): role for field, role in fields.items() if field.startswith("role.")}
    if any(f"was.{name}" not in fields for name in roles):
        raise UsageError("The form does not say which roles it was shown with.", hint="Open the page again.")
    shown = {name: (fields[f"was.{name}"], role) for name, role in roles.items()}
    changes = {name: (was, role) for name, (was, role) in shown.items() if was != role}
    here.people.change_roles(changes, _by(request), VISITOR.get().mark)
    return RedirectResponse("/people", 303)


@router.post("/people/revoke")
def revoke(request: Request, here: Here, fields: Fields) -> Response:
    here.people.revoke(fields.get("name", ""), _by(request), VISITOR.get().mark)
    return RedirectResponse("/people", 303)


@router.post("/people/withdraw")
def withdraw(request: Request, here: Here, fields: Fields) -> Response:
    here.people.withdraw(fields.get("name", ""), _by(request), VISITOR.get().mark)
    return RedirectResponse("/people", 303)


# -- the audit trail


def _cell(text: str) -> str:
    """A CSV cell; one that a spreadsheet would run as a formula gets an apostrophe."""
    return f"'{text}" if text.startswith(FORMULA) else text


@router.get("/people/audit.csv")
def audit_csv(here: Here) -> Response:
    held = io.StringIO()
    table = csv.writer(held)
    table.writerow(COLUMNS)
    table.writerows([_cell(one) for one in astuple(row)] for row in audit(here.people, here.index))
    return _download(held.getvalue(), "audit.csv", "text/csv")


@router.get("/people/audit.jsonl")
def audit_lines(here: Here) -> Response:
    lines = "".join(f"{json.dumps(asdict(row), ensure_ascii=False)}\n" for row in audit(here.people, here.index))
    return _download(lines, "audit.jsonl", "application/jsonl")


def _download(text: str, name: str, media: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode("utf-8", "replace"), headers=headers, media_type=media)


# -- notes and tasks


@router.post("/notes")
def write_note(request: Request, here: Here, fields: Fields) -> Response:
    run, unit = _named(here, fields)
    written = fields.get("text", "")
    try:
        here.people.note(run, unit, _by(request), written)
    except UsageError as refusal:
        stay = Stay(QueueFilter(), 0, run, unit)
        return queue_page(request, here, stay, unkept=(written, refusal.message), status=400)
    return RedirectResponse(local(fields.get("next", "")), 303)


@router.post("/assign")
def assign(request: Request, here: Here, fields: Fields) -> Response:
    run, unit = _named(here, fields)
    seen = fields.get("seen")
    if not seen:
        raise UsageError("The form does not say which draft it was shown with.", hint="Open the unit again.")
    try:
        here.reviews.refuse_changed(run, {unit: seen})
    except (AlreadyDecided, MovedOn) as refusal:
        kept = RejectedForm(run, unit, "undo", *why_not(here, refusal), "", {})
        return queue_page(request, here, Stay(QueueFilter()), kept=kept, status=CONFLICT)
    here.people.assign(run, unit, fields.get("to", ""), _by(request))
    return RedirectResponse(local(fields.get("next", "")), 303)


def _named(here: Workplace, fields: Mapping[str, str]) -> tuple[str, str]:
    run, unit = fields.get("run", ""), fields.get("unit", "")
    if not run or not unit or here.index.open(run).line(unit) is None:
        raise UsageError("The form names no unit.", hint="Go back to the queue.")
    return run, unit


@router.get("/mine")
def mine(request: Request, here: Here) -> Response:
    """The units that are assigned to the visitor or mention them."""
    tasks = here.people.tasks(_by(request))
    links = [queue_link(of=str(task["run"]), unit=str(task["unit"])) for task in tasks]
    return page(request, "mine.html", tasks=list(zip(tasks, links, strict=True)))
