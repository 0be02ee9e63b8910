"""For all tests: no deadlines on a busy machine, a Ctrl-C that works, and coverage only while a test runs."""

import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings

# `make test` tries the same random cases each time, so that a failure comes from the change; `make faults` tries other
# and more cases each time: HYPOTHESIS_CASES=500.
CASES = int(os.environ.get("HYPOTHESIS_CASES", "0"))
settings.register_profile(
    "patient",
    deadline=None,
    max_examples=CASES or 20,
    derandomize=CASES == 0,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")

LONGEST = (
    "tests/faults/",
    "tests/abuse/test_a2_loader_bombs",
    "tests/app/test_end_to_end",
    "tests/app/test_legos_evolve",
)
"""Tests that take many seconds each."""
OF_THE_WHOLE = ("tests/abuse/", "tests/bench/", "tests/browser/", "tests/docs/", "tests/faults/", "tests/golden/")
"""Tests of no single module. Coverage does not count them: the tests beside each module must reach its lines."""
MEMORY, ROOM = Path("/dev/shm"), 2 << 30
"""A disk in memory, and the number of free bytes that it needs to be used."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores SIGINT, and children inherit that: tests that interrupt a child need it back.
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # while the tests are collected: thousands of objects are made, and nearly all of them stay

if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    # Tests sync thousands of short-lived files, which need no real disk.
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None


class Traced:
    """Coverage before Python 3.12: a function that Python calls for every line of every library."""

    def __init__(self) -> None:
        self._here: Any = None
        self._in_new_threads: Any = None

    def take_away(self) -> None:
        if sys.gettrace() is not None:  # set by coverage itself, at the start and behind each `no_cover`
            self._here, self._in_new_threads = sys.gettrace(), threading.gettrace()
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def give_back(self) -> None:
        if sys.gettrace() is None:
            threading.settrace(self._in_new_threads)
            sys.settrace(self._here)


class Monitored:
    """Coverage with `sys.monitoring`: two callbacks of its tool, for calls and for lines."""

    def __init__(self) -> None:
        self._events = (sys.monitoring.events.PY_START, sys.monitoring.events.LINE)
        self._callbacks: dict[int, Any] = {}

    def take_away(self) -> None:
        for event in self._events:
            if (taken := self._exchanged(event, None)) is not None:
                self._callbacks[event] = taken

    def give_back(self) -> None:
        for event, callback in self._callbacks.items():
            self._exchanged(event, callback)

    def _exchanged(self, event: int, callback: Any) -> Any:
        return sys.monitoring.register_callback(sys.monitoring.COVERAGE_ID, event, callback)


class Tracing:
    """Turns the counting of coverage on and off. It is off while nothing counts, as in most of pytest itself."""

    def __init__(self) -> None:
        self.counts = True
        """Whether the test that runs now counts."""

    @cached_property
    def _means(self) -> Traced | Monitored | None:
        if Coverage.current() is None:
            return None
        is_monitored = sys.version_info >= (3, 12) and sys.monitoring.get_tool(sys.monitoring.COVERAGE_ID) is not None
        return Monitored() if is_monitored else Traced()

    def pause(self) -> None:
        if self._means is not None:
            self._means.take_away()

    @contextmanager
    def on(self, enabled: bool = True) -> Iterator[None]:
        if enabled and self.counts and self._means is not None:
            self._means.give_back()
        try:
            yield
        finally:
            self.pause()


tracing = Tracing()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest first: as the last, one of them would keep a worker busy while the others are idle."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """The collected tests stay to the end, so the garbage collector need not scan them again and again."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    tracing.pause()
    tracing.counts = not item.nodeid.startswith(OF_THE_WHOLE)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Iterator[None]:
    with tracing.on():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Count the lines that examples reach, the same in every run, and not those that random cases happen to reach."""
    tracing.pause()
    with tracing.on(not is_hypothesis_test(pyfuncitem.obj) and not pyfuncitem.get_closest_marker("no_cover")):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Trace only if there is something to tear down: the test's own fixtures, or those of its module."""
    is_last = nextitem is None or nextitem.path != item.path
    with tracing.on(is_last or bool(getattr(item, "fixturenames", ()))):
        return (yield)
