"""Near-duplicates: each question against all that came before it, in the same bank or in an earlier one.

Candidates come from MinHash signatures cut into bands. Of the questions that share a band, those whose sketches are
near (a bit of each of 64 least words) are compared exactly with `similarity`. The index lies in an SQLite file, so that
memory stays flat; the latest questions wait in memory and are written in sorted batches, and a bit filter answers most
look-ups without touching the file. From each bucket only the earliest few are read: a bank that repeats one question a
thousand times costs no more than any other.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from burnish.core.checks import Examination
from burnish.core.documents import Problem, Unit
from burnish.core.errors import StorageFailed
from burnish.core.findings import Finding
from burnish.core.kinds import Placed
from burnish.kinds.questions.bank import BankFacts
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats.base import Part
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import ALIKE
from burnish.kinds.questions.similarity import FLAGGED, REJECTED, Profile, profile, similarity

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
class Match:
    """An earlier question that is much like the one at hand."""

    id: str
    origin: str | None
    """The file it stands in, where it is another one."""
    similarity: float

    @property
    def rejected(self) -> bool:
        return self.similarity >= REJECTED


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    origin: str | None
    profile: Profile
    sketch: int


class DuplicateIndex:
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

    def add(self, question: Question, *, name: str | None = None, origin: str | None = None) -> list[Match]:
        """The earlier questions that are much like this one, most alike first; then this one is known too.

        `name` is what matches call it where its id will not do.
        """
        seen = profile(question)
        bands, sketch = signature(seen)
        with _refusals():
            matches = self._matches(seen, self._candidates(bands, sketch))
            self._remember(_Entry(name or question.id, origin, seen, sketch), bands)
        return matches

    def like(self, question: Question) -> list[Match]:
        """The questions that are much like this one, most alike first. It is not added to them."""
        seen = profile(question)
        with _refusals():
            return self._matches(seen, self._candidates(*signature(seen)))

    def close(self) -> None:
        """Let the file go."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

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


def duplicate_finding(unit: str, matches: Sequence[Match], *, rejecting: bool = True) -> Finding | None:
    """What was found as one finding on a question, which names the most alike; not `rejecting`: never an error."""
    if not matches:
        return None
    match = matches[0]
    rejected = rejecting and match.rejected
    place = f" in {match.origin}" if match.origin else ""
    others = len(matches) - 1
    more = f" ({others} more {'is' if others == 1 else 'are'} much like it)" if others else ""
    return Finding(
        rule=ALIKE.id,
        severity="error" if rejected else "warning",
        unit=unit,
        field=None,
        message=f"The question is {_percent(match.similarity)} like {match.id!r}{place}{more}.",
        suggestion="Keep one of the two."
        if rejected
        else "Compare the two: keep one, or make them ask different things.",
    )


def _percent(similarity: float) -> str:
    """Rounded down, so that 94.9 % never reads as the 95 % that would have rejected it."""
    return f"{int(similarity * 100)} %"


Against = tuple[str, str]
"""An earlier bank that new ones are compared with: path and format."""
EARLIER = "earlier"
"""Stands for it in the index, where the banks at hand go by their numbers."""


class BankOverview:
    """The Overview of question banks. Each has facts of its own; copies are looked for across all of them."""

    def __init__(self, against: Against | None = None, off: Collection[str] = ()) -> None:
        self._against = against
        self._index = None if ALIKE.id in off else DuplicateIndex()
        self._facts = BankFacts()
        self._alike = self._ignored = 0
        self._here = ""
        self._names: dict[str, str] = {}
        """What the index calls a bank -> its file."""

    def prepare(self) -> Iterator[Problem]:
        against, self._against = self._against, None
        if against is None or self._index is None:
            return
        self._names[EARLIER] = against[0]
        for part in _parts(against):
            if isinstance(part, Question):
                self._index.add(part, origin=EARLIER)
            elif isinstance(part, Problem):
                yield part

    def begin(self, document: str) -> None:
        self._here = str(len(self._names))
        self._names[self._here] = document
        self._facts = BankFacts()
        self._alike = self._ignored = 0

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        question = cast(Question, unit)
        self._facts.add(question)
        finding = self._likeness(question)
        if finding is None:
            return []
        if finding.rule in question.burnish_ignore:
            self._ignored += 1
            return []
        self._alike += 1
        return [finding]

    def conclude(self) -> Sequence[Finding]:
        """Nothing is a bank's fault alone: every likeness is told with one of its questions."""
        return ()

    def _likeness(self, question: Question) -> Finding | None:
        """Each file is a bank of its own: a copy in another one at hand is worth a word, but no error."""
        if self._index is None:
            return None
        matches = self._index.add(question, origin=self._here)
        own = [self._told(match) for match in matches if match.origin in (self._here, EARLIER)]
        finding = duplicate_finding(question.id, own)
        if finding is not None and finding.blocks:
            return finding
        return duplicate_finding(question.id, [self._told(match) for match in matches], rejecting=False)

    def _told(self, match: Match) -> Match:
        """The match with the name of its file, where that is another one."""
        return replace(match, origin=None if match.origin == self._here else self._names[match.origin or ""])

    def result(self) -> Mapping[str, Any]:
        if self._index is None:
            return self._facts.result()
        ignored = {"near_duplicates_ignored": self._ignored} if self._ignored else {}
        return {**self._facts.result(), "near_duplicates": self._alike, **ignored}

    def close(self) -> None:
        if self._index is not None:
            self._index.close()


def repetitions(
    drafts: Iterable[Placed], others: Iterable[Placed], against: Against | None
) -> Iterator[tuple[str, Finding]]:
    """What `PolishedKind.repetitions` promises. Only the drafts are indexed: the others just pass by."""
    homes: dict[str, tuple[str, str]] = {}
    with DuplicateIndex() as index:
        for draft in drafts:
            question = cast(Question, draft.unit)
            if ALIKE.id in question.burnish_ignore:
                continue
            homes[draft.name] = question.id, draft.document
            for match in index.add(question, name=draft.name):
                yield draft.name, _repetition(homes[draft.name], *homes[match.id], match.similarity)
        for other, bank in _passing_by(others, against) if homes else ():
            for match in index.like(other):
                yield match.id, _repetition(homes[match.id], other.id, bank, match.similarity)


def _passing_by(others: Iterable[Placed], against: Against | None) -> Iterator[tuple[Question, str | None]]:
    """Questions with their banks; None stands for the earlier one."""
    for other in others:
        yield cast(Question, other.unit), other.document
    for part in _parts(against) if against is not None else ():
        if isinstance(part, Question):
            yield part, None


def _repetition(draft: tuple[str, str], other: str, bank: str | None, similarity: float) -> Finding:
    unit, home = draft
    origin = None if bank == home else bank or "the earlier bank"
    finding = duplicate_finding(unit, [Match(other, origin, similarity)], rejecting=bank in (home, None))
    assert finding is not None, "there is a match"
    return finding


def _parts(bank: Against) -> Iterator[Part]:
    path, format = bank
    with Path(path).open("rb") as stream:
        yield from format_named(format).read(stream, path)
