"""The files that a run over lessons leaves behind, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.kinds import ExportRow, UnitStory


def judgement_row(story: UnitStory) -> Mapping[str, Any] | None:
    """What the judges and the rules say of a unit as it stands."""
    if not story.attempts:
        return None
    best = story.attempts[max(story.row.best_attempt, 1) - 1]
    return {
        "unit": story.row.id,
        "state": story.row.state,
        "reason": story.row.reason,
        "attempt": best.number,
        "scores": dict(best.scores),
        "findings": list(best.findings),
    }


def refinement_row(story: UnitStory) -> Mapping[str, Any] | None:
    """Every repair that was tried on a unit, whether it stands or not."""
    tried = [attempt for attempt in story.attempts if attempt.edits]
    if not tried:
        return None
    return {
        "unit": story.row.id,
        "repairs": [
            {
                "attempt": attempt.number,
                "cause": attempt.cause,
                "stands": attempt.number <= story.row.best_attempt and attempt.failure is None,
                "failure": attempt.failure,
                "edits": list(attempt.edits),
                "receipt": attempt.receipt,
                "tokens": attempt.usage.total_tokens,
            }
            for attempt in tried
        ],
    }


EXPORTS: Mapping[str, ExportRow] = {"judgements.jsonl": judgement_row, "refinements.jsonl": refinement_row}
