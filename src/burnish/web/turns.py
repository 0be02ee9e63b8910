"""Threads of their own for what may have to wait: however many decide at once, pages stay quick."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import anyio
import anyio.to_thread

P = ParamSpec("P")
R = TypeVar("R")
DECIDING = anyio.CapacityLimiter(8)
"""Decisions that are under way at the same time. Others wait, and cost nobody a thread."""


def deciding(route: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """A route that decides: it may have to wait for others who decide about the same run."""

    @wraps(route)
    async def apart(*given: P.args, **named: P.kwargs) -> R:
        return await anyio.to_thread.run_sync(partial(route, *given, **named), limiter=DECIDING)

    return apart
