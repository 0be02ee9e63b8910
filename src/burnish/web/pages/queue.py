"""The review queue: one unit at a time, with its reason first. `decisions` receives its forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from burnish.api.workplace import Here, Workplace
from burnish.app.labels import DecisionResult
from burnish.app.rulebook import PrecisionLine
from burnish.app.run_card import RunCard
from burnish.app.run_index import QueueLine
from burnish.core.errors import NotFound
from burnish.store.unit_queries import QueueFilter
from burnish.web import Drawn, charts
from burnish.web.formatting import FEW, share
from burnish.web.kinds import RejectedForm, UnitAccess, Words, refilled
from burnish.web.labels import kind_words
from burnish.web.pages.unit import history_of, is_changeable, is_dismissible, may_be_dropped, may_be_sent_back
from burnish.web.queue_position import Pace, arrived, midnight, mine_of, pace_of, talk_of
from burnish.web.rendering import name_of, page, queue_link
from burnish.web.unit_history import attempt_lines

router = APIRouter()
AT_ONCE = ("bulk", "bulk_back", "bulk_undo")
"""Values of `done` for decisions on many units."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A place in the queue. Forms carry it, so that a decision leads to the next unit of the same list."""

    where: QueueFilter
    at: int = 0
    run: str | None = None
    unit: str | None = None
    """The current unit; None: the one at `at`."""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> Stay:
        where = QueueFilter.from_query(query)
        return cls(where, _number(query.get("at")), query.get("of") or where.run, query.get("unit"))

    @classmethod
    def of_form(cls, fields: Mapping[str, str]) -> Stay:
        """Read from a form. It sends the filter as one field, because its field `run` is that of the unit."""
        where = QueueFilter.from_query(dict(parse_qsl(fields.get("list", ""))))
        return cls(where, _number(fields.get("at")))

    def fields(self, at: int) -> dict[str, str]:
        return {"list": urlencode(self.where.as_query()), "at": str(at)}

    def link(self, **more: str | int | None) -> str:
        return queue_link(**dict(self.where.as_query()), at=self.at or None, **more)


def _number(text: str | None) -> int:
    return int(text[:9]) if text and text.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class Done:
    """The decision that led to this page."""

    result: DecisionResult | None
    """None: several at once, or an undone one."""
    verdict: str
    run: str
    unit: str
    number: int = 0
    """How many units were decided at once."""
    passed_over: int = 0
    since: str | None = None
    """The time and the mark of a bulk decision, which are needed to undo it."""
    is_saved: bool = False
    """Whether it is saved in the inbox of a working run."""
    other: DecisionResult | None = None
    """The decision about the near-duplicate, if both were decided together."""
    waits: bool = False
    """Whether the unit still waits for a person."""


@router.get("/queue")
def show(request: Request, here: Here) -> Response:
    """The page of the queue."""
    return queue_page(request, here, Stay.of_query(request.query_params))


def queue_page(
    request: Request,
    here: Workplace,
    stay: Stay,
    *,
    kept: RejectedForm | None = None,
    unkept: tuple[str, str] = ("", ""),
    status: int = 200,
) -> Response:
    """The queue at a unit. `kept`: a form that was rejected, shown again with its text. `unkept`: a note for others
    that was refused, and why."""
    line, others = arrived(here, name_of(request), stay.where, run=stay.run, unit=stay.unit, at=stay.at)
    counts = here.index.queue_counts()
    common = {
        "position": line,
        "chips": _chips(stay.where, counts, mine_of(here, name_of(request)) if here.people.exist else None),
        "looked_at": here.people.looked_at(),
        "narrowed": _narrowed(here, stay.where),
        "waiting": sum(counts.values()),
        "kept": kept,
        "rescued": rescued(here, kept, line.focus) if kept is not None else [],
        "done": done_of(here, request.query_params) if kept is None else None,
        "freed": _ready_to_resume(here),
        "events": "/live",
        "others": others,
        "talk": talk_of(here, line.focus.run, line.focus.line.id, unkept) if line.focus is not None else None,
    }
    if line.focus is None:
        cards = [card for card in here.index.cards() if isinstance(card, RunCard)]
        working = sum(card.state == "working" for card in cards)
        approvals = [card for card in cards if card.state == "waiting_for_approval"]
        return page(request, "queue.html", status=status, working=working, approvals=approvals, **common)
    article = _article(here, line.focus, kept)
    reasons = [article["focus"].reason, *(_reason(here, one) for one in line.following[1:])]
    pace = _pace(here, name_of(request))
    return page(
        request,
        "queue.html",
        status=status,
        **common,
        **article,
        reasons=reasons,
        origin="queue",
        # A reload shows this unit again, even if another one is first in the queue then.
        same_address=line.link(line.focus, line.at),
        stay=stay.fields(line.at),
        edit_words="Edit before accepting",
        pace=pace,
        progress=charts.stack(
            [charts.Part(pace.decided, "decided", "ok"), charts.Part(1, "open here", "work")],
            whole=pace.decided + line.total,
            label=f"{'' if pace.is_all else 'More than '}{pace.decided:,} decided, {line.total:,} open",
        ),
    )


