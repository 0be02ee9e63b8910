"""Links as they are written down: `0-0 1-2`."""

from __future__ import annotations

from burnish.core.errors import InputError
from burnish.kinds.legos.aligning.linking import Links


def as_record(links: Links) -> str:
    """`((0, 0), (1, 2))` -> `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in links)


def from_record(record: str) -> Links:
    """`0-0 1-2` -> `((0, 0), (1, 2))`; in any order, sorted."""
    return tuple(sorted(_link(part) for part in record.split()))


def _link(part: str) -> tuple[int, int]:
    source, _, target = part.partition("-")
    if not (source.isascii() and source.isdecimal() and target.isascii() and target.isdecimal()):
        raise InputError(
            f"'{part[:40]}' is no link between two words.", hint="Links are written as 0-0 1-2, counted from 0."
        )
    return int(source), int(target)
