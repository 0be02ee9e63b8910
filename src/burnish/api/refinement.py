"""`GET runs/{id}/refinement`: how lessons were judged and refined, in the types that inspectors of lessons show."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.answers import problems, told
from burnish.api.places import RunId
from burnish.api.shapes.refinement import Refinement
from burnish.api.workplace import Here
from burnish.app.runs import View
from burnish.core.errors import NotFound
from burnish.core.records import EventRecord

router = APIRouter(tags=["runs"])
PLAN, VOTES = "refinement_display.json", "panel_votes.json"


@router.get(
    "/runs/{run_id}/refinement", response_model=Refinement, responses=problems(404), operation_id="get_refinement"
)
def get_refinement(run_id: RunId, here: Here) -> Response:
    """Lessons: the plan, its iterations and tasks, what is being done now, and how the judges voted."""
    run = here.index.open(run_id).view
    if not run.kind.traits.is_whole:
        raise NotFound(f"The run {run_id} refines nothing as a whole.", hint="This is for lessons.")
    displays = run.kind.displays()
    lessons = [
        {"document": name, "refinement": displays[PLAN](events), "votes": displays[VOTES](events)}
        for name, events in _by_document(run).items()
    ]
    return told({"run": run_id, "documents": lessons})


def _by_document(run: View) -> dict[str, list[EventRecord]]:
    """What happened to each document, in order."""
    told: dict[str, list[EventRecord]] = {document.name: [] for document in run.plan.documents}
    for event in run.journal.events():
        if event.data.get("document") in told:
            told[event.data["document"]].append(event)
    return told
