"""Runs that tests of pages look at and leave as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mixed_queue import mixed_runs


@pytest.fixture(scope="session")
def looked_at_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of the demo, and `rivers`, in which nine questions wait. Nobody decides anything there."""
    return mixed_runs(tmp_path_factory, 9)
