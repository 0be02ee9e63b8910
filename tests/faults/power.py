"""A disk that keeps a diary, and what is left of it when the power goes.

    with recorded(folder) as diary:      # everything that is asked of the disk below the folder, in order
        work()
    wreck(folder, diary.steps[:1234], rng)

A recorded step counts only once its file is synced, and a name only once its folder is. Of the others some survive and
some do not, in any order, and a write may be torn between two sectors. Python asks through `os`; SQLite asks through a
virtual file system that hands everything on to the one of the system.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import random
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

SECTOR = 512
"""A disk writes this much or nothing."""

Step = tuple[Any, ...]
"""("make", path, file number) | ("folder", path) | ("name", path, old path) | ("link", path, old path) | ("remove",
path) | ("write", number, offset, bytes) | ("cut", number, size) | ("sync", number) | ("sync names", folder) |
("sync all",) | ("told", what was acknowledged)."""


# Recording


@dataclass
class Diary:
    """What was asked of the disk below a folder, in order."""

    root: Path
    without: frozenset[str] = frozenset()
    """Names of files that are no part of the disk."""
    steps: list[Step] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    """Of every file by its path."""
    _made: int = 0
    _door: threading.RLock = field(default_factory=threading.RLock)

    def holds(self, path: str) -> bool:
        return path.startswith(f"{self.root}{os.sep}") and Path(path).name not in self.without

    def known(self) -> None:
        """Take in what is there at the beginning, all of it safe."""
        for path in sorted(self.root.rglob("*")):
            if not self.holds(str(path)):
                continue
            if path.is_dir():
                self.note("folder", str(path))
            else:
                self.write(self.number(str(path)), 0, path.read_bytes())
        self.note("sync all")

    def note(self, *step: Any) -> None:
        with self._door:
            self.steps.append(step)

    def write(self, number: int, offset: int, data: bytes) -> None:
        self.note("write", number, offset, data)

    def number(self, path: str) -> int:
        """The number of the file at a path, which is made if there was none."""
        with self._door:
            if path not in self._numbers:
                self._made += 1
                self._numbers[path] = self._made
                self.note("make", path, self._made)
            return self._numbers[path]

    def named(self, verb: str, old: str, new: str) -> None:
        with self._door:
            for path in _below(old, self._numbers):
                self._numbers[new + path.removeprefix(old)] = self._numbers[path]
                if verb == "name":
                    del self._numbers[path]
            self.note(verb, new, old)

    def removed(self, path: str) -> None:
        with self._door:
            if self._numbers.pop(path, None) is not None or not path.endswith("-shm"):
                self.note("remove", path)


@contextmanager
def recorded(root: Path, *, without: Sequence[str] = ()) -> Iterator[Diary]:
    """Inside the block everything that is asked of the disk below `root` is written down."""
    diary = Diary(Path(os.path.realpath(root)), frozenset(without))
    diary.known()
    with mock.patch.multiple(os, **_watched(diary)), _sqlite_watched(diary):
        yield diary


def _watched(diary: Diary) -> dict[str, Callable[..., Any]]:
    """The functions of `os` that change the disk, each with its note."""
    files: dict[int, tuple[str, int]] = {}
    """Descriptor -> the path, and how far it is written."""
    real = {name: getattr(os, name) for name in _CALLS}

    def opened(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        descriptor: int = real["open"](path, flags, *rest, **options)
        text = os.path.realpath(os.fspath(path)) if options.get("dir_fd") is None else ""
        files.pop(descriptor, None)
        if diary.holds(text) or text == str(diary.root):
            files[descriptor] = (text, 0)
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and not Path(text).is_dir():
                diary.number(text)
        return descriptor

    def wrote(descriptor: int, data: Any) -> int:
        count: int = real["write"](descriptor, data)
        if descriptor in files:
            path, at = files[descriptor]
            diary.write(diary.number(path), at, bytes(data)[:count])
            files[descriptor] = (path, at + count)
        return count

    def synced(descriptor: int) -> None:
        real["fsync"](descriptor)
        if descriptor in files:
            path, _ = files[descriptor]
            diary.note("sync names", path) if Path(path).is_dir() else diary.note("sync", diary.number(path))

    def cut(descriptor: int, size: int) -> None:
        real["ftruncate"](descriptor, size)
        if descriptor in files:
            diary.note("cut", diary.number(files[descriptor][0]), size)

    def all_synced() -> None:
        diary.note("sync all")  # what else lies on the machine's disks does not matter here

    def moved(verb: str, call: str) -> Callable[..., None]:
        def function(old: Any, new: Any, **options: Any) -> None:
            real[call](old, new, **options)
            if diary.holds(_absolute(new)):
                diary.named(verb, _absolute(old), _absolute(new))

        return function

    def noted(call: str, note: Callable[[str], None]) -> Callable[..., None]:
        def function(path: Any, *rest: Any, **options: Any) -> None:
            real[call](path, *rest, **options)
            if options.get("dir_fd") is None and diary.holds(_absolute(path)):
                note(_absolute(path))

        return function

    return {
        "open": opened,
        "write": wrote,
        "fsync": synced,
        "ftruncate": cut,
        "sync": all_synced,
        "replace": moved("name", "replace"),
        "rename": moved("name", "rename"),
        "link": moved("link", "link"),
        "unlink": noted("unlink", diary.removed),
        "rmdir": noted("rmdir", diary.removed),
        "mkdir": noted("mkdir", lambda path: diary.note("folder", path)),
    }


_CALLS = ("open", "write", "fsync", "ftruncate", "sync", "replace", "rename", "link", "unlink", "rmdir", "mkdir")


def _absolute(path: Any) -> str:
    text = os.fspath(path)
    return str(Path(os.path.realpath(Path(text).parent)) / Path(text).name)


# SQLite's side. The structures are those of sqlite3.h.

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_Open = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _POINTER, _INT, _POINTER)
_Delete = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT)
_Write = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT, ctypes.c_int64)
_Truncate = ctypes.CFUNCTYPE(_INT, _POINTER, ctypes.c_int64)
_Sync = ctypes.CFUNCTYPE(_INT, _POINTER, _INT)
_CREATE, _JOURNALS = 0x4, 0x800 | 0x4000 | 0x80000
"""SQLITE_OPEN_CREATE; a new file of these kinds has its folder synced at its first sync."""


class _Methods(ctypes.Structure):
    """sqlite3_io_methods."""

    _fields_ = (
        ("iVersion", _INT),
        *((name, _POINTER) for name in ("xClose", "xRead", "xWrite", "xTruncate", "xSync")),
        ("rest", _POINTER * 13),
    )


class _FileSystem(ctypes.Structure):
    """sqlite3_vfs."""

    _fields_ = (
        *((name, _INT) for name in ("iVersion", "szOsFile", "mxPathname")),
        ("pNext", _POINTER),
        ("zName", ctypes.c_char_p),
        *((name, _POINTER) for name in ("pAppData", "xOpen", "xDelete")),
        ("rest", _POINTER * 14),
    )


def _library() -> ctypes.CDLL:
    """The SQLite that Python's own module uses."""
    import _sqlite3

    library = ctypes.CDLL(_sqlite3.__file__)  # finds the names of the libraries that it needs as well
    library.sqlite3_vfs_find.restype = _POINTER
    library.sqlite3_vfs_register.argtypes = (_POINTER, _INT)
    library.sqlite3_vfs_unregister.argtypes = (_POINTER,)
    return library


