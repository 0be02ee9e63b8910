"""Phase E: only what failed, the smallest edit first, then the paragraph."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from burnish.core.effects import Ask, Effect, Keep, ModelRequest, Note, Outcome, Settled, Stop, Work
from burnish.core.records import Usage
from burnish.core.replies import EditReply, TranslationReply
from burnish.core.requests import Answer
from burnish.core.tasks import Environment, Item, Surroundings
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import MANUAL, QUEUED, REWORKED
from burnish.kinds.manuscripts.replies import Answered, edits_of, translations_of
from burnish.kinds.manuscripts.requests import Rework, rework_edit_ask, rework_paragraph_ask
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.work.progress import (
    ROOM,
    bill,
    draft_of,
    in_script,
    issues_of,
    paragraph_of,
    past_of,
    reasons_of,
)
from burnish.text.transliteration import normalise


@dataclass(slots=True)
class Task:
    """One paragraph that has to be mended."""

    item: Item
    rework: Rework
    text: str | None = None
    """The new draft."""
    edits: tuple[dict[str, Any], ...] = ()
    """What it was made of, where edits did it."""
    refusals: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    calls: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.item.source.id


@dataclass(frozen=True)
class Reworking:
    """Mends what failed."""

    equipment: Equipment
    env: Environment
    name: str = "rework"
    enters: str | None = None
    gathers: bool = False
    moves: tuple[str, ...] = ()
    room: int = ROOM

    @property
    def _model(self) -> str | None:
        return self.env.roles.of("reworker")

    @property
    def takes(self) -> tuple[str, ...]:
        """Nothing where nobody can mend it: it stays queued until a model is named."""
        return (QUEUED,) if self._model else ()

    @property
    def size(self) -> int:
        return self.equipment.terms.batch

    @property
    def pays(self) -> bool:
        return True

    def weight(self, item: Item) -> int:
        paragraph = draft_of(item)
        return len(paragraph.text) + len(paragraph.draft)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        tasks = [self._task(item, around) for item in items]
        yield from self._by_edits([task for task in tasks if self._wants_edit(task)])
        yield from self._by_paragraphs([task for task in tasks if task.text is None])
        return Outcome(tuple(self._settled(task) for task in tasks))

    def _task(self, item: Item, around: Surroundings) -> Task:
        stands = item.attempts[item.row.best_attempt - 1]
        standing = item.standing_decisions
        notes = [decision.data.get("note") for decision in standing if decision.data.get("verdict") == "reject"]
        before, after = around.beside(item.row, 1, 1)
        rework = Rework(
            draft_of(item),
            issues_of(stands),
            reasons=tuple(reasons_of(stands)),
            note=_sent_back(notes),
            tries=sum(attempt.cause == "model" for attempt in item.attempts),
            before=_draft(before),
            after=_draft(after),
        )
        return Task(item, rework)

    def _wants_edit(self, task: Task) -> bool:
        """Edits come first. Where they did not help, or there is nothing to edit, the paragraph is written anew."""
        paragraph = task.rework.paragraph
        return bool(paragraph.draft) and not past_of(task.item).edits_tried

    def _by_edits(self, tasks: Sequence[Task]) -> Generator[Effect, Any, None]:
        if not tasks:
            return
        ask = rework_edit_ask([task.rework for task in tasks], self.equipment.commission)
        answer = yield from self._asked(ask_request(ask, self._model))
        paragraphs = [task.rework.paragraph for task in tasks]
        if isinstance(answer.reply, EditReply):
            self._take(edits_of(answer.reply, paragraphs, self.equipment.misfit), tasks, answer)
            for task in tasks:
                mine = [edit.model_dump() for edit in answer.reply.edits if edit.unit == task.id]
                task.edits = tuple(mine) if task.text is not None else ()
        else:
            self._take(Answered(refused={task.id: str(answer.failure) for task in tasks}), tasks, answer)

    def _by_paragraphs(self, tasks: Sequence[Task]) -> Generator[Effect, Any, None]:
        """Ask, then one by one what the answer left out or spoiled."""
        if not tasks:
            return
        yield from self._rewritten(tasks)
        for task in tasks if len(tasks) > 1 else ():
            if task.text is None:
                yield from self._rewritten([task])

    def _rewritten(self, tasks: Sequence[Task]) -> Generator[Effect, Any, None]:
        ask = rework_paragraph_ask([task.rework for task in tasks], self.equipment.commission)
        answer = yield from self._asked(ask_request(ask, self._model))
        if isinstance(answer.reply, TranslationReply):
            made = translations_of(answer.reply, [task.rework.paragraph for task in tasks], self.equipment.misfit)
        else:
            made = Answered(refused={task.id: str(answer.failure) for task in tasks})
        self._take(made, tasks, answer)

    def _asked(self, request: ModelRequest) -> Generator[Effect, Any, Answer]:
        answers: tuple[Answer, ...] = yield Ask((request,))
        return answers[0]

    def _take(self, made: Answered, tasks: Sequence[Task], answer: Answer) -> None:
        for task in tasks:
            usage, calls = bill(answer, first=task is tasks[0])
            task.usage += usage
            task.calls += calls
            task.text = made.usable.get(task.id)
            if task.id in made.refused:
                task.refusals.append(made.refused[task.id])

    def _settled(self, task: Task) -> Settled:
        paragraph = task.rework.paragraph
        refusals = tuple(Note("edit_refused", task.id, {"reason": reason}) for reason in task.refusals)
        if task.text is None:
            return Settled(task.id, (Stop(MANUAL, "not_reworked"),), told=refusals)
        draft = self._redrafted(paragraph, task.text)
        attempt = Keep(
            draft,
            "model",
            edits=task.edits,
            receipt={"before": paragraph.content_hash, "after": draft.content_hash},
            usage=task.usage,
            calls=tuple(dict.fromkeys(task.calls)),
        )
        return Settled(task.id, (Stop(REWORKED, "edited" if task.edits else "rewritten"),), (attempt,), refusals)

    def _redrafted(self, paragraph: Paragraph, text: str) -> Paragraph:
        if paragraph.latin is None and not self.equipment.terms.renders:
            return replace(paragraph, translation=text)
        normal = normalise(text, keep=self.equipment.kept_names, format="text").text
        return in_script(replace(paragraph, latin=normal), self.equipment)


def _sent_back(notes: Sequence[str | None]) -> str | None:
    """The last note; never what it said the time before, or the old answer would be repeated."""
    if not notes:
        return None
    times = f" (Sent back {len(notes)} times.)" if len(notes) > 1 else ""
    return f"{notes[-1] or 'It is not good enough yet.'}{times}"


def ask_request(ask: Any, model: str | None) -> ModelRequest:
    assert model is not None, "without a model nothing is taken from the queue"
    return ModelRequest(ask, model)


def _draft(units: Sequence[object]) -> str:
    return paragraph_of(units[0]).draft if units else ""
