"""`burnish translate` from a thousand paragraphs to a hundred thousand: linear, lean, and quick to go on after a kill.

A book with a draft beside it goes through every phase, with rules as the only reviewers: taken in, translated,
assembled, reviewed, killed near the end, taken up again, approved, published, all files written.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.lines import Line, below, beside
from bench.manuscripts_corpus import write_book
from bench.processes import MEGABYTE, SAMPLED_EVERY, Taken, burnish, compiled, measured, tree_memory
from burnish.core.records import UnitRow
from burnish.engine.unit_loader import UnitLoader, moved
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.store.journal import Journal
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal

TITLE = "burnish translate, a draft reviewed by rules, killed near the end, resumed and published"
SIZES, FULL_SIZES = (1_000, 10_000), (1_000, 10_000, 100_000)
LEAN = 500
"""Megabytes, whatever the number of paragraphs."""
LINEAR = 1.3
"""A paragraph of the largest book may take so much longer than one of the book before it."""
SAME = 1.3
"""A move near the end of the book beside one near its beginning."""
PROMPT = 3.0
"""Seconds from the start of `resume` until it is at work."""
NEARLY_ALL = 0.9
"""The share of paragraphs that have passed when the run is killed."""
LENGTH = (1, 2)
"""Sentences in a paragraph: about twenty words, so that what is measured is the number of paragraphs."""
LONG = (5, 7)
"""The same for a book of long paragraphs, about ninety words: memory has to hold for that one, too."""
MOVES = 200
READY = "ready_to_merge"
RUN = "scaling"
AWAITING_APPROVAL = 3


@dataclass(frozen=True, slots=True)
class Beginning:
    """How soon a sitting is at work, in seconds from the start of its process."""

    taken_over: float
    """Until the journal holds that the run goes on: its first transaction."""
    settled: float
    """Until it holds the first paragraphs that were settled anew."""
    processor_seconds: float
    """What of that was the process's own work: on a busy machine it waits besides."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the run of one size took, sitting by sitting."""

    size: int
    killed: Taken
    resumed: Taken
    beginning: Beginning
    """Of the resumed sitting."""
    published: Taken
    early: float
    late: float
    """Seconds of a move near the beginning and near the end."""

    @property
    def sittings(self) -> tuple[Taken, ...]:
        return self.killed, self.resumed, self.published

    @property
    def processor_seconds(self) -> float:
        return sum(taken.processor_seconds for taken in self.sittings)


def run(full: bool, sizes: tuple[int, ...] | None = None) -> list[Line]:
    sizes = sizes or (FULL_SIZES if full else SIZES)
    with compiled() as environment:
        measured(burnish("--version"), environment=environment)
        courses = [_course(size, environment) for size in sizes]
        long = _long(sizes[-1], environment)
    told = f"memory, {sizes[-1]:,} paragraphs of ninety words: taken in, draft laid beside, review begun"
    lines = [line for course in courses for line in _lines(course)]
    return [*lines, *_linear(courses), below(told, long.megabytes, "MB", LEAN)]


def _lines(course: Course) -> list[Line]:
    size = f"{course.size:,} paragraphs"
    whole = sum(taken.seconds for taken in course.sittings)
    begun = course.beginning
    return [
        Line(f"{size}: everything", whole, "s", f"{course.processor_seconds:.0f} s of processor time"),
        Line(
            "  until killed", course.killed.processor_seconds, "s", "of processor time: taking in, most of the review"
        ),
        Line("  the rest, and every file", course.resumed.processor_seconds, "s", "of processor time"),
        Line("  publishing, and every file again", course.published.processor_seconds, "s", "of processor time"),
        below("  memory, at most", max(taken.megabytes for taken in course.sittings), "MB", LEAN),
        below("  resume after kill -9: the run is taken over after", begun.taken_over, "s", PROMPT),
        below("    first paragraphs settled, processor time", begun.processor_seconds, "s", PROMPT),
        Line("    first paragraphs settled, by the clock", begun.settled, "s"),
        beside("  one move at the end", course.late * 1e6, "µs", "at the beginning", course.early * 1e6, at_most=SAME),
    ]


def _linear(courses: list[Course]) -> list[Line]:
    """Processor time: it says what the work costs even while others use the machine."""
    if len(courses) < 2:
        return []
    before, largest = courses[-2:]
    each = {one.size: one.processor_seconds / one.size * 1e3 for one in (before, largest)}
    sittings = zip(("taking in and review", "exports", "publishing"), before.sittings, largest.sittings, strict=True)
    return [
        beside(
            f"a paragraph of {largest.size:,}",
            each[largest.size],
            "ms",
            f"of {before.size:,}",
            each[before.size],
            at_most=LINEAR,
        ),
        *(
            beside(
                f"  {what}",
                two.processor_seconds / largest.size * 1e3,
                "ms",
                f"of {before.size:,}",
                one.processor_seconds / before.size * 1e3,
            )
            for what, one, two in sittings
        ),
    ]


def _course(size: int, environment: Mapping[str, str]) -> Course:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as home:
        folder = Path(home)
        runs, journal = _runs(folder), _journal(folder)
        with _started(_start(folder, size, LENGTH), environment) as sitting:
            _wait_for(lambda: _passed(journal) >= NEARLY_ALL * size, sitting)
            sitting.kill()
        killed = sitting.taken()
        resumed, beginning = _resumed(burnish("resume", RUN, *runs), environment, journal)
        early, late = _moves(journal, folder / "copy.sqlite", size)
        published = measured(burnish("resume", RUN, *runs, "--approve"), environment=environment)
        if published.exit_code != 0:
            raise RuntimeError(f"publishing ended with {published.exit_code}")
        return Course(size, killed, resumed, beginning, published, early, late)


