"""Stage 2, the panel: each judge reads the lesson as a whole, then in windows; no text is judged twice.

The whole comes first, so that a judge with unreadable answers is found by one call. An answer that cannot be read,
lacks a score, or quotes words that are not in the text is requested once more; then the judge abstains, an objective
without a valid quote counts as not treated, and a serious issue without a place is left to a person.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.core.effects import Answer, Effect, Keep, ModelRequest, Request, note
from burnish.core.findings import Finding, Severity
from burnish.core.replies import JudgeIssuePart, JudgeReply, LessonJudgeReply, ObjectivePart
from burnish.kinds.lessons.arbiter import targeted_issues
from burnish.kinds.lessons.findings import Piece, group_units, outline_with_seams, parts, whole_key, windows
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.progress import LessonProgress, content_sections
from burnish.kinds.lessons.refinement import (
    LESSON,
    IssueSeverity,
    JudgeAggregatedResult,
    JudgeCriterion,
    TargetedIssue,
)
from burnish.kinds.lessons.requests import judge_whole_ask, judge_window_ask, titled
from burnish.kinds.lessons.verdicts import (
    OF_EVERY_TEXT,
    OF_FACTS,
    OF_WHOLE,
    Abstention,
    Ballot,
    Covered,
    PanelFailed,
    SectionJudgement,
    asked_scores,
    combine,
    is_misquoted,
    judge_issue,
    third_judge_reason,
    unit_score,
    unit_scores,
    verified,
    vote,
)
from burnish.text.quotes import holds

MIN_JUDGES = 2
"""The fewest judges for acceptance."""
CONTEXT = 32_000
"""The context length, in tokens, of models for which it is not known."""
CHARACTERS_PER_TOKEN = 3
MORE_ROOM = 500
"""Additional tokens for a judge whose answer could not be used."""
AGAIN = " (Your last answer could not be used: {}.)"
STRUCTURE: tuple[JudgeCriterion, ...] = ("pedagogical_structure",)


@dataclass(frozen=True, slots=True)
class Reading:
    """One question to one judge: about a window, or about the whole or a part of it."""

    judge: str
    key: str
    """Of the judged text."""
    ask: Request
    pieces: tuple[Piece, ...] = ()
    """The units of a window; empty for the whole."""
    shown: tuple[LessonUnit, ...] = ()
    """The units that can be quoted."""
    objectives: tuple[str, ...] = ()
    words: int = 0
    part: int = 0
    of: int = 1
    """The number of parts of the whole."""

    @property
    def texts(self) -> list[str]:
        return [text for unit in self.shown for text in (unit.body, unit.title) if text]

    def judgements(self, answer: Answer) -> list[SectionJudgement]:
        """The reply's judgements of each unit, or of the whole. The cost is attached to the first."""
        reply = answer.reply
        asked: tuple[JudgeCriterion, ...] = tuple(self.ask.scores or ())  # type: ignore[arg-type]
        cost = {"tokens": answer.usage.total_tokens, "ms": round(answer.seconds * 1000)}
        if isinstance(reply, LessonJudgeReply):
            whole = SectionJudgement(
                judge=self.judge,
                unit=LESSON,
                criteria=asked_scores(reply.criteria, asked),
                asked=asked,
                confidence=reply.confidence,
                issues=tuple(judge_issue(part, self._unit_of(part)) for part in reply.issues),
                strengths=reply.strengths,
                words=self.words,
                window=self.part,
                windows=self.of,
                objectives=dict(self._coverage(reply.objectives)),
                **cost,
            )
            return [whole]
        assert isinstance(reply, JudgeReply), "only what was answered is kept"
        found: list[SectionJudgement] = []
        for piece in self.pieces:
            scores = [part.criteria for part in reply.units if part.unit == piece.unit.id or len(self.pieces) == 1]
            issues = (part for part in reply.issues if self._unit_of(part) == piece.unit.id)
            found.append(
                SectionJudgement(
                    judge=self.judge,
                    unit=piece.unit.id,
                    criteria=asked_scores(scores[0], asked) if scores else {},
                    asked=asked,
                    issues=tuple(judge_issue(part, piece.unit.id) for part in issues),
                    words=piece.words,
                    window=piece.number,
                    windows=piece.of,
                    **({} if found else cost),
                )
            )
        return found

    def _unit_of(self, part: JudgeIssuePart) -> str:
        """The unit of an issue: the one that it names, or else the one that it quotes."""
        ids = [unit.id for unit in self.shown]
        if part.unit in ids:
            return part.unit
        quoted = (unit.id for unit in self.shown if part.quotedText and holds(unit.body, part.quotedText))
        return next(quoted, ids[0] if self.pieces else LESSON)

    def _coverage(self, said: Sequence[ObjectivePart]) -> Iterator[tuple[str, Covered]]:
        """The coverage of each objective; without a quote found in the text it is not treated."""
        by_id = {part.id: part for part in said}
        for id in self.objectives:
            part = by_id.get(id)
            is_shown = part is not None and any(holds(text, part.quote or "") for text in self.texts if part.quote)
            yield id, part.covered if part is not None and is_shown else "no"

    def doubt(self, answer: Answer) -> str | None:
        """Why an answer must be requested once more; None if it can be used, or there was no answer."""
        if answer.reply is None:
            return "it could not be read" if (answer.failure or "").startswith("reply_unreadable") else None
        judged = self.judgements(answer)
        if unscored := self.unscored(answer):
            return unscored
        lost = [id for one in judged for id, covered in one.objectives.items() if covered == "no"]
        said = answer.reply.objectives if isinstance(answer.reply, LessonJudgeReply) else ()
        denied = {part.id for part in said if part.covered == "no"}
        if misquoted := [id for id in lost if id not in denied]:
            return f"no words of the lesson are quoted for {', '.join(misquoted)}"
        nowhere = [issue for one in judged for issue in one.issues if is_misquoted(issue, self.texts)]
        return "an issue quotes words that are not in the text; copy them letter for letter" if nowhere else None

    def unscored(self, answer: Answer) -> str | None:
        """The missing scores: an answer without them is not used, because no score is filled in."""
        missing = {one.unit: one.unscored for one in self.judgements(answer) if one.unscored}
        messages = (f"no score for {', '.join(names)} in {unit}" for unit, names in missing.items())
        return "; ".join(messages) or None

    def once_more(self, why: str) -> ModelRequest:
        trusted = {**self.ask.trusted, "again": AGAIN.format(why)}
        ask = replace(self.ask, trusted=trusted, max_tokens=self.ask.max_tokens + MORE_ROOM)
        return ModelRequest(ask, self.judge)


