"""What a run recorded of one lesson: the events of its latest round, and its units with their titles.

A run may hold very many lessons. A round has a beginning and an end in the journal, so no more is read than what
happened between the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from burnish.app.materials import read_file
from burnish.app.run_reader import RunReader
from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord
from burnish.engine.check import opened
from burnish.kinds.lessons.model import LessonContext
from burnish.kinds.lessons.policy import RefinementConfig, config_for
from burnish.kinds.lessons.refinement.display import (
    CLEVVotingResult,
    RefinementPlanDisplay,
    inspector_extension,
    voting_display,
)
from burnish.kinds.lessons.refinement.events import REFINEMENT_EVENTS, STAGES
from burnish.kinds.lessons.refinement.types import JudgeAggregatedResult
from burnish.store.journal import Journal
from burnish.text.markdown import forget_views
from burnish.web import Drawn
from burnish.web.formatting import in_words
from burnish.web.labels import lang_tag

BEGINS, ENDS = "round_started", "round_ended"
TOLD = (*REFINEMENT_EVENTS, *STAGES, "model_degraded", "transition_broken", BEGINS, ENDS)
"""What is worth showing."""

MOST_SPECS = 12
"""Specifications that are read for a page; a run over many lessons shows them without."""

LARGEST = 4_000_000
"""Bytes of a lesson that is read for its titles and its language; a larger one is shown without."""

Payload = Mapping[str, Any]


@dataclass(frozen=True)
class LessonRecord:
    """One lesson of a run."""

    document: str
    events: Sequence[EventRecord]
    """Of its latest round, in order."""
    mode: str
    """`semi-auto` or `full-auto`, as the run was ordered."""
    context: LessonContext
    """The lesson as its file holds it, its language and its specification. One that cannot be read any more has no
    units: sections then go by their ids."""

    at_work: bool = False
    """Whether somebody works on the run now."""

    def of(self, *types: str) -> Iterator[Payload]:
        """What events of these types say, in order."""
        return (event.data for event in self.events if event.type in types)

    def first(self, type: str) -> Payload | None:
        return next(self.of(type), None)

    @cached_property
    def refinement(self) -> Sequence[EventRecord]:
        """The events of the last refinement: a lesson that was written again is refined again."""
        starts = [place for place, event in enumerate(self.events) if event.type == "refinement_start"]
        told = self.events[starts[-1] :] if starts else ()
        return [event for event in told if event.type in REFINEMENT_EVENTS]

    def refined(self, type: str) -> list[Payload]:
        """What events of the last refinement say."""
        return [event.data for event in self.refinement if event.type == type]

    @cached_property
    def start(self) -> Payload | None:
        """How the refinement began; None where there was none yet."""
        return next(iter(self.refined("refinement_start")), None)

    @cached_property
    def end(self) -> Payload | None:
        """How the refinement ended; None where it did not yet."""
        return next(iter(self.refined("refinement_complete")), None)

    @cached_property
    def plan(self) -> RefinementPlanDisplay | None:
        return inspector_extension(self.events).refinement_plan

    @cached_property
    def panels(self) -> tuple[tuple[int | None, JudgeAggregatedResult], ...]:
        """Every word of the panel on the lesson that was refined, and after which iteration; None: at first."""
        told = [*self.refined("refinement_start"), *self.refined("iteration_complete")]
        if not told:
            # The panel has spoken, and what follows from that is still to come, or nothing does.
            told = list(self.of("judged"))[-1:]
        return tuple(
            (data.get("iteration"), JudgeAggregatedResult.model_validate(data["clevResult"]))
            for data in told
            if data.get("clevResult")
        )

    @property
    def votes(self) -> tuple[CLEVVotingResult, ...]:
        """The same as people see it."""
        return tuple(voting_display(panel, iteration) for iteration, panel in self.panels)

    @cached_property
    def thresholds(self) -> RefinementConfig:
        """The scores that the lesson has to meet."""
        return config_for("full-auto" if self.mode == "full-auto" else "semi-auto")

    @property
    def score(self) -> float | None:
        """As it was judged last, or as it was delivered; None before it was judged."""
        if self.end is not None:
            return float(self.end["score"])
        return self.panels[-1][1].aggregated_score if self.panels else None

    @property
    def is_over(self) -> bool:
        return self.first(ENDS) is not None

    def title_of(self, id: str) -> str:
        """What a section is called: its heading, or else its id in words."""
        lesson = self.context.lesson
        return (lesson.unit(id).title if id in lesson else None) or plain_title(id)

    @property
    def lang(self) -> str | None:
        """The language of the lesson, for `lang`."""
        return lang_tag(self.context.language)


def plain_title(id: str) -> str:
    """`exercises/0` is `Exercise 1`, `intro` is `Introduction`; any other id speaks for itself."""
    part, _, number = id.partition("/")
    if part in ("examples", "exercises") and number.isdecimal():
        return f"{part.removesuffix('s').capitalize()} {int(number) + 1}"
    return {"intro": "Introduction", "conclusion": "Conclusion", "lesson": "The lesson as a whole"}.get(id, id)


def lesson_record(run: RunReader, document: str) -> LessonRecord:
    """What the run recorded of this document."""
    view = run.view
    mode = str(view.plan.arguments.get("options", {}).get("mode", "semi-auto"))
    events, context = latest_round(view.journal, document), lesson_context(run, document)
    return LessonRecord(document, events, mode, context, run.card.state == "working")


def latest_round(journal: Journal, document: str) -> list[EventRecord]:
    """The events of a document's latest round, in order; none where it was not begun."""
    rounds = [e for e in journal.events(types=(BEGINS, ENDS)) if e.data.get("document") == document]
    begun = [event.seq for event in rounds if event.type == BEGINS]
    if not begun:
        return []
    ended = next((event.seq for event in rounds if event.type == ENDS and event.seq > begun[-1]), None)
    found = []
    for event in journal.events(after=begun[-1] - 1, types=TOLD):
        if ended is not None and event.seq > ended:
            break
        if event.data.get("document") == document:
            found.append(event)
    return found


