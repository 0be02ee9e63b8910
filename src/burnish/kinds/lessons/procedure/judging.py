"""Stage 2: the panel. Judges read unit by unit and once the outline; a text that was judged is never judged again."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.core.effects import Effect, Keep, ModelRequest, tell
from burnish.core.hashing import text_digest
from burnish.core.replies import JudgeReply
from burnish.core.requests import Answer
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.refinement.arbiter import whole_text
from burnish.kinds.lessons.refinement.types import LESSON, JudgeAggregatedResult
from burnish.kinds.lessons.refinement.verdicts import (
    Abstention,
    Ballot,
    PanelFailed,
    SectionJudgement,
    combine,
    judgement,
    third_judge_reason,
    unit_score,
    verified,
    vote,
)
from burnish.kinds.lessons.requests import bones, judge_outline_ask, judge_section_ask

WINDOW = 6_000
"""Characters that a judge reads at once, roughly."""

FEWEST = 2
"""Judges without whom nothing is accepted."""
MORE_ROOM = 500
"""Tokens that a judge gets on top when its answer could not be read."""

Seen = tuple[str, str, str]
"""Judge, unit, hash of the text."""


@dataclass(frozen=True, slots=True)
class Part:
    """One question to one judge: about the outline, a unit, or a window of a long one."""

    request: ModelRequest
    unit: LessonUnit | None
    """None: the outline."""
    words: int
    """Words of prose that are shown."""
    window: int = 0
    windows: int = 1
    with_passages: bool = False

    @property
    def judge(self) -> str:
        return self.request.model

    @property
    def id(self) -> str:
        return self.unit.id if self.unit else LESSON

    def heard(self, answer: Answer, reply: JudgeReply) -> SectionJudgement:
        return judgement(
            reply,
            judge=self.judge,
            unit=self.id,
            words=self.words,
            tokens=answer.usage.total_tokens,
            ms=round(answer.seconds * 1000),
            window=self.window,
            windows=self.windows,
            with_passages=self.with_passages,
        )


def windows_of(text: str, size: int = WINDOW) -> list[str]:
    """A text in windows that end where paragraphs do; one paragraph that is longer is cut at a space."""
    found: list[str] = []
    start = 0
    while len(text) - start > size * 1.25:
        cut = text.rfind("\n\n", start + size // 2, start + size)
        if cut < 0:
            cut = text.rfind(" ", start + size // 2, start + size)
        end = cut if cut > 0 else start + size
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def outline_hash(lesson: Lesson) -> str:
    """Changes with titles and headings, not with every word: a small edit is no reason to pay for the whole.

    A repair that was about the whole (structure, completeness) has the outline judged again whatever its hash.
    """
    return text_digest(bones(lesson))


def convene(desk: Desk) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """The first judging: two judges at once, a third where they fail, doubt or disagree."""
    judges = desk.seats.judges
    yield from hear(desk, judges[:2], counted=False, is_optional=len(judges) > FEWEST)
    ballots = _ballots(desk, judges[:2])
    if len(judges) > 2 and (reason := third_judge_reason(ballots[0], ballots[1])) is not None:
        yield from tell("third_judge_asked", judge=judges[2], reason=reason)
        yield from hear(desk, judges[2:3], counted=False)
        ballots += _ballots(desk, judges[2:3])
    _refuse_too_few(desk, judges[:3])
    return vote(ballots)


def _refuse_too_few(desk: Desk, sitting: Sequence[str]) -> None:
    """Where too few judges are left because one is away, nobody else decides in its place: the lesson waits for it."""
    if desk.away and sum(judge not in desk.silent for judge in sitting) < FEWEST:
        raise next(iter(desk.away.values())).as_outage()


def judge_again(desk: Desk, *, outline: bool) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """Judge what changed; everything else keeps its recorded judgement. `outline`: the whole may have changed too."""
    sitting = [judge for judge in desk.seats.judges if judge not in desk.silent and _sat(desk, judge)]
    if outline:
        for judge in sitting:
            desk.judgements.pop((judge, LESSON, outline_hash(desk.lesson)), None)
    yield from hear(desk, sitting, counted=True, is_optional=bool(_free(desk)) or len(sitting) > FEWEST)
    if sum(judge not in desk.silent for judge in sitting) < FEWEST:
        sitting += yield from _substitute(desk)
    _refuse_too_few(desk, sitting)
    return vote(_ballots(desk, sitting))


def _substitute(desk: Desk) -> Generator[Effect, Any, list[str]]:
    """The third judge in the seat of one that failed, if it has not sat yet."""
    free = _free(desk)[:1]
    for judge in free:
        yield from tell("third_judge_asked", judge=judge, reason="seat_failed")
        yield from hear(desk, [judge], counted=True)
    return free


def _free(desk: Desk) -> list[str]:
    """Judges that were named and have not sat yet."""
    return [judge for judge in desk.seats.judges[:3] if judge not in desk.silent and not _sat(desk, judge)]


def _sat(desk: Desk, judge: str) -> bool:
    return any(seen[0] == judge for seen in desk.judgements)


def hear(
    desk: Desk, judges: Sequence[str], *, counted: bool, is_optional: bool = False
) -> Generator[Effect, Any, None]:
    """Ask every judge about every text that it has not seen. `is_optional`: another can take the place of one."""
    wanted = [(judge, unit) for judge in judges for unit in _unseen(desk, judge)]
    parts = [part for judge, unit in wanted for part in _parts(desk, judge, unit)]
    requests = (replace(part.request, is_optional=is_optional) for part in parts)
    heard = yield from desk.ask(requests, counted=counted)
    answers = [_complete(part, answer) for part, answer in zip(parts, heard, strict=True)]
    again = _misheard(answers)
    more = yield from desk.ask((_roomier(parts[place].request) for place in again), counted=counted)
    for place, answer in zip(again, more, strict=True):
        answers[place] = _complete(parts[place], answer)
    yield from _file(desk, parts, answers)


def _complete(part: Part, answer: Answer) -> Answer:
    """The answer; one that leaves out a score is as useless as one that cannot be read, for nothing is filled in."""
    if not isinstance(answer.reply, JudgeReply):
        return answer
    missing = part.heard(answer, answer.reply).unscored
    if not missing:
        return answer
    failure = f"reply_unreadable: no score for {', '.join(missing)} in {part.id}"
    return replace(answer, reply=None, failure=failure)


def _misheard(answers: Sequence[Answer]) -> list[int]:
    """Answers that could not be read, of judges that can be read elsewhere: a slip costs no judge its seat."""
    readable = {answer.model for answer in answers if answer.reply is not None}
    return [
        place
        for place, answer in enumerate(answers)
        if answer.model in readable and (answer.failure or "").startswith("reply_unreadable")
    ]


def _roomier(request: ModelRequest) -> ModelRequest:
    return replace(request, ask=replace(request.ask, max_tokens=request.ask.max_tokens + MORE_ROOM))


def _unseen(desk: Desk, judge: str) -> list[LessonUnit | None]:
    """Units of which this judge has not seen the present text; None is the outline."""
    units: list[LessonUnit | None] = [
        unit for unit in desk.lesson.units if (judge, unit.id, unit.content_hash) not in desk.judgements
    ]
    outline = (judge, LESSON, outline_hash(desk.lesson))
    return units if outline in desk.judgements else [None, *units]


def _parts(desk: Desk, judge: str, unit: LessonUnit | None) -> list[Part]:
    """What a judge is asked about one unit: each of its windows, or the outline."""
    if unit is None:
        ask = judge_outline_ask(desk.lesson, desk.context, desk.flags.get(LESSON, ()))
        return [Part(ModelRequest(ask, judge), None, desk.lesson.words)]
    texts = windows_of(unit.text) if set(unit.fields) <= {"title", None} else [unit.text]
    flags = desk.flags.get(unit.id, [])
    found = []
    for number, text in enumerate(texts):
        window, passages = (number + 1, len(texts), text), desk.passages(text)
        ask = judge_section_ask(unit, window, desk.lesson, desk.context, flags, passages)
        words = unit.words if len(texts) == 1 else unit.with_text(None, text).words
        found.append(Part(ModelRequest(ask, judge), unit, words, number, len(texts), bool(passages)))
    return found


def _file(desk: Desk, parts: Sequence[Part], answers: Sequence[Answer]) -> Generator[Effect, Any, None]:
    """Keep what was said, without the issues that do not hold; who said nothing usable is silent from now on."""
    said: dict[Seen, list[SectionJudgement]] = {}
    for part, answer in zip(parts, answers, strict=True):
        judge, unit = part.judge, part.unit
        if not isinstance(answer.reply, JudgeReply):
            desk.silent.setdefault(judge, answer.failure or "no answer")
            if answer.away:
                desk.away.setdefault(judge, answer)
            continue
        texts = [whole_text(unit)] if unit else [whole_text(one) for one in desk.lesson.units]
        kept, dropped = verified(
            part.heard(answer, answer.reply), [*texts, *([unit.title] if unit and unit.title else [])]
        )
        for drop in dropped:
            yield from tell(
                "finding_dropped",
                None if unit is None else unit.id,
                reason=drop.reason,
                source=f"model:{judge}",
                issue=drop.issue.as_wire(),
            )
        key = (judge, unit.id, unit.content_hash) if unit else (judge, LESSON, outline_hash(desk.lesson))
        said.setdefault(key, []).append(kept)
    desk.judgements.update({seen: tuple(heard) for seen, heard in said.items()})
    for judge, reason in desk.silent.items():
        if any(part.judge == judge for part in parts):
            yield from tell("model_degraded", silent=[f"{judge}: {reason}"])


def current(desk: Desk, judge: str) -> list[SectionJudgement]:
    """What a judge says of the lesson as it is now."""
    return said_of(desk, desk.lesson, judge)


def said_of(desk: Desk, lesson: Lesson, judge: str) -> list[SectionJudgement]:
    """What a judge said of a version of the lesson, and of its outline."""
    seen = [(judge, unit.id, unit.content_hash) for unit in lesson.units]
    seen.append((judge, LESSON, outline_hash(lesson)))
    return [one for text in seen for one in desk.judgements.get(text, ())]


def section_scores(desk: Desk, units: Iterable[LessonUnit]) -> dict[str, float]:
    """What the judges think of each of the units, in one number."""
    said = [one for judge in desk.seats.judges for one in current(desk, judge)]
    scores = {unit.id: unit_score(said, unit.id) for unit in units}
    return {id: score for id, score in scores.items() if score is not None}


def record_judged(desk: Desk, panel: JudgeAggregatedResult) -> Generator[Effect, Any, None]:
    """Write down what the judges say of every text that has no attempt with scores yet."""
    for unit in desk.lesson.units:
        scores = desk.scores(unit)
        if unit.id in desk.settled or desk.recorded.get(unit.id) == unit.content_hash:
            continue
        desk.recorded[unit.id] = unit.content_hash
        findings = (*desk.findings(unit), *desk.issues_as_findings(unit, panel))
        first = unit.id not in desk.standing
        attempt = Keep(
            unit=unit,
            cause=desk.first_cause if first else "review",
            scores=scores,
            findings=findings,
            passed=not any(finding.blocks for finding in findings),
        )
        yield from desk.keep(attempt, stands=True)


def _ballots(desk: Desk, judges: Sequence[str]) -> list[Ballot]:
    units = [unit.id for unit in desk.lesson.units]
    return [
        Abstention(judge, desk.silent[judge])
        if judge in desk.silent
        else combine(current(desk, judge), units, judge=judge, with_sources=desk.with_sources)
        for judge in judges
    ]