def judge_lesson(progress: LessonProgress) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """The first judging: two judges at once, a third if they fail, doubt or disagree."""
    judges = progress.roles.judges
    progress.groups = group_units(progress.lesson.units)
    yield from ask_judges(progress, judges[:2], is_optional=len(judges) > MIN_JUDGES)
    ballots = _ballots(progress, judges[:2])
    if len(judges) > 2 and (reason := third_judge_reason(ballots[0], ballots[1])) is not None:
        yield from note("third_judge_asked", judge=judges[2], reason=reason)
        yield from ask_judges(progress, judges[2:3])
        ballots += _ballots(progress, judges[2:3])
    _refuse_too_few(progress, judges[:3])
    return vote(ballots)


def _refuse_too_few(progress: LessonProgress, asked: Sequence[str]) -> None:
    """Wait if too few judges are left because one is away: no other judge decides in its place."""
    if progress.away and sum(judge not in progress.silent for judge in asked) < MIN_JUDGES:
        raise next(iter(progress.away.values())).as_outage()


def judge_again(
    progress: LessonProgress, before: Lesson, *, whole: bool
) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """Judge the windows that changed since `before`. Unless the `whole` is to be read again, its earlier judgements
    still count: it is read once more before the lesson is accepted."""
    asked = [judge for judge in progress.roles.judges if judge not in progress.silent and _has_judged(progress, judge)]
    if not whole:
        old, new = whole_key(before), whole_key(progress.lesson)
        for judge in asked:
            # A judge that replaced a failed one may know only a version of the whole that was rolled back since: it has
            # no judgement to carry over, and reads the whole now.
            if (judge, new) not in progress.judgements and (judge, old) in progress.judgements:
                progress.judgements[judge, new] = progress.judgements[judge, old]
                progress.carried.add((judge, new))
    can_spare = bool(_unused_judges(progress)) or len(asked) > MIN_JUDGES
    yield from ask_judges(progress, asked, timed=True, is_optional=can_spare)
    if sum(judge not in progress.silent for judge in asked) < MIN_JUDGES:
        # The third judge replaces one that failed, if it was not asked yet.
        for judge in _unused_judges(progress)[:1]:
            yield from note("third_judge_asked", judge=judge, reason="seat_failed")
            yield from ask_judges(progress, [judge], timed=True)
            asked.append(judge)
    _refuse_too_few(progress, asked)
    return vote(_ballots(progress, asked))


def is_carried(progress: LessonProgress) -> bool:
    """Whether a judge has not read the current lesson as a whole."""
    key = whole_key(progress.lesson)
    return any((judge, key) in progress.carried for judge in progress.roles.judges)


def confirm(progress: LessonProgress) -> Generator[Effect, Any, JudgeAggregatedResult | PanelFailed]:
    """Have the current lesson read as a whole, before it is accepted."""
    key = whole_key(progress.lesson)
    for judge in progress.roles.judges:
        if (judge, key) in progress.carried:
            progress.carried.remove((judge, key))
            del progress.judgements[judge, key]
    return (yield from judge_again(progress, progress.lesson, whole=True))


