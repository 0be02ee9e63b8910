"""A cut, drawn: the words of a sentence in a row, and below them a bar for each LEGO from its first word to its last.

Each word carries its own stretch of every bar. So a long sentence wraps on a narrow screen and the bars wrap with it,
in whichever direction the language runs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from burnish.core.findings import Severity
from burnish.kinds.legos.evidence import MISALIGNED
from burnish.kinds.legos.model import Course, Lego, Seed, Word, words_of
from burnish.kinds.legos.pieces import Extraction
from burnish.kinds.legos.placement import coverage_of
from burnish.kinds.legos.resources import Terms
from burnish.languages.tags import language_name
from burnish.web.kinds.legos.attempts import SeedAttempt, Tone
from burnish.web.pieces import Piece, diff

Place = tuple[int, int]
"""Where a LEGO stands in its sentence, in characters; -1 where it does not stand there."""

MOST_WORDS, MOST_BARS = 200, 60
"""What is drawn of one sentence: a page never waits for a text."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One LEGO over one sentence."""

    name: str
    """`L2`."""
    first: int
    end: int
    """Its words; end exclusive."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a bar that lies under one word."""

    name: str
    tone: Tone
    opens: bool
    """The bar begins here: its name stands in this stretch."""
    closes: bool


@dataclass(frozen=True, slots=True)
class CutWord:
    """A word with what lies under it."""

    text: str
    """As it stands in the sentence, with the marks around it."""
    lanes: tuple[Stretch | None, ...]
    """One place for each row of bars; None: nothing lies there."""
    severity: Severity | None = None
    """How the word itself is marked."""
    spaced: bool = True
    """Whether a blank follows it in the sentence."""

    @property
    def is_loose(self) -> bool:
        """Whether no LEGO holds it."""
        return not any(self.lanes)


@dataclass(frozen=True, slots=True)
class Cut:
    """One sentence and the LEGOs over it."""

    words: tuple[CutWord, ...]
    lang: str | None
    label: str
    """What is drawn: `Now, English`."""
    bars: tuple[Bar, ...]
    left_out: int = 0
    """Words that are not drawn any more."""

    @property
    def told(self) -> str:
        """The bars in words, for whoever does not see them."""
        return "; ".join(f"{bar.name}: {self._words(bar)}" for bar in self.bars) or "no LEGO"

    def _words(self, bar: Bar) -> str:
        return " ".join(word.text for word in self.words[bar.first : bar.end])


def drawn(
    sentence: str,
    places: Sequence[Place],
    *,
    label: str,
    lang: str | None = None,
    tones: Mapping[int, Tone] | None = None,
    marked: Mapping[int, Severity] | None = None,
) -> Cut:
    """A sentence with its LEGOs, which are named L1, L2, ... by their positions.

    `tones`: position -> how the bar is drawn. `marked`: place of a word, counted from 0, -> how it is marked.
    """
    words = words_of(sentence)
    shown = words[:MOST_WORDS]
    left_out = len(words) - len(shown)
    text = sentence[: words[MOST_WORDS].start] if left_out else sentence
    starts, ends = [word.start for word in shown], [word.end for word in shown]
    found = []
    for position, (start, end) in enumerate(places[:MOST_BARS], start=1):
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        if start >= 0 and first < last:
            found.append(Bar(f"L{position}", first, last, (tones or {}).get(position, "plain")))
    bars = tuple(found)
    under = _under(bars, len(shown))
    marked = marked or {}
    cut = tuple(
        CutWord(part, lanes, marked.get(at), spaced)
        for at, ((part, spaced), lanes) in enumerate(zip(_with_marks(text, shown), under, strict=True))
    )
    return Cut(cut, lang, label, bars, left_out)


