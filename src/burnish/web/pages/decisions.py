"""The forms for decisions: on one unit, on many at once, undo; and the name that visitors decide under.

Every response is a page; a rejected form is shown again with its text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Literal, cast, get_args
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from burnish.api.messages import problem_of
from burnish.api.workplace import Here, Workplace, on_decision_thread
from burnish.app.dismissals import dismiss_claims, dismiss_rule, restore_rule
from burnish.app.labels import SAID, AlreadyDecided, DecisionResult, MovedOn
from burnish.app.reviews import Step, selection_hash
from burnish.app.run_reader import RunReader
from burnish.app.terminal import UNSAFE
from burnish.core.attempts import DISMISS, effective_decisions
from burnish.core.errors import BurnishError, InputError, RunActive, TooLate, UsageError
from burnish.core.notes import note_of
from burnish.engine.decisions import IN_VAIN
from burnish.store.processes import iso
from burnish.store.unit_queries import QueueFilter, UnitFilter
from burnish.web.formatting import age
from burnish.web.kinds import EDIT, RejectedForm, parts_of
from burnish.web.labels import for_pages
from burnish.web.pages.queue import Stay, queue_page
from burnish.web.pages.unit import unit_page
from burnish.web.queue_position import decisions_since
from burnish.web.rendering import NAME_COOKIE, Fields, name_of, page, queue_link, run_link, same_page, unit_link

router = APIRouter()

LONGEST_NAME = 80
YEAR = 365 * 24 * 3600


@router.get("/keys")
def keys(request: Request) -> Response:
    return page(request, "keys.html")


@router.get("/name")
def name(request: Request, next: str = "/queue") -> Response:
    return page(request, "name.html", action="/name", kept={"next": local(next)}, given=name_of(request) or "")


@router.post("/name")
def remember_name(fields: Fields) -> Response:
    response = RedirectResponse(local(fields.get("next", "")), 303)
    remember(response, cleaned(fields.get("name", "")))
    return response


def cleaned(given: str) -> str:
    """A name to record with decisions. Raise UsageError if it is empty."""
    name = " ".join(UNSAFE.sub(" ", given).split())[:LONGEST_NAME]
    if not name:
        raise UsageError("A decision needs a name.", hint="Go back and enter your name.")
    return name


def remember(response: Response, name: str) -> None:
    """Keep the name in the browser."""
    response.set_cookie(NAME_COOKIE, quote(name, safe=""), max_age=YEAR, path="/", httponly=True, samesite="strict")


def ask_for_name(request: Request, action: str, fields: Mapping[str, str]) -> Response:
    """The page that asks for a name first; it sends all fields again together with the name."""
    return page(request, "name.html", action=action, kept=dict(fields), given="", why=None)


def remembering(request: Request, response: Response, name: str) -> Response:
    """The response; if the visitor has just entered a name, the browser keeps it."""
    if name_of(request) is None:
        remember(response, cleaned(name))
    return response


def local(address: str) -> str:
    """The address if it is on this server, else that of the queue."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\")) and not UNSAFE.search(address)
    return address if inside else "/queue"


Verdict = Literal["accept", "edit", "reject", "drop", "reopen"]
RejectedVerdict = Literal["accept", "edit", "reject", "drop", "dismiss", "reopen", "undo"]
VERDICTS = get_args(Verdict)
BULK_VERDICTS = ("accept", "reject")
PAGE = 200
"""Units that are decided together: those of one page."""
CONFLICT = 409
"""The status if somebody else decided first."""


@router.get("/queue/decide")
@router.get("/queue/undo")
@router.get("/queue/apply")
def back_to_the_queue() -> Response:
    """Redirect a visitor who reloads the address of a rejected form."""
    return RedirectResponse(queue_link(), 303)


