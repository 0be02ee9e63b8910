"""The lines of the candidate: where each paragraph stands in it, kept as one number a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from burnish.kinds.manuscripts.assembly import candidate_pieces
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.review.anchors import Placement


@dataclass(frozen=True)
class Lines:
    """The first line of every block in the candidate; 0 for one that is not in it."""

    starts: list[int]

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        return cls(facts.get("lines", []))

    def placement(self, paragraph: Paragraph) -> Placement | None:
        """Where a paragraph stands; None for one that is out of scope."""
        start = self.starts[paragraph.index - 1] if paragraph.index <= len(self.starts) else 0
        if not start:
            return None
        [(_, text, first, last)] = candidate_pieces([paragraph], start)
        return Placement(paragraph.id, paragraph.index, first, last, text)
