"""The refinement of lessons, in the display types of the lessons' own contract."""

from __future__ import annotations

from burnish.api.shapes import Shape
from burnish.kinds.lessons.refinement.display import CLEVVotingResult, LessonInspectorDataRefinementExtension


class LessonRefinement(Shape):
    """One lesson."""

    document: str
    refinement: LessonInspectorDataRefinementExtension
    """The plan and its iterations; empty where nothing was ever planned."""
    votes: list[CLEVVotingResult]
    """How the panel voted: the first judging, then once for each iteration that was judged again."""


class Refinement(Shape):
    """All lessons of a run."""

    run: str
    documents: list[LessonRefinement]
