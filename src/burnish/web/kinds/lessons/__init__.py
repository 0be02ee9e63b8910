"""Lessons in the workbench: refinement, judges, self-review and sections.

This module has the sections: in the table, on their own page, in the queue, and in the editor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.attempts import findings_of
from burnish.core.documents import Field
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord
from burnish.kinds.lessons.kind import KIND
from burnish.kinds.lessons.model import READ_ALOUD, LessonUnit
from burnish.kinds.lessons.policy import CRITERIA, MAX_EDITS, REGRESSION_TOLERANCE, WEIGHTS
from burnish.kinds.lessons.verdicts import weighted
from burnish.kinds.lessons.views import STOPS
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import in_words, plural, score
from burnish.web.kinds import EditField, Editor, Fact, FocusParts, Panel, RunParts, Tab, UnitParts
from burnish.web.kinds.generic import (
    filled_tabs,
    focus_on,
    kept_attempt,
    kept_draft,
    kept_findings,
    reason_words,
    unit_list,
)
from burnish.web.kinds.lessons.record import (
    BEGINS,
    CRITERION_LABELS,
    ENDS,
    LOCKS,
    RECOMMENDATIONS,
    LessonRecord,
    agreement_view,
    criteria_view,
    exact_score,
    lesson_record,
    plain_title,
    score_chart,
    vote_views,
)
from burnish.web.kinds.lessons.refinement import (
    ending,
    iteration_rows,
    latest_events,
    limit_rows,
    plan_view,
    self_review_view,
)
from burnish.web.kinds.prose import prose, without_numbers
from burnish.web.labels import language_word, said_by
from burnish.web.pieces import Numbered, diff_fields, marked, numbered

MOST_SECTIONS = 40
"""Most sections that are listed in the refinement tab; the sections tab has all."""
NO_JUDGES = "This run has no judges. Name two or three with `--judges`."
SILENT = (
    "No judge gave a usable verdict. Send a section back to have it judged again, or start a new run with other judges."
)
NOT_YET = "The judges come after the rules and the first reading."


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The tabs and facts of the selected lesson."""
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
    # A filter from another page may cover the whole run; without filters the list shows one lesson.
    scoped = {**query, "document": record.document} if UnitFilter.from_query(query) == ALL else query
    shown = unit_list(run, scoped, "section")
    return {"sections": section_rows(run, record, shown.page.lines), "list": shown}


def _facts(record: LessonRecord) -> list[Fact]:
    """The facts about the lesson under the title of the run."""
    facts = [Fact(record.mode, "Mode")]
    if record.panels:
        accept, first = record.thresholds.accept_threshold, record.panels[0][1]
        facts.insert(0, Fact(f"{exact_score(record.score or 0.0)}, accept at {score(accept)}", "Score now"))
        facts.append(Fact(f"{RECOMMENDATIONS[first.final_recommendation]}, {first.voting_method}", "First judging"))
    # `English, beginner, 8 sections, 4 objectives`.
    lesson, spec = record.context.lesson, record.context.spec
    sections = sum(unit.role in READ_ALOUD for unit in lesson.units)
    parts = [
        language_word(record.context.language),
        spec.difficulty if spec is not None else None,
        plural(sections, "section") if sections else None,
        plural(len(spec.learning_objectives), "objective") if spec is not None else None,
    ]
    about = ", ".join(part for part in parts if part)
    return [*facts, Fact(about, "Lesson")] if about else facts


# -- the selected lesson

SHOWN = 9
"""Most lessons that are offered at once: the selected one and its neighbours."""
TONES = {"accepted": "done", "accepted_warning": "done", "best_effort": "done"}
"""Status of a finished lesson -> its style; any other status waits for a person."""


