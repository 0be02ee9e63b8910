"""The files that a run over lessons leaves behind, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.core.attempts import rolled_back, standing_edits
from burnish.core.presentation import Display, ExportRow, UnitStory
from burnish.core.records import EventRecord
from burnish.kinds.lessons.refinement.display import inspector_extension, voting_results


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
    best = story.row.best_attempt
    standing, gone = standing_edits(story.attempts, best), rolled_back(story.attempts, best)
    return {
        "unit": story.row.id,
        "repairs": [
            {
                "attempt": attempt.number,
                "cause": attempt.cause,
                "stands": attempt.number in standing,
                "rolled_back": attempt.number in gone,
                "failure": attempt.failure,
                "edits": list(attempt.edits),
                "receipt": attempt.receipt,
                "tokens": attempt.usage.total_tokens,
            }
            for attempt in tried
        ],
    }


def refinement_display(events: Sequence[EventRecord]) -> dict[str, Any]:
    """What the inspector of a lesson shows of its refinement."""
    return inspector_extension(events).as_wire()


def panel_votes(events: Sequence[EventRecord]) -> list[dict[str, Any]]:
    """Every vote of the panel: the first judging, then each time that it judged again."""
    return [result.as_wire() for result in voting_results(events)]


DISPLAYS: Mapping[str, Display] = {"refinement_display.json": refinement_display, "panel_votes.json": panel_votes}
"""For each lesson, by the document's name."""

EXPORTS: Mapping[str, ExportRow] = {"judgements.jsonl": judgement_row, "refinements.jsonl": refinement_row}
