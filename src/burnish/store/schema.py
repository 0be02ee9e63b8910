"""The journal's schema as numbered migrations, and connections to it. Never change a released migration: add a new one.

`PRAGMA user_version` holds the number of the last migration. All missing migrations run in one transaction, so a
journal is never between two versions.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from burnish.core.errors import BurnishError, StateCorrupt, StorageFailed, UsageError
from burnish.core.faultpoints import reach
from burnish.core.findings import SEVERITIES

APPLICATION_ID = 0x4255524E
"""Marks an SQLite file as our journal: `BURN`."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration of the schema."""

    version: int
    statements: tuple[str, ...]


RECORDS = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    # The state of each unit; from `severity` on, the data of lists (`store.read_model`). Wide columns come last, so
    # that filtered lists do not read them.
    f"""CREATE TABLE units (
        number INTEGER PRIMARY KEY, id NOT NULL UNIQUE, document NOT NULL, position INTEGER NOT NULL,
        content_hash NOT NULL, state NOT NULL, reason, attempts INTEGER NOT NULL, best_attempt INTEGER NOT NULL,
        open_errors INTEGER NOT NULL, at TEXT NOT NULL,
        severity INTEGER NOT NULL DEFAULT {len(SEVERITIES)}, repaired INTEGER NOT NULL DEFAULT 0,
        drafts INTEGER NOT NULL DEFAULT 0, decided_by, cause NOT NULL DEFAULT 'unknown', scores NOT NULL DEFAULT '{{}}',
        notes NOT NULL DEFAULT '[]', excerpt, excerpt_of INTEGER)""",
    "CREATE TABLE sources (unit PRIMARY KEY NOT NULL, content NOT NULL) WITHOUT ROWID",
    """CREATE TABLE calls (
        id INTEGER PRIMARY KEY, key NOT NULL, unit NOT NULL, role NOT NULL, model NOT NULL,
        reply_name NOT NULL, request NOT NULL, status TEXT NOT NULL, raw NOT NULL,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL,
        reasoning_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        tries INTEGER NOT NULL, duration_ms INTEGER NOT NULL, error, at TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX calls_recorded ON calls (key) WHERE status = 'ok'",
    "CREATE INDEX calls_failed ON calls (key) WHERE status = 'failed'",
    "CREATE INDEX calls_by_unit ON calls (unit)",
    # Covers the sums by role and model, so that they read no prompts and replies.
    """CREATE INDEX calls_by_role ON calls (
        role, error, model, status, prompt_tokens, completion_tokens, cost, reasoning_tokens, cached_tokens,
        cache_write_tokens)""",
    # Calls that were begun. A recorded call is removed, so the remaining ones were lost or are in flight. Calls
    # submitted in a batch are stored completely, so that any later session can collect their answers.
    """CREATE TABLE intents (
        id INTEGER PRIMARY KEY, key NOT NULL, role NOT NULL, model NOT NULL, tokens INTEGER NOT NULL,
        cost REAL, batch, call, epoch INTEGER NOT NULL, at TEXT NOT NULL, UNIQUE (key, epoch))""",
    "CREATE INDEX intents_submitted ON intents (batch) WHERE batch IS NOT NULL",
    """CREATE TABLE attempts (
        unit NOT NULL, number INTEGER NOT NULL, cause TEXT NOT NULL, content, content_hash NOT NULL,
        scores NOT NULL, findings NOT NULL, passed INTEGER NOT NULL, failure, edits NOT NULL, receipt,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL, calls NOT NULL,
        at TEXT NOT NULL, UNIQUE (unit, number))""",
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY, type NOT NULL, unit, data NOT NULL, dedupe, at TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX events_by_dedupe ON events (dedupe) WHERE dedupe IS NOT NULL",
    "CREATE INDEX events_by_unit ON events (unit) WHERE unit IS NOT NULL",
    "CREATE INDEX events_by_type ON events (type)",
    # One row of running sums, so that calls need not be added up. Money in trillionths of a dollar: integers give the
    # same sum in every order.
    """CREATE TABLE books (
        one INTEGER PRIMARY KEY CHECK (one = 1), last_stamp INTEGER NOT NULL, calls INTEGER NOT NULL,
        failed_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
        cost_trillionths INTEGER NOT NULL, unpriced_calls INTEGER NOT NULL)""",
    "INSERT INTO books VALUES (1, 0, 0, 0, 0, 0, 0, 0)",
    "INSERT INTO meta VALUES ('epoch', '0')",
)
"""The records of a run."""

READ_MODEL = (
    "CREATE INDEX units_by_state ON units (state, position)",
    # Covers the filters of lists besides the state, so that skipping a unit costs little.
    "CREATE INDEX units_by_position ON units (position, number, severity, repaired, document)",
    # The order of the queue: by document and cause, worst first.
    "CREATE INDEX units_by_cause ON units (state, document, cause, severity, position)",
    # Searched texts in the units' order, so that a page can stop when it is full.
    """CREATE TABLE search_texts (
        position INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (position, number)) WITHOUT ROWID""",
    """CREATE TABLE findings (
        rule NOT NULL, settled INTEGER NOT NULL, position INTEGER NOT NULL, number INTEGER NOT NULL,
        times INTEGER NOT NULL, severity INTEGER NOT NULL,
        PRIMARY KEY (rule, settled, position, number)) WITHOUT ROWID""",
    # How many units have each score: there are few different scores, so charts need not read every unit.
    """CREATE TABLE score_counts (
        name NOT NULL, value REAL NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (name, value)) WITHOUT ROWID""",
    """CREATE TABLE spending (
        second INTEGER PRIMARY KEY, tokens INTEGER NOT NULL, cost_trillionths INTEGER NOT NULL, calls INTEGER NOT NULL,
        unpriced INTEGER NOT NULL)""",
    # Verdicts of people's decisions on rules and judges. Rows are only added: `change` is -1 for an undone verdict.
    """CREATE TABLE judgements (
        seq INTEGER PRIMARY KEY, number INTEGER NOT NULL, key INTEGER NOT NULL, who NOT NULL, is_right INTEGER NOT NULL,
        change INTEGER NOT NULL)""",
    "CREATE INDEX judgements_by_unit ON judgements (number)",
)
"""Data of lists, filters and sums, written in the transaction that changes it."""

INBOX = (
    """CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, unit NOT NULL, verdict TEXT NOT NULL, by NOT NULL, note,
        text, seen TEXT NOT NULL, at TEXT NOT NULL, due TEXT NOT NULL, state TEXT NOT NULL, why, delay, withdrawn_by,
        withdrawn_at TEXT)""",
    # If two people decide about one unit at the same time, one of them is refused.
    "CREATE UNIQUE INDEX inbox_waiting ON inbox (unit) WHERE state = 'waiting'",
    "CREATE INDEX inbox_by_state ON inbox (state)",
    "CREATE INDEX inbox_by_unit ON inbox (unit)",
)
"""Decisions of people: any process may add one, the owner of the run applies it (`store.inbox`)."""

MIGRATIONS: tuple[Migration, ...] = (
    Migration(4, (*RECORDS, *READ_MODEL, *INBOX, f"PRAGMA application_id = {APPLICATION_ID}")),
    Migration(5, ("ALTER TABLE inbox ADD COLUMN token TEXT",)),
    Migration(6, ("ALTER TABLE inbox ADD COLUMN command TEXT", "ALTER TABLE inbox ADD COLUMN beside TEXT")),
)
"""Versions 1 to 3 were unreleased drafts."""


def known_version() -> int:
    """Return the newest version that this Burnish can read."""
    return MIGRATIONS[-1].version


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of a journal. Raise StateCorrupt if it cannot be read here."""
    if int(connection.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
        raise StateCorrupt(f"{path} is not a journal of Burnish.", hint="Restore it from a copy, or start a new run.")
    version = version_of(connection)
    if version < MIGRATIONS[0].version:
        raise StateCorrupt(
            f"{path} was written by a draft of Burnish (journal version {version}), before the first release.",
            hint="Start a new run. Nothing was changed.",
        )
    if version > known_version():
        raise StateCorrupt(
            f"{path} was written by a newer Burnish (journal version {version}; this one knows {known_version()}).",
            hint="Update Burnish and try again. Nothing was changed.",
        )
    return version


def migrate(connection: sqlite3.Connection) -> list[int]:
    """Run all missing migrations in one transaction. Return their versions."""
    missing = [step for step in MIGRATIONS if step.version > version_of(connection)]
    if not missing:
        return []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in missing:
            for statement in step.statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {step.version:d}")
        reach("journal.migrating")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    reach("journal.migrated")
    return [step.version for step in missing]


BUSY_SECONDS = 30.0
"""How long a statement waits for another process: a commit or a recovery after a crash is much shorter."""

_DISK = (
    *("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_LOCKED"),
    *("SQLITE_PERM", "SQLITE_NOMEM", "SQLITE_PROTOCOL", "SQLITE_NOLFS"),
)
_HINTS = {
    "SQLITE_FULL": "Free some space on that disk, then resume the run.",
    "SQLITE_BUSY": "Another program has locked the journal: close it, then resume the run.",
}
POISON = (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError)
"""Errors caused by one bad value, not by the disk."""


def fault(error: Exception, path: Path) -> BurnishError:
    """Return the error for the user: the disk fails, the journal is damaged, or a value cannot be stored."""
    name = getattr(error, "sqlite_errorname", "")
    if isinstance(error, POISON):
        return UsageError(f"A record cannot be stored in {path}: {error}.")
    if name.startswith(_DISK):
        hint = next((text for code, text in _HINTS.items() if name.startswith(code)), None)
        return StorageFailed(
            f"The journal {path} cannot be used: {error} ({name}).",
            hint=hint or "Check that the disk works and the folder can be written to, then resume the run.",
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


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open a connection in autocommit mode, for one thread at a time. The file must exist."""
    # Readers also open for writing if they may: the last connection to close removes the write-ahead log.
    is_fixed = read_only and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    immutable = read_only and _lies_still(path)
    uri = f"file:{quote(str(path))}?mode={'ro' if is_fixed else 'rw'}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    with closed_on_failure(connection):
        connection.execute("PRAGMA trusted_schema = OFF")  # an untrusted journal must not run functions
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA synchronous = FULL")  # for readers too: one may be the last to close
        connection.execute("PRAGMA fullfsync = ON")  # for systems where fsync alone does not reach the disk
    return connection


def _lies_still(path: Path) -> bool:
    """Return whether the file cannot change: its folder is read-only, and there is no write-ahead log. Then readers
    need no lock, for which they could not create a file."""
    ahead = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (ahead.exists() and ahead.stat().st_size)


@contextmanager
def closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def connect_writer(path: Path) -> sqlite3.Connection:
    connection = connect(path, read_only=False)
    with closed_on_failure(connection):
        check_version(connection, path)
        migrate(connection)
        use_wal(connection, path)
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    connection = connect(path, read_only=True)
    with closed_on_failure(connection):
        if check_version(connection, path) == known_version():
            return connection
        # Only an owner may change the file, so readers migrate a copy of an older one.
        copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        connection.backup(copy)
        migrate(copy)
    connection.close()
    return copy


def use_wal(connection: sqlite3.Connection, path: Path) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StorageFailed(
            f"The journal {path} cannot be written ahead on this file system (mode {mode}).",
            hint="Put the runs on a local disk with --runs.",
        )
