"""Changing a text inside the form in which a file holds it, character by character and no more than that."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

import regex

from burnish.languages.words import common_length

WORDS = regex.compile(r"\w+|\s|[^\w\s]")
COMPARABLE = 40_000
"""Words of the old text times words of the new one up to which words are matched one by one; beyond, one stretch is
exchanged."""


class Stretch(NamedTuple):
    """text[start:end] becomes new[new_start:new_end]."""

    start: int
    end: int
    new_start: int
    new_end: int


def differing_words(old: str, new: str) -> list[Stretch]:
    """The words that differ, without the letters that they share at their ends."""
    return [_narrowed(stretch, old, new) for stretch in _differing(old, new)]


def differing_parts(old: str, new: str) -> list[Stretch]:
    """The words that differ, found in the lines that differ: two changes far apart in a long text stay two."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = common_length(before, after)
    tail = common_length(before[head:][::-1], after[head:][::-1])
    middle, changed = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle) * len(changed) > COMPARABLE:
        return differing_words(old, new)
    start = sum(map(len, before[:head]))
    found: list[Stretch] = []
    for stretch in _between(middle, changed, start):
        old_part, new_part = old[stretch.start : stretch.end], new[stretch.new_start : stretch.new_end]
        found += (_moved(inner, stretch) for inner in differing_words(old_part, new_part))
    return found


def _moved(inner: Stretch, outer: Stretch) -> Stretch:
    return Stretch(
        inner.start + outer.start,
        inner.end + outer.start,
        inner.new_start + outer.new_start,
        inner.new_end + outer.new_start,
    )


def differing_lines(old: str, new: str) -> list[Stretch]:
    """From the first line that differs to the last one, whole lines."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    most = min(len(old_lines), len(new_lines)) - 1
    head = min(most, common_length(old_lines, new_lines))
    tail = min(most - head, common_length(old_lines[::-1], new_lines[::-1]))
    start = sum(len(line) + 1 for line in old_lines[:head])
    kept = sum(len(line) + 1 for line in old_lines[len(old_lines) - tail :])
    return [Stretch(start, len(old) - kept, start, len(new) - kept)]


def whole(old: str, new: str) -> list[Stretch]:
    """Everything."""
    return [Stretch(0, len(old), 0, len(new))]


def _differing(old: str, new: str) -> Iterator[Stretch]:
    if old == new:
        return
    before, after = WORDS.findall(old), WORDS.findall(new)
    head = common_length(before, after)
    tail = common_length(before[head:][::-1], after[head:][::-1])
    middle, changed = before[head : len(before) - tail], after[head : len(after) - tail]
    start = sum(map(len, before[:head]))
    if len(middle) * len(changed) > COMPARABLE:
        yield Stretch(start, start + sum(map(len, middle)), start, start + sum(map(len, changed)))
        return
    yield from _between(middle, changed, start)


def _between(middle: Sequence[str], changed: Sequence[str], start: int) -> Iterator[Stretch]:
    """The stretches that differ between two lists of parts, both of which begin at `start`."""
    old_at = [start, *(start + length for length in accumulate(map(len, middle)))]
    new_at = [start, *(start + length for length in accumulate(map(len, changed)))]
    for tag, a, b, c, d in SequenceMatcher(None, middle, changed, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Stretch(old_at[a], old_at[b], new_at[c], new_at[d])


def _narrowed(stretch: Stretch, old: str, new: str) -> Stretch:
    before, after = old[stretch.start : stretch.end], new[stretch.new_start : stretch.new_end]
    head = common_length(before, after)
    tail = common_length(before[head:][::-1], after[head:][::-1])
    return Stretch(stretch.start + head, stretch.end - tail, stretch.new_start + head, stretch.new_end - tail)


def with_blanks(stretches: Iterable[Stretch], old: str, new: str) -> list[Stretch]:
    """The stretches with the blanks beside them: where blanks collapse, these depend on their neighbours."""
    return list(_with_blanks(stretches, old, new))


def _with_blanks(stretches: Iterable[Stretch], old: str, new: str) -> Iterator[Stretch]:
    held: Stretch | None = None
    for start, end, new_start, new_end in stretches:
        while start > 0 and new_start > 0 and old[start - 1] == new[new_start - 1] and old[start - 1] in " \t\n\r\f":
            start, new_start = start - 1, new_start - 1
        while end < len(old) and new_end < len(new) and old[end] == new[new_end] and old[end] in " \t\n\r\f":
            end, new_end = end + 1, new_end + 1
        if held is not None and start <= held.end:
            held = Stretch(held.start, end, held.new_start, new_end)
            continue
        if held is not None:
            yield held
        held = Stretch(start, end, new_start, new_end)
    if held is not None:
        yield held


class Splice(NamedTuple):
    """Exchange text[start:end] for `new`."""

    start: int
    end: int
    new: str


class Coded(NamedTuple):
    """How a file holds a text."""

    units: regex.Pattern[str]
    """Finds, one after the other, what stands for exactly one character though it is written with several."""
    decode: Callable[[str], str]
    encode: Callable[[str], str]


def spliced(raw: str, new: str, coded: Coded) -> str:
    """`raw` with the fewest stretches exchanged so that it reads `new`; all others keep the form they have."""
    place_of = _places(raw, coded.units)
    pieces: list[str] = []
    done = 0
    for start, end, new_start, new_end in differing_parts(coded.decode(raw), new):
        pieces += (raw[done : place_of(start)], coded.encode(new[new_start:new_end]))
        done = place_of(end)
    return "".join((*pieces, raw[done:]))


def _places(raw: str, units: regex.Pattern[str]) -> Callable[[int], int]:
    """A function from positions in the text that is read to positions in its form."""
    after: list[int] = []
    shifts: list[int] = []
    shift = 0
    for match in units.finditer(raw):
        shift += match.end() - match.start() - 1
        after.append(match.end() - shift)
        shifts.append(shift)

    def place_of(position: int) -> int:
        index = bisect_right(after, position) - 1
        return position + (shifts[index] if index >= 0 else 0)

    return place_of


def applied(text: str, splices: list[Splice]) -> str:
    """The text after all splices, which do not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(splices):
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))
