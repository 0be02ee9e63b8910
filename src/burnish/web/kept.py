"""What a visitor sent and could not be taken in: it is shown again with the reason. Nothing that was written goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from burnish.web.kinds import Editor

EDIT = "text."
"""Before the names of an editor's fields in a form, so that none is taken for another field of it."""


@dataclass(frozen=True, slots=True)
class Kept:
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


def refilled(editor: Editor, kept: Kept | None) -> Editor:
    """The editor as a form shows it, with what was written in it where that is kept."""
    written = kept.values if kept is not None and kept.is_edit else {}
    fields = [replace(one, name=f"{EDIT}{one.name}", value=written.get(one.name, one.value)) for one in editor.fields]
    return replace(editor, fields=fields)
