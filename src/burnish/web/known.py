"""A unit, and the views of its kind that can be drawn of it."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.app.run_reader import RunReader
from burnish.core.kinds import UnitStory
from burnish.web.kinds import FocusParts, KindParts, UnitParts, parts_of


@dataclass(frozen=True, slots=True)
class Known:
    """A unit, and the views that can be drawn of it."""

    run: RunReader
    story: UnitStory
    parts: KindParts

    @classmethod
    def of(cls, run: RunReader, unit: str) -> Known:
        """NotFound for a unit that is not in the run."""
        return cls(run, run.story(unit), parts_of(run.view.plan.kind))

    def focus(self) -> FocusParts:
        return self.parts.focus_parts(self.run, self.story)

    def unit(self) -> UnitParts:
        return self.parts.unit_parts(self.run, self.story)