def lesson_context(run: RunReader, document: str) -> LessonContext:
    """The lesson as its file holds it."""
    kind = _equipped(run)
    plan = next((one for one in run.view.plan.documents if one.name == document), None)
    surveys: list[object] = []
    if plan is not None:
        # The pages of a run outlive its source: without it they have less to say, and no error.
        with suppress(InputError, OSError):
            if Path(plan.path).stat().st_size <= LARGEST:
                with opened(plan.path) as stream:
                    surveys = [kind.survey(stream, plan.path, plan.format)]
    context = kind.context(surveys, {})
    forget_views()  # a server shows very many lessons, and must not keep what checks would look at again
    assert isinstance(context, LessonContext), "a run of lessons is looked at with the kind of lessons"
    return context


def _equipped(run: RunReader) -> Kind:
    """The kind with the specifications that the run was given, as far as they are still there to be read."""
    kind, plan = run.view.kind, run.view.plan
    specs = [one for one in plan.materials if one.role == "spec"]
    if not kind.is_whole or not 0 < len(specs) <= MOST_SPECS:
        return kind
    with suppress(InputError):
        read = [Material(one.name, one.path, read_file(Path(one.path))) for one in specs]
        return kind.supplied({"spec": read}, {})
    return kind


LOCKS = {"max_edits": "edits used up", "regression": "rolled back", "oscillation": "scores went up and down"}
"""Why nothing touches a section any more, in words."""
SHOWN = 9
"""Lessons that are offered at once: the one that is looked at, and its neighbours."""
TONES = {"accepted": "done", "accepted_warning": "done", "best_effort": "done"}
"""How the work on a lesson ended -> how that is drawn; anything else waits for a person."""


def chooser(run: RunReader, requested: str | None) -> Drawn:
    """The lesson that is asked for, or the one that matters most now: at work, else waiting for a person, else the
    first."""
    names = [document.name for document in run.view.plan.documents]
    ended: dict[str, str] = {}
    """Lesson -> how its latest round ended; empty while it is under way."""
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
        choices=tuple(  # none where there is one lesson
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
    """How a lesson is drawn, and in words."""
    if not status:
        return ("stop", "not started") if status is None else ("work", "at work")
    labels = {
        "accepted_warning": "accepted with a warning",
        "best_effort": "best effort",
        "escalated": "needs a person",
    }
    return TONES.get(status, "wait"), labels.get(status, in_words(status))
