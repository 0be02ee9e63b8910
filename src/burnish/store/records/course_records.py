"""The records of a course: their encoding, and the base class of their stores."""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import jiter

from burnish.core.errors import UsageError
from burnish.core.json_bytes import dumps

Json = dict[str, Any]

LARGEST = 16 << 20
"""The most bytes of one record: valid records are far smaller, and a compression bomb must not fill the memory."""
DEEPEST = 200
"""The most nested objects and lists that the reader accepts."""
_LARGEST_NUMBER = 1 << 63
_TOO_LARGE = f"it is larger than {LARGEST >> 20} MB"


def encoded(record: Mapping[str, Any]) -> bytes:
    """Encode indented JSON with its keys in order. Raise UsageError for values that JSON or its readers cannot hold."""
    trouble = trouble_of(record)
    if trouble is not None:
        raise _refusal(record, trouble)
    data = _dumped(record, indent=2) + b"\n"
    if len(data) > LARGEST:
        raise _refusal(record, _TOO_LARGE)
    return data


def packed(record: Mapping[str, Any]) -> bytes:
    """Encode a record on one line. `encoded` must accept it."""
    return _dumped(record)


def _dumped(record: Mapping[str, Any], indent: int | None = None) -> bytes:
    try:
        return dumps(record, indent)
    except ValueError as error:
        raise _refusal(record, str(error)) from error


def _refusal(record: Mapping[str, Any], why: str) -> UsageError:
    return UsageError(f"The record {str(record.get('uuid'))[:32]} cannot be kept: {why}.")


def decoded(data: bytes) -> Json:
    """Decode the record in a file's bytes. Raise ValueError with the reason if there is none."""
    if len(data) > LARGEST:
        raise ValueError(_TOO_LARGE)
    value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    trouble = trouble_of(value)
    if trouble is not None:
        raise ValueError(trouble)
    return value


def trouble_of(value: Any, room: int = DEEPEST) -> str | None:
    """Return why other programs could not read the value, or would read a different one; None if it is valid."""
    if isinstance(value, float):
        return None if math.isfinite(value) else "a number is not finite"
    if isinstance(value, int):
        return None if -_LARGEST_NUMBER <= value < _LARGEST_NUMBER else "a number is too large"
    if value is None or isinstance(value, str):
        return None
    if not isinstance(value, dict | list | tuple):
        return f"JSON has no {type(value).__name__}"
    if not room:
        return f"it is nested more than {DEEPEST} deep"
    if isinstance(value, dict) and not all(isinstance(name, str) for name in value):
        return "a name is not text"
    parts = value.values() if isinstance(value, dict) else value
    return next((trouble for part in parts if (trouble := trouble_of(part, room - 1)) is not None), None)


def compressed(data: bytes) -> bytes:
    """Compress with gzip; the result does not depend on the time."""
    return gzip.compress(data, mtime=0)


def uncompressed(data: bytes) -> bytes:
    """Decompress gzip. Raise ValueError if it is not gzip, or longer than a record may be."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            whole = stream.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"it is no whole gzip file ({error})") from error
    return whole


ATTEMPTS = "lego_extraction_attempts"
ARCHIVED = "archived_attempts"
"""The field of a stored translation with the number of its archived attempts."""
TOGETHER = 500
"""Translations that are written in one batch when a whole course is written."""

UUID = re.compile(r"[a-f0-9]{32}")
"""The key of a record."""
_POSITION = re.compile(r"S[0-9]+L([0-9]{1,9})")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RecordProblem:
    """Something in the store that is not a valid record. It is reported and not changed."""

    where: str
    """A file, or a row."""
    message: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A translation as stored."""

    record: Json
    older: Sequence[Any] = ()
    """The archived attempts."""

    @property
    def in_archive(self) -> int:
        """How many of its attempts are archived; 0 if the archive does not match the record."""
        return len(self.older) if archived_in(self.record) == len(self.older) else 0

    @property
    def whole(self) -> Json:
        """The record with all its attempts."""
        if not self.in_archive:
            return self.record
        rest = {name: value for name, value in self.record.items() if name != ARCHIVED}
        return {**rest, ATTEMPTS: [*self.older, *rest[ATTEMPTS]]}

    @property
    def can_be_parted(self) -> bool:
        """False if its archive is missing: then the recorded number is all that is left of those attempts."""
        return ARCHIVED not in self.whole and isinstance(self.whole.get(ATTEMPTS), list)

    @classmethod
    def parted(cls, whole: Mapping[str, Any], count: int) -> Self:
        """Return the translation with its `count` oldest attempts archived."""
        attempts = whole.get(ATTEMPTS)
        if count < 1 or not isinstance(attempts, list):
            return cls(dict(whole))
        older, rest = attempts[:count], attempts[count:]
        return cls({**whole, ATTEMPTS: rest, ARCHIVED: len(older)}, older)


