"""Bilingual lexicons: which words of two languages translate each other, learned from sentence pairs.

A lexicon compares meaning without a model: a translation matches its source if most words of each have a counterpart
in the other. Words are cut to their first letters, so that inflected forms share their counts. `data/lexicons` holds
one lexicon for English and each of 26 languages; `burnish lexicon build` learns others. Two languages other than
English are compared through English.
"""

from __future__ import annotations

import gzip
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import regex
from anyascii import anyascii
from rapidfuzz.distance import Levenshtein

from burnish.core.errors import InputError
from burnish.core.json_bytes import dumps, loads
from burnish.languages.tables import DATA

LETTERS = 5
"""Letters kept of a word; one less in a language that is written without vowels."""
_SHORT = {"ar": 4, "he": 4}
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_UNSPACED = regex.compile(r"\p{Katakana}[\p{Katakana}ー]*|\p{Han}|\p{Hiragana}+|[^\p{Katakana}\p{Han}\p{Hiragana}]+")
"""Words of languages without spaces: each Han character is one; kana and other letters are taken in runs."""
_KANA = regex.compile(r"\p{Hiragana}")
_JOINED = {
    "ar": regex.compile(r"^[وف]?(?:بال|كال|لل|ال)?(?=..)"),
    "he": regex.compile(r"^[ושהבלכמ]{1,2}(?=...)"),
}
"""Articles, conjunctions and prepositions that are written together with the next word."""
_CLITICS = {"Arabic": _JOINED["ar"], "Hebrew": _JOINED["he"]}
_POINTS = regex.compile(r"\p{Mn}+")

LEAST_COUNT = 0.4
"""A pair whose link probabilities add up to less than this is left out."""
LEAST_SHARE = 0.01
UNRELATED = 0.1
"""The share of a word's usual frequency that is expected beside a text with no counterpart for it."""
MOST = 6.0
"""The most that one word can count for a translation, as a natural logarithm of likelihood."""
COUNTERPART = 1.0
"""From this weight on a word has a counterpart: a word of the other text makes it e times as likely."""
TRANSLATED = 3.5
"""From this weight on it surely has one: words that occur in every text do not reach it by chance."""
CALLED = (math.exp(TRANSLATED) - UNRELATED) / (1 - UNRELATED)
"""How many times as likely such a word is beside its counterpart as elsewhere."""
NEAR, NEAR_SHARE = 80, 0.15
"""How far a counterpart may be from its expected position: in letters, or as a share of a long text."""
ALIKE = 0.66
RARE = 20
FEW = 4
"""A word that was met this often counts half as much against a translation as a frequent one."""
MOST_BYTES = 200_000_000
"""The largest unpacked lexicon, against decompression bombs; the included ones have a fiftieth of that."""
FIGURES = ("auc", "mean", "spread", "unrelated", "shares", "length", "length_spread")
"""The figures that are measured when a lexicon is learned."""
MOST_STRANGERS = 60
"""The most unknown words of each text that are compared by their sound."""


@dataclass(frozen=True, slots=True)
class Stem:
    """The beginning of a word, and the position of the word."""

    text: str
    start: int
    end: int


def stems(text: str, language: str) -> list[Stem]:
    """The words of a text in the form that lexicons use."""
    found = []
    short, joined = _SHORT.get(language, LETTERS), _JOINED.get(language)
    for match in _WORD.finditer(text):
        for start, end in _parts(match.group(), match.start()):
            word = text[start:end].lower()
            if joined is not None:
                word = joined.sub("", _POINTS.sub("", word)) or word
            found.append(Stem(word[:3] if _KANA.match(word) else word[:short], start, end))
    return found


def without_clitics(word: str) -> str:
    """A bare word without the articles and prepositions that Hebrew and Arabic write together with it."""
    first = word[:1]
    name = "Hebrew" if "\u0590" <= first <= "\u05ff" else "Arabic" if "\u0600" <= first <= "\u06ff" else None
    return word if name is None else _CLITICS[name].sub("", _POINTS.sub("", word)) or word


def _parts(word: str, start: int) -> Iterator[tuple[int, int]]:
    if word.isascii():
        yield start, start + len(word)
        return
    for part in _UNSPACED.finditer(word):
        yield start + part.start(), start + part.end()


def letters_of(words: Iterable[Stem]) -> int:
    """The length of the words, without spaces and punctuation."""
    return sum(word.end - word.start for word in words)


@lru_cache(maxsize=20_000)
def _sound(word: str) -> str:
    """The consonants of a word in rough Latin letters: names sound alike in all scripts."""
    letters = regex.sub(r"[^a-z]", "", anyascii(word).lower().replace("ph", "f"))
    rough = letters.translate(str.maketrans("cqwyz", "kkvis")).replace("x", "ks")
    return regex.sub(r"[aeiouh]", "", regex.sub(r"(.)\1+", r"\1", rough))


