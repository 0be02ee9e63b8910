"""Manuscripts in the workbench: source and translation side by side, the gate, and the candidate's map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from burnish.app.catalogue import UnitFilter
from burnish.core.errors import StateCorrupt
from burnish.web.kinds import Fact, RunParts, Tab
from burnish.web.kinds.listing import PAGE, looked_at, unit_list
from burnish.web.kinds.manuscripts.gate import blocked_rows, gate_view, not_ready
from burnish.web.kinds.manuscripts.map_view import map_view
from burnish.web.kinds.manuscripts.pairs import pair_rows
from burnish.web.kinds.manuscripts.tongues import tongues_of
from burnish.web.kinds.manuscripts.unit import editor, focus_parts, unit_parts
from burnish.web.links import run_link

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]

ON_OVERVIEW = 8
"""Paragraphs that are shown under the overview."""

ROWS = 25
"""Blocked paragraphs on a page of the gate."""

View = Callable[["RunCatalogue", Mapping[str, str]], dict[str, Any]]


def run_parts(run: RunCatalogue, query: Mapping[str, str]) -> RunParts:
    """The overview with the first paragraphs, all paragraphs, the gate and the candidate's map."""
    card = run.card
    views: dict[str, tuple[str, View, int | None]] = {
        "overview": ("Overview", _overview, None),
        "units": ("Paragraphs", _paragraphs, sum(card.counts.values())),
        "gate": ("Gate report", _gate, None),
        "map": ("Candidate map", _map, None),
    }
    current = looked_at(query, list(views))
    tabs = [
        Tab(
            id,
            label,
            f"kinds/manuscripts/{id}.html",
            {"run_id": card.id, "tongues": tongues_of(run), **view(run, query)} if id == current else {},
            count,
        )
        for id, (label, view, count) in views.items()
    ]
    return RunParts(tabs, (Fact(tongues_of(run).words, "Languages"),))


def _overview(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    return _listed(run, query, ON_OVERVIEW)


def _paragraphs(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    return _listed(run, query, PAGE)


def _listed(run: RunCatalogue, query: Mapping[str, str], limit: int) -> dict[str, Any]:
    shown = unit_list(run, query, "paragraph", limit=limit)
    return {"list": shown, "pairs": pair_rows(run, shown.page.lines)}


def _gate(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    where = UnitFilter(states=not_ready(run))
    before = query.get("before")
    page = run.units(where, offset_key=before or query.get("after"), limit=ROWS, backwards=bool(before))
    return {
        "gate": gate_view(run),
        "blocked": blocked_rows(run, page.lines),
        "total": page.total,
        "previous": run_link(run.view.folder.id, tab="gate", before=page.previous) if page.previous else None,
        "next": run_link(run.view.folder.id, tab="gate", after=page.next) if page.next else None,
    }


def _map(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    try:
        return {"map": map_view(run, query), "broken": None}
    except StateCorrupt as broken:
        return {"map": None, "broken": broken}