def _chips(
    where: QueueFilter, counts: Mapping[str, int], mine: Sequence[QueueLine] | None
) -> Sequence[tuple[str, str, int, bool]]:
    """Filters: all, units assigned to the visitor, and kinds, each with its count."""
    kinds = sorted(counts, key=lambda kind: (-counts[kind], kind))
    every = ("All", queue_link(), sum(counts.values()), where == QueueFilter())
    named = [(kind_words(kind), queue_link(kind=kind), counts[kind], where.kind == kind) for kind in kinds]
    own = [] if mine is None else [("Mine", queue_link(mine="1"), len(mine), where.mine is not None)]
    return [every, *own, *named]


def _narrowed(here: Workplace, where: QueueFilter) -> Sequence[tuple[str, str]]:
    """The active filters besides the kind: label, and the link without the filter."""
    on = dict(where.as_query())
    found = []
    if where.run is not None:
        found.append((here.index.open(where.run).card.title, queue_link(kind=where.kind)))
        causes = {cause.cause: cause.text for cause in here.index.open(where.run).causes()}
        if where.cause is not None:
            found.append((causes.get(where.cause, where.cause), queue_link(**{**on, "cause": None})))
    if where.document is not None:
        found.append((where.document, queue_link(**{**on, "document": None})))
    return found


def _article(here: Workplace, line: QueueLine, kept: RejectedForm | None) -> dict[str, Any]:
    run = here.index.open(line.run)
    known = UnitAccess.of(run, line.line.id)
    story, focus = known.story, known.focus()
    mine = kept if kept is not None and (kept.run, kept.unit) == (line.run, line.line.id) else None
    may_change = is_changeable(run, story)
    return {
        "focus": focus,
        "mine": mine,
        "card": run.card,
        "story": story,
        "kind": line.kind,
        "may_change": may_change,
        "may_send_back": may_change and may_be_sent_back(story),
        "may_drop": may_be_dropped(run, story),
        "may_dismiss": is_dismissible(run, story),
        "may_reopen": False,  # what is in the queue waits
        "editor": refilled(known.parts.editor(story), mine) if may_change else None,
        "tries": attempt_lines(history_of(run, story), focus.earlier),
        "precision": precision_words(here.index.precision(), line.kind, focus.rule),
        "pending": {entry.unit: entry for entry in here.reviews.pending(line.run)}.get(line.line.id),
    }


def _reason(here: Workplace, line: QueueLine) -> Sequence[Words]:
    """Why a unit waits, in the sentence that its page begins with."""
    return UnitAccess.of(here.index.open(line.run), line.line.id).focus().reason


def rescued(here: Workplace, kept: RejectedForm, focus: QueueLine | None) -> list[tuple[str, str]]:
    """The text that a reviewer wrote for a unit that is no longer the current one: label and text of each changed
    field. Empty if the unit's own editor shows it."""
    if not kept.is_edit:
        return []
    known = UnitAccess.of(here.index.open(kept.run), kept.unit)
    if focus is not None and (focus.run, focus.line.id) == (kept.run, kept.unit):
        return []
    fields = known.parts.editor(known.story).fields
    return [(one.label, kept.values[one.name]) for one in fields if kept.values.get(one.name, one.value) != one.value]


def precision_words(lines: Sequence[PrecisionLine], kind: str, rule: str | None) -> str | None:
    """How often people agreed with the rule; None without decisions."""
    line = next((one for one in lines if (one.who, one.kind) == (rule, kind)), None)
    if line is None:
        return None
    count, _, sure = share(line.right, line.of, line.low, line.high).partition(" (")
    return f"Right in {count} cases of all runs{'' if line.of >= FEW else ' so far'} ({sure}"


def _pace(here: Workplace, by: str | None) -> Pace:
    """The pace of this person today, over the runs that were active today."""
    if by is None:
        return Pace(0, None)
    since = midnight(here.clock())
    cards = [card for card in here.index.cards() if isinstance(card, RunCard) and card.active_at >= since]
    return pace_of((here.index.open(card.id).view.journal for card in cards), by, since)


def _ready_to_resume(here: Workplace) -> list[Drawn]:
    cards = [card for card in here.index.cards() if isinstance(card, RunCard)]
    free = [card for card in cards if card.state == "ready_to_continue" and not here.jobs.is_at_work(card.id)]
    return [Drawn(card=card, seconds=here.jobs.seconds_left(card.id)) for card in free]


def done_of(here: Workplace, query: Mapping[str, str]) -> Done | None:
    """The decision named in the address, as the review service has it."""
    verdict, run, unit = (query.get(name, "") for name in ("done", "done_run", "done_unit"))
    if not verdict or not run:
        return None
    try:
        opened = here.index.open(run)
        if verdict in AT_ONCE and (number := _number(query.get("n"))):
            left, since, is_saved = _number(query.get("left")), query.get("since"), query.get("saved") == "1"
            return Done(None, verdict, run, "", number, left, since, is_saved)
        line = opened.line(unit)
        if verdict == "undo":
            is_saved = any(entry.unit == unit and entry.verdict == "undo" for entry in here.reviews.pending(run))
            waits = line is not None and line.sort == "person"
            return Done(None, verdict, run, unit, is_saved=is_saved) if waits or is_saved else None
        result = here.reviews.last(run, unit)
    except NotFound:  # an old address of a run that was deleted
        return None
    if result is None or not result.is_of(query.get("done_at", "")):
        return None  # somebody else has decided since, so this is not the visitor's decision
    other = here.reviews.last(run, query["done_other"]) if query.get("done_other") else None
    is_ours = other is not None and other.is_of(query.get("done_other_at", ""))
    waits = line is not None and line.sort == "person"
    return Done(result, result.verdict, run, unit, other=other if is_ours else None, waits=waits)
