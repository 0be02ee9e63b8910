"""Anchors: which paragraphs an issue is about that names lines of the candidate, or quotes it.

The order is that of the contract: a range of lines, else a line, else a quote. Only the first of them that is given
counts. Where it points at nothing, the issue is a mapping error, even if a lower one would lead somewhere: a reviewer
that is wrong about the line may be wrong about the rest, and an issue on the wrong paragraph hides two faults.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Placement(NamedTuple):
    """Where one paragraph stands in the candidate."""

    paragraph_id: str
    paragraph_index: int
    start_line: int
    """1-based."""
    end_line: int
    """The last line that is the paragraph's."""
    text: str
    """The block as it stands in the candidate, markers included."""


class Anchored(Protocol):
    """Anything with the anchors of an issue: a critic's reply, a row of a file."""

    @property
    def line(self) -> int | None: ...
    @property
    def start_line(self) -> int | None: ...
    @property
    def end_line(self) -> int | None: ...
    @property
    def quote(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Mapped:
    """The paragraphs that an issue belongs to, in order; at least one."""

    paragraph_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MappingError:
    """Why an issue belongs to no paragraph."""

    reason: str


class LineMap:
    """The candidate, or a window of it, by its lines."""

    def __init__(self, placements: Iterable[Placement]) -> None:
        self.placements: Sequence[Placement] = sorted(placements, key=lambda one: (one.start_line, one.paragraph_index))
        self._starts = [one.start_line for one in self.placements]
        self._ends = [one.end_line for one in self.placements]
        self._ids = frozenset(one.paragraph_id for one in self.placements)

    @property
    def paragraph_ids(self) -> tuple[str, ...]:
        return tuple(one.paragraph_id for one in self.placements)

    def resolve(self, anchor: Anchored) -> Mapped | MappingError:
        """The paragraphs that the anchor points at."""
        start, end = anchor.start_line, anchor.end_line
        if start is not None or end is not None:
            # One end of a range alone is the line that it names.
            return self._by_range(start if start is not None else end, end if end is not None else start)
        if anchor.line is not None:
            return self._by_line(anchor.line)
        if anchor.quote is not None and anchor.quote.strip():
            return self._by_quote(anchor.quote)
        return MappingError("The issue names no line and quotes nothing.")

    def named(self, paragraph_id: str) -> Mapped | MappingError:
        """The paragraph of this id, for reviewers that know our ids."""
        if paragraph_id in self._ids:
            return Mapped((paragraph_id,))
        return MappingError(f"There is no paragraph {paragraph_id!r} here.")

    def _by_range(self, start: int | None, end: int | None) -> Mapped | MappingError:
        if start is None or end is None or start > end:
            return MappingError(f"The lines {start} to {end} are no range.")
        found = self._overlapping(start, end)
        return Mapped(found) if found else MappingError(f"No paragraph stands on the lines {start} to {end}.")

    def _by_line(self, line: int) -> Mapped | MappingError:
        found = self._overlapping(line, line)
        return Mapped(found) if found else MappingError(f"No paragraph stands on line {line}.")

    def _overlapping(self, start: int, end: int) -> tuple[str, ...]:
        """Blocks follow each other without overlapping, so their ends are in order as their starts are."""
        first, behind = bisect_left(self._ends, start), bisect_right(self._starts, end)
        return tuple(one.paragraph_id for one in self.placements[first:behind])

    def _by_quote(self, quote: str) -> Mapped | MappingError:
        """Of several paragraphs that hold it, the first: placements are sorted by line, then by index."""
        for one in self.placements:
            if quote in one.text:
                return Mapped((one.paragraph_id,))
        return MappingError("The quoted words stand in no paragraph.")
