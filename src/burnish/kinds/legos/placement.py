"""Places the LEGOs of a SEED in its sentences: as pieces with words, spans and violations. Halves from models and
people are located letter for letter, between whole words, without guessing.

Part of a word cannot be taught ("th" of "that"), and its meaning cannot be checked. Scripts without blanks between
words are matched letter by letter. A half that occurs more than once gets the place that fits the halves around it,
from left to right.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple, Self

from burnish.kinds.legos.iron_rule import IronRule, Span, Violation, belongs, unreachable, violations
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, Word, words_of
from burnish.kinds.legos.multiwords import Verb, mark_between, multi_word_verbs
from burnish.languages.profiles import LanguageProfile

NO_SPAN: Span = (0, 0)


@dataclass(frozen=True)
class Piece:
    """One LEGO with its words in the sentence."""

    lego: Lego
    position: int
    """Its number from 1, as in its provenance."""
    words: tuple[Word, ...]
    """Those of the sentence; the LEGO's own if it is not part of the sentence."""
    span: Span
    verbs: tuple[Verb, ...]
    """Multi-word verbs in `words`; at least those that the LEGO holds completely."""

    @property
    def size(self) -> int:
        """How many words it has."""
        return self.span[1] - self.span[0]

    @cached_property
    def bares(self) -> tuple[str, ...]:
        """Its words, in their bare form."""
        return tuple(word.bare for word in self.words[slice(*self.span)])

    @property
    def is_torn_behind(self) -> bool:
        """Whether its phrase may continue after it: it is followed by a word, without a mark in between."""
        last = self.span[1]
        if self.lego.start == NOWHERE:
            return True
        return last < len(self.words) and not mark_between(self.words[last - 1], self.words[last])

    def ends_in_verb(self) -> bool:
        """Whether its last word belongs to a multi-word verb that it holds completely."""
        return belongs(self.span[1] - 1, self.verbs, self.span)

    def violation(self, profile: LanguageProfile, rule: IronRule) -> Violation | None:
        """Its first violation of the Iron Rule, if any."""
        return violations(self.words, profile, rule, self.verbs, self.span)


@dataclass(frozen=True)
class Extraction:
    """A SEED, its words and its LEGOs."""

    seed: Seed
    profile: LanguageProfile
    words: tuple[Word, ...]
    """Of the source sentence."""
    verbs: tuple[Verb, ...]
    """The multi-word verbs of the sentence."""
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, seed: Seed, profile: LanguageProfile) -> Self:
        words = words_of(seed.source)
        verbs = tuple(multi_word_verbs(words, profile))
        spans = spans_of(words, seed.legos)
        firsts = [verb.first for verb in verbs]
        pieces = tuple(
            Piece(lego, position, words, span, verbs[slice(*(bisect_left(firsts, place) for place in span))])
            if lego.start != NOWHERE
            else _piece_apart(lego, position, profile)
            for position, (lego, span) in enumerate(zip(seed.legos, spans, strict=True), start=1)
        )
        return cls(seed, profile, words, verbs, pieces)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The spans of all LEGOs that are part of the sentence."""
        return tuple(piece.span for piece in self.pieces if piece.lego.start != NOWHERE)

    @cached_property
    def reach(self) -> int:
        """The place after the last word that a LEGO holds."""
        return max((last for _, last in self.spans), default=0)

    def names(self, pieces: Iterable[Piece]) -> tuple[str, ...]:
        """The provenance of LEGOs."""
        return tuple(self.seed.provenance(piece.position) for piece in pieces)


def spans_of(words: Sequence[Word], legos: Iterable[Lego]) -> list[Span]:
    """The words of a sentence that each LEGO holds, whole or in part: the first, and the one after the last. The same
    place twice for a LEGO that holds none or is not part of the sentence."""
    starts, ends = [word.start for word in words], [word.end for word in words]
    return [_span(starts, ends, lego) for lego in legos]


def _span(starts: list[int], ends: list[int], lego: Lego) -> Span:
    if lego.start == NOWHERE:
        return NO_SPAN
    first, last = bisect_right(ends, lego.start), bisect_left(starts, lego.end)
    return (first, last) if first < last else NO_SPAN


def _piece_apart(lego: Lego, position: int, profile: LanguageProfile) -> Piece:
    """A LEGO that is not part of the sentence, with its own words."""
    own = words_of(lego.source)
    return Piece(lego, position, own, (0, len(own)), tuple(multi_word_verbs(own, profile)))


Links = Sequence[tuple[int, int]]
"""Pairs of a source word and the target word linked to it, by their places."""
Favour = Callable[[int, int], int]
"""The weight for a place of characters (start, end), beside its distance."""
MOST_PLACES = 200
"""The most occurrences that are searched, from the left: hostile repetition costs nothing."""


@dataclass(frozen=True)
class Sentence:
    """A sentence in which halves are located."""

    text: str

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return words_of(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]

    @cached_property
    def _ends(self) -> list[int]:
        return [word.end for word in self.words]

    @cached_property
    def _places_of(self) -> dict[str, list[int]]:
        """Word as written -> its places among the words."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            found.setdefault(word.text, []).append(place)
        return found

    @cached_property
    def _known(self) -> dict[str, tuple[int, ...]]:
        """Cache of searches: a sentence that repeats one word may be cut into as many LEGOs."""
        return {}

    def half(self, part: str) -> Half | None:
        """The places of a part between whole words, with or without the blanks and marks around it. None if there is
        no place, or no word in it."""
        core = _core(part)
        if not core:
            return None
        for text in dict.fromkeys((part, core)):
            if text not in self._known:
                self._known[text] = tuple(islice(self._places(text), MOST_PLACES))
            if starts := self._known[text]:
                return Half(text, starts)
        return None

    def tears(self, part: str) -> bool:
        """Whether a part that has no place between whole words occurs inside words."""
        return _core(part) in self.text

    def _places(self, part: str) -> Iterator[int]:
        """Yield where the part begins with a word of the sentence and ends after one."""
        first = words_of(part)[0]
        for place in self._places_of.get(first.text, ()):
            start = self.words[place].start - first.start
            if start >= 0 and self.text.startswith(part, start) and not self._is_torn_at(start + len(part)):
                yield start

    def _is_torn_at(self, place: int) -> bool:
        """Whether a cut at this place splits a word."""
        return bool(self.inside(place, place))

    def inside(self, start: int, end: int) -> range:
        """The places of the words in a stretch, including partial words."""
        return range(bisect_right(self._ends, start), bisect_left(self._starts, end))


