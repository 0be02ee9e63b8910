"""What changed in a unit, as a unified diff of its fields."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from burnish.core.documents import Unit
from burnish.core.edits import changed_fields

CONTEXT = 1
"""Unchanged lines shown on either side of a change."""


def unified(before: Unit, after: Unit) -> Iterator[str]:
    """The lines of the diff, one hunk for each field that changed."""
    yield f"--- {before.id}"
    yield f"+++ {after.id} (fixed)"
    old, new = before.texts(), after.texts()
    for field in changed_fields(before, after):
        yield f"@@ {field or 'text'} @@"
        yield from _hunk(old[field].split("\n"), new[field].split("\n"))


def _hunk(old: list[str], new: list[str]) -> Iterator[str]:
    """From the first line that differs to the last. Linear, whatever the texts look like."""
    head = _same(old, new)
    tail = min(_same(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    yield from (f" {line}" for line in old[max(0, head - CONTEXT) : head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :][:CONTEXT])


def _same(one: list[str], other: list[str]) -> int:
    """How many lines are the same from the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
