"""The similarity of two questions, from 0 to 1: stems are compared as sequences of words, options as sets.

The stems are compared by their content words (with numbers and signs, without stop words and the boilerplate of
lead-ins such as "Which of the following is the most likely"): the share of common words, half of it counted in the
same order (longest common subsequence), half in any order. Options are paired one to one in any order. Their weight is
their share of the words, but at least a quarter and at most half, so that neither one stem with other options nor one
option list under other stems is a duplicate.

A pair that differs in a number, a sign, a negation or the right answer is not the same question, so it stays below
`REJECTED`. If all words are the same, a different key does not count: one of the two must be wrong.
"""

from __future__ import annotations

import marshal
import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel

from burnish.core.errors import StorageFailed
from burnish.kinds.questions.model import Question
from burnish.languages.words import NEGATIONS, STOP_WORDS, word_set

FLAGGED = 0.85
"""From this similarity on, two questions may be the same."""
REJECTED = 0.95
"""From this similarity on, they are."""

BELOW_REJECTED = 0.94
NEARLY = 0.99
"""The highest similarity of questions whose text differs: only identical text has 100 %."""
UTF8 = ("utf-8", "surrogatepass")
OTHER_ANSWER = 0.93
"""Factor for pairs that differ in stem and right answer: these are more often variants of a template than copies."""
LIGHTEST_OPTIONS, HEAVIEST_OPTIONS = 0.25, 0.5
LONGEST_STEM = 3000
"""Content words of a stem that are compared."""
LONGEST_OPTION = 300
MOST_OPTIONS = 40
SHORT = 80
"""Characters of a text whose hashes are cached."""

PIECE = re.compile(r"\w+|[^\w\s.,;:?!'\"()’-]|-(?=\d)")
"""A word, a number or a sign. Simpler than the words that rules read, because it is faster and never shown."""

BOILERPLATE = STOP_WORDS | word_set(
    "following likely appropriate best statement statements question answer option options correct true"
)
CHARACTERS_PER_PIECE = 20
"""If pieces are longer than this on average, the script has no spaces and characters are compared instead."""

_BOILERPLATE_BIT, _FACT_BIT = 1, 2


@dataclass(frozen=True, slots=True)
class Profile:
    """The parts of a question that are compared; words are 32-bit hashes."""

    stem: bytes
    """Content words in order."""
    options: tuple[bytes, ...]
    facts: int
    """Numbers, signs and negations of the stem."""
    key: int
    """The text of the right answer."""
    whole: int
    """Every word of the stem, stop words included."""
    text: int
    """Stem and options as written, with whitespace normalized."""

    def packed(self) -> bytes:
        return marshal.dumps((self.stem, self.options, self.facts, self.key, self.whole, self.text))

    @classmethod
    def unpacked(cls, data: bytes) -> Profile:
        return cls(*marshal.loads(data))


def profile(question: Question) -> Profile:
    """The profile of a question."""
    asked = "\n".join((question.vignette or "", question.stem, *(item.stem for item in question.items or ())))
    pieces = array("I", _hashed(asked))
    own = (option for item in question.items or () for option in item.options or ())
    options = [*question.options, *own][:MOST_OPTIONS]
    content = array("I", [piece for piece in pieces if not piece & _BOILERPLATE_BIT])
    compared = content if len(content) > 1 else pieces
    return Profile(
        stem=compared[:LONGEST_STEM].tobytes(),
        options=tuple(_hashed(option.text)[: 4 * LONGEST_OPTION] for option in options),
        facts=crc32(array("I", [piece for piece in pieces if piece & _FACT_BIT]).tobytes()),
        key=crc32(_key(question)),
        whole=crc32(pieces.tobytes()),
        text=crc32("\n".join(" ".join(text.split()) for text in (asked, *(o.text for o in options))).encode(*UTF8)),
    )


def similarity(one: Profile, other: Profile) -> float:
    """The similarity, or 0 if it is too low to be flagged; the docstring of the module has the details."""
    weight = _option_weight(one, other)
    same_words = one.whole == other.whole
    # Below this, even equal options would not reach FLAGGED: the comparison may stop early with 0.
    least = max(0.0, (FLAGGED - weight) / (1 - weight))
    stems = 1.0 if same_words else _stem_similarity(one.stem, other.stem, least)
    if stems < least:
        return 0.0
    options = _option_similarity(one.options, other.options)
    alike = (1 - weight) * stems + weight * options
    if same_words and options == 1.0:
        return 1.0 if one.text == other.text else NEARLY
    if one.key != other.key and stems < 1.0:
        alike *= OTHER_ANSWER
    differs = one.facts != other.facts or one.key != other.key
    return min(alike, BELOW_REJECTED if differs else NEARLY)


