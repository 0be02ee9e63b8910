"""`POST .../decision` and its relatives: people decide about units, and runs resume, stop or are approved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Header
from starlette.responses import Response

from burnish.api.access import signature
from burnish.api.content import started
from burnish.api.messages import Responses, RunId, StrictRoute, UnitId, json_response, problems, version_of
from burnish.api.shapes import Started
from burnish.api.shapes import decisions as shapes
from burnish.api.shapes.decisions import ApplyOrder, ApprovalOrder, BulkOrder, CommandOrder, DecisionOrder
from burnish.api.workplace import Here, Workplace, on_decision_thread
from burnish.app.labels import AlreadyDecided, DecisionResult, MovedOn
from burnish.app.reviews import ReviewService, Step, selection_hash
from burnish.app.run_reader import RunReader
from burnish.app.runs import unit_record
from burnish.core.errors import TooLate, UsageError
from burnish.store.unit_queries import UnitFilter

router = APIRouter(tags=["decisions"], route_class=StrictRoute)
STRONG_TAG = re.compile(r'(?<!W/)"[^"]*"')
"""A tag in `If-Match`. A weak one matches nothing there (RFC 9110)."""
NEVER = ""
"""A `seen` that matches no unit, so that the decision is refused."""
MOST_LISTED = 1_000
"""Units that the answer to a refused bulk decision lists."""
SAVED: Responses = {
    202: {
        "model": shapes.Decided,
        "description": "The run is active: the decision is saved, and applied when the run pauses.",
    }
}
SAVED_TOGETHER: Responses = {202: {**SAVED[202], "model": shapes.CommandResult}}


class Conflict(UsageError):
    """The state is not what the request expects. Nothing was changed."""

    def __init__(self, refusal: UsageError, status: int = 409) -> None:
        super().__init__(refusal.message, hint=refusal.hint)
        self.status = status
        self.code = refusal.code
        decided = result_record(refusal.result) if isinstance(refusal, AlreadyDecided) else None
        self.more = {} if decided is None else {"decision": decided}


@contextmanager
def conflicts(status: int = 409) -> Iterator[None]:
    """Inside the block, a conflict with another person or with the run is answered as one, with their decision."""
    try:
        yield
    except (AlreadyDecided, MovedOn, TooLate) as refusal:
        raise Conflict(refusal, status) from refusal


class OtherUnits(UsageError):
    """A bulk decision whose units are not the ones that the person saw."""

    status = 409

    def __init__(self, moments: Mapping[str, str], expected: int) -> None:
        same_number = len(moments) == expected
        these = f"still {expected} units, but others" if same_number else f"{len(moments)} units now, not {expected}"
        super().__init__(f"The filter matches {these}. Nothing was changed.", hint="Check the list and decide again.")
        self.code = "other_units" if same_number else "other_number"
        self.more = {"expected": len(moments), "digest": selection_hash(moments), "units": [*moments][:MOST_LISTED]}


@router.post(
    "/runs/{run_id}/units/{unit_id:path}/decision",
    response_model=shapes.Decided,
    responses={**SAVED, **problems(404, 409, 412, 507)},
)
@on_decision_thread
def decide(
    run_id: RunId,
    unit_id: UnitId,
    order: DecisionOrder,
    here: Here,
    if_match: Annotated[
        str | None, Header(max_length=200, description="The unit's `ETag`, in place of `seen`.")
    ] = None,
) -> Response:
    """Decide about a unit, or undo a decision: the one that `seen` names, or else the last.

    Of two people who decide at once, one wins; the other gets 409 with that decision. An active run applies the
    decision when it pauses, after 30 seconds at the earliest (202); with `now`, at its next pause. It can be undone
    until the run works with it. With `If-Match`, the unit's `ETag`, a conflict is answered with 412.
    """
    if if_match is not None:
        order = _with_seen(if_match, run_id, unit_id, order, here)
    with conflicts(409 if if_match is None else 412):
        result = _record(here.reviews, run_id, unit_id, order)
    here.note_decided(run_id, unit_id)
    return json_response(result_record(result), status_of(result))


def _with_seen(if_match: str, run_id: str, unit: str, order: DecisionOrder, here: Workplace) -> DecisionOrder:
    """The order with `seen` set: to the unit's current state, or the decision to undo, if `If-Match` matches it."""
    if order.seen is not None:
        raise UsageError("Use `If-Match` or `seen`, not both.", hint="Leave one of them out.")
    if if_match.strip() == "*":
        return order
    # Read before the version: a decision made in between is detected when this one is recorded.
    last = here.reviews.last(run_id, unit) if order.verdict == "undo" else None
    run = here.index.open(run_id)
    story = run.story(unit)
    versions = {version_of(unit_record(run.view, story, replies=replies)) for replies in (False, True)}
    if versions.isdisjoint(STRONG_TAG.findall(if_match)):
        return order.model_copy(update={"seen": NEVER})
    at = story.row.at if order.verdict != "undo" else last.at if last is not None else None
    return order.model_copy(update={"seen": at})


