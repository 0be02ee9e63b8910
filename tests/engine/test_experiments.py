"""Arms of an experiment: each measured once, whatever the answers, and stopped where a run is stopped."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from burnish.core.effects import Answer, Request
from burnish.core.errors import CallDeferred, LimitReached, ModelAway
from burnish.core.experiments import Measured, Split
from burnish.engine.experiments import Laboratory, Rules, cost_of_arms
from burnish.models.budget import Price

SPLIT = Split(("a", "b", "c"), ("d",))
PROMPT = "burnish.kinds.legos.prompts:extract"


@dataclass
class Counting:
    """An experiment in which an answer is its own score."""

    def ask(self, unit: str, rules: Rules) -> Request:
        trusted = {"source": "English", "target": "Greek", "iron_rule": "", "rules": " ".join(rules)}
        return Request("extractor", unit, PROMPT, "lego_reply", trusted, {"work": unit}, 100)

    def measured(self, unit: str, reply: object | None) -> Measured:
        return Measured(float(str(reply)) if reply is not None else 0.0, 0 if reply else 1)


@dataclass
class Oracle:
    """Answers by a function of the unit and the rules."""

    answers: Callable[[str, str], Answer]
    asked: list[tuple[str, str]] = field(default_factory=list)
    deferred: int = 0
    """How many exchanges it takes before there are answers."""
    exchanged: int = 0

    outage = None

    def park(self, away: ModelAway) -> None: ...

    async def exchange(self) -> None:
        self.exchanged += 1

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        if self.exchanged < self.deferred:
            raise CallDeferred("put by")
        self.asked.append((ask.unit, ask.trusted["rules"]))
        await asyncio.sleep(0)
        return self.answers(ask.unit, ask.trusted["rules"])


def heard(reply: object | None, failure: str | None = None, *, refused: bool = False) -> Answer:
    return Answer("m", reply, failure, refused=refused)


def laboratory(oracle: Oracle, **more: object) -> Laboratory:
    return Laboratory(Counting(), oracle, "m", SPLIT, **more)  # type: ignore[arg-type]


def test_an_arm_that_trials_share_is_asked_once() -> None:
    oracle = Oracle(lambda unit, rules: heard(5 + len(rules)))
    told: list[int] = []
    lab = laboratory(oracle, answered=lambda: told.append(1))

    async def both() -> list[float]:
        return [(await lab.compare((), (rule,))).test.gain for rule in ("x", "yy")]

    assert asyncio.run(both()) == [1.0, 2.0]
    assert asyncio.run(lab.compare((), ("x",), 0.01)).p_below == 0.01
    assert len(oracle.asked) == len(told) == 12
    assert len(set(oracle.asked)) == 12


def test_an_answer_that_cannot_be_read_or_is_refused_is_a_result() -> None:
    def answers(unit: str, rules: str) -> Answer:
        if not rules:
            return heard(5)
        return (
            heard(None, "reply_unreadable: nonsense") if unit == "a" else heard(None, "model_failed: no", refused=True)
        )

    found = asyncio.run(laboratory(Oracle(answers)).compare((), ("x",)))
    assert (found.score_before, found.score_after, found.concerns_after) == (5, 0, 1)


def test_a_model_that_is_away_ends_the_sitting_once_all_calls_are_over() -> None:
    def away_for_one(unit: str, rules: str) -> Answer:
        if unit == "a":
            raise ModelAway("m", "nobody there")
        return heard(5)

    oracle = Oracle(away_for_one)
    with pytest.raises(ModelAway, match="nobody there") as away:
        asyncio.run(laboratory(oracle).compare((), ("x",)))
    assert away.value.exit_code == 6
    assert [unit for unit, _ in oracle.asked] == ["a", "b", "c", "d"]


def test_when_the_time_is_over_nobody_is_asked() -> None:
    oracle = Oracle(lambda unit, rules: heard(5))
    with pytest.raises(LimitReached, match="time limit"):
        asyncio.run(laboratory(oracle, seconds_left=lambda: 0.0).compare((), ("x",)))
    assert oracle.asked == []


def test_the_cost_of_arms_counts_each_once() -> None:
    likely, most = cost_of_arms(Counting(), SPLIT, [(), ("x",), ()], "openai:m", Price(1.0, 2.0))
    assert likely.calls == most.calls == 8
    assert 0 < likely.cost < most.cost
    assert likely.tokens < most.tokens


def test_an_arm_whose_calls_are_put_by_is_asked_until_the_answers_are_collected() -> None:
    oracle = Oracle(lambda unit, rules: heard(5), deferred=2)
    told: list[int] = []
    asyncio.run(laboratory(oracle, answered=lambda: told.append(1)).measured(("one",)))
    assert oracle.exchanged == 2
    assert len(told) == len(oracle.asked) == len(SPLIT.units)
