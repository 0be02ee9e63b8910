"""The arbiter: from the panel's verdicts to a plan, by arithmetic, without a model.

The agreement of the judges decides which issues count; conflicting changes to the same words are settled by the rank of
the criteria; the rest becomes one task per section. Every issue is listed in `accepted_issues` or, with a reason, in
`rejected_issues`. The same complaint from several judges is one issue, with its place in the lesson and a stable id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.core.documents import text_digest
from burnish.core.gate import bootstrap_interval, krippendorff_alpha
from burnish.kinds.lessons.policy import (
    CRITERIA,
    HIGH_ALPHA,
    MODERATE_ALPHA,
    MODERATE_SHARE,
    PRIORITY_HIERARCHY,
    SAME_SCORE,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement import (
    LESSON,
    SEVERITIES,
    AgreementLevel,
    ArbiterInput,
    ArbiterOutput,
    ConflictResolution,
    ContextAnchors,
    ContextWindow,
    IterationFeedback,
    JudgeIssue,
    JudgeVerdict,
    LessonContentSection,
    RefinementPlan,
    RejectedIssue,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.router import (
    action_for,
    execution_batches,
    full_regenerate_reason,
    task_action,
)
from burnish.kinds.lessons.verdicts import panel_criteria
from burnish.languages.sentences import sentences
from burnish.text.structure import read_structure

SENTENCES = 3
"""The sentences of a neighbour that are shown for a repair."""
NEAR = 4_000
"""Characters of a neighbour that are searched for its sentences."""
LONGEST_ANCHOR = 800
"""The most characters of a neighbour without sentences (a table, a poem)."""
MARK = 60
"""Characters that mark the beginning and the end of a paragraph."""


def first_sentences(text: str, count: int = SENTENCES) -> str:
    found = list(sentences(text.strip()[:NEAR]))[:count]
    return text.strip()[: found[-1].end][:LONGEST_ANCHOR] if found else ""


def last_sentences(text: str, count: int = SENTENCES) -> str:
    tail = text.strip()[-NEAR:]
    found = list(sentences(tail))[-count:]
    return tail[found[0].start :][-LONGEST_ANCHOR:] if found else ""


def context_anchors(sections: Sequence[LessonContentSection], section_id: str) -> ContextAnchors:
    """The end of the section before and the beginning of the section after; nothing for the lesson as a whole."""
    place = next((at for at, section in enumerate(sections) if section.id == section_id), None)
    if place is None:
        return ContextAnchors()
    before = last_sentences(sections[place - 1].content) if place else ""
    after = first_sentences(sections[place + 1].content) if place + 1 < len(sections) else ""
    return ContextAnchors(prev_section_end=before or None, next_section_start=after or None)


def context_window(issue: JudgeIssue, section: LessonContentSection | None) -> ContextWindow:
    """The paragraph with the quote, or else the section, or else everything."""
    if section is None:
        return ContextWindow(scope="global")
    at = section.content.find(issue.quoted_text) if issue.quoted_text else -1
    if issue.quoted_text is None or at < 0:
        return ContextWindow(scope="section")
    start = section.content.rfind("\n\n", 0, at)
    end = section.content.find("\n\n", at + len(issue.quoted_text))
    paragraph = section.content[max(start, 0) : end if end >= 0 else len(section.content)].strip()
    return ContextWindow(start_quote=paragraph[:MARK], end_quote=paragraph[-MARK:], scope="paragraph")


NAMES = {"intro": {"intro", "introduction", "opening"}, "conclusion": {"conclusion", "ending", "closing"}}
"""Names used for the units without a title."""


def located(issue: JudgeIssue, sections: Sequence[LessonContentSection]) -> str:
    """The id of the unit that the issue is about, `lesson` if it is about several.

    The unit named in the location counts, unless the quoted words are only in another.
    """
    place = issue.location.strip()
    plain = place.strip("\"'“”‘’#* ").casefold()
    by_id = [section.id for section in sections if place == section.id or place.startswith(f"{section.id}: ")]
    by_title = (section.id for section in sections if plain and plain == (section.title or "").casefold())
    named = max(by_id, key=len) if by_id else next(by_title, None)
    quoting = [section.id for section in sections if issue.quoted_text and issue.quoted_text in section.content]
    if quoting and named not in quoting:
        return quoting[0]
    return named or _by_word(issue.location, sections) or LESSON


def _by_word(location: str, sections: Sequence[LessonContentSection]) -> str | None:
    """ "the introduction", "end of the conclusion", "see sec_2": a location in the judge's own words."""
    words = [word.strip("\"'“”‘’()[],.;:`") for word in location.split()]
    ids = [section.id for section in sections]
    named = dict.fromkeys(word for word in words if word in ids)
    if named:
        return next(iter(named)) if len(named) == 1 else None
    spoken = {word.casefold() for word in words}
    return next((unit for unit, names in NAMES.items() if unit in ids and spoken & names), None)


