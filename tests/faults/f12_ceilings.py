"""F12: ceilings on tokens and money while providers lie about usage, leave it out, or ignore max_tokens."""

import asyncio
import json
import random
from dataclasses import dataclass

from burnish.core.errors import LimitReached
from burnish.core.records import Usage
from burnish.models.budget import CREDIBLE, Budget, Price
from burnish.models.calls import Call, RawReply, TokenCount
from burnish.models.envelopes import open_envelope
from burnish.models.gateway import Gateway
from tests.models.fixtures import QuickLog, a_call, run_virtually

TITLE = "ceilings with lying usage"
MODEL = "scripted:test"
PRICE = Price(input=2.0, output=8.0)
LIES = ("honest", "missing", "zero", "negative", "one", "tenth", "third", "half", "most", "huge", "hidden", "total")
HIDDEN = (5_000, 30_000)
"""Tokens of thinking before a reply, which no limit holds: reported (`hidden`), or told in the total only (`total`)."""
BELIEVED = CREDIBLE + 0.01
"""The least share of the truth that is believed: so much a ceiling can be exceeded by."""
CALLS = 60


def true_tokens(text: str) -> int:
    """What a tokeniser would count, about."""
    return max(1, len(text) // 4)


@dataclass
class Liar:
    """Knows what its answers really cost, and says something else."""

    lie: str
    rng: random.Random
    obeys: bool
    """Whether it keeps to max_tokens."""
    used: int = 0
    cost: float = 0.0
    dearest: int = 0
    dearest_cost: float = 0.0
    requests: int = 0

    async def send(self, call: Call) -> RawReply:
        self.requests += 1
        await asyncio.sleep(self.rng.uniform(0.01, 1.0))
        longest = call.max_tokens * 4 if self.obeys else call.max_tokens * 12
        text = ("word " * (longest // 5 + 1))[: self.rng.randint(20, longest)]
        hidden = self.rng.randint(*HIDDEN) if self.lie in ("hidden", "total") else 0
        prompt = call.system + call.user + json.dumps(dict(call.schema))
        truth = TokenCount(true_tokens(prompt), true_tokens(text) + hidden)
        self._pay(truth)
        return RawReply(text, self._told(truth, hidden))

    def _pay(self, truth: TokenCount) -> None:
        self.used += truth.prompt + truth.completion
        self.cost += PRICE.of(truth)
        self.dearest = max(self.dearest, truth.prompt + truth.completion)
        self.dearest_cost = max(self.dearest_cost, PRICE.of(truth))

    def _told(self, truth: TokenCount, hidden: int) -> TokenCount | None:
        if self.lie == "total":
            counts = {"prompt_tokens": truth.prompt, "completion_tokens": truth.completion - hidden}
            usage = {**counts, "total_tokens": truth.prompt + truth.completion}
            body = {"choices": [{"message": {"content": "x"}}], "usage": usage}
            return open_envelope(json.dumps(body).encode(), "r").usage
        told = {
            "honest": truth,
            "hidden": truth,
            "zero": TokenCount(0, 0),
            "negative": TokenCount(-truth.prompt, -truth.completion),
            "one": TokenCount(1, 1),
            "tenth": TokenCount(truth.prompt // 10, truth.completion // 10),
            "third": TokenCount(truth.prompt // 3 + 1, truth.completion // 3 + 1),
            "half": TokenCount(truth.prompt // 2, truth.completion // 2),
            "most": TokenCount(round(truth.prompt * BELIEVED), round(truth.completion * BELIEVED)),
            "huge": TokenCount(10**15, 10**15),
        }
        return told.get(self.lie)


async def _sitting(log: QuickLog, liar: Liar, budget: Budget, workers: int) -> bool:
    """Work through all calls; whether a ceiling stopped it."""
    gateway, stopped = Gateway(log, liar, budget=budget), False
    numbers = iter(range(CALLS))

    async def worker() -> None:
        nonlocal stopped
        for number in numbers:
            try:
                await gateway.ask(a_call(f"Question {number}. " * 120, max_tokens=150))
            except LimitReached:
                stopped = True
                return

    await asyncio.gather(*(worker() for _ in range(workers)))
    return stopped


def _scenario(seed: int) -> tuple[float, bool]:
    """Overshoot in calls for each worker, and whether a ceiling was met."""
    rng = random.Random(seed)
    workers, obeys = rng.choice([1, 2, 4, 8, 16]), rng.random() < 0.6
    liar, log = Liar(rng.choice(LIES), rng, obeys), QuickLog()
    by_money = rng.random() < 0.5
    tokens, money = rng.randint(1_500, 30_000), rng.uniform(0.006, 0.1)
    ceilings = {"max_cost": money} if by_money else {"max_tokens": tokens}
    budget = Budget(prices={MODEL: PRICE}, **ceilings)  # type: ignore[arg-type]
    stopped = run_virtually(_sitting(log, liar, budget, workers))
    used, limit, dearest = (
        (liar.cost, money, liar.dearest_cost) if by_money else (liar.used, tokens, liar.dearest)
    )  # fmt: skip
    if liar.lie not in ("huge", "missing"):  # those are charged more, never less
        assert budget.spent.total_tokens <= liar.used * 1.02 + CALLS, f"{liar.lie}: charged more than was used"
    assert budget.spent.total_tokens >= liar.used * (BELIEVED - 0.02), f"{liar.lie}: the receipt hides what was used"
    over = (used - limit / (BELIEVED if liar.lie == "most" else 1)) / (dearest or 1)
    _resume(log, liar, budget.spent, workers)
    return over / workers, stopped


def _resume(log: QuickLog, liar: Liar, spent: Usage, workers: int) -> None:
    """A second sitting without a ceiling finishes the work and repeats no recorded call."""
    recorded = [record for record in log.written if record.status == "ok"]
    total = sum(record.usage.total_tokens for record in recorded)
    assert total == spent.total_tokens, "the bill and the journal differ"
    before = liar.requests
    stopped = run_virtually(_sitting(log, liar, Budget(spent=spent, prices={MODEL: PRICE}), workers))
    assert not stopped, "stopped without a ceiling"
    assert liar.requests - before == CALLS - len(recorded), "a recorded call was made again"
    assert len({record.key for record in log.written}) == CALLS, "a call was lost"


def run(full: bool) -> str:
    scenarios = 3_000 if full else 60
    results = [_scenario(seed) for seed in range(scenarios)]
    worst = max(over for over, _ in results)
    met = sum(stopped for _, stopped in results)
    assert met > scenarios / 4, f"a ceiling was met in only {met} of {scenarios} runs"
    assert worst <= 1.0, f"overshoot of {worst:.2f} calls for each worker"
    return (
        f"{scenarios:,} runs, {len(LIES)} ways to report usage, ceiling met in {met:,}; "
        f"worst overshoot {max(worst, 0):.2f} calls for each worker, all resumed without a repeated call"
    )
