"""Find, read, validate and migrate the files of a course."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jiter
from pydantic import BaseModel, ValidationError

from burnish.core.errors import InputError, StateCorrupt
from burnish.core.json_bytes import dumps
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.kind import CONTRACTS
from burnish.kinds.legos.migration import Outcome, is_current, migrated, migrated_legos
from burnish.kinds.legos.validation import Slip, is_valid, schema_slips, validate
from burnish.store.files import disk_refusals, write_atomically
from burnish.store.paths import nearest_path, operator_path
from burnish.store.records import DATABASE, HOME, Json, SqliteRecords
from burnish.store.records.course_folder import PENDING, mismatch
from burnish.store.records.course_records import (
    ATTEMPTS,
    LARGEST,
    UUID,
    archived_in,
    compressed,
    encoded,
    trouble_of,
    uncompressed,
)

REPORTS = "quality_reports"
TEACHING_ORDER = "teaching_order.json"
_ENDINGS = (".json", ".json.gz", ".jsonl", DATABASE)
"""Endings of the file names of records. Other databases are not ours."""
_UNFINISHED = "records of a batch that was not finished; any command that writes to the course finishes it"


@dataclass(frozen=True, slots=True)
class Unread:
    """A value that is not JSON, with the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class CourseFile:
    """One file that was named, or found in a named folder."""

    path: Path
    was_found: bool = False
    """Found in a named folder. Links there are not followed, as in the store."""

    @property
    def is_database(self) -> bool:
        return self.path.suffix == ".sqlite" and self._is_plain

    @property
    def _is_plain(self) -> bool:
        return self.path.is_file() and not (self.was_found and self.path.is_symlink())

    @property
    def name(self) -> str:
        """The path as the user gave it."""
        return str(self.path)

    def values(self) -> Iterator[tuple[str, Any | Unread]]:
        """Every JSON value with its place: one in a `.json`, one per line in a `.jsonl`."""
        try:
            data = self._data()
        except ValueError as error:
            yield self.name, Unread(str(error))
            return
        if self.path.suffix != ".jsonl":
            yield self.name, _value(data)
            return
        for number, line in enumerate(data.split(b"\n"), start=1):
            if line.strip():
                yield f"{self.name}:{number}", _value(line)

    def _data(self) -> bytes:
        if self.path.name == PENDING:
            raise ValueError(_UNFINISHED)
        if not self._is_plain:
            raise ValueError("it is no plain file")
        with disk_refusals("read", self.path):
            if self.path.stat().st_size > LARGEST:
                raise ValueError(f"it is larger than {LARGEST >> 20} MB")
            data = self.path.read_bytes()
        return uncompressed(data) if self.path.suffix == ".gz" else data

    def record(self) -> dict[str, Any] | Unread | None:
        """The only JSON object in it; None if it holds anything else."""
        values = [value for _, value in self.values()]
        return values[0] if len(values) == 1 and isinstance(values[0], dict | Unread) else None


def _value(data: bytes) -> Any | Unread:
    try:
        value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        return Unread(str(error))
    trouble = trouble_of(value)
    return value if trouble is None else Unread(trouble)


def found_files(paths: Sequence[str], *, must_hold: bool = False) -> list[CourseFile]:
    """The named files, and those in named folders. Raise InputError if a path does not exist or, with `must_hold`, if
    a folder holds nothing of a course."""
    found: dict[Path, CourseFile] = {}
    for text in paths:
        path = operator_path(text)
        if not path.exists():
            raise InputError("There is no such file or folder.", path=text, hint=nearest_path(text))
        inside = list(_inside(path)) if path.is_dir() else [path]
        if must_hold and not inside:
            message = "There is nothing of a course in this folder."
            raise InputError(message, path=text, code="no_records", hint="Name the folder that holds amino_acids.")
        for one in inside:
            found.setdefault(one, CourseFile(one, was_found=path.is_dir()))
    return list(found.values())


def _inside(folder: Path) -> Iterator[Path]:
    """The files of the course if the folder holds one; otherwise every possible record."""
    if not (folder / HOME).is_dir() and not (folder / DATABASE).is_file():
        yield from _records_in(folder)
        return
    if (folder / DATABASE).is_file():
        yield folder / DATABASE
    for name in (HOME, REPORTS):
        yield from [folder / name] if (folder / name).is_symlink() else _records_in(folder / name)
    yield from (path for name in (TEACHING_ORDER, OVERLAY, LEDGER) if (path := folder / name).is_file())


def _records_in(folder: Path) -> Iterator[Path]:
    """Files with the name of a record, and every link: links are not followed, so they are reported."""
    with disk_refusals("read", folder):
        paths = sorted(folder.rglob("*"))
    for path in paths:
        if path.is_symlink() or path.name.endswith(_ENDINGS):
            yield path


