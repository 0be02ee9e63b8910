"""Stage 2, the panel: judges read unit by unit and once the outline; no text is judged twice."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.core.effects import Effect, Keep, ModelRequest, tell
from burnish.core.hashing import text_digest
from burnish.core.replies import JudgeReply
from burnish.core.requests import Answer
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.progress import LessonProgress
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

MIN_JUDGES = 2
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


def judge_lesson(progress: LessonProgress) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """The first judging: two judges at once, a third where they fail, doubt or disagree."""
    judges = progress.roles.judges
    yield from ask_judges(progress, judges[:2], counted=False, is_optional=len(judges) > MIN_JUDGES)
    ballots = _ballots(progress, judges[:2])
    if len(judges) > 2 and (reason := third_judge_reason(ballots[0], ballots[1])) is not None:
        yield from tell("third_judge_asked", judge=judges[2], reason=reason)
        yield from ask_judges(progress, judges[2:3], counted=False)
        ballots += _ballots(progress, judges[2:3])
    _refuse_too_few(progress, judges[:3])
    return vote(ballots)


def _refuse_too_few(progress: LessonProgress, sitting: Sequence[str]) -> None:
    """Where too few judges are left because one is away, nobody else decides in its place: the lesson waits for it."""
    if progress.away and sum(judge not in progress.silent for judge in sitting) < MIN_JUDGES:
        raise next(iter(progress.away.values())).as_outage()


def judge_again(
    progress: LessonProgress, *, outline: bool
) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """Judge what changed; everything else keeps its recorded judgement. `outline`: the whole may have changed too."""
    sitting = [
        judge for judge in progress.roles.judges if judge not in progress.silent and _has_judged(progress, judge)
    ]
    if outline:
        for judge in sitting:
            progress.judgements.pop((judge, LESSON, outline_hash(progress.lesson)), None)
    yield from ask_judges(
        progress, sitting, counted=True, is_optional=bool(_unused_judges(progress)) or len(sitting) > MIN_JUDGES
    )
    if sum(judge not in progress.silent for judge in sitting) < MIN_JUDGES:
        sitting += yield from _substitute(progress)
    _refuse_too_few(progress, sitting)
    return vote(_ballots(progress, sitting))


def _substitute(progress: LessonProgress) -> Generator[Effect, Any, list[str]]:
    """The third judge in the seat of one that failed, if it has not sat yet."""
    free = _unused_judges(progress)[:1]
    for judge in free:
        yield from tell("third_judge_asked", judge=judge, reason="seat_failed")
        yield from ask_judges(progress, [judge], counted=True)
    return free


def _unused_judges(progress: LessonProgress) -> list[str]:
    """Judges that were named and have not sat yet."""
    return [
        judge
        for judge in progress.roles.judges[:3]
        if judge not in progress.silent and not _has_judged(progress, judge)
    ]


def _has_judged(progress: LessonProgress, judge: str) -> bool:
    return any(seen[0] == judge for seen in progress.judgements)


def ask_judges(
    progress: LessonProgress, judges: Sequence[str], *, counted: bool, is_optional: bool = False
) -> Generator[Effect, Any, None]:
    """Request every judge about every text that it has not seen. `is_optional`: another can take the place of one."""
    wanted = [(judge, unit) for judge in judges for unit in _unseen(progress, judge)]
    parts = [part for judge, unit in wanted for part in _parts(progress, judge, unit)]
    requests = (replace(part.request, is_optional=is_optional) for part in parts)
    heard = yield from progress.ask(requests, counted=counted)
    answers = [_complete(part, answer) for part, answer in zip(parts, heard, strict=True)]
    again = _misheard(answers)
    more = yield from progress.ask((_roomier(parts[place].request) for place in again), counted=counted)
    for place, answer in zip(again, more, strict=True):
        answers[place] = _complete(parts[place], answer)
    yield from _record_replies(progress, parts, answers)


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


def _unseen(progress: LessonProgress, judge: str) -> list[LessonUnit | None]:
    """Units of which this judge has not seen the present text; None is the outline."""
    units: list[LessonUnit | None] = [
        unit for unit in progress.lesson.units if (judge, unit.id, unit.content_hash) not in progress.judgements
    ]
    outline = (judge, LESSON, outline_hash(progress.lesson))
    return units if outline in progress.judgements else [None, *units]


def _parts(progress: LessonProgress, judge: str, unit: LessonUnit | None) -> list[Part]:
    """What a judge is asked about one unit: each of its windows, or the outline."""
    if unit is None:
        ask = judge_outline_ask(progress.lesson, progress.context, progress.flags.get(LESSON, ()))
        return [Part(ModelRequest(ask, judge), None, progress.lesson.words)]
    texts = windows_of(unit.text) if unit.is_plain else [unit.text]
    flags = progress.flags.get(unit.id, [])
    found = []
    for number, text in enumerate(texts):
        window, passages = (number + 1, len(texts), text), progress.passages(text)
        ask = judge_section_ask(unit, window, progress.lesson, progress.context, flags, passages)
        words = unit.words if len(texts) == 1 else unit.with_text(None, text).words
        found.append(Part(ModelRequest(ask, judge), unit, words, number, len(texts), bool(passages)))
    return found


def _record_replies(
    progress: LessonProgress, parts: Sequence[Part], answers: Sequence[Answer]
) -> Generator[Effect, Any, None]:
    """Keep what was said, without the issues that do not hold; who said nothing usable is silent from now on."""
    said: dict[Seen, list[SectionJudgement]] = {}
    for part, answer in zip(parts, answers, strict=True):
        judge, unit = part.judge, part.unit
        if not isinstance(answer.reply, JudgeReply):
            progress.silent.setdefault(judge, answer.failure or "no answer")
            if answer.away:
                progress.away.setdefault(judge, answer)
            continue
        texts = [unit.body] if unit else [one.body for one in progress.lesson.units]
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
        key = (judge, unit.id, unit.content_hash) if unit else (judge, LESSON, outline_hash(progress.lesson))
        said.setdefault(key, []).append(kept)
    progress.judgements.update({seen: tuple(heard) for seen, heard in said.items()})
    for judge, reason in progress.silent.items():
        if any(part.judge == judge for part in parts):
            yield from tell("model_degraded", silent=[f"{judge}: {reason}"])


def current_judgements(progress: LessonProgress, judge: str) -> list[SectionJudgement]:
    """What a judge says of the lesson as it is now."""
    return judgements_of(progress, progress.lesson, judge)


def judgements_of(progress: LessonProgress, lesson: Lesson, judge: str) -> list[SectionJudgement]:
    """What a judge said of a version of the lesson, and of its outline."""
    seen = [(judge, unit.id, unit.content_hash) for unit in lesson.units]
    seen.append((judge, LESSON, outline_hash(lesson)))
    return [one for text in seen for one in progress.judgements.get(text, ())]


def section_scores(progress: LessonProgress, units: Iterable[LessonUnit]) -> dict[str, float]:
    """What the judges think of each of the units, in one number."""
    said = [one for judge in progress.roles.judges for one in current_judgements(progress, judge)]
    scores = {unit.id: unit_score(said, unit.id) for unit in units}
    return {id: score for id, score in scores.items() if score is not None}


def record_judged(progress: LessonProgress, panel: JudgeAggregatedResult) -> Generator[Effect, Any, None]:
    """Write down what the judges say of every text that has no attempt with scores yet."""
    for unit in progress.lesson.units:
        scores = progress.scores(unit)
        if unit.id in progress.settled or progress.recorded.get(unit.id) == unit.content_hash:
            continue
        progress.recorded[unit.id] = unit.content_hash
        findings = (*progress.findings(unit), *progress.issues_as_findings(unit, panel))
        first = unit.id not in progress.kept
        attempt = Keep(
            unit=unit,
            cause=progress.first_cause if first else "review",
            scores=scores,
            findings=findings,
            passed=not any(finding.blocks for finding in findings),
        )
        yield from progress.keep(attempt, stands=True)


def _ballots(progress: LessonProgress, judges: Sequence[str]) -> list[Ballot]:
    units = [unit.id for unit in progress.lesson.units]
    return [
        Abstention(judge, progress.silent[judge])
        if judge in progress.silent
        else combine(current_judgements(progress, judge), units, judge=judge, with_sources=progress.with_sources)
        for judge in judges
    ]
