"""Lessons for display: descriptions, events, examples of checks, and the files of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.core.attempts import kept_edits, rolled_back
from burnish.core.checks import Check, Examination
from burnish.core.documents import Unit
from burnish.core.findings import Finding
from burnish.core.kinds import Overview
from burnish.core.presentation import Contract, Display, ExportRow, Illustration, Pictured, Remark, Table, UnitStory
from burnish.core.records import EventRecord
from burnish.kinds.lessons.display import inspector_extension, voting_results
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Objective, Passage, Role, Spec, WholeLesson
from burnish.kinds.lessons.policy import REASONS


def describe(facts: Mapping[str, Any]) -> list[Remark | Table]:
    """The description of a lesson: its size and language; after a run, its result."""
    found: list[Remark | Table] = []
    if facts.get("words"):
        units = "1 unit" if facts["parts"] == 1 else f"{facts['parts']:,} units"
        found.append(Remark("size", f"{facts['words']:,} words in {units}, language {facts['language']}"))
    if status := facts.get("status"):
        reason: str = facts["reason"]
        for word, meaning in STOPS.items():
            reason = reason.replace(word, meaning)
        ending = reason if reason.startswith(status) else f"{status}: {reason}"
        found.append(Remark("ending", ending, status != "accepted"))
    hints = (facts.get("refinement") or {}).get("improvementHints", ())
    found += [Remark("open", hint) for hint in hints]
    # The hints are limited and begin with the worst; all critical issues are listed.
    found += [Remark("critical", issue, True) for issue in facts.get("open_critical", ())[len(hints) :]]
    return found


STOPS = {
    "stop_converged": "repairs no longer move the score",
    "stop_max_iterations": "the limit of iterations is reached",
    "stop_token_budget": "the token budget is used up",
    "stop_timeout": "the time limit is reached",
    "stop_all_sections_locked": "every section is locked",
    "stop_score_threshold_met": "meets the threshold",
    "continue_more_tasks": "there is more to repair",
    "no_judges": "no judges were given",
    "judges_silent": "no judge gave a usable verdict",
}
"""Why refinement stopped, or continues."""


def said(event: EventRecord) -> str | None:
    """An event of a run as one line."""
    data = event.data
    section = data.get("sectionId")
    match event.type:
        case "self_reviewed":
            return f"first reading: {data['status']}"
        case "judged":
            return f"judged: {data['clevResult']['aggregatedScore']:.2f}, {data['clevResult']['votingMethod']}"
        case "third_judge_asked":
            return f"a third judge is asked: {data['reason']}"
        case "arbiter_consolidation":
            number, aside = len(data["tasks"]), len(data["rejected"])
            planned = "1 repair planned" if number == 1 else f"{number} repairs planned"
            aside_note = f", {aside} set aside because the judges disagree" if aside else ""
            return f"iteration {data['iteration'] + 1}: {planned}{aside_note}"
        case "patch_applied":
            return f"{section}: edited"
        case "section_regenerated":
            return f"{section}: regenerated"
        case "verification_result" if data["passed"]:
            return f"{section}: settled"
        case "verification_result":
            return f"{section}: not kept: {'; '.join(REASONS.get(reason, reason) for reason in data['reasons'])}"
        case "quality_lock_triggered":
            return f"{section}: {data['criterion']} got worse, rolled back"
        case "iteration_complete":
            # An iteration's `stop_converged` does not tell which of the two reasons applies.
            stops = {**STOPS, "stop_converged": "further repairs would gain nothing"}
            scores = f"from {data['startScore']:.2f} to {data['endScore']:.2f}"
            return f"iteration {data['iteration'] + 1}: {scores}, {stops[data['decision']]}"
        case "writing_again":
            return f"regenerated ({data['attempt']}): {data['reason']}"
        case "judges_failed":
            return str(data["message"])
        case "round_ended":
            return f"{data['document']}: {data['status']}"
    return None


SOUND_TEXT = (
    "Water moves in a circle. The sun warms the sea, and vapour rises into the air. High above the ground it cools "
    "and becomes clouds. Rain and snow fall, and rivers carry the water back to the sea."
)
"""A text without findings."""

SOUND: Mapping[str, Any] = {"text": SOUND_TEXT, "role": "section", "language": "en", "title": "The circle of water"}

EXAMPLE_ID = "example"
"""The id of the unit that an example with `text` (or `fields`) describes."""


def example_lesson(partial: Mapping[str, Any]) -> tuple[LessonUnit, LessonContext]:
    """The unit described by an example, in its lesson.

    `text`, `title`, `role`, `fields` (exact fields instead of text and title) and `carried` describe the unit;
    `units` are the other units of the lesson, described the same way, or all units if there is no `text` and no
    `fields`. `language` is the expected one. `spec` has the spec's members; `source` lists passages.
    """
    facts = {**SOUND, **partial}
    own = "units" not in partial or "text" in partial or "fields" in partial
    units = [_unit(facts, EXAMPLE_ID)] if own else []
    units += [_unit({"title": None, **other}, f"other-{place}") for place, other in enumerate(facts.get("units", ()))]
    lesson = Lesson("example", facts.get("lesson_title", "Water"), facts["language"], tuple(units))
    passages = (
        Passage(f"source.md#p{place:04d}", text, "source.md", place)
        for place, text in enumerate(facts.get("source", ()), 1)
    )
    context = LessonContext(lesson, facts["language"], _spec(facts), tuple(passages))
    return units[0], context


def example_of(check: Check, partial: Mapping[str, Any]) -> tuple[Unit, LessonContext]:
    """The example as input of the check: one unit, or the lesson as a whole."""
    unit, context = example_lesson(partial)
    return (WholeLesson(context.lesson) if check.scope == "document" else unit), context


def illustration(check: Check, partial: Mapping[str, Any]) -> Illustration:
    """The example for display: its texts, and the expectations for them."""
    looked_at, context = example_of(check, partial)
    return Illustration(looked_at, context, (*_expected(partial, context), *_texts(partial, context.lesson)))


def _expected(partial: Mapping[str, Any], context: LessonContext) -> Iterator[Pictured]:
    """The expectations: a language, the specification, the source."""
    if "language" in partial:
        yield Pictured(partial["language"], "language: ")
    if context.spec is not None:
        ordered = partial["spec"]
        yield from (Pictured(f"{one.id} {one.text}", "objective: ") for one in context.spec.learning_objectives)
        yield from (Pictured(str(ordered[name]), f"{name}: ") for name in ("difficulty",) if name in ordered)
        for name, value in context.spec.extra.items():
            listed = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield Pictured(listed, f"{name}: ")
    yield from (Pictured(passage.text, "source: ") for passage in context.passages)


def _texts(partial: Mapping[str, Any], lesson: Lesson) -> Iterator[Pictured]:
    """Every text of the lesson. If there are several units, each has its title or its role before it."""
    several = len(lesson.units) > 1
    shows_text = several or bool({"text", "fields"} & partial.keys()) or not {"spec", "title"} & partial.keys()
    for unit in lesson.units:
        for field, text in unit.texts().items():
            if field == "title":
                yield Pictured(text, "title: ", unit.id, field, is_said="title" in partial and unit.id == EXAMPLE_ID)
                continue
            name = field or unit.title or unit.role
            label = f"{name}: " if several or unit.role == "exercise" else ""
            yield Pictured(text, label, unit.id, field, is_said=shows_text and bool(text))


def _unit(facts: Mapping[str, Any], id: str) -> LessonUnit:
    role: Role = facts.get("role", "section")
    text = facts.get("text", SOUND_TEXT)
    fields: dict[str | None, str] = {"title": facts.get("title") or "A title", None: text}
    if role == "exercise":
        fields = {"question": text, "solution": facts.get("solution", SOUND_TEXT)}
    elif role in ("intro", "conclusion"):
        fields = {None: text}
    return LessonUnit(facts.get("id", id), role, facts.get("fields") or fields, facts.get("carried", {}))


def _spec(facts: Mapping[str, Any]) -> Spec | None:
    given = facts.get("spec")
    if given is None:
        return None
    objectives = (
        Objective(f"LO{place}", one) if isinstance(one, str) else Objective(one["id"], one["text"])
        for place, one in enumerate(given.get("learning_objectives", ()), 1)
    )
    return Spec(
        lesson_id=given.get("lesson_id", "example"),
        title=given.get("title", "Water"),
        language=given.get("language", facts["language"]),
        difficulty=given.get("difficulty", "beginner"),
        learning_objectives=tuple(objectives),
        content_archetype=given.get("content_archetype"),
        duration_minutes=given.get("duration_minutes"),
        extra=given.get("extra", {}),
    )


class LessonOverview(Overview):
    """The Overview of lessons, each by itself because lessons do not depend on each other."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, document: str, preview: Iterable[Unit] = (), context: object = None) -> None:
        self._units = 0
        self._words = 0
        self._language: str | None = None
        self._findings: tuple[Finding, ...] = ()

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        assert isinstance(unit, LessonUnit), f"no unit of a lesson: {unit!r}"
        self._units += 1
        self._words += unit.words
        self._language = examination.language
        self._findings += examination.of_document
        return []

    def conclude(self) -> tuple[Finding, ...]:
        return self._findings

    def result(self) -> Mapping[str, Any]:
        return {"parts": self._units, "words": self._words, "language": self._language}


