"""F3: the power goes at any moment: what was not synced is dropped, torn or out of order. Nothing acknowledged is lost.

Each kind's run is done once while a diary is kept of everything that is asked of the disk. Then, seed by seed, the
folder becomes what a power loss at a random step leaves of it, and the run is resumed.
"""

from __future__ import annotations

import pickle
import random
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from burnish.core.errors import BurnishError
from tests.engine.questions_bench import journal_of
from tests.faults.f1_kill import Trial, trials
from tests.faults.power import Step, wreck
from tests.faults.victims import Scenario, Victims, own_copy

TITLE = "power loss: unsynced writes dropped, torn, reordered"


def run(full: bool) -> str:
    with Victims() as victims, trials(victims) as prepared:
        return power_lost(prepared, full)


def power_lost(prepared: Sequence[Trial], full: bool) -> str:
    seeds = 250 if full else 2
    acknowledged = sum(_subject(trial, seeds) for trial in prepared)
    return f"{seeds * len(prepared):,} seeds, 0 corrupt, 0 of {acknowledged:,} acknowledged records lost, all resumed"


def _subject(trial: Trial, seeds: int) -> int:
    """Lose the power in one kind's run, once for each seed. How many acknowledged records were looked for."""
    scenario = trial.scenario("power")
    home = Path(scenario.runs).parent
    diary = home.with_suffix(".diary")
    if trial.subject.beside is not None:
        own_copy(trial.bank, home / trial.subject.beside)  # nobody's work, so no part of the diary
    end = trial.victims.run(scenario, diary=str(diary))
    assert end.status == 0, f"the recorded run ended with {end.status}"
    steps: list[Step] = pickle.loads(diary.read_bytes())
    _check_recording(home, steps)
    looked_for = 0
    for seed in range(seeds):
        rng = random.Random(seed)
        moment = rng.randrange(len(steps) + 1)
        wreck(home, steps[:moment], rng)
        told = {what for verb, *rest in steps[:moment] if verb == "told" for what in rest[0]}
        looked_for += len(told)
        _check_wreck(trial, scenario, told, f"{trial.subject.name}, seed {seed}, step {moment} of {len(steps)}")
        end = trial.attacked(scenario, {})
        assert end.status == 0, f"seed {seed}: the run could not be resumed: {end.status}"
        trial.check(scenario)
    shutil.rmtree(home)
    return looked_for


def _check_recording(home: Path, steps: Sequence[Step]) -> None:
    """The diary is complete: without a loss it gives the folder as it is."""
    before = _files(home)
    wreck(home, steps, None)
    after = _files(home)
    assert before.keys() == after.keys(), f"the diary lacks {sorted(before.keys() ^ after.keys())}"
    differ = [name for name in before if before[name] != after[name]]
    assert not differ, f"the diary differs in {differ}"


def _files(home: Path) -> dict[str, bytes]:
    paths = [path for path in home.rglob("*") if path.is_file() and path.name != "calls.log"]
    return {str(path.relative_to(home)): path.read_bytes() for path in paths}


def _check_wreck(trial: Trial, scenario: Scenario, told: set[tuple[str, ...]], where: str) -> None:
    """Before anybody resumes: the journal is sound and has all that was acknowledged, and no document is half there."""
    root = Path(scenario.runs) / "r"
    published = root / trial.subject.published
    if trial.subject.beside is None and published.exists():
        assert published.read_bytes() == trial.wanted["published"], f"{where}: half a document is published"
    if not (root / "journal.sqlite").exists():
        assert not told, f"{where}: the journal is gone"
        return
    try:
        assert not (lost := told - _recorded(root)), f"{where}: lost {sorted(lost)[:5]}"
    except (sqlite3.DatabaseError, BurnishError) as error:
        raise AssertionError(f"{where}: the journal is corrupt: {error}") from error


def _recorded(root: Path) -> set[tuple[str, ...]]:
    from burnish.store.paths import RunFolder

    with closing(sqlite3.connect(root / "journal.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with journal_of(RunFolder("r", root)) as journal:
        calls = {("call", call.key) for call in journal.calls()}
        units = [row.id for row in journal.units()]
        attempts = {("attempt", unit, str(one.number)) for unit in units for one in journal.attempts(unit)}
        return calls | attempts | {("unit", unit) for unit in units}
