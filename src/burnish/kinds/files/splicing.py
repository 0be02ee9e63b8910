"""Changing a text inside the form in which a file holds it, character by character and no more than that."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import regex

from burnish.kinds.files.stretches import differing_parts


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
