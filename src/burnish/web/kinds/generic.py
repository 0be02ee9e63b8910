"""Views that do for every kind: the reason with its words marked, the texts of the unit, and a text to edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from burnish.core.presentation import UnitStory
from burnish.web.kinds import EditField, Editor, FocusParts, Panel, RunParts, UnitParts
from burnish.web.kinds.reasons import focus_on, kept_draft, kept_findings, reason_words
from burnish.web.spans import marked_fields, numbered

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

ROWS = 8
"""How high a field for a long text begins."""
SHORT = 80
"""A text that is no longer is a line."""


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """Nothing beside what every run has."""
    return RunParts()


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """Nothing beside what every unit has."""
    return UnitParts()


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """The worst finding, or else the reason for which the unit waits; and its texts with everything marked."""
    texts = kept_draft(run.view.kind, story).texts()
    fields = marked_fields(texts, numbered(texts, kept_findings(story)))
    now = (Panel("kinds/generic/texts.html", {"fields": fields}, "Current text"),) if fields else ()
    return focus_on(run.view.kind, story, lambda worst: reason_words(worst, texts, None), now=now)


def editor(story: UnitStory) -> Editor:
    """One field for each text of the unit as the original has it."""
    fields = [
        EditField(name or "text", name or "Text", text, rows=1 if name and len(text) <= SHORT else ROWS)
        for name, text in story.source.texts().items()
    ]
    return Editor(fields, lambda values: "\n\n".join(values.get(one.name, "") for one in fields))
