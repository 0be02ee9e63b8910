"""SEEDs that a run did not write into their course, because somebody else had changed their records meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from burnish.core.events import event
from burnish.store.journal import Journal

LEFT_ALONE = "left_alone"
"""Where the journal keeps those of the last delivery, and why."""


def left_alone(journal: Journal) -> dict[str, str]:
    """SEED -> why the last delivery did not write it."""
    return dict(orjson.loads(journal.get_meta(LEFT_ALONE) or "{}"))


def leave_alone(journal: Journal, left: Mapping[str, str]) -> None:
    """Write down which ones; each is told once in the history of the run, however often it is delivered."""
    for seed, why in left.items():
        journal.write_now(event("course_changed", seed, dedupe=f"course_changed:{seed}", data={"message": why}))
    journal.set_meta(LEFT_ALONE, orjson.dumps(left).decode())
