"""A batch of files on its way: written down whole before the first of them is touched, so that whoever comes next can
finish what a killed process began.

The folder may have come from anywhere. What it says about files is checked before one of them is touched, and nothing
is written through a link.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from burnish.core.errors import InputError, StateCorrupt
from burnish.store.files import confirm_names, disk_refusals, make_folder, write_atomically, write_together
from burnish.store.records.encoding import decoded, uncompressed
from burnish.store.records.file_index import FILE_NAME, SHELVES, checked

PENDING = ".pending.json"

Changes = dict[str, bytes | None]
"""Relative path -> the new content; None where the file goes."""
Stamps = tuple[int, ...]
"""When the folders of a course were changed: another value wherever a batch was written in between."""


def refuse_links(home: Path, names: Iterable[str] = ()) -> None:
    """InputError where the home of the records, a shelf in it or one of the named files is a link."""
    for path in (home, *(home / shelf for shelf in SHELVES), *(home / name for name in names)):
        if path.is_symlink():
            raise InputError(
                "This is a link, and records are not read or written through links.",
                path=str(path),
                code="link",
                hint="Put what it points to in its place, or move it away.",
            )


def write(home: Path, changes: Changes) -> None:
    """All of them or, for whoever looks through `complete`, none. Only for whoever is alone in the folder."""
    if len(changes) > 1:
        waiting = {name: None if data is None else base64.b64encode(data).decode() for name, data in changes.items()}
        write_atomically(home / PENDING, orjson.dumps({"changes": waiting}))
    _apply(home, changes)
    if len(changes) > 1:
        _drop(home)
    _stamp(home)


def complete(home: Path) -> None:
    """Finish the batch of a process that was killed. Only for whoever is alone in the folder."""
    if not is_waiting(home):
        return
    refuse_links(home)
    try:
        changes = _read(home / PENDING)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateCorrupt(
            f"{home / PENDING} is no batch of Burnish: {error}.",
            hint="Move it away; the records beside it are whole.",
        ) from error
    _apply(home, changes)
    _drop(home)
    _stamp(home)


def is_waiting(home: Path) -> bool:
    """Whether something lies where a batch is written down."""
    return os.path.lexists(home / PENDING)


def stamps(home: Path) -> Stamps:
    """Of the folders as they are now; 0 for one that is not there."""
    return tuple(_stamp_of(folder) for folder in (home, *(home / shelf for shelf in SHELVES)))


def _stamp_of(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _stamp(home: Path) -> None:
    """Clocks of file systems are coarse: two batches in the same moment are told apart all the same."""
    status = home.stat()
    # Only the owner of a folder may set its time; the renamed files in it have changed the shelves' in any case.
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
    confirm_names(path.parent for path in gone)


def _drop(home: Path) -> None:
    """The removal is made durable: an old batch that came back would undo what was written since."""
    with disk_refusals("remove", home / PENDING):
        (home / PENDING).unlink()
    confirm_names([home])


def _read(pending: Path) -> Changes:
    """ValueError and its like for what no Burnish has written."""
    if pending.is_symlink() or not pending.is_file():
        raise ValueError("it is no plain file")
    with disk_refusals("read", pending):
        data = pending.read_bytes()
    return {name: _content(name, text) for name, text in orjson.loads(data)["changes"].items()}


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
