"""What a lexicon says of a whole paragraph: whether it is a translation of its source, and what of either is missing.

A gap is a run of words of one text without a counterpart in the other. Five things speak for one and are added up as
logarithms of likelihood: its words have no counterpart although those around them have; without them the lengths fit
better; it begins and ends with a sentence; as many sentences are missing as it has; and where it begins in
mid-sentence, the other text ends with a word that seldom stands at an end.
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
"""Words of both sides together that must be looked at before it is sure that they do not belong together."""
FEWEST_DOUBTED = 16
"""And before there is a doubt: short sentences are often translated freely."""
SURE_OF_SHORT = 0.98
"""The AUC from which on a lexicon is sure about fewer words than these as well."""
NEARER = 0.42
"""How far from exchanged pairs (0) to sound ones (1) the floor may lie at most. Sound news text scored .45 and more."""
SURE = 1.2
"""What is this much further below the mean than the worst of a hundred sound pairs is surely no translation."""


SHARED = 0.25
"""Where so many of the words of both sides have a counterpart, there is a doubt at most."""


FIRM, FIRMLY_MET = 5.0, 2
"""A pair of words that hardly ever meet by chance; so many of them on each side, and the two texts belong together: of
2,200 pairs that were shifted by one and stopped, 8 have as many, of 14 sound ones that were stopped 2."""


def floor(lexicon: Lexicon, looked_at: int, strictness: float = 1.0) -> float:
    """The score that a sound pair with so many words to look at hardly ever falls below.

    Text of another kind than the lexicon was learned from scores less, so it never lies nearer to sound pairs than to
    exchanged ones.
    """
    about = lexicon.about
    nearer = about["unrelated"] + NEARER * (about["mean"] - about["unrelated"])
    return float(min(about["mean"] + strictness * about["spread"] / looked_at**0.5, nearer))


@dataclass(frozen=True, slots=True)
class Relation:
    """How a text and its translation belong together."""

    compared: Comparison
    is_doubtful: bool
    """The translation hardly says anything of what its source says: fewer than one sound pair in a hundred is so."""
    is_none: bool
    """It is surely the translation of something else."""
    is_close: bool
    """It is nearer to sound pairs than to exchanged ones: what it says was looked at and is there."""


@lru_cache(maxsize=4)
def _compared(lexicon: Lexicon, source: str, target: str) -> Comparison:
    """Several rules ask about one pair."""
    return lexicon.compare(source, target)


def relation(lexicon: Lexicon, source: str, target: str) -> Relation | None:
    """What the lexicon says of the two; None where too little can be looked at."""
    compared = _compared(lexicon, source, target)
    if compared.score is None or compared.looked_at < FEWEST_WORDS or not compared.covers:
        return None
    doubtful, none = (compared.score < floor(lexicon, compared.looked_at, each) for each in (1.0, SURE))
    # Free translations keep a quarter of the words and more; texts that have nothing to do with each other seldom do.
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
"""Words that a translation must have, and the share of them that a lexicon knows, below which it is no text of its
language: of sound sentences none has less than .29, of made-up words hardly one in twenty is known."""


def is_gibberish(lexicon: Lexicon, source: str, target: str) -> bool:
    """Whether the source is made of known words, and hardly one of the translation is known or stands in the source."""
    compared = _compared(lexicon, source, target)
    ours, theirs = compared.words
    is_covered = 2 * len(compared.source) >= ours >= FEWEST_STRANGE
    return is_covered and theirs >= FEWEST_STRANGE and len(compared.target) < STRANGE * theirs


CHANCE = 0.12
"""The share of the words of a gap that have a counterpart by chance."""
USUAL = 20.0
"""What the usual share of a language weighs beside that of this text, in words."""
BESIDE = 0.5
"""What a word of the other text weighs beside one of this."""
LIKELIEST, UNLIKELIEST = 0.95, 0.25
LENGTHS, FREEDOM, ANY_LENGTH = 1.5, 15, 0.008
"""What lengths weigh; how thin the tails of their distribution are; the variance of long texts."""
WHOLE, AS_MANY, TOO_FEW = 0.6, 3.0, 0.5
"""For a gap of whole sentences; if it has as many as are missing; against one for each that is not."""
INNER, INSIDE = -2.0, -6.0
"""Against a gap that is not at the end: of whole sentences, and of parts of them. There are many places for those."""
FEWEST_AT_END = 2
"""Words that end both texts, so that nothing but a part inside can be missing."""
FEWEST_LOST, FEWEST_INSIDE = 2, 4
"""Words without a counterpart that a gap must have: at the end, and anywhere else."""


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
    """Its place in the text."""
    score: float
    """The logarithm of how much likelier the texts are with it than without."""
    is_whole: bool
    """Whether it is made of whole sentences."""


@dataclass(frozen=True)
class _Side:
    """What a lexicon and a reader of sentences see of one text."""

    words: list[tuple[Stem, bool]]
    """Words that can be looked at, and whether each has a counterpart in the other text."""
    usual: float
    """The share of them that have one, in a sound pair."""
    letters: list[int]
    """Letters of the text before each of the words, and of all of it."""
    sentences: list[int]
    """The first word of each sentence."""
    end: int
    """Where the text ends."""
    breaks_off: float
    """What its last word says for an end in mid-sentence, as a logarithm of likelihood."""

    @cached_property
    def met(self) -> list[int]:
        """How many words before each place have a counterpart."""
        return [0, *accumulate(is_met for _, is_met in self.words)]

    @cached_property
    def begun(self) -> list[int]:
        """How many sentences begin before each place."""
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
    """How much seldomer a text ends with the word than it should by the number of times that the word is met."""
    if not ends or word not in met:
        return 0.0
    usual = sum(ends.values()) / sum(met.values())
    found = (ends.get(word, 0.0) + FEW_MET * usual) / (met[word] + FEW_MET)
    return max(-LAST_WORD, min(LAST_WORD, math.log(usual / found)))


def ends_as_texts_do(text: str, language: str, other_language: str) -> bool | None:
    """Whether texts of the language end with the last word of this one, by the counts of the bilingual lexicon; None
    where that has not met the word often enough to say."""
    lexicon, words = lexicon_for(language, other_language), stems(text, language)
    if lexicon is None or not words:
        return None
    last = words[-1]
    if _unusual_end(last.text, lexicon.source_words, lexicon.source_ends) > SELDOM:
        return False
    # A stem says nothing of how the word goes on.
    return True if last.text in lexicon.source_ends and len(last.text) == _letters(last) else None


def _letters(stem: Stem) -> int:
    return stem.end - stem.start


@dataclass(frozen=True)
class _Possible:
    """The gaps that one text may have beside another."""

    text: _Side
    other: _Side
    ratio: float
    """The logarithm of how many letters the other text has for one of this."""
    spread: float

    def best(self) -> Gap | None:
        """The likeliest gap; None where there is none."""
        scored = [(self._score(run), run.start, run.stop) for run in self._candidates()]
        if not scored:
            return None
        score, start, stop = max(scored)
        # At the end of the text small words that are not looked at belong to it.
        end = self.text.end if stop == len(self.text.words) else self.text.words[stop - 1][0].end
        return Gap(self.text.words[start][0].start, end, score, self._is_whole(range(start, stop)))

    def _candidates(self) -> Iterator[range]:
        """Every end of the text, every sentence, and the run with the fewest counterparts."""
        met, count = self.text.met, len(self.text.words)
        firsts = [*self.text.sentences, count]
        ends = (range(start, count) for start in range(1, count))
        sentences = (range(*some) for some in pairwise(firsts))
        for run in (*ends, *sentences, self._emptiest()):
            # What was cut off takes its last words with it.
            ends_both = run.stop == count and met[count] - met[max(run.start, count - FEWEST_AT_END)] == FEWEST_AT_END
            if ends_both and not self._is_whole(run):
                continue
            lost = len(run) - (met[run.stop] - met[run.start])
            if len(run) < count and lost >= (FEWEST_LOST if run.stop == count else FEWEST_INSIDE):
                yield run

    def _emptiest(self) -> range:
        """The run of words that speaks most for a gap, in one pass (Kadane)."""
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
        """The share of words with a counterpart that is expected here: the usual one, as far as the rest has it."""
        others = self.other.met[-1], self.other.usual * len(self.other.words)
        better = (met + BESIDE * others[0] + USUAL) / (words * self.text.usual + BESIDE * others[1] + USUAL)
        return min(LIKELIEST, max(UNLIKELIEST, self.text.usual * better))

    def _length(self, letters: int) -> float:
        """How well so many letters fit the other text."""
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
            # The other text then ends in mid-sentence, and with some word that seldom stands at an end.
            worth += self.other.breaks_off
        return worth - TOO_FEW * max(0, gone - missing)


def _evidence(share: float) -> tuple[float, float]:
    """What a word without a counterpart and what one with it say about a gap."""
    return math.log((1 - CHANCE) / (1 - share)), math.log(CHANCE / share)


class Gaps(NamedTuple):
    """The likeliest gaps of a pair."""

    source: Gap | None
    """What the translation leaves out."""
    target: Gap | None
    """What it adds."""
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
    """The same by the lexicon of the two languages; None without one, and where the two do not belong together."""
    lexicon = lexicon_for(*languages, own)
    if lexicon is None or languages[0] == languages[1]:
        return None
    related = relation(lexicon, source, target)
    return None if related is None or related.is_doubtful else gaps(lexicon, source, target)
