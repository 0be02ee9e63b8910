"""`POST .../dismissals`: people say that a claim of a rule is not true, or that a rule is wrong in a whole run."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.access import signature
from burnish.api.decisions import SAVED, conflicts, result_record, status_of
from burnish.api.messages import RunId, StrictRoute, UnitId, json_response, problems
from burnish.api.shapes import decisions as shapes
from burnish.api.shapes.dismissals import DismissalOrder, Restored, RuleDismissalOrder, RuleOrder
from burnish.api.workplace import Here, on_decision_thread
from burnish.app.dismissals import dismiss_claims, dismiss_rule, restore_rule
from burnish.core.attempts import DISMISS

router = APIRouter(tags=["decisions"], route_class=StrictRoute)


@router.post(
    "/runs/{run_id}/units/{unit_id:path}/dismissals",
    response_model=shapes.Decided,
    responses={**SAVED, **problems(404, 409, 507)},
)
@on_decision_thread
def dismiss(run_id: RunId, unit_id: UnitId, order: DismissalOrder, here: Here) -> Response:
    """Dismiss claims of rules about a unit. It is judged again without them, by code.

    If nothing else is wrong, it is accepted; or it goes to the readers who have not seen it yet, when the run
    continues. A decision like any other: it is undone with the verdict `undo`, and 409 names who was faster.
    """
    text, by = dismiss_claims(order.claims), signature(order.by)
    with conflicts():
        result = here.reviews.record(
            run_id, unit_id, DISMISS, by=by, note=order.note, text=text, seen=order.seen, now=order.now
        )
    here.note_decided(run_id, unit_id)
    return json_response(result_record(result), status_of(result))


@router.post("/runs/{run_id}/dismissals", response_model=shapes.Bulk, responses=problems(404, 409, 507))
@on_decision_thread
def dismiss_everywhere(run_id: RunId, order: RuleDismissalOrder, here: Here) -> Response:
    """Dismiss all claims of a rule in a run: in the units that wait for a person, and in what is still judged."""
    run = here.index.open(run_id)
    bulk = dismiss_rule(here.reviews, run, order.rule, by=signature(order.by), note=order.note)
    here.note_decided(run_id)
    passed_over = [{"unit": unit, "why": why} for unit, why in bulk.passed_over.items()]
    told = {"run": run_id, "decided": list(bulk.decided), "passed_over": passed_over, "in_effect": bulk.in_effect}
    return json_response(told)


@router.post("/runs/{run_id}/dismissals/undo", response_model=Restored, responses=problems(404, 409, 507))
@on_decision_thread
def restore(run_id: RunId, order: RuleOrder, here: Here) -> Response:
    """Take the dismissal of a rule in a run back. Units that were decided about since keep their decisions."""
    units = restore_rule(here.reviews, here.index.open(run_id), order.rule, by=signature(order.by))
    here.note_decided(run_id)
    return json_response({"run": run_id, "rule": order.rule, "units": units})
