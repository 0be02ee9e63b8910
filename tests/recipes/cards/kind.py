"""Flash cards: what has no default, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, BinaryIO, ClassVar, cast

from burnish.core.checks import Check, Examination, Selection, discover, run_checks
from burnish.core.documents import Part, Unit
from burnish.core.effects import Keep, Outcome, Settled, Stop, Work
from burnish.core.gate import Count, Dimension, GatePolicy, StateTable
from burnish.core.kinds import Issue, Kind
from burnish.core.presentation import Illustration, Pictured
from burnish.core.tasks import Environment, Task
from tests.recipes.cards import checks
from tests.recipes.cards.model import Card

STATES = StateTable(
    "ingested",
    "working",
    "accepted",
    "in_review",
    {
        "ingested": frozenset({"working", "accepted", "in_review"}),
        "working": frozenset({"accepted", "in_review"}),
        "in_review": frozenset({"accepted", "ingested"}),
        "accepted": frozenset({"in_review", "ingested"}),
    },
)


@dataclass(frozen=True)
class CardsKind(Kind):
    """Cards in, cards out."""

    name: str = "cards"
    noun: str = "card"
    formats: ClassVar = {"cards": (".cards",)}
    profiles: ClassVar = {"default": {}, "strict": {}}
    states = STATES
    prompts = ()

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return discover(checks)

    def recognise(self, path: str, head: bytes) -> str | None:
        return "cards" if path.endswith(".cards") else None

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        for number, line in enumerate(stream, 1):
            yield Card.of(f"c{number}", line.decode())

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        return asdict(cast(Card, unit))

    def from_record(self, record: Mapping[str, Any]) -> Card:
        return Card(**record)

    def from_person(self, unit: Unit, text: str) -> Card:
        return Card.of(unit.id, text)

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        return Examination(tuple(run_checks(selection, self.checks, unit)), applied=len(self.checks))

    def gate(self, judges: int) -> GatePolicy:
        return GatePolicy((Dimension("rules", 1.0),))

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, float]:
        return {"rules": 0.0 if examination.findings else 1.0}

    def work(self, task: Task, env: Environment) -> Work:
        [item] = task.units
        found = self.examine(item.source, env.selection, env.context)
        number = yield Keep(item.source, "source", self.scores(found, None), found.findings, not found.findings)
        stop = Stop("in_review", "open") if found.findings else Stop("accepted")
        return Outcome((Settled(item.source.id, (stop,), best=number),))

    def rewrite(
        self, source: BinaryIO, path: str, format: str, changed: Callable[[str], Unit | None], target: BinaryIO
    ) -> None:
        for number, line in enumerate(source, 1):
            new = cast(Card | None, changed(f"c{number}"))
            target.write(line if new is None else new.as_line().encode())

    def shown(self, unit: Unit) -> str:
        return cast(Card, unit).as_line()

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        card = Card(**{"id": "c1", "front": "France", "back": "Paris", **partial})
        sides = (("front", card.front), ("back", card.back))
        return Illustration(card, None, tuple(Pictured(text, f"{side}: ", "c1", side) for side, text in sides))


KIND = CardsKind()