def grouped(links: Links) -> dict[int, list[int]]:
    """Word of one sentence -> the words of the other that are linked to it."""
    found: dict[int, list[int]] = {}
    for one, other in links:
        found.setdefault(one, []).append(other)
    return found


def _core(part: str) -> str:
    words = words_of(part)
    return part[words[0].start : words[-1].end] if words else ""


@dataclass(frozen=True, slots=True)
class Half:
    """A half of a LEGO as written in its sentence, and its possible places."""

    text: str
    starts: tuple[int, ...]
    near: int | None = None
    """The former place of it, or of the half that it was made from."""

    @property
    def settled(self) -> int | None:
        """Its place, if it does not depend on other halves."""
        if self.near is not None:
            near = self.near
            return min(self.starts, key=lambda start: (abs(start - near), start))
        return self.starts[0] if len(self.starts) == 1 else None


def placed(halves: Sequence[Half], expected: int = 0, favours: Sequence[Favour] | None = None) -> list[int]:
    """A place for each half. If there are several, the one with the largest favour, then the nearest to its neighbours
    in this order; never the place of another half with the same words.

    `expected`: where the first half, which has no neighbour before it, is expected.
    """
    starts = [half.settled for half in halves]
    behind = _next_settled(starts)
    taken = {(half.text, start) for half, start in zip(halves, starts, strict=True) if start is not None}
    found: list[int] = []
    for place, half in enumerate(halves):
        start = starts[place]
        if start is None:
            left = found[-1] + len(halves[place - 1].text) if found else expected
            start = _best(half, taken, _Around(left, behind[place]), favours[place] if favours else None)
            taken.add((half.text, start))
        found.append(start)
    return found


def _next_settled(starts: Sequence[int | None]) -> list[int | None]:
    """For each place the first known start after it."""
    known: int | None = None
    behind: list[int | None] = []
    for start in reversed(starts):
        behind.append(known)
        known = start if start is not None else known
    return behind[::-1]


@dataclass(frozen=True, slots=True)
class _Around:
    """The neighbours that a half should be near."""

    left: int
    """The end of the half before it."""
    behind: int | None
    """The start of the next half with a known place."""

    def distance(self, start: int, end: int) -> int:
        return abs(start - self.left) + (0 if self.behind is None else abs(self.behind - end))


def _best(half: Half, taken: set[tuple[str, int]], around: _Around, favour: Favour | None) -> int:
    def cost(start: int) -> tuple[bool, int, int, int]:
        end = start + len(half.text)
        speaks = favour(start, end) if favour else 0
        return (half.text, start) in taken, -speaks, around.distance(start, end), start

    return min(half.starts, key=cost)


MOST_NAMED = 12
"""The most missing words that are listed."""
MOST_LEFT_OUT = 0.5
"""The allowed share of target words in no LEGO: languages use more or fewer words for the same meaning."""


class Coverage(NamedTuple):
    """Words of the source sentence in no LEGO, by their places."""

    lawful: tuple[int, ...]
    """At the edge of the sentence, where no allowed LEGO can hold them."""
    missing: tuple[int, ...]


