"""The rule on the key: what the answers of blind solvers say about it, and when nobody else needs to be asked.

A solver whose answer is wrong costs a person a minute; a wrong key that is published teaches it to everybody. So no
solver is outvoted: one that is sure and answers anything but the key alone puts the item before a person. Models err
alike (`python -m bench replay`: ten are worth under two independent votes), so agreement with the key proves little.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

KeyStanding = Literal["keep_asking", "no_objection", "doubtful", "objected"]
"""`objected`: the item waits for a person. `doubtful`: it may be accepted, and says so wherever it is shown.
`keep_asking`: the seats that are left can still change the verdict."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one model answers when it solves the item without seeing the key. A reply that cannot be read is no vote."""

    model: str
    choice: str | None
    """The key of the option; None: no option is right."""
    also: tuple[str, ...] = ()
    """Other options that the model calls just as right."""
    is_sure: bool = True

    def against(self, key: str) -> frozenset[str | None]:
        """What the model calls right besides the key (None: nothing is); empty if its answer is the key alone."""
        return frozenset({self.choice, *self.also}) - {key}


def standing_of(votes: Collection[Vote], key: str, seats_left: int, enough: int | None = None) -> KeyStanding:
    """What the votes say about the key, while `seats_left` more models can be asked.

    Any verdict but `keep_asking` is final: no further vote changes it. A seat that is left can still object, so only an
    objection ends the asking early. `enough` saves calls: so many answers that are the key alone, and none that is
    not, make it unnecessary to ask the others. The verdict is then that of a smaller panel.
    """
    against = [vote for vote in votes if vote.against(key)]
    if any(vote.is_sure for vote in against) or any(_agree(*pair, key) for pair in combinations(against, 2)):
        return "objected"
    suffices = enough is not None and not against and sum(vote.is_sure for vote in votes) >= enough
    if seats_left > 0 and not suffices:
        return "keep_asking"
    return "no_objection" if votes and not against else "doubtful"


def _agree(one: Vote, other: Vote, key: str) -> bool:
    """Two models that have the same against the key. When unsure models only scatter, the item is hard: where two of
    them differ, keys are wrong no more often than elsewhere."""
    return one.model != other.model and not one.against(key).isdisjoint(other.against(key))
