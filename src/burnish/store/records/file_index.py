"""What lies in the folders of a course: which files are records, whose, and which are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from burnish.store.files import TEMPORARY_PREFIX, disk_refusals
from burnish.store.records.course_records import ARCHIVED, ATTEMPTS, UUID, RecordProblem, archived_in, lego_place
from burnish.store.records.encoding import LARGEST, Json, decoded, uncompressed

Shelf = Literal["translations", "legos", "archive"]
SHELVES: tuple[Shelf, ...] = ("translations", "legos", "archive")
FILE_NAME = re.compile(r"([a-f0-9]{32})\.json(\.gz)?")
_TYPES: dict[Shelf, str] = {"translations": "translation", "legos": "lego"}
_FOUND_BY: dict[Shelf, str] = {"translations": "seed_id", "legos": "source_translation_uuid"}


@dataclass(frozen=True, slots=True)
class LegoEntry:
    """Where one LEGO belongs."""

    owner: str
    """The uuid of its translation."""
    seed_id: str
    place: int


@dataclass(slots=True)
class FileIndex:
    """Which records there are. Kept up to date by whoever writes."""

    names: dict[tuple[Shelf, str], str] = field(default_factory=dict)
    """Shelf and uuid -> the name of the file."""
    seed_ids: dict[str, str] = field(default_factory=dict)
    legos: dict[str, LegoEntry] = field(default_factory=dict)
    by_owner: dict[str, set[str]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """The relative path of what is no record -> why."""
    blocked: dict[tuple[Shelf, str], str] = field(default_factory=dict)
    """Shelf and uuid whose place is taken by something unreadable -> its relative path."""

    def add(self, shelf: Shelf, name: str, record: Mapping[str, Any]) -> None:
        uuid = name[:32]
        self.names[shelf, uuid] = name
        if shelf == "translations":
            self.seed_ids[uuid] = record["seed_id"]
        elif shelf == "legos":
            entry = LegoEntry(record["source_translation_uuid"], str(record.get("source_seed_id")), lego_place(record))
            self.legos[uuid] = entry
            self.by_owner.setdefault(entry.owner, set()).add(uuid)

    def drop(self, shelf: Shelf, uuid: str) -> None:
        self.names.pop((shelf, uuid), None)
        if shelf == "translations":
            self.seed_ids.pop(uuid, None)
        entry = self.legos.pop(uuid, None) if shelf == "legos" else None
        if entry is not None:
            self.by_owner[entry.owner].discard(uuid)
            if not self.by_owner[entry.owner]:
                del self.by_owner[entry.owner]

    def block(self, shelf: Shelf, uuid: str, relative: str, why: str) -> None:
        """Nothing is read from this place or written to it until somebody has put it right."""
        self.problems[relative] = why
        for place in (shelf, "translations") if shelf == "archive" else (shelf,):  # no SEED without its older attempts
            self.blocked.setdefault((place, uuid), relative)
            self.drop(place, uuid)

    def told(self, home: Path) -> list[RecordProblem]:
        return [RecordProblem(str(home / where), why) for where, why in sorted(self.problems.items())]


def scanned(home: Path) -> FileIndex:
    """Every file is read once, so that what cannot be read is known before anything is written."""
    index = FileIndex()
    archived: dict[str, int] = {}
    """Translation -> how many attempts it says are in the archive."""
    for shelf in SHELVES:
        for name in _names(home / shelf):
            relative, match = f"{shelf}/{name}", FILE_NAME.fullmatch(name)
            if match is None:
                index.problems[relative] = "This is no record: its name is not <uuid>.json."
                continue
            uuid = match[1]
            try:
                record = checked(shelf, uuid, read(home / relative))
            except ValueError as error:
                index.block(shelf, uuid, relative, f"This cannot be read as a record: {error}.")
                continue
            if (shelf, uuid) in index.names:
                first = index.names[shelf, uuid]
                index.block(shelf, uuid, relative, f"There is {first} too: only one of them can be right.")
                continue
            index.add(shelf, name, record)
            if shelf == "translations":
                archived[uuid] = archived_in(record)
            elif shelf == "archive" and (why := mismatch(archived.get(uuid), record)) is not None:
                index.block(shelf, uuid, relative, why)
    return index


def mismatch(said: int | None, archive: Mapping[str, Any]) -> str | None:
    """Why attempts in an archive do not belong to their translation, which says how many there are. It may be gone."""
    if said is None:
        return f"Attempts of a translation that is not here; {ARCHIVED} of no record counts them."
    held = len(archive[ATTEMPTS])
    return None if said == held else f"It holds {held} older attempts, and {ARCHIVED} of their record says {said}."


def _names(folder: Path) -> Iterator[str]:
    if not folder.exists():
        return
    with disk_refusals("read", folder):
        names = sorted(path.name for path in folder.iterdir())
    yield from (name for name in names if not name.startswith(TEMPORARY_PREFIX))


def read(path: Path) -> Json:
    """The record in a file. ValueError, with the reason, where there is none."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("it is no plain file")
    with disk_refusals("read", path):
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20} MB")
        data = path.read_bytes()
    return decoded(uncompressed(data) if path.suffix == ".gz" else data)


def checked(shelf: Shelf, uuid: str, record: Json) -> Json:
    """The record, if it belongs there under that uuid. ValueError, with the reason, if not."""
    if not UUID.fullmatch(uuid):
        raise ValueError("its uuid is not 32 hex digits")
    if record.get("uuid") != uuid:
        raise ValueError("its uuid is not that of its name")
    if shelf in _TYPES and record.get("type") != _TYPES[shelf]:
        raise ValueError(f'its type is not "{_TYPES[shelf]}"')
    if shelf in _FOUND_BY and not isinstance(record.get(_FOUND_BY[shelf]), str):
        raise ValueError(f"it has no {_FOUND_BY[shelf]}")
    if shelf == "archive" and not isinstance(record.get(ATTEMPTS), list):
        raise ValueError(f"it has no list of {ATTEMPTS}")
    return record
