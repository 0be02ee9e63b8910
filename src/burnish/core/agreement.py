"""Agreement: when do several judges speak with one voice?

A judge that failed or could not be read abstains and stays in the denominator: a majority is more than half of all
seats, never of those who happened to answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Issue = TypeVar("Issue", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Count(Generic[Issue]):
    """How the seats stand on every issue that was raised."""

    seats: int
    answered: int
    raised: dict[Issue, int]
    """Issue -> how many judges raised it (a judge counts once, however often it says so)."""

    @property
    def upheld(self) -> tuple[Issue, ...]:
        """Issues that more than half of all seats raise."""
        return tuple(issue for issue, votes in self.raised.items() if is_majority(votes, self.seats))

    @property
    def unsettled(self) -> tuple[Issue, ...]:
        """Issues with no majority for them, and none against them either, because seats are silent."""
        return tuple(
            issue
            for issue, votes in self.raised.items()
            if not is_majority(votes, self.seats) and not is_majority(self.answered - votes, self.seats)
        )

    @property
    def quorate(self) -> bool:
        """Whether enough judges answered to settle anything at all."""
        return is_majority(self.answered, self.seats)

    @property
    def support(self) -> float:
        """The share of seats that raise no upheld or unsettled issue; silence is no support."""
        if not self.seats:
            return 0.0
        contested = max((self.raised[issue] for issue in (*self.upheld, *self.unsettled)), default=0)
        return (self.answered - contested) / self.seats


def is_majority(votes: int, seats: int) -> bool:
    return votes * 2 > seats


def count_votes(ballots: Sequence[frozenset[Issue] | None]) -> Count[Issue]:
    """One ballot a seat: the issues the judge raises, or None where it abstains."""
    raised: dict[Issue, int] = {}
    for ballot in ballots:
        for issue in ballot or ():
            raised[issue] = raised.get(issue, 0) + 1
    answered = sum(ballot is not None for ballot in ballots)
    return Count(len(ballots), answered, raised)