def _option_weight(one: Profile, other: Profile) -> float:
    if not one.options and not other.options:
        return 0.0
    in_options = sum(map(len, one.options)) + sum(map(len, other.options))
    share = in_options / max(1, in_options + len(one.stem) + len(other.stem))
    return min(max(share, LIGHTEST_OPTIONS), HEAVIEST_OPTIONS)


def _stem_similarity(one: bytes, other: bytes, least: float) -> float:
    """Half for common words in the same order, half for common words in any order."""
    words, others = array("I", one).tolist(), array("I", other).tolist()
    # The share in any order is an upper bound of the share in the same order, so it is tested first.
    any_order = Indel.normalized_similarity(sorted(words), sorted(others), score_cutoff=least)
    if not any_order:
        return 0.0
    return (any_order + Indel.normalized_similarity(words, others)) / 2


def _option_similarity(one: Sequence[bytes], other: Sequence[bytes]) -> float:
    """The mean similarity of paired options, equal ones paired first; an option without a partner counts as 0."""
    size = max(len(one), len(other))
    rest, unpaired = list(other), []
    for option in one:
        if option in rest:
            rest.remove(option)
        else:
            unpaired.append(option)
    alike = float(len(one) - len(unpaired))
    for option in unpaired:
        words = array("I", option).tolist()
        scores = [Indel.normalized_similarity(words, array("I", other).tolist()) for other in rest]
        if scores:
            alike += max(scores)
            rest.pop(scores.index(max(scores)))
    return alike / size if size else 1.0


def _key(question: Question) -> bytes:
    """The words of the right answer; for a set, or a key that names no option, the letters."""
    if question.right:
        return _hashed(" ".join(option.text for option in question.right))
    letters = (question.correct_answer, *(item.correct_answer for item in question.items or ()))
    return _hashed(" ".join(letters))


def _hashed(text: str) -> bytes:
    """The hashes of all pieces, 4 bytes each."""
    return _kept_hashes(text) if len(text) <= SHORT else _hashes_of(text)


def _hashes_of(text: str) -> bytes:
    lowered = text.lower().replace("’", "'").replace("'s", "")
    pieces: list[str] = PIECE.findall(lowered)
    if len(lowered) > CHARACTERS_PER_PIECE * (len(pieces) + 1):
        pieces = [character for piece in pieces for character in piece]
    return array("I", map(_HASHES.__getitem__, pieces)).tobytes()


# The key is one of the options, and options recur in other questions.
_kept_hashes = lru_cache(maxsize=4096)(_hashes_of)


class _Hashes(dict[str, int]):
    """A bounded cache from piece to hash; plural and singular have the same hash.

    The two lowest bits mark boilerplate and facts, so that a stem can be filtered by its hashes.
    """

    LARGEST = 50_000
    LONGEST = 40

    def __missing__(self, piece: str) -> int:
        singular = piece[:-1] if len(piece) > 3 and piece.endswith("s") else piece
        value = crc32(singular.encode(*UTF8)) & ~3
        value |= _BOILERPLATE_BIT if piece in BOILERPLATE else 0
        value |= _FACT_BIT if piece in NEGATIONS or not piece[0].isalpha() else 0
        if len(self) >= self.LARGEST:
            self.clear()
        if len(piece) <= self.LONGEST:
            self[piece] = value
        return value


_HASHES = _Hashes()


@dataclass(frozen=True, slots=True)
class Match:
    """An earlier question that resembles the current one."""

    id: str
    origin: str | None
    """Its file, if that is another one."""
    similarity: float

    @property
    def rejected(self) -> bool:
        return self.similarity >= REJECTED


BANDS, ROWS = 16, 6
"""Questions that share 80 % of their words have a common band with 99 % probability; at 20 %, hardly ever."""

BUCKET = 12
"""Questions of one bucket that become candidates, the earliest first."""
MOST_COMPARED = 8
"""Candidates that are compared exactly, the nearest sketches first."""
NEAR = 17
"""Bits of 64 in which sketches may differ: 11 are expected if two of three words are shared, 21 for one of three."""
BATCH = 4000
"""Questions that are buffered in memory before a write."""
BLOCK = 2048
"""Words hashed or rows written at a time, so that a huge stem does not need much memory."""
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
# The file is a scratch index that is not used after a crash: it needs no journal and no sync.
_PRAGMAS = ("journal_mode=OFF", "synchronous=OFF", "page_size=8192", "cache_size=-4000", "locking_mode=EXCLUSIVE")


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    origin: str | None
    profile: Profile
    sketch: int


