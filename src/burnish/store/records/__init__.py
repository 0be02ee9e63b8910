"""The records of a course, its SEEDs and LEGOs, which outlive a run: opened and copied, as plain files or in SQLite.

Files can be read, compared and mended with any tool:

    amino_acids/translations/<uuid>.json    a SEED
    amino_acids/legos/<uuid>.json           a LEGO
    amino_acids/archive/<uuid>.json         older attempts of a SEED
    amino_acids/.pending.json               a batch that is being written; whoever comes next completes it

A batch is written down whole before its first file is touched, so a crash leaves all of it or nothing. From its first
line to its last no other process can write, so what it reads is what it changes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
"""How often a folder is looked through in which others write all the time."""


class FileRecords(CourseRecords):
    """The records of a course in the files of its folder.

    What others write into the folder is seen when something is read; inside a batch nobody else can write.
    """

    def __init__(self, folder: Path, *, gzip: bool | None = None) -> None:
        """`gzip`: whether what is written is compressed; None: as it was before, and not where it is new.

        Both sorts of file are read.
        """
        super().__init__(folder)
        self._home = folder / HOME
        self._gzip = gzip
        self._changes: Changes = {}
        self._known: FileIndex | None = None
        self._tidy = False
        """Whether what killed processes left here was cleared away."""
        self._seen: Stamps = ()
        """The folders as they were when they were looked through."""
        self._lock = ExitStack()
        """Held while a batch is open."""
        self._is_new = False
        """Whether the batch made the folder."""
        refuse_links(self._home)
        if is_waiting(self._home):
            with alone_in(self._home):
                complete_batch(self._home)

    def close(self) -> None:
        """Nothing stays open between two batches."""

    @property
    def _index(self) -> FileIndex:
        if not self._depth:
            self._look_again()
        looks = 0
        while self._known is None:
            self._seen = stamps(self._home)
            found, looks = scanned(self._home), looks + 1
            if looks == _LOOKS or self._seen == stamps(self._home):  # nobody has written meanwhile
                self._known = found
        return self._known

    def _look_again(self) -> None:
        """What is known of the folder holds until another process has written there."""
        if self._known is not None and self._seen != stamps(self._home):
            self._known = None

    def seed_ids(self) -> dict[str, str]:
        return dict(self._index.seed_ids)

    def lego_counts(self) -> dict[str, int]:
        return {owner: len(uuids) for owner, uuids in sorted(self._index.by_owner.items())}

    def problems(self) -> list[RecordProblem]:
        return self._index.told(self._home)

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
            # It was sound when the folder was opened: somebody has changed it since.
            self._index.problems[f"{shelf}/{name}"] = f"This cannot be read any more: {error}."
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
        """All of them, or none where one of them is refused."""
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
                "A record has its place here, but this file cannot be read and is not overwritten.",
                path=str(self._home / taken),
                code="unreadable_record",
                hint="Mend the file, or move it away, and run the same command again.",
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
            # Half-written temporary files are ours and nobody's any more: whoever is alone may remove them.
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
            with suppress(OSError):  # it is not empty, or somebody else's by now
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
            self._known = None  # what is there now, only the folder can say
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
    """The records in a course's folder: as asked for, made where they are not; without a word, whichever are there.

    Records in SQLite that are asked for and empty begin with those in files, if there are some. With `must_exist` the
    store that is asked for is there, or a UsageError says so. With `read_only` it must exist, too, and a database stays
    as it is, wherever it lies.
    """
    files, database = folder / HOME, folder / DATABASE
    if store is None:
        store = _there(folder)
    elif must_exist or read_only:
        place = files if store == "files" else database
        if not place.exists():
            raise UsageError(f"There is no {place}.", hint="Leave --store out: whichever is there is used.")
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
    """Return where a folder holds records: nowhere, in one of the two, or in both."""
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
    """What a copy holds."""

    seeds: int
    legos: int
    archived: int
    """Attempts that were put into its archive."""


def copy_course(
    records: CourseRecords,
    folder: Path,
    into: Store,
    *,
    gzip: bool = False,
    keep: int | None = None,
    more: Mapping[str, bytes] | None = None,
) -> Copied:
    """Everything that can be read, in a store of its own in `folder`, which holds no records yet.

    It is built beside its place. Killed on the way, it leaves a temporary folder, which the next copy to `folder`
    removes. `keep`: attempts of a SEED that stay at hand there. `more`: relative path -> a file that goes with the
    records; they are there before the records are.
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
            # What cannot be removed now is left to the next copy.
            stack.callback(shutil.rmtree, building, ignore_errors=True)
            if into == "files":
                make_folder(building / HOME)  # a course without a SEED is one, too
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
    """What a killed copy of the same course left is no hindrance."""
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
    """Return a file that is reached through no link below `folder`."""
    return path.is_file() and path.resolve() == folder.resolve() / path.relative_to(folder)


def _put_in_place(building: Path, folder: Path, name: str) -> None:
    if (building / f"{name}-wal").exists():
        raise StorageFailed(f"The copy {building / name} could not be closed.", hint="Run the same command again.")
    with disk_refusals("make", folder / name):
        (building / name).rename(folder / name)
    confirm_names([folder / "*"])
