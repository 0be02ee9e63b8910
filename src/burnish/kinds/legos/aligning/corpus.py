"""The sentence pairs of a course as arrays: words as numbers, every pair of words that meet as one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from burnish.kinds.legos.aligning.spelling import main_part

Ints = NDArray[np.int64]
Pair = tuple[Sequence[str], Sequence[str]]

BATCH_CELLS = 200_000
"""Cells that are worked on at once: bounds memory, and fills the processor's caches well."""
STEM_LETTERS = 4
"""Inflected forms that begin alike share what is learned about them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentence pairs of about the same size, padded to one shape."""

    rows: Ints
    """Which pairs of the corpus."""
    sources: Ints
    targets: Ints
    """Words (B, I) and (B, J); 0 where a shorter sentence has none."""
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
    """By number; number 0 is padding and the empty word."""
    stems: Ints
    """Word number -> stem number."""
    frequencies: NDArray[np.float64]
    """Word number -> how often it stands in the course."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A course, ready to be aligned."""

    source: Side
    target: Side
    batches: tuple[Batch, ...]
    meeting_sources: Ints
    meeting_targets: Ints
    """For every meeting its source word and its target word; meeting 0 is padding."""

    @property
    def meetings(self) -> int:
        return len(self.meeting_sources)


def corpus_of(pairs: Sequence[Pair]) -> Corpus:
    """The arrays of a course. Pairs with an empty half take no part."""
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
    """(B, I, J): one number for every pair of words; 0 where there is no word."""
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
    return main_part(word)[:STEM_LETTERS]


def _padded(rows: Sequence[Sequence[int]], chosen: Sequence[int]) -> Ints:
    longest = max(len(rows[row]) for row in chosen)
    table = np.zeros((len(chosen), longest), dtype=np.int64)
    for place, row in enumerate(chosen):
        table[place, : len(rows[row])] = rows[row]
    return table


def _batched(pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Rows of about the same size together, no batch over its cells (but for a single pair that is).

    Rows of the same size are ordered by their words: sums come out the same to the last digit whatever the order of the
    pairs was.
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
