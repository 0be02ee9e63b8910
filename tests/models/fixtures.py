"""What the tests of this room share: a log in memory, a call to fill in, an event loop whose clock jumps."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from burnish.core.records import CallRecord, Record
from burnish.core.replies import reply_schema
from burnish.models.calls import Call

T = TypeVar("T")

NO_EDITS = '{"reasoning": "Nothing to do.", "edits": []}'


class MemoryLog:
    """A CallLog that keeps everything, in order."""

    def __init__(self) -> None:
        self.written: list[CallRecord] = []

    def call(self, key: str) -> CallRecord | None:
        of_key = [record for record in self.written if record.key == key]
        return next((record for record in of_key if record.status == "ok"), of_key[-1] if of_key else None)

    def has_answered(self, model: str) -> bool:
        return any(record.model == model and record.status == "ok" for record in self.written)

    def replies(self, role: str, model: str) -> Iterator[tuple[str, str]]:
        answered = (one for one in self.written if one.status == "ok" and (one.role, one.model) == (role, model))
        return ((one.reply_name, one.raw) for one in answered)

    def failures(self, key: str, model: str) -> tuple[int, bool]:
        failed = [place for place, one in enumerate(self.written) if one.key == key and one.status == "failed"]
        later = self.written[failed[0] :] if failed else []
        return len(failed), any(one.status == "ok" and one.model == model for one in later)

    async def write(self, *records: Record) -> None:
        await asyncio.sleep(0)
        self.written += [record for record in records if isinstance(record, CallRecord)]


class JumpingClock:
    """Waiting takes no time, but the clock shows that it did."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return asyncio.get_running_loop().time() + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.ahead += seconds
        await asyncio.sleep(0)


class QuickLog(MemoryLog):
    """The same for thousands of calls: found by key, not by search."""

    def __init__(self) -> None:
        super().__init__()
        self._by_key: dict[str, CallRecord] = {}

    def call(self, key: str) -> CallRecord | None:
        return self._by_key.get(key)

    async def write(self, *records: Record) -> None:
        await super().write(*records)
        self._by_key.update({record.key: record for record in records if isinstance(record, CallRecord)})


def a_call(user: str = "Mend this.", **changes: Any) -> Call:
    settings: dict[str, Any] = {
        "model": "scripted:test",
        "role": "corrector",
        "unit": "q1",
        "system": "You mend questions.",
        "user": user,
        "reply_name": "edit_reply",
        "schema": reply_schema("edit_reply"),
        "max_tokens": 200,
    }
    return Call(**{**settings, **changes})


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that does not wait: when nothing is left to do, its clock jumps to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self._virtual = 0.0

    def time(self) -> float:
        return self._virtual

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._virtual = max(self._virtual, self._scheduled[0]._when)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Like asyncio.run, in virtual time: an hour of sleep takes no time at all."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
