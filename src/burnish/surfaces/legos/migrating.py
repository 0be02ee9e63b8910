"""Migrating old records where they lie. Each file is the old one or the new one; what cannot be migrated stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.errors import InputError, StateCorrupt
from burnish.kinds.legos.migration import is_current, migrated
from burnish.store.files import write_atomically
from burnish.store.records import SqliteRecords
from burnish.store.records.encoding import compressed, encoded
from burnish.surfaces.legos.course_files import CourseFile, Unread, found_files


@dataclass(slots=True)
class Migration:
    """What became of old records."""

    migrated: list[str] = field(default_factory=list)
    synthetic: int = 0
    """Of these, how many got a first attempt for LEGOs that were there."""
    current: int = 0
    """Translations that were of today already."""
    left: list[InputError] = field(default_factory=list)
    """What could not be migrated, and why."""

    def as_wire(self) -> dict[str, Any]:
        left = [{"path": one.path, "code": one.code, "message": one.message, "hint": one.hint} for one in self.left]
        counts = {"migrated": len(self.migrated), "synthetic_attempts": self.synthetic, "current": self.current}
        return {**counts, "paths": self.migrated, "left": left}

    def taken(self, record: dict[str, Any], legos: int, where: str) -> dict[str, Any] | None:
        """The record as it should be written; None where it stays as it is."""
        try:
            new = migrated(record, legos)
        except InputError as error:
            error.path = where
            self.left.append(error)
            return None
        if is_current(record):
            self.current += 1
            return None
        self.migrated.append(where)
        self.synthetic += bool(new["lego_extraction_attempts"])
        return new


def migrate_files(files: Sequence[CourseFile]) -> Migration:
    """Every old translation among them, with the number of its LEGOs."""
    migration = Migration()
    loose = [file for file in files if not file.is_database and file.path.suffix != ".jsonl"]
    legos = _lego_counts(loose)
    for file in loose:
        record = _record(file, migration)
        if record is not None and record.get("type") == "translation":
            new = migration.taken(record, legos[str(record.get("uuid"))], file.name)
            if new is not None:
                data = encoded(new)
                write_atomically(file.path, compressed(data) if file.path.suffix == ".gz" else data)
    for file in files:
        if file.is_database:
            try:
                _migrate_database(file, migration)
            except StateCorrupt as error:
                migration.left.append(InputError(error.message, path=file.name, code=error.code, hint=error.hint))
    return migration


def _record(file: CourseFile, migration: Migration) -> dict[str, Any] | None:
    record = file.record()
    if isinstance(record, Unread):
        told = f"This cannot be read as a record: {record.reason}."
        hint = "Mend the file, or move it away."
        migration.left.append(InputError(told, path=file.name, code="unreadable_record", hint=hint))
        return None
    return record


def _lego_counts(files: Sequence[CourseFile]) -> Counter[str]:
    """The uuid of a translation -> its LEGOs, among the files and in the folder beside that of the translations."""
    beside = {file.path.parent.parent / "legos" for file in files if file.path.parent.name == "translations"}
    named = {file.path.resolve(): file for file in files}
    more = found_files([str(folder) for folder in sorted(beside) if folder.is_dir()])
    named |= {file.path.resolve(): file for file in more}
    counts: Counter[str] = Counter()
    for file in named.values():
        record = file.record()
        if isinstance(record, dict) and record.get("type") == "lego":
            counts[str(record.get("source_translation_uuid"))] += 1
    return counts


def _migrate_database(file: CourseFile, migration: Migration) -> None:
    with SqliteRecords(file.path) as records, records.batch():
        legos = records.lego_counts()
        for record in records.translations():
            uuid = record["uuid"]
            new = migration.taken(record, legos.get(uuid, 0), f"{file.name}: {uuid}")
            if new is not None:
                records.put_translation(new)
        for problem in records.problems():
            migration.left.append(InputError(problem.message, path=problem.where, code="unreadable_record"))
