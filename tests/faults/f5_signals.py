"""F5: Ctrl-C and SIGTERM at random moments. The command ends at once, lets go of the lock, and can be resumed."""

from __future__ import annotations

import random
import signal
import tempfile
from pathlib import Path

from tests.engine.questions_bench import biased, filled, journal_of, script, sound, untidy, write_bank
from tests.faults.victims import End, Victims

TITLE = "Ctrl-C and SIGTERM at random moments"
INTERRUPTED = 130
LONGEST = 2.0
"""Seconds from the signal to the end."""


def run(full: bool) -> str:
    with Victims() as victims:
        return interrupted(victims, full)


def interrupted(victims: Victims, full: bool) -> str:
    signals, rng = (100 if full else 3), random.Random(5)
    with tempfile.TemporaryDirectory() as text:
        trial = Trial(Path(text), victims)
        while trial.signals < signals:
            trial.one_run(rng)
        slowest = max(trial.seconds)
        # How long an end takes depends on the machine; only the long form, which has it to itself, holds it to that.
        assert slowest < (LONGEST if full else 10.0), f"the slowest end took {slowest:.2f} s"
        return (
            f"{trial.signals} signals in {trial.runs} runs, all ended with {INTERRUPTED} within {slowest:.2f} s, "
            "lock released, resumed to the same bytes"
        )


class Trial:
    """One bank and one script, polished again and again."""

    def __init__(self, home: Path, victims: Victims) -> None:
        self.home = home
        self.victims = victims
        self.signals = self.runs = 0
        self.seconds: list[float] = []
        self.bank = write_bank(home, [sound(0), biased(1), filled(2), untidy(3), *(biased(n) for n in range(4, 9))])
        self.script = script(home / "script.json", *(f"q{number}" for number in range(9)), latency=0.03)
        end = self.command("whole", "polish")
        assert end.status == 0, f"the run that was left in peace ended with {end.status}"
        self.wanted = self.published("whole")
        self.duration = end.seconds

    def command(self, name: str, command: str, **how: object) -> End:
        runs = self.home / name
        start = ["polish", str(self.bank), "--run-id", "r", "--model", f"scripted:{self.script}"]
        arguments = start if command == "polish" else ["resume", "r"]
        return self.victims.command([*arguments, "--runs", str(runs)], runs / "r" / "RUNNING.lock", **how)

    def published(self, name: str) -> bytes:
        return (self.home / name / "r" / "out" / "bank.json").read_bytes()

    def one_run(self, rng: random.Random) -> None:
        self.runs += 1
        name, command, patience = f"run{self.runs}", "polish", self.duration
        while True:
            number = rng.choice([signal.SIGINT, signal.SIGTERM])
            end = self.command(name, command, signal=int(number), after=rng.uniform(0, patience))
            # A machine that has become slower since the duration was measured must get through at last.
            patience *= 1.2
            command = "resume"
            assert not (self.home / name / "r" / "RUNNING.lock").exists(), f"{number!r} left the lock behind"
            if self.is_over(name):
                break
            assert end.status == INTERRUPTED, f"{number!r} ended it with {end.status}"
            self.signals += 1
            self.seconds.append(end.seconds)
        assert self.command(name, "resume").status == 0
        assert self.published(name) == self.wanted, f"{name} differs from the run that was left in peace"

    def is_over(self, name: str) -> bool:
        """Whether the signal came too late to stop anything."""
        from burnish.store.paths import RunFolder

        with journal_of(RunFolder.at(self.home / name, "r")) as journal:
            return any(True for _ in journal.events(types=("published",)))
