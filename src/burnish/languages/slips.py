"""A slip: one small thing wrong in a text, where exactly, and what would mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from burnish.core.findings import Severity

MOST_SLIPS = 200
"""Slips of one sort that are told of one text: who has more of them does not need them listed one by one."""

_CONTEXT = (0, 8, 24, 60, 160, 400, 1000)
"""Characters taken along on each side until the words stand only once in the text."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One thing wrong between `start` and `end` of a text."""

    start: int
    end: int
    message: str
    suggestion: str
    replacement: str | None = None
    """What a safe fix puts in place of the span; None where only an author can tell."""
    severity: Severity = "error"


def at_most(slips: Iterable[Slip]) -> Iterator[Slip]:
    """The first slips of a text, few enough to be looked at."""
    return islice(slips, MOST_SLIPS)


def exchange(text: str, start: int, end: int, replacement: str) -> tuple[str, str] | None:
    """The span with as much of its surroundings as makes it unique, and the same with the replacement in it.

    None where even a long stretch around it stands twice: then nothing can be said to be the place.
    """
    for around in _CONTEXT:
        left, right = max(0, start - around), min(len(text), end + around)
        find = text[left:right]
        if find and text.find(find, text.find(find) + 1) < 0:
            return find, text[left:start] + replacement + text[end:right]
    return None
