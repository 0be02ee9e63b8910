"""The files of a course: the index of its records, and batches recorded as a whole before the first file is changed.

The folder may come from an untrusted source: its data is checked before a file is changed, and no link is followed.
"""

from __future__ import annotations

import base64
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from burnish.core.errors import InputError, StateCorrupt
from burnish.core.json_bytes import dumps, loads
from burnish.store.files import (
    TEMPORARY_PREFIX,
    confirm_names,
    disk_refusals,
    make_folder,
    write_atomically,
    write_together,
)
from burnish.store.records.course_records import (
    ARCHIVED,
    ATTEMPTS,
    LARGEST,
    UUID,
    Json,
    RecordProblem,
    archived_in,
    decoded,
    lego_place,
    uncompressed,
)

Shelf = Literal["translations", "legos", "archive"]
SHELVES: tuple[Shelf, ...] = ("translations", "legos", "archive")
FILE_NAME = re.compile(r"([a-f0-9]{32})\.json(\.gz)?")
_TYPES: dict[Shelf, str] = {"translations": "translation", "legos": "lego"}
_FOUND_BY: dict[Shelf, str] = {"translations": "seed_id", "legos": "source_translation_uuid"}


@dataclass(frozen=True, slots=True)
class LegoEntry:
    """The place of one LEGO."""

    owner: str
    """The uuid of its translation."""
    seed_id: str
    place: int


