"""Runs that tests of pages look at and leave as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mixed_queue import mixed_runs
from tests.shared import made_once


@pytest.fixture(scope="session")
def looked_at_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of the demo, and `rivers`, in which nine questions wait. Nobody decides anything there."""
    return made_once(tmp_path_factory, "looked_at", lambda home: mixed_runs(home, 9)) / "runs"
