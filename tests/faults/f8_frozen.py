"""F8: the owner is frozen past the limit, another takes over, the owner wakes. It writes nothing any more.

The inbox is not fenced: a decision that somebody adds meanwhile is there, and applied once.
"""

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

from burnish.core.errors import RunActive, StorageFailed
from burnish.core.records import event
from burnish.store import lock, schema
from burnish.store.inbox import Inbox, InboxEntry
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock, this_process
from burnish.store.sqlite_journal import own_run
from tests.store.samples import holder, unit

TITLE = "owner that wakes up too late"
MARK = "a-decision"


def run(full: bool) -> str:
    rng = random.Random(8)
    modes = ["wait", *(["busy"] * 40 if full else ["busy"] * 2), *(["wait"] * 10 if full else [])]
    refused = sum(_one_round(mode, rng) for mode in modes)
    return (
        f"{len(modes)} owners frozen and woken, 0 writes afterwards (5 deeds each), 1 decision of the inbox applied "
        f"each; {refused} take-overs had to wait"
    )


def _one_round(mode: str, rng: random.Random) -> int:
    with tempfile.TemporaryDirectory() as text:
        folder = RunFolder.at(Path(text), "r")
        command = [sys.executable, "-m", "tests.faults.sleeper", text, mode]
        owner = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == "ready\n"
            waited = _freeze_and_take_over(owner, folder, rng)
            told, _ = owner.communicate(timeout=60)
        finally:
            owner.kill()  # nothing that is frozen is left behind if a target is missed
        assert owner.returncode == 0, f"the old owner ended with {owner.returncode}"
        _check(folder, json.loads(told))
        return waited


def _freeze_and_take_over(owner: "subprocess.Popen[str]", folder: RunFolder, rng: random.Random) -> int:
    """Be another host, to which the owner has been silent for too long. How often it had to wait."""
    # Frozen in the middle of a commit or a heartbeat, the owner still has a lock of the kernel: nobody can write then.
    impatient = (
        mock.patch.multiple(schema, BUSY_SECONDS=0.05),
        mock.patch.object(lock, "GUARD_PATIENCE_SECONDS", 0.05),
    )
    for waited in range(200):
        time.sleep(rng.uniform(0, 0.02))
        owner.send_signal(signal.SIGSTOP)
        try:
            with impatient[0], impatient[1]:
                _take_over(owner, folder)
            return waited
        except (StorageFailed, RunActive):
            owner.send_signal(signal.SIGCONT)
    raise AssertionError("nobody could take the run over")


def _take_over(owner: "subprocess.Popen[str]", folder: RunFolder) -> None:
    with own_run(folder, _later, identity=replace(this_process(), host="another-host")) as run:
        run.journal.write_now(event("ingested", data={"by": "new"}), unit())
        row = run.journal.unit("q1")
        assert row is not None
        decision = InboxEntry(MARK, "q1", "accept", "Ada", None, None, row.at, row.at, row.at)
        assert Inbox(folder).add([decision]) == Inbox(folder).add([decision]) == {}
        ExportFolder(folder, run.journal).write_json("report.json", "by the new owner")
        owner.send_signal(signal.SIGCONT)
        assert owner.stdin is not None
        owner.stdin.write("wake\n")
        owner.stdin.flush()
        owner.wait(timeout=60)
        found = holder(folder)
        assert found is not None, "the new owner's lock is gone"
        assert found.token == run.lock.record.token, "the old owner changed the new lock"
        run.journal.write_now(event("ingested", data={"by": "new"}))


def _later() -> datetime:
    return system_clock() + timedelta(seconds=300)


def _check(folder: RunFolder, told: dict[str, object]) -> None:
    assert told["succeeded"] == [], f"the old owner still could: {told['succeeded']}"
    with own_run(folder, _later) as run:
        assert [entry.mark for entry in run.journal.inbox("waiting")] == [MARK], "the decision is not there once"
        row = run.journal.unit("q1")
        assert row is not None
        for _ in range(2):
            run.journal.apply_decisions({MARK: (row.at, [event("decision", "q1", data={"mark": MARK})])})
        events = list(run.journal.events())
        assert sum(found.data.get("mark") == MARK for found in events) == 1, "it was not applied once"
        assert run.journal.get_meta("by") is None
    taken = next(found.seq for found in events if found.type == "lock_taken_over")
    by_old = [found for found in events if found.data.get("by") == "old"]
    late = [found.seq for found in by_old if found.seq > taken]
    assert not late, f"{len(late)} writes by the old owner"
    assert len(by_old) == told["acknowledged"], f"{len(by_old)} records, {told['acknowledged']} acknowledged"
    assert sum(found.data.get("by") == "new" for found in events) == 2
    assert json.loads((folder.root / "report.json").read_text()) == "by the new owner"