Record = Mapping[str, Any]
Lookup = Callable[[str], Record | None]
"""The uuid of a translation -> its record, if it is available."""

_SHAPES = {
    **{f"{name}.json": name for name, contract in CONTRACTS.items() if contract.module.endswith("reports.shapes")},
    "overlay.json": "prompt_overlay",
    "ledger.jsonl": "prompt_ledger_row",
}
"""Name of a file that holds no record -> its contract."""
_ARCHIVE = "archive"
_NEEDED = ("uuid", "seed_id", "source", "target")
"""Fields of a translation that LEGOs are compared with."""


@dataclass(slots=True)
class Validation:
    """The number of records that were validated, and the errors and warnings."""

    records: int = 0
    """Records and reports that were validated."""
    invalid: int = 0
    warned: int = 0
    """Valid, but with warnings."""
    slips: list[tuple[str, Slip]] = field(default_factory=list)
    """Path, and what is wrong there."""

    def add(self, where: str, slips: Sequence[Slip]) -> None:
        self.records += 1
        self.invalid += not is_valid(slips)
        self.warned += bool(slips) and is_valid(slips)
        self.slips += [(where, slip) for slip in slips]

    def as_wire(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "valid": self.records - self.invalid,
            "invalid": self.invalid,
            "errors": sum(slip.level == "error" for _, slip in self.slips),
            "warnings": sum(slip.level == "warning" for _, slip in self.slips),
            "slips": [{"path": where, **slip.as_record()} for where, slip in self.slips],
        }


@dataclass(slots=True)
class Names:
    """Names that must be unique in a course -> the first record that has each."""

    taken: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def slips(self, record: Record, course: str, where: str) -> Iterator[Slip]:
        name_of = {"translation": "seed_id", "lego": "provenance"}
        field = name_of.get(str(record.get("type")))
        name = record.get(field) if field else None
        if field is None or not isinstance(name, str):
            return
        first = self.taken.setdefault((course, field, name), where)
        if first != where:
            yield Slip("error", field, f"{name} is the {field} of {first} too", "unique_names")


def validated(files: Sequence[CourseFile]) -> Validation:
    """The validation of every file, and of the records of a course against each other."""
    validation, names = Validation(), Names()
    translations: dict[Path, Record | None] = {}
    for file in files:
        if file.is_database:
            try:
                _validate_database(file, validation, names)
            except StateCorrupt as error:
                validation.add(file.name, [Slip("error", "", error.message, "database")])
            continue
        for where, value in file.values():
            validation.add(where, _slips(file, where, value, names, translations))
    return validation


def _slips(
    file: CourseFile, where: str, value: Any, names: Names, translations: dict[Path, Record | None]
) -> list[Slip]:
    if isinstance(value, Unread):
        return [Slip("error", "", f"this cannot be read: {value.reason}", "json")]
    contract = "archived_attempts" if file.path.parent.name == _ARCHIVE else _SHAPES.get(file.path.name)
    course = file.path.parent.parent
    if contract is not None:
        slips = _shape_slips(value, contract)
        return slips or (_archive_slips(file, value, course) if file.path.parent.name == _ARCHIVE else [])
    is_placed = file.path.parent.name == "legos"
    lookup: Lookup | None = (lambda uuid: _beside(course, uuid, translations)) if is_placed else None
    return _record_slips(value, file.name, where, str(course if is_placed else file.path.parent), names, lookup)


def _record_slips(
    value: Any, path: str | None, where: str, course: str, names: Names, lookup: Lookup | None
) -> list[Slip]:
    """`lookup` is None if the translations of the course are not known."""
    if not isinstance(value, dict):
        return validate(value)
    owner = value.get("source_translation_uuid")
    translation = lookup(owner) if lookup is not None and isinstance(owner, str) else None
    slips = [*validate(value, path, translation), *names.slips(value, course, where)]
    if value.get("type") == "lego" and lookup is not None and translation is None:
        slips.append(Slip("warning", "source_translation_uuid", "this translation is not in the course", "orphan"))
    return slips


def _shape_slips(value: Any, name: str) -> list[Slip]:
    contract = CONTRACTS[name]
    model: type[BaseModel] = getattr(importlib.import_module(contract.module), contract.model)
    try:
        model.model_validate_json(dumps(value))
    except ValidationError as error:
        return list(schema_slips(error))
    return []


def _archive_slips(file: CourseFile, value: Record, course: Path) -> list[Slip]:
    """An error if the archived attempts are not those that their translation counts."""
    places = (course / "translations" / f"{value['uuid']}.json{ending}" for ending in ("", ".gz"))
    record = next((record for path in places if path.is_file() and (record := CourseFile(path).record())), None)
    why = mismatch(archived_in(record) if isinstance(record, dict) else None, value)
    return [] if why is None else [Slip("error", ATTEMPTS, why, "archive")]


