"""F2: kill at every named fault point, one by one; then the run goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.core.faultpoints import BATCH_POINTS, FAULT_POINTS
from tests.faults.f1_kill import Trial, trials
from tests.faults.victims import Scenario, Victims

TITLE = "kill at every named fault point"
ONLY_AFTER_A_CRASH = "lock.stale_moved"
FEWEST = 25


def run(full: bool) -> str:
    with Victims() as victims, trials(victims) as prepared:
        return killed_at_every_point(prepared, full)


def killed_at_every_point(prepared: Sequence[Trial], full: bool) -> str:
    reached = [point for point in FAULT_POINTS if any(point in trial.points for trial in prepared)]
    missed = set(FAULT_POINTS) - set(reached) - {ONLY_AFTER_A_CRASH} - set(BATCH_POINTS)  # those are F21's
    assert not missed, f"no scenario ever comes to {', '.join(sorted(missed))}"
    kills, done = 0, set[str]()
    for trial in prepared:
        # The long form kills all at all of their points; the short form at every third one, and the others only at
        # those that the ones before do not come to.
        points = [point for point in reached if point in trial.points and (full or point not in done)]
        kills += _one_by_one(trial, points) if full else _in_a_chain(trial, points[::3])
        done |= set(points)
    kills += _while_taking_over(prepared[0])
    assert len(reached) + 1 >= FEWEST, f"only {len(reached) + 1} fault points are reached"
    known = len(FAULT_POINTS) - len(BATCH_POINTS)
    return f"{len(reached) + 1} of {known} points, {kills} kills, all resumed to the same bytes"


def _one_by_one(trial: Trial, points: list[str]) -> int:
    """A run of its own for every point: killed there the first time, the last time, and in the middle."""
    kills = 0
    for point in points:
        times = trial.points.count(point)
        for nth in sorted({1, (times + 1) // 2, times}):
            scenario = _next(trial)
            kills += _killed(trial, scenario, point, nth)
            _finished(trial, scenario)
    return kills


def _in_a_chain(trial: Trial, points: list[str]) -> int:
    """As few runs as possible: each is killed at one point after the other, as long as it still comes to them."""
    kills = 0
    left = sorted(points, key=trial.points.index)
    while left:
        scenario, passed = _next(trial), []
        for point in left:
            if _killed(trial, scenario, point, 1):
                kills += 1
            else:
                passed.append(point)
                break
        else:
            _finished(trial, scenario)
        assert len(passed) < len(left), f"{passed[0]} is not reached"
        if passed:
            trial.check(scenario)
        left = left[left.index(passed[0]) :] if passed else []
    return kills


def _killed(trial: Trial, scenario: Scenario, point: str, nth: int) -> bool:
    """Whether it died there; False where it came to its end without passing the point so often."""
    end = trial.attacked(scenario, {"point": point, "nth": nth})
    assert end.status in (0, -9), f"{point}: a resumed run failed with {end.status}"
    return end.status == -9


def _finished(trial: Trial, scenario: Scenario) -> None:
    end = trial.attacked(scenario, {})
    assert end.status == 0, f"the run could not be resumed: {end.status}"
    trial.check(scenario)


def _while_taking_over(trial: Trial) -> int:
    """Killed holding the lock, and killed again while the next process sets that lock aside."""
    scenario = _next(trial)
    assert _killed(trial, scenario, "models.call.after", 1)
    assert _killed(trial, scenario, ONLY_AFTER_A_CRASH, 1)
    _finished(trial, scenario)
    return 2


def _next(trial: Trial) -> Scenario:
    trial.runs += 1
    return trial.scenario(f"run{trial.runs}")
