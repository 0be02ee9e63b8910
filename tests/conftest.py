"""For all tests: a busy machine is no reason to fail, and Ctrl-C works wherever the tests were started from."""

import os
import signal
from collections.abc import Iterator

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings

# A third of the usual number of random cases keeps the suite under five minutes; `HYPOTHESIS_CASES=1000` looks longer.
CASES = int(os.environ.get("HYPOTHESIS_CASES", "30"))
settings.register_profile("patient", deadline=None, max_examples=CASES, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

LONGEST = (
    "tests/faults/",
    "tests/abuse/test_a2_loader_bombs",
    "tests/surfaces/test_end_to_end",
    "tests/surfaces/test_legos_evolve",
)
"""Where the tests are that take many seconds each."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores SIGINT, and children inherit that: tests that interrupt a child need it back.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage counts what examples reach, the same lines in every run: never what random cases happened to reach.

    Tracing hundreds of random cases would also be a good part of what the suite costs.
    """
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.no_cover)
    # The longest first: begun last, one of them keeps a worker busy while the other has nothing left to do.
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Where pytest-cov pauses for `no_cover`, nothing is traced at all.

    In a worker of xdist it has started two measurements and pauses the second, whereupon the first goes on.
    """
    paused = []
    if item.get_closest_marker("no_cover"):
        while running := Coverage.current():
            running.stop()
            paused.append(running)
    try:
        return (yield)
    finally:
        for measurement in reversed(paused):
            measurement.start()
