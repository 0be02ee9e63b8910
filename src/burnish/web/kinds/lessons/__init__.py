"""Lessons in the workbench: the refinement of each, its judges, its first reading and its sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from burnish.app.catalogue import ALL, UnitFilter
from burnish.kinds.lessons.describing import STOPS
from burnish.kinds.lessons.model import READ_ALOUD
from burnish.kinds.lessons.refinement.config import REGRESSION_TOLERANCE
from burnish.web.kinds import Fact, RunParts, Tab
from burnish.web.kinds.lessons.agreement import agreement_view
from burnish.web.kinds.lessons.choosing import Chooser, chooser
from burnish.web.kinds.lessons.events import ENDINGS, latest_events
from burnish.web.kinds.lessons.first_reading import self_review_view
from burnish.web.kinds.lessons.iterations import iteration_rows
from burnish.web.kinds.lessons.judges import RECOMMENDATIONS, vote_views
from burnish.web.kinds.lessons.planning import limit_rows, plan_view
from burnish.web.kinds.lessons.scores import criteria_view, exact_score, score_chart
from burnish.web.kinds.lessons.sections import section_rows
from burnish.web.kinds.lessons.story import LessonStory, lesson_story
from burnish.web.kinds.lessons.unit import editor, focus_parts, unit_parts
from burnish.web.kinds.listing import looked_at, unit_list
from burnish.web.kinds.names import language_word
from burnish.web.wording import in_words, plural, score, sentence

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]

MOST_SECTIONS = 40
"""Sections that are listed beside the refinement; the tab of sections has them all."""
NO_JUDGES = "Nobody judges the lessons of this run: it was started without judges. Name two or three with `--judges`."
SILENT = "No judge gave a usable verdict. Send a section back to have it judged again, or start anew with other judges."
NOT_YET = "The judges have not spoken yet. Rules and the first reading come before them."


@dataclass(frozen=True, slots=True)
class Lesson:
    """The lesson that is looked at."""

    run: RunCatalogue
    story: LessonStory
    chooser: Chooser
    query: Mapping[str, str]


def run_parts(run: RunCatalogue, query: Mapping[str, str]) -> RunParts:
    """The refinement of the lesson that is chosen, and what belongs to it."""
    chosen = chooser(run, query.get("document"))
    lesson = Lesson(run, lesson_story(run, chosen.document), chosen, query)
    views = {
        "refinement": ("Refinement", _refinement),
        "units": ("Sections", _sections),
        "self-review": ("Self-review", _self_review),
        "judges": ("Judges", _judges),
    }
    current = looked_at(query, list(views))
    tabs = [
        Tab(
            id,
            label,
            f"kinds/lessons/{id.replace('-', '_')}.html",
            {**_shared(lesson), **view(lesson)} if id == current else {},
            count=len(lesson.story.context.lesson.units) or None if id == "units" else None,
        )
        for id, (label, view) in views.items()
    ]
    return RunParts(tabs, _facts(lesson.story))


def _shared(lesson: Lesson) -> dict[str, Any]:
    silent = lesson.story.first("judges_failed")
    return {
        "run_id": lesson.run.view.folder.id,
        "chooser": lesson.chooser,
        "story": lesson.story,
        "unjudged": NO_JUDGES if not lesson.run.view.plan.judges else SILENT if silent is not None else NOT_YET,
    }


def _refinement(lesson: Lesson) -> dict[str, Any]:
    story, run = lesson.story, lesson.run
    own_ids = [unit.id for unit in story.context.lesson.units]
    page = run.units(UnitFilter(document=story.document), limit=MOST_SECTIONS)
    return {
        "chart": score_chart(story),
        "agreement": agreement_view(story),
        "iterations": iteration_rows(story, {id: run.view.plan.unit_id(story.document, id) for id in own_ids}),
        "criteria": criteria_view(story),
        "plan": plan_view(story),
        "limits": limit_rows(story),
        "events": latest_events(story, run.view.kind),
        "ending": ending(story),
        "tolerance": REGRESSION_TOLERANCE,
        "sections": section_rows(run, story, page.lines),
        "next": page.next,
        "total": page.total,
    }


def _sections(lesson: Lesson) -> dict[str, Any]:
    # A filter that comes from elsewhere may be about the whole run; the list itself is about one lesson.
    asked = UnitFilter.from_query(lesson.query)
    scoped = {**lesson.query, "document": lesson.chooser.document} if asked == ALL else lesson.query
    shown = unit_list(lesson.run, scoped, "section")
    return {"sections": section_rows(lesson.run, lesson.story, shown.page.lines), "list": shown}


def _self_review(lesson: Lesson) -> dict[str, Any]:
    return {"review": self_review_view(lesson.story)}


def _judges(lesson: Lesson) -> dict[str, Any]:
    return {"votes": vote_views(lesson.story)}


def ending(story: LessonStory) -> str | None:
    """How the work on the lesson ended, as a sentence; None while it goes on."""
    told = story.first("round_ended")
    if told is None:
        return None
    status, reason = str(told["status"]), str(told["reason"])
    for word, meaning in STOPS.items():
        reason = reason.replace(word, meaning)
    # A reason often begins with the status itself: `escalated at 0.81 after 3 iterations: ...`.
    rest = reason.removeprefix(status).lstrip()
    joint = " " if reason.startswith(status) and rest else ": "
    return f"{ENDINGS.get(status, sentence(in_words(status)))}{joint}{rest}.".replace("..", ".")


def _facts(story: LessonStory) -> list[Fact]:
    """What is said of the lesson under the run's title."""
    found = []
    if story.panels:
        value = exact_score(story.score or 0.0)
        found.append(Fact(f"{value}, accept at {score(story.lines.accept_threshold)}", "Score now"))
    found.append(Fact(story.mode, "Mode"))
    if story.panels:
        first = story.panels[0][1]
        found.append(Fact(f"{RECOMMENDATIONS[first.final_recommendation]}, {first.voting_method}", "First judging"))
    about = _about(story)
    return [*found, Fact(about, "Lesson")] if about else found


def _about(story: LessonStory) -> str:
    """`English, beginner, 8 sections, 4 objectives`."""
    lesson, spec = story.context.lesson, story.context.spec
    sections = sum(unit.role in READ_ALOUD for unit in lesson.units)
    parts = [
        language_word(story.context.language),
        spec.difficulty if spec is not None else None,
        plural(sections, "section") if sections else None,
        plural(len(spec.learning_objectives), "objective") if spec is not None else None,
    ]
    return ", ".join(part for part in parts if part)