def _unused_judges(progress: LessonProgress) -> list[str]:
    """Configured judges that were not yet asked."""
    able = (judge for judge in progress.roles.judges[:3] if judge not in progress.silent)
    return [judge for judge in able if not _has_judged(progress, judge)]


def _has_judged(progress: LessonProgress, judge: str) -> bool:
    return any(seen[0] == judge for seen in progress.judgements)


def ask_judges(
    progress: LessonProgress, judges: Sequence[str], *, timed: bool = False, is_optional: bool = False
) -> Generator[Effect, Any, None]:
    """Have every judge read what it has not read: the whole, then the windows. `is_optional`: a judge can be replaced
    by another. `timed`: its time counts for the refinement."""
    for read in (_readings_of_whole, _readings_of_windows):
        readings = [one for judge in judges if judge not in progress.silent for one in read(progress, judge)]
        yield from _hear(progress, readings, timed=timed, is_optional=is_optional)


def _hear(
    progress: LessonProgress, readings: Sequence[Reading], *, timed: bool, is_optional: bool
) -> Generator[Effect, Any, None]:
    """Ask the questions, and once more those with unusable answers; then record the answers."""
    asked = (ModelRequest(one.ask, one.judge, is_optional) for one in readings)
    answers = list((yield from progress.ask(asked, counted=False, timed=timed)))
    doubts = {place: why for place, one in enumerate(readings) if (why := one.doubt(answers[place])) is not None}
    again = (readings[place].once_more(why) for place, why in doubts.items())
    more = yield from progress.ask(again, counted=False, timed=timed)
    for place, second in zip(doubts, more, strict=True):
        # The second answer counts, unless only the first can be used; an answer without its scores cannot.
        unscored = readings[place].unscored
        usable = [one for one in (second, answers[place]) if one.reply is not None and unscored(one) is None]
        if not usable and second.reply is not None:
            second = replace(second, reply=None, failure=f"reply_unreadable: {unscored(second)}")
        answers[place] = usable[0] if usable else second
    yield from _record_replies(progress, readings, answers)


