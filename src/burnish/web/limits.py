"""How much one visitor may ask for: the size of a request, and how many of them."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from starlette.types import Message, Receive

from burnish.app.settings import Serving
from burnish.web.access import SAFE_METHODS
from burnish.web.problems import Problem

BODY_SECONDS = 30.0
"""How long the next part of a request's body may take."""
MOST_VISITORS = 10_000
"""Addresses that are remembered; the one that was quiet for longest is forgotten first."""
JOBS = ("/api/v1/check", "/api/v1/polish", "/api/v1/translate")
"""Requests that cost real work."""


Sort = Literal["read", "change", "job", "stranger"]
STRANGER: Sort = "stranger"
"""Who is turned away: it has a bucket of its own, so that nobody from outside empties that of a reviewer."""


class TooMuch(Exception):
    """A request that goes beyond a limit."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second on average, and so many at once."""

    a_second: float
    at_once: float


class Rates:
    """Counts what each address asks for, as buckets that fill up again."""

    def __init__(self, serving: Serving, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates: dict[Sort, Rate] = {
            "read": Rate(serving.requests_per_second, serving.requests_per_second * 3),
            STRANGER: Rate(serving.requests_per_second, serving.requests_per_second * 3),
            "change": Rate(serving.changes_per_second, serving.changes_per_second * 3),
            "job": Rate(serving.jobs_per_minute / 60, max(10, serving.jobs_per_minute / 6)),
        }
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, Sort], tuple[float, float]] = OrderedDict()

    def take(self, visitor: str, sort: Sort) -> None:
        """Count one request; TooMuch where the bucket is empty."""
        rate, now, key = self._rates[sort], self._clock(), (visitor, sort)
        left, since = self._buckets.pop(key, (rate.at_once, now))
        left = min(rate.at_once, left + (now - since) * rate.a_second)
        taken = left >= 1
        self._buckets[key] = (left - 1 if taken else left, now)
        if len(self._buckets) > MOST_VISITORS:
            self._buckets.popitem(last=False)
        if not taken:
            wait = math.ceil((1 - left) / rate.a_second)
            raise TooMuch(
                Problem(
                    429,
                    "too_many_requests",
                    "Too many requests at once.",
                    f"Try again in {wait} s. The operator sets the limit in [serve] of the settings.",
                    headers={"Retry-After": str(wait)},
                )
            )


def sort_of(method: str, path: str) -> Sort:
    if method in SAFE_METHODS:
        return "read"
    return "job" if path.startswith(JOBS) or path.endswith("/regenerate") else "change"


def limited_body(receive: Receive, declared: str | None, largest: int) -> Receive:
    """`receive` for a request whose body may not be larger than `largest` bytes, nor dawdle."""
    if declared is not None and (not declared.isascii() or not declared.isdigit() or int(declared) > largest):
        raise _too_large(largest)
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        try:
            message = await asyncio.wait_for(receive(), BODY_SECONDS) if seen >= 0 else await receive()
        except TimeoutError:
            raise TooMuch(Problem(408, "too_slow", "The rest of the request did not come.", "Send it again.")) from None
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > largest:
                raise _too_large(largest)
            if not message.get("more_body", False):
                seen = -1  # nothing more is awaited but that the visitor leaves
        return message

    return counted


def _too_large(largest: int) -> TooMuch:
    return TooMuch(
        Problem(
            413,
            "too_large",
            f"The request is larger than {largest >> 20} MB.",
            "Send less at a time; the operator sets the limit in [serve] of the settings.",
        )
    )