@contextmanager
def _sqlite_watched(diary: Diary) -> Iterator[None]:
    """New connections write through a file system that keeps the diary. It stays until the process ends, because
    connections may outlive the block."""
    library = _library()
    original = library.sqlite3_vfs_find(None)
    shim = _FileSystem.from_buffer_copy(_FileSystem.from_address(original))
    watcher = _SqliteWatcher(diary, shim)
    shim.pNext, shim.zName = None, b"diary"
    shim.xOpen = ctypes.cast(watcher.open, _POINTER)
    shim.xDelete = ctypes.cast(watcher.delete, _POINTER)
    _ALIVE.append((shim, watcher))
    library.sqlite3_vfs_register(ctypes.addressof(shim), 1)
    try:
        yield
    finally:
        library.sqlite3_vfs_register(original, 1)


_ALIVE: list[Any] = []
"""What SQLite holds pointers to."""


class _SqliteWatcher:
    """The functions that SQLite calls instead of the system's; each calls the system's and writes it down."""

    def __init__(self, diary: Diary, system: _FileSystem) -> None:
        self._diary = diary
        self._files: dict[int, str] = {}
        self._unnamed: set[int] = set()
        """Journals whose first sync also syncs their folder."""
        self._tables: dict[int, _Methods] = {}
        self._open, self._delete = _Open(system.xOpen), _Delete(system.xDelete)
        self.open, self.delete = _Open(self._opened), _Delete(self._deleted)

    def _opened(self, system: int, name: int | None, file: int, flags: int, told: int | None) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name else ""
        fresh = bool(path) and not Path(path).exists()
        result = self._open(system, name, file, flags, told)
        self._files.pop(file, None)
        if result == 0 and self._diary.holds(path):
            self._files[file] = path
            self._diary.number(path)
            self._unnamed.discard(file)
            if fresh and flags & _CREATE and flags & _JOURNALS:
                self._unnamed.add(file)
            pointer = ctypes.cast(file, ctypes.POINTER(_POINTER))
            assert pointer[0] is not None
            pointer[0] = ctypes.addressof(self._table(pointer[0]))
        return result

    def _table(self, original: int) -> _Methods:
        """A copy of a table of methods in which writes, cuts and syncs are ours."""
        if original not in self._tables:
            system = _Methods.from_address(original)
            table = _Methods.from_buffer_copy(system)
            write, truncate, sync = _Write(system.xWrite), _Truncate(system.xTruncate), _Sync(system.xSync)

            def wrote(file: int, data: int, size: int, offset: int) -> int:
                result = write(file, data, size, offset)
                if result == 0:
                    self._diary.write(self._number(file), offset, ctypes.string_at(data, size))
                return result

            def cut(file: int, size: int) -> int:
                result = truncate(file, size)
                if result == 0:
                    self._diary.note("cut", self._number(file), size)
                return result

            def synced(file: int, flags: int) -> int:
                result = sync(file, flags)
                if result == 0:
                    self._diary.note("sync", self._number(file))
                    if file in self._unnamed:
                        self._unnamed.discard(file)
                        self._diary.note("sync names", str(Path(self._files[file]).parent))
                return result

            functions = _Write(wrote), _Truncate(cut), _Sync(synced)
            table.xWrite, table.xTruncate, table.xSync = (ctypes.cast(one, _POINTER) for one in functions)
            _ALIVE.append(functions)
            self._tables[original] = table
        return self._tables[original]

    def _number(self, file: int) -> int:
        return self._diary.number(self._files[file])

    def _deleted(self, system: int, name: int, synced: int) -> int:
        path = os.fsdecode(ctypes.string_at(name))
        result = self._delete(system, name, synced)
        if result == 0 and self._diary.holds(path):
            self._diary.removed(path)
            if synced:
                self._diary.note("sync names", str(Path(path).parent))
        return result


