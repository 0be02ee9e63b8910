"""The sentence pairs of a course as arrays, and how similar words of the two languages are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from burnish.languages.lexicon import without_clitics

_CYRILLIC = str.maketrans(
    "абвгдежзийклмнопрстуфхцчшщъыэюяёіїєґѓѕјљњќџђћ",
    "abvgdejziiklmnoprstufhssssaieuaeiieggzilnkjds",
    "ь",
)
_GREEK = str.maketrans("αβγδεζηθικλμνοπρστυφχως", "avgdezitiklmnoprstifhos") | {ord("ξ"): "ks", ord("ψ"): "ps"}
_LATIN = {ord(sign): instead for sign, instead in zip("wyqxłøß", ("v", "i", "k", "ks", "l", "o", "ss"), strict=True)}
_SOUNDS = {**_CYRILLIC, **_GREEK, **_LATIN}
"""Letters as Latin ones of the same sound. Rough on purpose: for comparing, never shown."""
_PAIRS = (
    (regex.compile("ph"), "f"),
    (regex.compile("th"), "t"),
    (regex.compile("[sck]h|tch"), "s"),
    (regex.compile("c(?=[eiy])"), "s"),
    (regex.compile("c"), "k"),
    (regex.compile("g"), "h"),
    (regex.compile(r"(.)\1+"), r"\1"),
)
_MARKS = dict.fromkeys("\"“”„‟«»‹›'’‘‚‛`", '"') | dict.fromkeys("-–—―", "-") | {"¿": "?", "¡": "!"}
"""Punctuation with the same function in another language."""
LEAST_LETTERS = 3
"""Shorter words resemble each other by chance."""
LEAST_ALIKE = 0.5


def main_part(word: str) -> str:
    """A word without the part that an apostrophe joins to it: `tom's` -> `tom`, `l'homme` -> `homme`."""
    return max(word.split("'"), key=len) or word


def sounded(word: str) -> str:
    """A bare word in rough Latin letters; signs of one function become one sign."""
    if not any(sign.isalpha() for sign in word):
        return "".join(_MARKS.get(sign, sign) for sign in word)
    plain = "".join(sign for sign in unicodedata.normalize("NFD", main_part(word)) if not unicodedata.combining(sign))
    sounds = unicodedata.normalize("NFC", plain).translate(_SOUNDS)
    for pattern, instead in _PAIRS:
        sounds = pattern.sub(instead, sounds)
    return sounds


def likenesses(
    sources: Sequence[str], targets: Sequence[str], source_ids: NDArray[np.int64], target_ids: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For every pair of words (by their ids) their similarity, 0..1."""
    left, right = [sounded(word) for word in sources], [sounded(word) for word in targets]
    alike = np.zeros(len(source_ids))
    numbers: dict[str, int] = {}
    left_whole = np.array([numbers.setdefault(word, len(numbers)) for word in left])
    right_whole = np.array([numbers.setdefault(word, len(numbers)) for word in right])
    same = left_whole[source_ids] == right_whole[target_ids]
    worth = (_openings(left)[source_ids] == _openings(right)[target_ids]) & ~same
    worth &= _letter_counts(left)[source_ids] >= LEAST_LETTERS
    worth &= _letter_counts(right)[target_ids] >= LEAST_LETTERS
    chosen = np.flatnonzero(worth)
    if len(chosen):
        ratios = process.cpdist(
            [left[place] for place in source_ids[chosen]],
            [right[place] for place in target_ids[chosen]],
            scorer=Levenshtein.normalized_similarity,
        )
        alike[chosen] = np.maximum(0.0, (ratios - LEAST_ALIKE) / (1 - LEAST_ALIKE))
    alike[same] = np.where(_letter_counts(left)[source_ids[same]] >= LEAST_LETTERS, 1.0, 0.5)
    alike[same & _signs(sources)[source_ids]] = 1.0
    return alike


def _openings(words: Sequence[str]) -> NDArray[np.int64]:
    """The first letter: cognates nearly always share it. Words that begin with no letter match only themselves."""
    return np.array([ord(word[0]) if word and word[0].isalpha() else -1 - place for place, word in enumerate(words)])


def _letter_counts(words: Sequence[str]) -> NDArray[np.int64]:
    return np.array([len(word) for word in words])


def _signs(words: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not any(sign.isalpha() for sign in word) for word in words])


Ints = NDArray[np.int64]
Pair = tuple[Sequence[str], Sequence[str]]

