"""F18: every released version of the journal opens; a draft from before the first release and a newer one are refused
politely, and left as they are.

None is released yet: with the first, a journal of that version is frozen here, and opened with all that is in it.
"""

import hashlib
import random
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from burnish.core.errors import StateCorrupt
from burnish.store.processes import system_clock
from burnish.store.schema import MIGRATIONS, known_version
from burnish.store.sqlite_journal import create_journal, open_journal

TITLE = "versions of the journal"


def run(full: bool) -> str:
    rng = random.Random(18)
    drafts = list(range(MIGRATIONS[0].version))
    newer = [
        known_version() + 1,
        2**31 - 1,
        *(rng.randrange(known_version() + 2, 2**31) for _ in range(50 if full else 3)),
    ]
    for version in drafts:
        _is_refused(version, "a draft of Burnish", "Start a new run")
    for version in newer:
        _is_refused(version, "newer Burnish", "Update Burnish")
    return f"no version is released; {len(drafts)} drafts and {len(newer)} newer ones refused and left unchanged"


def _is_refused(version: int, why: str, hint: str) -> None:
    with tempfile.TemporaryDirectory() as text:
        path = Path(text) / "journal.sqlite"
        create_journal(path, clock=system_clock).close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        for read_only in (True, False):
            try:
                open_journal(path, clock=system_clock, read_only=read_only).close()
            except StateCorrupt as refused:
                assert why in str(refused), str(refused)
                assert hint in (refused.hint or ""), refused.hint
            else:
                raise AssertionError(f"version {version} was opened")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == before, f"the journal of version {version} was changed"
