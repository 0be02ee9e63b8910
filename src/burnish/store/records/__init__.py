"""The records of a course, its SEEDs and LEGOs, which outlive a run: opened and copied, as plain files or in SQLite.

Files can be read, compared and repaired with any tool:

    amino_acids/translations/<uuid>.json    a SEED
    amino_acids/legos/<uuid>.json           a LEGO
    amino_acids/archive/<uuid>.json         older attempts of a SEED
    amino_acids/.pending.json               a batch that is being written; the next process completes it

A batch is recorded as a whole before its first file is changed, so a crash leaves all of it or nothing. Other
processes cannot write during a batch, so it changes exactly what it has read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from burnish.core.choices import refuse_slip
from burnish.core.errors import InputError, StorageFailed, UsageError
from burnish.store.files import (
    TEMPORARY_PREFIX,
    alone_in,
    confirm_names,
    disk_refusals,
    make_folder,
    remove_leftovers,
    temporary_name,
    write_atomically,
)
from burnish.store.records.course_folder import (
    SHELVES,
    Changes,
    FileIndex,
    Shelf,
    Stamps,
    complete_batch,
    is_waiting,
    read,
    refuse_links,
    scanned,
    stamps,
    write_batch,
)
from burnish.store.records.course_records import (
    ATTEMPTS,
    UUID,
    CourseRecords,
    Json,
    RecordProblem,
    Stored,
    compressed,
    decoded,
    encoded,
    portions,
    uncompressed,
)
from burnish.store.records.sqlite_records import SqliteRecords

HOME = "amino_acids"
_LOOKS = 5
"""The most scans of a folder in which other processes keep writing."""


class FileRecords(CourseRecords):
    """The records of a course in the files of its folder.

    Changes by other processes are seen at the next read; during a batch no other process can write.
    """

    def __init__(self, folder: Path, *, gzip: bool | None = None) -> None:
        """`gzip`: whether new files are compressed; None: like the file before, and uncompressed if it is new.

        Both sorts of file can be read.
        """
        super().__init__(folder)
        self._home = folder / HOME
        self._gzip = gzip
        self._changes: Changes = {}
        self._known: FileIndex | None = None
        self._tidy = False
        """Whether the leftovers of killed processes were removed."""
        self._seen: Stamps = ()
        """The timestamps of the folders when they were scanned."""
        self._lock = ExitStack()
        """Held while a batch is open."""
        self._is_new = False
        """Whether the batch created the folder."""
        refuse_links(self._home)
        if is_waiting(self._home):
            with alone_in(self._home):
                complete_batch(self._home)

    def close(self) -> None:
        """Do nothing: no file stays open between two batches."""

    @property
    def _index(self) -> FileIndex:
        if not self._depth:
            self._look_again()
        looks = 0
        while self._known is None:
            self._seen = stamps(self._home)
            found, looks = scanned(self._home), looks + 1
            if looks == _LOOKS or self._seen == stamps(self._home):  # not changed meanwhile
                self._known = found
        return self._known

    def _look_again(self) -> None:
        """Discard the index if another process has written to the folder."""
        if self._known is not None and self._seen != stamps(self._home):
            self._known = None

    def seed_ids(self) -> dict[str, str]:
        return dict(self._index.seed_ids)

    def lego_counts(self) -> dict[str, int]:
        return {owner: len(uuids) for owner, uuids in sorted(self._index.by_owner.items())}

    def problems(self) -> list[RecordProblem]:
        return self._index.record_problems(self._home)

    def legos(self, of: str) -> list[Json]:
        return list(self._read_legos(self._index.by_owner.get(of, ())))

    def all_legos(self) -> Iterator[Json]:
        return self._read_legos(list(self._index.legos))

    def _read_legos(self, uuids: Sequence[str] | set[str] | tuple[()]) -> Iterator[Json]:
        known = self._index.legos
        ordered = sorted(uuids, key=lambda uuid: (known[uuid].seed_id, known[uuid].place, uuid))
        found = (self._read("legos", uuid) for uuid in ordered)
        return (record for record in found if record is not None)

    def _stored(self, uuid: str) -> Stored | None:
        record = self._read("translations", uuid)
        older = self._read("archive", uuid) if record is not None else None
        return None if record is None else Stored(record, (older or {}).get(ATTEMPTS) or ())

    def _read(self, shelf: Shelf, uuid: str) -> Json | None:
        name = self._index.names.get((shelf, uuid))
        if name is None:
            return None
        waiting = self._changes.get(f"{shelf}/{name}")
        if waiting is not None:
            return decoded(uncompressed(waiting) if name.endswith(".gz") else waiting)
        try:
            return read(self._home / shelf / name)
        except ValueError as error:
            # It was valid when the folder was opened: it was changed since.
            self._index.problems[f"{shelf}/{name}"] = f"This can no longer be read: {error}."
            self._index.blocked[shelf, uuid] = f"{shelf}/{name}"
            return None

    def _store(self, stored: Stored) -> None:
        uuid = stored.record["uuid"]
        older = [{"uuid": uuid, ATTEMPTS: list(stored.older)}] if stored.older else []
        self._put(("translations", stored.record), *(("archive", one) for one in older))
        if not older and ("archive", uuid) in self._index.names:
            self._remove("archive", uuid)

    def _store_legos(self, owner: str, records: Sequence[Json]) -> None:
        before = set(self._index.by_owner.get(owner, ()))
        self._put(*(("legos", record) for record in records))
        for uuid in sorted(before - {record["uuid"] for record in records}):
            self._remove("legos", uuid)

    def _put(self, *given: tuple[Shelf, Json]) -> None:
        """Write all of the records, or none if one of them is refused."""
        for shelf, record in given:
            self._refuse_blocked(shelf, record["uuid"])
        encodings = [encoded(record) for _, record in given]
        for (shelf, record), data in zip(given, encodings, strict=True):
            uuid = record["uuid"]
            before = self._index.names.get((shelf, uuid), "")
            is_compressed = before.endswith(".gz") if self._gzip is None else self._gzip
            if before:
                self._remove(shelf, uuid)
            name = f"{uuid}.json.gz" if is_compressed else f"{uuid}.json"
            self._changes[f"{shelf}/{name}"] = compressed(data) if is_compressed else data
            self._index.add(shelf, name, record)

    def _refuse_blocked(self, shelf: Shelf, uuid: str) -> None:
        taken = self._index.blocked.get((shelf, uuid))
        if taken is not None:
            raise InputError(
                "A record belongs here, but this file cannot be read and is not overwritten.",
                path=str(self._home / taken),
                code="unreadable_record",
                hint="Repair the file, or move it away, and run the same command again.",
            )

    def _remove(self, shelf: Shelf, uuid: str) -> None:
        self._changes[f"{shelf}/{self._index.names[shelf, uuid]}"] = None
        self._index.drop(shelf, uuid)

    def _begin(self) -> None:
        self._changes = {}
        is_new = not self._home.exists()
        make_folder(self._home)
        self._lock.enter_context(alone_in(self._home))
        self._is_new = is_new
        try:
            refuse_links(self._home)
            complete_batch(self._home)
            # Temporary files in this folder can be removed now, because no other process is writing here.
            if not self._tidy:
                remove_leftovers(self._home)
                self._tidy = True
            self._look_again()
        except BaseException:
            self._lock.close()
            raise

    def _roll_back(self) -> None:
        self._changes = {}
        self._known = None
        if self._is_new:
            with suppress(OSError):  # it is not empty, or another process uses it
                self._home.rmdir()
        self._lock.close()

    def _commit(self) -> None:
        changes, self._changes = self._changes, {}
        try:
            if changes:
                for shelf in SHELVES[:2]:
                    make_folder(self._home / shelf)
                write_batch(self._home, changes)
                self._seen = stamps(self._home)
        except BaseException:
            self._known = None  # the folder must be scanned again
            raise
        finally:
            self._lock.close()


__all__ = [
    "DATABASE",
    "HOME",
    "UUID",
    "Copied",
    "CourseRecords",
    "FileRecords",
    "Json",
    "RecordProblem",
    "SqliteRecords",
    "Store",
    "copy_course",
    "open_records",
    "portions",
    "stores_in",
]

Store = Literal["files", "sqlite"]
DATABASE = "amino_acids.sqlite"


def open_records(
    folder: Path,
    store: Store | None = None,
    *,
    gzip: bool | None = None,
    must_exist: bool = False,
    read_only: bool = False,
) -> CourseRecords:
    """Open the records in a course's folder, in the given store (created if missing), or in the one that exists.

    An empty SQLite store begins with the records in files, if there are any. `must_exist` raises UsageError if the
    given store does not exist. `read_only` does so too, and never changes a database, even if it could be written to.
    """
    refuse_slip("store", store, Store)
    files, database = folder / HOME, folder / DATABASE
    if store is None:
        store = _there(folder)
    elif must_exist or read_only:
        place = files if store == "files" else database
        if not place.exists():
            raise UsageError(f"There is no {place}.", hint="Leave --store out to use the store that exists.")
    if store == "files":
        return FileRecords(folder, gzip=gzip)
    records = SqliteRecords(database, read_only=read_only)
    if not read_only and files.is_dir() and not records.seed_ids() and not records.lego_counts():
        try:
            with records.batch(), FileRecords(folder) as known:  # all or nothing
                known.export_to(records)
        except BaseException:
            records.close()
            raise
    return records


def stores_in(folder: Path) -> tuple[Store, ...]:
    """Return the stores that a folder holds: none, one of the two, or both."""
    files: tuple[Store, ...] = ("files",) if (folder / HOME).is_dir() else ()
    return (*files, "sqlite") if (folder / DATABASE).is_file() else files


def _there(folder: Path) -> Store:
    there = stores_in(folder)
    if len(there) > 1:
        raise UsageError(
            f"{folder} holds records as files ({HOME}) and in SQLite ({DATABASE}).",
            hint="Say which to use: --store files or --store sqlite.",
        )
    if not there:
        raise UsageError(
            f"There is no course in {folder}: neither {HOME} nor {DATABASE} is there.",
            hint="`burnish legos import PAIRS.tsv --course CODE --dir DIR` makes one.",
        )
    return there[0]


@dataclass(frozen=True, slots=True)
class Copied:
    """The contents of a copy."""

    seeds: int
    legos: int
    archived: int
    """Attempts that were moved to its archive."""


def copy_course(
    records: CourseRecords,
    folder: Path,
    into: Store,
    *,
    gzip: bool = False,
    keep: int | None = None,
    more: Mapping[str, bytes] | None = None,
) -> Copied:
    """Copy all readable records to a new store in `folder`, which must not hold records yet.

    It is built in a temporary folder, which the next copy to `folder` removes if this one is killed. `keep`: how many
    attempts of a SEED are not archived. `more`: relative path -> a file to copy along; these files are written before
    the records.
    """
    make_folder(folder)
    with alone_in(folder):
        _refuse_taken(folder, more or {})
        for left in sorted(folder.glob(f"{TEMPORARY_PREFIX}*")):
            if left.is_dir() and not left.is_symlink():
                with disk_refusals("remove", left):
                    shutil.rmtree(left)
        with ExitStack() as stack:
            building = folder / temporary_name()
            make_folder(building)
            # The next copy removes what cannot be removed now.
            stack.callback(shutil.rmtree, building, ignore_errors=True)
            if into == "files":
                make_folder(building / HOME)  # a course without SEEDs is valid
            with open_records(building, into, gzip=gzip) as copy:
                records.export_to(copy)
                archived = copy.archive(keep) if keep is not None else 0
                copied = Copied(len(copy.seed_ids()), sum(copy.lego_counts().values()), archived)
            for name, data in (more or {}).items():
                make_folder((folder / name).parent)
                write_atomically(folder / name, data)
            _put_in_place(building, folder, HOME if into == "files" else DATABASE)
    return copied


def _refuse_taken(folder: Path, more: Mapping[str, bytes]) -> None:
    """Refuse a folder that is in use. The leftovers of a killed copy of the same course are allowed."""
    for name in (HOME, DATABASE):
        place = folder / name
        is_empty = place.is_dir() and not place.is_symlink() and not any(place.iterdir())
        if os.path.lexists(place) and not is_empty:
            raise UsageError(f"There is a course in {folder} already ({name}).", hint="Name another folder.")
    for name, data in more.items():
        place = folder / name
        if os.path.lexists(place) and not (_is_plain(place, folder) and place.read_bytes() == data):
            raise UsageError(f"There is a {name} in {folder} already.", hint="Name another folder.")


def _is_plain(path: Path, folder: Path) -> bool:
    """Return whether the file is reached without a link below `folder`."""
    return path.is_file() and path.resolve() == folder.resolve() / path.relative_to(folder)


def _put_in_place(building: Path, folder: Path, name: str) -> None:
    if (building / f"{name}-wal").exists():
        raise StorageFailed(f"The copy {building / name} could not be closed.", hint="Run the same command again.")
    with disk_refusals("make", folder / name):
        (building / name).rename(folder / name)
    confirm_names([folder / "*"])
