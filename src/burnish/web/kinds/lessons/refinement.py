"""Views of the work on a lesson: self-review, plan, iterations with their tasks, limits and events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from burnish.core.findings import Severity
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord
from burnish.kinds.lessons.display import RefinementIterationDisplay, RefinementTaskDisplay, TaskStatus
from burnish.kinds.lessons.policy import REASONS
from burnish.kinds.lessons.refinement import TargetedIssue
from burnish.kinds.lessons.views import STOPS
from burnish.web import Drawn
from burnish.web.formatting import in_words, plural, score, sentence
from burnish.web.kinds.lessons.record import (
    CRITERION_LABELS,
    JUDGE_SEVERITIES,
    LOCKS,
    MOST_LISTED,
    LessonRecord,
    Payload,
    exact_score,
    issue_row,
)

ACTIONS = {"SURGICAL_EDIT": "smallest edit", "REGENERATE_SECTION": "section regenerated"}
"""The labels of repair actions."""
TaskState = Literal["waiting", "working", "done", "failed", "rolled_back"]
TASK_STATES: Mapping[TaskStatus, TaskState] = {
    "pending": "waiting",
    "executing": "working",
    "completed": "done",
    "failed": "failed",
}
REJECTIONS = {"too_few_judges": "only one judge named it", "low_agreement": "the judges disagree"}
READINGS = {
    "REGENERATE": "Has to be regenerated",
    "FIXED": "Fixed by code",
    "FLAG_TO_JUDGE": "Sent to the judges with doubts",
    "PASS_WITH_FLAGS": "Passed with flags",
    "PASS": "Passed",
}
"""The labels of the results of a self-review."""
READING_SEVERITIES: Mapping[str, Severity] = {
    "CRITICAL": "critical",
    "COMPLEX": "error",
    "FIXABLE": "warning",
    "INFO": "info",
}
"""Severity of a self-review -> severity of a finding."""
CLAIM_TONES = {"supported": "ok", "contradicted": "critical", "not_found": "q"}
"""Verdict on a claim -> its style."""
ENDINGS = {
    "accepted": "Accepted",
    "accepted_warning": "Accepted with open issues",
    "best_effort": "Best effort delivered",
    "escalated": "Needs a person",
    "regenerate": "Has to be regenerated",
    "not_judged": "Not judged",
    "judges_failed": "Not judged",
}
"""The labels of the results of a round."""
LATEST = 8
"""Events that are shown in the refinement tab; the events tab has all."""


def _reasons(reasons: Sequence[str]) -> str:
    return "; ".join(REASONS.get(one, in_words(one)) for one in reasons)


# -- iterations


def iteration_rows(record: LessonRecord, unit_id: Mapping[str, str]) -> list[Drawn]:
    """All iterations, the newest first. `unit_id`: own id of a section -> its name in the run."""
    if record.plan is None:
        return []
    plans = {plan["iteration"]: plan for plan in record.refined("arbiter_consolidation")}
    ended = {one["iteration"]: one for one in record.refined("iteration_complete")}
    return [
        Drawn(
            shown=shown,
            running=shown.iteration not in ended and not record.is_over,
            decision=_decision(ended[shown.iteration]) if shown.iteration in ended else "",
            batches=tuple(_batches(record, shown, plan, unit_id)),
            deferred=tuple((str(one["sectionTitle"]), _reasons([one["reason"]])) for one in plan["deferred"]),
        )
        for shown in reversed(record.plan.iterations)
        for plan in (plans[shown.iteration],)
    ]


def _decision(ended: Payload) -> str:
    return STOPS.get(ended["decision"], in_words(str(ended["decision"])))


def _batches(
    record: LessonRecord, shown: RefinementIterationDisplay, plan: Payload, unit_id: Mapping[str, str]
) -> Iterator[Drawn]:
    tasks = {task.id: task for task in shown.tasks}
    for number, names in enumerate(plan["batches"], 1):
        batch = [tasks[name] for name in names if name in tasks]
        if batch:
            together = f", {len(batch)} at once" if len(batch) > 1 else ""
            worst = min((task.priority for task in batch), key=list(JUDGE_SEVERITIES).index)
            rows = tuple(_task(record, shown.iteration, task, unit_id) for task in batch)
            yield Drawn(label=f"Batch {number}, {worst}{together}", tasks=rows)


def _task(record: LessonRecord, iteration: int, task: RefinementTaskDisplay, unit_id: Mapping[str, str]) -> Drawn:
    events = [event for event in record.refinement if event.data.get("task") == task.id]
    fallen = [
        one
        for one in record.refined("quality_lock_triggered")
        if one["iteration"] == iteration and one["sectionId"] == task.section_id
    ]
    return Drawn(
        task=task,
        unit=unit_id.get(task.section_id, task.section_id),
        title=task.section_title or record.title_of(task.section_id),
        state="rolled_back" if fallen else TASK_STATES[task.status],
        text=_task_text(task, events, fallen),
    )


def _task_text(task: RefinementTaskDisplay, events: Sequence[EventRecord], fallen: Sequence[Payload]) -> str:
    """The change of a section and its result."""
    rewritten = task.action_type == "REGENERATE_SECTION"
    what = "new text" if rewritten else "edit"
    made = [event.data for event in events if event.type in ("patch_applied", "section_regenerated")]
    verdict = next((event.data for event in events if event.type == "verification_result"), None)
    if fallen:
        worst = min(fallen, key=lambda one: one["delta"])
        name = CRITERION_LABELS[worst["criterion"]].lower()
        fell = f"{name} fell by {score(abs(worst['delta']))}, locked at {score(worst['lockedScore'])}"
        return f"{what} rolled back: {fell}"
    if verdict is None:
        if task.status == "pending":
            return "waiting for its batch"
        return f"{what}, being verified" if made else f"{what} being written"
    if verdict["passed"]:
        places = sum(len(one.get("edits", ())) for one in made)
        done = "rewritten" if rewritten else f"edit in {places} places" if places > 1 else "edit"
        return f"{done}, verified"
    return f"{what} not kept: {verdict.get('message') or _reasons(verdict['reasons']) or 'not verified'}"


# -- the plan and its limits


def plan_view(record: LessonRecord) -> Drawn | None:
    """The latest plan; None if there is none."""
    plans = record.refined("arbiter_consolidation")
    if not plans:
        return None
    plan = plans[-1]
    raised = [TargetedIssue.model_validate(issue) for issue in (*plan["accepted"], *plan["rejected"])]
    aside = {one["issueId"]: REJECTIONS.get(one["reason"], in_words(one["reason"])) for one in plan["rejections"]}
    return Drawn(
        iteration=plan["iteration"] + 1,
        raised=len(raised),
        by_several=sum(len(issue.judges) > 1 for issue in raised),
        aside=len(plan["rejected"]),
        tasks=len(plan["tasks"]),
        deferred=len(plan["deferred"]),
        tokens=plan["estimatedTokens"],
        conflicts=tuple(_conflict(record, one) for one in plan["conflicts"]),
        full_regenerate=plan["fullRegenerate"],
        needs_review=plan["needsReview"],
        issues=tuple(
            issue_row(record, issue.section_id, issue, issue.judges, aside.get(issue.id))
            for issue in raised[:MOST_LISTED]
        ),
    )


def _conflict(record: LessonRecord, conflict: Mapping[str, Any]) -> str:
    winner, loser = conflict["issue1"], conflict["issue2"]
    won, lost = (CRITERION_LABELS[one["criterion"]].lower() for one in (winner, loser))
    where = record.title_of(winner["sectionId"])
    return f"In {where}, {won} won over {lost}. {sentence(lost)} stays in the instructions as “must not get worse”."


def limit_rows(record: LessonRecord) -> list[Drawn]:
    """The limits of the refinement; none before it began."""
    if record.start is None:
        return []
    done = record.plan.iterations if record.plan is not None else ()
    end = record.end
    tokens = end["tokensUsed"] if end else sum(one.tokens_used for one in done)
    milliseconds = end["durationMs"] if end else sum(one.duration_ms for one in done)
    rows = (
        ("Iterations", len(done), record.start["maxIterations"], ""),
        ("Tokens", tokens, record.start["maxTotalTokens"], ""),
        ("Time", round(milliseconds / 1000), round(record.start["timeoutMs"] / 1000), "s"),
    )
    return [
        Drawn(
            name=name,
            used=used,
            most=most,
            unit=unit,
            share=round(min(1.0, used / most) * 100, 2) if most else 100.0,
            reached=used >= most,
        )
        for name, used, most, unit in rows
    ]


# -- the self-review


def self_review_view(record: LessonRecord) -> dict[str, Any] | None:
    """The latest self-review for its template: findings of rules, fixes by code, and findings of a cheap model; None
    before it."""
    reviews = list(record.of("self_reviewed"))
    if not reviews:
        return None
    review = reviews[-1]
    claims = [event for event in record.events if event.type == "claim_verified"]
    return {
        **review,
        "label": READINGS.get(review["status"], in_words(review["status"])),
        "issues": [
            {
                **issue,
                "type": sentence(str(issue["type"]).lower()),
                "label": sentence(str(issue["severity"]).lower()),
                "severity": READING_SEVERITIES.get(issue["severity"], "info"),
                "title": record.title_of(issue["location"]),
            }
            for issue in review["issues"][:MOST_LISTED]
        ],
        "claims": [
            {
                **event.data,
                "title": record.title_of(str(event.unit or "").removeprefix(f"{record.document}/")),
                "tone": CLAIM_TONES.get(str(event.data["verdict"]), "q"),
            }
            for event in claims[:MOST_LISTED]
        ],
        "silent": [name for one in record.of("model_degraded") for name in one["silent"]],
        "written_again": len(list(record.of("writing_again"))),
    }


# -- events


def latest_events(record: LessonRecord, kind: Kind) -> list[tuple[EventRecord, str]]:
    """The latest events, the newest first, each with its text."""
    return [(event, event_text(record, kind, event)) for event in reversed(record.events[-LATEST:])]


def event_text(record: LessonRecord, kind: Kind, event: EventRecord) -> str:
    """The text of an event, from EVENT_TEXTS or else from the kind."""
    text = EVENT_TEXTS.get(event.type)
    return text(record, event.data) if text is not None else sentence(kind.said(event) or "")


def ending(record: LessonRecord) -> str | None:
    """The result of the work on the lesson as a sentence; None while it continues."""
    ended = record.first("round_ended")
    if ended is None:
        return None
    status, reason = str(ended["status"]), str(ended["reason"])
    for word, meaning in STOPS.items():
        reason = reason.replace(word, meaning)
    # A reason often begins with the status itself: `escalated at 0.81 after 3 iterations: ...`.
    rest = reason.removeprefix(status).lstrip()
    joint = " " if reason.startswith(status) and rest else ": "
    return f"{_status(status)}{joint}{rest}.".replace("..", ".")


def _status(status: str) -> str:
    return ENDINGS.get(status, sentence(in_words(status)))


def _section(record: LessonRecord, data: Payload) -> str:
    return record.title_of(str(data["sectionId"]))


EVENT_TEXTS: Mapping[str, Callable[[LessonRecord, Payload], str]] = {
    "round_started": lambda record, data: f"Round {data['round']}",
    "refinement_start": lambda record, data: f"Score {exact_score(data['score'])}, {data['mode']}",
    "batch_started": lambda record, data: f"Iteration {data['iteration'] + 1}, batch {data['batch'] + 1}",
    "task_started": lambda record, data: f"{_section(record, data)}: {ACTIONS.get(data['actionType'], 'repair')}",
    "patch_applied": lambda record, data: f"{_section(record, data)}: {plural(len(data['edits']), 'place')} edited",
    "section_regenerated": lambda record, data: f"{_section(record, data)}: regenerated",
    "verification_result": lambda record, data: (
        f"{_section(record, data)}: " + ("verified" if data["passed"] else f"not kept, {_reasons(data['reasons'])}")
    ),
    "quality_lock_triggered": lambda record, data: (
        f"{_section(record, data)}: {CRITERION_LABELS[data['criterion']].lower()} "
        f"{score(data['lockedScore'])} to {score(data['newScore'])}, rolled back"
    ),
    "section_locked": lambda record, data: f"{_section(record, data)}: {LOCKS.get(data['reason'], data['reason'])}",
    "iteration_complete": lambda record, data: f"Score {exact_score(data['endScore'])}: {_decision(data)}",
    "convergence_detected": lambda record, data: "Repairs no longer move the score",
    "best_effort_selected": lambda record, data: f"Score {exact_score(data['score'])}",
    "escalation_triggered": lambda record, data: f"Score {exact_score(data['score'])}, sent to a person",
    "round_ended": lambda record, data: _status(str(data["status"])),
    "refinement_complete": lambda record, data: _status(str(data["status"])),
}
