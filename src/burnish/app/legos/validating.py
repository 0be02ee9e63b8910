"""Validating the files of a course: every record by its schema and its rules, every report by its shape."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from burnish.app.legos.course_files import CourseFile, Unread
from burnish.core.errors import StateCorrupt
from burnish.kinds.legos.contracts import CONTRACTS
from burnish.kinds.legos.validation import Slip, is_valid, schema_slips, validate
from burnish.store.records import SqliteRecords
from burnish.store.records.course_records import ATTEMPTS, UUID, archived_in
from burnish.store.records.file_index import mismatch

Record = Mapping[str, Any]
Lookup = Callable[[str], Record | None]
"""The uuid of a translation -> what it says, where it is at hand."""

_SHAPES = {
    **{f"{name}.json": name for name, contract in CONTRACTS.items() if contract.module.endswith("reports.shapes")},
    "overlay.json": "prompt_overlay",
    "ledger.jsonl": "prompt_ledger_row",
}
"""Name of a file that holds no record -> the contract that it keeps."""
_ARCHIVE = "archive"
_NEEDED = ("uuid", "seed_id", "source", "target")
"""What LEGOs are compared with."""


@dataclass(slots=True)
class Validation:
    """What was looked at, and what is wrong with it."""

    records: int = 0
    """Records and reports that were looked at."""
    invalid: int = 0
    warned: int = 0
    """Valid, but with warnings."""
    slips: list[tuple[str, Slip]] = field(default_factory=list)
    """Where, and what."""

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
    """Names that only one record of a course may have -> the first that has it."""

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
    """Every file by itself, and the records of one course beside each other."""
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
    """`lookup` is None where nobody can say which translations there are."""
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
        model.model_validate_json(orjson.dumps(value))
    except ValidationError as error:
        return list(schema_slips(error))
    return []


def _archive_slips(file: CourseFile, value: Record, course: Path) -> list[Slip]:
    """Whether the older attempts are those that their translation counts."""
    places = (course / "translations" / f"{value['uuid']}.json{ending}" for ending in ("", ".gz"))
    record = next((record for path in places if path.is_file() and (record := CourseFile(path).record())), None)
    why = mismatch(archived_in(record) if isinstance(record, dict) else None, value)
    return [] if why is None else [Slip("error", ATTEMPTS, why, "archive")]


def _beside(course: Path, uuid: str, known: dict[Path, Record | None]) -> Record | None:
    """A translation in the folder beside that of the LEGOs."""
    if not UUID.fullmatch(uuid):
        return None
    plain = course / "translations" / f"{uuid}.json"
    if plain not in known:
        known[plain] = _read(plain) or _read(plain.with_name(f"{uuid}.json.gz"))
    return known[plain]


def _read(path: Path) -> Record | None:
    """None where it is not there, or no JSON: then it is told when it is validated itself."""
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