@dataclass(slots=True)
class FileIndex:
    """The index of all records. The writer keeps it up to date."""

    names: dict[tuple[Shelf, str], str] = field(default_factory=dict)
    """Shelf and uuid -> the name of the file."""
    seed_ids: dict[str, str] = field(default_factory=dict)
    legos: dict[str, LegoEntry] = field(default_factory=dict)
    by_owner: dict[str, set[str]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """Relative path of a file that is not a valid record -> the reason."""
    blocked: dict[tuple[Shelf, str], str] = field(default_factory=dict)
    """Shelf and uuid whose file is unreadable -> its relative path."""

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
        """Exclude a place from reading and writing until its file is repaired."""
        self.problems[relative] = why
        for place in (shelf, "translations") if shelf == "archive" else (shelf,):  # no SEED without its older attempts
            self.blocked.setdefault((place, uuid), relative)
            self.drop(place, uuid)

    def record_problems(self, home: Path) -> list[RecordProblem]:
        return [RecordProblem(str(home / where), why) for where, why in sorted(self.problems.items())]


def scanned(home: Path) -> FileIndex:
    """Read every file once, so that unreadable ones are known before anything is written. Return the index."""
    index = FileIndex()
    archived: dict[str, int] = {}
    """Translation -> how many archived attempts it claims."""
    for shelf in SHELVES:
        for name in _names(home / shelf):
            relative, match = f"{shelf}/{name}", FILE_NAME.fullmatch(name)
            if match is None:
                index.problems[relative] = "This is not a record: its name is not <uuid>.json."
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
    """Return why an archive does not match its translation, which claims `said` attempts; None if it matches."""
    if said is None:
        return f"Attempts of a translation that is not here; no record's {ARCHIVED} counts them."
    held = len(archive[ATTEMPTS])
    return None if said == held else f"It holds {held} older attempts, and {ARCHIVED} of their record says {said}."


def _names(folder: Path) -> Iterator[str]:
    if not folder.exists():
        return
    with disk_refusals("read", folder):
        names = sorted(path.name for path in folder.iterdir())
    yield from (name for name in names if not name.startswith(TEMPORARY_PREFIX))


def read(path: Path) -> Json:
    """Return the record in a file. Raise ValueError with the reason if there is none."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("it is no plain file")
    with disk_refusals("read", path):
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20} MB")
        data = path.read_bytes()
    return decoded(uncompressed(data) if path.suffix == ".gz" else data)


def checked(shelf: Shelf, uuid: str, record: Json) -> Json:
    """Return the record if it belongs on that shelf under that uuid. Raise ValueError with the reason if not."""
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


PENDING = ".pending.json"

Changes = dict[str, bytes | None]
"""Relative path -> the new content; None removes the file."""
Stamps = tuple[int, ...]
"""The modification times of a course's folders: every batch changes at least one of them."""


def refuse_links(home: Path, names: Iterable[str] = ()) -> None:
    """Raise InputError if the home of the records, a shelf in it or one of the named files is a link."""
    for path in (home, *(home / shelf for shelf in SHELVES), *(home / name for name in names)):
        if path.is_symlink():
            raise InputError(
                "This is a link, and records are not read or written through links.",
                path=str(path),
                code="link",
                hint="Put what it points to in its place, or move it away.",
            )


def write_batch(home: Path, changes: Changes) -> None:
    """Write all changes: after a kill, `complete_batch` leaves all or none of them. The caller must hold the lock."""
    if len(changes) > 1:
        waiting = {name: None if data is None else base64.b64encode(data).decode() for name, data in changes.items()}
        write_atomically(home / PENDING, dumps({"changes": waiting}))
    _apply(home, changes)
    if len(changes) > 1:
        _drop(home)
    _stamp(home)


def complete_batch(home: Path) -> None:
    """Finish the batch of a process that was killed. The caller must hold the folder's lock."""
    if not is_waiting(home):
        return
    refuse_links(home)
    try:
        # ValueError and the like for a file that Burnish has not written.
        pending = home / PENDING
        if pending.is_symlink() or not pending.is_file():
            raise ValueError("it is no plain file")
        with disk_refusals("read", pending):
            data = pending.read_bytes()
        changes = {name: _content(name, text) for name, text in loads(data)["changes"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateCorrupt(
            f"{home / PENDING} is not a batch of Burnish: {error}.", hint="Move it away; other records are complete."
        ) from error
    _apply(home, changes)
    _drop(home)
    _stamp(home)


def is_waiting(home: Path) -> bool:
    """Return whether there is a recorded batch."""
    return os.path.lexists(home / PENDING)


def stamps(home: Path) -> Stamps:
    """Return the modification times of the folders; 0 for a missing one."""
    return tuple(_stamp_of(folder) for folder in (home, *(home / shelf for shelf in SHELVES)))


def _stamp_of(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _stamp(home: Path) -> None:
    """Set a new time on the folder: the clocks of file systems are too coarse for two batches in the same moment."""
    status = home.stat()
    # Only the owner of a folder may set its time; otherwise the renamed files have changed the times of the shelves.
    with suppress(PermissionError):
        os.utime(home, ns=(status.st_atime_ns, max(time.time_ns(), status.st_mtime_ns + 1000)))


def _apply(home: Path, changes: Changes) -> None:
    refuse_links(home, changes)
    for shelf in sorted({name.partition("/")[0] for name in changes}):
        make_folder(home / shelf)
    write_together({home / name: data for name, data in changes.items() if data is not None})
    gone = [home / name for name, data in changes.items() if data is None]
    for path in gone:
        with disk_refusals("remove", path):
            path.unlink(missing_ok=True)
    confirm_names(path.with_name("*") for path in gone)


def _drop(home: Path) -> None:
    """Remove the recorded batch durably: applied again after a crash, it would undo later changes."""
    with disk_refusals("remove", home / PENDING):
        (home / PENDING).unlink()
    confirm_names([home / "*"])


def _content(name: str, text: Any) -> bytes | None:
    shelf, _, file = name.partition("/")
    match = FILE_NAME.fullmatch(file)
    known = next((one for one in SHELVES if one == shelf), None)
    if known is None or match is None:
        raise ValueError("it names a file that is no record")
    if text is None:
        return None
    data = base64.b64decode(text, validate=True)
    checked(known, match[1], decoded(uncompressed(data) if match[2] else data))
    return data
