"""For all tests: a busy machine is no reason to fail, and Ctrl-C works wherever the tests were started from."""

import signal

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

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