# What is left


@dataclass
class _Place:
    """A file or a folder: what is safe, and what was asked for since."""

    safe: Any
    """Bytes of a file; names of a folder."""
    asked: list[Step] = field(default_factory=list)


def wreck(root: Path, steps: Sequence[Step], rng: random.Random | None) -> None:
    """Make the folder what a power loss after these steps leaves of it; without dice, what an orderly end leaves."""
    files, folders = _replayed(os.path.realpath(root), steps)
    shutil.rmtree(root)
    _lay_out(Path(root), os.path.realpath(root), files, folders, rng)


def _replayed(root: str, steps: Sequence[Step]) -> tuple[dict[int, _Place], dict[str, _Place]]:
    files: dict[int, _Place] = {}
    folders: dict[str, _Place] = {root: _Place({})}
    for verb, *rest in steps:
        if verb in ("make", "folder", "name", "link", "remove"):
            if verb == "make":
                files[rest[1]] = _Place(b"")
            if verb == "folder":
                folders[rest[0]] = _Place({})
            if verb == "name":  # a folder takes along what is in it; it is one place, whichever name survives
                for path in _below(rest[1], folders):
                    folders[rest[0] + path.removeprefix(rest[1])] = folders[path]
            folders[str(Path(rest[0]).parent)].asked.append((verb, *rest))
        elif verb in ("write", "cut"):
            files[rest[0]].asked.append((verb, *rest))
        elif verb == "sync":
            _settle(files[rest[0]], _content)
        elif verb == "sync names":
            _settle(folders[rest[0]], _names)
        elif verb == "sync all":
            for place in files.values():
                _settle(place, _content)
            for place in folders.values():
                _settle(place, _names)
    return files, folders