def _beside(course: Path, uuid: str, known: dict[Path, Record | None]) -> Record | None:
    """A translation from the folder next to that of the LEGOs."""
    if not UUID.fullmatch(uuid):
        return None
    plain = course / "translations" / f"{uuid}.json"
    if plain not in known:
        known[plain] = _read(plain) or _read(plain.with_name(f"{uuid}.json.gz"))
    return known[plain]


def _read(path: Path) -> Record | None:
    """None if the file does not exist or is not JSON, which its own validation reports."""
    record = CourseFile(path).record() if path.is_file() else None
    return {name: record.get(name) for name in _NEEDED} if isinstance(record, dict) else None


def _validate_database(file: CourseFile, validation: Validation, names: Names) -> None:
    with SqliteRecords(file.path, read_only=True) as records:
        for problem in records.problems():
            validation.add(problem.where, [Slip("error", "", problem.message, "json")])
        for record in records.translations():
            where = f"{file.name}: {record['uuid']}"
            validation.add(where, _record_slips(record, None, where, file.name, names, None))
        for record in records.all_legos():
            where = f"{file.name}: {record['uuid']}"
            validation.add(where, _record_slips(record, None, where, file.name, names, records.translation))


REPAIRING = "`burnish legos validate` lists everything that is wrong with it: correct it, then migrate again."


@dataclass(slots=True)
class Migration:
    """The result of a migration."""

    migrated: list[str] = field(default_factory=list)
    legos: int = 0
    """Of these, how many are LEGOs."""
    synthetic: int = 0
    """Of these, how many got a first attempt for their existing LEGOs."""
    current: int = 0
    """Translations that needed nothing."""
    left: list[InputError] = field(default_factory=list)
    """Records that could not be migrated, or would be invalid afterwards, and why."""

    def as_wire(self) -> dict[str, Any]:
        left = [{"path": one.path, "code": one.code, "message": one.message, "hint": one.hint} for one in self.left]
        counts = {"migrated": len(self.migrated), "legos": self.legos, "synthetic_attempts": self.synthetic}
        return {**counts, "current": self.current, "paths": self.migrated, "left": left}

    def taken(self, record: Json, legos: int, where: str) -> Json | None:
        """The migrated record; None if the file stays unchanged."""
        try:
            new = migrated(record, legos)
            worst = next((slip for slip in validate(new) if slip.level == "error"), None)
            if worst is not None:
                why = f"{worst.field}: {worst.message}" if worst.field else worst.message
                raise InputError(f"It would not be valid after migration: {why}", code="still_invalid", hint=REPAIRING)
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
        """The migrated LEGOs of one SEED; None for one that stays unchanged. Each comes with its place, or None if it
        was not named for migration."""
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
    """A LEGO without its translation: nothing can be added to it."""
    message = "The translation of this LEGO is missing, so the places of its halves are unknown."
    return lego if is_valid(validate(lego)) else InputError(message, code="orphan", hint="Migrate the whole course.")


def migrate_files(files: Sequence[CourseFile]) -> Migration:
    """Migrate every old translation, with the number of its LEGOs, and every old LEGO."""
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
    """Migrate single files; the other files of their course are only read."""
    named = {file.path.resolve() for file in files}
    read = [(file, record) for file in files if (record := _record(file, migration)) is not None]
    others = [(file, file.record()) for file in _neighbours(files) if file.path.resolve() not in named]
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
    for owner, ours in legos.items():
        asked = [(file.name if file.path.resolve() in named else None, record) for file, record in ours]
        made = migration.taken_legos(asked, translations.get(owner))
        for (file, _), new in zip(ours, made, strict=True):
            _write(file, new)


def _write(file: CourseFile, record: Json | None) -> None:
    if record is not None:
        data = encoded(record)
        write_atomically(file.path, compressed(data) if file.path.suffix == ".gz" else data)


def _record(file: CourseFile, migration: Migration) -> Json | None:
    record = file.record()
    if isinstance(record, Unread):
        message = f"This cannot be read as a record: {record.reason}."
        hint = "Correct the file, or move it away."
        migration.left.append(InputError(message, path=file.name, code="unreadable_record", hint=hint))
        return None
    return record


def _neighbours(files: Sequence[CourseFile]) -> list[CourseFile]:
    """All LEGOs and translations of the courses to which the files belong."""
    names = ("translations", "legos")
    homes = {file.path.parent.parent for file in files if file.path.parent.name in names}
    folders = [home / name for home in sorted(homes) for name in names]
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
