"""What a course as a whole says of its SEEDs: which words say the same, how it is cut best, and which pairs recur.

Made once from all sentence pairs, before anything is cut, and kept in the journal; the order of SEEDs means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.kinds.legos.cutter import CourseCutter, Spans, uses, with_cut
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, words_of
from burnish.kinds.legos.phrases import LONGEST, AlignedSeed, Languages, Span
from burnish.kinds.legos.pieces import spans_of
from burnish.kinds.legos.placement import Sentence
from burnish.kinds.legos.soundness import CutSeed, Signs, soundness
from burnish.languages.alignment import Links, SureLinks, as_record, counted, from_record, sure_links

LINKS, CUTS, PAIRS = "links", "cuts", "pairs"
MISALIGNED = 0.3
"""Halves that say the same with less certainty are a critical concern."""
MISPLACED = 0.9
"""The same where a word of a half has its counterpart elsewhere in the other sentence (nine of ten such labelled cuts
are bad)."""
MOST_SHOWN = 12
"""LEGOs of the course that a model is shown beside a SEED."""


def learn(seeds: Sequence[Seed], languages: Languages, rule: IronRule) -> dict[str, Any]:
    """The facts of a course.

    links   SEED -> `0-0:97 1-2:41`, which words say the same, in hundredths of certainty
    cuts    SEED -> `0-3:0-2 3-5:2-4`, the words of its LEGOs in the built-in cut
    pairs   source -> target -> how many SEEDs could use the pair, and how many do so in the built-in cut
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
    """What the course says of one LEGO."""

    confidence: float
    """How likely its halves say the same, 0..1."""
    seeds: int
    """How many SEEDs can use the pair, its own among them."""
    is_whole: bool
    """Whether it is all of a sentence of five words or more."""
    sound: float
    """How likely a person calls it good, 0..1. A whole sentence counts nothing where it could be cut."""
    signs: Signs | None = None
    """What speaks against it; None where it is no part of its sentence."""


@dataclass(frozen=True)
class CourseEvidence:
    """The facts of a course, read back."""

    record: Mapping[str, Any]
    languages: Languages

    def sure_links(self, seed: Seed) -> SureLinks:
        return from_record(self.record.get(LINKS, {}).get(seed.id, ""))

    def links(self, seed: Seed) -> Links:
        return counted(self.sure_links(seed))

    def aligned(self, seed: Seed) -> AlignedSeed:
        return AlignedSeed(seed.source, seed.target, self.sure_links(seed), self.languages)

    def built_in_cut(self, seed: Seed, rule: IronRule) -> Seed:
        """The SEED as the built-in extractor cuts it."""
        cut = self.record.get(CUTS, {}).get(seed.id, "")
        return with_cut(seed, self.aligned(seed), _spans(cut), rule)

    def of(self, seed: Seed) -> tuple[LegoEvidence, ...]:
        """What is known of each LEGO of a SEED, in their order."""
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
        """The SEED with how sure it is that the halves of each LEGO say the same."""
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
        """LEGOs of the built-in cut that another SEED uses and this one could, those of most SEEDs first."""
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


def _spans(record: str) -> Spans:
    """`0-3:0-2 3-5:2-4` -> the words of each LEGO, in the source and in the target."""
    found = []
    for part in record.split():
        span, half = ([int(place) for place in side.split("-")] for side in part.split(":"))
        found.append(((span[0], span[1]), (half[0], half[1])))
    return found
