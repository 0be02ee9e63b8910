"""F6: many processes start one run at the same time. Exactly one holds it; the others are told who."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from burnish.store.lock import LockRecord
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock, this_process
from burnish.store.sqlite_journal import open_journal

TITLE = "many processes start one run"


def run(full: bool) -> str:
    processes, rounds = (50, 200) if full else (6, 3)
    takeovers = 0
    with tempfile.TemporaryDirectory() as text, _contenders(processes) as contenders:
        for number in range(rounds):
            runs = Path(text) / str(number)
            stale = number % 2 == 1
            _one_round(contenders, runs, stale)
            takeovers += stale
    return (
        f"{processes} processes x {rounds} rounds ({takeovers} with a stale lock): 1 holder each, the others told who"
    )


class Contender:
    """A process that does as it is told."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.contender"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )

    def order(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, object]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))


@contextmanager
def _contenders(count: int) -> Iterator[list[Contender]]:
    contenders = [Contender() for _ in range(count)]
    try:
        for contender in contenders:  # the first answer says that it is up
            contender.order("release")
        for contender in contenders:
            contender.answer()
        yield contenders
    finally:
        for contender in contenders:
            contender.process.communicate()


def _one_round(contenders: list[Contender], runs: Path, stale: bool) -> None:
    runs.mkdir()
    folder = RunFolder.at(runs, "r")
    if stale:
        _leave_stale_lock(folder)
    moment = time.monotonic() + 0.05
    for contender in contenders:
        contender.order(f"take {runs} {moment}")
    answers = [contender.answer() for contender in contenders]
    holders = [contender for contender, answer in zip(contenders, answers, strict=True) if answer.get("held")]
    assert len(holders) == 1, f"{len(holders)} holders: {answers}"
    pid = holders[0].process.pid
    untold = [
        answer for answer in answers if not answer.get("held") and f"process {pid} " not in str(answer.get("told"))
    ]
    assert not untold, f"not told that {pid} holds it: {untold[:2]}"
    holders[0].order("release")
    holders[0].answer()
    assert not folder.lock.exists()
    _check_audit(folder, stale)


def _leave_stale_lock(folder: RunFolder) -> None:
    folder.root.mkdir()
    here = this_process()
    dead = LockRecord(here.pid, here.host, "r", "", "2026-01-01T00:00:00Z", process_start=1)
    folder.lock.write_bytes(dead.write())


def _check_audit(folder: RunFolder, stale: bool) -> None:
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        assert journal.get_meta("epoch") == "1", f"epoch {journal.get_meta('epoch')}: more than one owner"
        audit = list(journal.events(types=["lock_taken_over"]))
    assert len(audit) == len(folder.stale_locks()) == int(stale), f"{len(audit)} take-overs audited"
