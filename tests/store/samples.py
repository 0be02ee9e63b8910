"""Clocks and records that the store's tests share."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from burnish.core.records import AttemptRecord, CallRecord, EventRecord, UnitRow, Usage, event
from burnish.store.lock import LockRecord
from burnish.store.paths import RunFolder

NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


class SetClock:
    """A clock that stands still until it is set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class PlannedClock:
    """A clock that shows given moments one after the other, and then the last one for ever."""

    def __init__(self, moments: Iterable[datetime]) -> None:
        self._moments = list(moments)

    def __call__(self) -> datetime:
        return self._moments.pop(0) if len(self._moments) > 1 else self._moments[0]


def call(key: str = "k1", **changes: Any) -> CallRecord:
    values: dict[str, Any] = {
        "key": key,
        "unit": "q1",
        "role": "judge",
        "model": "test:model",
        "reply_name": "review",
        "request": {"system": "Judge.", "user": "Which drug?"},
        "status": "ok",
        "raw": '{"passed": true}',
        "usage": Usage(100, 20, 0.0015),
        "tries": 1,
        "duration_ms": 12,
    }
    return CallRecord(**{**values, **changes})


def unit(id: str = "q1", position: int = 0, **changes: Any) -> UnitRow:
    values: dict[str, Any] = {"document": "bank.json", "content_hash": f"sha256:{id}", "state": "draft"}
    return UnitRow(id=id, position=position, **{**values, **changes})


def attempt(unit: str = "q1", number: int = 1, **changes: Any) -> AttemptRecord:
    values: dict[str, Any] = {
        "cause": "model",
        "content": {"stem": "Which drug?"},
        "content_hash": "sha256:1",
        "scores": {"rules": 0.5},
        "findings": ({"rule": "nbme_lead_in", "unit": unit},),
        "passed": False,
        "failure": None,
        "edits": ({"find": "a", "replace": "b"},),
        "receipt": {"before": "x", "after": "y"},
        "usage": Usage(7, 3, None),
        "calls": ("k1", "k2"),
    }
    return AttemptRecord(unit=unit, number=number, **{**values, **changes})


def happened(n: int = 0, **changes: Any) -> EventRecord:
    return event("ingested", data={"n": n}, **changes)


def holder(folder: RunFolder) -> LockRecord | None:
    """Who holds the run, as its lock file says; None where there is none."""
    return LockRecord.read(folder.lock.read_bytes()) if folder.lock.exists() else None
