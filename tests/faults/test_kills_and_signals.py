"""The short forms of F1, F2, F3 and F5: runs that are killed, lose the power or are interrupted in the middle."""

from collections.abc import Iterator

import pytest

from tests.faults.f1_kill import Trial, killed_at_random, trials
from tests.faults.f2_fault_points import killed_at_every_point
from tests.faults.f3_power_loss import power_lost
from tests.faults.f5_signals import interrupted
from tests.faults.victims import Victims


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    """One server for all: it takes a second and more to start."""
    with Victims() as server:
        yield server


@pytest.fixture(scope="module")
def prepared(victims: Victims) -> Iterator[list[Trial]]:
    """The runs that are left in peace, with which all others are compared."""
    with trials(victims) as each:
        yield each


def test_killed_at_random(prepared: list[Trial]) -> None:
    assert killed_at_random(prepared, full=False)


@pytest.mark.process
def test_killed_at_every_point(prepared: list[Trial]) -> None:
    assert killed_at_every_point(prepared, full=False)


@pytest.mark.process
def test_power_lost(prepared: list[Trial]) -> None:
    assert power_lost(prepared, full=False)


@pytest.mark.process
def test_interrupted(victims: Victims) -> None:
    assert interrupted(victims, full=False)
