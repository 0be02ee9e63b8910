"""What happened to a lesson, told in a line each: where the kind itself has no words for it, these do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from burnish.core.kinds import PublishedKind
from burnish.core.records import EventRecord
from burnish.kinds.lessons.describing import STOPS
from burnish.kinds.lessons.policy import REASONS
from burnish.web.kinds.lessons.iterations import ACTIONS
from burnish.web.kinds.lessons.scores import CRITERION_WORDS, exact_score
from burnish.web.kinds.lessons.sections import LOCKS
from burnish.web.kinds.lessons.story import LessonStory, Payload
from burnish.web.wording import in_words, plural, score, sentence

LATEST = 8
"""Events that are shown beside the refinement; the tab of events has them all."""
ENDINGS = {
    "accepted": "Accepted",
    "accepted_warning": "Accepted with open issues",
    "best_effort": "Delivered as the best effort",
    "escalated": "Needs a person",
    "regenerate": "Has to be written again",
    "not_judged": "Not judged",
    "judges_failed": "Not judged",
}
"""How a round ended, in words."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """Something that happened, for a list."""

    seq: int
    at: str
    type: str
    words: str


def latest_events(story: LessonStory, kind: PublishedKind) -> list[EventLine]:
    """What happened last, the newest first."""
    return [
        EventLine(event.seq, event.at, event.type, told(story, kind, event))
        for event in reversed(story.events[-LATEST:])
    ]


def told(story: LessonStory, kind: PublishedKind, event: EventRecord) -> str:
    """An event in a line."""
    words = WORDS.get(event.type)
    if words is not None:
        return words(story, event.data)
    return sentence(kind.said(event) or "")


def _section(story: LessonStory, data: Payload) -> str:
    return story.title_of(str(data["sectionId"]))


def _ended(story: LessonStory, data: Payload) -> str:
    return ENDINGS.get(str(data["status"]), sentence(in_words(str(data["status"]))))


def _verified(story: LessonStory, data: Payload) -> str:
    why = "; ".join(REASONS.get(one, in_words(one)) for one in data["reasons"])
    return f"{_section(story, data)}: {'verified' if data['passed'] else f'not kept, {why}'}"


def _iteration_over(story: LessonStory, data: Payload) -> str:
    decision = STOPS.get(data["decision"], in_words(str(data["decision"])))
    return f"Score {exact_score(data['endScore'])}: {decision}"


WORDS: Mapping[str, Callable[[LessonStory, Payload], str]] = {
    "round_started": lambda story, data: f"Round {data['round']}",
    "refinement_start": lambda story, data: f"Score {exact_score(data['score'])}, {data['mode']}",
    "batch_started": lambda story, data: f"Iteration {data['iteration'] + 1}, batch {data['batch'] + 1}",
    "task_started": lambda story, data: f"{_section(story, data)}: {ACTIONS.get(data['actionType'], 'repair')}",
    "patch_applied": lambda story, data: f"{_section(story, data)}: {plural(len(data['edits']), 'place')} edited",
    "section_regenerated": lambda story, data: f"{_section(story, data)}: written again",
    "verification_result": _verified,
    "quality_lock_triggered": lambda story, data: (
        f"{_section(story, data)}: {CRITERION_WORDS[data['criterion']].lower()} "
        f"{score(data['lockedScore'])} to {score(data['newScore'])}, rolled back"
    ),
    "section_locked": lambda story, data: f"{_section(story, data)}: {LOCKS.get(data['reason'], data['reason'])}",
    "iteration_complete": _iteration_over,
    "convergence_detected": lambda story, data: "Repairs no longer move the score",
    "best_effort_selected": lambda story, data: f"Score {exact_score(data['score'])}",
    "escalation_triggered": lambda story, data: f"Score {exact_score(data['score'])}, a person is asked",
    "round_ended": _ended,
    "refinement_complete": _ended,
}
