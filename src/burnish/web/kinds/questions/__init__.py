"""Questions in the workbench: the item as a learner sees it, the correction beside it, and the bank as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from burnish.core.kinds import UnitStory
from burnish.web.kinds import FocusParts, Panel, RunParts, UnitParts
from burnish.web.kinds.names import lang_tag
from burnish.web.kinds.questions.editing import editor
from burnish.web.kinds.questions.tabs import facts_of, tabs_of
from burnish.web.kinds.questions.waiting import Waiting, facts, reason_words

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def run_parts(run: RunCatalogue, query: Mapping[str, str]) -> RunParts:
    """The questions one after the other, and the bank as a whole."""
    return RunParts(tabs=tabs_of(run, query), facts=tuple(facts_of(run)))


def unit_parts(run: RunCatalogue, story: UnitStory) -> UnitParts:
    """The item beside its correction, and what became of every finding."""
    waiting = Waiting(story, run.precision())
    return UnitParts(
        panels=[
            Panel("kinds/questions/item_panels.html", {"waiting": waiting}, id="diff"),
            Panel("kinds/questions/findings_panel.html", {"waiting": waiting}, id="findings"),
        ],
        lang=lang_tag(waiting.after.language_shown),
    )


def focus_parts(run: RunCatalogue, story: UnitStory) -> FocusParts:
    """Why the question waits, the item as it was handed in, and the correction that an acceptance would keep."""
    waiting = Waiting(story, run.precision())
    kind, worst = run.view.kind, waiting.worst
    return FocusParts(
        reason=tuple(reason_words(waiting, kind)),
        severity=worst.mark.severity if worst is not None else None,
        rule=worst.finding.rule if worst is not None else None,
        facts=tuple(facts(waiting, kind)),
        now=[
            Panel("kinds/questions/pair.html", {"waiting": waiting}),
            Panel("kinds/questions/findings.html", {"waiting": waiting}),
        ],
    )
