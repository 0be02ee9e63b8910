"""F11: a provider that refuses 30 % of the requests, and one that refuses what exceeds its rate; 8 workers."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from burnish.core.errors import LimitReached, ModelFailed
from burnish.models.budget import Budget
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from burnish.models.gateway import Gateway
from burnish.models.rate_limits import Limits, Retry
from tests.models.fixtures import NO_EDITS, QuickLog, a_call, run_virtually

TITLE = "429s and back-pressure"
WORKERS = 8
MOST_PER_CALL = 1.5
LATENCY = 0.2


@dataclass
class Refusing:
    """Answers after a while, unless it refuses."""

    refuses: Callable[[], float | bool | None]
    """False: answers. None or seconds: refuses, with that Retry-After."""
    requests: int = 0
    refused: int = 0
    used: int = 0

    async def send(self, call: Call) -> RawReply:
        self.requests += 1
        verdict = self.refuses()
        if verdict is not False:
            self.refused += 1
            await asyncio.sleep(LATENCY / 4)
            raise ProviderFault("rate_limited", "429", status=429, retry_after=verdict)
        await asyncio.sleep(LATENCY)
        self.used += 130
        return RawReply(NO_EDITS, TokenCount(110, 20))


@dataclass
class Bucket:
    """Lets `rate` requests a second through, and a few more at once."""

    rate: float
    depth: float
    tells: bool
    """Whether it says how long to wait."""
    level: float = field(init=False)
    at: float = 0.0

    def __post_init__(self) -> None:
        self.level = self.depth

    def __call__(self) -> float | bool | None:
        now = asyncio.get_running_loop().time()
        self.level = min(self.depth, self.level + (now - self.at) * self.rate)
        self.at = now
        if self.level >= 1:
            self.level -= 1
            return False
        return (1 - self.level) / self.rate if self.tells else None


async def _work(provider: Refusing, calls: int, budget: Budget) -> tuple[int, int]:
    """How many calls were answered, and how many gave up."""
    gateway = Gateway(QuickLog(), provider, budget=budget, limits=Limits(), retry=Retry(rng=random.Random(7)))
    numbers, ended = iter(range(calls)), {"answered": 0, "gave up": 0}

    async def worker() -> None:
        for number in numbers:
            try:
                await gateway.ask(a_call(f"call {number}"))
                ended["answered"] += 1
            except ModelFailed:
                ended["gave up"] += 1
            except LimitReached:
                return

    await asyncio.gather(*(worker() for _ in range(WORKERS)))
    return ended["answered"], ended["gave up"]


def _chance(seed: int, retry_after: float | None) -> Callable[[], float | bool | None]:
    rng = random.Random(seed)
    return lambda: retry_after if rng.random() < 0.3 else False


def _ratio(refuses: Callable[[], float | bool | None], calls: int) -> tuple[float, Refusing]:
    provider = Refusing(refuses)
    answered, _ = run_virtually(_work(provider, calls, Budget()))
    assert answered > 0.98 * calls, f"only {answered} of {calls} calls were answered"
    return provider.requests / calls, provider


def run(full: bool) -> str:
    calls, seeds = (4_000, 8) if full else (1_500, 1)
    by_chance = [_ratio(_chance(seed, None), calls)[0] for seed in range(seeds)]
    told = [_ratio(_chance(seed, 1.0), calls)[0] for seed in range(seeds)]
    limited = {tells: _ratio(Bucket(rate=10, depth=5, tells=tells), calls // 4)[0] for tells in (True, False)}
    worst = max(*by_chance, *told, *limited.values())
    assert worst <= MOST_PER_CALL, f"{worst:.2f} requests a call"
    over = [_overshoot(seed) for seed in range(seeds * 3)]
    assert max(over) <= 0, f"the budget was exceeded by {max(over)} tokens"
    return (
        f"{WORKERS} workers, requests a call: {max(by_chance):.2f} at 30 % random 429s, {max(told):.2f} with "
        "Retry-After, "
        f"{limited[True]:.2f} and {limited[False]:.2f} at a rate limit told and untold; budget exceeded 0 times"
    )


def _overshoot(seed: int) -> int:
    ceiling = 5_000 + 777 * seed
    provider, budget = Refusing(_chance(seed, None)), Budget(max_tokens=ceiling)
    run_virtually(_work(provider, 500, budget))
    assert budget.spent.total_tokens > ceiling / 2, "the ceiling was never approached"
    return max(provider.used, budget.spent.total_tokens) - ceiling
