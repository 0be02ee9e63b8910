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
from burnish.store.records.encoding import LARGEST, uncompressed
from burnish.store.records.file_records import HOME, PENDING
from burnish.store.records.opening import DATABASE

REPORTS = "quality_reports"
TEACHING_ORDER = "teaching_order.json"
_ENDINGS = (".json", ".json.gz", ".jsonl", DATABASE)
"""Of names in a folder. Other databases are not ours."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Why something is no JSON."""

    reason: str


@dataclass(frozen=True, slots=True)
class CourseFile:
    """One file that was named, or found in a folder that was."""

    path: Path

    @property
    def is_database(self) -> bool:
        return self.path.suffix == ".sqlite"

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
        return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        return Unread(str(error))


def found_files(paths: Sequence[str]) -> list[CourseFile]:
    """The files that were named, and those in the folders. InputError for a path that is not there."""
    found: dict[Path, CourseFile] = {}
    for text in paths:
        path = operator_path(text)
        if not path.exists():
            raise InputError("There is no such file or folder.", path=text, hint=nearest_path(text))
        for one in [path] if path.is_file() else _inside(path):
            found.setdefault(one, CourseFile(one))
    return list(found.values())


def _inside(folder: Path) -> Iterator[Path]:
    """What belongs to a course, where the folder holds one; otherwise all that may be a record."""
    if not (folder / HOME).is_dir() and not (folder / DATABASE).is_file():
        yield from _records_in(folder)
        return
    if (folder / DATABASE).is_file():
        yield folder / DATABASE
    yield from _records_in(folder / HOME)
    yield from _records_in(folder / REPORTS)
    yield from (path for name in (TEACHING_ORDER, OVERLAY, LEDGER) if (path := folder / name).is_file())


def _records_in(folder: Path) -> Iterator[Path]:
    with disk_refusals("read", folder):
        paths = sorted(folder.rglob("*"))
    yield from (path for path in paths if path.name.endswith(_ENDINGS) and path.name != PENDING and path.is_file())