@dataclass(frozen=True, slots=True)
class _Voice:
    """One judge's issue with its unit."""

    judge: str
    unit: str
    issue: JudgeIssue


def targeted_issues(
    verdicts: Iterable[JudgeVerdict], sections: Sequence[LessonContentSection]
) -> tuple[TargetedIssue, ...]:
    """Every issue of every judge, in the order they were raised; the same issue of several judges only once."""
    contents = {section.id: section for section in sections}
    groups: list[list[_Voice]] = []
    by_place: dict[tuple[str, str], list[list[_Voice]]] = {}
    for verdict in verdicts:
        for issue in verdict.issues:
            voice = _Voice(verdict.judge_model, located(issue, sections), issue)
            near = by_place.setdefault((voice.unit, issue.criterion), [])
            group = _group_of(voice, near, contents.get(voice.unit))
            if group is None:
                group = []
                groups.append(group)
                near.append(group)
            group.append(voice)
    return tuple(_targeted(group, contents.get(group[0].unit)) for group in groups)


def _group_of(voice: _Voice, near: Sequence[list[_Voice]], section: LessonContentSection | None) -> list[_Voice] | None:
    """The group with the same or overlapping quotes; without a quote, another judge's issue about the same place.

    `near` are the groups of the same unit and criterion. Identical quotes come first, so that no two groups get the
    same name.
    """
    same = (group for group in near if any(_said(voice.issue) == _said(other.issue) for other in group))
    overlapping = (g for g in near if any(quotes_overlap(voice.issue, other.issue, section) for other in g))

    def may_join(group: Sequence[_Voice]) -> bool:
        is_vague = voice.issue.quoted_text is None or all(other.issue.quoted_text is None for other in group)
        return is_vague and voice.judge not in {other.judge for other in group}

    return next(same, None) or next(overlapping, None) or next(filter(may_join, near), None)


def _said(issue: JudgeIssue) -> tuple[str, str]:
    return ("quote", issue.quoted_text) if issue.quoted_text else ("said", issue.description)


def quotes_overlap(one: JudgeIssue, other: JudgeIssue, section: LessonContentSection | None) -> bool:
    """Whether the quotes of two issues overlap."""
    if not one.quoted_text or not other.quoted_text:
        return False
    if one.quoted_text in other.quoted_text or other.quoted_text in one.quoted_text:
        return True
    if section is None:
        return False
    starts = [section.content.find(issue.quoted_text or "") for issue in (one, other)]
    if min(starts) < 0:
        return False
    return starts[0] < starts[1] + len(other.quoted_text) and starts[1] < starts[0] + len(one.quoted_text)


