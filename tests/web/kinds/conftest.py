"""What the tests of the kinds' views look at: a test module makes `runs` or `bench`, these open them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from burnish.app.run_index import RunIndex
from tests.workbench import Workbench


@pytest.fixture(scope="module")
def index(runs: Path) -> Iterator[RunIndex]:
    with closing(RunIndex(runs)) as opened:
        yield opened


@pytest.fixture(scope="module")
def robin(bench: Workbench) -> Iterator[httpx2.Client]:
    with closing(bench.browser("Robin Ito")) as browser:
        yield browser