def _readings_of_whole(progress: LessonProgress, judge: str) -> list[Reading]:
    """The whole in one piece if it fits, otherwise in parts that are marked as parts; then its structure is judged by
    the outline and the transitions."""
    lesson, context = progress.lesson, progress.context
    key, flags = whole_key(lesson), progress.flags.get(LESSON, [])
    if (judge, key) in progress.judgements:
        return []
    objectives = tuple(one.id for one in context.spec.learning_objectives) if context.spec else ()
    # A judge reads in one piece up to half of its model's context.
    shown = parts(lesson.units, progress.roles.contexts.get(judge, CONTEXT) * CHARACTERS_PER_TOKEN // 2)
    if len(shown) == 1:
        text = "\n\n".join(titled(unit) for unit in lesson.units)
        ask = judge_whole_ask(text, context, OF_WHOLE, flags=flags)
        return [Reading(judge, key, ask, (), lesson.units, objectives, lesson.words)]
    found = []
    for number, units in enumerate(shown):
        note = f"This is part {number + 1} of {len(shown)}: what other parts treat is not missing."
        text = "\n\n".join(titled(unit) for unit in units)
        ask = judge_whole_ask(text, context, tuple(n for n in OF_WHOLE if n not in STRUCTURE), flags=flags, part=note)
        words = sum(unit.words for unit in units)
        found.append(Reading(judge, key, ask, (), units, objectives, words, number, len(shown) + 1))
    note = "You see only its outline and how its parts meet; leave `objectives` empty."
    ask = judge_whole_ask(outline_with_seams(lesson, shown), context, STRUCTURE, part=note)
    last = Reading(judge, key, ask, (), lesson.units, (), lesson.words, len(shown), len(shown) + 1)
    return [*found, last]


def _readings_of_windows(progress: LessonProgress, judge: str) -> list[Reading]:
    readings = []
    for window in windows(progress.lesson, progress.groups):
        if (judge, window.key) in progress.judgements:
            continue
        ids = [unit.id for unit in window.units]
        passages = list(dict.fromkeys(one for piece in window.pieces for one in progress.passages(piece.text)))
        ask = judge_window_ask(
            ids,
            window.text,
            progress.lesson,
            progress.context,
            OF_FACTS if passages else OF_EVERY_TEXT,
            flags=[f"{id}: {flag}" for id in ids for flag in progress.flags.get(id, [])],
            passages=passages,
            piece=(window.pieces[0].number, window.pieces[0].of),
        )
        readings.append(Reading(judge, window.key, ask, window.pieces, window.units))
    return readings


def _record_replies(
    progress: LessonProgress, readings: Sequence[Reading], answers: Sequence[Answer]
) -> Generator[Effect, Any, None]:
    """Record the judgements, without invalid issues; a judge without a usable answer is silent from now on."""
    said: dict[tuple[str, str], list[SectionJudgement]] = {}
    for reading, answer in zip(readings, answers, strict=True):
        judge = reading.judge
        if answer.reply is None:
            progress.silent.setdefault(judge, answer.failure or "no answer")
            if answer.away:
                progress.away.setdefault(judge, answer)
            continue
        for judged in reading.judgements(answer):
            misquoted = [issue for issue in judged.issues if is_misquoted(issue, reading.texts)]
            progress.misquoted.setdefault((judge, reading.key), []).extend(issue.location for issue in misquoted)
            kept, dropped = verified(judged, reading.texts)
            said.setdefault((judge, reading.key), []).append(kept)
            for drop in dropped:
                yield from note(
                    "finding_dropped",
                    None if judged.unit == LESSON else judged.unit,
                    reason=drop.reason,
                    source=f"model:{judge}",
                    issue=drop.issue.as_wire(),
                )
    silent = {reading.judge for reading in readings if reading.judge in progress.silent}
    progress.judgements.update({seen: tuple(heard) for seen, heard in said.items() if seen[0] not in silent})
    for judge in sorted(silent):
        yield from note("model_degraded", silent=[f"{judge}: {progress.silent[judge]}"])


def misquoted_units(progress: LessonProgress) -> list[str]:
    """Units with a serious issue that quotes words which are not in the text: a person has to look."""
    keys = [whole_key(progress.lesson), *(window.key for window in windows(progress.lesson, progress.groups))]
    found = (progress.misquoted.get((judge, key), []) for judge in progress.roles.judges for key in keys)
    return list(dict.fromkeys(unit for units in found for unit in units))


def judgements_of(progress: LessonProgress, lesson: Lesson, judge: str) -> list[SectionJudgement]:
    """A judge's judgements of a version of the lesson, and of the whole."""
    keys = [*(window.key for window in windows(lesson, progress.groups)), whole_key(lesson)]
    return [one for key in keys for one in progress.judgements.get((judge, key), ())]


def all_judgements(progress: LessonProgress, lesson: Lesson) -> list[SectionJudgement]:
    return [one for judge in progress.roles.judges for one in judgements_of(progress, lesson, judge)]


def section_scores(progress: LessonProgress, units: Iterable[LessonUnit]) -> dict[str, float]:
    """The judges' opinion of each of the units, as one number."""
    said = all_judgements(progress, progress.lesson)
    scores = {unit.id: unit_score(said, unit.id) for unit in units}
    return {id: score for id, score in scores.items() if score is not None}


def record_judged(progress: LessonProgress, panel: JudgeAggregatedResult) -> Generator[Effect, Any, None]:
    """Record the judgements of every text that has no attempt with scores yet."""
    said = all_judgements(progress, progress.lesson)
    issues = targeted_issues(panel.verdicts, content_sections(progress.lesson))
    for unit in progress.open_units:
        if progress.recorded.get(unit.id) == unit.content_hash:
            continue
        progress.recorded[unit.id] = unit.content_hash
        raised = (issue_finding(issue) for issue in issues if issue.section_id == unit.id)
        findings = (*progress.findings(unit), *raised)
        attempt = Keep(
            unit=unit,
            cause="review" if unit.id in progress.kept else progress.first_cause,
            scores={str(name): score for name, score in unit_scores(said, unit.id).items()},
            findings=findings,
            passed=not any(finding.blocks for finding in findings),
        )
        yield from progress.keep(attempt, is_best=True)


SEVERITIES: Mapping[IssueSeverity, Severity] = {"critical": "critical", "major": "error", "minor": "warning"}
"""The judges' severities -> those of findings."""


def issue_finding(issue: TargetedIssue) -> Finding:
    """A judge's issue as a finding."""
    return Finding(
        rule=issue.criterion,
        severity=SEVERITIES[issue.severity],
        unit=issue.section_id,
        field=None,
        message=issue.description,
        suggestion=issue.suggested_fix or None,
        quote=issue.quoted_text,
        source=f"model:{','.join(issue.judges)}",
    )


def _ballots(progress: LessonProgress, judges: Sequence[str]) -> list[Ballot]:
    units = [unit.id for unit in progress.lesson.units]
    ballots: list[Ballot] = []
    for judge in judges:
        if judge in progress.silent:
            ballots.append(Abstention(judge, progress.silent[judge]))
        else:
            said = judgements_of(progress, progress.lesson, judge)
            ballots.append(combine(said, units, judge=judge, with_sources=progress.with_sources))
    return ballots
