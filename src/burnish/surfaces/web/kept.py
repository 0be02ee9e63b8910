"""What a visitor sent and could not be taken in: it is shown again with the reason. Nothing that was written is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from burnish.surfaces.web.kinds import Editor


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
    """The editor with what was written in it, where that is kept."""
    if kept is None or not kept.is_edit:
        return editor
    return replace(editor, fields=[replace(one, value=kept.values.get(one.name, one.value)) for one in editor.fields])
