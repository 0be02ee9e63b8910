"""Making a catalogue and keeping it up to date: at once where that is quick, else in a thread of its own."""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import orjson

from burnish.app.catalogue.database import Damaged, Database, Unwritable
from burnish.app.catalogue.entries import Lens, Scale
from burnish.app.catalogue.filling import Filling
from burnish.core.errors import BurnishError, InputError
from burnish.core.kinds import PublishedKind
from burnish.engine.plan import Plan
from burnish.store.following import Following
from burnish.store.paths import RunFolder

AT_ONCE = 600
"""Units that are taken in while somebody waits for the page: a moment. More than that is left to the thread."""
COURTESY_SECONDS = 0.001
"""How long the thread pauses while a page is being read: both want the same interpreter."""

T = TypeVar("T")


class Making:
    """The catalogue of one run. For any number of threads."""

    def __init__(self, folder: RunFolder, plan: Plan, kind: PublishedKind) -> None:
        self.lens = Lens.of(kind, len(plan.judges))
        self._folder = folder
        self._following = Following(folder.journal)
        self._identity = _identity(plan, self.lens.scale, self._following)
        self._plan = plan
        self._lock = threading.Lock()
        """Held by whoever fills."""
        self._take(Database.opened(folder.catalogue, self._identity))
        self._thread: threading.Thread | None = None
        self._trouble: BurnishError | None = None
        self._progress = 0, 0
        self._closed = False
        self._readers = 0
        self._counting = threading.Lock()
        self._worked_since, self._paused = time.monotonic(), 0.0

    def _take(self, database: Database) -> None:
        self._database = database
        self._filling = Filling(self._plan, self.lens, database, self._following, self._give_way)

    # -- keeping up

    def follow(self) -> None:
        """Take in what has changed, or see to it that somebody does."""
        if self._is_at_work:
            return
        with self._lock:
            if self._is_at_work or self._closed:
                return
            self._tell_trouble()
            self._carefully(self._follow)

    def _follow(self) -> None:
        if not self._database.is_there:
            raise Damaged("the file has gone")
        if self._filling.left(AT_ONCE + 1) > AT_ONCE:
            self._progress = 0, self._filling.how_many()
            self._worked_since, self._paused = time.monotonic(), 0.0
            self._thread = threading.Thread(target=self._work, name="burnish-catalogue", daemon=True)
            self._thread.start()
            return
        while self._step():
            pass

    @property
    def is_there(self) -> bool:
        """Whether the file still is where it was."""
        return self._database.is_there

    def has_returned(self) -> bool:
        """Whether a document that was away is worth another look."""
        return self._filling.has_returned()

    def why_away(self, document: str) -> InputError | None:
        """Why nothing more of a document can be shown; None: it has to be looked for."""
        return self._filling.why_away(document)

    def progress(self) -> tuple[int, int] | None:
        """How far the thread is; None: there is nothing to wait for."""
        return self._progress if self._is_at_work else None

    def wait(self) -> None:
        """Until everything that was there is taken in."""
        if self._thread is not None:
            self._thread.join()
        self._tell_trouble()

    @property
    def _is_at_work(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        try:
            while not self._closed and self._portion():
                pass
        except BurnishError as trouble:
            self._trouble = trouble  # told to whoever opens the run next

    def _portion(self) -> bool:
        with self._lock:
            more = not self._closed and self._carefully(self._step)
            if more:
                done, total = self._carefully(self._taken_in), self._progress[1]
                self._progress = min(done, total), total
        return more

    def _step(self) -> bool:
        return self._filling.step()

    def _taken_in(self) -> int:
        return self._filling.taken_in()

    def _carefully(self, work: Callable[[], T]) -> T:
        """Do something with the file. One that is damaged is made anew; where none can be written, one elsewhere is."""
        for once_more in (True, False):
            try:
                return work()
            except Damaged:
                self._database.remove()
                opened = Database.opened if once_more else Database.aside
                self._take(opened(self._folder.catalogue, self._identity))
            except Unwritable:
                self._database.close()
                self._take(Database.aside(self._folder.catalogue, self._identity))
        return work()

    def _tell_trouble(self) -> None:
        if self._trouble is not None:
            trouble, self._trouble = self._trouble, None
            raise trouble

    # -- reading

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to a question. A file that turns out to be damaged is made anew, and asked once more."""
        database = self._database
        try:
            return self._asked(question)
        except Damaged:
            with self._lock:
                if self._database is database:  # nobody else has seen to it yet
                    database.remove()
                    self._take(Database.opened(self._folder.catalogue, self._identity))
            self.follow()
            return self._asked(question)

    @contextmanager
    def _first(self) -> Iterator[None]:
        """Whoever reads goes first."""
        with self._counting:
            self._readers += 1
        try:
            yield
        finally:
            with self._counting:
                self._readers -= 1

    def _asked(self, question: Callable[[sqlite3.Connection], T]) -> T:
        with self._first(), self._database.reading() as connection:
            try:
                return question(connection)
            except (ValueError, TypeError, LookupError, zlib.error) as odd:
                raise Damaged(str(odd)) from odd  # what lies there is not what we wrote

    def _give_way(self) -> None:
        """Pause while others read; in all no longer than the work itself takes."""
        if self._readers and self._paused < (time.monotonic() - self._worked_since) / 2:
            time.sleep(COURTESY_SECONDS)
            self._paused += COURTESY_SECONDS

    def close(self) -> None:
        """Let the thread end where it is, and give everything back."""
        self._closed = True
        with self._lock:
            self._following.close()
            self._database.close()


def _identity(plan: Plan, scale: Scale, journal: Following) -> str:
    """What the catalogue is made of: another journal, or another gate, makes another catalogue."""
    began = [event.at for event in journal.events("run_started")]
    gate = [[one.name, one.minimum, one.lowest, one.highest] for one in scale.gate.values()]
    return orjson.dumps([plan.nonce, began, gate]).decode()
