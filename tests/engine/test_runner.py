"""The runner: so many tasks at a time, a limit that begins nothing new, a model that is away, decisions in between."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

import pytest

from burnish.core.effects import Answer, Request
from burnish.core.errors import CallDeferred, LimitReached, ModelAway, StorageFailed, Submitted
from burnish.engine.client import NO_MODELS
from burnish.engine.runner import Job, Runner


@dataclass
class Client:
    """Counts what was parked; `patience` absences in a row make the model count as away."""

    patience: int = 3
    parked: list[ModelAway] = field(default_factory=list)
    exchanges: int = 0
    leaves_at: int = 0
    """At which exchange of calls for answers it leaves; 0: never."""

    @property
    def outage(self) -> str | None:
        return "x:m is away" if len(self.parked) >= self.patience else None

    def park(self, away: ModelAway) -> None:
        self.parked.append(away)

    async def exchange(self) -> None:
        self.exchanges += 1
        if self.exchanges == self.leaves_at:
            raise Submitted("Submitted, resume later.")

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        raise AssertionError("the runner itself asks nobody")


class Pass:
    """Some jobs by name. Each runs once in a pass and is listed again until it has ended well."""

    def __init__(self, *names: str) -> None:
        self.open = list(names)
        self.begun: list[str] = []
        self.listed: list[str] = []
        self.is_open = False
        self.under_way = self.most = 0
        self.trouble: dict[str, list[BaseException]] = {}

    def failing(self, name: str, *failures: BaseException) -> "Pass":
        """What the job raises the first times it is begun."""
        self.trouble[name] = list(failures)
        return self

    async def jobs(self) -> AsyncGenerator[Job]:
        self.is_open = True
        try:
            for name in list(self.open):
                self.listed.append(name)
                yield self._job(name)
        finally:
            self.is_open = False

    def _job(self, name: str) -> Job:
        async def job() -> None:
            self.begun.append(name)
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0)
            self.under_way -= 1
            if self.trouble.get(name):
                raise self.trouble[name].pop(0)
            self.open.remove(name)

        return job


def drained(runner: Runner, work: Pass) -> bool:
    return asyncio.run(runner.drain(work.jobs))


def away() -> ModelAway:
    return ModelAway("x:m", "no answer")


def test_all_are_worked_on_and_no_more_at_a_time_than_there_are_workers() -> None:
    work = Pass(*"abcdefgh")
    assert drained(Runner(Client(), workers=3), work) is True
    assert (sorted(work.begun), work.open, work.most) == (list("abcdefgh"), [], 3)


def test_nothing_is_read_ahead_and_a_pass_that_ends_early_is_closed() -> None:
    work = Pass(*"abcdefgh").failing("b", LimitReached("tokens"))
    drained(Runner(Client(), workers=2), work)
    assert set(work.listed) == set(work.begun) and len(work.begun) < 8
    assert not work.is_open
    broken = Pass("a", "b", "c").failing("a", StorageFailed("The disk is full."))
    with pytest.raises(StorageFailed):
        drained(Runner(Client(), workers=1), broken)
    assert (broken.listed, broken.is_open) == (["a"], False)


def test_a_pass_without_jobs_says_so() -> None:
    assert drained(Runner(Client(), workers=2), Pass()) is False


def test_a_task_that_was_parked_is_tried_again_after_the_others() -> None:
    client, work = Client(), Pass("a", "b", "c").failing("a", away())
    runner = Runner(client, workers=1)
    drained(runner, work)
    assert work.begun == ["a", "b", "c", "a"]
    assert (len(client.parked), runner.parked, runner.outage, runner.stops) == (1, 0, None, False)


def test_a_model_that_counts_as_away_stops_the_run_and_the_rest_of_the_pass_is_still_worked_on() -> None:
    client, work = Client(patience=1), Pass("a", "b", "c").failing("a", away(), away())
    runner = Runner(client, workers=1)
    drained(runner, work)
    assert work.begun == ["a", "b", "c"], "what needs no model is worked on, and nothing is tried again"
    assert (runner.outage, runner.stops, runner.limit, work.open) == ("x:m is away", True, None, ["a"])


def test_without_models_a_parked_task_is_not_tried_again() -> None:
    work = Pass("a", "b").failing("a", away())
    runner = Runner(None, workers=1)
    assert runner.outage is None
    drained(runner, work)
    assert (work.begun, runner.outage, runner.parked) == (["a", "b"], NO_MODELS, 1)


def test_the_first_limit_is_the_one_that_is_told() -> None:
    first, second = LimitReached("tokens"), LimitReached("money")
    work = Pass("a", "b").failing("a", first).failing("b", second)
    runner = Runner(Client(), workers=2)
    drained(runner, work)
    assert runner.limit is first and runner.stops


def test_behind_a_limit_nothing_new_is_begun() -> None:
    work = Pass("a", "b", "c", "d").failing("b", LimitReached("tokens"))
    drained(Runner(Client(), workers=1), work)
    assert work.begun == ["a", "b"]


def test_when_time_is_over_nothing_new_is_begun() -> None:
    left = iter([5.0, 5.0, 5.0, 5.0])
    runner = Runner(Client(), workers=1, seconds_left=lambda: next(left, 0.0))
    work = Pass(*"abcdefgh")
    drained(runner, work)
    assert 1 <= len(work.begun) <= 4 and work.open
    assert runner.limit is not None and runner.is_out_of_time()


def counting(answers: list[bool]) -> Callable[..., bool]:
    return lambda **_: answers.pop(0) if answers else False


def test_what_people_decide_between_tasks_makes_another_pass_due_once() -> None:
    runner = Runner(Client(), workers=1, apply_decisions=counting([False, True, False]))
    drained(runner, Pass("a", "b", "c"))
    assert runner.take_reopened() is True
    assert runner.take_reopened() is False


def test_people_are_heard_before_each_task_and_when_none_is_left() -> None:
    heard: list[tuple[int, bool]] = []

    def hear(*, is_end: bool = False) -> bool:
        heard.append((len(work.begun), is_end))
        return False

    work = Pass("a", "b")
    drained(Runner(Client(), workers=1, apply_decisions=hear), work)
    assert heard == [(0, False), (1, False), (2, True)]


def test_what_became_due_during_the_last_task_is_applied_before_the_run_ends() -> None:
    runner = Runner(Client(), workers=1, apply_decisions=counting([False, True]))
    drained(runner, Pass("a"))
    assert runner.take_reopened() is True


def test_one_failure_ends_the_run_and_is_told_by_itself() -> None:
    work = Pass("a", "b", "c").failing("a", StorageFailed("The disk is full."))
    with pytest.raises(StorageFailed):
        drained(Runner(Client(), workers=1), work)
    assert work.begun == ["a"]


def test_a_task_whose_call_was_put_by_is_worked_on_again_after_the_exchange() -> None:
    client, work = Client(), Pass("a", "b").failing("a", CallDeferred("put by"), CallDeferred("put by"))
    runner = Runner(client, 2)
    assert asyncio.run(runner.drain(work.jobs))
    assert work.begun == ["a", "b", "a", "a"]
    assert client.exchanges == 3  # what an earlier session left behind, and the calls of two passes
    assert (runner.limit, client.parked) == (None, [])


def test_a_session_leaves_when_answers_take_their_time() -> None:
    client, work = Client(leaves_at=2), Pass("a").failing("a", CallDeferred("put by"))
    runner = Runner(client, 1)
    asyncio.run(runner.drain(work.jobs))
    assert work.begun == ["a"]
    assert isinstance(runner.limit, Submitted)
