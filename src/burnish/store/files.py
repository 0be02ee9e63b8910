"""Atomic file writes: a file is always the complete old or the complete new version.

A new version is written next to its target, synced, and renamed over it. If the disk fails before that, the target is
untouched and nothing is left behind. One step cannot be undone: if the folder cannot be synced after the rename, the
target is the complete new file and the error says that the disk did not confirm it.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from filelock import lock_descriptor

from burnish.core.errors import StorageFailed
from burnish.core.faultpoints import reach

TEMPORARY_PREFIX = ".burnish-"
"""Prefix of the names of temporary files."""

SYNCED_ONE_BY_ONE = 32
"""The largest batch whose files are synced one by one; larger ones are flushed together first, which is much faster."""

CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)
DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
"""Flags for opening files. Windows has none of these, and needs none."""
ALONE = ".alone.guard"
"""The file in a folder that `alone_in` locks on Windows, where folders cannot be locked."""
LOCK_PAUSE_SECONDS = 0.005
MARKS_OF_RUN = ("journal.sqlite", ".RUNNING.guard")
"""Files that only the folder of a run contains."""
DEEPEST_IN_RUN = 6
_BUFFER = 1 << 17
_WHAT_TO_DO = {
    errno.ENOSPC: "Free some space on that disk, then run the same command again.",
    errno.EDQUOT: "Free some space or raise the quota, then run the same command again.",
    errno.EFBIG: "Raise the limit on file sizes (ulimit -f) or choose another place.",
    errno.EIO: "The disk reports a fault: check it, or choose a place on another disk.",
    errno.EACCES: "Choose a place you may write to, or change its permissions.",
    errno.EPERM: "Choose a place you may write to, or change its permissions.",
    errno.EROFS: "That file system is read-only: choose another place.",
    errno.ENOENT: "Make the folder first, or choose another place.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


def storage_failed(doing: str, path: Path, error: OSError) -> StorageFailed:
    """Return the error for a failure of the operating system: what failed, where, why, what to do."""
    name = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return StorageFailed(
        f"Could not {doing} {path}: {error.strerror or error} ({name}).",
        hint=_WHAT_TO_DO.get(error.errno or 0, "Check that the disk and the folder can be written to."),
    )


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """Open a stream whose bytes become the file `path` if the block succeeds, and are discarded if it fails."""
    target, mode = _replaceable(path)
    temporary = target.with_name(temporary_name())
    with _durable_file(temporary, path, mode) as stream:
        yield stream
    with _removed_on_failure(temporary), disk_refusals("write", path):
        temporary.replace(target)
    reach("files.replaced")
    confirm_names([target])


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write each file like `write_atomically`, but wait only once: after a kill, some files are new and some are old.

    For callers that can find out afterwards which files are missing, and write them again.
    """
    new: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            target, mode = _replaceable(path)
            temporary = target.with_name(temporary_name())
            with _durable_file(temporary, path, mode, synced=False) as stream:
                stream.write(data)
            new[temporary] = target
        # Each file is synced separately, because only that shows whether the disk kept it. Flushing them all first
        # makes these syncs fast.
        if len(new) > SYNCED_ONE_BY_ONE:
            os.sync()
        for temporary, target in new.items():
            with disk_refusals("write", target):
                sync_path(temporary)
            reach("files.synced")
        for temporary, target in new.items():
            with disk_refusals("write", target):
                temporary.replace(target)
            reach("files.replaced")
    except BaseException:
        for temporary in new:
            with suppress(OSError):  # it was renamed already, or `remove_leftovers` removes it
                temporary.unlink()
        raise
    confirm_names(target.with_name("*") for target in new.values())


def confirm_names(paths: Iterable[Path]) -> None:
    """Make the names in the folders of `paths` durable after files were created, renamed or removed."""
    for folder, path in sorted({path.parent: path for path in paths}.items()):
        try:
            sync_path(folder)
        except OSError as error:
            failure = storage_failed("confirm", path, error)
            failure.message += " The new file is complete and in its place, but might not survive a power loss."
            raise failure from error
    reach("files.confirmed")


