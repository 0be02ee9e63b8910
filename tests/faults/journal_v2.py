"""A journal of version 2: the same as version 1, with two more indexes. Frozen: its statements never change
again."""

from pathlib import Path

from tests.faults import journal_v1

STATEMENTS = (
    *journal_v1.STATEMENTS[:-2],
    "CREATE INDEX units_by_time ON units (at)",
    "CREATE INDEX calls_by_time ON calls (at, prompt_tokens, completion_tokens, cost)",
    "PRAGMA user_version = 2",
    "PRAGMA journal_mode = WAL",
)


def write(path: Path) -> None:
    journal_v1.write(path, STATEMENTS)
