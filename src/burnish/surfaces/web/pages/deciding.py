"""What people decide, passed on to the desk. Every answer is a page; what could not be taken in is shown again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from burnish.core.decisions import standing_decisions
from burnish.core.errors import BurnishError, InputError, TooLate, UsageError
from burnish.store.clock import iso
from burnish.surfaces.catalogue import QueueFilter, UnitFilter, UnitLine
from burnish.surfaces.desk import AlreadyDecided, MovedOn
from burnish.surfaces.rulings import SAID
from burnish.surfaces.web.forms import Fields
from burnish.surfaces.web.kept import EDIT, Kept
from burnish.surfaces.web.kinds import parts_of
from burnish.surfaces.web.links import queue_link, unit_link
from burnish.surfaces.web.pace import decisions_since
from burnish.surfaces.web.pages.names import ask_for_name, cleaned, remembering
from burnish.surfaces.web.pages.queue import Stay, queue_page
from burnish.surfaces.web.pages.unit import unit_page
from burnish.surfaces.web.problems import problem_of
from burnish.surfaces.web.rendering import name_of, page
from burnish.surfaces.web.speaking import for_pages
from burnish.surfaces.web.wording import age
from burnish.surfaces.web.workplace import Here, Workplace

router = APIRouter()
Verdict = Literal["accept", "edit", "reject"]
VERDICTS = ("accept", "edit", "reject")
PAGE = 50
PORTION = 500
"""Units that are read at a time to find all that a filter lets through."""
LONGEST_NOTE = 4_000
CONFLICT = 409
"""The status of an answer to somebody who came too late."""


@router.post("/queue/decide")
def decide(request: Request, here: Here, fields: Fields) -> Response:
    """Accept, accept with an edit, or send back; then on to the next unit."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/decide", fields)
    verdict = fields.get("verdict", "")
    if verdict not in VERDICTS:
        raise UsageError(f"There is no decision {verdict!r}.", hint="It is accept, edit or reject.")
    run, unit = _named(fields)
    note = fields.get("note", "").strip()[:LONGEST_NOTE] or None
    try:
        if verdict == "reject" and note is None:
            raise UsageError("It is sent back with a note.", hint="Say what the next attempt should do better.")
        ruling = here.desk.decide(
            run,
            unit,
            cast(Verdict, verdict),
            by=cleaned(by),
            note=note,
            text=_edited(here, run, unit, fields) if verdict == "edit" else None,
            seen=fields.get("seen") or None,
        )
    except (InputError, UsageError) as refusal:
        return _refused(request, here, fields, refusal)
    _note_whether_settled(here, run)
    kept = ruling.errors  # a text that still breaks rules is kept, and its unit waits on
    return _onwards(fields, verdict, run, unit, stays=bool(kept), name=by, request=request)


def _edited(here: Workplace, run: str, unit: str, fields: Mapping[str, str]) -> str:
    """What was written, as the kind reads it."""
    opened = here.catalogues.open(run)
    editor = parts_of(opened.view.plan.kind).editor(opened.story(unit))
    written = written_in(fields)
    return editor.text_of({one.name: written.get(one.name, one.value) for one in editor.fields})


def written_in(fields: Mapping[str, str]) -> dict[str, str]:
    """Field of an editor -> what was written in it."""
    return {name.removeprefix(EDIT): value for name, value in fields.items() if name.startswith(EDIT)}


def _onwards(
    fields: Mapping[str, str], verdict: str, run: str, unit: str, *, stays: bool, name: str, request: Request
) -> Response:
    """To the next unit of the list; to the same one where it waits on, or where it was decided on its own page."""
    if fields.get("from") == "unit":
        target = unit_link(run, unit)
    else:
        told = {"done": verdict, "done_run": run, "done_unit": unit}
        again = {"of": run, "unit": unit} if stays else {}
        target = Stay.of_form(fields).link(**told, **again)
    return remembering(request, RedirectResponse(target, 303), name)


def _refused(request: Request, here: Workplace, fields: Mapping[str, str], refusal: BurnishError) -> Response:
    """The page again, with what was written and why it was not taken in."""
    run, unit = _named(fields)
    verdict = cast(Literal["accept", "edit", "reject", "undo"], fields.get("verdict") or "undo")
    message, hint = _why_not(here, refusal)
    kept = Kept(run, unit, verdict, message, hint, fields.get("note", ""), written_in(fields))
    status = CONFLICT if isinstance(refusal, AlreadyDecided | MovedOn | TooLate) else problem_of(refusal).status
    if fields.get("from") == "unit":
        return unit_page(request, here, run, unit, kept=kept, status=status)
    stay = Stay.of_form(fields)
    # Who was too late looks at the next unit; who wrote something that cannot be read stays with it.
    again = stay if isinstance(refusal, AlreadyDecided | TooLate) else Stay(stay.where, stay.at, run, unit)
    return queue_page(request, here, again, kept=kept, status=status)


def _why_not(here: Workplace, refusal: BurnishError) -> tuple[str, str | None]:
    """What to say, and what to do."""
    if not isinstance(refusal, AlreadyDecided):
        return refusal.message, for_pages(refusal.hint)
    ruling = refusal.ruling
    ago = age(ruling.at, here.clock())
    return f"{ruling.by} {SAID[ruling.verdict]} {ruling.unit} {ago} before you. Nothing was overwritten.", None


