"""Which of very many texts may be much like a given one: candidates to be compared letter by letter.

Every text is known by its least hashes (a sketch) of words and pairs of neighbouring words: what two texts share, their
sketches share in about the same proportion. All hashes of all texts lie in one sorted table of numbers, so that a
question costs a few binary searches however many texts there are, and a hundred thousand texts take a few megabytes.
Rare words are looked up first and the number of places that are looked at is bounded, so that texts which all say the
same cost no more than others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt

SKETCH = 32
"""Hashes by which a text is known."""
MOST_PLACES = 2_000
"""Entries of the table that one question may look at."""
MOST_COMPARED = 24
"""Candidates that are given back."""
FEW_WORDS = 5
"""Texts of fewer words are known by their groups of three letters, too."""

TOKEN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]|[^\W_]+", re.UNICODE
)
"""A word, a number; of scripts that set no blanks between words, one letter."""
_MIX = np.uint32(0x9E3779B1)

Numbers = npt.NDArray[np.uint32]


class LikenessIndex:
    """The table for a fixed list of texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        sketches: list[Numbers] = []
        lengths: list[int] = []
        for text in texts:
            sketches.append(sketch(text))
            lengths.append(len(text))
        self._lengths = np.asarray(lengths, dtype=np.int64)
        self._sizes = np.asarray([len(one) for one in sketches], dtype=np.int64)
        hashes = np.concatenate(sketches) if sketches else np.empty(0, dtype=np.uint32)
        places = np.repeat(np.arange(len(sketches), dtype=np.uint32), self._sizes)
        order = np.argsort(hashes, kind="stable")
        self._hashes: Numbers = hashes[order]
        self._places: Numbers = places[order]

    def nearest(self, text: str, threshold: float) -> list[int]:
        """Places of the texts that share most with this one, the nearest first; those too long or short left out."""
        wanted = sketch(text)
        begins = np.searchsorted(self._hashes, wanted, side="left")
        ends = np.searchsorted(self._hashes, wanted, side="right")
        found = self._bounded(begins, ends)
        if not len(found):
            return []
        places, shared = np.unique(found, return_counts=True)
        # 2 * common / (one + other) can reach the threshold only if neither is too long for the other.
        longest, shortest = len(text) * (2 - threshold) / threshold, len(text) * threshold / (2 - threshold)
        lengths = self._lengths[places]
        fits = (lengths <= longest + 1) & (lengths >= shortest - 1)
        places, shared = places[fits], shared[fits]
        shares = shared / np.maximum(1, np.maximum(self._sizes[places], len(wanted)))
        order = np.lexsort((places, -shares))[:MOST_COMPARED]
        return [int(place) for place in places[order]]

    def _bounded(self, begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Numbers:
        """The places behind these stretches of the table, the shortest stretches first, up to the bound."""
        order = np.argsort(ends - begins, kind="stable")
        taken: list[Numbers] = []
        left = MOST_PLACES
        for begin, end in zip(begins[order].tolist(), ends[order].tolist(), strict=True):
            stretch = self._places[begin : min(end, begin + left)]
            taken.append(stretch)
            left -= len(stretch)
            if left <= 0:
                break
        return np.concatenate(taken) if taken else np.empty(0, dtype=np.uint32)


def sketch(text: str) -> Numbers:
    """The least hashes of a text's words and pairs of words, without repetitions."""
    words = TOKEN.findall(text.lower())
    shingles = set(words)
    shingles.update(map(" ".join, pairwise(words)))
    if len(words) < FEW_WORDS:
        joined = f" {' '.join(words) or text.lower()} "[:200]
        shingles.update(joined[at : at + 3] for at in range(len(joined) - 2))
    hashes = np.fromiter((crc32(part.encode("utf-8", "replace")) for part in shingles), np.uint32, len(shingles))
    return np.unique(hashes * _MIX)[:SKETCH]
