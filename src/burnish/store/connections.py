"""Connections to a journal's SQLite file, and what SQLite's complaints mean to a user."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from burnish.core.errors import BurnishError, StateCorrupt, StorageFailed, UsageError

BUSY_SECONDS = 30.0
"""How long a statement waits for another process: a commit or a recovery after a crash is much shorter."""

_DISK = (
    *("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_LOCKED"),
    *("SQLITE_PERM", "SQLITE_NOMEM", "SQLITE_PROTOCOL", "SQLITE_NOLFS"),
)
_HINTS = {
    "SQLITE_FULL": "Free some space on that disk, then resume the run.",
    "SQLITE_BUSY": "Another program has the journal open and does not let go: close it, then resume the run.",
}
POISON = (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError)
"""Raised for one bad value, not for the disk's sake."""


def fault(error: Exception, path: Path) -> BurnishError:
    """What to tell the user: the disk refuses, the journal is damaged, or a value cannot be stored."""
    name = getattr(error, "sqlite_errorname", "")
    if isinstance(error, POISON):
        return UsageError(f"A record cannot be stored in {path}: {error}.")
    if name.startswith(_DISK):
        hint = next((text for code, text in _HINTS.items() if name.startswith(code)), None)
        return StorageFailed(
            f"The journal {path} cannot be used: {error} ({name}).",
            hint=hint or "Check that the disk is sound and the folder can be written to, then resume the run.",
        )
    return StateCorrupt(
        f"The journal {path} is damaged: {error}{f' ({name})' if name else ''}.",
        hint="Restore it from a copy, or start a new run. The source documents were not touched.",
    )


@contextmanager
def sqlite_faults(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into ours."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise fault(error, path) from error


def connect(path: Path, *, read_only: bool, immutable: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode, for one thread at a time. The file must exist.

    `immutable`: nobody can change it, so no lock is taken and no file is made beside it.
    """
    # Opened for writing also by readers, where that is allowed: whoever closes last removes the write-ahead log.
    is_fixed = immutable or (read_only and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)))
    uri = f"file:{quote(str(path))}?mode={'ro' if is_fixed else 'rw'}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")  # a journal handed to us may not run functions
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA synchronous = FULL")  # also of a reader: it may be the last to close
        connection.execute("PRAGMA fullfsync = ON")  # where fsync alone does not reach the disk
    except BaseException:
        connection.close()
        raise
    return connection