@router.post("/queue/decide")
@on_decision_thread
def decide(request: Request, here: Here, fields: Fields) -> Response:
    """Accept, accept with an edit, or send back; then on to the next unit."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/decide", fields)
    verdict = fields.get("verdict", "")
    if verdict not in VERDICTS:
        raise UsageError(f"There is no decision {verdict!r}.", hint=f"Use one of: {', '.join(VERDICTS)}.")
    run, unit = _named(fields)
    try:
        results = here.reviews.decide(run, _steps(here, run, unit, fields), by=cleaned(by))
    except (InputError, UsageError, RunActive) as refusal:
        return _rejected(request, here, fields, refusal)
    here.note_decided(run, *(result.unit for result in results))
    # A text that still breaks rules is saved, but its unit keeps waiting.
    result, other = results[0], results[1] if fields.get("other") else None
    return _next_page(fields, result, other, stays=bool(result.errors), name=by, request=request)


def _steps(here: Workplace, run: str, unit: str, fields: Mapping[str, str]) -> list[Step]:
    """The decisions of a form, first that about the unit itself: of two near-duplicates one may be dropped, or both,
    each as the page showed it."""
    verdict, note, seen = cast(Verdict, fields["verdict"]), note_of(fields.get("note")), fields.get("seen") or None
    other, keeps, both, other_seen = (fields.get(name) or None for name in ("other", "keeps", "both", "other_seen"))
    if verdict == "reject" and note is None:
        raise UsageError("Sending back needs a note.", hint="Write what the next attempt should do better.")
    if (other or keeps or both) and (seen is None or other_seen is None):
        raise UsageError("The form does not say which drafts it was shown with.", hint="Open the unit again.")
    if other:
        kept = Step(unit, verdict, seen, f"kept; {other} was dropped")
        return [kept, Step(other, "drop", other_seen, note, beside={unit: seen})]
    text = _edited_text(here, run, unit, fields) if verdict == "edit" else None
    own = Step(unit, verdict, seen, note, text, beside={keeps: other_seen} if keeps else {})
    return [own, Step(both, "drop", other_seen, note)] if both else [own]


def _edited_text(here: Workplace, run: str, unit: str, fields: Mapping[str, str]) -> str:
    """The text of the editor's fields, as the kind reads it."""
    opened = here.index.open(run)
    editor = parts_of(opened.view.plan.kind).editor(opened.story(unit))
    written = written_in(fields)
    return editor.text_of({one.name: written.get(one.name, one.value) for one in editor.fields})


def written_in(fields: Mapping[str, str]) -> dict[str, str]:
    """Field of the editor -> its text."""
    return {name.removeprefix(EDIT): value for name, value in fields.items() if name.startswith(EDIT)}


def _next_page(
    fields: Mapping[str, str],
    result: DecisionResult,
    other: DecisionResult | None = None,
    *,
    stays: bool,
    name: str,
    request: Request,
) -> Response:
    """Redirect to the next unit of the list; to the same one if it still waits, or was decided on its own page."""
    if fields.get("from") == "unit":
        target = unit_link(result.run, result.unit)
    else:
        done = {"done": result.verdict, "done_run": result.run, "done_unit": result.unit, "done_at": result.at}
        if other is not None:
            done |= {"done_other": other.unit, "done_other_at": other.at}
        again = {"of": result.run, "unit": result.unit} if stays else {}
        target = Stay.of_form(fields).link(**done, **again)
    return remembering(request, RedirectResponse(target, 303), name)


def _rejected(request: Request, here: Workplace, fields: Mapping[str, str], refusal: BurnishError) -> Response:
    """The page again, with the text of the form and the reason why it was rejected."""
    run, unit = _named(fields)
    verdict = cast(RejectedVerdict, fields.get("verdict") or "undo")
    message, hint = why_not(here, refusal)
    kept = RejectedForm(run, unit, verdict, message, hint, fields.get("note", ""), written_in(fields))
    status = CONFLICT if isinstance(refusal, AlreadyDecided | MovedOn | TooLate) else problem_of(refusal).status
    if fields.get("from") == "unit":
        shown = unit_page(request, here, run, unit, kept=kept, status=status)
    else:
        stay = Stay.of_form(fields)
        # If somebody else decided this unit first, show the next one; if the form was rejected, stay at this one.
        is_gone = isinstance(refusal, AlreadyDecided) and refusal.result.unit == unit
        again = stay if is_gone or isinstance(refusal, TooLate) else Stay(stay.where, stay.at, run, unit)
        shown = queue_page(request, here, again, kept=kept, status=status)
    shown.headers.update(problem_of(refusal).headers)
    return shown


def why_not(here: Workplace, refusal: BurnishError) -> tuple[str, str | None]:
    if not isinstance(refusal, AlreadyDecided):
        return refusal.message, for_pages(refusal.hint)
    result = refusal.result
    ago = age(result.at, here.clock())
    return f"{result.by} {SAID[result.verdict]} {result.unit} {ago} before you. {refusal.kept}", None