def judgement_row(story: UnitStory) -> Mapping[str, Any] | None:
    """The judges' scores and the findings of a unit's current attempt."""
    if not story.attempts:
        return None
    best = story.attempts[max(story.row.best_attempt, 1) - 1]
    return {
        "unit": story.row.id,
        "state": story.row.state,
        "reason": story.row.reason,
        "attempt": best.number,
        "scores": dict(best.scores),
        "findings": list(best.findings),
    }


def refinement_row(story: UnitStory) -> Mapping[str, Any] | None:
    """Every repair that was tried on a unit, kept or not."""
    tried = [attempt for attempt in story.attempts if attempt.edits]
    if not tried:
        return None
    best = story.row.best_attempt
    standing, gone = kept_edits(story.attempts, best), rolled_back(story.attempts, best)
    return {
        "unit": story.row.id,
        "repairs": [
            {
                "attempt": attempt.number,
                "cause": attempt.cause,
                "stands": attempt.number in standing,
                "rolled_back": attempt.number in gone,
                "failure": attempt.failure,
                "edits": list(attempt.edits),
                "receipt": attempt.receipt,
                "tokens": attempt.usage.total_tokens,
            }
            for attempt in tried
        ],
    }


DISPLAYS: Mapping[str, Display] = {
    "refinement_display.json": lambda events: inspector_extension(events).as_wire(),
    "panel_votes.json": lambda events: [result.as_wire() for result in voting_results(events)],
}
"""The display files of a lesson, by name: its refinement, and every vote of its panel."""

