"""Writing units again from the specification and the source, where there is a generator: at most twice."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from burnish.core.edits import receipt
from burnish.core.effects import Effect, Keep, ModelRequest, tell
from burnish.core.replies import SectionReply
from burnish.core.requests import Answer
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.admitting import inadmissible
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.excerpts import is_plain
from burnish.kinds.lessons.procedure.writing import text_refusal
from burnish.kinds.lessons.requests import generate_ask

WORDS = 250
"""What a part is asked to have where nothing tells its size."""
MOST_WORDS = 1_500
ROOM, MORE_ROOM = 3_000, 6_000
"""Tokens for one part, and for one that was cut off before; twice as many the second time."""


def write_again(
    desk: Desk, wrong: Mapping[str, Sequence[str]], *, truncated: frozenset[str] = frozenset(), attempt: int
) -> Generator[Effect, Any, list[str]]:
    """Have these units written anew, each with what was wrong with it. The ids of those that were."""
    model = desk.seats.of("generator")
    assert model is not None, "somebody has to write"
    units = [desk.lesson.unit(id) for id in wrong if id in desk.lesson and is_plain(desk.lesson.unit(id))]
    asks = [
        generate_ask(
            unit,
            desk.lesson,
            desk.context,
            wrong[unit.id],
            desk.passages(f"{unit.title or ''} {unit.text}"),
            words=_words(desk, unit),
            room=attempt * (MORE_ROOM if unit.id in truncated else ROOM),
        )
        for unit in units
    ]
    # Writing again is no repair: it has no share in the repairs' budget.
    answers = yield from desk.ask((ModelRequest(ask, model) for ask in asks), counted=False)
    written = []
    for unit, answer in zip(units, answers, strict=True):
        new = yield from _take(desk, unit, answer, wrong[unit.id], attempt)
        if new is not None:
            written.append(unit.id)
    return written


def _words(desk: Desk, unit: LessonUnit) -> int:
    """About as many as the other parts have: a part that was cut off says little about its size."""
    sizes = sorted(other.words for other in desk.lesson.units if is_plain(other) and other.words)
    usual = sizes[len(sizes) // 2] if sizes else WORDS
    return min(MOST_WORDS, max(unit.words, usual, 80))


def _take(
    desk: Desk, unit: LessonUnit, answer: Answer, wrong: Sequence[str], attempt: int
) -> Generator[Effect, Any, LessonUnit | None]:
    """The unit as it was written anew; the old text is kept as the attempt before it."""
    reply = answer.reply
    failure = answer.failure
    if isinstance(reply, SectionReply):
        failure = text_refusal(unit, reply, desk.findings(unit)) or inadmissible(
            unit, unit.with_text(None, reply.text), desk.lesson, desk.context.passages
        )
    if failure is not None or not isinstance(reply, SectionReply):
        yield from tell("unit_not_written", unit.id, reason=failure or "no answer", attempt=attempt)
        return None
    new = unit.with_text(None, reply.text)
    desk.lesson = desk.lesson.with_unit(new)
    yield from desk.keep(
        Keep(
            unit=new,
            cause="model",
            findings=desk.findings(new),
            edits=({"unit": unit.id, "field": None, "find": unit.text, "replace": reply.text},),
            receipt={**receipt(unit, new, ()).as_record(), "action": "FULL_REGENERATE", "wrong": list(wrong)},
            usage=answer.usage,
            calls=answer.calls,
        ),
        stands=True,
    )
    yield from tell("unit_written", unit.id, attempt=attempt, tokensUsed=answer.usage.total_tokens)
    return new