def coverage(seed: Seed, profile: LanguageProfile, rule: IronRule) -> Coverage:
    """The words that the LEGOs of a SEED leave out. A word that two LEGOs hold in part counts as held."""
    return coverage_of(Extraction.of(seed, profile), rule)


def coverage_of(extraction: Extraction, rule: IronRule) -> Coverage:
    """The same for an extraction."""
    words, held = extraction.words, _held(extraction.seed)
    out = [place for place, word in enumerate(words) if not all(held[word.start : word.end])]
    beyond = unreachable(words, extraction.profile, rule, extraction.verbs) if out else frozenset()
    return Coverage(tuple(p for p in out if p in beyond), tuple(p for p in out if p not in beyond))


def _held(seed: Seed) -> bytearray:
    """For each letter of the source sentence, whether it is in a LEGO."""
    held = bytearray(len(seed.source))
    for lego in seed.legos:
        if lego.start != NOWHERE:
            held[lego.start : lego.end] = b"\x01" * (lego.end - lego.start)
    return held


def with_uncovered(seed: Seed, profile: LanguageProfile, rule: IronRule) -> Seed:
    """The SEED with the list of words that its LEGOs may leave out."""
    words = words_of(seed.source)
    lawful = coverage(seed, profile, rule).lawful
    return replace(seed, uncovered=tuple(words[place].text for place in lawful))


def guarantees(seed: Seed, profile: LanguageProfile, rule: IronRule, links: Links | None = None) -> tuple[str, ...]:
    """The guarantees that the LEGOs of a SEED break, in words; empty if they keep them all.

    The SEED's own list of uncovered words is not trusted, but computed again. `links` are those of the two sentences;
    without them the meaning of the halves is not checked.
    """
    if not seed.legos:
        return ("There is no LEGO.",)
    extraction = Extraction.of(seed, profile)
    return (
        *_not_verbatim(seed),
        *_missing(extraction, rule),
        *_unlawful(extraction, rule),
        *(_contradicted(seed, links) if links else ()),
    )


def _not_verbatim(seed: Seed) -> Iterator[str]:
    for place, lego in enumerate(seed.legos, start=1):
        halves = (
            ("source", seed.source, lego.source, lego.start, lego.end),
            ("target", seed.target, lego.target, lego.target_start, lego.target_end),
        )
        for name, sentence, text, start, end in halves:
            if not 0 <= start < end or sentence[start:end] != text:
                yield f'The {name} half of {seed.provenance(place)}, "{text}", is not in its sentence.'


def _missing(extraction: Extraction, rule: IronRule) -> Iterator[str]:
    missing = coverage_of(extraction, rule).missing
    if missing:
        yield f"No LEGO holds {_named([extraction.words[place] for place in missing])}."


def _named(words: Sequence[Word]) -> str:
    named = ", ".join(f'"{word.text}"' for word in words[:MOST_NAMED])
    more = len(words) - MOST_NAMED
    return f"{named}{f' and {more} more' if more > 0 else ''}"


def _unlawful(extraction: Extraction, rule: IronRule) -> Iterator[str]:
    for piece in extraction.pieces:
        violation = piece.violation(extraction.profile, rule)
        if violation is not None:
            edge = "begins" if violation.edge == "start" else "ends"
            name = f'{extraction.seed.provenance(piece.position)}, "{piece.lego.source}",'
            yield f'{name} {edge} with the preposition "{violation.word}".'


def _contradicted(seed: Seed, links: Links) -> Iterator[str]:
    """LEGOs whose halves share no link although their words have some, and a target that is mostly in no LEGO."""
    there, back = grouped(links), grouped([(theirs, ours) for ours, theirs in links])
    held: set[int] = set()
    held_target: set[int] = set()
    for place, words, target_words in _halves_in_words(seed):
        held.update(words)
        held_target.update(target_words)
        leading = [theirs in target_words for word in words for theirs in there.get(word, ())]
        if not any(leading) and (leading or any(word in back for word in target_words)):
            yield f"The halves of {seed.provenance(place)} do not say the same, as far as the words of the course tell."
    target = words_of(seed.target)
    out = [place for place in range(len(target)) if place not in held_target]
    said = [target[place] for place in out if not held.isdisjoint(back.get(place, ()))]
    if said and len(out) > MOST_LEFT_OUT * len(target):
        yield f"Most of the target is in no LEGO, although the source says it: {_named(said)}."


def _halves_in_words(seed: Seed) -> Iterator[tuple[int, range, range]]:
    """The position of every LEGO that is part of its sentences, and the words of its halves."""
    source, target = Sentence(seed.source), Sentence(seed.target)
    for place, lego in enumerate(seed.legos, start=1):
        if lego.is_verbatim:
            yield place, source.inside(lego.start, lego.end), target.inside(lego.target_start, lego.target_end)