class MinHashIndex:
    """An index of the questions added so far, in an unnamed temporary file that vanishes with the process."""

    def __init__(self) -> None:
        with storage_refusals():
            self._database = scratch_database(_SCHEMA)
        self._filter = np.zeros(FILTER_BITS // 8, dtype=np.uint8)
        self._waiting: dict[int, _Entry] = {}
        self._waiting_bands: list[Numbers] = []
        # Nearly every bucket has one question: a list for each would cost more than the hashing.
        self._waiting_first: dict[int, int] = {}
        self._waiting_more: defaultdict[int, list[int]] = defaultdict(list)
        self._count = 0

    def matches(self, seen: Profile) -> list[Match]:
        """The questions that resemble this one, most similar first."""
        with storage_refusals():
            return self._matches(seen, self._candidates(*signature(seen)))

    def add(self, name: str, origin: str | None, seen: Profile) -> list[Match]:
        """The matches of this question, which is then added."""
        bands, sketch = signature(seen)
        with storage_refusals():
            matches = self._matches(seen, self._candidates(bands, sketch))
            entry = _Entry(name, origin, seen, sketch)
            self._waiting[self._count] = entry
            self._waiting_bands.append(bands)
            for band in bands.view(np.int64).tolist():
                if self._waiting_first.setdefault(band, self._count) != self._count:
                    self._waiting_more[band].append(self._count)
            self._count += 1
            if len(self._waiting) >= BATCH:
                self._write()
        return matches

    def close(self) -> None:
        """Close the temporary file."""
        self._database.close()

    def _candidates(self, bands: Numbers, sketch: int) -> list[int]:
        """The numbers of the questions with a common band and a near sketch, the nearest first."""
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
        """Which bands may be in the file (a Bloom filter); False is certain."""
        bit = bands & _LAST_BITS
        found: npt.NDArray[np.bool_] = (self._filter[bit >> _BYTE] >> (bit & _IN_BYTE)) & _BIT != 0
        return found

    def _matches(self, query: Profile, candidates: list[int]) -> list[Match]:
        found = []
        for number in candidates:
            entry = self._waiting.get(number) or self._read(number)
            alike = similarity(query, entry.profile)
            if alike >= FLAGGED:
                found.append(Match(entry.id, entry.origin, alike))
        return sorted(found, key=lambda match: -match.similarity)

    def _read(self, number: int) -> _Entry:
        id, origin, packed = self._database.execute(_QUESTION, (number,)).fetchone()
        return _Entry(id, origin, Profile.unpacked(packed), 0)

    def _write(self) -> None:
        """Write the buffered questions, sorted by band, so that neighbours in the file are written together."""
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
        """The rows of the band table, converted to Python integers block by block to save memory."""
        for start in range(0, len(hashes), BLOCK):
            some = numbers[start : start + BLOCK].tolist()
            sketches = (self._waiting[number].sketch for number in some)
            yield from zip(hashes[start : start + BLOCK].tolist(), some, sketches, strict=True)


def scratch_database(schema: str) -> sqlite3.Connection:
    """A database in an unnamed temporary file."""
    database = sqlite3.connect("", isolation_level=None)
    for pragma in _PRAGMAS:
        database.execute(f"PRAGMA {pragma}")
    database.executescript(schema)
    return database


@contextmanager
def storage_refusals() -> Iterator[None]:
    """Raise StorageFailed for errors of the database."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageFailed(
            f"The index of questions cannot be written: {error} ({getattr(error, 'sqlite_errorname', '')}).",
            hint="Free some space for temporary files, or set SQLITE_TMPDIR to another folder.",
        ) from error


def signature(of: Profile) -> tuple[Numbers, int]:
    """The bands of a question, equal if all ROWS minimum hashes of a band are equal; and its sketch."""
    # Words of the stem and of the options are hashed differently; repeats do no harm.
    stem = np.frombuffer(of.stem, dtype=np.uint32) * _IN_STEM
    options = np.frombuffer(b"".join(of.options), dtype=np.uint32) * _IN_OPTION
    words = (np.concatenate((stem, options)) >> _HALF).astype(np.uint32)
    least = _least(words[:BLOCK])
    for start in range(BLOCK, len(words), BLOCK):
        np.minimum(least, _least(words[start : start + BLOCK]), out=least)
    bands: Numbers = np.add.reduce(least.reshape(BANDS, ROWS) * _BAND_MULTIPLIERS, axis=1, dtype=np.uint64)
    # Odd multipliers do not change the lowest bit; a higher bit is practically random.
    bits = np.packbits(least[:64] & _SKETCHED != 0)
    return bands, int(bits.view(np.int64)[0])


def _least(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The minimum over all words, for each hash function."""
    least: npt.NDArray[np.uint32] = np.minimum.reduce(words[:, None] * _MULTIPLIERS, axis=0, initial=_GREATEST)
    return least


def _difference(one: int, other: int) -> int:
    return ((one ^ other) & _ALL_BITS).bit_count()
