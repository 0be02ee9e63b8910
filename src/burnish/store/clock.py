"""Time as the store sees it: a clock that is handed in, and one way to write a moment down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Gives the present moment, with its time zone. Tests hand in one that jumps."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def system_clock() -> datetime:
    return datetime.now(UTC)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and `Z`: fixed width, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def to_microseconds(moment: datetime) -> int:
    """Whole microseconds since 1970: integers, because floats lose the last digits."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    return _EPOCH + count * _MICROSECOND
