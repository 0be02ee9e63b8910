"""A SEED that gets other sentences: its attempts stay, its LEGOs are not verbatim any more, and what was is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.kinds.legos.importing import Pair
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.records import instant

REPLACED = "replaced"
"""The field of a translation with the sentences that it had before, oldest first."""
_OF_THE_OLD = ("best_attempt_number", "uncovered", "human_review")
"""Fields about a cut of the old sentences: they move there with them."""


def replaced(
    record: Mapping[str, Any], pair: Pair, legos: Sequence[Mapping[str, Any]], replaced_at: str
) -> dict[str, Any]:
    """The record with new sentences, waiting to be cut. The LEGOs of the old ones are told in it, and have to go.

    InputError where the record is an old one that cannot be migrated.
    """
    current = migrated(record, len(legos))
    before = {
        "source": current["source"],
        "target": current["target"],
        "replaced_at": replaced_at,
        "legos": [{"source": lego.get("source"), "target": lego.get("target")} for lego in legos],
        **{name: current[name] for name in _OF_THE_OLD if name in current},
    }
    known = current.get(REPLACED)
    return {
        **{name: value for name, value in current.items() if name not in _OF_THE_OLD},
        "source": pair.source,
        "target": pair.target,
        "quality_status": "pending_review",
        "flagged_for_review": False,
        "human_review_requested": False,
        REPLACED: [*(known if isinstance(known, list) else ()), before],
    }


def attempts_on(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attempts on the sentences that a valid record has now: those on sentences that were replaced are left out."""
    known = record.get(REPLACED)
    last = known[-1] if isinstance(known, list) and known else None
    at = last.get("replaced_at") if isinstance(last, Mapping) else None
    since = instant(at) if isinstance(at, str) else None
    attempts: list[Mapping[str, Any]] = list(record["lego_extraction_attempts"])
    if since is None:
        return attempts
    moments = (instant(one["timestamp"]) for one in attempts)
    return [one for one, moment in zip(attempts, moments, strict=True) if moment is not None and moment > since]
