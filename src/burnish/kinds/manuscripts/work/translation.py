"""Phase B: every paragraph its translation, from the cheapest source that has one.

A draft that was brought comes first, then the memory's exact matches; only the rest is paid for. A model gets several
paragraphs at once. What its answer leaves out or spoils is refused for that paragraph only, and asked for once more
alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from burnish.core.effects import Ask, Effect, Keep, ModelRequest, Note, Outcome, Settled, Stop, Tool, Work
from burnish.core.records import Usage
from burnish.core.replies import TranslationReply
from burnish.core.requests import Answer
from burnish.core.tasks import Environment, Item, Surroundings
from burnish.kinds.manuscripts.materials.memory import Suggestion
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import INGESTED, MANUAL, TRANSLATED
from burnish.kinds.manuscripts.replies import translations_of
from burnish.kinds.manuscripts.requests import translate_ask
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.work.progress import ROOM, bill, draft_of, paragraph_of, source_of
from burnish.text.transliteration import normalise

Origin = Literal["given", "memory", "machine", "model"]


@dataclass(slots=True)
class Found:
    """What was found for one paragraph."""

    text: str
    origin: Origin
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translating:
    """The first pass."""

    equipment: Equipment
    env: Environment
    name: str = "translate"
    takes: tuple[str, ...] = (INGESTED,)
    enters: str | None = None
    gathers: bool = False
    moves: tuple[str, ...] = ()
    room: int = ROOM

    @property
    def _model(self) -> str | None:
        return self.env.roles.of("translator") if self.equipment.terms.translator == "model" else None

    @property
    def _machine(self) -> str | None:
        tool = self.equipment.terms.translator
        return tool if tool not in ("model", "memory") else None

    @property
    def size(self) -> int:
        return self.equipment.terms.batch if self._model or self._machine else 200

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
            yield from self._by_model(self._model, open, around, found, refused)
        return Outcome(
            tuple(self._settled(item, found.get(item.source.id), refused.get(item.source.id)) for item in items)
        )

    def _at_hand(self, paragraph: Paragraph) -> Found | None:
        """What costs nothing: a draft that was brought, an exact match of the memory."""
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
        open: Sequence[Item],
        around: Surroundings,
        found: dict[str, Found],
        refused: dict[str, str],
    ) -> Generator[Effect, Any, None]:
        """All at once, then one by one what could not be used."""
        answers: tuple[Answer, ...] = yield Ask((self._request(model, open, around),))
        self._take(answers[0], open, found, refused)
        again = [item for item in open if item.source.id in refused]
        if not again:
            return
        # What made an endpoint refuse the batch must not stand beside the others when they are asked for alone.
        beside = None if answers[0].refused else around
        answers = yield Ask(tuple(self._request(model, [item], beside) for item in again))
        for item, answer in zip(again, answers, strict=True):
            del refused[item.source.id]
            self._take(answer, [item], found, refused)

    def _request(self, model: str, items: Sequence[Item], around: Surroundings | None) -> ModelRequest:
        before = around.beside(items[0].row, 1, 0)[0] if around is not None else []
        after = around.beside(items[-1].row, 0, 1)[1] if around is not None else []
        paragraphs = [source_of(item) for item in items]
        ask = translate_ask(
            paragraphs,
            self.equipment.commission,
            before=_text(before),
            after=_text(after),
            suggestions=self._suggestions(paragraphs),
        )
        return ModelRequest(ask, model)

    def _suggestions(self, paragraphs: Iterable[Paragraph]) -> Mapping[str, Suggestion]:
        memory = self.equipment.memory
        if memory is None:
            return {}
        near = {paragraph.id: memory.fuzzy(paragraph.text) for paragraph in paragraphs}
        return {id: one for id, one in near.items() if one is not None}

    def _take(self, answer: Answer, items: Sequence[Item], found: dict[str, Found], refused: dict[str, str]) -> None:
        """What an answer holds. The bill is the batch's: the first paragraph of use carries it."""
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
            return Settled(paragraph.id, (Stop(MANUAL, reason),), told=told)
        text, notes = self._written(found.text)
        draft = replace(paragraph, latin=text) if self.equipment.terms.renders else replace(paragraph, translation=text)
        told = (Note("letters_normalised", paragraph.id, {"notes": notes}),) if notes else ()
        attempt = Keep(draft, found.origin, usage=found.usage, calls=found.calls)
        return Settled(paragraph.id, (Stop(TRANSLATED, found.origin),), (attempt,), told)

    def _written(self, text: str) -> tuple[str, list[dict[str, Any]]]:
        """Tamazight in its own letters: look-alikes of other alphabets are made right, and named."""
        if not self.equipment.writes_tamazight:
            return text, []
        normal = normalise(text, keep=self.equipment.kept_names, format="text")
        return normal.text, [asdict(note) for note in normal.notes]


def _text(units: Sequence[object]) -> str:
    """The neighbour's text. What is out of scope is sent to no translator, not even to be read."""
    neighbour = paragraph_of(units[0]) if units else None
    return neighbour.text if neighbour is not None and neighbour.excluded is None else ""
