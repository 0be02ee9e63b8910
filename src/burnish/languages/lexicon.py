"""Bilingual lexicons: which words of two languages translate each other, learned from sentence pairs.

A lexicon gives a sense of meaning without any model: a translation says what its source says if most words of each
have a counterpart in the other. Words are cut to their first letters, so that inflected forms share what is known.
`lexicons.py` finds the lexicon for two languages; here is what one is, how it compares two texts, how it is kept.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson
import regex
from anyascii import anyascii
from rapidfuzz.distance import Levenshtein

from burnish.core.errors import InputError

LETTERS = 5
"""What is kept of a word; of a language whose words are written without vowels, one less."""
_SHORT = {"ar": 4, "he": 4}
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_UNSPACED = regex.compile(r"\p{Katakana}[\p{Katakana}ー]*|\p{Han}|\p{Hiragana}+|[^\p{Katakana}\p{Han}\p{Hiragana}]+")
"""Languages without spaces: each Han sign says something by itself; kana and other letters are taken in runs."""
_KANA = regex.compile(r"\p{Hiragana}")
_JOINED = {
    "ar": regex.compile(r"^[وف]?(?:بال|كال|لل|ال)?(?=..)"),
    "he": regex.compile(r"^[ושהבלכמ]{1,2}(?=...)"),
}
"""Articles, conjunctions and prepositions that are written together with the word behind them."""
_POINTS = regex.compile(r"\p{Mn}+")

LEAST_COUNT = 0.4
"""A pair that was linked less than this, all chances added up, is left out."""
LEAST_SHARE = 0.01
UNRELATED = 0.1
"""How much of a word's own frequency is expected where nothing calls for it."""
MOST = 6.0
"""What one word can say for a translation at most, in natural logarithms of likelihood."""
COUNTERPART = 1.0
"""From here on a word has a counterpart: something in the other text makes it e times as likely."""
ALIKE = 0.66
RARE = 20
MOST_BYTES = 200_000_000
"""Of a lexicon when it is unpacked; ours have a fiftieth of that. A bomb has more."""
MOST_STRANGERS = 60
"""Words that a lexicon does not know are compared by their sound, at most so many of each text."""


@dataclass(frozen=True, slots=True)
class Stem:
    """The beginning of a word, and where the word stands."""

    text: str
    start: int
    end: int


def stems(text: str, language: str) -> list[Stem]:
    """The words of a text as a lexicon knows them."""
    found = []
    short, joined = _SHORT.get(language, LETTERS), _JOINED.get(language)
    for match in _WORD.finditer(text):
        for start, end in _parts(match.group(), match.start()):
            word = text[start:end].lower()
            if joined is not None:
                word = joined.sub("", _POINTS.sub("", word)) or word
            found.append(Stem(word[:3] if _KANA.match(word) else word[:short], start, end))
    return found


def _parts(word: str, start: int) -> Iterator[tuple[int, int]]:
    if word.isascii():
        yield start, start + len(word)
        return
    for part in _UNSPACED.finditer(word):
        yield start + part.start(), start + part.end()


