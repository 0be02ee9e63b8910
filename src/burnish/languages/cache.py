"""A cache for readings of texts, because several checks ask for the same. Very long texts are not kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

LONGEST_KEPT = 20_000
"""Characters of a text whose readings are kept."""
MOST_KEPT = 512

P = ParamSpec("P")
R = TypeVar("R")


def kept(read: Callable[P, R]) -> Callable[P, R]:
    """Keep what a reader of texts (its first argument) found, for texts of ordinary length."""
    remembered = lru_cache(maxsize=MOST_KEPT)(read)

    @wraps(read)
    def reading(*given: P.args, **named: P.kwargs) -> R:
        if len(cast(str, given[0])) > LONGEST_KEPT:
            return read(*given, **named)
        return remembered(*given, **named)  # type: ignore[arg-type]

    return reading
