"""Comparison of a whole paragraph with its translation by a lexicon: whether they belong together, and what is missing.

A gap is a run of words of one text without a counterpart in the other. Five signs of a gap are added up as logarithms
of likelihood: its words have no counterpart although those around them have; without them the lengths fit better; it
begins and ends with a sentence; as many sentences are missing as it has; and if it begins in mid-sentence, the other
text ends with a word that rarely ends a text.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from burnish.languages.lexicon import Comparison, Lexicon, Stem, is_trusted, letters_of, lexicon_for, stems
from burnish.languages.sentences import sentences_in

FEWEST_WORDS = 10
"""The fewest judged words, of both sides together, for an error that the texts do not belong together."""
FEWEST_DOUBTED = 16
"""The fewest for a doubt: short sentences are often translated freely."""
SURE_OF_SHORT = 0.98
"""The AUC that a lexicon needs to be sure with fewer words than that."""
NEARER = 0.42
"""The highest floor, on a scale from exchanged pairs (0) to sound ones (1). Sound news text scored .45 and more."""
SURE = 1.2
"""How many times further below the mean than the worst of a hundred sound pairs a score must be for an error."""


SHARED = 0.25
"""If this share of the words of both sides has a counterpart, there is at most a doubt."""


FIRM, FIRMLY_MET = 5.0, 2
"""The weight of words that hardly ever meet by chance, and how many of them on each side prove that the texts belong
together: of 2,200 shifted pairs with an error 8 have as many, of 14 sound pairs with an error 2."""


def floor(lexicon: Lexicon, looked_at: int, strictness: float = 1.0) -> float:
    """The score that a sound pair with `looked_at` judged words hardly ever falls below.

    Text unlike that from which the lexicon was learned scores lower, so the floor is never nearer to sound pairs than
    to exchanged ones.
    """
    about = lexicon.about
    nearer = about["unrelated"] + NEARER * (about["mean"] - about["unrelated"])
    return float(min(about["mean"] + strictness * about["spread"] / looked_at**0.5, nearer))


@dataclass(frozen=True, slots=True)
class Relation:
    """Whether a text and its translation belong together."""

    compared: Comparison
    is_doubtful: bool
    """Whether the translation has hardly anything of its source, like fewer than one sound pair in a hundred."""
    is_none: bool
    """Whether it is surely the translation of something else."""
    is_close: bool
    """Whether it is nearer to sound pairs than to exchanged ones: its content was judged and is there."""


@lru_cache(maxsize=4)
def _compared(lexicon: Lexicon, source: str, target: str) -> Comparison:
    """Cached, because several rules compare the same pair."""
    return lexicon.compare(source, target)


def relation(lexicon: Lexicon, source: str, target: str) -> Relation | None:
    """The relation of two texts by the lexicon; None if too few words can be judged."""
    compared = _compared(lexicon, source, target)
    if compared.score is None or compared.looked_at < FEWEST_WORDS or not compared.covers:
        return None
    doubtful, none = (compared.score < floor(lexicon, compared.looked_at, each) for each in (1.0, SURE))
    # Free translations keep a quarter of the words or more; unrelated texts rarely do.
    shares = [compared.share(side) or 0.0 for side in ("source", "target")]
    is_enough = compared.looked_at >= FEWEST_DOUBTED or lexicon.about["auc"] >= SURE_OF_SHORT
    is_none = none and is_trusted(lexicon) and min(shares) < SHARED and is_enough
    is_doubtful = is_none or (doubtful and compared.looked_at >= FEWEST_DOUBTED)
    firm = [{stem.text for stem, weight in side if weight >= FIRM} for side in (compared.source, compared.target)]
    if min(map(len, firm)) >= FIRMLY_MET:
        is_none = is_doubtful = False
    halfway = (lexicon.about["mean"] + lexicon.about["unrelated"]) / 2
    return Relation(compared, is_doubtful, is_none, compared.score >= halfway)


FEWEST_STRANGE, STRANGE = 8, 0.2
"""The fewest words of a translation, and the share of them known to the lexicon below which it is not in its language:
no sound sentence has less than .29, and of made-up words hardly one in twenty is known."""


def is_gibberish(lexicon: Lexicon, source: str, target: str) -> bool:
    """Whether the source has mostly known words, and hardly a word of the translation is known or in the source."""
    compared = _compared(lexicon, source, target)
    ours, theirs = compared.words
    is_covered = 2 * len(compared.source) >= ours >= FEWEST_STRANGE
    return is_covered and theirs >= FEWEST_STRANGE and len(compared.target) < STRANGE * theirs


CHANCE = 0.12
"""The share of the words of a gap that have a counterpart by chance."""
USUAL = 20.0
"""The weight of the usual share of a language against that of this text, in words."""
BESIDE = 0.5
"""The weight of a word of the other text against one of this text."""
LIKELIEST, UNLIKELIEST = 0.95, 0.25
LENGTHS, FREEDOM, ANY_LENGTH = 1.5, 15, 0.008
"""The weight of lengths; the degrees of freedom of their distribution; the variance of long texts."""
WHOLE, AS_MANY, TOO_FEW = 0.6, 3.0, 0.5
"""Bonus for a gap of whole sentences; bonus if as many are missing; penalty for each that is not missing."""
INNER, INSIDE = -2.0, -6.0
"""Penalty for a gap that is not at the end, for there are many such places: of whole sentences, of parts of them."""
FEWEST_AT_END = 2
"""If this many last words have counterparts, the end is not missing."""
FEWEST_LOST, FEWEST_INSIDE = 2, 4
"""The fewest words without a counterpart in a gap: at the end, and anywhere else."""


LAST_WORD, FEW_MET, SELDOM = 3.0, 5.0, 1.0
"""What the last word of a text can say for or against an end in mid-sentence; how often the usual word was met; from
where on it says that the text goes on."""
FAIR_AUC = 0.95
FEWEST_KNOWN = 0.53
"""The share of words with a counterpart in sound pairs, of both sides, from which on a lexicon is sure about gaps."""


Counts = Mapping[str, float]


class Gap(NamedTuple):
    """A run of words of one text without a counterpart in the other."""

    start: int
    end: int
    """The span in the text."""
    score: float
    """The logarithm of how much likelier the texts are with the gap than without."""
    is_whole: bool
    """Whether it is made of whole sentences."""


@dataclass(frozen=True)
class _Side:
    """One text of a pair, with its words and sentences."""

    words: list[tuple[Stem, bool]]
    """Words that can be judged, and whether each has a counterpart in the other text."""
    usual: float
    """The share of them that have one, in a sound pair."""
    letters: list[int]
    """The letters before each of the words, and of the whole text."""
    sentences: list[int]
    """The index of the first word of each sentence."""
    end: int
    """Where the text ends."""
    breaks_off: float
    """The logarithm of likelihood, by its last word, that the text ends in mid-sentence."""

    @cached_property
    def met(self) -> list[int]:
        """The number of words before each place that have a counterpart."""
        return [0, *accumulate(is_met for _, is_met in self.words)]

    @cached_property
    def begun(self) -> list[int]:
        """The number of sentences that begin before each place."""
        firsts = set(self.sentences)
        return [0, *accumulate(place in firsts for place in range(len(self.words)))]


def _side(
    text: str, language: str, words: list[tuple[Stem, bool]], usual: float, counts: tuple[Counts, Counts]
) -> _Side:
    every = stems(text, language)
    letters = dict(zip((stem.start for stem in every), accumulate(map(_letters, every), initial=0), strict=False))
    starts = [stem.start for stem, _ in words]
    firsts = {bisect_left(starts, sentence.start) for sentence in sentences_in(text, language)} | {0}
    return _Side(
        words,
        usual or UNLIKELIEST,
        [*(letters[start] for start in starts), letters_of(every)],
        sorted(firsts - {len(words)}),
        len(text.rstrip()),
        _unusual_end(every[-1].text, *counts) if every else 0.0,
    )


def _unusual_end(word: str, met: Counts, ends: Counts) -> float:
    """The logarithm of how much more rarely a text ends with the word than its frequency predicts."""
    if not ends or word not in met:
        return 0.0
    usual = sum(ends.values()) / sum(met.values())
    found = (ends.get(word, 0.0) + FEW_MET * usual) / (met[word] + FEW_MET)
    return max(-LAST_WORD, min(LAST_WORD, math.log(usual / found)))


def ends_as_texts_do(text: str, language: str, other_language: str) -> bool | None:
    """Whether texts of the language end with the last word of this one, by the counts of the bilingual lexicon; None if
    the word is too rare to decide."""
    lexicon, words = lexicon_for(language, other_language), stems(text, language)
    if lexicon is None or not words:
        return None
    last = words[-1]
    if _unusual_end(last.text, lexicon.source_words, lexicon.source_ends) > SELDOM:
        return False
    # A cut stem does not show the rest of the word.
    return True if last.text in lexicon.source_ends and len(last.text) == _letters(last) else None


def _letters(stem: Stem) -> int:
    return stem.end - stem.start


@dataclass(frozen=True)
class _Possible:
    """The gaps that one text may have against another."""

    text: _Side
    other: _Side
    ratio: float
    """The logarithm of the letters of the other text for each letter of this one."""
    spread: float

    def best(self) -> Gap | None:
        """The likeliest gap; None if there is no candidate."""
        scored = [(self._score(run), run.start, run.stop) for run in self._candidates()]
        if not scored:
            return None
        score, start, stop = max(scored)
        # A gap at the end includes the small words that are not judged.
        end = self.text.end if stop == len(self.text.words) else self.text.words[stop - 1][0].end
        return Gap(self.text.words[start][0].start, end, score, self._is_whole(range(start, stop)))

    def _candidates(self) -> Iterator[range]:
        """Every end of the text, every sentence, and the run with the fewest counterparts."""
        met, count = self.text.met, len(self.text.words)
        firsts = [*self.text.sentences, count]
        ends = (range(start, count) for start in range(1, count))
        sentences = (range(*some) for some in pairwise(firsts))
        for run in (*ends, *sentences, self._emptiest()):
            # If the end were cut off, the last words would have no counterpart.
            ends_both = run.stop == count and met[count] - met[max(run.start, count - FEWEST_AT_END)] == FEWEST_AT_END
            if ends_both and not self._is_whole(run):
                continue
            lost = len(run) - (met[run.stop] - met[run.start])
            if len(run) < count and lost >= (FEWEST_LOST if run.stop == count else FEWEST_INSIDE):
                yield run

    def _emptiest(self) -> range:
        """The run of words with the most evidence for a gap, in one pass (Kadane)."""
        best, run, start, total = 0.0, range(0), 0, 0.0
        lost, kept = _evidence(self.text.usual)
        for place, (_, is_met) in enumerate(self.text.words):
            if total <= 0:
                start, total = place, 0.0
            total += kept if is_met else lost
            if total > best:
                best, run = total, range(start, place + 1)
        return run

    def _score(self, run: range) -> float:
        met, letters = self.text.met, self.text.letters
        inside = met[run.stop] - met[run.start]
        lost, kept = _evidence(self._share(met[-1] - inside, len(self.text.words) - len(run)))
        left = letters[-1] - letters[run.stop] + letters[run.start]
        lengths = self._length(left) - self._length(letters[-1])
        return (len(run) - inside) * lost + inside * kept + LENGTHS * lengths + self._sentences(run)

    def _share(self, met: int, words: int) -> float:
        """The expected share of words with a counterpart: the usual one, adjusted to the rest of the texts."""
        others = self.other.met[-1], self.other.usual * len(self.other.words)
        better = (met + BESIDE * others[0] + USUAL) / (words * self.text.usual + BESIDE * others[1] + USUAL)
        return min(LIKELIEST, max(UNLIKELIEST, self.text.usual * better))

    def _length(self, letters: int) -> float:
        """The log likelihood of this number of letters beside the other text."""
        found = self.other.letters[-1] or 1
        apart = math.log(found / max(1, letters)) - self.ratio
        variance = ANY_LENGTH + self.spread / max(1, min(letters, found))
        return -(FREEDOM + 1) / 2 * math.log1p(apart * apart / variance / FREEDOM)

    def _is_whole(self, run: range) -> bool:
        begun = self.text.begun
        return begun[run.start + 1] > begun[run.start] and (
            run.stop == len(self.text.words) or begun[run.stop + 1] > begun[run.stop]
        )

    def _sentences(self, run: range) -> float:
        begun, firsts = self.text.begun, self.text.sentences
        missing = len(firsts) - len(self.other.sentences)
        inside = begun[run.stop] - begun[run.start]
        is_whole = self._is_whole(run)
        gone = inside if is_whole else max(0, inside - 1)
        worth = WHOLE + (AS_MANY if missing == gone else 0.0) if is_whole else 0.0
        if run.stop < len(self.text.words):
            worth += INNER if is_whole else INSIDE
        elif not is_whole:
            # The other text then ends in mid-sentence, with a word that rarely ends a text.
            worth += self.other.breaks_off
        return worth - TOO_FEW * max(0, gone - missing)


def _evidence(share: float) -> tuple[float, float]:
    """The log likelihood of a gap from a word without a counterpart, and from a word with one."""
    return math.log((1 - CHANCE) / (1 - share)), math.log(CHANCE / share)


class Gaps(NamedTuple):
    """The likeliest gaps of a pair."""

    source: Gap | None
    """A passage that the translation leaves out."""
    target: Gap | None
    """A passage that it adds."""
    is_trusted: bool
    """Whether the lexicon was measured to be good enough, and knows enough words, to stop something."""
    is_fair: bool = False
    """Whether it is good enough for what is beyond doubt."""


def gaps(lexicon: Lexicon, source: str, target: str) -> Gaps:
    about = lexicon.about
    compared = _compared(lexicon, source, target).sure(about["length"])
    counts = (lexicon.source_words, lexicon.source_ends), (lexicon.target_words, lexicon.target_ends)
    ours = _side(source, lexicon.source, compared[0], about["shares"][0], counts[0])
    theirs = _side(target, lexicon.target, compared[1], about["shares"][1], counts[1])
    left_out = _Possible(ours, theirs, about["length"], about["length_spread"]).best()
    added = _Possible(theirs, ours, -about["length"], about["length_spread"]).best()
    is_sure = is_trusted(lexicon) and sum(about["shares"]) >= 2 * FEWEST_KNOWN
    return Gaps(left_out, added, is_sure, about["auc"] >= FAIR_AUC)


@lru_cache(maxsize=8)
def gaps_of(source: str, target: str, languages: tuple[str, str], own: Lexicon | None = None) -> Gaps | None:
    """The same by the lexicon for the two languages; None without one, or if the texts do not belong together."""
    lexicon = lexicon_for(*languages, own)
    if lexicon is None or languages[0] == languages[1]:
        return None
    related = relation(lexicon, source, target)
    return None if related is None or related.is_doubtful else gaps(lexicon, source, target)
