"""Migrating old records where they lie. Each file is the old one or the new one; what cannot be migrated stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.app.legos.course_files import CourseFile, Unread, found_files
from burnish.core.errors import InputError, StateCorrupt
from burnish.kinds.legos.lego_migration import Outcome, migrated_legos
from burnish.kinds.legos.migration import is_current, migrated
from burnish.kinds.legos.validation import is_valid, validate
from burnish.store.files import write_atomically
from burnish.store.records import Json, SqliteRecords
from burnish.store.records.encoding import compressed, encoded

REPAIRING = "`burnish legos validate` tells everything that is wrong with it: mend it, then migrate again."


@dataclass(slots=True)
class Migration:
    """What became of old records."""

    migrated: list[str] = field(default_factory=list)
    legos: int = 0
    """Of these, how many are LEGOs."""
    synthetic: int = 0
    """Of these, how many got a first attempt for LEGOs that were there."""
    current: int = 0
    """Translations that needed nothing."""
    left: list[InputError] = field(default_factory=list)
    """What could not be migrated, or would not be valid then, and why."""

    def as_wire(self) -> dict[str, Any]:
        left = [{"path": one.path, "code": one.code, "message": one.message, "hint": one.hint} for one in self.left]
        counts = {"migrated": len(self.migrated), "legos": self.legos, "synthetic_attempts": self.synthetic}
        return {**counts, "current": self.current, "paths": self.migrated, "left": left}

    def taken(self, record: Json, legos: int, where: str) -> Json | None:
        """The record as it should be written; None where it stays as it is."""
        try:
            new = migrated(record, legos)
            _refuse_invalid(new)
        except InputError as error:
            self.leave(error, where)
            return None
        if is_current(record):
            self.current += 1
            return None
        self.migrated.append(where)
        self.synthetic += bool(new["lego_extraction_attempts"])
        return new

    def taken_legos(self, legos: Sequence[tuple[str | None, Json]], translation: Json | None) -> list[Json | None]:
        """The LEGOs of one SEED as they should be written; None for one that stays as it is. Each comes with its place,
        without one where nobody asks for it."""
        records = [record for _, record in legos]
        outcomes = (
            migrated_legos(records, translation) if translation is not None else list(map(_without_seed, records))
        )
        made: list[Json | None] = []
        for (where, record), outcome in zip(legos, outcomes, strict=True):
            is_new = where is not None and not isinstance(outcome, InputError) and outcome != record
            if where is not None and isinstance(outcome, InputError):
                self.leave(outcome, where)
            if where is not None and is_new:
                self.migrated.append(where)
                self.legos += 1
            made.append(outcome if is_new and not isinstance(outcome, InputError) else None)
        return made

    def leave(self, error: InputError, where: str) -> None:
        error.path = where
        self.left.append(error)


def _without_seed(lego: Json) -> Outcome:
    """A LEGO whose translation is not at hand: nothing can be added to it."""
    told = "The translation of this LEGO is not here, so nobody can say where its halves stand."
    return lego if is_valid(validate(lego)) else InputError(told, code="orphan", hint="Migrate the whole course.")


def _refuse_invalid(record: Json) -> None:
    worst = next((slip for slip in validate(record) if slip.level == "error"), None)
    if worst is not None:
        said = f"{worst.field}: {worst.message}" if worst.field else worst.message
        raise InputError(f"It would not be valid after migration: {said}", code="still_invalid", hint=REPAIRING)


def migrate_files(files: Sequence[CourseFile]) -> Migration:
    """Every old translation among them, with the number of its LEGOs, and every old LEGO."""
    migration = Migration()
    _migrate_loose([file for file in files if not file.is_database and file.path.suffix != ".jsonl"], migration)
    for file in files:
        if file.is_database:
            try:
                _migrate_database(file, migration)
            except StateCorrupt as error:
                migration.left.append(InputError(error.message, path=file.name, code=error.code, hint=error.hint))
    return migration


def _migrate_loose(files: Sequence[CourseFile], migration: Migration) -> None:
    """Files by themselves; what lies beside them is only read."""
    named = {file.path.resolve() for file in files}
    read = [(file, record) for file in files if (record := _record(file, migration)) is not None]
    others = [(file, file.record()) for file in _beside(files) if file.path.resolve() not in named]
    found = [*read, *((file, record) for file, record in others if isinstance(record, dict))]
    legos: dict[str, list[tuple[CourseFile, Json]]] = defaultdict(list)
    translations: dict[str, Json] = {}
    for file, record in found:
        if record.get("type") == "lego":
            legos[str(record.get("source_translation_uuid"))].append((file, record))
        elif record.get("type") == "translation":
            translations.setdefault(str(record.get("uuid")), record)
    for file, record in read:
        if record.get("type") == "translation":
            _write(file, migration.taken(record, len(legos[str(record.get("uuid"))]), file.name))
    for owner, own in legos.items():
        asked = [(file.name if file.path.resolve() in named else None, record) for file, record in own]
        made = migration.taken_legos(asked, translations.get(owner))
        for (file, _), new in zip(own, made, strict=True):
            _write(file, new)


def _write(file: CourseFile, record: Json | None) -> None:
    if record is not None:
        data = encoded(record)
        write_atomically(file.path, compressed(data) if file.path.suffix == ".gz" else data)


def _record(file: CourseFile, migration: Migration) -> Json | None:
    record = file.record()
    if isinstance(record, Unread):
        told = f"This cannot be read as a record: {record.reason}."
        hint = "Mend the file, or move it away."
        migration.left.append(InputError(told, path=file.name, code="unreadable_record", hint=hint))
        return None
    return record


def _beside(files: Sequence[CourseFile]) -> list[CourseFile]:
    """What lies in the folders of LEGOs and translations beside those of the files."""
    shelves = ("translations", "legos")
    homes = {file.path.parent.parent for file in files if file.path.parent.name in shelves}
    folders = [home / shelf for home in sorted(homes) for shelf in shelves]
    return found_files([str(folder) for folder in folders if folder.is_dir()])


def _migrate_database(file: CourseFile, migration: Migration) -> None:
    with SqliteRecords(file.path) as records, records.batch():
        counts = records.lego_counts()
        for record in records.translations():
            uuid = record["uuid"]
            legos = records.legos(of=uuid)
            new = migration.taken(record, counts.get(uuid, 0), f"{file.name}: {uuid}")
            if new is not None:
                records.put_translation(new)
            if len(legos) < counts.get(uuid, 0):
                continue  # one of them cannot be read, and would be lost if the others were written
            made = migration.taken_legos([(f"{file.name}: {lego['uuid']}", lego) for lego in legos], record)
            if any(lego is not None for lego in made):
                records.put_legos(uuid, [one or old for one, old in zip(made, legos, strict=True)])
        for problem in records.problems():
            migration.left.append(InputError(problem.message, path=problem.where, code="unreadable_record"))
