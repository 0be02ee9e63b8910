"""Source material: cut into passages with stable ids, and searched by the words they share with a claim (BM25)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the source that a claim can be held against."""

    id: str
    """`name#p0003`: the file's name and the passage's position in it."""
    text: str
    source: str
    """The file's name."""
    line: int
    """Where it begins, 1-based."""
