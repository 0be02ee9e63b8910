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


def awaits_cutting(record: Mapping[str, Any]) -> bool:
    """Whether its sentences were replaced behind its last attempt, so that nothing was cut from them yet."""
    known = record.get(REPLACED)
    last = known[-1] if isinstance(known, list) and known else None
    at = last.get("replaced_at") if isinstance(last, Mapping) else None
    moment = instant(at) if isinstance(at, str) else None
    attempts = record["lego_extraction_attempts"]
    tried = instant(attempts[-1]["timestamp"]) if attempts else None
    return moment is not None and (tried is None or tried < moment)