def _targeted(group: Sequence[_Voice], section: LessonContentSection | None) -> TargetedIssue:
    """The most severe version represents the group; the fixes of the others are kept in the instructions."""
    worst = min((voice.issue for voice in group), key=lambda issue: SEVERITIES.index(issue.severity))
    advice = dict.fromkeys(voice.issue.suggested_fix or voice.issue.description for voice in group)
    # The same complaint about the same words has the same id in every iteration and after every resume.
    name = text_digest(chr(0).join((group[0].unit, worst.criterion, *_said(worst))))[7:19]
    return TargetedIssue(
        **worst.model_dump(),
        id=f"issue-{name}",
        section_id=group[0].unit,
        fix_action=action_for([worst])[0],
        context_window=context_window(worst, section),
        fix_instructions="; ".join(advice),
        judges=tuple(dict.fromkeys(voice.judge for voice in group)),
    )


def worst_first(issues: Iterable[TargetedIssue]) -> list[TargetedIssue]:
    """By severity, then by the rank of the criterion, then in the order they were raised."""
    return sorted(issues, key=lambda issue: (SEVERITIES.index(issue.severity), rank(issue)))


def rank(issue: JudgeIssue) -> int:
    """0 for the criterion with the highest priority."""
    return PRIORITY_HIERARCHY.index(issue.criterion)


LONGEST_TERM = 40
"""The most characters of bold words that count as a term; longer ones are a sentence."""
MOST_TERMS = 40
CONSTRAINT = "Must not get worse: "
"""Begins a line of instructions that only names what must not suffer."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of the judges on the criteria."""

    alpha: float
    interval: tuple[float, float] | None
    level: AgreementLevel


def consolidate(
    given: ArbiterInput, *, locked: Collection[str] = (), history: Iterable[IterationFeedback] = ()
) -> ArbiterOutput:
    """The plan for one iteration. Sections in `locked` get no task; their issues stay among the accepted ones."""
    verdicts, sections = given.clev_result.verdicts, given.content_sections
    agreed = agreement(verdicts)
    issues = targeted_issues(verdicts, sections)
    # high: nothing is rejected; moderate: issues of a single judge; low: all. Critical issues are never rejected.
    reason: Literal["low_agreement", "too_few_judges"] = "low_agreement" if agreed.level == "low" else "too_few_judges"
    doubtful = (one for one in issues if agreed.level != "high" and one.severity != "critical")
    rejections = tuple(
        RejectedIssue(issue_id=one.id, reason=reason)
        for one in doubtful
        if agreed.level == "low" or len(one.judges) < 2
    )
    rejected_ids = {rejection.issue_id for rejection in rejections}
    accepted = tuple(issue for issue in issues if issue.id not in rejected_ids)
    conflicts = conflict_resolutions(accepted, sections)
    tasks = _tasks(accepted, conflicts, sections, locked)
    order, touched = [section.id for section in sections], {task.section_id for task in tasks}
    plan = RefinementPlan(
        issues=accepted,
        sections_to_preserve=tuple(id for id in order if id not in touched),
        sections_to_modify=tuple(id for id in order if id in touched),
        preserve_terminology=terminology(sections),
        iteration_history=tuple(history),
        tasks=tasks,
        agreement_score=agreed.alpha,
        conflict_resolutions=conflicts,
        execution_batches=execution_batches(tasks, order),
    )
    return ArbiterOutput(
        plan=plan,
        agreement_score=agreed.alpha,
        agreement_interval=agreed.interval,
        agreement_level=agreed.level,
        accepted_issues=accepted,
        rejected_issues=tuple(issue for issue in issues if issue.id in rejected_ids),
        rejections=rejections,
        needs_review=agreed.level == "low",
        full_regenerate=full_regenerate_reason(panel_criteria(verdicts), accepted, order),
    )