Places = Mapping[str, list[int]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a text with its translation by a lexicon."""

    source: tuple[tuple[Stem, float], ...]
    target: tuple[tuple[Stem, float], ...]
    """Every word that could be judged, with its weight: how much the other text supports it, from -2.3 to 6."""
    words: tuple[int, int]
    """The number of all words of the source and of the target."""
    places: tuple[Places, Places] = field(default=({}, {}), repr=False)
    """For each side: word -> the positions of its sure counterparts in the other text."""

    @property
    def looked_at(self) -> int:
        return len(self.source) + len(self.target)

    def sure(self, ratio: float = 0.0) -> tuple[list[tuple[Stem, bool]], list[tuple[Stem, bool]]]:
        """For each side, the words that surely have a counterpart or surely have none; small words are neither.

        A word that occurs three times needs its counterpart three times, near the expected position: at the same
        distance from the beginning, or at the same share of the text. `ratio`: the log of target by source length.
        """
        ours, theirs = (max((stem.end for stem, _ in side), default=1) for side in (self.source, self.target))
        return (
            list(_counterparts(self.source, self.places[0], (theirs / ours, math.exp(ratio)), theirs)),
            list(_counterparts(self.target, self.places[1], (ours / theirs, math.exp(-ratio)), ours)),
        )

    @property
    def covers(self) -> bool:
        """Whether at least half of the words of each side could be judged."""
        sides = zip((self.source, self.target), self.words, strict=True)
        return all(2 * len(looked_at) >= words for looked_at, words in sides)

    @property
    def score(self) -> float | None:
        """The mean weight of all words that could be judged; None if there are none."""
        weights = [weight for side in (self.source, self.target) for _, weight in side]
        return sum(weights) / len(weights) if weights else None

    def share(self, side: str) -> float | None:
        """The share of the words of one side (`source`, `target`) with a counterpart in the other."""
        weights = [weight for _, weight in (self.source if side == "source" else self.target)]
        return sum(weight >= COUNTERPART for weight in weights) / len(weights) if weights else None


def _counterparts(
    side: tuple[tuple[Stem, float], ...], places: Places, slopes: tuple[float, float], length: int
) -> Iterator[tuple[Stem, bool]]:
    near = max(NEAR, NEAR_SHARE * length)
    taken: dict[str, int] = {}
    for stem, weight in side:
        if weight < COUNTERPART:
            yield stem, False
        elif weight >= TRANSLATED:
            there = places.get(stem.text)
            if there is None:  # it was matched by its sound, which has no position
                yield stem, True
                continue
            first = taken.get(stem.text, 0)
            found = min(bisect_left(there, stem.start * slope - near, first) for slope in slopes)
            is_met = found < len(there) and any(abs(there[found] - stem.start * slope) <= near for slope in slopes)
            # A single Han character is part of many words.
            taken[stem.text] = found + (is_met and len(stem.text) > 1)
            yield stem, is_met


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words of two languages, with counts of the words and of the links between them."""

    source: str
    target: str
    """Languages by their ISO 639 codes."""
    source_words: Mapping[str, float]
    target_words: Mapping[str, float]
    """Stem -> its count."""
    links: Mapping[str, Mapping[str, float]]
    """Source stem -> target stem -> how often the two were linked."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """The figures measured when it was learned: number of pairs, AUC, distribution of the scores of sound pairs."""
    source_ends: Mapping[str, float] = field(default_factory=dict)
    target_ends: Mapping[str, float] = field(default_factory=dict)
    """Stem -> how many texts ended with it; empty if not counted."""

    @cached_property
    def ahead(self) -> Mapping[str, Mapping[str, float]]:
        """Source stem -> target stem -> how many times likelier the target stem is beside it than elsewhere."""
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
        """The same from target to source."""
        total = sum(self.source_words.values())
        turned: dict[str, dict[str, float]] = {}
        for one, row in self.links.items():
            for other, count in row.items():
                expected = self.source_words[one] / total
                turned.setdefault(other, {})[one] = count / (self.target_words[other] + 1) / expected
        return turned

    @property
    def reversed(self) -> Lexicon:
        """The same lexicon with source and target exchanged."""
        turned: dict[str, dict[str, float]] = {}
        for one, row in self.links.items():
            for other, count in row.items():
                turned.setdefault(other, {})[one] = count
        about = {**self.about, "length": -self.about.get("length", 0.0), "shares": self.about.get("shares", [])[::-1]}
        ends = self.target_ends, self.source_ends
        return Lexicon(self.target, self.source, self.target_words, self.source_words, turned, about, *ends)

    def compare(self, source: str, target: str) -> Comparison:
        """Compare all words of both texts that the lexicon knows, or that look or sound the same in both."""
        return self.compare_stems(stems(source, self.source), stems(target, self.target))

    def compare_stems(self, source: list[Stem], target: list[Stem]) -> Comparison:
        ours = tuple(_judged(source, target, self.back, self.source_words, self.target_words))
        theirs = tuple(_judged(target, source, self.ahead, self.target_words, self.source_words))
        places = (
            _places((stem.text for stem, _ in ours), target, self.back),
            _places((stem.text for stem, _ in theirs), source, self.ahead),
        )
        return Comparison(ours, theirs, (len(source), len(target)), places)

    def translations(self, word: str) -> dict[str, float]:
        """Target stems of a source word with their shares, the likeliest first."""
        [stem, *_] = stems(word, self.source) or [Stem("", 0, 0)]
        row = self.links.get(stem.text, {})
        total = self.source_words.get(stem.text, 0) or 1
        return {other: count / total for other, count in sorted(row.items(), key=lambda item: -item[1])}

    def packed(self) -> bytes:
        """The lexicon as lines of text, compressed: the figures, the words of each side, the links."""
        source, target = sorted(self.source_words), sorted(self.target_words)
        numbers = {word: number for number, word in enumerate(target)}
        lines = [dumps({"source": self.source, "target": self.target, **self.about}).decode()]
        lines += _listed(source, self.source_words, self.source_ends)
        lines += _listed(target, self.target_words, self.target_ends)
        for word in source:
            row = sorted((numbers[other], count) for other, count in self.links.get(word, {}).items())
            lines.append(" ".join(f"{number}:{count:.1f}" for number, count in row))
        # Without a time or a name the same lexicon gives the same bytes.
        return gzip.compress("\n".join(lines).encode(), 9, mtime=0)


def load(path: Path) -> Lexicon:
    """Load a saved lexicon."""
    return unpacked(path.read_bytes(), str(path))


def unpacked(file: bytes, path: str) -> Lexicon:
    """A lexicon from the bytes of its file; `path` is named in errors."""
    try:
        with gzip.open(BytesIO(file)) as packed:
            data = packed.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it holds more than {MOST_BYTES:,} bytes")
        head, *rest = data.decode().split("\n")
        about = loads(head)
        if missing := [name for name in FIGURES if name not in about]:
            raise ValueError(f"it has no figures for {', '.join(missing)}")
        lines = iter(rest)
        (source, source_ends), (target, target_ends) = _counted(lines), _counted(lines)
        names = list(target)
        links = {
            word: {names[int(number)]: float(count) for number, count in (pair.split(":") for pair in line.split())}
            for word, line in zip(source, lines, strict=True)
            if line
        }
        languages = about.pop("source"), about.pop("target")
        return Lexicon(*languages, source, target, links, about, source_ends, target_ends)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError) as broken:
        raise InputError(
            f"The file is not a lexicon of Burnish: {broken}.",
            path=path,
            hint="Make it with `burnish lexicon build`.",
        ) from broken


def _listed(words: Iterable[str], counts: Mapping[str, float], ends: Mapping[str, float]) -> Iterator[str]:
    """One line for each word: its count, and its count at the end of a text if any; then a blank line."""
    for word in words:
        yield f"{word}\t{counts[word]:.0f}" + (f"\t{ends[word]:.0f}" if word in ends else "")
    yield ""


def _counted(lines: Iterator[str]) -> tuple[dict[str, float], dict[str, float]]:
    words, ends = {}, {}
    for line in lines:
        if not line:
            break
        word, count, *last = line.split("\t")
        words[word] = float(count)
        if last:
            [ends[word]] = map(float, last)
    return words, ends


def _judged(
    words: list[Stem],
    others: list[Stem],
    calls_for: Mapping[str, Mapping[str, float]],
    known: Mapping[str, float],
    known_others: Mapping[str, float],
) -> Iterator[tuple[Stem, float]]:
    """Each word of one text that can be judged, and its weight by the other text."""
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
            # Few translations of a rare word are known, so a missing one counts less.
            least = 1 - (1 - UNRELATED) * (1 if is_number else known[word.text] / (known[word.text] + FEW))
            yield word, min(MOST, math.log(least + (1 - UNRELATED) * likelier.get(word.text, 0.0)))
        elif compared < MOST_STRANGERS and len(sound := _sound(word.text)) >= 3:
            compared += 1
            # An unknown word that sounds like nothing in the other text may still be translated: it is not judged.
            if any(Levenshtein.normalized_similarity(sound, other) >= ALIKE for other in strangers):
                yield word, MOST


def _places(words: Iterable[str], others: list[Stem], calls_for: Mapping[str, Mapping[str, float]]) -> Places:
    """Word -> the positions of its counterparts in the other text, in order."""
    wanted = set(words)
    called = {
        other: {other, *(one for one, ratio in calls_for.get(other, {}).items() if ratio >= CALLED)} & wanted
        for other in {other.text for other in others}
    }
    found: dict[str, list[int]] = {}
    for other in others:
        for word in called[other.text]:
            found.setdefault(word, []).append(other.start)
    return found


def pruned(
    links: Iterable[tuple[str, str, float]], source: Mapping[str, float], target: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """The links worth keeping: frequent enough, and with a fair share of the links of one of the two words."""
    kept: dict[str, dict[str, float]] = {}
    for one, other, count in links:
        if count >= LEAST_COUNT and max(count / source[one], count / target[other]) >= LEAST_SHARE:
            kept.setdefault(one, {})[other] = round(count, 1)
    return kept


FOLDER = DATA / "lexicons"
GOOD_AUC = 0.97
"""A lexicon with a lower AUC may only warn, never raise an error."""


@lru_cache(maxsize=8)
def lexicon_for(source: str, target: str, own: Lexicon | None = None) -> Lexicon | None:
    """The lexicon for two languages: the user's own, then the included one, then one through English; else None."""
    ours = _shipped(source, target) or _through_english(source, target)
    if own is None or {own.source, own.target} != {source, target}:
        return ours
    mine = own if own.source == source else own.reversed
    return mine if ours is None else _merged(mine, ours)


@lru_cache(maxsize=8)
def _shipped(source: str, target: str) -> Lexicon | None:
    if "en" not in (source, target):
        return None
    path = FOLDER / f"en-{target if source == 'en' else source}.gz"
    if not path.is_file():
        return None
    found = load(path)
    return found if source == "en" else found.reversed


def _through_english(source: str, target: str) -> Lexicon | None:
    """A lexicon of links through a common English word. It was not measured on pairs of the two, so it only warns."""
    here, there = _shipped(source, "en"), _shipped("en", target)
    if here is None or there is None or source == target:
        return None
    links: dict[tuple[str, str], float] = defaultdict(float)
    for word, row in here.links.items():
        for english, count in row.items():
            shares = there.links.get(english, {})
            for other, again in shares.items():
                links[word, other] += count * again / there.source_words[english]
    kept = pruned(((one, other, count) for (one, other), count in links.items()), here.source_words, there.target_words)
    about: dict[str, Any] = {name: min(here.about[name], there.about[name]) for name in ("mean", "spread", "unrelated")}
    about |= {name: here.about[name] + there.about[name] for name in ("length", "length_spread")}
    about["shares"] = [here.about["shares"][0] * there.about["shares"][0]] * 2
    about |= {"auc": 0.0, "through": "en"}
    ends = here.source_ends, there.target_ends
    return Lexicon(source, target, here.source_words, there.target_words, kept, about, *ends)


def _merged(mine: Lexicon, ours: Lexicon) -> Lexicon:
    """The user's lexicon, extended by the words of the other that it does not have."""
    rows = {word: row for word, row in ours.links.items() if word not in mine.source_words}
    # The figures of the better one are kept: words are only added to it.
    about = max(ours.about, mine.about, key=lambda figures: figures["auc"])
    return Lexicon(
        mine.source,
        mine.target,
        {**ours.source_words, **mine.source_words},
        {**ours.target_words, **mine.target_words},
        {**rows, **mine.links},
        {name: value for name, value in about.items() if name != "through"},
        {**ours.source_ends, **mine.source_ends},
        {**ours.target_ends, **mine.target_ends},
    )


def is_trusted(lexicon: Lexicon) -> bool:
    """Whether it was measured to separate sound pairs from others well enough to raise errors."""
    return float(lexicon.about.get("auc", 0.0)) >= GOOD_AUC


def how_words_are_compared(source: str, target: str, own: Lexicon | None = None) -> str | None:
    """The limits of the lexicon for two languages, for a report; None if it is good enough."""
    lexicon = lexicon_for(source, target, own)
    if source == target or (lexicon is not None and is_trusted(lexicon)):
        return None
    if lexicon is None:
        return f"no lexicon for {source!r} and {target!r}, so words are not compared"
    if lexicon.about.get("through"):
        return f"compared through English, because there is no lexicon for {source!r} and {target!r}; this only warns"
    return f"the lexicon for {source!r} and {target!r} is not good enough to stop anything; it only warns"
