"""A unit with the views of its kind; and a form that was rejected, which is shown again with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from burnish.app.run_reader import RunReader
from burnish.core.presentation import UnitStory
from burnish.web.kinds import Editor, FocusParts, KindParts, UnitParts, parts_of


@dataclass(frozen=True, slots=True)
class UnitAccess:
    """A unit, and the views that can be drawn of it."""

    run: RunReader
    story: UnitStory
    parts: KindParts

    @classmethod
    def of(cls, run: RunReader, unit: str) -> UnitAccess:
        """NotFound for a unit that is not in the run."""
        return cls(run, run.story(unit), parts_of(run.view.plan.kind))

    def focus(self) -> FocusParts:
        return self.parts.focus_parts(self.run, self.story)

    def unit(self) -> UnitParts:
        return self.parts.unit_parts(self.run, self.story)


EDIT = "text."
"""Before the names of an editor's fields in a form, so that none is taken for another field of it."""


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """A decision that was not put into effect."""

    run: str
    unit: str
    verdict: Literal["accept", "edit", "reject", "undo"]
    message: str
    hint: str | None = None
    note: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    """Field of the editor -> what was written in it."""

    @property
    def is_edit(self) -> bool:
        return self.verdict == "edit" and bool(self.values)


def refilled(editor: Editor, kept: RejectedForm | None) -> Editor:
    """The editor as a form shows it, with what was written in it where that is kept."""
    written = kept.values if kept is not None and kept.is_edit else {}
    fields = [replace(one, name=f"{EDIT}{one.name}", value=written.get(one.name, one.value)) for one in editor.fields]
    return replace(editor, fields=fields)
