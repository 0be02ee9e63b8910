"""F18: every released version of the journal opens, with all that is in it; a newer one is refused politely."""

import hashlib
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from burnish.core.errors import StateCorrupt
from burnish.core.records import Usage
from burnish.store.clock import system_clock
from burnish.store.migrations import MIGRATIONS, known_version, version_of
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder
from burnish.store.sqlite_journal import SqliteJournal, open_journal
from tests.faults import journal_v1, journal_v2
from tests.store.samples import attempt, call, happened

TITLE = "versions of the journal"
RELEASED: dict[int, Callable[[Path], None]] = {1: journal_v1.write, 2: journal_v2.write}


def run(full: bool) -> str:
    assert sorted(RELEASED) == [step.version for step in MIGRATIONS], "a released version has no frozen journal here"
    for version, write in RELEASED.items():
        _opens(version, write)
    rng = random.Random(18)
    newer = [
        known_version() + 1,
        2**31 - 1,
        *(rng.randrange(known_version() + 2, 2**31) for _ in range(50 if full else 3)),
    ]
    for version in newer:
        _is_refused(version)
    return f"{len(RELEASED)} released versions open, {len(newer)} newer ones refused and left unchanged"


def _opens(version: int, write: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as text:
        folder = RunFolder.at(Path(text), "r")
        folder.root.mkdir()
        write(folder.journal)
        with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as reader:
            _holds_everything(reader)
        with closing(sqlite3.connect(folder.journal)) as connection:
            assert version_of(connection) == version, "reading changed the version"
        with own_run(folder, system_clock) as owned:
            _holds_everything(owned.journal)
            assert owned.epoch == 5
            owned.journal.write_now(call("k2"), attempt("q1", 2), happened(1))
            assert owned.journal.totals().calls == 3
            stamps = [found.at for found in owned.journal.events()]
            assert stamps == sorted(set(stamps)), "new events are not later than old ones"
        with closing(sqlite3.connect(folder.journal)) as connection:
            assert version_of(connection) == known_version()


def _holds_everything(journal: SqliteJournal) -> None:
    assert journal.get_meta("manifest") == '{"kind":"questions"}'
    assert [(row.id, row.state) for row in journal.units()] == [("q1", "validated"), ("\ud800", "draft")]
    assert [(found.status, found.raw) for found in journal.calls("q1")] == [("failed", ""), ("ok", "a" * 200)]
    recorded = journal.call("k1")
    assert recorded is not None
    assert recorded.request == {"user": "Which drug?"}
    assert [(found.number, found.findings) for found in journal.attempts("q1")] == [(1, ({"rule": "nbme_lead_in"},))]
    assert [(found.seq, found.type) for found in journal.events()] == [(1, "run_started")]
    assert journal.totals().usage == Usage(110, 20, 0.0015)


def _is_refused(version: int) -> None:
    with tempfile.TemporaryDirectory() as text:
        path = Path(text) / "journal.sqlite"
        journal_v1.write(path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        for read_only in (True, False):
            try:
                open_journal(path, clock=system_clock, read_only=read_only).close()
            except StateCorrupt as refused:
                assert "newer Burnish" in str(refused), str(refused)
                assert "Update Burnish" in (refused.hint or ""), refused.hint
            else:
                raise AssertionError(f"version {version} was opened")
        assert hashlib.sha256(path.read_bytes()).hexdigest() == before, "the newer journal was changed"
