"""What judges read at once: windows of several short units or a piece of a long one, and the lesson as a whole.

Which units share a window is fixed at the first judging: an edit in one of them changes one window and no other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from burnish.core.hashing import digest, text_digest
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.refinement.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.requests import bones, titled

WINDOW = 6_000
"""Characters that a judge reads closely at once."""
LONG = WINDOW * 5 // 4
"""A unit that is longer is read in pieces."""

Groups = tuple[tuple[str, ...], ...]
"""The ids of the units that share a window, window by window."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A unit as it is shown, or a piece of a long one."""

    unit: LessonUnit
    text: str
    """With the unit's id on top."""
    words: int
    number: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """What a judge reads closely at once."""

    pieces: tuple[Piece, ...]

    @property
    def units(self) -> tuple[LessonUnit, ...]:
        return tuple(piece.unit for piece in self.pieces)

    @property
    def text(self) -> str:
        return "\n\n".join(piece.text for piece in self.pieces)

    @property
    def key(self) -> str:
        return text_digest(self.text)


def group_units(units: Iterable[LessonUnit]) -> Groups:
    """Neighbours that share a window. Windows are about equally long, so that no edit has the most to be read again."""
    groups: list[tuple[str, ...]] = []
    run: list[LessonUnit] = []
    for unit in units:
        if len(titled(unit)) <= LONG:
            run.append(unit)
            continue
        groups += [*_packed(run), (unit.id,)]
        run = []
    return (*groups, *_packed(run))


def _packed(units: Sequence[LessonUnit]) -> list[tuple[str, ...]]:
    """As few windows as hold the units, filled alike."""
    sizes = [len(titled(unit)) for unit in units]
    share = sum(sizes) / max(1, math.ceil(sum(sizes) / WINDOW))
    groups: list[list[str]] = []
    size, before = 0, 0
    for unit, length in zip(units, sizes, strict=True):
        # A unit belongs to the window in which its middle lies, as long as there is room.
        is_next = before + length / 2 > share * len(groups)
        if not groups or is_next or size + length > WINDOW:
            groups.append([])
            size = 0
        groups[-1].append(unit.id)
        size += length
        before += length
    return [tuple(group) for group in groups]


def windows(lesson: Lesson, groups: Groups) -> list[Window]:
    """The windows of a version of the lesson."""
    found = []
    for group in groups:
        units = [lesson.unit(id) for id in group]
        if len(units) == 1:
            found += [Window((piece,)) for piece in _pieces(units[0])]
        else:
            found.append(Window(tuple(piece for unit in units for piece in _pieces(unit, cut=False))))
    return found


def _pieces(unit: LessonUnit, *, cut: bool = True) -> list[Piece]:
    texts = windows_of(unit.text) if cut and unit.is_plain else [unit.text]
    if len(texts) == 1:
        return [Piece(unit, titled(unit), unit.words)]
    return [
        Piece(unit, titled(unit, text), unit.with_text(None, text).words, number, len(texts))
        for number, text in enumerate(texts)
    ]


def windows_of(text: str, size: int = WINDOW) -> list[str]:
    """A text in pieces that end where paragraphs do; one paragraph that is longer is cut at a space."""
    found: list[str] = []
    start = 0
    while len(text) - start > size * 5 // 4:
        cut = text.rfind("\n\n", start + size // 2, start + size)
        if cut < 0:
            cut = text.rfind(" ", start + size // 2, start + size)
        end = cut if cut > 0 else start + size
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def whole_key(lesson: Lesson) -> str:
    """Changes with every word: who has read the whole has read this version of it."""
    return digest("whole", lesson.title, [[unit.id, unit.title, unit.content_hash] for unit in lesson.units])


def parts(lesson: Lesson, most: int) -> list[tuple[LessonUnit, ...]]:
    """The lesson in as few parts of at most so many characters as there need be; a longer unit is a part alone."""
    found: list[list[LessonUnit]] = []
    size = 0
    for unit in lesson.units:
        length = len(titled(unit))
        if not found or size + length > most:
            found.append([])
            size = 0
        found[-1].append(unit)
        size += length
    return [tuple(part) for part in found]


def outline_with_seams(lesson: Lesson, parts: Sequence[Sequence[LessonUnit]]) -> str:
    """What the structure of a lesson in parts is judged by: titles, headings, and how each part leads to the next."""
    ends = [(before[-1], after[0]) for before, after in pairwise(parts)]
    seams = [
        f"{one.id} ends:\n{last_sentences(one.text)}\n{other.id} begins:\n{first_sentences(other.text)}"
        for one, other in ends
    ]
    return "\n\n".join([bones(lesson), *seams])
