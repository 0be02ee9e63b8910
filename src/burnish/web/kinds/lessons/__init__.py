"""Lessons in the workbench: the refinement of each, its judges, its first reading and its sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from burnish.kinds.lessons.model import READ_ALOUD
from burnish.kinds.lessons.refinement.config import REGRESSION_TOLERANCE
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web.formatting import plural, score
from burnish.web.kinds import Fact, RunParts, Tab
from burnish.web.kinds.generic import filled_tabs, unit_list
from burnish.web.kinds.lessons.panel import (
    CRITERION_LABELS,
    RECOMMENDATIONS,
    agreement_view,
    criteria_view,
    exact_score,
    score_chart,
    vote_views,
)
from burnish.web.kinds.lessons.record import LessonRecord, chooser, lesson_record
from burnish.web.kinds.lessons.refinement import (
    ending,
    iteration_rows,
    latest_events,
    limit_rows,
    plan_view,
    self_review_view,
)
from burnish.web.kinds.lessons.sections import editor, focus_parts, section_rows, unit_parts
from burnish.web.labels import language_word

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]

MOST_SECTIONS = 40
"""Sections that are listed beside the refinement; the tab of sections has them all."""
NO_JUDGES = "This run has no judges. Name two or three with `--judges`."
SILENT = (
    "No judge gave a usable verdict. Send a section back to have it judged again, or start a new run with other judges."
)
NOT_YET = "The judges come after the rules and the first reading."


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The refinement of the lesson that is chosen, and what belongs to it."""
    chosen = chooser(run, query.get("document"))
    record = lesson_record(run, chosen.document)
    silent = record.first("judges_failed") is not None
    shared = {
        "run_id": run.view.folder.id,
        "chooser": chosen,
        "record": record,
        "unjudged": NO_JUDGES if not run.view.plan.judges else SILENT if silent else NOT_YET,
        "exact": exact_score,
    }
    folder = "kinds/lessons"
    sections = len(record.context.lesson.units) or None
    tabs = filled_tabs(
        query,
        (Tab("refinement", "Refinement", f"{folder}/refinement.html", shared), lambda: _refinement(run, record)),
        (Tab("units", "Sections", f"{folder}/units.html", shared, sections), lambda: _sections(run, record, query)),
        (
            Tab("self-review", "Self-review", f"{folder}/self_review.html", shared),
            lambda: {"review": self_review_view(record)},
        ),
        (
            Tab("judges", "Judges", f"{folder}/judges.html", shared),
            lambda: {"votes": vote_views(record), "labels": CRITERION_LABELS, "recommendations": RECOMMENDATIONS},
        ),
    )
    return RunParts(tabs, _facts(record))


def _refinement(run: RunReader, record: LessonRecord) -> dict[str, Any]:
    own_ids = [unit.id for unit in record.context.lesson.units]
    page = run.units(UnitFilter(document=record.document), limit=MOST_SECTIONS)
    return {
        "chart": score_chart(record),
        "agreement": agreement_view(record),
        "iterations": iteration_rows(record, {id: run.view.plan.unit_id(record.document, id) for id in own_ids}),
        "criteria": criteria_view(record),
        "plan": plan_view(record),
        "limits": limit_rows(record),
        "events": latest_events(record, run.view.kind),
        "ending": ending(record),
        "tolerance": REGRESSION_TOLERANCE,
        "sections": section_rows(run, record, page.lines),
        "next": page.next,
        "total": page.total,
    }


def _sections(run: RunReader, record: LessonRecord, query: Mapping[str, str]) -> dict[str, Any]:
    # A filter that comes from elsewhere may be about the whole run; the list itself is about one lesson.
    scoped = {**query, "document": record.document} if UnitFilter.from_query(query) == ALL else query
    shown = unit_list(run, scoped, "section")
    return {"sections": section_rows(run, record, shown.page.lines), "list": shown}


def _facts(record: LessonRecord) -> list[Fact]:
    """What is said of the lesson under the run's title."""
    facts = [Fact(record.mode, "Mode")]
    if record.panels:
        accept, first = record.thresholds.accept_threshold, record.panels[0][1]
        facts.insert(0, Fact(f"{exact_score(record.score or 0.0)}, accept at {score(accept)}", "Score now"))
        facts.append(Fact(f"{RECOMMENDATIONS[first.final_recommendation]}, {first.voting_method}", "First judging"))
    about = _about(record)
    return [*facts, Fact(about, "Lesson")] if about else facts


def _about(record: LessonRecord) -> str:
    """`English, beginner, 8 sections, 4 objectives`."""
    lesson, spec = record.context.lesson, record.context.spec
    sections = sum(unit.role in READ_ALOUD for unit in lesson.units)
    parts = [
        language_word(record.context.language),
        spec.difficulty if spec is not None else None,
        plural(sections, "section") if sections else None,
        plural(len(spec.learning_objectives), "objective") if spec is not None else None,
    ]
    return ", ".join(part for part in parts if part)