EXPORTS: Mapping[str, ExportRow] = {"judgements.jsonl": judgement_row, "refinements.jsonl": refinement_row}


class Open(BaseModel):
    """A model that keeps unknown fields unchanged."""

    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True)


class Closed(BaseModel):
    """A model without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LessonSection(Open):
    """One section."""

    id: str | None = None
    """Its id. If it is missing or repeated, the section is named by its position, and a problem is reported."""
    title: str
    content: str
    """Markdown."""
    citations: Any = None
    burnish_ignore: tuple[str, ...] = ()
    """Rules that are ignored here."""


class LessonExample(Open):
    """One example; its unit is `examples/0`."""

    title: str
    content: str
    code: Any = None
    """Never edited."""


class LessonExercise(Open):
    """One exercise; its unit is `exercises/0`."""

    question: str
    hints: tuple[str, ...] | None = ()
    solution: str
    grading_rubric: Any = None
    """Judged if it is text; otherwise carried unchanged."""


class LessonContent(Open):
    """The lesson itself."""

    intro: str | None = None
    sections: tuple[LessonSection, ...] = ()
    examples: tuple[LessonExample, ...] = ()
    exercises: tuple[LessonExercise, ...] = ()
    conclusion: str | None = None


class LearningObjective(Open):
    """A learning objective of the lesson."""

    id: str
    text: str


class LessonSpec(Open):
    """The specification of a lesson."""

    lesson_id: str
    title: str
    language: str
    """A BCP 47 tag."""
    difficulty: str
    content_archetype: str | None = None
    learning_objectives: tuple[LearningObjective, ...] = Field(min_length=1)
    duration_minutes: float | None = Field(default=None, gt=0)
    required_parts: tuple[Literal["intro", "sections", "examples", "exercises", "conclusion"], ...] = ()
    """Required parts: without them the lesson is incomplete."""


class LessonDocument(Open):
    """A lesson file. The content object alone is accepted too."""

    lesson_id: str | None = None
    """Default: the name of the file."""
    title: str | None = None
    language: str | None = None
    content: LessonContent
    spec: LessonSpec | None = None
    """Used if no other specification is given."""
    burnish_ignore: tuple[str, ...] = ()
    """Rules that are ignored in the whole lesson."""


class JudgementRow(Closed):
    """The judges' scores and the rules' findings for the current version of a unit."""

    unit: str
    state: str
    reason: str | None
    attempt: int
    """The current attempt."""
    scores: dict[str, float]
    """Criterion -> score."""
    findings: tuple[dict[str, Any], ...]


class RefinementTry(Closed):
    """One repair that was tried on a unit."""

    attempt: int
    cause: Literal["safe_fix", "model", "review", "person"]
    stands: bool
    """Whether it is in the final text."""
    rolled_back: bool
    """Whether it was kept at first, and undone when the judges found that a score got worse."""
    failure: str | None
    """Why it was not kept."""
    edits: tuple[dict[str, Any], ...]
    receipt: dict[str, Any] | None
    """As in receipt.json."""
    tokens: int


class RefinementRow(Closed):
    """Every repair that was tried on a unit."""

    unit: str
    repairs: tuple[RefinementTry, ...]


_TYPES = "burnish.kinds.lessons.refinement"
_DISPLAY = "burnish.kinds.lessons.display"

_SHAPES = "burnish.kinds.lessons.views"

CONTRACTS: Mapping[str, Contract] = {
    "lesson": Contract("A lesson as JSON.", _SHAPES, "LessonDocument"),
    "lesson_spec": Contract("The specification of a lesson.", _SHAPES, "LessonSpec"),
    "judgement_row": Contract("A line of judgements.jsonl.", _SHAPES, "JudgementRow"),
    "refinement_row": Contract("A line of refinements.jsonl.", _SHAPES, "RefinementRow"),
    "self_review_response": Contract(
        "The verdict of stage 1 on a lesson.", "burnish.kinds.lessons.self_review", "SelfReviewResponse"
    ),
    "judge_verdict": Contract("One judge's verdict on a lesson.", _TYPES, "JudgeVerdict"),
    "judge_aggregated_result": Contract("The result of a panel of judges.", _TYPES, "JudgeAggregatedResult"),
    "arbiter_output": Contract(
        "A plan of repairs, and which issues were accepted or rejected.", _TYPES, "ArbiterOutput"
    ),
    "refinement_plan": Contract("The repairs of one iteration.", _TYPES, "RefinementPlan"),
    "section_refinement_task": Contract("All issues to correct in one section.", _TYPES, "SectionRefinementTask"),
    "refinement_result": Contract(
        "The result of a lesson's refinement.", "burnish.kinds.lessons.controller", "RefinementResult"
    ),
    "refinement_plan_display": Contract("A plan for display.", _DISPLAY, "RefinementPlanDisplay"),
    "lesson_inspector_data_refinement_extension": Contract(
        "A lesson in refinement_display.json.", _DISPLAY, "LessonInspectorDataRefinementExtension"
    ),
    "clev_voting_result": Contract(
        "A vote in panel_votes.json.", _DISPLAY, "CLEVVotingResult", alias="clevvoting_result"
    ),
}
