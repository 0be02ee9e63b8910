"""Facts about a course as a whole: which words are translations of each other, its best cut, which pairs recur, and its
habits: which neighbouring words it keeps together and which it separates.

The facts are computed once from all sentence pairs, before the first cut, and stored in the journal. Habits are
counted again from the LEGOs in use: a learner who met "want to" in one piece yesterday should not find it cut in two
today. For every pair of neighbouring words in two SEEDs or more, they count how often a LEGO holds both words, and how
often none does. They are sums, so the order of the SEEDs does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from burnish.kinds.legos.cutter import CourseCutter, CutSpans, uses, with_cut
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, Word, words_of
from burnish.kinds.legos.phrases import LONGEST, AlignedSeed, Languages, Span
from burnish.kinds.legos.placement import Sentence, spans_of
from burnish.kinds.legos.soundness import CutSeed, Signs, soundness
from burnish.languages.alignment import Links, SureLinks, as_record, counted, from_record, sure_links

Pair = tuple[str, str]
"""Two neighbouring words, in their bare form."""
FEWEST_SEEDS = 2
"""In fewer SEEDs a pair is not a pattern."""


class Against(NamedTuple):
    """A pair of neighbours that most of the course treats differently."""

    place: int
    """The index of the first of the two words."""
    pair: Pair
    joined: bool
    """Whether a LEGO holds both here."""


class Habit(NamedTuple):
    """How a course treats one pair of neighbours."""

    joined: int
    parted: int

    @property
    def share_joined(self) -> float:
        return self.joined / (self.joined + self.parted)

    def others_alike(self, joined: bool) -> float | None:
        """The share of the other occurrences that are treated like this one; None if there are no others."""
        others = self.joined + self.parted - 1
        alike = (self.joined if joined else self.parted) - 1
        # A cut that is newer than the habits is not among those counted, so this may fall below zero.
        return max(alike, 0) / others if others > 0 else None


@dataclass(frozen=True)
class Habits:
    """How a course treats its pairs of neighbours."""

    pairs: Mapping[Pair, Habit]

    def share_joined(self, left: str, right: str) -> float | None:
        """The share of occurrences in which the course keeps two neighbours together; None if it has no habit."""
        habit = self.pairs.get((left, right))
        return habit.share_joined if habit is not None else None

    def agreement(self, words: Sequence[Word], spans: Sequence[Span]) -> float:
        """How closely a SEED follows the habits of the course, from 0 to 1: for each pair the share of its other
        occurrences that are treated alike, averaged over all pairs with a habit. 1 if there is no such pair."""
        shares = [share for *_, share in self._shares(words, spans)]
        return sum(shares) / len(shares) if shares else 1.0

    def against(self, words: Sequence[Word], spans: Sequence[Span]) -> tuple[Against, ...]:
        """The pairs that most of the course treats differently, in order."""
        return tuple(
            Against(place, pair, joined) for place, pair, joined, share in self._shares(words, spans) if share < 0.5
        )

    def _shares(self, words: Sequence[Word], spans: Sequence[Span]) -> Iterator[tuple[int, Pair, bool, float]]:
        for place, pair, joined in neighbours(words, spans):
            habit = self.pairs.get(pair)
            share = habit.others_alike(joined) if habit is not None else None
            if share is not None:
                yield place, pair, joined, share

    def as_record(self) -> dict[str, Any]:
        """`{"want to": [3, 1]}`, sorted by the words. Bare words hold no blank."""
        return {" ".join(pair): list(self.pairs[pair]) for pair in sorted(self.pairs)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls({_pair(key): Habit(*counts) for key, counts in record.items()})


@dataclass
class HabitCounter:
    """Counts how the SEEDs of a course are cut."""

    _joined: Counter[Pair] = field(default_factory=Counter)
    _parted: Counter[Pair] = field(default_factory=Counter)
    _seeds: Counter[Pair] = field(default_factory=Counter)

    def add(self, words: Sequence[Word], spans: Sequence[Span]) -> None:
        """Count one more SEED."""
        seen: set[Pair] = set()
        for _, pair, joined in neighbours(words, spans):
            (self._joined if joined else self._parted)[pair] += 1
            seen.add(pair)
        self._seeds.update(seen)

    def habits(self) -> Habits:
        """The habits of the SEEDs counted so far."""
        often = [pair for pair, seeds in self._seeds.items() if seeds >= FEWEST_SEEDS]
        return Habits({pair: Habit(self._joined[pair], self._parted[pair]) for pair in sorted(often)})


def neighbours(words: Sequence[Word], spans: Sequence[Span]) -> Iterator[tuple[int, Pair, bool]]:
    """Every pair of neighbouring words with the place of the first, and whether a LEGO holds both. A word in no LEGO is
    counted as neither joined to its neighbours nor parted from them."""
    reach = reaches(len(words), spans)
    for place in range(len(words) - 1):
        if reach[place] and reach[place + 1]:
            yield place, (words[place].bare, words[place + 1].bare), reach[place] > place + 1


def reaches(count: int, spans: Sequence[Span]) -> list[int]:
    """For each word how far the LEGOs that hold it reach: the place after the last word; 0 for a word in none. A LEGO
    holds all words from one place to another exactly if the first of them reaches that far."""
    begins = [0] * count
    for first, last in spans:
        if first < last:
            begins[first] = max(begins[first], last)
    farthest, reach = 0, []
    for place, end in enumerate(begins):
        farthest = max(farthest, end)
        reach.append(farthest if farthest > place else 0)
    return reach


def _pair(key: str) -> Pair:
    left, _, right = key.partition(" ")
    return left, right


LINKS, CUTS, PAIRS = "links", "cuts", "pairs"
MISALIGNED = 0.3
"""Halves whose meaning is the same with less certainty are a critical concern."""
MISPLACED = 0.9
"""The same limit if a word of a half has its counterpart elsewhere in the other sentence (nine of ten labelled cuts of
this sort are bad)."""
MOST_SHOWN = 12
"""LEGOs of the course that are shown to a model with a SEED."""


def learn(seeds: Sequence[Seed], languages: Languages, rule: IronRule) -> dict[str, Any]:
    """The facts of a course.

    links   SEED -> `0-0:97 1-2:41`, the linked words, with the certainty in hundredths
    cuts    SEED -> `0-3:0-2 3-5:2-4`, the words of its LEGOs in the built-in cut
    pairs   source -> target -> how many SEEDs could use the pair, and how many use it in the built-in cut
    """
    words = [
        ([word.bare for word in words_of(one.source)], [word.bare for word in words_of(one.target)]) for one in seeds
    ]
    links = sure_links(words, languages.lexicon)
    aligned = [AlignedSeed(seed.source, seed.target, one, languages) for seed, one in zip(seeds, links, strict=True)]
    cutter = CourseCutter(aligned, rule)
    cuts = cutter.cuts()
    used = uses(cuts)
    pairs: dict[str, dict[str, list[int]]] = {}
    for key in sorted(key for key, count in cutter.possible.items() if count > 1 or key in used):
        pairs.setdefault(key[0], {})[key[1]] = [cutter.possible[key], used[key]]
    return {
        LINKS: {seed.id: as_record(one) for seed, one in zip(seeds, links, strict=True)},
        CUTS: {
            seed.id: " ".join(f"{one.first}-{one.end}:{one.low}-{one.high}" for one in cut)
            for seed, cut in zip(seeds, cuts, strict=True)
        },
        PAIRS: pairs,
    }


@dataclass(frozen=True, slots=True)
class LegoEvidence:
    """The facts about one LEGO."""

    confidence: float
    """How likely its halves have the same meaning, 0..1."""
    seeds: int
    """How many SEEDs can use the pair, including its own."""
    is_whole: bool
    """Whether it is a whole sentence of five words or more."""
    sound: float
    """How likely a person calls it good, 0..1. 0 for a whole sentence that could be cut."""
    signs: Signs | None = None
    """The signs for and against it; None if it is not part of its sentence."""


@dataclass(frozen=True)
class CourseEvidence:
    """The facts about a course, read from the journal."""

    record: Mapping[str, Any]
    languages: Languages

    def sure_links(self, seed: Seed) -> SureLinks:
        return from_record(self.record.get(LINKS, {}).get(seed.id, ""))

    def links(self, seed: Seed) -> Links:
        return counted(self.sure_links(seed))

    def aligned(self, seed: Seed) -> AlignedSeed:
        return AlignedSeed(seed.source, seed.target, self.sure_links(seed), self.languages)

    def built_in_cut(self, seed: Seed, rule: IronRule) -> Seed:
        """The SEED with the cut of the built-in extractor."""
        cut = self.record.get(CUTS, {}).get(seed.id, "")
        return with_cut(seed, self.aligned(seed), _spans(cut), rule)

    def of(self, seed: Seed) -> tuple[LegoEvidence, ...]:
        """The facts about each LEGO of a SEED, in order."""
        aligned = self.aligned(seed)
        target = Sentence(seed.target)
        spans = spans_of(aligned.words, seed.legos)
        insides = [
            target.inside(lego.target_start, lego.target_end) if lego.target_start != NOWHERE else range(0)
            for lego in seed.legos
        ]
        halves = [(inside.start, inside.stop) for inside in insides]
        cut = CutSeed(seed, aligned, self.languages, list(zip(spans, halves, strict=True)))
        return tuple(
            self._of(cut, lego, span, half) for lego, span, half in zip(seed.legos, spans, halves, strict=True)
        )

    def with_confidence(self, seed: Seed) -> Seed:
        """The SEED with the confidence of each LEGO."""
        known = self.of(seed)
        legos = (
            replace(lego, confidence=round(one.confidence, 3)) for lego, one in zip(seed.legos, known, strict=True)
        )
        return replace(seed, legos=tuple(legos))

    def _of(self, cut: CutSeed, lego: Lego, span: Span, half: Span) -> LegoEvidence:
        if half[0] == half[1] or span[0] == span[1]:
            return LegoEvidence(0.0, 0, is_whole=False, sound=0.0)
        aligned = cut.aligned
        source, said = aligned.key(span, half)
        known = self.record.get(PAIRS, {}).get(source, {})
        seeds = known.get(said, (1, 0))[0]
        confidence = aligned.confidence(span, half)
        usual = seeds / max(seeds, sum(possible for possible, _ in known.values()))
        signs = cut.signs(lego, span, half, confidence, usual)
        is_cut_elsewhere = signs.whole and " " in self.record.get(CUTS, {}).get(cut.seed.id, "")
        sound = 0.0 if is_cut_elsewhere else soundness(signs)
        return LegoEvidence(confidence, seeds, is_whole=signs.whole, sound=sound, signs=signs)

    def fitting(self, seed: Seed) -> list[tuple[str, str]]:
        """LEGOs of the built-in cut that another SEED uses and this one could use, those of most SEEDs first."""
        own = {(one[0], one[1]) for one in self._own(seed)}
        words = [word.bare for word in words_of(seed.source)]
        target = f" {' '.join(word.bare for word in words_of(seed.target))} "
        found: dict[tuple[str, str], int] = {}
        for first in range(len(words)):
            for end in range(first + 1, min(first + LONGEST, len(words)) + 1):
                source = " ".join(words[first:end])
                for said, (_, used) in self.record.get(PAIRS, {}).get(source, {}).items():
                    if used > ((source, said) in own) and f" {said} " in target:
                        found[source, said] = used
        return sorted(found, key=lambda key: (-found[key], key))[:MOST_SHOWN]

    def _own(self, seed: Seed) -> Iterator[tuple[str, str]]:
        aligned = self.aligned(seed)
        for span, half in _spans(self.record.get(CUTS, {}).get(seed.id, "")):
            yield aligned.key(span, half)


def _spans(record: str) -> CutSpans:
    """`0-3:0-2 3-5:2-4` -> the words of each LEGO, in the source and in the target."""
    found = []
    for part in record.split():
        span, half = ([int(place) for place in side.split("-")] for side in part.split(":"))
        found.append(((span[0], span[1]), (half[0], half[1])))
    return found
