"""What tests of the doors share."""

import os
from pathlib import Path

import pytest

from tests.app.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    """A folder to sit in, without the settings of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("BURNISH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, capsys)
