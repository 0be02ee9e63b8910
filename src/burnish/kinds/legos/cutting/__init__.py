"""The built-in extractor: cuts a sentence pair into LEGOs without a model.

The same score that reviews LEGOs chooses them. Always kept: both halves are parts of their sentences and agree with the
word alignment, every LEGO obeys the Iron Rule, and every word is covered that a lawful LEGO can reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from burnish.kinds.legos.cutting.closures import Closures
from burnish.kinds.legos.cutting.lawful import Lawful
from burnish.kinds.legos.cutting.parts import Aligned, Part, Parts
from burnish.kinds.legos.cutting.seams import seams_of
from burnish.kinds.legos.cutting.search import Board, verbs_over
from burnish.kinds.legos.habits import HabitCounter, Habits
from burnish.kinds.legos.iron_rule import IronRule, Span
from burnish.kinds.legos.model import NOWHERE, Lego
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.kinds.legos.phrases import Half, Phrases
from burnish.kinds.legos.scoring import WEIGHTS
from burnish.kinds.legos.scoring.consistency import spread, spread_score
from burnish.kinds.legos.tongues import Tongue
from burnish.kinds.legos.words import Word, words_of

Links = Sequence[tuple[int, int]]
_SIZES = (None, 3, 4, 5)
"""Even sizes to try, beside none in particular."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence pair in LEGOs."""

    legos: tuple[Lego, ...]
    """By where they begin."""
    uncovered: tuple[str, ...]
    """Words at the edges of the sentence that no lawful LEGO reaches."""
    spans: tuple[Span, ...] = ()
    """Of every LEGO its words in the source: the first, and the one behind the last."""


def cut(
    words: Sequence[Word],
    target_words: Sequence[Word] | None,
    source: str,
    target: str,
    links: Links,
    tongue: Tongue,
    habits: Habits | None,
    rule: IronRule,
) -> Cut:
    """The LEGOs of a sentence pair, by its words and the links between them. Without target words only the source is
    cut. Habits are those of the course: without them the sentence is cut as if it were the only one."""
    words = tuple(words)
    target_words = None if target_words is None else tuple(target_words)
    verbs = tuple(multi_word_verbs(words, tongue))
    lawful = Lawful(words, tongue, rule, verbs)
    aligned = None if target_words is None else _aligned(words, target_words, links, lawful)
    parts = Parts(words, tongue, verbs, lawful, seams_of(words, tongue, habits), aligned)
    chosen = _chosen(parts, habits) or _whole(parts, target_words)
    legos = tuple(_lego(part, words, target_words, source, target) for part in chosen)
    out = [place for place in range(len(words)) if not lawful.first <= place < lawful.end]
    spans = tuple((part.first, part.end) for part in chosen)
    return Cut(legos, tuple(words[place].text for place in out), spans)


def first_habits(pairs: Iterable[tuple[str, str, Links]], tongue: Tongue, rule: IronRule) -> Habits:
    """How a course cuts its neighbouring words if each sentence pair is cut by itself: what `cut` then follows.

    `pairs`: source, target and the links between their words.
    """
    counter = HabitCounter()
    for source, target, links in pairs:
        words = words_of(source)
        counter.add(words, cut(words, words_of(target), source, target, links, tongue, None, rule).spans)
    return counter.habits()


def _aligned(words: Sequence[Word], target_words: Sequence[Word], links: Links, lawful: Lawful) -> Aligned:
    """What words that stay uncovered say is no business of the LEGOs beside them."""
    kept = tuple(link for link in links if lawful.first <= link[0] < lawful.end)
    return Aligned(Phrases(words, target_words, kept), Closures(len(words), len(target_words), kept))


def _chosen(parts: Parts, habits: Habits | None) -> tuple[Part, ...]:
    """The best of several sets of parts, each the best for one size; nothing where no set covers the sentence."""
    lawful = parts.lawful
    board = Board(lawful.first, lawful.end, parts.beginning_at, verbs_over(parts.verbs))
    found = [board.best(size) for size in _SIZES]
    return max(found, key=lambda chosen: _worth(chosen, parts, board, habits)) if lawful.first < lawful.end else ()


def _worth(chosen: Sequence[Part], parts: Parts, board: Board, habits: Habits | None) -> float:
    """The mean value of the parts, and what only the whole set shows: even sizes and the habits of the course."""
    if not chosen:
        return float("-inf")
    joints = sum(board.joint(before.end, part) for before, part in pairwise(chosen))
    spans = [(part.first, part.end) for part in chosen]
    agreement = habits.agreement(parts.words, spans) if habits is not None else 1.0
    even = 0.5 * spread_score(spread([part.size for part in chosen])) + 0.5 * 10 * agreement
    return (sum(part.value for part in chosen) - joints) / len(chosen) + WEIGHTS["consistency"] * even


def _whole(parts: Parts, target_words: tuple[Word, ...] | None) -> tuple[Part, ...]:
    """All that a LEGO can reach in one: where nothing shows which words say the same."""
    first, end = parts.lawful.first, parts.lawful.end
    if first >= end or target_words == ():
        return ()
    half = parts.aligned.phrases.half(first, end) if parts.aligned is not None else None
    if half is None and target_words is not None:
        half = Half(0, len(target_words), 0.0)
    return (Part(first, end, half, 0.0),)


def _lego(part: Part, words: Sequence[Word], target_words: Sequence[Word] | None, source: str, target: str) -> Lego:
    start, end = words[part.first].start, words[part.end - 1].end
    if part.half is None or target_words is None:
        return Lego(source[start:end], "", start, end, NOWHERE, NOWHERE)
    target_start, target_end = target_words[part.half.first].start, target_words[part.half.end - 1].end
    halves = source[start:end], target[target_start:target_end]
    return Lego(*halves, start, end, target_start, target_end, round(part.half.confidence, 3))
