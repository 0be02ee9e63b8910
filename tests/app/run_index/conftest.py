"""What tests of the catalogue share."""

import shutil
from pathlib import Path

import pytest

from tests.app.run_index import four_kinds


@pytest.fixture(scope="package")
def four_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one run of every kind. Not to be changed."""
    return four_kinds.make(tmp_path_factory.mktemp("four"))


@pytest.fixture
def own_runs(four_runs: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed at will."""
    shutil.copytree(four_runs, tmp_path / "runs")
    return tmp_path / "runs"
