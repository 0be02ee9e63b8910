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


def open_records(folder: Path, store: Store | None = None, *, gzip: bool | None = None) -> CourseRecords:
    """The records in a course's folder: as asked for, made where they are not; without a word, whichever are there.

    Records in SQLite that are asked for and empty begin with those in files, if there are some.
    """
    files, database = folder / HOME, folder / DATABASE
    if store is None:
        store = _there(folder, files.is_dir(), database.is_file())
    if store == "files":
        return FileRecords(folder, gzip=gzip)
    records = SqliteRecords(database)
    if files.is_dir() and not records.seed_ids() and not records.lego_counts():
        _fill(records, folder)
    return records


def _there(folder: Path, files: bool, database: bool) -> Store:
    if files and database:
        raise UsageError(
            f"{folder} holds records as files ({HOME}) and in SQLite ({DATABASE}).",
            hint="Say which to use: --store files or --store sqlite.",
        )
    if not files and not database:
        raise UsageError(
            f"There is no course in {folder}: neither {HOME} nor {DATABASE} is there.",
            hint="`burnish legos import PAIRS.tsv --course CODE --dir DIR` makes one.",
        )
    return "files" if files else "sqlite"


def _fill(records: SqliteRecords, folder: Path) -> None:
    try:
        with records.batch(), FileRecords(folder) as files:  # all or nothing
            files.export_to(records)
    except BaseException:
        records.close()
        raise
