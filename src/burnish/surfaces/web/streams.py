"""Server-sent events: what happens in a run, from any event number on, to as many as want to know.

A run is read once for all who watch it: a watch looks for new events, keeps the latest ready to send, and wakes the
streams. One that is further behind reads the journal by itself until it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from burnish.core.records import EventRecord
from burnish.store.clock import Clock
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.sqlite_journal import SqliteJournal, open_journal
from burnish.surfaces.web.limits import TooMuch
from burnish.surfaces.web.problems import Problem

POLL_SECONDS = 0.3
"""How often a watched run is looked at."""
FOLDER_SECONDS = 1.0
"""How often the folder of runs is looked at while somebody watches it."""
SIGN_OF_LIFE_SECONDS = 15.0
"""A comment is sent when nothing else was for so long, so that both ends know of each other."""
KEPT = 2_000
"""Events of a run that are kept ready to send."""
PORTION = 500
"""Events that are read from a journal at a time."""
COMMENT = b": still here\n\n"
MEDIA_TYPE = "text/event-stream"
LARGEST_NUMBER = (1 << 63) - 1
T = TypeVar("T")


def event_record(event: EventRecord) -> dict[str, object]:
    """An event for programs."""
    return {"seq": event.seq, "at": event.at, "type": event.type, "unit": event.unit, "data": dict(event.data)}


def _encoded(event: EventRecord) -> bytes:
    # JSON has no line ends of its own, so one line holds it, whatever the content says.
    body = orjson.dumps(event_record(event), option=orjson.OPT_NON_STR_KEYS)
    return b"id: %d\nevent: happened\ndata: %s\n\n" % (event.seq, body)


class Watch:
    """Looks for new events of one run while at least one stream wants them."""

    def __init__(self, folder: RunFolder, clock: Clock) -> None:
        self._journal: SqliteJournal = open_journal(folder.journal, clock=clock, read_only=True)
        self._ready: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self._last = 0
        self.streams = 0

    async def work(self) -> None:
        """Poll until cancelled."""
        with closing(self._journal):
            while True:
                found = await run_in_threadpool(self._portion, self._last)
                for seq, piece in found:
                    self._ready.append((seq, piece))
                    self._last = seq
                if found:
                    news, self._news = self._news, asyncio.Event()
                    news.set()
                if len(found) < PORTION:
                    await asyncio.sleep(POLL_SECONDS)

    async def after(self, seq: int) -> list[tuple[int, bytes]]:
        """The next events behind `seq`; none where nothing happens for a while."""
        if self._last <= seq:
            news = self._news
            try:
                await asyncio.wait_for(news.wait(), SIGN_OF_LIFE_SECONDS)
            except TimeoutError:
                return []
        if self._ready and self._ready[0][0] <= seq + 1:
            return [(number, piece) for number, piece in self._ready if number > seq]
        return await run_in_threadpool(self._portion, seq)

    def _portion(self, after: int) -> list[tuple[int, bytes]]:
        return [(event.seq, _encoded(event)) for event in self._journal.events(after=after, limit=PORTION)]


@dataclass(slots=True)
class _Watched:
    watch: Watch
    task: asyncio.Task[None]


class Streams:
    """All streams of a server."""

    def __init__(self, runs: Path, clock: Clock, most: int) -> None:
        self._runs = runs
        self._clock = clock
        self._most = most
        self._open = 0
        self._watched: dict[str, _Watched] = {}
        self._closing = asyncio.Event()

    def end(self) -> None:
        """Let every stream end: the server is going."""
        self._closing.set()

    def of_run(self, run: str, after: int) -> StreamingResponse:
        """The events of a run behind number `after`, and those to come."""
        folder = existing_run(self._runs, run)
        self._admit()
        return self._response(self._events(folder, min(max(after, 0), LARGEST_NUMBER)))

    def of_folder(self) -> StreamingResponse:
        """A word whenever a run begins, ends or gets on: the names of those that did."""
        self._admit()
        return self._response(self._changes())

    def _admit(self) -> None:
        if self._open >= self._most:
            problem = Problem(503, "too_many_streams", "Too many streams are open.", "Close one, or try again later.")
            raise TooMuch(problem)

    def _response(self, pieces: AsyncIterator[bytes]) -> StreamingResponse:
        return StreamingResponse(pieces, media_type=MEDIA_TYPE, headers={"x-accel-buffering": "no"})

    async def _events(self, folder: RunFolder, after: int) -> AsyncIterator[bytes]:
        self._open += 1
        watched = self._watch(folder)
        try:
            yield COMMENT
            while not self._closing.is_set():
                found = await self._unless_closing(watched.watch.after(after))
                if found is None:
                    return
                if found:
                    after = found[-1][0]
                yield b"".join(piece for _, piece in found) or COMMENT
        finally:
            self._open -= 1
            self._leave(folder, watched)

    def _watch(self, folder: RunFolder) -> _Watched:
        watched = self._watched.get(folder.id)
        if watched is None or watched.task.done():
            watch = Watch(folder, self._clock)
            watched = self._watched[folder.id] = _Watched(watch, asyncio.create_task(watch.work()))
        watched.watch.streams += 1
        return watched

    def _leave(self, folder: RunFolder, watched: _Watched) -> None:
        watched.watch.streams -= 1
        if watched.watch.streams == 0:
            watched.task.cancel()
            if self._watched.get(folder.id) is watched:
                del self._watched[folder.id]

    async def _changes(self) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            before, quiet = await run_in_threadpool(_marks, self._runs), 0.0
            yield COMMENT
            while not self._closing.is_set():
                if await self._unless_closing(asyncio.sleep(FOLDER_SECONDS, True)) is None:
                    return
                now = await run_in_threadpool(_marks, self._runs)
                changed = sorted({run for run in before.keys() | now.keys() if before.get(run) != now.get(run)})
                before, quiet = now, 0.0 if changed else quiet + FOLDER_SECONDS
                if changed:
                    yield b"event: changed\ndata: %s\n\n" % orjson.dumps({"runs": changed})
                elif quiet >= SIGN_OF_LIFE_SECONDS:
                    quiet = 0.0
                    yield COMMENT
        finally:
            self._open -= 1

    async def _unless_closing(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What `work` comes to, or None as soon as the server is going."""
        wanted, end = asyncio.ensure_future(work), asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait((wanted, end), return_when=asyncio.FIRST_COMPLETED)
            return wanted.result() if wanted.done() else None
        finally:
            end.cancel()
            wanted.cancel()


def _marks(runs: Path) -> dict[str, tuple[object, ...]]:
    """Run -> what changes whenever something happens in it."""
    return {folder.id: tuple(_mark(path) for path in _files(folder)) for folder in existing_runs(runs)}


def _files(folder: RunFolder) -> tuple[Path, ...]:
    return folder.journal, folder.journal.with_name("journal.sqlite-wal"), folder.lock


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
