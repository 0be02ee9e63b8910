"""Runs of every kind, made once: tests that change something work on a copy."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.api_desk import ApiDesk, api_desk, copied
from tests.mixed_queue import mixed_runs


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of whoever runs the tests are not heard, neither here nor by the children of the server."""
    for name in [name for name in os.environ if name.startswith("BURNISH_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def kept_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's runs, and `rivers` with nine questions that wait for people."""
    return mixed_runs(tmp_path_factory, 9)


@pytest.fixture(scope="module")
def kept(kept_runs: Path) -> Iterator[ApiDesk]:
    """The API over runs that no test changes."""
    with api_desk(kept_runs) as desk:
        yield desk


@pytest.fixture
def api(kept_runs: Path, tmp_path: Path) -> Iterator[ApiDesk]:
    """The API over a copy of the runs."""
    with api_desk(copied(kept_runs, tmp_path / "runs")) as desk:
        yield desk
