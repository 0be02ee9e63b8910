"""The journal's schema, as numbered steps. A released step is never changed; a change is a new step.

`PRAGMA user_version` holds the number of the last step that was taken. All steps that a journal lacks are taken in one
transaction, so it is always at one version or at another.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from burnish.core.errors import StateCorrupt
from burnish.core.faultpoints import reach

APPLICATION_ID = 0x4255524E
"""Marks an SQLite file as a journal of ours: `BURN`."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a schema to the next."""

    version: int
    statements: tuple[str, ...]
    only_indexes: bool = False
    """Whether all that can be asked stays the same: a journal without this step is read as it lies there."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        (
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
            """CREATE TABLE units (
                id PRIMARY KEY NOT NULL, document NOT NULL, position INTEGER NOT NULL, content_hash NOT NULL,
                state NOT NULL, reason, attempts INTEGER NOT NULL, best_attempt INTEGER NOT NULL,
                open_errors INTEGER NOT NULL, at TEXT NOT NULL)""",
            "CREATE INDEX units_by_position ON units (position)",
            "CREATE INDEX units_by_state ON units (state, position)",
            """CREATE TABLE calls (
                id INTEGER PRIMARY KEY, key NOT NULL, unit NOT NULL, role NOT NULL, model NOT NULL,
                reply_name NOT NULL, request NOT NULL, status TEXT NOT NULL, raw NOT NULL,
                prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL,
                tries INTEGER NOT NULL, duration_ms INTEGER NOT NULL, error, at TEXT NOT NULL)""",
            "CREATE UNIQUE INDEX calls_recorded ON calls (key) WHERE status = 'ok'",
            "CREATE INDEX calls_failed ON calls (key) WHERE status = 'failed'",
            "CREATE INDEX calls_by_unit ON calls (unit)",
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
            # One row: running sums, so that nobody has to add up the calls. Money in millionths of a millionth, because
            # whole numbers give the same sum in every order.
            """CREATE TABLE books (
                one INTEGER PRIMARY KEY CHECK (one = 1), last_stamp INTEGER NOT NULL, calls INTEGER NOT NULL,
                failed_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
                cost_trillionths INTEGER NOT NULL, unpriced_calls INTEGER NOT NULL)""",
            "INSERT INTO books VALUES (1, 0, 0, 0, 0, 0, 0, 0)",
            "INSERT INTO meta VALUES ('epoch', '0')",
            f"PRAGMA application_id = {APPLICATION_ID}",
        ),
    ),
    Migration(
        2,
        (
            # What has changed since a moment is found without looking at the rest; bills without their replies.
            "CREATE INDEX units_by_time ON units (at)",
            "CREATE INDEX calls_by_time ON calls (at, prompt_tokens, completion_tokens, cost)",
        ),
        only_indexes=True,
    ),
)


def known_version() -> int:
    """The newest version that this Burnish can read."""
    return MIGRATIONS[-1].version


def reads_as_it_is(version: int) -> bool:
    """Whether a journal of this version answers every question without being changed."""
    return all(step.only_indexes for step in MIGRATIONS if step.version > version)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a journal that we can read. Anything else is refused with the reason."""
    if int(connection.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
        raise StateCorrupt(f"{path} is not a journal of Burnish.", hint="Restore it from a copy, or start a new run.")
    version = version_of(connection)
    if version > known_version():
        raise StateCorrupt(
            f"{path} was written by a newer Burnish (journal version {version}; this one knows {known_version()}).",
            hint="Update Burnish and try again. Nothing was changed.",
        )
    return version


def migrate(connection: sqlite3.Connection) -> list[int]:
    """Take every step that the journal lacks, in one transaction. The versions of those that were taken."""
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
