"""An index of near-duplicates for large banks: MinHash signatures, in an SQLite file.

Candidates come from signatures cut into bands. Of the questions that share a band, those whose sketches are near (a bit
of each of 64 least words) are compared exactly with `similarity`. The index lies in a file, so that memory stays flat;
the latest questions wait in memory and are written in sorted batches, and a bit filter answers most look-ups
without touching the file. From each bucket only the earliest few are read: a bank that repeats one question a thousand
times costs no more than any other.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from burnish.core.errors import StorageFailed
from burnish.kinds.questions.similarity import FLAGGED, Match, Profile, similarity

BANDS, ROWS = 16, 6
"""Two questions that share 80 % of their words meet in a band almost surely (99 %), those that share 20 % hardly."""

BUCKET = 12
"""How many questions of one bucket are looked at, the earliest first."""
MOST_COMPARED = 8
"""How many candidates are compared exactly, the nearest sketches first."""
NEAR = 17
"""Bits of 64 in which sketches may differ: 11 are expected where two of three words are shared, 21 at one of three."""
BATCH = 4000
"""Questions that wait in memory before they are written together."""
BLOCK = 2048
"""Words hashed, or rows written, at a time: so that a huge stem takes time but no memory."""
FILTER_BITS = 2**27

Numbers = npt.NDArray[np.uint64]

_chance = np.random.Generator(np.random.PCG64(20_231_117))
_MULTIPLIERS = _chance.integers(1, 2**31, BANDS * ROWS, dtype=np.uint32) * 2 + 1
_BAND_MULTIPLIERS = _chance.integers(1, 2**63, (BANDS, ROWS), dtype=np.uint64) * 2 + 1
_IN_STEM, _IN_OPTION = _chance.integers(1, 2**63, 2, dtype=np.uint64) * 2 + 1
_ALL_BITS, _GREATEST = 2**64 - 1, 2**32 - 1
_SKETCHED = np.uint32(1 << 9)
_HALF, _BYTE, _IN_BYTE, _BIT, _LAST_BITS = (np.uint64(n) for n in (32, 3, 7, 1, FILTER_BITS - 1))

_SCHEMA = """
CREATE TABLE question (number INTEGER PRIMARY KEY, id TEXT NOT NULL, origin TEXT, profile BLOB NOT NULL);
CREATE TABLE band (hash INTEGER, number INTEGER, sketch INTEGER, PRIMARY KEY (hash, number)) WITHOUT ROWID;
"""
_BUCKET = "SELECT number, sketch FROM band WHERE hash = ? ORDER BY number LIMIT ?"
_QUESTION = "SELECT id, origin, profile FROM question WHERE number = ?"
# The file is a scratch index that nobody opens after a crash: no journal, no waiting for the disk.
_PRAGMAS = ("journal_mode=OFF", "synchronous=OFF", "page_size=8192", "cache_size=-4000", "locking_mode=EXCLUSIVE")


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    origin: str | None
    profile: Profile
    sketch: int


class MinHashIndex:
    """Every question seen so far, in a temporary file. It has no name: whatever ends the process, nothing is left."""

    def __init__(self) -> None:
        with _refusals():
            self._database = sqlite3.connect("", isolation_level=None)
            for pragma in _PRAGMAS:
                self._database.execute(f"PRAGMA {pragma}")
            self._database.executescript(_SCHEMA)
        self._filter = np.zeros(FILTER_BITS // 8, dtype=np.uint8)
        self._waiting: dict[int, _Entry] = {}
        self._waiting_bands: list[Numbers] = []
        # Nearly every bucket holds one question: lists for all of them would cost more than the hashing.
        self._waiting_first: dict[int, int] = {}
        self._waiting_more: defaultdict[int, list[int]] = defaultdict(list)
        self._count = 0

    def matches(self, seen: Profile) -> list[Match]:
        """The questions that are much like this one, most alike first."""
        with _refusals():
            return self._matches(seen, self._candidates(*signature(seen)))

    def add(self, name: str, origin: str | None, seen: Profile) -> list[Match]:
        """The same; then this one is known too."""
        bands, sketch = signature(seen)
        with _refusals():
            matches = self._matches(seen, self._candidates(bands, sketch))
            self._remember(_Entry(name, origin, seen, sketch), bands)
        return matches

    def close(self) -> None:
        """Let the file go."""
        self._database.close()

    def _candidates(self, bands: Numbers, sketch: int) -> list[int]:
        """Numbers of the questions that share a band and have a sketch near to this one, the nearest first."""
        sketches: dict[int, int] = {}
        if self._count >= BATCH:
            for band in bands[self._written(bands)].view(np.int64).tolist():
                sketches.update(self._database.execute(_BUCKET, (band, BUCKET)))
        for band in bands.view(np.int64).tolist():
            if band in self._waiting_first:
                for number in (self._waiting_first[band], *self._waiting_more.get(band, ())[: BUCKET - 1]):
                    sketches[number] = self._waiting[number].sketch
        near = [(bits, number) for number, other in sketches.items() if (bits := _difference(sketch, other)) <= NEAR]
        return [number for _, number in sorted(near)[:MOST_COMPARED]]

    def _written(self, bands: Numbers) -> npt.NDArray[np.bool_]:
        """Which of the bands may be in the file; False is certain."""
        bit = bands & _LAST_BITS
        found: npt.NDArray[np.bool_] = (self._filter[bit >> _BYTE] >> (bit & _IN_BYTE)) & _BIT != 0
        return found

    def _matches(self, wanted: Profile, candidates: list[int]) -> list[Match]:
        found = []
        for number in candidates:
            entry = self._waiting.get(number) or self._read(number)
            alike = similarity(wanted, entry.profile)
            if alike >= FLAGGED:
                found.append(Match(entry.id, entry.origin, alike))
        return sorted(found, key=lambda match: -match.similarity)

    def _read(self, number: int) -> _Entry:
        id, origin, packed = self._database.execute(_QUESTION, (number,)).fetchone()
        return _Entry(id, origin, Profile.unpacked(packed), 0)

    def _remember(self, entry: _Entry, bands: Numbers) -> None:
        self._waiting[self._count] = entry
        self._waiting_bands.append(bands)
        for band in bands.view(np.int64).tolist():
            if self._waiting_first.setdefault(band, self._count) != self._count:
                self._waiting_more[band].append(self._count)
        self._count += 1
        if len(self._waiting) >= BATCH:
            self._write()

    def _write(self) -> None:
        """Write what waits, sorted by band: neighbours in the file are written together."""
        bands = np.concatenate(self._waiting_bands)
        bit = bands & _LAST_BITS
        np.bitwise_or.at(self._filter, bit >> _BYTE, np.left_shift(1, bit & _IN_BYTE).astype(np.uint8))
        order = np.argsort(bands.view(np.int64), kind="stable")
        rows = self._rows(bands.view(np.int64)[order], order // BANDS + (self._count - len(self._waiting)))
        with self._database:
            self._database.execute("BEGIN")
            self._database.executemany(
                "INSERT INTO question VALUES (?, ?, ?, ?)",
                ((number, e.id, e.origin, e.profile.packed()) for number, e in self._waiting.items()),
            )
            self._database.executemany("INSERT OR IGNORE INTO band VALUES (?, ?, ?)", rows)
        self._waiting.clear()
        self._waiting_bands.clear()
        self._waiting_first.clear()
        self._waiting_more.clear()

    def _rows(self, hashes: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
        """The rows of the band table, a few of them at a time as Python's large numbers."""
        for start in range(0, len(hashes), BLOCK):
            some = numbers[start : start + BLOCK].tolist()
            sketches = (self._waiting[number].sketch for number in some)
            yield from zip(hashes[start : start + BLOCK].tolist(), some, sketches, strict=True)


