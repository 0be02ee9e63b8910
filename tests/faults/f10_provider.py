"""F10: providers that refuse, break off, stay silent. Real HTTP on loopback; only waits between tries are virtual."""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from burnish.core.errors import ModelFailed
from burnish.models.calls import Call
from burnish.models.gateway import Gateway
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels
from burnish.models.rate_limits import Limits, Retry, RetryPolicy
from tests.loopback import Answer, Asked, LoopbackModel
from tests.models.fixtures import NO_EDITS, JumpingClock, QuickLog, a_call

TITLE = "provider faults over HTTP"
MOST_TRIES = 4
WORKERS = 16
PATIENCE = 60.0
"""Seconds after which a call counts as hung."""
SHORT_TIMEOUT = 0.25
MODELS = ("openai:local", "anthropic:claude-x")


def _date(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def _refusals() -> dict[str, tuple[Answer, bool]]:
    """Name -> what the server does, and whether it may be tried again."""
    waits = {"": {}, "0": {"Retry-After": "0"}, "5": {"Retry-After": "5"}, "120": {"Retry-After": "120"}}
    waits |= {name: {"Retry-After": name} for name in ("nonsense", "-3", "1e9")}
    waits |= {"date": {"Retry-After": _date(30)}, "past": {"Retry-After": _date(-300)}}
    faults = {f"429_{name}": (Answer(status=429, headers=headers), True) for name, headers in waits.items()}
    faults |= {f"{code}_": (Answer(status=code), True) for code in (408, 409, 500, 502, 503, 504, 529)}
    faults |= {"503_5": (Answer(status=503, headers={"Retry-After": "5"}), True)}
    faults |= {f"{code}_": (Answer(status=code), False) for code in (400, 401, 403, 404, 413, 418, 422, 451)}
    faults["429_121"] = (Answer(status=429, headers={"Retry-After": "121"}), False)
    faults["429_later"] = (Answer(status=429, headers={"Retry-After": _date(3_600)}), False)
    faults["reset"] = (Answer(fault="reset"), True)
    faults["half"] = (Answer(NO_EDITS, fault="half"), True)
    return faults


@dataclass
class Course:
    """What the server is to do for each call, and how often it was asked."""

    faults: dict[str, tuple[Answer, bool]] = field(default_factory=_refusals)
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, asked: Asked) -> Answer:
        """The prompt says which fault comes, and how many times before the answer."""
        found = re.search(r"call=(\d+) fault=(\S+) times=(\d+)", asked.user)
        assert found is not None
        number, name, times = found[1], found[2], int(found[3])
        self.asked[number] += 1
        if self.asked[number] > times:
            return Answer(NO_EDITS)
        return Answer(fault="silence") if name == "silence" else self.faults[name][0]

    def expected(self, name: str, times: int) -> int:
        if name == "silence":
            return 2  # what takes too long is tried once more, not four times
        return min(times + 1, MOST_TRIES) if self.faults[name][1] else 1


def _calls(count: int, names: list[str]) -> Iterator[tuple[Call, str, int]]:
    rng = random.Random(10)
    for number in range(count):
        name = "silence" if number % 100 == 50 else names[number % len(names)]
        times = rng.randint(1, MOST_TRIES + 1)
        user = f"call={number} fault={name} times={times}"
        yield a_call(user, unit=str(number), model=rng.choice(MODELS)), name, times


async def _run(url: str, course: Course, count: int) -> Counter[str]:
    clock, log, wrong = JumpingClock(), QuickLog(), Counter[str]()
    retry = Retry(RetryPolicy(max_attempts=MOST_TRIES), sleep=clock.sleep, rng=random.Random(1))
    limits = Limits(now=clock.now, sleep=clock.sleep)
    calls = _calls(count, sorted(course.faults))
    async with (
        LiveModels(Endpoint(url, 30.0), environ={}) as live,
        LiveModels(Endpoint(url, SHORT_TIMEOUT), environ={}) as quick,
    ):
        patient = Gateway(log, live, retry=retry, limits=limits)
        impatient = Gateway(log, quick, retry=retry, limits=limits)

        async def worker() -> None:
            for call, name, times in calls:
                gateway = impatient if name == "silence" else patient
                try:
                    async with asyncio.timeout(PATIENCE):
                        await gateway.ask(call)
                    answered = True
                except ModelFailed:
                    answered = False
                except TimeoutError:
                    wrong["hung"] += 1
                    continue
                _compare(course, call, name, times, answered, wrong)

        await asyncio.gather(*(worker() for _ in range(WORKERS)))
    wrong["unrecorded"] += count - len({record.key for record in log.written})
    return wrong


def _compare(course: Course, call: Call, name: str, times: int, answered: bool, wrong: Counter[str]) -> None:
    tries, expected = course.asked[call.unit], course.expected(name, times)
    wrong["too many tries"] += tries > MOST_TRIES
    if name == "silence":  # on a busy machine even the answer may come too late: then there is one try more
        wrong["wrong number of tries"] += tries < expected
        return
    wrong["retried for nothing"] += tries > expected
    wrong["wrong number of tries"] += tries != expected
    wrong["wrong end"] += answered != (tries > times)


def run(full: bool) -> str:
    course, count = Course(), 10_000 if full else 100
    with LoopbackModel(course.answer) as server:
        wrong = asyncio.run(_run(server.base_url, course, count))
        requests = len(server.requests)
    assert not +wrong, f"{dict(+wrong)} in {count:,} calls"
    most = max(course.asked.values())
    return (
        f"{count:,} calls, {len(course.faults) + 1} kinds of fault, {requests:,} requests; "
        f"at most {most} of {MOST_TRIES} tries, 0 other 4xx retried, 0 hung"
    )
