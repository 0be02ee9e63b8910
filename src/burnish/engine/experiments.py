"""Run experiments on prompts: both arms on the same units, every answer recorded, nothing paid twice.

An arm is a list of rules in the prompt. Answers belong to their prompt, so an arm shared by two trials is asked once,
and a killed experiment resumes with the recorded answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from burnish.core.effects import Answer, Request
from burnish.core.errors import CallDeferred, LimitReached, ModelAway
from burnish.core.experiments import P_BELOW, Evidence, Measured, Split, weigh
from burnish.engine.client import Client, all_answers, call_of
from burnish.engine.estimate import Amount, likely_use
from burnish.models.budget import Price, most_tokens
from burnish.models.profiles import CallSettings

Rules = tuple[str, ...]
"""The rules that an arm adds to the prompt."""
GO_ON = "Run the same command again to continue; nothing is paid for twice."


class Experiment(Protocol):
    """A kind's part of an experiment: the request for a unit, and the measurement of its answer."""

    def ask(self, unit: str, rules: Rules) -> Request: ...

    def measured(self, unit: str, reply: object | None) -> Measured:
        """`reply` is None if the model's answer was unusable: the prompt is measured by that, too."""
        ...


@dataclass(slots=True)
class Laboratory:
    """Measures arms, each once."""

    experiment: Experiment
    client: Client
    model: str
    split: Split
    seconds_left: Callable[[], float] | None = None
    """Returns the time left; None: no limit."""
    answered: Callable[[], None] = lambda: None
    """Called when the answer for a unit of an arm has come."""
    _arms: dict[Rules, dict[str, Measured]] = field(default_factory=dict)
    _told: set[tuple[Rules, str]] = field(default_factory=set)

    async def compare(self, before: Rules, after: Rules, p_below: float = P_BELOW) -> Evidence:
        """Measure a change of the rules on the same units. LimitReached and ModelAway end the session."""
        return weigh(self.split, await self.measured(before), await self.measured(after), p_below)

    async def measured(self, rules: Rules) -> dict[str, Measured]:
        """Return the measurement of every unit under these rules, which is made once for all trials."""
        known = self._arms.get(rules)
        if known is None:
            units = self.split.units
            answers = await self._answers(rules)
            known = self._arms[rules] = {
                unit: self.experiment.measured(unit, answer.reply) for unit, answer in zip(units, answers, strict=True)
            }
        return known

    async def _answers(self, rules: Rules) -> tuple[Answer, ...]:
        """Return one answer for each unit. With batches, ask again until all are collected."""
        while True:
            try:
                return await all_answers([self._ask(unit, rules) for unit in self.split.units])
            except CallDeferred:
                await self.client.exchange()

    async def _ask(self, unit: str, rules: Rules) -> Answer:
        if self.seconds_left is not None and self.seconds_left() <= 0:
            raise LimitReached("The time limit is reached.", hint=GO_ON)
        try:
            answer = await self.client.ask(self.experiment.ask(unit, rules), self.model)
        except ModelAway as away:
            raise ModelAway(away.model, away.message, hint=GO_ON) from away
        if (rules, unit) not in self._told:
            self._told.add((rules, unit))
            self.answered()
        return answer


def cost_of_arms(
    experiment: Experiment, split: Split, arms: Sequence[Rules], model: str, price: Price | None
) -> tuple[Amount, Amount]:
    """Return the likely and the highest cost of arms. No call is made."""
    likely, most, settings = Amount(), Amount(), CallSettings.of([model])
    for rules in dict.fromkeys(arms):
        for unit in split.units:
            ask = experiment.ask(unit, rules)
            call = call_of(ask, model, "", settings)
            most.add(1, most_tokens(call), price)
            likely.add(1, likely_use(call, ask)[0], price)
    return likely, most
