"""Opening the records of a course, wherever they are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from burnish.core.errors import UsageError
from burnish.store.records.course_records import CourseRecords
from burnish.store.records.file_records import HOME, FileRecords
from burnish.store.records.sqlite_records import SqliteRecords

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
        _refuse_missing(files if store == "files" else database)
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


def _refuse_missing(place: Path) -> None:
    if not place.exists():
        raise UsageError(f"There is no {place}.", hint="Leave --store out: whichever is there is used.")


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