@contextmanager
def _refusals() -> Iterator[None]:
    """What the disk refuses to the index, as an error of ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageFailed(
            f"The index of near-duplicates cannot be kept: {error} ({getattr(error, 'sqlite_errorname', '')}).",
            hint="Free some space where temporary files go, or name another place with SQLITE_TMPDIR.",
        ) from error


def signature(of: Profile) -> tuple[Numbers, int]:
    """One number a band, equal where two questions agree in all ROWS least words of the band; and the sketch."""
    words = _word_set(of)
    least = _least(words[:BLOCK])
    for start in range(BLOCK, len(words), BLOCK):
        np.minimum(least, _least(words[start : start + BLOCK]), out=least)
    bands: Numbers = np.add.reduce(least.reshape(BANDS, ROWS) * _BAND_MULTIPLIERS, axis=1, dtype=np.uint64)
    # Odd multipliers leave the lowest bit as it is; a higher one is as good as chance.
    bits = np.packbits(least[:64] & _SKETCHED != 0)
    return bands, int(bits.view(np.int64)[0])


def _least(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The least hash of any word, for each hash."""
    least: npt.NDArray[np.uint32] = np.minimum.reduce(words[:, None] * _MULTIPLIERS, axis=0, initial=_GREATEST)
    return least


def _difference(one: int, other: int) -> int:
    return ((one ^ other) & _ALL_BITS).bit_count()


def _word_set(of: Profile) -> npt.NDArray[np.uint32]:
    """The content words of the stem and, told apart from them, the words of the options; repeats do no harm."""
    stem = np.frombuffer(of.stem, dtype=np.uint32) * _IN_STEM
    options = np.frombuffer(b"".join(of.options), dtype=np.uint32) * _IN_OPTION
    return (np.concatenate((stem, options)) >> _HALF).astype(np.uint32)
