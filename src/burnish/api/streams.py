"""Server-sent events: the events of a run, from any event number on, for any number of streams.

A run is read once for all its streams: a watch polls for new events, keeps the latest ready to send, and wakes the
streams. A stream that is further behind reads the journal by itself until it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from burnish.api.messages import Problem, TooMuch
from burnish.core.json_bytes import dumps
from burnish.core.records import EventRecord
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock
from burnish.store.sqlite_journal import open_journal

POLL_SECONDS = 0.3
"""Seconds between two polls of a run."""
FOLDER_SECONDS = 1.0
"""Seconds between two polls of the folder of runs."""
SIGN_OF_LIFE_SECONDS = 15.0
"""A comment is sent if nothing else was for so long, so that both ends notice a broken connection."""
KEPT = 2_000
"""Events of a run that are kept ready to send."""
PORTION = 500
"""Events that are read from a journal at a time."""
COMMENT = b": still here\n\n"
MEDIA_TYPE = "text/event-stream"
LARGEST_NUMBER = (1 << 63) - 1
FOLDER = "/"
"""The key of the folder's watch: no run can have this id."""
T = TypeVar("T")


def event_record(event: EventRecord) -> dict[str, object]:
    """An event as the API describes it."""
    return {"seq": event.seq, "at": event.at, "type": event.type, "unit": event.unit, "data": event.data}


def _encoded(event: EventRecord) -> bytes:
    # Encoded JSON has no line breaks, so that it fits on one line whatever the content.
    body = dumps(event_record(event))
    return b"id: %d\nevent: happened\ndata: %s\n\n" % (event.seq, body)


Piece = tuple[int, bytes]
"""The number of an event, and its bytes as sent."""


class Watch(Protocol):
    """Polls for new events while at least one stream is open."""

    interval: float
    """Seconds between two polls."""

    def look(self) -> list[Piece]:
        """The events since the last poll, in order. Called in a thread."""
        ...

    def behind(self, number: int) -> list[Piece]:
        """The events after `number`, for a stream that is further behind than the kept ones. Called in a thread."""
        ...

    def close(self) -> None: ...


class RunWatch:
    """The events of one run."""

    interval = POLL_SECONDS

    def __init__(self, folder: RunFolder, clock: Clock) -> None:
        self._journal: Journal = open_journal(folder.journal, clock=clock, read_only=True)
        # Streams that want earlier events read them by themselves.
        self._last = max(0, self._journal.last_event() - KEPT)

    def look(self) -> list[Piece]:
        found = self.behind(self._last)
        if found:
            self._last = found[-1][0]
        return found

    def behind(self, number: int) -> list[Piece]:
        return [(event.seq, _encoded(event)) for event in self._journal.events(after=number, limit=PORTION)]

    def close(self) -> None:
        self._journal.close()


class FolderWatch:
    """The runs that began, ended or progressed. Numbers count from the first stream on."""

    interval = FOLDER_SECONDS

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._before = _marks(runs)
        self._number = 0

    def look(self) -> list[Piece]:
        now = _marks(self._runs)
        changed = sorted(run for run in self._before.keys() | now.keys() if self._before.get(run) != now.get(run))
        self._before = now
        if not changed:
            return []
        self._number += 1
        return [(self._number, b"event: changed\ndata: %s\n\n" % dumps({"runs": changed}))]

    def behind(self, number: int) -> list[Piece]:
        return []  # a page that connects now has just loaded the current state

    def close(self) -> None:
        """There is nothing to close."""


class SharedWatch:
    """One watch for all streams of the same run or folder."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._ready: deque[Piece] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self.last = 0
        self.streams = 0
        self.task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Poll until the last stream ends, which cancels the task."""
        with closing(self._watch):
            try:
                while True:
                    found = await run_in_threadpool(self._watch.look)
                    self._ready.extend(found)
                    if found:
                        self.last = found[-1][0]
                        self._announce()
                    if len(found) < PORTION:
                        await asyncio.sleep(self._watch.interval)
            finally:
                self._announce()

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def after(self, number: int, patience: float = SIGN_OF_LIFE_SECONDS) -> list[Piece] | None:
        """The events after `number`; empty if none comes for a while, None if the watch has ended."""
        if self.last <= number:
            try:
                await asyncio.wait_for(self._news.wait(), patience)
            except TimeoutError:
                return []
        if self.task.done():
            return None
        if self._ready and self._ready[0][0] <= number + 1:
            return [(each, piece) for each, piece in self._ready if each > number]
        return await run_in_threadpool(self._watch.behind, number)