def _below(path: str, known: Iterable[str]) -> list[str]:
    """The path itself and all paths below it, of those that are known."""
    return [one for one in known if one == path or one.startswith(f"{path}{os.sep}")]


def _settle(place: _Place, applied: Callable[[Any, Sequence[Step]], Any]) -> None:
    place.safe = applied(place.safe, place.asked)
    place.asked = []


def _content(safe: bytes, asked: Sequence[Step]) -> bytes:
    data = bytearray(safe)
    for verb, _, *rest in asked:
        if verb == "cut":
            del data[rest[0] :]
            data.extend(bytes(rest[0] - len(data)))
        else:
            offset, written = rest
            data.extend(bytes(max(0, offset - len(data))))
            data[offset : offset + len(written)] = written
    return bytes(data)


def _names(safe: dict[str, Any], asked: Sequence[Step]) -> dict[str, Any]:
    """Name -> the number of its file, or None for a folder."""
    names = dict(safe)
    for verb, path, *rest in asked:
        name = Path(path).name
        if verb == "make":
            names[name] = rest[0]
        elif verb == "folder":
            names[name] = None
        elif verb == "remove":
            names.pop(name, None)
        elif (old := Path(rest[0]).name) in names:  # renamed or linked inside one folder; a rename is one step
            names[name] = names.pop(old) if verb == "name" else names[old]
    return names


def _lay_out(
    place: Path, path: str, files: dict[int, _Place], folders: dict[str, _Place], rng: random.Random | None
) -> None:
    place.mkdir()
    folder = folders[path]
    for name, number in _names(folder.safe, _surviving(folder.asked, rng)).items():
        if number is None:
            _lay_out(place / name, str(Path(path) / name), files, folders, rng)
        else:
            file = files[number]
            (place / name).write_bytes(_content(file.safe, _torn(_surviving(file.asked, rng), rng)))


def _surviving(asked: list[Step], rng: random.Random | None) -> list[Step]:
    """Nothing, everything, the first ones, or any."""
    if rng is None or not asked:
        return asked
    fate = rng.randrange(4)
    if fate < 2:
        return asked if fate else []
    if fate == 2:
        return asked[: rng.randrange(len(asked) + 1)]
    return [step for step in asked if rng.random() < 0.5]


def _torn(asked: list[Step], rng: random.Random | None) -> list[Step]:
    """Half of the time, some sectors of a write are missing."""
    if rng is None or not asked or rng.random() < 0.5:
        return asked
    return [part for step in asked for part in _sectors(step) if rng.random() < 0.7]


def _sectors(step: Step) -> Iterator[Step]:
    if step[0] == "cut":
        yield step
        return
    _, number, offset, data = step
    at = 0
    while at < len(data):
        size = SECTOR - (offset + at) % SECTOR
        yield "write", number, offset + at, data[at : at + size]
        at += size
