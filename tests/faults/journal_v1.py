"""A journal of version 1, as the first release wrote it. Frozen: its statements never change again.

Whatever the schema becomes, a journal like this one must open, with all that is in it.
"""

import sqlite3
from pathlib import Path

STATEMENTS = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE units (id PRIMARY KEY NOT NULL, document NOT NULL, position INTEGER NOT NULL, content_hash NOT NULL, "
    "state NOT NULL, reason, attempts INTEGER NOT NULL, best_attempt INTEGER NOT NULL, open_errors INTEGER NOT NULL, "
    "at TEXT NOT NULL)",
    "CREATE INDEX units_by_position ON units (position)",
    "CREATE INDEX units_by_state ON units (state, position)",
    "CREATE TABLE calls (id INTEGER PRIMARY KEY, key NOT NULL, unit NOT NULL, role NOT NULL, model NOT NULL, "
    "reply_name NOT NULL, request NOT NULL, status TEXT NOT NULL, raw NOT NULL, prompt_tokens INTEGER NOT NULL, "
    "completion_tokens INTEGER NOT NULL, cost REAL, tries INTEGER NOT NULL, duration_ms INTEGER NOT NULL, error, "
    "at TEXT NOT NULL)",
    "CREATE UNIQUE INDEX calls_recorded ON calls (key) WHERE status = 'ok'",
    "CREATE INDEX calls_failed ON calls (key) WHERE status = 'failed'",
    "CREATE INDEX calls_by_unit ON calls (unit)",
    "CREATE TABLE attempts (unit NOT NULL, number INTEGER NOT NULL, cause TEXT NOT NULL, content, "
    "content_hash NOT NULL, scores NOT NULL, findings NOT NULL, passed INTEGER NOT NULL, failure, edits NOT NULL, "
    "receipt, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL, calls NOT NULL, "
    "at TEXT NOT NULL, UNIQUE (unit, number))",
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, type NOT NULL, unit, data NOT NULL, dedupe, at TEXT NOT NULL)",
    "CREATE UNIQUE INDEX events_by_dedupe ON events (dedupe) WHERE dedupe IS NOT NULL",
    "CREATE INDEX events_by_unit ON events (unit) WHERE unit IS NOT NULL",
    "CREATE INDEX events_by_type ON events (type)",
    "CREATE TABLE books (one INTEGER PRIMARY KEY CHECK (one = 1), last_stamp INTEGER NOT NULL, calls INTEGER NOT NULL, "
    "failed_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, "
    "cost_trillionths INTEGER NOT NULL, unpriced_calls INTEGER NOT NULL)",
    "INSERT INTO books VALUES (1, 1794830400000003, 2, 1, 110, 20, 1500000000, 1)",
    "INSERT INTO meta VALUES ('epoch', '4')",
    "INSERT INTO meta VALUES ('manifest', '{\"kind\":\"questions\"}')",
    "INSERT INTO units VALUES ('q1', 'bank.json', 0, 'sha256:a', 'validated', NULL, 2, 2, 0, "
    "'2026-11-16T12:00:00.000000Z')",
    "INSERT INTO units VALUES (X'75EDA080', 'bank.json', 1, 'sha256:b', 'draft', NULL, 0, 0, 0, "
    "'2026-11-16T12:00:00.000001Z')",
    "INSERT INTO calls VALUES (1, 'k1', 'q1', 'judge', 'test:model', 'review', '{\"user\":\"Which drug?\"}', 'failed', "
    "'', 10, 0, NULL, 3, 40, '503', '2026-11-16T12:00:00.000001Z')",
    "INSERT INTO calls VALUES (2, 'k1', 'q1', 'judge', 'test:model', 'review', '{\"user\":\"Which drug?\"}', 'ok', "
    "X'7A78014B4C1C1E0000C27F4BC9', 100, 20, 0.0015, 1, 40, NULL, '2026-11-16T12:00:00.000002Z')",
    "INSERT INTO attempts VALUES ('q1', 1, 'source', NULL, 'sha256:a', '{\"rules\":0.5}', "
    "'[{\"rule\":\"nbme_lead_in\"}]', 0, NULL, '[]', NULL, 0, 0, 0.0, '[]', '2026-11-16T12:00:00.000002Z')",
    "INSERT INTO events VALUES (1, 'run_started', NULL, '{}', NULL, '2026-11-16T12:00:00.000003Z')",
    "PRAGMA application_id = 1112887886",
    "PRAGMA user_version = 1",
    "PRAGMA journal_mode = WAL",
)


def write(path: Path, statements: tuple[str, ...] = STATEMENTS) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")  # a sample need not survive a power loss
    for statement in statements:
        connection.execute(statement)
    connection.close()
