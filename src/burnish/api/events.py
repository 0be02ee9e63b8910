"""`GET runs/{id}/events`: what happens in a run, as a stream or a page at a time."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from burnish.api.answers import Responses, problems, told
from burnish.api.places import Limit, RunId
from burnish.api.shapes.runs import EventList
from burnish.api.streams import MEDIA_TYPE, event_record
from burnish.api.workplace import Here, Workplace

router = APIRouter(tags=["runs"])
LARGEST = (1 << 63) - 1
STREAM: Responses = {
    200: {
        "description": "The events: a stream of server-sent events, or a page as JSON with `follow=false`.",
        "content": {
            MEDIA_TYPE: {
                "schema": {"type": "string"},
                "example": 'id: 12\nevent: happened\ndata: {"seq":12,"at":"...","type":"decision","unit":"q1",...}\n\n',
            }
        },
    }
}


@router.get(
    "/runs/{run_id}/events",
    response_model=EventList,
    responses={**STREAM, **problems(404)},
    operation_id="list_events",
)
async def list_events(
    run_id: RunId,
    here: Here,
    after: Annotated[int, Query(ge=0, le=LARGEST, description="From behind this event on; 0: from the first.")] = 0,
    follow: Annotated[bool, Query(description="Whether to go on telling what happens.")] = True,
    limit: Limit = 100,
    last_event_id: Annotated[str | None, Header(description="Sent by browsers that connect again.")] = None,
) -> Response:
    """What happens in a run, from any event on.

    As server-sent events: each has the event's number as its `id` and the event as JSON in `data`. A comment is sent
    when nothing happens for a while. With `follow=false`, one page as JSON.
    """
    if follow:
        return await here.streams.of_run(run_id, resumed(last_event_id, after))
    return await run_in_threadpool(_page, here, run_id, after, limit)


def resumed(last_event_id: str | None, after: int) -> int:
    """Where a stream goes on that was broken off: what the browser saw last counts more than its first address."""
    if last_event_id is None or not (last_event_id.isascii() and last_event_id.isdigit()):
        return after
    return max(after, min(int(last_event_id[:20]), LARGEST))


def _page(here: Workplace, run: str, after: int, limit: int) -> Response:
    journal = here.index.open(run).view.journal
    found = list(islice(journal.events(after=after, limit=limit + 1), limit + 1))
    shown = found[:limit]
    return told(
        {
            "events": [event_record(event) for event in shown],
            "last": shown[-1].seq if shown else after,
            "more": len(found) > limit,
        }
    )
