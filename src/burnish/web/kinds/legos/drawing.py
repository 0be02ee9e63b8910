"""A SEED's cut as pages show it: drawn over both sentences, listed LEGO by LEGO, and beside another cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from burnish.core.findings import Severity
from burnish.kinds.legos.courses import Course
from burnish.kinds.legos.doubts import LEAST_SHOWN
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.guarantees import coverage_of
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.scoring import Extraction
from burnish.languages.tags import language_name
from burnish.web.diffing import diff
from burnish.web.kinds.legos.cuts import Cut, Tone, drawn
from burnish.web.kinds.legos.tries import Try
from burnish.web.pieces import Piece


@dataclass(frozen=True, slots=True)
class Tongues:
    """The two languages of a course."""

    source: str
    """As a tag: `en`."""
    target: str
    source_name: str
    target_name: str

    @classmethod
    def of(cls, course: Course) -> Tongues:
        tags = course.source_tag, course.target_tag
        return cls(*tags, *map(language_name, tags))


@dataclass(frozen=True, slots=True)
class LegoLine:
    """One LEGO in a list."""

    name: str
    """`S44L2`."""
    source: str
    target: str
    tone: Tone
    confidence: float
    """How sure it is that its halves say the same."""

    @property
    def is_doubtful(self) -> bool:
        return self.confidence < LEAST_SHOWN


@dataclass(frozen=True, slots=True)
class Drawing:
    """A cut of both sentences."""

    source: Cut
    target: Cut
    legos: tuple[LegoLine, ...]
    uncovered: tuple[str, ...]
    """Words that no LEGO may hold, and none does."""


@dataclass(frozen=True, slots=True)
class LegoChange:
    """One LEGO before and after: what is said of it in a row of the table."""

    name: str
    source: tuple[Piece, ...]
    target: tuple[Piece, ...]

    @property
    def is_changed(self) -> bool:
        return any(piece.change != "same" for piece in (*self.source, *self.target))


def drawing(seed: Seed, terms: Terms, *, label: str, made: Try | None = None, proposed: bool = False) -> Drawing:
    """The cut of a SEED. `made`: the attempt whose review says what is wrong with it; `proposed`: what has nothing
    against it is drawn as new."""
    tongues = Tongues.of(terms.course)
    found = made.tones() if made is not None else {}
    tones: dict[int, Tone] = {
        position: found.get(position, "new" if proposed else "plain") for position in range(1, len(seed.legos) + 1)
    }
    source = drawn(
        seed.source,
        [(lego.start, lego.end) for lego in seed.legos],
        label=f"{label}, {tongues.source_name}",
        lang=tongues.source,
        tones=tones,
        marked=_marked(seed, terms) if made is not None else {},
    )
    target = drawn(
        seed.target,
        [(lego.target_start, lego.target_end) for lego in seed.legos],
        label=f"{label}, {tongues.target_name}",
        lang=tongues.target,
        tones=tones,
    )
    lines = tuple(
        LegoLine(seed.provenance(position), lego.source, lego.target, tones[position], lego.confidence)
        for position, lego in enumerate(seed.legos, start=1)
    )
    return Drawing(source, target, lines, seed.uncovered)


def _marked(seed: Seed, terms: Terms) -> Mapping[int, Severity]:
    """Words of the source that break a rule by themselves: prepositions at an edge, and words that were forgotten."""
    if not seed.legos:
        return {}
    extraction = Extraction.of(seed, terms.tongue)
    marked: dict[int, Severity] = dict.fromkeys(coverage_of(extraction, terms.rule).missing, "error")
    for piece in extraction.pieces:
        broken = piece.violation(terms.tongue, terms.rule)
        if broken is not None and piece.words is extraction.words:
            marked[broken.place] = "critical"
    return marked


def changes(before: Seed, after: Seed) -> tuple[LegoChange, ...]:
    """Two cuts of a SEED, LEGO by LEGO: they are named by their places."""
    return tuple(
        LegoChange(after.provenance(position), *(diff(_half(old, half), _half(new, half)) for half in HALVES))
        for position, (old, new) in enumerate(zip_longest(before.legos, after.legos), start=1)
    )


HALVES = ("source", "target")


def _half(lego: Lego | None, half: str) -> str:
    return getattr(lego, half) if lego is not None else ""


def is_same_cut(one: Seed, other: Seed) -> bool:
    return [(lego.source, lego.target) for lego in one.legos] == [(lego.source, lego.target) for lego in other.legos]