@router.post("/queue/undo")
def undo(request: Request, here: Here, fields: Fields) -> Response:
    """Take the last decision on a unit back, and look at it again."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/undo", fields)
    run, unit = _named(fields)
    try:
        here.desk.undo(run, unit, by=cleaned(by))
    except (InputError, UsageError) as refusal:
        return _refused(request, here, fields, refusal)
    _note_whether_settled(here, run)
    return _onwards(fields, "undo", run, unit, stays=True, name=by, request=request)


def _note_whether_settled(here: Workplace, run: str) -> None:
    """A run in which nothing waits any more goes on by itself after a while; one in which something does, does not."""
    if here.catalogues.open(run).card.waiting:
        here.errands.unsettled(run)
    else:
        here.errands.settled(run)


# -- several at once


@router.get("/queue/bulk")
def bulk(request: Request, here: Here) -> Response:
    """Every unit that waits for one cause, before all of them are accepted."""
    return _bulk_page(request, here, QueueFilter.from_query(request.query_params))


def _bulk_page(request: Request, here: Workplace, where: QueueFilter, *, seen: int | None = None) -> Response:
    """`seen`: how many there were when somebody looked, where it is another number now."""
    if where.run is None or where.cause is None:
        raise UsageError(
            "Units are accepted together within one run and for one cause.", hint="Open it from the queue."
        )
    run = here.catalogues.open(where.run)
    query = request.query_params
    waiting = UnitFilter((run.view.kind.states.waiting,), cause=where.cause, document=where.document)
    shown = run.units(waiting, offset_key=query.get("key"), limit=PAGE, backwards=query.get("back") == "1")
    cause = next((one for one in run.causes() if one.cause == where.cause), None)
    return page(
        request,
        "bulk.html",
        status=CONFLICT if seen is not None else 200,
        card=run.card,
        kind=run.view.plan.kind,
        where=where,
        shown=shown,
        cause=cause,
        seen=seen,
        back=queue_link(**dict(where.as_query())),
    )


@router.post("/queue/bulk")
def accept_all(request: Request, here: Here, fields: Fields) -> Response:
    """Accept every unit that waits for one cause, if there are as many as were looked at."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/bulk", fields)
    run, cause = fields.get("run", ""), fields.get("cause", "")
    where = QueueFilter(None, run, cause, fields.get("document") or None)
    lines = _waiting(here, where)
    expected = fields.get("expected", "")
    if expected != str(len(lines)) or not lines:
        return _bulk_page(request, here, where, seen=int(expected[:9]) if expected.isdecimal() else 0)
    note = fields.get("note", "").strip()[:LONGEST_NOTE] or None
    begun = iso(here.clock())
    made = here.desk.accept_all(run, [line.id for line in lines], by=cleaned(by), note=note)
    _note_whether_settled(here, run)
    since = f"{begun}/{iso(here.clock())}" if made.in_effect else None
    target = queue_link(
        done="bulk", done_run=run, n=len(made.accepted), left=len(made.passed_over) or None, since=since
    )
    return remembering(request, RedirectResponse(target, 303), by)


@router.post("/queue/bulk/undo")
def undo_all(request: Request, here: Here, fields: Fields) -> Response:
    """Take back what somebody accepted at once."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/bulk/undo", fields)
    run = fields.get("run", "")
    begun, _, ended = fields.get("since", "").partition("/")
    events = list(decisions_since(here.catalogues.open(run).view.journal, begun)) if begun else []
    mine = [event for event in standing_decisions(events) if event.data.get("by") == cleaned(by) and event.at <= ended]
    units = [str(event.unit) for event in mine if event.data.get("verdict") == "accept"]
    made = here.desk.undo_all(run, units, by=cleaned(by))
    _note_whether_settled(here, run)
    left = len(made.passed_over) or None
    target = queue_link(done="bulk_undo", done_run=run, n=len(made.units), left=left)
    return remembering(request, RedirectResponse(target, 303), by)


def _waiting(here: Workplace, where: QueueFilter) -> list[UnitLine]:
    """Every unit that waits for the cause, in portions."""
    assert where.run is not None, "a form names its run"
    run = here.catalogues.open(where.run)
    waiting = UnitFilter((run.view.kind.states.waiting,), cause=where.cause, document=where.document)
    lines: list[UnitLine] = []
    key: str | None = None
    while True:
        portion = run.units(waiting, offset_key=key, limit=PORTION)
        lines += portion.lines
        if portion.next is None:
            return lines
        key = portion.next


# -- letting a run go on


@router.post("/queue/continue")
def go_on(here: Here, fields: Fields) -> Response:
    """Let a run go on now in which everything is decided, and stay in the queue."""
    here.errands.go_on(fields.get("run", ""))
    return RedirectResponse(Stay.of_form(fields).link(), 303)


def _named(fields: Mapping[str, str]) -> tuple[str, str]:
    run, unit = fields.get("run", ""), fields.get("unit", "")
    if not run or not unit:
        raise UsageError("The form names no unit.", hint="Go back to the queue and decide there.")
    return run, unit
