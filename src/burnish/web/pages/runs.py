"""The list of runs: what works, what waits, what it cost; live while somebody looks. And the report on one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from burnish.api.workplace import Here
from burnish.app.kinds import kind_named
from burnish.app.run_card import BrokenRun, RunCard
from burnish.app.start_choices import SAMPLES
from burnish.kinds.registry import KINDS
from burnish.web import Drawn
from burnish.web.charts import Part, stack
from burnish.web.formatting import count, moment, plural
from burnish.web.labels import kind_words, look_of, run_look
from burnish.web.pages.report import encoded, policy, report_pieces, report_style
from burnish.web.pages.rules import Chip
from burnish.web.rendering import Given, page, runs_link

router = APIRouter()

MOST_SHOWN = 100
"""Runs on one page."""
LONGEST_SEARCH = 200
GROUPS: dict[str, tuple[str, frozenset[str]]] = {
    "working": ("Working", frozenset({"working", "submitted"})),
    "waiting": ("Waiting for people", frozenset({"waiting_for_people", "waiting_for_approval", "ready_to_continue"})),
    "done": ("Done", frozenset({"published", "accepted_with_warning", "best_effort"})),
    "stopped": ("Stopped", frozenset({"at_its_ceiling", "silent", "interrupted", "failed", "broken"})),
}
"""Filter -> its words, and how the runs stand that it lets through."""

Shown = RunCard | BrokenRun


@router.get("/runs")
def runs(
    request: Request,
    here: Here,
    state: str | None = None,
    kind: str | None = None,
    find: str | None = None,
    start: int = 0,
) -> Response:
    cards = here.index.cards()
    if not cards:
        return page(request, "start/welcome.html", events="/live", samples=SAMPLES)
    search = (find or "").strip()[:LONGEST_SEARCH]
    wanted = [card for card in cards if _fits(card, state, kind, search)]
    first = max(0, min(start, len(wanted) - 1))
    shown = wanted[first : first + MOST_SHOWN]
    following = first + MOST_SHOWN
    return page(
        request,
        "runs.html",
        events="/live",
        rows=[row_of(card, here.jobs.rest(card.id)) if isinstance(card, RunCard) else card for card in shown],
        total=len(cards),
        matching=len(wanted),
        sums=sums_of([card for card in cards if isinstance(card, RunCard)], datetime.now(UTC)),
        filters=_filters(cards, state, kind, search),
        state=state,
        kind=kind,
        find=search,
        before=runs_link(**_query(state, kind, search), start=max(0, first - MOST_SHOWN)) if first else None,
        after=runs_link(**_query(state, kind, search), start=following) if following < len(wanted) else None,
    )


def row_of(card: RunCard, rest: str | None = None) -> Drawn:
    """A run with its pictures. `rest`: what is known of it here, which its journal does not tell."""
    looks = [(part.count, look_of(part.state, part.sort)) for part in card.parts]
    parts = [Part(number, look.words, look.fill) for number, look in looks]
    words = progress_of(card)
    return Drawn(card=card, look=run_look(card.state, card.text, rest), bar=stack(parts, label=words), progress=words)


def progress_of(card: RunCard) -> str:
    """How far a run is: `61 of 82 ready`."""
    if card.task:
        return plural(card.trials, "trial")
    return f"{count(card.ready)} of {count(card.requested)} {kind_named(card.kind).words.ready}"


def sums_of(cards: Sequence[RunCard], now: datetime) -> Drawn:
    """Of all runs; what was spent is that of the runs which began within a day."""
    since = now - timedelta(days=1)
    recent = [card for card in cards if (begun := moment(card.started_at)) is not None and begun >= since]
    return Drawn(
        working=sum(card.state == "working" for card in cards),
        waiting=sum(card.waiting for card in cards),
        waiting_runs=sum(card.waiting > 0 for card in cards),
        for_approval=sum(card.state == "waiting_for_approval" for card in cards),
        tokens=sum(card.tokens for card in recent),
        cost=sum(card.cost or 0.0 for card in recent),
    )


def _standing(card: Shown) -> str:
    return card.state if isinstance(card, RunCard) else "broken"


def _fits(card: Shown, state: str | None, kind: str | None, search: str) -> bool:
    if state in GROUPS and _standing(card) not in GROUPS[state][1]:
        return False
    if kind in KINDS and (not isinstance(card, RunCard) or card.kind != kind):
        return False
    names = (card.id, card.title, card.subtitle) if isinstance(card, RunCard) else (card.id,)
    return any(search.casefold() in name.casefold() for name in names)


def _filters(cards: Sequence[Shown], state: str | None, kind: str | None, search: str) -> list[Chip | None]:
    """Chips: all, how runs stand, and the kinds that there are. Each count is of the whole list."""
    standing = Counter(_standing(card) for card in cards)
    kinds = Counter(card.kind for card in cards if isinstance(card, RunCard))
    chips: list[Chip | None] = [
        ("All", runs_link(find=search or None), len(cards), state not in GROUPS and kind not in KINDS)
    ]
    for name, (words, members) in GROUPS.items():
        number = sum(standing[member] for member in members)
        if number or state == name:
            chips.append((words, runs_link(**_query(name, kind, search)), number, state == name))
    chips.append(None)
    for name in KINDS:
        if kinds[name] or kind == name:
            chips.append((kind_words(name), runs_link(**_query(state, name, search)), kinds[name], kind == name))
    return chips if chips[-1] is not None else chips[:-1]


def _query(state: str | None, kind: str | None, search: str) -> dict[str, Given]:
    return {"state": state, "kind": kind, "find": search or None}


MOST_REPORTED = 60
"""Fewer than in a file that somebody makes on purpose: a page should be there soon."""


@router.get("/runs/{run}/report.html")
def report(request: Request, here: Here, run: str) -> Response:
    """The report. `?download=1` gives it as a file."""
    opened = here.index.open(run)
    pieces = report_pieces(opened, here.index.precision(), most=MOST_REPORTED, clock=here.clock)
    headers = {"content-security-policy": f"{policy(report_style())}; frame-ancestors 'none'"}
    if request.query_params.get("download") == "1":
        headers["content-disposition"] = f'attachment; filename="{opened.card.id}-report.html"'
    return StreamingResponse(encoded(pieces), headers=headers, media_type="text/html")


@router.get("/live")
async def live(here: Here) -> StreamingResponse:
    """A word whenever any run gets on."""
    return here.streams.of_folder()
