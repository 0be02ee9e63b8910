"""Validating the files of a course: every record by its schema and its rules, every report by its shape."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from burnish.core.kinds import Contract
from burnish.kinds.legos.contracts import CONTRACTS
from burnish.kinds.legos.validation import Slip, is_valid, schema_slips
from burnish.surfaces.legos.course_files import CourseFile

_SHAPED = {
    **{f"{name}.json": name for name in CONTRACTS if CONTRACTS[name].module.endswith("reports.shapes")},
    "overlay.json": "prompt_overlay",
    "ledger.jsonl": "prompt_ledger_row",
}
"""Name of a file that is no record -> the contract that it keeps."""


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


def validated(files: Sequence[CourseFile]) -> Validation:
    """Every file, and the records of one course beside each other."""
    validation, courses = Validation(), _Courses()
    for file in files:
        if file.is_database:
            _validate_database(file, validation, courses)
            continue
        try:
            for where, value in file.values():
                validation.add(where, _slips(file, where, value, courses))
        except ValueError as error:
            validation.add(file.name, [Slip("error", "", f"This is not JSON: {error}.", "json")])
    for where, slip in courses.contradictions():
        validation.slips.append((where, slip))
        validation.invalid += 1
    return validation


def _slips(file: CourseFile, where: str, value: Any, courses: _Courses) -> list[Slip]:
    contract = _SHAPED.get(file.path.name)
    if contract is not None:
        return _shape_slips(value, CONTRACTS[contract])
    if file.path.parent.name == "archive":
        return _archive_slips(value)
    home = file.path.parent.parent
    return courses.validate(value, where, file.name, lambda uuid: _beside(file.path, uuid), str(home))


def _shape_slips(value: Any, contract: Contract) -> list[Slip]:
    model: type[BaseModel] = getattr(importlib.import_module(contract.module), contract.model)
    try:
        model.model_validate_json(_json(value))
    except ValidationError as error:
        return list(schema_slips(error))
    return []
