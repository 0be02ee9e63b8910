"""The files of a course, found and read: what validation and migration walk over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jiter

from burnish.core.errors import InputError
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.store.files import disk_refusals
from burnish.store.paths import nearest_path, operator_path
from burnish.store.records.encoding import LARGEST, trouble_of, uncompressed
from burnish.store.records.file_records import HOME
from burnish.store.records.opening import DATABASE
from burnish.store.records.pending import PENDING

REPORTS = "quality_reports"
TEACHING_ORDER = "teaching_order.json"
_ENDINGS = (".json", ".json.gz", ".jsonl", DATABASE)
"""Of names in a folder. Other databases are not ours."""
_UNFINISHED = "records of a batch that was not finished; any command that writes to the course finishes it"


@dataclass(frozen=True, slots=True)
class Unread:
    """Why something is no JSON."""

    reason: str


@dataclass(frozen=True, slots=True)
class CourseFile:
    """One file that was named, or found in a folder that was."""

    path: Path
    was_found: bool = False
    """It lies in a folder that was named. Links there are not followed: the store does not either."""

    @property
    def is_database(self) -> bool:
        return self.path.suffix == ".sqlite" and self._is_plain

    @property
    def _is_plain(self) -> bool:
        return self.path.is_file() and not (self.was_found and self.path.is_symlink())

    @property
    def name(self) -> str:
        """The path as it was given, for people."""
        return str(self.path)

    def values(self) -> Iterator[tuple[str, Any | Unread]]:
        """Every JSON value in it with its place: one in a `.json`, one a line in a `.jsonl`."""
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
        """The one JSON object in it; None where there is something else."""
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
    """The files that were named, and those in the folders. InputError for a path that is not there and, with
    `must_hold`, for a folder in which there is nothing of a course."""
    found: dict[Path, CourseFile] = {}
    for text in paths:
        path = operator_path(text)
        if not path.exists():
            raise InputError("There is no such file or folder.", path=text, hint=nearest_path(text))
        inside = list(_inside(path)) if path.is_dir() else [path]
        if must_hold and not inside:
            told = "There is nothing of a course in this folder."
            raise InputError(told, path=text, code="no_records", hint="Name the folder that holds amino_acids.")
        for one in inside:
            found.setdefault(one, CourseFile(one, was_found=path.is_dir()))
    return list(found.values())


def _inside(folder: Path) -> Iterator[Path]:
    """What belongs to a course, where the folder holds one; otherwise all that may be a record."""
    if not (folder / HOME).is_dir() and not (folder / DATABASE).is_file():
        yield from _records_in(folder)
        return
    if (folder / DATABASE).is_file():
        yield folder / DATABASE
    for name in (HOME, REPORTS):
        yield from [folder / name] if (folder / name).is_symlink() else _records_in(folder / name)
    yield from (path for name in (TEACHING_ORDER, OVERLAY, LEDGER) if (path := folder / name).is_file())


def _records_in(folder: Path) -> Iterator[Path]:
    """Whatever has the name of a record, and links whatever their names: nobody follows them, so they are told."""
    with disk_refusals("read", folder):
        paths = sorted(folder.rglob("*"))
    for path in paths:
        if path.is_symlink() or path.name.endswith(_ENDINGS):
            yield path
