"""What the tests of the kinds' views look at: a test module makes `runs`, these open them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from burnish.surfaces.catalogue import Catalogues


@pytest.fixture(scope="module")
def catalogues(runs: Path) -> Iterator[Catalogues]:
    with closing(Catalogues(runs)) as opened:
        yield opened
