"""A cut, drawn: the words of a sentence in a row, and below them a bar for each LEGO from its first word to its last.

Each word carries its own stretch of every bar. So a long sentence wraps on a narrow screen and the bars wrap with it,
in whichever direction the language runs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from burnish.core.findings import Severity
from burnish.kinds.legos.words import Word, words_of

Tone = Literal["plain", "bad", "doubt", "new"]
"""How a bar is drawn: a LEGO like others, one that blocks, one with a lesser concern, one that is proposed."""
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
    bars = _bars(shown, places[:MOST_BARS], tones or {})
    under = _under(bars, len(shown))
    marked = marked or {}
    cut = tuple(
        CutWord(part, lanes, marked.get(at), spaced)
        for at, ((part, spaced), lanes) in enumerate(zip(_with_marks(text, shown), under, strict=True))
    )
    return Cut(cut, lang, label, bars, left_out)


def _bars(words: Sequence[Word], places: Sequence[Place], tones: Mapping[int, Tone]) -> tuple[Bar, ...]:
    starts, ends = [word.start for word in words], [word.end for word in words]
    found = []
    for position, (start, end) in enumerate(places, start=1):
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        if start >= 0 and first < last:
            found.append(Bar(f"L{position}", first, last, tones.get(position, "plain")))
    return tuple(found)


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