@router.post("/queue/undo")
@on_decision_thread
def undo(request: Request, here: Here, fields: Fields) -> Response:
    """Undo a decision on a unit and show the unit. The form names the decision, so that no other one is undone."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/undo", fields)
    run, unit = _named(fields)
    of = fields.get("of")
    if not of:
        raise UsageError("The form names no decision.", hint="Open the unit and undo the decision there.")
    steps = [Step(unit, "undo", of)]
    if fields.get("other"):  # both were decided together, so both come back together
        steps.append(Step(fields["other"], "undo", fields.get("other_of") or ""))
    try:
        result, *_ = here.reviews.decide(run, steps, by=cleaned(by))
    except (InputError, UsageError, RunActive) as refusal:
        return _rejected(request, here, fields, refusal)
    here.note_decided(run)
    return _next_page(fields, result, stays=True, name=by, request=request)


@router.post("/queue/dismiss")
@on_decision_thread
def dismiss(request: Request, here: Here, fields: Fields) -> Response:
    """Dismiss what a rule claims: about a unit, which is then judged again without it; or in the whole run."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/dismiss", fields)
    if fields.get("rule"):
        return _dismiss_rule(request, here, fields, by)
    run, unit = _named(fields)
    text, seen = dismiss_claims(fields.get("claims", "").split()), fields.get("seen") or None
    try:
        result = here.reviews.record(run, unit, DISMISS, by=cleaned(by), text=text, seen=seen)
    except (InputError, UsageError, RunActive) as refusal:
        return _rejected(request, here, {**fields, "verdict": DISMISS}, refusal)
    here.note_decided(run, unit)
    waits = result.row.state == here.index.open(run).view.kind.states.waiting and result.in_effect
    return _next_page(fields, result, stays=waits, name=by, request=request)


def _dismiss_rule(request: Request, here: Workplace, fields: Mapping[str, str], by: str) -> Response:
    """Dismiss all claims of a rule in a run, or take that back, and show its findings again."""
    run, rule = fields.get("run", ""), fields["rule"]
    opened = here.index.open(run)
    if fields.get("undo"):
        restore_rule(here.reviews, opened, rule, by=cleaned(by))
    else:
        dismiss_rule(here.reviews, opened, rule, by=cleaned(by))
    here.note_decided(run)
    return remembering(request, RedirectResponse(run_link(run, tab="findings"), 303), by)


# -- several at once


@router.get("/queue/bulk")
def bulk(request: Request, here: Here) -> Response:
    """The page of all units that wait for one cause, to accept or send back together."""
    return _bulk_page(request, here, QueueFilter.from_query(request.query_params))


def _bulk_page(
    request: Request,
    here: Workplace,
    where: QueueFilter,
    *,
    seen: int | None = None,
    trouble: str | None = None,
    left_out: Collection[str] = (),
    note: str = "",
) -> Response:
    """`seen`: how many units the form was shown with, if the list has changed since. `trouble`: why the form was
    rejected; `left_out`: its unticked units; `note`: its note."""
    if where.run is None or where.cause is None:
        raise UsageError("Units are decided together within one run and for one cause.", hint="Start from the queue.")
    run = here.index.open(where.run)
    query = request.query_params
    waiting = _waiting(run, where)
    shown = run.units(waiting, offset_key=query.get("key"), limit=PAGE, backwards=query.get("back") == "1")
    cause = next((one for one in run.causes() if one.cause == where.cause), None)
    return page(
        request,
        "bulk.html",
        status=CONFLICT if seen is not None else 400 if trouble else 200,
        trouble=trouble,
        left_out={line.id for line in shown.lines} & set(left_out),
        note=note,
        may_send_back=where.cause.partition(":")[0] not in IN_VAIN,
        card=run.card,
        kind=run.view.plan.kind,
        where=where,
        shown=shown,
        cause=cause,
        seen=seen,
        digest=selection_hash(_moments(run.moments(waiting), [line.id for line in shown.lines])),
        back=queue_link(**dict(where.as_query())),
    )


