"""F1: kill -9 at random points, resume until done. Nothing is lost, nothing is paid twice, the bytes are the same."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tests.engine.questions_bench import journal_of
from tests.faults.subjects import QUESTIONS, SUBJECTS, Subject
from tests.faults.victims import WORKERS, End, Scenario, Victims

TITLE = "kill -9 at random points, 4 workers"

TIMES = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)")
ROUNDS = ("round_started", "round_ended")
PERHAPS = re.compile(r'("(?:calls|tokens)_perhaps_paid": ?)\d+')
"""What a kill adds to the bill."""
DURATIONS = re.compile(r'("duration(?:Ms|_ms)": ?)\d+')


def run(full: bool) -> str:
    with Victims() as victims, trials(victims) as prepared:
        return killed_at_random(prepared, full)


def killed_at_random(prepared: Sequence[Trial], full: bool) -> str:
    kills, told = (250 if full else 3), []
    for trial in prepared:
        rng = random.Random(1)
        while trial.kills < kills:
            trial.one_run(rng)
        told.append(f"{trial.subject.name}: {trial.figures()}")
    return "; ".join(told)


@contextmanager
def trials(victims: Victims) -> Iterator[list[Trial]]:
    """One for every subject: each costs a run that is left in peace."""
    with tempfile.TemporaryDirectory() as text:
        yield [Trial(Path(text) / subject.name, victims, subject) for subject in SUBJECTS.values()]


class Trial:
    """One bank, lesson, book or course, one run that was left in peace, and all the runs that were not."""

    def __init__(self, home: Path, victims: Victims, subject: Subject = QUESTIONS) -> None:
        home.mkdir(exist_ok=True)
        self.home = home
        self.victims = victims
        self.subject = subject
        self.kills = self.runs = self.lost = self.most_lost = self.calls = 0
        self.bank = subject.write(home)
        self.points = victims.points(self.scenario("reference"))
        self.wanted = outcome(home / "reference", subject)
        self.calls_wanted = len(logged(self.scenario("reference")))

    def scenario(self, name: str) -> Scenario:
        (self.home / name).mkdir(exist_ok=True)
        place = self.home / name
        return Scenario(str(self.bank), str(place / "runs"), str(place / "calls.log"), self.subject.name)

    def one_run(self, rng: random.Random) -> None:
        """A run from its start to its publication, killed as often as it takes."""
        self.runs += 1
        scenario = self.scenario(f"run{self.runs}")
        while True:
            end = self.attacked(scenario, how(rng, len(self.points)))
            if end.status == 0:
                break
            assert end.status == -9, f"a resumed run failed with {end.status}"
            self.kills += 1
        self.check(scenario)

    def attacked(self, scenario: Scenario, how: dict[str, object]) -> End:
        """One process on the run; no call whose reply was recorded before may be sent again."""
        recorded, sent = recorded_calls(scenario), len(logged(scenario))
        end = self.victims.run(scenario, **how)
        fresh = logged(scenario)[sent:]
        again = recorded & set(fresh)
        assert not again, f"{len(again)} recorded calls were made again"
        assert len(set(fresh)) == len(fresh), "one process made the same call twice"
        lost = len(set(fresh) - recorded_calls(scenario))
        assert lost <= WORKERS, f"{lost} calls were lost in one kill"
        self.lost += lost
        self.most_lost = max(self.most_lost, lost)
        return end

    def check(self, scenario: Scenario) -> None:
        name = Path(scenario.runs).parent.name
        assert outcome(self.home / name, self.subject) == self.wanted, (
            f"{name} differs from the run that was not killed"
        )
        root = Path(scenario.runs) / "r"
        assert not (root / "RUNNING.lock").exists(), "the lock was left behind"
        home = Path(scenario.runs).parent
        assert not list(home.rglob(".burnish-*")), "temporary files were left behind"
        with closing(sqlite3.connect(root / "journal.sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            bill = "SELECT (SELECT SUM(tries) FROM calls), (SELECT COUNT(*) FROM intents)"
            recorded, perhaps = connection.execute(bill).fetchone()
        sent = len(logged(scenario))
        assert sent <= recorded + perhaps, f"{sent} calls were sent, {recorded} and perhaps {perhaps} are on the bill"
        self.calls += len(logged(scenario))

    def figures(self) -> str:
        return (
            f"{self.kills} kills in {self.runs} runs ({len(self.points)} fault points in one), 0 lost units, 0 that "
            f"could not resume, 0 recorded calls repeated, {self.lost} of {self.calls} calls lost (at most "
            f"{self.most_lost} in a kill), published bytes and exports equal"
        )


def how(rng: random.Random, points: int) -> dict[str, object]:
    """Half of the kills at a fault point, half at whatever moment it is."""
    if rng.random() < 0.5:
        return {"kill_at": rng.randint(1, points)}
    return {"kill_after": rng.uniform(0.0, 0.4)}


def logged(scenario: Scenario) -> list[str]:
    path = Path(scenario.log)
    return path.read_text().splitlines() if path.exists() else []


def recorded_calls(scenario: Scenario) -> set[str]:
    from burnish.store.paths import RunFolder

    folder = RunFolder.at(Path(scenario.runs), "r")
    if not folder.journal.is_file():
        return set()
    with journal_of(folder) as journal:
        return {call.key for call in journal.calls() if call.status == "ok"}


def _timeless(text: str, home: Path) -> str:
    bare = PERHAPS.sub(r"\1 0", DURATIONS.sub(r"\1 0", TIMES.sub("TIME", text)))
    return bare.replace(str(home), "HOME")


def outcome(home: Path, subject: Subject = QUESTIONS) -> dict[str, object]:
    """All that a run leaves behind, apart from times and from where it lies."""
    from burnish.store.paths import RunFolder

    folder = RunFolder.at(home / "runs", "r")
    found: dict[str, object] = {"published": (folder.root / subject.published).read_bytes()}
    for name in subject.exports:
        text = (folder.root / name).read_text(encoding="utf-8")
        found[name] = _timeless(text, home)
    for path in sorted((folder.root / "versions").rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder.root))] = _timeless(path.read_text(encoding="utf-8"), home)
    for path in sorted((home / subject.beside).rglob("*")) if subject.beside else ():
        if path.is_file():
            found[str(path.relative_to(home))] = _timeless(path.read_text(encoding="utf-8"), home)
    with journal_of(folder) as journal:
        found["units"] = [(row.id, row.state, row.reason, row.attempts, row.best_attempt) for row in journal.units()]
        found["attempts"] = [
            [(a.number, a.cause, a.content_hash, a.passed, a.failure, a.calls) for a in journal.attempts(row.id)]
            for row in journal.units()
        ]
        found["decisions"] = sorted(
            # A mark is drawn by lot, and when a decision was made is a time.
            (str(event.unit), json.dumps({**event.data, "mark": None, "made_at": None}, sort_keys=True))
            for event in journal.events(types=("decision",))
        )
        found["rounds"] = [json.dumps(event.data, sort_keys=True) for event in journal.events(types=ROUNDS)]
    return found
