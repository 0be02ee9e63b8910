"""What changed in a unit, as a unified diff of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from burnish.app.terminal import Role, Screen, excerpt
from burnish.core.documents import Unit
from burnish.core.edits import changed_fields

CONTEXT = 1
"""Unchanged lines shown on either side of a change."""
ROLES: dict[str, Role] = {"+": "added", "-": "removed", " ": "plain"}


def show_diff(screen: Screen, before: Unit, after: Unit) -> None:
    """Print what changed in a unit: of a long line, only the words round the change."""
    screen.line(("removed", f"--- {before.id}"))
    screen.line(("added", f"+++ {after.id} (fixed)"))
    old, new = before.texts(), after.texts()
    for field in changed_fields(before, after):
        screen.line(("hunk", f"@@ {field or 'text'} @@"))
        for sign, line, span in _changed_lines(old[field], new[field]):
            _show_line(screen, sign, line, span)


def _show_line(screen: Screen, sign: str, line: str, span: tuple[int, int] | None) -> None:
    width = screen.width - 1
    shown = line if len(line) <= width else excerpt(line, span, width).line
    # Spaces at the end would be invisible, and they may be all that changed.
    bare = shown.rstrip(" ")
    screen.line((ROLES[sign], f"{sign}{bare}{'·' * (len(shown) - len(bare))}"))


def _changed_lines(old: str, new: str) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
    """Every line that went and every line that came, with the place in it where the texts differ, and their context."""
    head = alike(old, new)
    tail = min(alike(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    first = old.rfind("\n", 0, head) + 1
    last = new.find("\n", len(new) - tail)
    if first:
        yield " ", old[: first - 1].rpartition("\n")[2], None
    for sign, text in (("-", old), ("+", new)):
        end, start = max(len(text) - tail, head), first
        behind = text.find("\n", end)
        for line in text[first : len(text) if behind < 0 else behind].split("\n"):
            yield sign, line, (max(0, head - start), max(0, min(len(line), end - start)))
            start += len(line) + 1
    if last >= 0:
        yield " ", new[last + 1 :].partition("\n")[0], None


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
    head = alike(old, new)
    tail = min(alike(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    yield from (f" {line}" for line in old[max(0, head - CONTEXT) : head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :][:CONTEXT])


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters, or lines, both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
