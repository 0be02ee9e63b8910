"""What can be shown of a unit. Where its text is away (the file was moved, or is another one by now), all that the
journal has of it is still there, and so are the units before and behind it."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.app.catalogue import RunCatalogue
from burnish.core.errors import SourceUnavailable
from burnish.core.kinds import UnitStory
from burnish.web.kept import Kept
from burnish.web.kinds import FocusParts, KindParts, UnitParts, generic_parts, parts_of
from burnish.web.wording import in_words, sentence


@dataclass(frozen=True, slots=True)
class Known:
    """A unit, and the views that can be drawn of it."""

    run: RunCatalogue
    story: UnitStory
    """Where the text is away, with a source that is empty."""
    parts: KindParts
    """The kind's own; where the text is away, those that do without."""
    away: SourceUnavailable | None = None
    """Why the text cannot be shown."""

    @classmethod
    def of(cls, run: RunCatalogue, unit: str) -> Known:
        """NotFound for a unit that is not in the run."""
        try:
            return cls(run, run.story(unit), parts_of(run.view.plan.kind))
        except SourceUnavailable as away:
            return cls(run, run.story_without_source(unit), generic_parts(), away)

    def without_editor(self, kept: Kept | None) -> list[tuple[str, str]]:
        """Label and text of what somebody wrote, where no editor can hold it. Nothing where one does."""
        if self.away is None or kept is None or not kept.is_edit:
            return []
        return [(sentence(in_words(name)), text) for name, text in kept.values.items()]

    def focus(self) -> FocusParts:
        return self.parts.focus_parts(self.run, self.story)

    def unit(self) -> UnitParts:
        return self.parts.unit_parts(self.run, self.story)
