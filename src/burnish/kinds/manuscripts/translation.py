"""Phases B and E: translate every paragraph from the cheapest source, and rework paragraphs that failed.

An existing draft comes first, then exact matches of the memory; only the rest is paid for. A model gets several
paragraphs at once, after the translations of those before them: a task is cut at headings into stretches, whose
batches are sent one after another, while the stretches run in parallel. If an answer leaves a paragraph out or spoils
it, only that one is refused, and requested once more alone. A rework tries the smallest edit first, then the paragraph.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from burnish.core.effects import (
    Answer,
    Ask,
    Effect,
    Keep,
    ModelRequest,
    Note,
    Outcome,
    Request,
    Settled,
    Stop,
    Tool,
    Work,
)
from burnish.core.records import Usage
from burnish.core.replies import EditReply, TranslationReply
from burnish.core.tasks import Item, Surroundings
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import INGESTED, MANUAL, QUEUED, REWORKED, TRANSLATED
from burnish.kinds.manuscripts.progress import (
    ROOM,
    Phase,
    bill,
    draft_of,
    in_script,
    issues_of,
    paragraph_of,
    past_of,
    reasons_of,
    source_of,
)
from burnish.kinds.manuscripts.replies import Answered, edits_of, translations_of
from burnish.kinds.manuscripts.requests import Rework, rework_edit_ask, rework_paragraph_ask, translate_ask
from burnish.kinds.manuscripts.sheet import Sheet
from burnish.text.transliteration import normalise

Origin = Literal["given", "memory", "machine", "model"]

STRETCH, STRETCH_ROOM = 100, 100_000
"""Paragraphs that one task translates, and the most characters of their source."""
MOST_BEFORE, BEFORE_ROOM = 10, 2_000
"""Translated paragraphs that a request shows before its batch, and the most characters of them."""


@dataclass(slots=True)
class Found:
    """The translation of one paragraph."""

    text: str
    origin: Origin
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()


class Translating(Phase):
    """The first pass."""

    name = "translate"
    takes = (INGESTED,)

    @property
    def _model(self) -> str | None:
        return self.env.roles.of("translator") if self.equipment.terms.translator == "model" else None

    @property
    def _machine(self) -> str | None:
        tool = self.equipment.terms.translator
        return tool if tool not in ("model", "memory") else None

    @property
    def size(self) -> int:
        if self._machine:
            return self.equipment.terms.batch
        return STRETCH if self._model else 200

    @property
    def room(self) -> int:
        return STRETCH_ROOM if self._model else ROOM

    @property
    def pays(self) -> bool:
        return self._model is not None

    def weight(self, item: Item) -> int:
        paragraph = source_of(item)
        return 0 if self._at_hand(paragraph) is not None else len(paragraph.text)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        found: dict[str, Found] = {}
        open: list[Item] = []
        for item in items:
            given = self._at_hand(source_of(item))
            if given is None:
                open.append(item)
            else:
                found[item.source.id] = given
        refused: dict[str, str] = {}
        if open and self._machine is not None:
            yield from self._by_machine(open, found)
        elif open and self._model is not None:
            yield from self._by_model(self._model, items, around, found, refused)
        return Outcome(
            tuple(self._settled(item, found.get(item.source.id), refused.get(item.source.id)) for item in items)
        )

    def _at_hand(self, paragraph: Paragraph) -> Found | None:
        """A translation that costs nothing: from the draft, or an exact match of the memory."""
        draft = self.equipment.draft.get(paragraph.id)
        if draft is not None and draft.strip():
            return Found(draft, "given")
        memory = self.equipment.memory
        known = memory.exact(paragraph.text) if memory is not None else None
        return Found(known, "memory") if known is not None and self.equipment.misfit(known, paragraph) is None else None

    def _by_machine(self, open: Sequence[Item], found: dict[str, Found]) -> Generator[Effect, Any, None]:
        assert self._machine is not None
        texts: Sequence[str] = yield Tool(self._machine, tuple(source_of(item).text for item in open))
        for item, text in zip(open, texts, strict=True):
            if text.strip() and self.equipment.misfit(text.strip(), source_of(item)) is None:
                found[item.source.id] = Found(text.strip(), "machine")

    def _by_model(
        self,
        model: str,
        items: Sequence[Item],
        around: Surroundings,
        found: dict[str, Found],
        refused: dict[str, str],
    ) -> Generator[Effect, Any, None]:
        """Ask for one batch of every stretch at a time, then one by one for what could not be used. At batch prices
        every step may take a day, so all batches are sent at once, without the translations before them."""
        alone: set[str] = set()
        for step, batches in enumerate(self._steps(items, found)):
            requests = (
                self._request(model, batch, around, self._before(stretch, batch, found), goes_on=step > 0)
                for stretch, batch in batches
            )
            answers: tuple[Answer, ...] = yield Ask(tuple(requests))
            for (_, batch), answer in zip(batches, answers, strict=True):
                self._take(answer, batch, found, refused)
                alone |= {item.source.id for item in batch} if answer.refused else set()
        again = [item for item in items if item.source.id in refused]
        if not again:
            return
        # If an endpoint refused the batch for its content, a single request must not show the neighbours as context.
        singles = (self._request(model, [item], None if item.source.id in alone else around) for item in again)
        answers = yield Ask(tuple(singles))
        for item, answer in zip(again, answers, strict=True):
            del refused[item.source.id]
            self._take(answer, [item], found, refused)

    def _steps(self, items: Sequence[Item], found: Mapping[str, Found]) -> list[list[tuple[list[Item], list[Item]]]]:
        """For each step, the stretches with their next batch."""
        stretches = [
            (stretch, list(self._batches(stretch, found))) for stretch in _stretches(items, self.equipment.terms.batch)
        ]
        if self.equipment.terms.in_batches:
            return [[(stretch, batch) for stretch, batches in stretches for batch in batches]]
        most = max(len(batches) for _, batches in stretches)
        return [[(one, batches[at]) for one, batches in stretches if at < len(batches)] for at in range(most)]

    def _batches(self, stretch: Sequence[Item], found: Mapping[str, Found]) -> Iterator[list[Item]]:
        """Batches of the paragraphs without a translation."""
        batch: list[Item] = []
        room = ROOM
        for item in stretch:
            if item.source.id in found:
                continue
            weight = len(source_of(item).text)
            if batch and (len(batch) == self.equipment.terms.batch or weight > room):
                yield batch
                batch, room = [], ROOM
            batch.append(item)
            room -= weight
        if batch:
            yield batch

    def _before(self, stretch: Sequence[Item], batch: Sequence[Item], found: Mapping[str, Found]) -> list[str]:
        """The translations that a request shows before its batch."""
        shown: list[str] = []
        if self.equipment.terms.in_batches:
            return shown
        at = stretch.index(batch[0])
        for item in reversed(stretch[max(0, at - MOST_BEFORE) : at]):
            text = found[item.source.id].text if item.source.id in found else ""
            if sum(map(len, shown)) + len(text) > BEFORE_ROOM:
                break
            shown += [text] if text else []
        return shown[::-1]

    def _request(
        self,
        model: str,
        items: Sequence[Item],
        around: Surroundings | None,
        translated: Sequence[str] = (),
        *,
        goes_on: bool = False,
    ) -> ModelRequest:
        before = around.drafts_around(items[0].row, 1, 0)[0] if around is not None and not translated else []
        after = around.drafts_around(items[-1].row, 0, 1)[1] if around is not None else []
        paragraphs = [source_of(item) for item in items]
        memory = self.equipment.memory
        near = {one.id: memory.fuzzy(one.text) for one in paragraphs} if memory is not None else {}
        suggestions = {id: one for id, one in near.items() if one is not None}
        ask = translate_ask(
            paragraphs,
            self.equipment.commission,
            before=_text(before),
            translated=translated,
            after=_text(after),
            suggestions=suggestions,
            sheet=self._sheet,
        )
        return ModelRequest(ask, model, goes_on=goes_on)

    @cached_property
    def _sheet(self) -> Sheet:
        return Sheet.of(self.env.facts)

    def _take(self, answer: Answer, items: Sequence[Item], found: dict[str, Found], refused: dict[str, str]) -> None:
        """Store the translations of an answer. The first usable paragraph carries the cost of the batch."""
        if not isinstance(answer.reply, TranslationReply):
            refused.update({item.source.id: str(answer.failure) for item in items})
            return
        read = translations_of(answer.reply, [source_of(item) for item in items], self.equipment.misfit)
        refused.update(read.refused)
        for place, (id, text) in enumerate(read.usable.items()):
            found[id] = Found(text, "model", *bill(answer, first=place == 0))

    def _settled(self, item: Item, found: Found | None, why: str | None) -> Settled:
        paragraph = draft_of(item)
        if found is None:
            reason = "not_translated" if why else "no_translation"
            told = (Note("translation_refused", paragraph.id, {"reason": why}),) if why else ()
            return Settled(paragraph.id, (Stop(MANUAL, reason),), notes=told)
        text, notes = found.text, []
        if self.equipment.writes_tamazight:
            # Replace look-alike letters of other alphabets by those of Tamazight, and note them.
            normal = normalise(text, keep=self.equipment.kept_names, format="text")
            text, notes = normal.text, [asdict(note) for note in normal.notes]
        draft = replace(paragraph, latin=text) if self.equipment.terms.renders else replace(paragraph, translation=text)
        told = (Note("letters_normalised", paragraph.id, {"notes": notes}),) if notes else ()
        attempt = Keep(draft, found.origin, usage=found.usage, calls=found.calls)
        return Settled(paragraph.id, (Stop(TRANSLATED, found.origin),), (attempt,), told)


def _stretches(items: Sequence[Item], least: int) -> list[list[Item]]:
    """The paragraphs of a task, cut at headings; a chapter shorter than a batch is joined with the next."""
    found: list[list[Item]] = []
    for item in items:
        if not found or (source_of(item).block == "heading" and len(found[-1]) >= least):
            found.append([])
        found[-1].append(item)
    return found


def _text(units: Sequence[object]) -> str:
    """The neighbour's text. A paragraph out of scope is never sent to a translator, not even as context."""
    neighbour = paragraph_of(units[0]) if units else None
    return neighbour.text if neighbour is not None and neighbour.excluded is None else ""


