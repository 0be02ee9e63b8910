"""Goes through a lesson's procedure without an engine: a world answers, and everything that was said is kept."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from burnish.core.checks import Examination, select
from burnish.core.documents import Material
from burnish.core.effects import Answer, Ask, Keep, ModelRequest, ModelRoles, Note, Outcome
from burnish.core.errors import ReplyUnreadable
from burnish.core.records import Usage
from burnish.engine.client import call_of
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit
from burnish.kinds.lessons.policy import STATES, RefinementLimits
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.work import LessonWork
from burnish.models.envelopes import parse_reply
from burnish.models.profiles import CallSettings
from tests.lessons_model import SOURCE, SPEC, Down, World, as_text

JUDGES = ("openai:judge-a", "openai:judge-b")
THREE = (*JUDGES, "openai:judge-c")
ROLES = {"patcher": "openai:patcher"}


@dataclass(frozen=True)
class Round:
    """What one go at a lesson starts from."""

    number: int
    units: tuple[LessonUnit, ...]
    attempts: Mapping[str, int]
    """Unit -> how many attempts it has had before."""
    notes: Mapping[str, str]
    settled: frozenset[str]


@dataclass
class Happening:
    """One event."""

    type: str
    unit: str | None
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Rest:
    """Where a unit came to rest."""

    ready: bool
    reason: str
    attempt: int


@dataclass
class Performance:
    """All that a procedure did."""

    ending: Outcome
    context: LessonContext
    events: list[Happening] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    drafts: dict[str, list[Keep]] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)
    """Unit -> how many attempts it had before."""
    answers: list[Answer] = field(default_factory=list)
    final: Mapping[str, LessonUnit] = field(default_factory=dict)
    """Every unit as the procedure itself holds it at the end: as in its last look at the lesson."""

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def data(self, type: str) -> Mapping[str, Any]:
        """Of the only event of this type."""
        [found] = [event.data for event in self.events if event.type == type]
        return found

    def of(self, type: str) -> list[Happening]:
        return [event for event in self.events if event.type == type]

    def asked(self, role: str | None = None, model: str | None = None) -> list[ModelRequest]:
        """Requests of a role, to a model."""
        return [
            request
            for request in self.requests
            if (role is None or request.ask.role == role) and (model is None or request.model.endswith(model))
        ]

    def text(self, unit: str) -> str:
        """What stands at the end."""
        rest = self.rests[unit]
        stands = self.drafts[unit][rest.attempt - self.first.get(unit, 0) - 1].unit
        assert isinstance(stands, LessonUnit)
        return stands.text

    @property
    def rests(self) -> dict[str, Rest]:
        """Unit -> where it came to rest."""
        return {
            one.unit: Rest(one.states[-1].state == STATES.ready, str(one.states[-1].reason), one.best or 0)
            for one in self.ending.units
        }

    @property
    def waiting(self) -> list[str]:
        return [id for id, rest in self.rests.items() if not rest.ready]

    @property
    def refinement(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.ending.result["refinement"]
        return found


@dataclass
class Stage:
    """Everything that a performance needs."""

    world: World = field(default_factory=World)
    mode: str = "semi-auto"
    judges: tuple[str, ...] = JUDGES
    roles: Mapping[str, str] = field(default_factory=lambda: dict(ROLES))
    sources: bool = False
    limits: RefinementLimits = field(default_factory=RefinementLimits)
    usage: Callable[[ModelRequest], Usage] = lambda _: Usage(100, 20, 0.0)
    seconds: float = 1.0
    spec: Mapping[str, Any] = field(default_factory=lambda: SPEC)
    severities: Mapping[str, Any] = field(default_factory=dict)
    contexts: Mapping[str, int] = field(default_factory=dict)

    def context(self, lesson: Mapping[str, Any]) -> LessonContext:
        sources = [Material("source.md", "source.md", SOURCE.encode())] if self.sources else []
        spec = Material("spec.json", "spec.json", json.dumps(self.spec).encode())
        kind = LessonsKind().supplied({"spec": [spec], "source": sources}, {})
        return kind.context([kind.survey(io.BytesIO(as_text(lesson).encode()), "lesson.json", "json")], {})

    def perform(self, lesson: Mapping[str, Any], round: Round | None = None) -> Performance:
        context = self.context(lesson)
        begun = round or first_round(context.lesson)
        selection = select(LessonsKind().checks, severities=dict(self.severities))

        looked_at: list[Lesson] = []

        def examined(current: Lesson, unit: LessonUnit) -> Examination:
            looked_at[:] = [current]
            return examine(unit, selection, replace(context, lesson=current))

        roles = ModelRoles(self.judges, self.roles, self.contexts)
        progress = LessonProgress.begun(context, roles, examined, self.mode, self.limits)  # type: ignore[arg-type]
        progress.lesson = context.lesson.replaced(begun.units)
        progress.notes, progress.settled = dict(begun.notes), begun.settled
        progress.first_cause = "review" if any(begun.attempts.values()) else "source"
        done = self._driven(LessonWork(progress, begun.number), begun)
        return replace(done, final={unit.id: unit for unit in looked_at[0].units})

    def _driven(self, work: LessonWork, round: Round) -> Performance:
        procedure = work.run()
        done = Performance(Outcome(), work.progress.context, first=round.attempts)
        sent: Any = None
        while True:
            try:
                step = procedure.send(sent)
            except StopIteration as end:
                done.ending = end.value
                json.dumps([done.ending.result, *(event.data for event in done.events)])  # all of it is JSON
                assert_in_order(done.types)
                return done
            sent = None
            if isinstance(step, Ask):
                sent = tuple(self.answer(request) for request in step.requests)
                done.requests += step.requests
                done.answers += sent
            elif isinstance(step, Keep):
                done.drafts.setdefault(step.unit.id, []).append(step)
                sent = len(done.drafts[step.unit.id]) + round.attempts.get(step.unit.id, 0)
            else:
                assert isinstance(step, Note)
                done.events.append(Happening(step.type, step.unit, step.data))

    def answer(self, request: ModelRequest) -> Answer:
        """What came of a request, as the engine would hand it on."""
        call = call_of(request.ask, request.model, "a nonce", CallSettings())
        calls, usage = (call.key,), self.usage(request)
        try:
            said = self.world.reply(request.ask.reply, request.model, call.user)
        except Down as down:
            return Answer(request.model, None, f"model_failed: {down}", calls, Usage(), 0.0)
        raw = said if isinstance(said, str) else json.dumps(said)
        try:
            reply = parse_reply(request.ask.reply, raw)
        except ReplyUnreadable as unreadable:
            return Answer(request.model, None, f"reply_unreadable: {unreadable.message}", calls, usage, self.seconds)
        return Answer(request.model, reply, None, calls, usage, self.seconds)


LETTERS = {
    "refinement_start": "S",
    "arbiter_consolidation": "A",
    "batch_started": "B",
    "task_started": "T",
    "patch_applied": "P",
    "section_regenerated": "P",
    "verification_result": "V",
    "quality_lock_triggered": "Q",
    "section_locked": "L",
    "iteration_complete": "I",
    "convergence_detected": "C",
    "best_effort_selected": "E",
    "escalation_triggered": "E",
    "refinement_complete": "Z",
}
STORY = re.compile("(?:S(?:A(?:BT+(?:P?V)+)+Q*L*IC?)*A?E?Z)*")
"""The order in `refinement/events.py`; a plan may stay without a batch where the lesson has to be written again."""


def assert_in_order(types: Sequence[str]) -> None:
    story = "".join(LETTERS.get(type, "") for type in types)
    assert STORY.fullmatch(story), story


def first_round(lesson: Lesson) -> Round:
    return Round(1, lesson.units, {}, {}, frozenset())
