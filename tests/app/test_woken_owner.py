"""An owner that was frozen wakes when another process has taken its run over: it says so, and writes nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime, timedelta

from burnish.store.processes import system_clock, this_process
from burnish.store.sqlite_journal import own_run
from tests.app.desk import Desk
from tests.engine.questions_bench import sound
from tests.loopback import Answer, LoopbackModel

FINE = {"reasoning": "fine", "violations": []}


def later() -> datetime:
    return system_clock() + timedelta(seconds=300)


def test_an_owner_that_wakes_too_late_ends_with_one_message(desk: Desk) -> None:
    bank = desk.bank(*(sound(n) for n in range(6)))
    with LoopbackModel(lambda _: Answer(FINE, latency=0.3)) as server:
        options = ["--model", "openai:m", "--base-url", server.base_url, "--run-id", "r", "--workers", "2"]
        command = [sys.executable, "-m", "burnish", "polish", str(bank), *options]
        owner = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            while not server.requests and owner.poll() is None:
                time.sleep(0.01)
            owner.send_signal(signal.SIGSTOP)
            with own_run(desk.run(), later, identity=replace(this_process(), host="another-host")):
                owner.send_signal(signal.SIGCONT)
                out, err = owner.communicate(timeout=60)
        finally:
            owner.kill()
    assert owner.returncode == 5, out + err
    assert "Traceback" not in err, err
    assert err.startswith("burnish: Another process took this run over"), err
    assert len(err.splitlines()) == 2, "the message and its hint"