def agreement(verdicts: Sequence[JudgeVerdict]) -> Agreement:
    """Alpha with its interval, and the level, which is not spoiled by a few nearly equal scores."""
    scored = [name for name in CRITERIA if any(name in verdict.criteria_scores for verdict in verdicts)]
    ratings = [[verdict.criteria_scores.get(name) for name in scored] for verdict in verdicts]
    alpha = krippendorff_alpha(ratings)
    if alpha is None:
        return Agreement(0.0, None, "low")
    # Whether the judges are within .10 of each other on a criterion. A single judge agrees with none.
    given = [[score for score in column if score is not None] for column in zip(*ratings, strict=True)]
    near = [len(scores) > 1 and not exceeds(max(scores) - min(scores), SAME_SCORE) for scores in given]
    level: AgreementLevel = "low"
    if reaches(alpha, HIGH_ALPHA) or all(near):
        level = "high"
    elif reaches(alpha, MODERATE_ALPHA) or sum(near) / len(near) >= MODERATE_SHARE:
        level = "moderate"
    return Agreement(alpha, bootstrap_interval(ratings), level)


def conflict_resolutions(
    issues: Iterable[TargetedIssue], sections: Sequence[LessonContentSection]
) -> tuple[ConflictResolution, ...]:
    """Conflicts of two criteria about the same words: the higher one wins, and the lower one is listed as the loser."""
    contents = {section.id: section for section in sections}
    winners: list[TargetedIssue] = []
    found: list[ConflictResolution] = []
    for issue in sorted(issues, key=rank):
        section = contents.get(issue.section_id)
        beside = (one for one in winners if one.section_id == issue.section_id and one.criterion != issue.criterion)
        winner = next((one for one in beside if quotes_overlap(one, issue, section)), None)
        if winner is None:
            winners.append(issue)
        else:
            resolution = f"{winner.criterion} goes before {issue.criterion}; the latter must not get worse"
            found.append(ConflictResolution(issue1=winner, issue2=issue, resolution=resolution))
    return tuple(found)


def _tasks(
    accepted: Sequence[TargetedIssue],
    conflicts: Sequence[ConflictResolution],
    sections: Sequence[LessonContentSection],
    locked: Collection[str],
) -> tuple[SectionRefinementTask, ...]:
    """One task per section, in reading order, the lesson as a whole last; then sorted by urgency."""
    lost = {conflict.issue2.id for conflict in conflicts}
    titles = {**{section.id: section.title or section.id for section in sections}, LESSON: LESSON}
    tasks: list[SectionRefinementTask] = []
    for section_id, title in titles.items():
        demanded = worst_first(issue for issue in accepted if issue.section_id == section_id and issue.id not in lost)
        if not demanded or section_id in locked:
            continue
        constraints = [one.issue2 for one in conflicts if one.issue2.section_id == section_id]
        task = SectionRefinementTask(
            section_id=section_id,
            section_title=title,
            action_type=task_action(section_id, demanded)[0],
            synthesized_instructions=instructions(demanded, constraints),
            context_anchors=context_anchors(sections, section_id),
            priority=demanded[0].severity,
            source_issues=tuple(demanded),
        )
        tasks.append(task)
    return tuple(sorted(tasks, key=lambda task: SEVERITIES.index(task.priority)))


def instructions(demanded: Iterable[TargetedIssue], constraints: Iterable[TargetedIssue] = ()) -> str:
    """The instructions for one section, one line per issue, and what must not suffer."""
    lines = []
    for issue in demanded:
        quote = f" at “{issue.quoted_text}”" if issue.quoted_text else ""
        advice = f" Do: {issue.fix_instructions}" if issue.fix_instructions != issue.description else ""
        lines.append(f"[{issue.severity}, {issue.criterion}]{quote} {issue.description}{advice}")
    lines += [f"{CONSTRAINT}{issue.criterion} ({issue.description})" for issue in constraints]
    return "\n".join(lines)


def terminology(sections: Iterable[LessonContentSection]) -> tuple[str, ...]:
    """The terms that the lesson puts in bold: repairs must not rename them."""
    return tuple(dict.fromkeys(term for section in sections for term in bold_terms(section.content)))[:MOST_TERMS]


def bold_terms(text: str) -> list[str]:
    bold = (text[slice(*mark.inside)] for mark in read_structure(text).emphasis if mark.width == 2)
    found = (words.strip(" .:;,") for words in bold if 2 <= len(words) <= LONGEST_TERM and "\n" not in words)
    return [term for term in found if term]
