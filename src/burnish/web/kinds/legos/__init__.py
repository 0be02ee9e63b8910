"""LEGO courses in the workbench: cuts over the words of both sentences, what was tried, how the course stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from burnish.core.kinds import UnitStory
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.kind import LegosKind
from burnish.web.kinds import FocusParts, Panel, RunParts, UnitParts
from burnish.web.kinds.legos.editing import editor
from burnish.web.kinds.legos.focus import Waiting, facts, reason_words, worst_of
from burnish.web.kinds.legos.proposing import ready_cut
from burnish.web.kinds.legos.tabs import facts_of, tabs_of

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def run_parts(run: RunCatalogue, query: Mapping[str, str]) -> RunParts:
    """The course, its SEEDs, and what its prompts have learnt."""
    terms = _terms(run)
    return RunParts(tabs=tabs_of(run, query, terms), facts=tuple(facts_of(run, terms)))


def unit_parts(run: RunCatalogue, story: UnitStory) -> UnitParts:
    """The cut that stands beside the one that the course holds, and every attempt with its own."""
    waiting = Waiting.of(story, _terms(run))
    tongues = waiting.tongues
    fields = {f"L{position}" for position in range(1, len(waiting.stands.legos) + 1)}
    return UnitParts(
        panels=[
            Panel("kinds/legos/cuts_panel.html", {"waiting": waiting}, id="diff"),
            Panel("kinds/legos/tries_panel.html", {"waiting": waiting}, id="findings"),
        ],
        lang=tongues.source,
        languages={f"{field}.target": tongues.target for field in fields},
    )


def focus_parts(run: RunCatalogue, story: UnitStory) -> FocusParts:
    """Why the SEED waits, the cut that is there, and the one that an acceptance would keep."""
    waiting = Waiting.of(story, _terms(run))
    worst = worst_of(waiting)
    cut = Panel("kinds/legos/cut.html", {"waiting": waiting})
    change = Panel("kinds/legos/change.html", {"waiting": waiting})
    ready = ready_cut(run, waiting)
    offer = Panel("kinds/legos/proposal.html", {"proposal": ready}) if ready is not None else None
    return FocusParts(
        reason=tuple(reason_words(run.view.kind, waiting)),
        severity=worst.severity if worst is not None else None,
        rule=worst.rule if worst is not None else None,
        facts=tuple(facts(run.view.kind, waiting)),
        earlier=sum(one.is_earlier for one in waiting.tries),
        now=[cut, change] if waiting.stands.legos and not waiting.is_sound and offer is None else [cut],
        proposed=[change] if waiting.is_sound else [offer] if offer is not None else (),
    )


def _terms(run: RunCatalogue) -> Terms:
    kind = run.view.kind
    assert isinstance(kind, LegosKind), "a course's run"
    return kind.terms