def _replaceable(path: Path) -> tuple[Path, int | None]:
    """Return the file to replace and its permission bits. A link is kept, and the file it points to is replaced."""
    with disk_refusals("write", path):
        target = path.resolve()
        return target, _mode_of_existing(target)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the whole content of `path` with `data`."""
    with atomic_writer(path) as stream:
        stream.write(data)


def refuse_unreplaceable(path: Path) -> None:
    """Check before the work whether its result can be written to `path`. Raise StorageFailed as writing would."""
    with disk_refusals("write", path):
        _mode_of_existing(path)
        ancestor = next((folder for folder in path.parents if folder.exists()), path.parent)
        if not ancestor.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def create_exclusively(path: Path, data: bytes) -> None:
    """Create a file that is complete from the first moment. Raise FileExistsError if it exists."""
    temporary = path.with_name(temporary_name())
    with _durable_file(temporary, path, None) as stream:
        stream.write(data)
    publish_exclusively(temporary, path)


def publish_exclusively(temporary: Path, path: Path) -> None:
    """Rename the finished file `temporary`, unless the name is taken (FileExistsError).

    A hard link is as exclusive as O_EXCL, and unlike it never shows an empty file to others or after a crash.
    """
    with _removed_on_failure(temporary):
        with disk_refusals("create", path, passing=FileExistsError):
            path.hardlink_to(temporary)
        # No caller knows of the file yet, so it can be removed if the disk does not confirm it.
        with _removed_on_failure(path), disk_refusals("create", path):
            sync_path(path.parent)
    with suppress(OSError):  # a second name is harmless; `remove_leftovers` removes it
        temporary.unlink()


def is_private(path: Path) -> bool:
    """Return whether a file belongs to a run, whose files only the owner may read."""
    return any((parent / mark).exists() for parent in list(path.parents)[:DEEPEST_IN_RUN] for mark in MARKS_OF_RUN)


def make_folder(path: Path, *, private: bool = False) -> None:
    """Create a folder and its parents, durably. It may exist. `private`: only the owner may read it."""
    with disk_refusals("make the folder", path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            owner_only = (private and folder == path) or is_private(folder)
            folder.mkdir(0o700 if owner_only else 0o777, exist_ok=True)
            sync_path(folder.parent)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def locked_within(descriptor: int, seconds: float, pause: float = LOCK_PAUSE_SECONDS) -> bool:
    """Return whether the lock of an open file was acquired in time."""
    deadline = time.monotonic() + seconds
    while not (held := lock_descriptor(descriptor, blocking=False)) and time.monotonic() < deadline:
        time.sleep(pause)
    return held


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Exclude other processes from this folder until the block ends."""
    path, flags = (folder / ALONE, os.O_RDWR | os.O_CREAT) if os.name == "nt" else (folder, os.O_RDONLY)
    with disk_refusals("open", folder):
        descriptor = os.open(path, flags | DIRECTORY | CLOEXEC)
    try:
        lock_descriptor(descriptor, poll_interval=LOCK_PAUSE_SECONDS)
        yield
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path, *, below: bool = True) -> list[Path]:
    """Remove the temporary files that a killed process left in `folder` and, with `below`, in its subfolders. The
    caller must own the folder."""
    places = os.walk(folder) if below else islice(os.walk(folder), 1)
    found = [
        Path(place, name) for place, _, names in places for name in sorted(names) if name.startswith(TEMPORARY_PREFIX)
    ]
    for path in found:
        with disk_refusals("remove", path):
            path.unlink(missing_ok=True)
    return found


def temporary_name() -> str:
    """Return a unique name that `remove_leftovers` recognises."""
    return f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}.tmp"


def sha256_of(path: Path) -> str:
    """Return `sha256:` and the hex digest of a file's bytes, read in pieces. Raises OSError as reading does."""
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


@contextmanager
def disk_refusals(doing: str, path: Path, *, passing: type[OSError] | tuple[()] = ()) -> Iterator[None]:
    """Turn errors of the operating system inside the block into StorageFailed, except errors of type `passing`."""
    try:
        yield
    except OSError as error:
        if isinstance(error, passing):
            raise
        raise storage_failed(doing, path, error) from error


class _Descriptor(io.FileIO):
    """The raw stream of an atomic writer. It separates errors of the disk from the caller's own errors."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Any) -> int:
        with disk_refusals("write", self._path):
            return os.write(self.fileno(), data)


@contextmanager
def _durable_file(temporary: Path, path: Path, mode: int | None, *, synced: bool = True) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name, which is synced if the block succeeds and removed if it fails."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOEXEC
    with disk_refusals("write", path):
        fresh = 0o600 if is_private(path) else 0o666
        descriptor = os.open(temporary, flags, fresh if mode is None else mode)
    raw = _Descriptor(descriptor, path)
    with _removed_on_failure(temporary, raw):
        reach("files.opened")
        stream = io.BufferedWriter(raw, _BUFFER)
        yield stream
        stream.flush()
        with disk_refusals("write", path):
            if mode is not None and hasattr(os, "fchmod"):  # Windows has no such bits
                os.fchmod(descriptor, mode)  # the umask may have removed bits at creation
            reach("files.written")
            if synced:
                os.fsync(descriptor)
                reach("files.synced")
            raw.close()


@contextmanager
def _removed_on_failure(temporary: Path, raw: io.FileIO | None = None) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # The first error is the one to report; `remove_leftovers` removes a file that cannot be removed now.
        with suppress(OSError):
            if raw is not None:
                raw.close()
        with suppress(OSError):
            temporary.unlink()
        raise


def _mode_of_existing(target: Path) -> int | None:
    """Return the permission bits to keep. Raise StorageFailed if the target must not be replaced."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise StorageFailed(f"{target} is not a regular file.", hint="Name a file, not a folder or a device.")
    # Renaming would replace a read-only file, against its owner's wish; root may write anything, so check the bits.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise StorageFailed(f"{target} is read-only.", hint="Make it writable (chmod u+w) or write to another file.")
    return stat.S_IMODE(status.st_mode) & 0o777


def sync_path(path: Path) -> None:
    """Make the content of a file, or the names in a folder, durable. Raise OSError if the disk fails."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders; it writes names through by itself
    descriptor = os.open(path, os.O_RDONLY | CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