class CourseRecords(ABC):
    """The SEEDs and LEGOs of one course, by uuid.

    Reading returns whole translations, whether their attempts are archived or not. Records are only checked for being
    storable; their contents are not validated. Inside `batch` everything is written together or not at all.
    """

    place: Path
    """The folder or the file."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._depth = 0
        """The number of nested open batches."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Reading

    def translations(self) -> Iterator[Json]:
        """Yield all readable translations one by one, ordered by SEED id."""
        for uuid in self.uuids():
            record = self.translation(uuid)
            if record is not None:
                yield record

    def translation(self, uuid: str) -> Json | None:
        stored = self._stored(uuid)
        return None if stored is None else stored.whole

    def uuids(self) -> list[str]:
        """Return the uuids of the translations, ordered by SEED id."""
        ids = self.seed_ids()
        return sorted(ids, key=lambda uuid: (ids[uuid], uuid))

    @abstractmethod
    def seed_ids(self) -> dict[str, str]:
        """Map the uuid of every readable translation to its SEED id."""

    @abstractmethod
    def legos(self, of: str) -> list[Json]:
        """Return the LEGOs of the translation with this uuid, in the order of their places."""

    @abstractmethod
    def all_legos(self) -> Iterator[Json]:
        """Yield all readable LEGOs one by one, ordered by SEED and place."""

    @abstractmethod
    def lego_counts(self) -> dict[str, int]:
        """Map the uuid of every translation with LEGOs, even one that is missing here, to their number."""

    @abstractmethod
    def problems(self) -> list[RecordProblem]:
        """Return everything that cannot be read as a record, by its place."""

    # Writing

    def put_translation(self, record: Mapping[str, Any]) -> None:
        """Store a translation, replacing one with the same uuid. InputError if its place is unreadable.

        None of its attempts is archived afterwards.
        """
        _check(record, "seed_id")
        with self.batch():
            self._store(Stored(dict(record)))

    def put_legos(self, translation_uuid: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Replace the LEGOs of a translation. Raise InputError as above."""
        given = [dict(record) for record in records]
        for record in given:
            _check(record, "source_translation_uuid")
            if record["source_translation_uuid"] != translation_uuid:
                raise UsageError(f"The LEGO {record['uuid']} is not of the translation {translation_uuid}.")
        if len({record["uuid"] for record in given}) < len(given):
            raise UsageError(f"Two LEGOs of the translation {translation_uuid} have the same uuid.")
        with self.batch():
            self._store_legos(translation_uuid, given)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Write everything in the block together at its end; an error that leaves the block discards all of it."""
        if self._depth:
            yield  # the outer batch commits
            return
        self._begin()
        self._depth = 1
        try:
            yield
        except BaseException:
            self._depth = 0
            self._roll_back()
            raise
        self._depth = 0
        self._commit()

    def archive(self, keep: int) -> int:
        """Move all attempts but the last `keep` of every translation to the archive. Return how many are archived."""
        if keep < 1:
            raise UsageError("The last attempt cannot be archived.", hint="Keep at least 1.")
        return self._part(lambda attempts: max(0, attempts - keep))[1]

    def restore(self) -> int:
        """Move all attempts back from the archive. Return how many there were."""
        return self._part(lambda attempts: 0)[0]

    def _part(self, count_of: Callable[[int], int]) -> tuple[int, int]:
        """`count_of`: number of attempts -> how many to archive. Return the archived attempts before and after."""
        before = after = 0
        for some in portions(self.uuids()):
            with self.batch():
                for uuid in some:
                    stored = self._stored(uuid)
                    if stored is None or not stored.can_be_parted:
                        continue
                    count = count_of(len(stored.whole[ATTEMPTS]))
                    if count != stored.in_archive:
                        self._store(Stored.parted(stored.whole, count))
                    before, after = before + stored.in_archive, after + count
        return before, after

    def export_to(self, other: CourseRecords) -> None:
        """Copy all readable records to another store: the same JSON, with the same attempts archived."""
        for some in portions(self.uuids()):
            with other.batch():
                for uuid in some:
                    stored = self._stored(uuid)
                    if stored is not None:
                        other._store(stored)
        for some in portions(self.lego_counts()):
            with other.batch():
                for uuid in some:
                    other.put_legos(uuid, self.legos(uuid))

    @abstractmethod
    def close(self) -> None:
        """Close the store. Everything written is kept."""

    # Implemented by each store

    @abstractmethod
    def _stored(self, uuid: str) -> Stored | None: ...

    @abstractmethod
    def _store(self, stored: Stored) -> None: ...

    @abstractmethod
    def _store_legos(self, owner: str, records: Sequence[Json]) -> None: ...

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _roll_back(self) -> None: ...


def archived_in(record: Mapping[str, Any]) -> int:
    """Return how many attempts of a translation are archived, by its own count."""
    count = record.get(ARCHIVED)
    is_count = isinstance(count, int) and not isinstance(count, bool) and isinstance(record.get(ATTEMPTS), list)
    return count if is_count and count is not None else 0


def lego_place(record: Mapping[str, Any]) -> int:
    """Return the place of a LEGO in its SEED, from its provenance; 0 if it is not there."""
    match = _POSITION.fullmatch(str(record.get("provenance")))
    return int(match[1]) if match else 0


def _check(record: Mapping[str, Any], field: str) -> None:
    """Raise UsageError unless the record has a uuid to be stored under and the field to be found by."""
    uuid = record.get("uuid")
    if not isinstance(uuid, str) or not UUID.fullmatch(uuid):
        raise UsageError(f"A record cannot be kept under the uuid {str(uuid)[:40]!r}.", hint="Use 32 hex digits.")
    if not isinstance(record.get(field), str):
        raise UsageError(f"The record {uuid} cannot be kept without {field}.")


def portions(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield lists of as many items as are written in one batch."""
    rest = iter(items)
    while some := list(islice(rest, TOGETHER)):
        yield some
