"""The long lists of a run, a page at a time: its units with their filters, its events newest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader
from burnish.store.filters import UnitFilter
from burnish.web.happenings import Happening, happening_of
from burnish.web.labels import look_of
from burnish.web.links import Given, run_link

UNITS_SHOWN = 50
EVENTS_SHOWN = 50


def units_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of the units that the filter in the query lets through."""
    where = UnitFilter.from_query(query)
    backwards = "before" in query
    found = run.units(
        where, offset_key=query.get("before") or query.get("after"), limit=UNITS_SHOWN, backwards=backwards
    )
    asked = filter_query(where)
    return {
        "page": found,
        "where": where,
        "chips": _state_chips(card, where),
        "narrowed": _narrowed(card, where),
        "asked": asked,
        "looks": {line.state: look_of(line.state, line.sort) for line in found.lines},
        "before": run_link(card.id, tab="units", **asked, before=found.previous) if found.previous else None,
        "after": run_link(card.id, tab="units", **asked, after=found.next) if found.next else None,
    }


def filter_query(where: UnitFilter, **changes: Given) -> dict[str, Given]:
    """A filter as the query of a link, with some of it changed."""
    asked: dict[str, Given] = {}
    for name, value in where.as_query():
        before = asked.get(name)
        asked[name] = (*before, value) if isinstance(before, tuple) else (value,)
    return {**asked, **changes}


def _state_chips(card: RunCard, where: UnitFilter) -> list[tuple[str, str, int | None, bool]]:
    def link(**changes: Given) -> str:
        return run_link(card.id, tab="units", **filter_query(where, **changes))

    chips: list[tuple[str, str, int | None, bool]] = [
        ("All", run_link(card.id, tab="units"), sum(card.counts.values()), where == UnitFilter())
    ]
    for part in card.parts:
        here = where.states == (part.state,)
        words = look_of(part.state, part.sort).words
        chips.append((words.capitalize(), link(state=None if here else part.state), part.count, here))
    chips.append(("Repaired", link(repaired=None if where.repaired else "1"), None, where.repaired))
    return chips


def _narrowed(card: RunCard, where: UnitFilter) -> list[tuple[str, str, str]]:
    """What else narrows the list: (name, value, the list without it)."""
    shown = {
        "rule": where.rule,
        "severity": where.severity,
        "cause": where.cause,
        "document": where.document,
        "text": where.text,
    }
    return [
        (name, value, run_link(card.id, tab="units", **filter_query(where, **{name: None})))
        for name, value in shown.items()
        if value
    ]


def events_context(run: RunReader, card: RunCard, query: Mapping[str, str]) -> dict[str, Any]:
    """Events newest first. The address of a page names its newest, so that it still shows the same tomorrow."""
    given = query.get("until", "")
    newest = min(int(given), card.event) if given.isdecimal() and len(given) < 19 and int(given) > 0 else card.event
    oldest = max(0, newest - EVENTS_SHOWN)
    events = list(run.view.journal.events(after=oldest, limit=newest - oldest)) if newest else []
    shown: list[Happening] = [happening_of(event, run.view.kind) for event in reversed(events)]
    return {
        "happenings": shown,
        "newest": newest,
        "oldest": oldest + 1,
        "total": card.event,
        "before": run_link(card.id, tab="events", until=min(card.event, newest + EVENTS_SHOWN))
        if newest < card.event
        else None,
        "after": run_link(card.id, tab="events", until=oldest) if oldest else None,
    }
