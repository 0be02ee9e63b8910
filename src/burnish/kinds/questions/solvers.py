"""The rule on the key: what the answers of blind solvers say about it, and when nobody else needs to be asked.

A solver whose answer is wrong costs a person a minute; a wrong key that is published teaches it to everybody. So no
solver is outvoted: one that is sure and answers anything but the key alone puts the item before a person. Models err
alike (`python -m bench replay`: ten are worth under two independent votes), so agreement with the key proves little.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

KeyStanding = Literal["keep_asking", "no_objection", "doubtful", "objected"]
"""`objected`: the item waits for a person. `doubtful`: it may be accepted, and says so wherever it is shown.
`keep_asking`: the seats that are left can still change the verdict."""

AGREED = 2
"""Different models that are unsure and answer anything but the key alone: together they object."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one model answers when it solves the item without seeing the key. A reply that cannot be read is no vote."""

    model: str
    choice: str | None
    """The key of the option; None: no option is right."""
    also: tuple[str, ...] = ()
    """Other options that the model calls just as right."""
    is_sure: bool = True

    def is_for(self, key: str) -> bool:
        """Whether the answer is the key alone."""
        return self.choice == key and set(self.also) <= {key}


def standing_of(votes: Collection[Vote], key: str, seats_left: int) -> KeyStanding:
    """What the votes say about the key, while `seats_left` more models can be asked.

    Any verdict but `keep_asking` is final: no further vote changes it. While a seat is left that can object, silence of
    the others is no pass, so only an objection ends the asking early. An item that nobody solved is doubtful.
    """
    against = [vote for vote in votes if not vote.is_for(key)]
    if any(vote.is_sure for vote in against) or len({vote.model for vote in against}) >= AGREED:
        return "objected"
    if seats_left > 0:
        return "keep_asking"
    return "no_objection" if votes and not against else "doubtful"
