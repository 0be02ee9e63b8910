"""What the kinds' views of a run share: their tabs, and a page of units with filters that are links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from burnish.app.run_reader import UnitPage
from burnish.core.findings import SEVERITIES
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web.formatting import count, plural, sentence
from burnish.web.kinds import Tab
from burnish.web.labels import state_filters
from burnish.web.links import Given, run_link

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

PAGE = 25
"""Units on a page."""

EVERY_RUN_HAS = frozenset({"overview", "units", "findings", "events", "settings"})
"""Tabs of the page itself."""

Chip = tuple[str, str, int, bool]
"""Label, address, number, whether it is the one that is looked at: as the macro `chips` takes it."""


@dataclass(frozen=True, slots=True)
class UnitList:
    """Some units of a run."""

    page: UnitPage
    where: UnitFilter
    filters: tuple[Chip, ...]
    previous: str | None
    """The address of the page before."""
    next: str | None
    shown: str
    """Which of the units these are, in words."""
    all: str
    """The address without any filter."""


def filled_tabs(query: Mapping[str, str], *views: tuple[Tab, Callable[[], Mapping[str, Any]]]) -> list[Tab]:
    """The tabs of a kind: the one that is asked for gets its content, the others have only their labels. For a name
    that nobody knows it is the first."""
    asked, own = query.get("tab", ""), [tab.id for tab, _ in views]
    current = asked if asked in own or asked in EVERY_RUN_HAS else own[0]
    return [replace(tab, context={**tab.context, **content()} if tab.id == current else {}) for tab, content in views]


def unit_list(
    run: RunReader, query: Mapping[str, str], noun: str, *, tab: str = "units", limit: int = PAGE
) -> UnitList:
    """The units that the query asks for: its filters, and `after` or `before` a key."""
    where = UnitFilter.from_query(query)
    before = query.get("before")
    page = run.units(where, offset_key=before or query.get("after"), limit=limit, backwards=bool(before))

    def link(name: str, key: str | None) -> str | None:
        return _address(run, tab, where, {name: key}) if key is not None else None

    return UnitList(
        page,
        where,
        _filters(run, where, tab),
        previous=link("before", page.previous),
        next=link("after", page.next),
        shown=_shown(page, noun, where),
        all=_address(run, tab, replace(ALL, document=where.document)),
    )


def _address(run: RunReader, tab: str, where: UnitFilter, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """The list with this filter."""
    asked: dict[str, Given] = {"tab": tab, **{name: value for name, value in where.as_query() if name != "state"}}
    return run_link(run.view.folder.id, **{**asked, "state": where.states, **more})


def _filters(run: RunReader, where: UnitFilter, tab: str) -> tuple[Chip, ...]:
    """What every list offers, and those with something open by how bad it is."""
    base = replace(ALL, document=where.document)
    offered = [(label, replace(one, document=where.document), number) for label, one, number in state_filters(run.card)]
    offered += [(f"Open: {severity}", replace(base, severity=severity), None) for severity in SEVERITIES]
    chips = []
    for label, one, number in offered:
        total = number if number is not None and where.document is None else run.units(one, limit=1).total
        if total or one in (base, where):
            chips.append((label, _address(run, tab, one), total, one == where))
    if not any(current for *_, current in chips):
        chips.append((_in_words(where), _address(run, tab, where), run.units(where, limit=1).total, True))
    return tuple(chips)


def _in_words(where: UnitFilter) -> str:
    """A filter that no chip offers, by its values."""
    return ", ".join(value for name, value in where.as_query() if name != "document")


def _shown(page: UnitPage, noun: str, where: UnitFilter) -> str:
    total = plural(page.total, noun)
    if not page.lines:
        return f"No {noun} matches these filters."
    if where not in (ALL, replace(ALL, document=where.document)):
        return f"{count(len(page.lines))} of {total} that match"
    first, last = page.lines[0].position + 1, page.lines[-1].position + 1
    return f"{sentence(noun)}s {count(first)} to {count(last)}, {count(len(page.lines))} of {total}"
