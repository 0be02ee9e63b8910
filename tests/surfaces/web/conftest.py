"""Runs that tests of pages look at and leave as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnish.surfaces.cli.main import main
from tests.mixed_queue import bank_of


@pytest.fixture(scope="session")
def looked_at_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of the demo, and `rivers`, in which nine questions wait. Nobody decides anything there."""
    home = tmp_path_factory.mktemp("looked_at")
    assert main(["demo", "--keep", str(home), "--no-color"]) == 0
    bank = bank_of(home / "rivers.json", 9)
    assert main(["polish", str(bank), "--run-id", "rivers", "--runs", str(home / "runs"), "--no-color"]) == 3
    return home / "runs"