def _long(size: int, environment: Mapping[str, str]) -> Taken:
    """A book of long paragraphs until its first ones are reviewed: everything that is read at once is read by then."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as home:
        with _started(_start(Path(home), size, LONG), environment) as sitting:
            _wait_for(lambda: _passed(_journal(Path(home))) > 0, sitting)
            sitting.kill()
        return sitting.taken()


def _start(folder: Path, size: int, sentences: tuple[int, int]) -> list[str]:
    book, draft = write_book(folder, size, sentences)
    files = ("--source", str(book), "--draft", str(draft), "--rules-only")
    return burnish("translate", "--run-id", RUN, *_runs(folder), *files, "--from", "en", "--to", "es")


def _runs(folder: Path) -> tuple[str, str]:
    return "--runs", str(folder / "runs")


def _journal(folder: Path) -> Path:
    return folder / "runs" / RUN / "journal.sqlite"


class RunSession:
    """A command at work, whose memory is looked at until it ends."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(environment)
        )
        self._most = 0
        self._taken: Taken | None = None
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    def _look(self) -> None:
        root = psutil.Process(self._process.pid)
        while self._taken is None:
            self._most = max(self._most, tree_memory(root)[0])
            time.sleep(SAMPLED_EVERY)

    def kill(self) -> None:
        os.kill(self._process.pid, signal.SIGKILL)

    def taken(self) -> Taken:
        """Waits for its end."""
        if self._taken is None:
            _, status, usage = os.wait4(self._process.pid, 0)
            seconds = self.seconds
            self._process.returncode = os.waitstatus_to_exitcode(status)
            most = self._most / MEGABYTE
            self._taken = Taken(seconds, usage.ru_utime + usage.ru_stime, most, most, self._process.returncode)
            self._watch.join()
        return self._taken

    @property
    def seconds(self) -> float:
        """Since its start."""
        return time.perf_counter() - self.started

    @property
    def processor_seconds(self) -> float:
        """So far."""
        times = psutil.Process(self._process.pid).cpu_times()
        return times.user + times.system

    @property
    def has_ended(self) -> bool:
        """Without waiting, and without taking its exit code from whoever waits."""
        return psutil.Process(self._process.pid).status() == psutil.STATUS_ZOMBIE


@contextmanager
def _started(command: list[str], environment: Mapping[str, str]) -> Iterator[RunSession]:
    sitting = RunSession(command, environment)
    try:
        yield sitting
    except BaseException:
        sitting.kill()
        raise
    finally:
        sitting.taken()


def _wait_for(reached: Callable[[], bool], sitting: RunSession) -> None:
    while not reached():
        if sitting.has_ended:
            raise RuntimeError("the run ended too early: does the generated book still pass every rule?")
        time.sleep(0.05)


def _passed(path: Path) -> int:
    if not path.is_file():
        return 0
    with _reading(path) as journal:
        return journal.counts().get(READY, 0)


def _resumed(command: list[str], environment: Mapping[str, str], path: Path) -> tuple[Taken, Beginning]:
    """What the resumed sitting took, and how soon it was at work."""
    with _reading(path) as journal:
        last = max(event.seq for event in journal.events(types=("state_changed",)))

        def holds(type: str) -> bool:
            return any(True for _ in journal.events(after=last, types=(type,), limit=1))

        with _started(command, environment) as sitting:
            _wait_for(lambda: holds("run_resumed"), sitting)
            taken_over = sitting.seconds
            _wait_for(lambda: holds("state_changed"), sitting)
            beginning = Beginning(taken_over, sitting.seconds, sitting.processor_seconds)
    if sitting.taken().exit_code != AWAITING_APPROVAL:
        raise RuntimeError(f"resume ended with {sitting.taken().exit_code}; it should wait for approval")
    return sitting.taken(), beginning


@contextmanager
def _reading(path: Path) -> Iterator[Journal]:
    with closing(open_journal(path, clock=system_clock, read_only=True)) as journal:
        yield journal


def _moves(path: Path, copy: Path, size: int) -> tuple[float, float]:
    """The median time of a move near the beginning and near the end, taken in turns on a copy of the journal."""
    shutil.copyfile(path, copy)
    kind = ManuscriptsKind()
    early: list[float] = []
    late: list[float] = []
    with closing(open_journal(copy, clock=system_clock)) as journal:
        shelf = UnitLoader(kind, journal)
        for number in range(MOVES):
            for place, times in ((10 + number, early), (size - MOVES + number, late)):
                started = time.process_time()
                _move(kind, journal, shelf, place)
                times.append(time.process_time() - started)
    copy.unlink()
    return statistics.median(early), statistics.median(late)


def _move(kind: ManuscriptsKind, journal: Journal, shelf: UnitLoader, place: int) -> None:
    """What every change of state comes to: find the row, read its history, write the move, find it in its new state."""
    [row] = journal.units(after_position=place - 1, limit=1)
    item = shelf.item(row)
    told, after = moved(kind.states, item.row, kind.states.waiting, "bench")
    journal.write_now(told, after)
    found: list[UnitRow] = list(journal.units(states=(kind.states.waiting,), after_position=place - 1, limit=1))
    assert found and found[0].id == row.id
