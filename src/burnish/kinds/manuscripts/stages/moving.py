"""Phases that ask nobody: the second pass of Tamazight, and the assembly of the candidate."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from burnish.core.effects import Draft, Effect, Outcome, Settled, Stop, Told, Work
from burnish.core.stages import Item, Surroundings
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import ASSEMBLED, RENDERED, REWORKED, TRANSLATED
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.stages.tools import draft_of
from burnish.text.transliteration import Note, render

AT_ONCE = 200


def in_script(paragraph: Paragraph, equipment: Equipment) -> Paragraph:
    """The paragraph with its Latin text rendered for readers; as it is where there is no second pass."""
    return paragraph if paragraph.latin is None else _rendered(paragraph, equipment)[0]


def _rendered(paragraph: Paragraph, equipment: Equipment) -> tuple[Paragraph, tuple[Note, ...]]:
    assert paragraph.latin is not None, "the first pass wrote it"
    rendered = render(paragraph.latin, "tifinagh", equipment.terms.orthography, equipment.kept_names, "text")
    return replace(paragraph, translation=rendered.text), rendered.notes


@dataclass(frozen=True)
class Rendering:
    """Phase C: Latin letters into Tifinagh, by rules."""

    equipment: Equipment
    name: str = "render"
    takes: tuple[str, ...] = (TRANSLATED,)
    size: int = AT_ONCE
    pays: bool = False
    enters: str | None = None
    gathers: bool = False
    moves: tuple[str, ...] = ()
    room: int = 0

    def weight(self, item: Item) -> int:
        return 0

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        yield from ()
        return Outcome(tuple(self._rendered(item) for item in items))

    def _rendered(self, item: Item) -> Settled:
        draft, notes = _rendered(draft_of(item), self.equipment)
        told = (Told("letters_normalised", draft.id, {"notes": [asdict(note) for note in notes]}),) if notes else ()
        return Settled(draft.id, (Stop(RENDERED, "script"),), (Draft(draft, "script"),), told)


@dataclass(frozen=True)
class Assembling:
    """Phase C.5: every translated paragraph takes its place in the candidate."""

    equipment: Equipment
    only_reworked: bool = False
    """Whether what was never reviewed stays where it is."""
    name: str = "assemble"
    size: int = 500
    pays: bool = False
    enters: str | None = None
    gathers: bool = True
    moves: tuple[str, ...] = (ASSEMBLED,)
    room: int = 0

    @property
    def takes(self) -> tuple[str, ...]:
        if self.only_reworked:
            return (REWORKED,)
        return (RENDERED if self.equipment.terms.renders else TRANSLATED, REWORKED)

    def weight(self, item: Item) -> int:
        return 0

    def work(self, items: Sequence[Item], around: Surroundings) -> Generator[Effect, Any, Outcome]:
        raise AssertionError("a stage that only moves its units does no work on them")