BATCH_CELLS = 200_000
"""Cells of a batch: bounds memory, and fits the processor's caches."""
STEM_LETTERS = 4
"""Letters of a stem: inflected forms with the same stem share their counts."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentence pairs of about the same size, padded to one shape."""

    rows: Ints
    """The indices of its pairs in the corpus."""
    sources: Ints
    targets: Ints
    """Words (B, I) and (B, J); 0 is padding."""
    cells: NDArray[np.int32]
    """(B, I, J): the number of the meeting of a source word and a target word; 0 for padding."""

    @property
    def source_lengths(self) -> Ints:
        return _lengths(self.sources)

    @property
    def target_lengths(self) -> Ints:
        return _lengths(self.targets)


@dataclass(frozen=True, slots=True)
class Side:
    """The words of one language."""

    words: tuple[str, ...]
    """Words by number; number 0 is padding and the empty word."""
    stems: Ints
    """Word number -> stem number."""
    frequencies: NDArray[np.float64]
    """Word number -> its count in the course."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A course, ready to be aligned."""

    source: Side
    target: Side
    batches: tuple[Batch, ...]
    meeting_sources: Ints
    meeting_targets: Ints
    """For every meeting (two words of one pair) its source word and its target word; meeting 0 is padding."""

    @property
    def meetings(self) -> int:
        return len(self.meeting_sources)


def corpus_of(pairs: Sequence[Pair]) -> Corpus:
    """The arrays of a course. Pairs with an empty half are left out."""
    source, source_rows = _side([pair[0] for pair in pairs])
    target, target_rows = _side([pair[1] for pair in pairs])
    padded = [(np.array(rows), _padded(source_rows, rows), _padded(target_rows, rows)) for rows in _batched(pairs)]
    width = len(target.words)
    keys = (np.unique(_keys(left, right, width)) for _, left, right in padded)
    known = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), *keys]))
    batches = tuple(
        Batch(rows, left, right, np.searchsorted(known, _keys(left, right, width)).astype(np.int32))
        for rows, left, right in padded
    )
    return Corpus(source, target, batches, known // width, known % width)


def _keys(left: Ints, right: Ints, width: int) -> Ints:
    """(B, I, J): one number for every pair of words; 0 for padding."""
    found = left[:, :, None] * width + right[:, None, :]
    found[(left[:, :, None] == 0) | (right[:, None, :] == 0)] = 0
    return found


def _side(sentences: Sequence[Sequence[str]]) -> tuple[Side, list[list[int]]]:
    words = ("", *sorted({word or " " for sentence in sentences for word in sentence}))
    numbers = {word: number for number, word in enumerate(words)}
    rows = [[numbers[word or " "] for word in sentence] for sentence in sentences]
    frequencies = np.bincount([number for row in rows for number in row], minlength=len(words)).astype(np.float64)
    stems: dict[str, int] = {}
    stem_of = np.array([stems.setdefault(_stem(word), len(stems)) for word in words], dtype=np.int64)
    return Side(words, stem_of, frequencies), rows


def _lengths(words: Ints) -> Ints:
    lengths: Ints = (words != 0).sum(axis=1, dtype=np.int64)
    return lengths


def _stem(word: str) -> str:
    return without_clitics(main_part(word))[:STEM_LETTERS]


def _padded(rows: Sequence[Sequence[int]], chosen: Sequence[int]) -> Ints:
    longest = max(len(rows[row]) for row in chosen)
    table = np.zeros((len(chosen), longest), dtype=np.int64)
    for place, row in enumerate(chosen):
        table[place, : len(rows[row])] = rows[row]
    return table


def _batched(pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Batches of rows of similar size, none over BATCH_CELLS (unless a single pair is).

    Rows of the same size are ordered by their words, so that sums are the same to the last digit for any order of the
    pairs.
    """
    sizes = [(len(source), len(target)) for source, target in pairs]
    full = (row for row, size in enumerate(sizes) if all(size))
    batch: list[int] = []
    width = height = 0
    for row in sorted(full, key=lambda row: (max(sizes[row]), sizes[row], *map(tuple, pairs[row]))):
        wider, higher = max(width, sizes[row][0]), max(height, sizes[row][1])
        if batch and (len(batch) + 1) * wider * higher > BATCH_CELLS:
            yield batch
            batch, wider, higher = [], *sizes[row]
        batch.append(row)
        width, height = wider, higher
    if batch:
        yield batch
