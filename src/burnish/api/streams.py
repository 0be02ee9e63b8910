"""Server-sent events: what happens in a run, from any event number on, to as many as want to know.

A run is read once for all who watch it: a watch looks for new events, keeps the latest ready to send, and wakes the
streams. One that is further behind reads the journal by itself until it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, TypeVar

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from burnish.api.messages import Problem, TooMuch
from burnish.core.records import EventRecord
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock
from burnish.store.sqlite_journal import open_journal

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
FOLDER = "/"
"""What the watch of the folder goes by: no run can."""
T = TypeVar("T")


def event_record(event: EventRecord) -> dict[str, object]:
    """An event for programs."""
    return {"seq": event.seq, "at": event.at, "type": event.type, "unit": event.unit, "data": event.data}


def _encoded(event: EventRecord) -> bytes:
    # JSON has no line ends of its own, so one line holds it, whatever the content says.
    body = orjson.dumps(event_record(event), option=orjson.OPT_NON_STR_KEYS)
    return b"id: %d\nevent: happened\ndata: %s\n\n" % (event.seq, body)


Piece = tuple[int, bytes]
"""The number of an event, and the event as it is sent."""


class Watch(Protocol):
    """Looks for news while at least one stream wants them."""

    interval: float
    """Seconds between two looks."""

    def look(self) -> list[Piece]:
        """What is new since the last look, in order. Called in a thread."""
        ...

    def behind(self, number: int) -> list[Piece]:
        """What comes after `number`, for a stream that is further behind than what is kept. Called in a thread."""
        ...

    def close(self) -> None: ...


class RunWatch:
    """The events of one run."""

    interval = POLL_SECONDS

    def __init__(self, folder: RunFolder, clock: Clock) -> None:
        self._journal: Journal = open_journal(folder.journal, clock=clock, read_only=True)
        # Who wants to know of earlier ones reads them for itself.
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
    """Which runs began, ended or got on. Numbers count from when the first stream came."""

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
        return [(self._number, b"event: changed\ndata: %s\n\n" % orjson.dumps({"runs": changed}))]

    def behind(self, number: int) -> list[Piece]:
        return []  # a page that comes now shows everything as it is

    def close(self) -> None:
        """Nothing is held."""


class Shared:
    """One watch for all streams that want the same."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._ready: deque[Piece] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self.last = 0
        self.streams = 0
        self.task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Look until nobody wants to know any more."""
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
        """What comes after `number`; nothing where nothing happens for a while, None where nothing will."""
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
        self._watched: dict[str, Shared] = {}
        self._closing = asyncio.Event()

    def end(self) -> None:
        """Let every stream end: the server is going."""
        self._closing.set()

    async def of_run(self, run: str, after: int, at_rest: Callable[[], str | None] | None = None) -> StreamingResponse:
        """The events of a run behind number `after`, and those to come: until the run is `at_rest`, or for as long as
        somebody listens."""
        folder = existing_run(self._runs, run)
        self._admit()
        if folder.id not in self._watched:  # a journal that cannot be read is told now, not in the middle of a stream
            await run_in_threadpool(lambda: RunWatch(folder, self._clock).close())
        pieces = self._pieces(
            folder.id, lambda: RunWatch(folder, self._clock), min(max(after, 0), LARGEST_NUMBER), at_rest
        )
        return _response(pieces)

    def of_folder(self) -> StreamingResponse:
        """A word whenever a run begins, ends or gets on: the names of those that did."""
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
        """One stream; `after` is None where only what is to come is wanted."""
        shared: Shared | None = None
        self._open += 1
        try:
            shared = await self._joined(name, watch)
            number = shared.last if after is None else after
            yield COMMENT
            patience = SIGN_OF_LIFE_SECONDS if at_rest is None else 2 * POLL_SECONDS
            quiet = 0.0
            while True:
                # Looked at before the events are: what happened by then is sent before the end.
                state = None if at_rest is None else await run_in_threadpool(at_rest)
                found = await self._unless_closing(shared.after(number, patience))
                if found is None:
                    return
                quiet = 0.0 if found else quiet + patience
                if found:
                    number = found[-1][0]
                    yield b"".join(piece for _, piece in found)
                elif state is not None:
                    yield b"event: end\ndata: %s\n\n" % orjson.dumps({"state": state, "last": number})
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

    async def _joined(self, name: str, watch: Callable[[], Watch]) -> Shared:
        known = self._watched.get(name)
        if known is None or known.task.done():
            made = await run_in_threadpool(watch)
            known = self._watched.get(name)
            if known is None or known.task.done():
                known = self._watched[name] = Shared(made)
            else:  # somebody else was quicker
                made.close()
        known.streams += 1
        return known

    async def _unless_closing(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What `work` comes to, or None as soon as the server is going."""
        wanted, end = asyncio.ensure_future(work), asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait((wanted, end), return_when=asyncio.FIRST_COMPLETED)
            return wanted.result() if wanted.done() and not end.done() else None
        finally:
            end.cancel()
            wanted.cancel()


def _response(pieces: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(pieces, media_type=MEDIA_TYPE, headers={"x-accel-buffering": "no"})


def _marks(runs: Path) -> dict[str, tuple[object, ...]]:
    """Run -> what changes whenever something happens in it."""
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