@lru_cache(maxsize=20_000)
def _sound(word: str) -> str:
    """The consonants of a word in rough Latin letters: names sound alike in all scripts."""
    letters = regex.sub(r"[^a-z]", "", anyascii(word).lower().replace("ph", "f"))
    rough = letters.translate(str.maketrans("cqwyz", "kkvis")).replace("x", "ks")
    return regex.sub(r"[aeiouh]", "", regex.sub(r"(.)\1+", r"\1", rough))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a lexicon says of a text and its translation."""

    source: tuple[tuple[Stem, float], ...]
    target: tuple[tuple[Stem, float], ...]
    """Every word that could be looked at, with how much the other text speaks for it: from -2.3 to 6."""
    words: tuple[int, int]
    """All words of the source and of the target."""

    @property
    def looked_at(self) -> int:
        return len(self.source) + len(self.target)

    @property
    def covers(self) -> bool:
        """Whether at least half of the words of each side could be looked at."""
        sides = zip((self.source, self.target), self.words, strict=True)
        return all(2 * len(looked_at) >= words for looked_at, words in sides)

    @property
    def score(self) -> float | None:
        """The mean over all words that could be looked at; None where there are none."""
        weights = [weight for side in (self.source, self.target) for _, weight in side]
        return sum(weights) / len(weights) if weights else None

    def share(self, side: str) -> float | None:
        """The share of the words of one side (`source`, `target`) with a counterpart in the other."""
        weights = [weight for _, weight in (self.source if side == "source" else self.target)]
        return sum(weight >= COUNTERPART for weight in weights) / len(weights) if weights else None


@dataclass(frozen=True)
class Lexicon:
    """The words of two languages, how often each was met, and how often two of them were linked."""

    source: str
    target: str
    """Languages by their ISO 639 codes."""
    source_words: Mapping[str, float]
    target_words: Mapping[str, float]
    """Stem -> how often it was met."""
    links: Mapping[str, Mapping[str, float]]
    """Source stem -> target stem -> how often the two were linked."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What was measured when it was learned: the number of pairs, AUC, where the scores of sound pairs lie."""

    @cached_property
    def ahead(self) -> Mapping[str, Mapping[str, float]]:
        """Source stem -> target stem -> how many times likelier the target stem is beside it than anywhere."""
        total = sum(self.target_words.values())
        return {
            one: {
                other: count / (self.source_words[one] + 1) / (self.target_words[other] / total)
                for other, count in row.items()
            }
            for one, row in self.links.items()
        }

    @cached_property
    def back(self) -> Mapping[str, Mapping[str, float]]:
        """The same from the target's side."""
        total = sum(self.source_words.values())
        turned: dict[str, dict[str, float]] = {}
        for one, row in self.links.items():
            for other, count in row.items():
                expected = self.source_words[one] / total
                turned.setdefault(other, {})[one] = count / (self.target_words[other] + 1) / expected
        return turned

    @property
    def reversed(self) -> Lexicon:
        """The same lexicon read from the other side."""
        turned: dict[str, dict[str, float]] = {}
        for one, row in self.links.items():
            for other, count in row.items():
                turned.setdefault(other, {})[one] = count
        return Lexicon(self.target, self.source, self.target_words, self.source_words, turned, self.about)

    def compare(self, source: str, target: str) -> Comparison:
        """Look at every word of both texts that the lexicon knows, or that looks or sounds the same in both."""
        return self.compare_stems(stems(source, self.source), stems(target, self.target))

    def compare_stems(self, source: list[Stem], target: list[Stem]) -> Comparison:
        return Comparison(
            tuple(_looked_at(source, target, self.back, self.source_words, self.target_words)),
            tuple(_looked_at(target, source, self.ahead, self.target_words, self.source_words)),
            (len(source), len(target)),
        )

    def translations(self, word: str) -> dict[str, float]:
        """Target stems of a source word with their shares, the likeliest first."""
        [stem, *_] = stems(word, self.source) or [Stem("", 0, 0)]
        row = self.links.get(stem.text, {})
        total = self.source_words.get(stem.text, 0) or 1
        return {other: count / total for other, count in sorted(row.items(), key=lambda item: -item[1])}

    def packed(self) -> bytes:
        """The lexicon as lines of text, compressed: what was measured, the words of each side, the links."""
        source, target = sorted(self.source_words), sorted(self.target_words)
        numbers = {word: number for number, word in enumerate(target)}
        lines = [orjson.dumps({"source": self.source, "target": self.target, **self.about}).decode()]
        lines += (f"{word}\t{self.source_words[word]:.0f}" for word in source)
        lines.append("")
        lines += (f"{word}\t{self.target_words[word]:.0f}" for word in target)
        lines.append("")
        for word in source:
            row = sorted((numbers[other], count) for other, count in self.links.get(word, {}).items())
            lines.append(" ".join(f"{number}:{count:.1f}" for number, count in row))
        # No time and no name inside: the same lexicon is the same bytes.
        return gzip.compress("\n".join(lines).encode(), 9, mtime=0)


def load(path: Path) -> Lexicon:
    """A lexicon that was saved."""
    try:
        with gzip.open(path) as packed:
            data = packed.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it holds more than {MOST_BYTES:,} bytes")
        head, *rest = data.decode().split("\n")
        about = orjson.loads(head)
        lines = iter(rest)
        source, target = _counted(lines), _counted(lines)
        names = list(target)
        links = {
            word: {names[int(number)]: float(count) for number, count in (pair.split(":") for pair in line.split())}
            for word, line in zip(source, lines, strict=True)
            if line
        }
        return Lexicon(about.pop("source"), about.pop("target"), source, target, links, about)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError) as broken:
        raise InputError(
            f"The file is no lexicon of Burnish: {broken}.",
            path=str(path),
            hint="Make it with `burnish lexicon build`.",
        ) from broken


def _counted(lines: Iterator[str]) -> dict[str, float]:
    words = {}
    for line in lines:
        if not line:
            break
        word, count = line.split("\t")
        words[word] = float(count)
    return words


def _looked_at(
    words: list[Stem],
    others: list[Stem],
    calls_for: Mapping[str, Mapping[str, float]],
    known: Mapping[str, float],
    known_others: Mapping[str, float],
) -> Iterator[tuple[Stem, float]]:
    """Each word of one text that can be looked at, and how much the other text speaks for it."""
    there = {other.text for other in others}
    likelier: dict[str, float] = {}
    for other in there:
        for called, ratio in calls_for.get(other, {}).items():
            likelier[called] = max(ratio, likelier.get(called, 0.0))
    strangers = [sound for other in there if known_others.get(other, 0) < RARE and len(sound := _sound(other)) >= 3]
    del strangers[MOST_STRANGERS:]
    compared = 0
    for word in words:
        is_number = word.text.isdecimal()
        if word.text in there and (is_number or len(word.text) > 2):
            yield word, MOST
        elif is_number or word.text in known:
            yield word, min(MOST, math.log(UNRELATED + (1 - UNRELATED) * likelier.get(word.text, 0.0)))
        elif compared < MOST_STRANGERS and len(sound := _sound(word.text)) >= 3:
            compared += 1
            # A stranger that sounds like nothing in the other text says nothing: it may well be translated.
            if any(Levenshtein.normalized_similarity(sound, other) >= ALIKE for other in strangers):
                yield word, MOST


def pruned(
    links: Iterable[tuple[str, str, float]], source: Mapping[str, float], target: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """The links worth keeping: met often enough, and a fair share of what one of the two words is linked to."""
    kept: dict[str, dict[str, float]] = {}
    for one, other, count in links:
        if count >= LEAST_COUNT and max(count / source[one], count / target[other]) >= LEAST_SHARE:
            kept.setdefault(one, {})[other] = round(count, 1)
    return kept
