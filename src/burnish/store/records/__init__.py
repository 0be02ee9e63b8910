"""The records of a course, its SEEDs and LEGOs, which outlive a run: opened and copied, as files or in SQLite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from burnish.core.errors import StorageFailed, UsageError
from burnish.store.files import (
    TEMPORARY_PREFIX,
    alone_in,
    confirm_names,
    disk_refusals,
    make_folder,
    temporary_name,
    write_atomically,
)
from burnish.store.records.course_records import UUID, CourseRecords, Json, RecordProblem, portions
from burnish.store.records.file_records import HOME, FileRecords
from burnish.store.records.sqlite_records import SqliteRecords

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
        _fill(records, folder)
    return records


def stores_in(folder: Path) -> tuple[Store, ...]:
    """Where a folder holds records: nowhere, in one of the two, or in both."""
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


def _fill(records: SqliteRecords, folder: Path) -> None:
    try:
        with records.batch(), FileRecords(folder) as files:  # all or nothing
            files.export_to(records)
    except BaseException:
        records.close()
        raise


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
        with _beside(folder) as building:
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
    """A file that is reached through no link below `folder`."""
    return path.is_file() and path.resolve() == folder.resolve() / path.relative_to(folder)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    building = folder / temporary_name()
    make_folder(building)
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)  # what cannot be removed now is left to the next copy


def _put_in_place(building: Path, folder: Path, name: str) -> None:
    if (building / f"{name}-wal").exists():
        raise StorageFailed(f"The copy {building / name} could not be closed.", hint="Run the same command again.")
    with disk_refusals("make", folder / name):
        (building / name).rename(folder / name)
    confirm_names([folder])