def _record(reviews: ReviewService, run: str, unit: str, order: DecisionOrder) -> DecisionResult:
    if order.verdict == "undo":
        if order.note is not None or order.text is not None:
            raise UsageError("`undo` takes no note and no text.", hint="Leave them out.")
        return reviews.undo(run, unit, by=signature(order.by), of=order.seen)
    given = {"note": order.note, "text": order.text, "seen": order.seen}
    return reviews.record(run, unit, order.verdict, by=signature(order.by), now=order.now, **given)


def status_of(result: DecisionResult) -> int:
    """202 if the decision waits in the inbox."""
    return 200 if result.in_effect else 202


def result_record(result: DecisionResult) -> dict[str, Any]:
    return {
        "run": result.run,
        "unit": result.unit,
        "verdict": result.verdict,
        "by": result.by,
        "note": result.note,
        "at": result.at,
        "in_effect": result.in_effect,
        "state": result.row.state,
        "reason": result.row.reason,
        "errors": [finding.as_wire() for finding in result.errors],
        "warning": result.warning,
    }


@router.post(
    "/runs/{run_id}/decisions/together",
    response_model=shapes.CommandResult,
    responses={**SAVED_TOGETHER, **problems(404, 409, 507)},
)
@on_decision_thread
def decide_together(run_id: RunId, order: CommandOrder, here: Here) -> Response:
    """Decide about several units, or undo decisions: all of them, or none if one is refused.

    Of two near-duplicates one stays: who drops one names in `beside` what stays, as it was seen. If another person
    dropped that one, nothing is done and 409 says who. A command that drops both is carried out.
    """
    steps = [Step(**dict(one)) for one in order.decisions]
    with conflicts():
        results = here.reviews.decide(run_id, steps, by=signature(order.by), now=order.now)
    here.note_decided(run_id, *(result.unit for result in results))
    status = max(map(status_of, results))
    return json_response({"run": run_id, "decisions": list(map(result_record, results))}, status)


@router.post("/runs/{run_id}/decisions", response_model=shapes.Bulk, responses=problems(404, 409, 507))
@on_decision_thread
def decide_many(run_id: RunId, order: BulkOrder, here: Here) -> Response:
    """Accept many units: named ones, or all waiting units that match a filter.

    `expected` is the number that the person saw, `digest` (with `where`) identifies the units. If they have changed
    since, nothing is decided, and 409 lists them.
    """
    moments = _units_of(here.index.open(run_id), order)
    if len(moments) != order.expected or order.digest not in (None, selection_hash(moments)):
        raise OtherUnits(moments, order.expected)
    seen = moments if order.where is not None else order.seen
    bulk = here.reviews.decide_all(
        run_id, list(moments), by=signature(order.by), verdict=order.verdict, note=order.note, seen=seen
    )
    here.note_decided(run_id)
    return json_response(
        {
            "run": run_id,
            "decided": list(bulk.decided),
            "passed_over": [{"unit": unit, "why": why} for unit, why in bulk.passed_over.items()],
            "in_effect": bulk.in_effect,
        }
    )


def _units_of(run: RunReader, order: BulkOrder) -> dict[str, str]:
    """The named units, each once; or the waiting units that match the filter, each with the time of its last change."""
    if order.where is None:
        return dict.fromkeys(order.units or (), "")
    return run.moments(UnitFilter(states=(run.view.kind.states.waiting,), **order.where.model_dump()))


@router.post("/runs/{run_id}/decisions/apply", response_model=shapes.Hastened, responses=problems(404, 507))
@on_decision_thread
def apply_decisions(run_id: RunId, order: ApplyOrder, here: Here) -> Response:
    """Have decisions that are saved applied at the next pause of the run, without the rest of the 30 seconds."""
    return json_response({"run": run_id, "decisions": here.reviews.hasten(run_id, order.unit)})


@router.post("/runs/{run_id}/continue", status_code=202, response_model=Started, responses=problems(404, 409))
def continue_run(run_id: RunId, here: Here) -> Response:
    """Resume a run after decisions, a limit, or a stop. Nothing recorded is paid for again."""
    with here.signed("resumed", run_id):
        here.jobs.resume(run_id)
    return started(run_id)


@router.post("/runs/{run_id}/stop", status_code=202, response_model=Started, responses=problems(404, 409))
def stop_run(run_id: RunId, here: Here) -> Response:
    """Stop a run of this server, or remove it from the queue of runs. What was paid for is kept; it can be resumed."""
    with here.signed("stopped", run_id):
        here.jobs.cancel_resume(run_id)
        here.jobs.stop(run_id)
    return started(run_id)


@router.delete("/runs/{run_id}", status_code=204, response_class=Response, responses=problems(404, 409))
def delete_run(run_id: RunId, here: Here) -> Response:
    """Delete a run with all its files. An active run has to be stopped first."""
    here.delete_run(run_id)
    return Response(status_code=204)


@router.post("/runs/{run_id}/approve", status_code=202, response_model=Started, responses=problems(404, 409))
def approve_run(run_id: RunId, order: ApprovalOrder, here: Here) -> Response:
    """Approve a run: it is published as soon as nothing waits."""
    with here.signed("approved", run_id):
        here.jobs.resume(run_id, approved_by=signature(order.by))
    return started(run_id)
