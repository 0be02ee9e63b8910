"""Three people who decide in one queue at the same time, without a pause: how often two want the same unit."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.lines import Line, below
from tests.web.test_people import deciding_together

TITLE = "three people in one queue"
MOST_CONFLICTS = 2.0
"""Per cent of all decisions."""


def run(full: bool) -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place:
        made, signed = deciding_together(Path(place))
    decided, conflicts = (sum(one[at] for one in made) for at in (0, 1))
    share = 100 * conflicts / (decided + conflicts)
    each = ", ".join(str(one) for one, _ in made)
    return [
        below(f"{decided} decisions, of which met a conflict", share, "%", MOST_CONFLICTS),
        Line("  decisions of each", float(min(one for one, _ in made)), "at least", each),
        Line("  signed with their tokens", float(len(signed)), "decisions"),
    ]