@dataclass(slots=True)
class Task:
    """One paragraph to repair."""

    item: Item
    rework: Rework
    text: str | None = None
    """The new draft."""
    edits: tuple[dict[str, Any], ...] = ()
    """The edits that made it, if edits did."""
    refusals: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    calls: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.item.source.id


class Reworking(Phase):
    """Repairs paragraphs that failed their review."""

    name = "rework"
    takes = (QUEUED,)

    @property
    def _model(self) -> str | None:
        return self.env.roles.of("reworker")

    @property
    def size(self) -> int:
        return self.equipment.terms.batch

    @property
    def pays(self) -> bool:
        return self._model is not None

    def weight(self, item: Item) -> int:
        paragraph = draft_of(item)
        return len(paragraph.text) + len(paragraph.draft)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        if not self.pays:
            return Outcome(tuple(Settled(item.source.id, (Stop(MANUAL, "no_model"),)) for item in items))
        tasks = [self._task(item, around) for item in items]
        # Edits come first. If they did not help, or there is nothing to edit, paragraphs are rewritten, and finally
        # one by one those that the answer left out or spoiled.
        if edited := [task for task in tasks if task.rework.paragraph.draft and not past_of(task.item).edits_tried]:
            yield from self._edited(edited)
        if open := [task for task in tasks if task.text is None]:
            yield from self._rewritten(open)
            for task in open if len(open) > 1 else ():
                if task.text is None:
                    yield from self._rewritten([task])
        return Outcome(tuple(self._settled(task) for task in tasks))

    def _task(self, item: Item, around: Surroundings) -> Task:
        kept = item.attempts[item.row.best_attempt - 1]
        standing = item.effective_decisions
        notes = [decision.data.get("note") for decision in standing if decision.data.get("verdict") == "reject"]
        before, after = around.drafts_around(item.row, 1, 1)
        rework = Rework(
            draft_of(item),
            issues_of(kept),
            reasons=tuple(reasons_of(kept)),
            note=_sent_back(notes),
            tries=sum(attempt.cause == "model" for attempt in item.attempts),
            before=_draft(before),
            after=_draft(after),
        )
        return Task(item, rework)

    def _edited(self, tasks: Sequence[Task]) -> Generator[Effect, Any, None]:
        answer = yield from self._asked(rework_edit_ask([task.rework for task in tasks], self.equipment.commission))
        paragraphs = [task.rework.paragraph for task in tasks]
        if not isinstance(answer.reply, EditReply):
            self._take(None, tasks, answer)
            return
        reply = answer.reply.about(paragraphs[0].id) if len(paragraphs) == 1 else answer.reply
        self._take(edits_of(reply, paragraphs, self.equipment.misfit), tasks, answer)
        for task in tasks:
            mine = [edit.model_dump() for edit in reply.edits if edit.unit == task.id]
            task.edits = tuple(mine) if task.text is not None else ()

    def _rewritten(self, tasks: Sequence[Task]) -> Generator[Effect, Any, None]:
        sheet = Sheet.of(self.env.facts)
        ask = rework_paragraph_ask([task.rework for task in tasks], self.equipment.commission, sheet)
        answer = yield from self._asked(ask)
        made = None
        if isinstance(answer.reply, TranslationReply):
            made = translations_of(answer.reply, [task.rework.paragraph for task in tasks], self.equipment.misfit)
        self._take(made, tasks, answer)

    def _asked(self, ask: Request) -> Generator[Effect, Any, Answer]:
        assert self._model is not None, "without a model nothing is taken from the queue"
        answers: tuple[Answer, ...] = yield Ask((ModelRequest(ask, self._model),))
        return answers[0]

    def _take(self, made: Answered | None, tasks: Sequence[Task], answer: Answer) -> None:
        """Store the texts of an answer. `made` is None if the whole answer is unusable."""
        made = made or Answered(refused={task.id: str(answer.failure) for task in tasks})
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
            return Settled(task.id, (Stop(MANUAL, "not_reworked"),), notes=refusals)
        if paragraph.latin is None and not self.equipment.terms.renders:
            draft = replace(paragraph, translation=task.text)
        else:
            normal = normalise(task.text, keep=self.equipment.kept_names, format="text").text
            draft = in_script(replace(paragraph, latin=normal), self.equipment)
        attempt = Keep(
            draft,
            "model",
            edits=task.edits,
            receipt={"before": paragraph.content_hash, "after": draft.content_hash},
            usage=task.usage,
            calls=tuple(dict.fromkeys(task.calls)),
        )
        return Settled(task.id, (Stop(REWORKED, "edited" if task.edits else "rewritten"),), (attempt,), refusals)


def _sent_back(notes: Sequence[str | None]) -> str | None:
    """The last note, with the number of times: the same words would get the old answer again."""
    if not notes:
        return None
    times = f" (Sent back {len(notes)} times.)" if len(notes) > 1 else ""
    return f"{notes[-1] or 'It is not good enough yet.'}{times}"


def _draft(units: Sequence[object]) -> str:
    return paragraph_of(units[0]).draft if units else ""
