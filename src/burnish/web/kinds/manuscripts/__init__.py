"""Manuscripts in the workbench: source and translation side by side, the gate, and the candidate's map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from burnish.core.errors import StateCorrupt
from burnish.store.unit_queries import UnitFilter
from burnish.web.kinds import Fact, RunParts, Tab
from burnish.web.kinds.generic import PAGE, filled_tabs, unit_list
from burnish.web.kinds.manuscripts.candidate_map import map_view
from burnish.web.kinds.manuscripts.gate import blocked_rows, gate_view, not_ready
from burnish.web.kinds.manuscripts.paragraphs import columns_of, editor, focus_parts, pair_rows, unit_parts
from burnish.web.links import run_link

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]

ON_OVERVIEW = 8
"""Paragraphs that are shown under the overview."""

ROWS = 25
"""Blocked paragraphs on a page of the gate."""


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The overview with the first paragraphs, all paragraphs, the gate and the candidate's map."""
    columns, total = columns_of(run), sum(run.card.counts.values())
    shared = {"run_id": run.card.id, "columns": columns}
    folder = "kinds/manuscripts"
    tabs = filled_tabs(
        query,
        (Tab("overview", "Overview", f"{folder}/overview.html", shared), lambda: _listed(run, query, ON_OVERVIEW)),
        (Tab("units", "Paragraphs", f"{folder}/units.html", shared, total), lambda: _listed(run, query, PAGE)),
        (Tab("gate", "Gate report", f"{folder}/gate.html", shared), lambda: _gate(run, query)),
        (Tab("map", "Candidate map", f"{folder}/map.html", shared), lambda: _map(run, query)),
    )
    return RunParts(tabs, (Fact(columns.label, "Languages"),))


def _listed(run: RunReader, query: Mapping[str, str], limit: int) -> dict[str, Any]:
    shown = unit_list(run, query, "paragraph", limit=limit)
    return {"list": shown, "pairs": pair_rows(run, shown.page.lines)}


def _gate(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
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


def _map(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
    try:
        return {"map": map_view(run, query), "broken": None}
    except StateCorrupt as broken:
        return {"map": None, "broken": broken}
