"""All golden runs by name."""

from __future__ import annotations

from collections.abc import Callable

from tests.golden.runs import legos, lessons, manuscripts, questions
from tests.golden.runs.bench import Bench

Case = Callable[[Bench], None]

CASES: dict[str, Case] = {
    f"{kind.__name__.rpartition('.')[2]}_{name}": case
    for kind in (questions, lessons, manuscripts, legos)
    for name, case in kind.CASES.items()
}
