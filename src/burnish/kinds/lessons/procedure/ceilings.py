"""How much the repairs of one lesson can ask for at most, before anything is known about it."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.core.effects import ModelRoles
from burnish.core.kinds import RepairLimits
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.judging import windows_of
from burnish.kinds.lessons.procedure.whole import MOST_REWRITES
from burnish.kinds.lessons.procedure.writing import TRIES
from burnish.kinds.lessons.refinement.config import RefinementLimits
from burnish.kinds.lessons.refinement.router import estimated_tokens


def repair_limits(units: Sequence[LessonUnit], seats: ModelRoles, limits: RefinementLimits) -> RepairLimits:
    """A lesson that is written again is refined again."""
    times = 1 if seats.of("generator") is None else 1 + MOST_REWRITES
    tokens = limits.max_total_tokens
    return RepairLimits(times * _most_calls(units, seats, limits), times * tokens, tokens)


def _most_calls(units: Sequence[LessonUnit], seats: ModelRoles, limits: RefinementLimits) -> int:
    """Every task fails as often as it may, every judge is misheard once, and every delta judge but the last is mute."""
    tasks = min(len(units) + 1, max(1, limits.max_total_tokens // estimated_tokens("SURGICAL_EDIT")))
    in_groups = tasks // 2
    written = in_groups + TRIES * tasks
    compared = in_groups + tasks
    seams = tasks
    parts = 1 + sum(len(windows_of(unit.text)) for unit in units)
    judged = 2 * len(seats.judges) * (parts + 1)  # the outline once more, where something was rolled back
    others = len(seats.judges) - (seats.of("reviewer") is None)
    return limits.max_iterations * (written + compared + seams + judged) + others * compared
