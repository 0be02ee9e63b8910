"""`GET runs`, `GET runs/{id}` and its units: what there is, and how it stands."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from burnish.api.answers import problems, told
from burnish.api.places import Limit, Offset, RunId, UnitId, unit_url
from burnish.api.shapes.runs import RunDetail, RunList, StartingRun, UnitList, UnitRecord
from burnish.api.workplace import Here, Workplace
from burnish.app.reviews import selection_hash
from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader, UnitLine
from burnish.app.run_state import Standing
from burnish.app.unit_record import unit_record
from burnish.core.errors import UsageError
from burnish.core.findings import Severity
from burnish.engine.exporting import totals_record
from burnish.store.filters import UnitFilter

router = APIRouter(tags=["runs"])
Text = Annotated[str, Query(max_length=200)]
Key = Annotated[
    str,
    Query(pattern=r"^[0-9]{1,18}\.[0-9]{1,18}$", description="Where another page ended: its `next` or `previous`."),
]


@router.get("/runs", response_model=RunList, responses=problems(), operation_id="list_runs")
def list_runs(
    here: Here,
    standing: Annotated[tuple[Standing, ...], Query(description="Only runs that stand so. Repeatable.")] = (),
    kind: Annotated[Text | None, Query(description="Only of this kind.")] = None,
    find: Annotated[Text | None, Query(description="In the id or the title.")] = None,
    offset: Offset = 0,
    limit: Limit = 50,
) -> Response:
    """Every run, the one that was active last first."""
    cards = here.index.cards()
    wanted = (find or "").casefold()
    found = [
        card
        for card in cards
        if isinstance(card, RunCard)
        and (not standing or card.standing in standing)
        and kind in (None, card.kind)
        and (wanted in card.id.casefold() or wanted in card.title.casefold())
    ]
    end = offset + limit
    return told(
        {
            "runs": [run_record(card) for card in found[offset:end]],
            "unreadable": [asdict(card) for card in cards if not isinstance(card, RunCard)],
            "total": len(found),
            "next": end if end < len(found) else None,
        }
    )


def run_record(card: RunCard) -> dict[str, Any]:
    """A run, in the names of the API."""
    record = asdict(card)
    for name in ("parts", "tokens", "cost"):
        del record[name]  # the bar is for pages, and the totals say the rest
    return {**record, "totals": totals_record(card.totals)}


@router.get("/runs/{run_id}", response_model=RunDetail | StartingRun, responses=problems(404), operation_id="get_run")
def get_run(run_id: RunId, here: Here) -> Response:
    """How one run stands."""
    try:
        run = here.index.open(run_id)
    except UsageError as missing:  # there is no journal yet, or no plan in it
        return told(_starting(run_id, here, missing))
    return told(
        {
            **run_record(run.card),
            "causes": [asdict(cause) for cause in run.causes()],
            "findings": [asdict(rule) for rule in run.findings_by_rule()],
            "scores": [asdict(score) for score in run.scores()],
            "goes_on_in": here.errands.seconds_left(run_id),
            "trouble": _trouble(run_id, here),
        }
    )


def _starting(run: str, here: Workplace, missing: UsageError) -> dict[str, Any]:
    """A run that was started and has no plan yet. `missing` is raised where nobody started one."""
    trouble = _trouble(run, here)
    if trouble is None and not here.errands.is_at_work(run):
        raise missing
    return {"id": run, "standing": "starting" if trouble is None else "failed", "trouble": trouble}


def _trouble(run: str, here: Workplace) -> str | None:
    """What an errand said that could not do its work, in a sentence."""
    said = here.errands.told(run)
    if said is None:
        return None
    try:
        error = orjson.loads(said.splitlines()[-1])["error"]
        return " ".join(str(error[name]) for name in ("message", "hint") if error.get(name))
    except (ValueError, KeyError, TypeError, IndexError):  # it did not end with an error of ours
        return said or "The process that worked on it ended without a word."


@router.get("/runs/{run_id}/units", response_model=UnitList, responses=problems(404), operation_id="list_units")
def list_units(
    run_id: RunId,
    here: Here,
    state: Annotated[tuple[Text, ...], Query(description="Only in these states. Repeatable.", max_length=20)] = (),
    waiting: Annotated[
        bool, Query(description="Only those that wait for a person, whatever the kind calls that.")
    ] = False,
    rule: Annotated[Text | None, Query(description="Only where this rule speaks against the draft.")] = None,
    severity: Annotated[Severity | None, Query(description="Only with this as the worst finding.")] = None,
    cause: Annotated[Text | None, Query(description="Only those that wait for this cause.")] = None,
    text: Annotated[Text | None, Query(description="In the id or the text.")] = None,
    document: Annotated[str | None, Query(max_length=1024, description="Only of this document.")] = None,
    repaired: Annotated[bool, Query(description="Only units whose draft is another text than the source.")] = False,
    open: Annotated[bool, Query(description="Only units against whose draft something is said.")] = False,
    after: Key | None = None,
    before: Key | None = None,
    limit: Limit = 50,
    digest: Annotated[bool, Query(description="Tell one value for all of them, for accepting them at once.")] = False,
) -> Response:
    """The units of a run, in document order, a page at a time."""
    if after is not None and before is not None:
        raise UsageError("A page is after one unit or before one, not both.", hint="Leave one of them out.")
    run = here.index.open(run_id)
    states = (*state, run.view.kind.states.waiting) if waiting else state
    where = UnitFilter(
        states=states,
        rule=rule,
        severity=severity,
        cause=cause,
        text=text,
        document=document,
        repaired=repaired,
        open=open,
    )
    page = run.units(where, offset_key=after or before, limit=limit, backwards=before is not None)
    return told(
        {
            "units": [line_record(run, line) for line in page.lines],
            "previous": page.previous,
            "next": page.next,
            "total": page.total,
            "digest": selection_hash(run.moments(where)) if digest else None,
        }
    )


def line_record(run: RunReader, line: UnitLine) -> dict[str, Any]:
    record = asdict(line)
    del record["key"]
    return {**record, "url": unit_url(run.view.folder.id, line.id)}


@router.get(
    "/runs/{run_id}/units/{unit_id:path}", response_model=UnitRecord, responses=problems(404), operation_id="get_unit"
)
def get_unit(
    run_id: RunId,
    unit_id: UnitId,
    here: Here,
    replies: Annotated[bool, Query(description="The models' raw replies as well.")] = False,
) -> Response:
    """Everything that happened to one unit."""
    run = here.index.open(run_id)
    return told(unit_record(run.view, run.story(unit_id), replies=replies))