def _under(bars: Sequence[Bar], words: int) -> list[tuple[Stretch | None, ...]]:
    """What lies under each word, row by row."""
    lanes = _lanes(bars)
    most = max(lanes, default=-1) + 1
    under: list[list[Stretch | None]] = [[None] * most for _ in range(words)]
    for bar, lane in zip(bars, lanes, strict=True):
        for at in range(bar.first, bar.end):
            under[at][lane] = Stretch(bar.name, bar.tone, at == bar.first, at == bar.end - 1)
    return [tuple(row) for row in under]


def _lanes(bars: Sequence[Bar]) -> list[int]:
    """Which row each bar lies in: the first that is free where it begins."""
    ends: list[int] = []
    lanes = [0] * len(bars)
    for number, bar in sorted(enumerate(bars), key=lambda one: (one[1].first, one[1].end)):
        lanes[number] = next((lane for lane, end in enumerate(ends) if end <= bar.first), len(ends))
        ends[lanes[number] : lanes[number] + 1] = [bar.end]
    return lanes


def _with_marks(sentence: str, words: Sequence[Word]) -> list[tuple[str, bool]]:
    """Every word with the marks that lean on it, and whether a blank follows."""
    cuts = [0, *(_between(sentence, one.end, other.start) for one, other in pairwise(words)), len(sentence)]
    stretches = [sentence[start:end] for start, end in pairwise(cuts)] if words else []
    return [(text.strip(), text != text.rstrip()) for text in stretches]


def _between(sentence: str, end: int, start: int) -> int:
    """Where the marks between two words part: behind the first blank, and without one before the second word."""
    gap = sentence[end:start]
    blank = next((at for at, letter in enumerate(gap) if letter.isspace()), None)
    return start if blank is None else start - len(gap[blank:].lstrip())


@dataclass(frozen=True, slots=True)
class CourseLanguages:
    """The two languages of a course."""

    source: str
    """As a tag: `en`."""
    target: str
    source_name: str
    target_name: str

    @classmethod
    def of(cls, course: Course) -> CourseLanguages:
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
        return self.confidence < MISALIGNED


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


def drawing(
    seed: Seed, terms: Terms, *, label: str, made: SeedAttempt | None = None, proposed: bool = False
) -> Drawing:
    """The cut of a SEED. `made`: the attempt whose review says what is wrong with it; `proposed`: what has nothing
    against it is drawn as new."""
    languages = CourseLanguages.of(terms.course)
    found = made.tones() if made is not None else {}
    tones: dict[int, Tone] = {
        position: found.get(position, "new" if proposed else "plain") for position in range(1, len(seed.legos) + 1)
    }
    source = drawn(
        seed.source,
        [(lego.start, lego.end) for lego in seed.legos],
        label=f"{label}, {languages.source_name}",
        lang=languages.source,
        tones=tones,
        marked=_marked(seed, terms) if made is not None else {},
    )
    target = drawn(
        seed.target,
        [(lego.target_start, lego.target_end) for lego in seed.legos],
        label=f"{label}, {languages.target_name}",
        lang=languages.target,
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
    extraction = Extraction.of(seed, terms.profile)
    marked: dict[int, Severity] = dict.fromkeys(coverage_of(extraction, terms.rule).missing, "error")
    for piece in extraction.pieces:
        broken = piece.violation(terms.profile, terms.rule)
        if broken is not None and piece.words is extraction.words:
            marked[broken.place] = "critical"
    return marked


def changes(before: Seed, after: Seed) -> tuple[LegoChange, ...]:
    """Two cuts of a SEED, LEGO by LEGO: they are named by their places."""
    return tuple(
        LegoChange(
            after.provenance(position), *(diff(_half(old, half), _half(new, half)) for half in ("source", "target"))
        )
        for position, (old, new) in enumerate(zip_longest(before.legos, after.legos), start=1)
    )


def _half(lego: Lego | None, half: str) -> str:
    return getattr(lego, half) if lego is not None else ""


def is_same_cut(one: Seed, other: Seed) -> bool:
    return [(lego.source, lego.target) for lego in one.legos] == [(lego.source, lego.target) for lego in other.legos]