@router.post("/queue/bulk")
@on_decision_thread
def decide_all(request: Request, here: Here, fields: Fields) -> Response:
    """Accept or send back the ticked units of the page, if all its units are unchanged since it was shown. Other units
    are left alone."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, same_page(request), fields)
    if fields.get("verdict") not in BULK_VERDICTS:
        raise UsageError("The form says neither accept nor reject.", hint="Go back and use one of the buttons.")
    verdict = cast(Literal["accept", "reject"], fields["verdict"])
    run, cause = fields.get("run", ""), fields.get("cause", "")
    where = QueueFilter(None, run, cause, fields.get("document") or None)
    opened = here.index.open(run)
    shown = {unit: f"pick{name[5:]}" in fields for name, unit in fields.items() if name.startswith("shown.")}
    moments = _moments(opened.moments(_waiting(opened, where)), shown)
    left_out = {unit for unit, is_chosen in shown.items() if not is_chosen}
    written = fields.get("note", "")
    again = partial(_bulk_page, request, here, where, left_out=left_out, note=written)
    expected = fields.get("expected", "")
    if not moments or fields.get("digest") != selection_hash(moments):
        return again(seen=int(expected[:9]) if expected.isdecimal() else 0)
    chosen = {unit: at for unit, at in moments.items() if unit not in left_out}
    try:
        note = note_of(written)
    except UsageError as refusal:
        return again(trouble=refusal.message)
    trouble = None if chosen else "No unit is chosen."
    if verdict == "reject" and note is None:
        trouble = "Sending back needs a note: what should the next attempt do better?"
    if trouble is not None:
        return again(trouble=trouble)
    begun = iso(here.clock())
    made = here.reviews.decide_all(run, list(chosen), by=cleaned(by), verdict=verdict, note=note, seen=chosen)
    here.note_decided(run)
    target = queue_link(
        done="bulk" if verdict == "accept" else "bulk_back",
        done_run=run,
        n=len(made.decided),
        left=len(made.passed_over) or None,
        since=f"{begun}/{made.mark}",
        saved=None if made.in_effect else "1",
    )
    return remembering(request, RedirectResponse(target, 303), by)


@router.post("/queue/bulk/undo")
@on_decision_thread
def undo_all(request: Request, here: Here, fields: Fields) -> Response:
    """Undo a bulk decision: only its decisions, none that was made since."""
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, "/queue/bulk/undo", fields)
    run = fields.get("run", "")
    begun, _, bulk = fields.get("since", "").partition("/")
    if not begun or not bulk:
        raise UsageError("The form names no decisions.", hint="Open the units and undo the decisions there.")
    events = decisions_since(here.index.open(run).view.journal, begun)
    found = {str(one.unit): (str(one.data.get("mark")), one.at) for one in effective_decisions(events)}
    found |= {entry.unit: (entry.mark, entry.at) for entry in here.reviews.pending(run)}
    made = here.reviews.undo_all(
        run, {unit: at for unit, (mark, at) in found.items() if mark.startswith(f"{bulk}-")}, by=cleaned(by)
    )
    here.note_decided(run)
    left = len(made.passed_over) or None
    target = queue_link(done="bulk_undo", done_run=run, n=len(made.units), left=left)
    return remembering(request, RedirectResponse(target, 303), by)


def _moments(every: Mapping[str, str], units: Iterable[str]) -> dict[str, str]:
    """The entries of the given units, in their order, without units that no longer wait."""
    return {unit: every[unit] for unit in units if unit in every}


def _waiting(run: RunReader, where: QueueFilter) -> UnitFilter:
    return UnitFilter((run.view.kind.states.waiting,), cause=where.cause, document=where.document)


# -- resuming a run


@router.post("/queue/apply")
@on_decision_thread
def apply_now(here: Here, fields: Fields) -> Response:
    """Apply saved decisions at the next pause of the run: those of one unit, or all."""
    here.reviews.hasten(fields.get("run", ""), fields.get("unit") or None)
    return RedirectResponse(local(fields.get("next", "")), 303)


@router.post("/queue/continue")
def resume(here: Here, fields: Fields) -> Response:
    """Resume a run now in which everything is decided, and stay in the queue."""
    run = fields.get("run", "")
    with here.signed("resumed", run):
        here.jobs.resume(run)
    return RedirectResponse(Stay.of_form(fields).link(), 303)


def _named(fields: Mapping[str, str]) -> tuple[str, str]:
    run, unit = fields.get("run", ""), fields.get("unit", "")
    if not run or not unit:
        raise UsageError("The form names no unit.", hint="Go back to the queue and decide there.")
    return run, unit