def chooser(run: RunReader, requested: str | None) -> Drawn:
    """The requested lesson, or else one at work, else one that waits for a person, else the first."""
    names = [document.name for document in run.view.plan.documents]
    ended: dict[str, str] = {}
    """Lesson -> status of its latest round; empty while it is running."""
    for event in run.view.journal.events(types=(BEGINS, ENDS)) if len(names) > 1 else ():
        ended[str(event.data["document"])] = str(event.data.get("status", ""))
    at_work = [name for name in names if ended.get(name) == ""]
    waiting = [name for name in names if ended.get(name) and ended[name] not in TONES]
    document = requested if requested in names else [*at_work, *waiting, *names][0]
    place = names.index(document)
    first = max(0, min(place - SHOWN // 2, len(names) - SHOWN))
    shown = names[first : first + SHOWN] if len(names) > 1 else []
    return Drawn(
        document=document,
        choices=tuple(  # none if there is only one lesson
            Drawn(document=name, tone=tone, label=label, current=name == document)
            for name in shown
            for tone, label in (_label(ended.get(name)),)
        ),
        position=place + 1,
        total=len(names),
        previous=names[place - 1] if place > 0 else None,
        next=names[place + 1] if place + 1 < len(names) else None,
    )


def _label(status: str | None) -> tuple[str, str]:
    """The style and the label of a status."""
    if not status:
        return ("stop", "not started") if status is None else ("work", "at work")
    labels = {
        "accepted_warning": "accepted with a warning",
        "best_effort": "best effort",
        "escalated": "needs a person",
    }
    return TONES.get(status, "wait"), labels.get(status, in_words(status))


# -- sections

ISSUE_LABELS: Mapping[Severity, str] = {"critical": "critical", "error": "major", "warning": "minor", "info": "note"}
"""The labels of severities for judges of lessons."""
FIELD_LABELS = {"title": "Title", "question": "Question", "solution": "Solution", "grading_rubric": "Grading"}
ROWS = 12
"""The height of the editor field."""


def section_rows(run: RunReader, record: LessonRecord, lines: Iterable[UnitLine]) -> list[Drawn]:
    """A row for each of these units of the lesson."""
    locks = {one["sectionId"]: str(one["reason"]) for one in record.refined("section_locked")}
    edits = edit_counts(record)
    return [_row(run, record, line, locks, edits) for line in lines]


def edit_counts(record: LessonRecord) -> Counter[str]:
    """Own id of a section -> number of edits in this refinement."""
    edits = ("patch_applied", "section_regenerated")
    return Counter(event.data["sectionId"] for event in record.refinement if event.type in edits)


def _row(run: RunReader, record: LessonRecord, line: UnitLine, locks: Mapping[str, str], edits: Counter[str]) -> Drawn:
    attempts = run.view.journal.attempts(line.id)
    kept = attempts[line.best_attempt - 1] if 0 < line.best_attempt <= len(attempts) else None
    # The kept text may have its scores in another attempt than the one that wrote it.
    same = [one for one in attempts if kept is not None and one.content_hash == kept.content_hash]
    findings = findings_of(kept) if kept is not None else []
    ours = line.document == record.document
    own_id = line.id.removeprefix(run.view.plan.unit_id(line.document, ""))
    lock = locks.get(own_id) if ours else None
    done = edits[own_id] if ours else 0
    return Drawn(
        line=line,
        ours=ours,
        title=record.title_of(own_id) if ours else plain_title(own_id),
        lang=record.lang if ours else None,
        lock=plural(done, "edit") if lock == "max_edits" else LOCKS.get(lock, in_words(lock)) if lock else None,
        edits=done,
        most_edits=max(MAX_EDITS, done),
        severity=min((one.severity for one in findings), key=SEVERITIES.index, default=None),
        open=open_findings(findings),
        before=next((score for one in attempts if (score := judged_score(one)) is not None), None),
        now=next((score for one in reversed(same) if (score := judged_score(one)) is not None), None),
    )


def open_findings(findings: Sequence[Finding]) -> str:
    """`1 critical, 2 minor`."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[one]} {label}" for one, label in ISSUE_LABELS.items() if counts[one])


def judged_score(attempt: AttemptRecord) -> float | None:
    """The weighted score of a section; None if no judge scored this text."""
    scores = {name: attempt.scores[name] for name in CRITERIA if name in attempt.scores}
    return weighted(scores, WEIGHTS) if scores else None


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """The section as a learner reads it."""
    unit = lesson_unit(kept_draft(run.view.kind, story))
    lang = lesson_record(run, story.row.document).lang
    fields = read_fields(unit, numbered(unit.texts(), kept_findings(story)), refs=False)
    reading = _reading(unit, fields, lang, "As a learner reads it")
    return UnitParts(panels=(reading,), heading=unit.title or plain_title(unit.id), lang=lang)


def _reading(
    unit: LessonUnit, fields: Sequence[Drawn], lang: str | None, title: str, raised: Sequence[Any] = ()
) -> Panel:
    context = {"fields": fields, "lang": lang, "title": unit.title, "raised": raised}
    return Panel("kinds/lessons/reading.html", context, title, id="reading")


def read_fields(unit: LessonUnit, findings: Sequence[Numbered], *, refs: bool = True) -> tuple[Drawn, ...]:
    """Every text but the title, in reading order; with `refs`, marks carry the numbers of their findings."""
    found = []
    for field, text in unit.texts().items():
        if field != "title" and text.strip():
            pieces = marked(text, field, findings) if refs else without_numbers(marked(text, field, findings))
            hidden = (field or "").partition(".")[0] in ("hints", "solution", "grading_rubric")
            is_marked = any(piece.marks for piece in pieces)
            found.append(
                Drawn(
                    field=field, label=field_label(field), blocks=prose(text, pieces), hidden=hidden, marked=is_marked
                )
            )
    return tuple(found)


def field_label(field: Field) -> str:
    """The label of a field; empty for the main text."""
    name, _, number = (field or "").partition(".")
    if name == "hints" and number.isdecimal():
        return f"Hint {int(number) + 1}"
    return FIELD_LABELS.get(field or "", field or "")


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """The findings marked in the section, and the changes that accepting makes in the file."""
    unit = lesson_unit(kept_draft(run.view.kind, story))
    record = lesson_record(run, story.row.document)
    marks = numbered(unit.texts(), kept_findings(story))
    raised = [(one.mark.number, one.finding, said_by(one.finding.source)) for one in marks]
    # The kept repairs as changes of the file; empty for the original.
    changes = [
        (field_label(change.field), change.pieces)
        for change in diff_fields(story.source.texts(), unit.texts())
        if change.is_changed
    ]
    context = {"changes": changes, "lang": record.lang}
    return focus_on(
        run.view.kind,
        story,
        lambda worst: reason_words(worst, unit.texts(), record.lang),
        facts=_focus_facts(story, record),
        now=(_reading(unit, read_fields(unit, marks), record.lang, "Current text", raised),),
        proposed=(Panel("kinds/lessons/changes.html", context, "What accepting changes in the file"),)
        if changes
        else (),
    )


def _focus_facts(story: UnitStory, record: LessonRecord) -> Iterator[str]:
    """The scores of lesson and section, and the open findings."""
    if record.panels:
        accept, value = record.thresholds.accept_threshold, record.score or 0.0
        rounds = len(record.refined("iteration_complete"))
        after = f" after {plural(rounds, 'iteration')}" if rounds else ""
        stop = record.end["stopReason"] if record.end is not None else None
        why = f"; {STOPS[stop]}" if stop in STOPS and value < accept else ""
        yield f"The lesson: {exact_score(value)}{after}, accept at {score(accept)}{why}"
    kept = kept_attempt(story)
    given = judged_score(kept) if kept is not None else None
    if given is not None:
        yield f"This section: {score(given)}"
    if opened := open_findings(kept_findings(story)):
        yield f"Open here: {opened}"


def editor(story: UnitStory) -> Editor:
    """The editor for the text of a section, or for the solution of an exercise."""
    unit = lesson_unit(kept_draft(KIND, story))
    is_text = None in unit.fields
    label = unit.title or plain_title(unit.id)
    what = "The whole text of the section, in Markdown."
    if not is_text:
        label, what = f"Solution of “{unit.fields.get('question', unit.id)}”", "The whole solution."
    text = unit.fields.get(None if is_text else "solution", "")
    field = EditField("text", label, text, rows=ROWS, help=f"{what} The same rules check your text before it is kept.")
    return Editor([field], lambda values: values["text"])


def lesson_unit(unit: object) -> LessonUnit:
    assert isinstance(unit, LessonUnit), "a lesson is made of sections"
    return unit
