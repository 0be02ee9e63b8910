"""The list of runs, updated live; the page of a run with its head, tabs and actions (resume, approve, pause, stop); and
its report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from burnish.api.access import VISITOR
from burnish.api.workplace import Here, Workplace
from burnish.app.kinds import kind_named
from burnish.app.run_card import BrokenRun, RunCard
from burnish.app.run_reader import RunReader
from burnish.app.settings import redactor_of
from burnish.app.start_choices import SAMPLES, ceilings_of, is_sample
from burnish.engine.dismissals import dismissed_rules
from burnish.kinds.registry import KINDS
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.charts import Part, stack
from burnish.web.formatting import count, moment, money, plural
from burnish.web.kinds import Fact, RunParts, Tab, parts_of
from burnish.web.labels import kind_words, look_of, run_look
from burnish.web.pages.decisions import ask_for_name, cleaned, remembering
from burnish.web.pages.reference import LONGEST_SEARCH, Chip
from burnish.web.pages.report import all_styles, encoded, policy, report_pieces
from burnish.web.pages.run_overview import notice_of, overview_of, rule_bars
from burnish.web.pages.run_progress import progress_shown
from burnish.web.pages.run_tabs import events_context, plan_parts, units_context
from burnish.web.rendering import Fields, Given, crumbs, export_link, name_of, page, run_link, runs_link

router = APIRouter()

MOST_SHOWN = 100
"""Runs on one page."""
GROUPS: dict[str, tuple[str, frozenset[str]]] = {
    "working": ("Working", frozenset({"working", "submitted"})),
    "waiting": ("Waiting for people", frozenset({"waiting_for_people", "waiting_for_approval", "ready_to_continue"})),
    "done": ("Done", frozenset({"published", "accepted_with_warning", "best_effort"})),
    "stopped": ("Stopped", frozenset({"at_its_ceiling", "silent", "interrupted", "failed", "broken"})),
}
"""Filter -> its label, and the run states that match it."""

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
    matching = [card for card in cards if _fits(card, state, kind, search)]
    first = max(0, min(start, len(matching) - 1))
    shown = matching[first : first + MOST_SHOWN]
    following = first + MOST_SHOWN
    return page(
        request,
        "runs.html",
        events="/live",
        rows=[row_of(card, here.jobs.idle_state(card.id)) if isinstance(card, RunCard) else card for card in shown],
        total=len(cards),
        matching=len(matching),
        sums=sums_of([card for card in cards if isinstance(card, RunCard)], datetime.now(UTC)),
        filters=_filters(cards, state, kind, search),
        state=state,
        kind=kind,
        find=search,
        before=runs_link(**_query(state, kind, search), start=max(0, first - MOST_SHOWN)) if first else None,
        after=runs_link(**_query(state, kind, search), start=following) if following < len(matching) else None,
    )


def row_of(card: RunCard, rest: str | None = None) -> Drawn:
    """A row of the list of runs. `rest`: what this server knows about the run beyond the journal."""
    looks = [(part.count, look_of(part.state, part.sort)) for part in card.parts]
    parts = [Part(number, look.words, look.fill) for number, look in looks]
    words = progress_of(card)
    return Drawn(card=card, look=run_look(card.state, card.text, rest), bar=stack(parts, label=words), progress=words)


def progress_of(card: RunCard) -> str:
    """The progress of a run: `61 of 82 ready`."""
    if card.task:
        return plural(card.trials, "trial")
    return f"{count(card.ready)} of {count(card.requested)} {kind_named(card.kind).words.ready}"


def sums_of(cards: Sequence[RunCard], now: datetime) -> Drawn:
    """Totals of all runs; tokens and money only of runs that started within the last day."""
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


def _state(card: Shown) -> str:
    return card.state if isinstance(card, RunCard) else "broken"


def _fits(card: Shown, state: str | None, kind: str | None, search: str) -> bool:
    if state in GROUPS and _state(card) not in GROUPS[state][1]:
        return False
    if kind in KINDS and (not isinstance(card, RunCard) or card.kind != kind):
        return False
    names = (card.id, card.title, card.subtitle) if isinstance(card, RunCard) else (card.id,)
    return any(search.casefold() in name.casefold() for name in names)


def _filters(cards: Sequence[Shown], state: str | None, kind: str | None, search: str) -> list[Chip | None]:
    """Filters: all, by state, and by kind. Each count is of the whole list."""
    states = Counter(_state(card) for card in cards)
    kinds = Counter(card.kind for card in cards if isinstance(card, RunCard))
    chips: list[Chip | None] = [
        ("All", runs_link(find=search or None), len(cards), state not in GROUPS and kind not in KINDS)
    ]
    for name, (words, members) in GROUPS.items():
        number = sum(states[member] for member in members)
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
"""Units in the report page: fewer than in a report file, because a page should load fast."""


@router.get("/runs/{run}/report.html")
def report(request: Request, here: Here, run: str) -> Response:
    """The report; `?download=1` sends it as a file."""
    opened = here.index.open(run)
    pieces = report_pieces(opened, here.index.precision(), most=MOST_REPORTED, clock=here.clock)
    headers = {"content-security-policy": f"{policy(all_styles('report.css'))}; frame-ancestors 'none'"}
    if request.query_params.get("download") == "1":
        headers["content-disposition"] = f'attachment; filename="{opened.card.id}-report.html"'
    return StreamingResponse(encoded(pieces), headers=headers, media_type="text/html")


@router.get("/live")
async def live(here: Here) -> StreamingResponse:
    """The stream of changes of all runs."""
    return here.streams.of_folder()


MOST_RULES = 500
MOST_LOOKED_AT = 20
"""Waiting units that are read to choose the noun on the Decide button."""
RESUMABLE = frozenset({"at_its_ceiling", "submitted", "interrupted", "failed", "silent", "ready_to_continue"})
"""States of a run that can be resumed."""
DELIVERED = frozenset({"published", "accepted_with_warning", "best_effort"})
"""States of a run that has written its documents."""
TABS: Mapping[str, tuple[str, ...]] = {
    "overview": ("overview", "refinement", "course", "bank", "judges", "gate"),
    "units": ("units", "items", "findings", "map"),
    "history": ("events", "self-review"),
    "settings": ("settings", "prompts"),
}
"""Tab -> its views, in order. A view of a kind that is not listed belongs to the first tab."""


@router.get("/runs/{run}")
def run_page(request: Request, here: Here, run: str, tab: str | None = None) -> Response:
    opened = here.index.open(run)
    card = opened.card
    parts = parts_of(card.kind).run_parts(opened, request.query_params)
    tabs = tabs_of(opened, card, parts)
    current = next((one for one in tabs if one.id == tab), tabs[0])
    inside = [view for view in tabs if tab_of(view.id) == tab_of(current.id)]
    return page(
        request,
        "run.html",
        events=f"{run_link(card.id).replace('/runs/', '/api/v1/runs/', 1)}/events?after={card.event}&follow=true",
        crumbs=crumbs(("Runs", "/runs"), (card.id, None)),
        run=opened,
        card=card,
        look=run_look(card.state, card.text, here.jobs.idle_state(card.id)),
        notice=notice_of(card, datetime.now(UTC), here.jobs.idle_state(card.id)),
        facts=[*parts.facts, *facts_of(card)],
        tabs=tab_links(tabs, card, current),
        views=[_link(view, card.id, view is current) for view in inside] if len(inside) > 1 else [],
        tab=current,
        part=current.context or _context(here, opened, card, current.id, request.query_params),
        overview=overview_of(opened) if current.id == "overview" else None,
        progress=progress_shown(opened, card),
        sample=SAMPLES.get(card.kind) if is_sample(card.id) else None,
        place=here.jobs.place(card.id),
        at_work=len(here.jobs.at_work()),
        actions=_actions(here, opened, card),
        failure=here.jobs.error_of(card.id),
        seconds_left=here.jobs.seconds_left(card.id),
        published=published_of(opened) if card.state in DELIVERED else [],
        done=request.query_params.get("done"),
    )


def published_of(run: RunReader) -> list[tuple[str, str | None]]:
    """The published files: name and download address. A file outside the run's folder has its path as the name, and no
    address."""
    folder = run.view.folder
    return [(name, export_link(folder.id, name) if is_inside else None) for name, is_inside in run.view.published()]


@router.post("/runs/{run}/continue")
def continue_run(here: Here, run: str, fields: Fields) -> Response:
    """Resume a run, with a higher ceiling if one is given."""
    written = {name: fields[name] for name in ("max_cost", "max_tokens") if fields.get(name, "").strip()}
    raised = ceilings_of(here.loaded.settings, written)
    with here.signed("resumed", run):
        here.jobs.resume(run, ceilings={name: value for name in written if (value := raised[name]) is not None})
    return RedirectResponse(run_link(run, done="continue"), 303)


@router.post("/runs/{run}/approve")
def approve_run(request: Request, here: Here, run: str, fields: Fields) -> Response:
    by = name_of(request) or fields.get("name")
    if by is None:
        return ask_for_name(request, run_link(run, "approve"), {})
    with here.signed("approved", run):
        here.jobs.resume(run, approved_by=cleaned(by))
    return remembering(request, RedirectResponse(run_link(run, done="approve"), 303), by)


@router.post("/runs/{run}/pause")
def pause_run(here: Here, run: str) -> Response:
    """Pause the run. It resumes on request, or when the last waiting unit is decided."""
    with here.signed("paused", run):
        here.jobs.stop(run, "Paused")
    return RedirectResponse(run_link(run, done="pause"), 303)


@router.post("/runs/{run}/stop")
def stop_run(here: Here, run: str) -> Response:
    """Stop the run. It does not resume automatically."""
    with here.signed("stopped", run):
        here.jobs.cancel_resume(run)
        here.jobs.stop(run)
    return RedirectResponse(run_link(run, done="stop"), 303)


# -- tabs


def tabs_of(run: RunReader, card: RunCard, parts: RunParts) -> list[Tab]:
    """The views of the kind and those of every run; a view of the kind replaces the common one with the same id."""
    named = {tab.id for tab in parts.tabs}
    every = [*parts.tabs, *(tab for tab in _generic_tabs(run, card) if tab.id not in named)]
    order = [view for views in TABS.values() for view in views]
    return sorted(every, key=lambda tab: order.index(tab.id) if tab.id in order else len(TABS["overview"]))


def tab_of(view: str) -> str:
    """The tab that a view belongs to."""
    return next((tab for tab, views in TABS.items() if view in views), "overview")


def tab_links(views: Sequence[Tab], card: RunCard, current: Tab) -> list[Drawn]:
    """The tabs, at most four; each links to its first view."""
    links = []
    for tab in TABS:
        first = next((view for view in views if tab_of(view.id) == tab), None)
        if first is not None:
            label = {"overview": "Overview", "history": "History", "settings": "Settings"}.get(tab, first.label)
            links.append(_link(replace(first, label=label), card.id, tab == tab_of(current.id)))
    return links


def _generic_tabs(run: RunReader, card: RunCard) -> Sequence[Tab]:
    found = sum(rule.open for rule in run.findings_by_rule())
    named = f"{card.noun.capitalize() if card.noun.islower() else card.noun}s"
    # An experiment has no units, so it has no findings either.
    of_units = (
        Tab("units", named, "run_units.html", count=card.requested),
        Tab("findings", "Findings", "run_findings.html", count=found),
    )
    return (
        Tab("overview", "Overview", "run_overview.html"),
        *(() if card.task else of_units),
        Tab("events", "Events", "run_events.html"),
        Tab("settings", "Settings", "run_settings.html"),
    )


def _dismissing(run: RunReader) -> dict[str, Any]:
    """The rules that the visitor may dismiss in the run, and those that are."""
    kind = run.view.kind
    may = VISITOR.get().may("decide") and not (kind.is_whole or kind.is_phased)
    known = {check.id for check in kind.checks} | {rule.id for rule in kind.document_rules}
    return {
        "dismissible": known if may else frozenset(),
        "dismissed": dismissed_rules(run.view.journal),
    }


def _link(tab: Tab, run: str, current: bool) -> Drawn:
    return Drawn(
        id=tab.id,
        label=tab.label,
        href=run_link(run, tab=tab.id),
        count=tab.count,
        alarming=tab.alarming,
        current=current,
    )


def _context(here: Workplace, run: RunReader, card: RunCard, tab: str, query: Mapping[str, str]) -> Mapping[str, Any]:
    """The context of a common tab; only that of the current tab is computed."""
    if tab == "units":
        return units_context(run, card, query)
    if tab == "findings":
        return {
            "rules": rule_bars(run.findings_by_rule(), MOST_RULES),
            "right": {line.who: line for line in here.index.precision() if line.kind == card.kind},
            **_dismissing(run),
        }
    if tab == "events":
        return events_context(run, card, query)
    if tab == "settings":
        return {"parts": plan_parts(run.view.plan, redactor_of(here.loaded.settings)), "folder": run.view.folder.root}
    return {}


# -- head


def facts_of(card: RunCard) -> list[Fact]:
    """The facts that every run shows under its title."""
    tokens, cost = card.ceilings.get("max_tokens"), card.ceilings.get("max_cost")
    facts = [
        *([] if card.task else [Fact(f"{count(card.ready)} of {count(card.requested)}", "Ready")]),
        Fact(count(card.tokens) + (f" of {count(int(tokens))}" if tokens else ""), "Tokens"),
    ]
    if card.totals.calls:
        facts.append(Fact(money(card.cost) + (f" of {money(cost)}" if cost is not None else ""), "Money"))
    return facts


def _actions(here: Workplace, run: RunReader, card: RunCard) -> Drawn:
    is_ours = here.jobs.is_at_work(card.id) or here.jobs.place(card.id) is not None
    busy = is_ours or card.state == "working"
    may = VISITOR.get().may
    waiting = run.units(UnitFilter((run.view.kind.states.waiting,)), limit=MOST_LOOKED_AT) if card.waiting else None
    issues = waiting is None or card.waiting > MOST_LOOKED_AT or not all(line.document for line in waiting.lines)
    return Drawn(
        decide=card.waiting if may("decide") else 0,
        decide_words=count(card.waiting) if issues and run.view.kind.is_phased else plural(card.waiting, card.noun),
        goes_on=not busy and card.state in RESUMABLE and may("run"),
        approve_words="Approve and publish" if run.view.kind.is_phased else "Publish an empty file",
        approves=not busy and card.state == "waiting_for_approval" and may("run"),
        stops=is_ours and may("run"),
        deletes=not busy and may("admin"),
    )
