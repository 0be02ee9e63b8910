"""Issues: the same complaint from several judges is one issue with several voices, with an address and a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from burnish.core.hashing import text_digest
from burnish.kinds.lessons.refinement.anchors import context_window, located
from burnish.kinds.lessons.refinement.config import PRIORITY_HIERARCHY
from burnish.kinds.lessons.refinement.routing import action_for
from burnish.kinds.lessons.refinement.types import (
    SEVERITIES,
    JudgeIssue,
    JudgeVerdict,
    LessonContentSection,
    TargetedIssue,
)


@dataclass(frozen=True, slots=True)
class _Voice:
    """One judge's issue in the unit that it is about."""

    judge: str
    unit: str
    issue: JudgeIssue


def targeted_issues(
    verdicts: Iterable[JudgeVerdict], sections: Sequence[LessonContentSection]
) -> tuple[TargetedIssue, ...]:
    """Every issue of every judge, in the order they were raised; what several judges say is there once."""
    contents = {section.id: section for section in sections}
    groups: list[list[_Voice]] = []
    by_place: dict[tuple[str, str], list[list[_Voice]]] = {}
    for voice in _voices(verdicts, sections):
        near = by_place.setdefault((voice.unit, voice.issue.criterion), [])
        group = _group_of(voice, near, contents.get(voice.unit))
        if group is None:
            groups.append([voice])
            near.append(groups[-1])
        else:
            group.append(voice)
    return tuple(_targeted(group, contents.get(group[0].unit)) for group in groups)


def _voices(verdicts: Iterable[JudgeVerdict], sections: Sequence[LessonContentSection]) -> list[_Voice]:
    return [
        _Voice(verdict.judge_model, located(issue, sections), issue) for verdict in verdicts for issue in verdict.issues
    ]


def _group_of(voice: _Voice, near: Sequence[list[_Voice]], section: LessonContentSection | None) -> list[_Voice] | None:
    """The group of the same or overlapping words; without a quote, of another judge's word on the same place.

    `near` are the groups of the same unit and criterion. The same words come first, so that no two groups are ever
    called by the same name.
    """
    same = (group for group in near if any(_said(voice.issue) == _said(other.issue) for other in group))
    overlapping = (g for g in near if any(quotes_overlap(voice.issue, other.issue, section) for other in g))
    return next(same, None) or next(overlapping, None) or next((g for g in near if _vaguely_joins(voice, g)), None)


def _vaguely_joins(voice: _Voice, group: Sequence[_Voice]) -> bool:
    is_vague = voice.issue.quoted_text is None or all(other.issue.quoted_text is None for other in group)
    return is_vague and voice.judge not in {other.judge for other in group}


def _said(issue: JudgeIssue) -> tuple[str, str]:
    return ("quote", issue.quoted_text) if issue.quoted_text else ("said", issue.description)


def quotes_overlap(one: JudgeIssue, other: JudgeIssue, section: LessonContentSection | None) -> bool:
    """Whether two issues quote some of the same words."""
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
    """The worst version of it speaks for all; what the others would do is kept in the instructions."""
    worst = min((voice.issue for voice in group), key=lambda issue: SEVERITIES.index(issue.severity))
    advice = dict.fromkeys(voice.issue.suggested_fix or voice.issue.description for voice in group)
    return TargetedIssue(
        criterion=worst.criterion,
        severity=worst.severity,
        location=worst.location,
        description=worst.description,
        quoted_text=worst.quoted_text,
        suggested_fix=worst.suggested_fix,
        id=issue_id(group[0].unit, worst),
        section_id=group[0].unit,
        fix_action=action_for([worst])[0],
        context_window=context_window(worst, section),
        fix_instructions="; ".join(advice),
        judges=tuple(dict.fromkeys(voice.judge for voice in group)),
    )


def issue_id(unit: str, issue: JudgeIssue) -> str:
    """The same complaint about the same words has the same name in every iteration and after every resume."""
    return f"issue-{text_digest(chr(0).join((unit, issue.criterion, *_said(issue))))[7:19]}"


def worst_first(issues: Iterable[TargetedIssue]) -> list[TargetedIssue]:
    """By severity, then by the rank of the criterion, then as they were raised."""
    return sorted(issues, key=lambda issue: (SEVERITIES.index(issue.severity), rank(issue)))


def rank(issue: JudgeIssue) -> int:
    """0 for the criterion that goes before all others."""
    return PRIORITY_HIERARCHY.index(issue.criterion)
