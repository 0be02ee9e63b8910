"""Figures that can be read: shares with their 95 % interval, and halves of data that were not looked at."""

from __future__ import annotations

from hashlib import sha256
from math import sqrt
from typing import NamedTuple

from burnish.core.claims import wilson


class Goal(NamedTuple):
    """A goal, and what was measured."""

    name: str
    hits: int
    n: int
    """Unique cases."""
    wanted: float
    at_most: bool

    @property
    def share(self) -> float:
        return self.hits / max(1, self.n)

    @property
    def reached(self) -> bool:
        return self.n > 0 and (self.share <= self.wanted if self.at_most else self.share >= self.wanted)

    def line(self) -> str:
        low, high = wilson(self.hits, self.n)
        wanted = f"{'<=' if self.at_most else '>='} {self.wanted:.0%}"
        told = f"{self.name:<66.66} {self.n:>6} {self.share:>6.1%} {low:>6.1%} - {high:<6.1%} {wanted:>7}"
        return f"{told}  {'reached' if self.reached else 'NOT REACHED'}"


GOALS: list[Goal] = []
"""What the parts of a report have measured, in their order."""


def note(name: str, hits: int, n: int, wanted: float, *, at_most: bool = False) -> None:
    """A figure for the table of goals, on data that nobody looked at where there is such data."""
    GOALS.append(Goal(name, hits, n, wanted, at_most))


def goal_lines() -> list[str]:
    """All goals in one table."""
    head = f"{'goal':<66} {'n':>6} {'share':>6} {'95 % interval':>15} {'goal':>7}"
    return [head, *(goal.line() for goal in GOALS)]


def is_open(name: str) -> bool:
    """Whether a case belongs to the half that rules were written with. By hash: nobody chooses."""
    return sha256(name.encode()).digest()[0] % 2 == 0


def interval(hits: float, n: int) -> str:
    """The share, n and Wilson's 95 % interval."""
    if n == 0:
        return "n=0"
    z, share = 1.96, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    width = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{share:.1%}, n={n}, 95 % {max(0.0, middle - width):.1%}-{min(1.0, middle + width):.1%}"
