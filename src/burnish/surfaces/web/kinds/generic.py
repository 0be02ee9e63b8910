"""Views that do for every kind: the unit as its kind shows it to a person, and a text to edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from burnish.core.kinds import UnitStory
from burnish.surfaces.web.kinds import EditField, Editor, FocusParts, RunParts, UnitParts, Words

if TYPE_CHECKING:
    from burnish.surfaces.catalogue import RunCatalogue


def run_parts(run: RunCatalogue, query: Mapping[str, str]) -> RunParts:
    """Nothing beside what every run has."""
    return RunParts()


def unit_parts(run: RunCatalogue, story: UnitStory) -> UnitParts:
    """Nothing beside what every unit has."""
    return UnitParts()


def focus_parts(run: RunCatalogue, story: UnitStory) -> FocusParts:
    """The reason for which the unit waits."""
    return FocusParts(reason=(Words(story.row.reason or "It waits for a person."),))


def editor(story: UnitStory) -> Editor:
    """One field for each text of the unit."""
    texts = story.source.texts()
    fields = [EditField(name=name or "text", label=name or "Text", value=text) for name, text in texts.items()]
    return Editor(fields=fields, text_of=lambda values: "\n".join(values.get(one.name, "") for one in fields))
