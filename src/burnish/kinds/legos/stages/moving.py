"""The phase that asks nobody: the course is taken in, and its words are aligned as a whole."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.effects import Effect, Outcome
from burnish.core.stages import Item, Surroundings
from burnish.kinds.legos.policy import ALIGNED, PENDING


@dataclass(frozen=True)
class Aligning:
    """Every SEED is there: what is known of the whole course can be gathered."""

    name: str = "align"
    takes: tuple[str, ...] = (PENDING,)
    moves: tuple[str, ...] = (ALIGNED,)
    size: int = 500
    pays: bool = False
    enters: str | None = None
    gathers: bool = True
    room: int = 0

    def weight(self, item: Item) -> int:
        return 0

    def work(self, items: Sequence[Item], around: Surroundings) -> Generator[Effect, Any, Outcome]:
        raise AssertionError("a stage that only moves its units does no work on them")