class Streams:
    """All streams of a server."""

    def __init__(self, runs: Path, clock: Clock, most: int) -> None:
        self._runs = runs
        self._clock = clock
        self._most = most
        self._open = 0
        self._watched: dict[str, SharedWatch] = {}
        self._closing = asyncio.Event()

    def end(self) -> None:
        """End every stream, because the server stops."""
        self._closing.set()

    async def of_run(self, run: str, after: int, at_rest: Callable[[], str | None] | None = None) -> StreamingResponse:
        """The events of a run after number `after`, and those to come: until `at_rest` gives a state, or the client
        leaves."""
        folder = existing_run(self._runs, run)
        self._admit()
        if folder.id not in self._watched:  # report an unreadable journal now, not in the middle of a stream
            await run_in_threadpool(lambda: RunWatch(folder, self._clock).close())
        pieces = self._pieces(
            folder.id, lambda: RunWatch(folder, self._clock), min(max(after, 0), LARGEST_NUMBER), at_rest
        )
        return _response(pieces)

    def of_folder(self) -> StreamingResponse:
        """An event whenever runs begin, end or progress, with their ids."""
        self._admit()
        return _response(self._pieces(FOLDER, lambda: FolderWatch(self._runs), None))

    def _admit(self) -> None:
        if self._open >= self._most:
            problem = Problem(503, "too_many_streams", "Too many streams are open.", "Close one, or try again later.")
            raise TooMuch(problem)

    async def _pieces(
        self,
        name: str,
        watch: Callable[[], Watch],
        after: int | None,
        at_rest: Callable[[], str | None] | None = None,
    ) -> AsyncIterator[bytes]:
        """One stream; `after` is None for future events only."""
        shared: SharedWatch | None = None
        self._open += 1
        try:
            shared = await self._join(name, watch)
            number = shared.last if after is None else after
            yield COMMENT
            patience = SIGN_OF_LIFE_SECONDS if at_rest is None else 2 * POLL_SECONDS
            quiet = 0.0
            while True:
                # Read before the events, so that all events up to this state are sent before the end.
                state = None if at_rest is None else await run_in_threadpool(at_rest)
                found = await self._unless_closing(shared.after(number, patience))
                if found is None:
                    return
                quiet = 0.0 if found else quiet + patience
                if found:
                    number = found[-1][0]
                    yield b"".join(piece for _, piece in found)
                elif state is not None:
                    yield b"event: end\ndata: %s\n\n" % dumps({"state": state, "last": number})
                    return
                elif quiet >= SIGN_OF_LIFE_SECONDS:
                    quiet = 0.0
                    yield COMMENT
        finally:
            self._open -= 1
            if shared is not None:
                shared.streams -= 1
                if shared.streams == 0:
                    shared.task.cancel()
                    if self._watched.get(name) is shared:
                        del self._watched[name]

    async def _join(self, name: str, watch: Callable[[], Watch]) -> SharedWatch:
        shared = self._watched.get(name)
        if shared is None or shared.task.done():
            new_watch = await run_in_threadpool(watch)
            shared = self._watched.get(name)
            if shared is None or shared.task.done():
                shared = self._watched[name] = SharedWatch(new_watch)
            else:  # another stream was quicker
                new_watch.close()
        shared.streams += 1
        return shared

    async def _unless_closing(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of `work`, or None as soon as the server stops."""
        task, end = asyncio.ensure_future(work), asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait((task, end), return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() and not end.done() else None
        finally:
            end.cancel()
            task.cancel()


def _response(pieces: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(pieces, media_type=MEDIA_TYPE, headers={"x-accel-buffering": "no"})


def _marks(runs: Path) -> dict[str, tuple[object, ...]]:
    """Run -> the times and sizes of its files, which change with every event."""
    return {
        folder.id: tuple(
            _mark(path) for path in (folder.journal, folder.journal.with_name("journal.sqlite-wal"), folder.lock)
        )
        for folder in existing_runs(runs)
    }


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
