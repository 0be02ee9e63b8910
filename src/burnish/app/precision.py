"""Precision: how often people agreed with a rule or a judge, and how sure that number is.

The same decision of the same person about the same draft, repeated in another run, counts once.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from burnish.core.judgements import JUDGE

_Z = 1.959963984540054
"""Of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class PrecisionLine:
    """What people's decisions say of one rule or judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person mended what it found, or sent the unit back."""
    of: int
    """How often a person decided at all: those who accepted its finding as no fault are in it too."""
    share: float
    low: float
    """The lower end of the 95 % interval."""
    high: float

    @property
    def is_judge(self) -> bool:
        return self.who.startswith(JUDGE)

    @classmethod
    def counted(cls, who: str, kind: str, right: int, of: int) -> PrecisionLine:
        """The line with its share and interval. `of` is at least one."""
        low, high = wilson(right, of)
        return cls(who, kind, right, of, right / of, low, high)


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson: right also for few cases, and for none or all of them."""
    if of <= 0:
        return 0.0, 1.0
    share, spread = right / of, _Z * _Z / of
    middle = share + spread / 2
    reach = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    # Rounding must not push the ends over what is possible, nor past the share itself.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def precision_lines(kind: str, sums: Iterable[tuple[str, bool, int]]) -> list[PrecisionLine]:
    """Rules and judges of one kind, those with most cases first. `sums`: who, whether they were right, how often."""
    of, right = Counter[str](), Counter[str]()
    for who, is_right, count in sums:
        of[who] += count
        right[who] += count * is_right
    found = [PrecisionLine.counted(who, kind, right[who], number) for who, number in of.items() if number > 0]
    return sorted(found, key=lambda line: (line.is_judge, -line.of, line.who))


Word = tuple[int, int, str, bool, int]
"""One word of a run's journal: its number, its key, of whom it speaks, whether they were right, and 1, or -1 where it
takes an earlier one back."""


@dataclass(frozen=True, slots=True)
class DecidedRun:
    """A run in which people decided something."""

    kind: str
    identity: object
    """Another one means that another journal lies there."""
    decided: int
    """The number of its last decision."""
    words_after: Callable[[int], list[Word]]


@dataclass(slots=True)
class _Taken:
    """How far a run is counted."""

    kind: str
    identity: object
    decided: int = 0
    seq: int = 0


@dataclass(slots=True)
class _Sums:
    """What people said of one kind's rules and judges. A word is known by its key."""

    words: set[int] = field(default_factory=set)
    repeated: Counter[int] = field(default_factory=Counter)
    """Words that several runs hold -> in how many more than one."""
    sums: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, word: Word) -> None:
        _, key, who, is_right, change = word
        if change > 0 and key in self.words:
            self.repeated[key] += 1
        elif change > 0:
            self.words.add(key)
            self.sums[who, is_right] += 1
        elif key in self.repeated:
            self.repeated[key] -= 1
            if not self.repeated[key]:
                del self.repeated[key]
        else:
            self.words.discard(key)
            self.sums[who, is_right] -= 1


class Precision:
    """Precision over all runs, kept in memory: a further decision costs what it says. For any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[str, _Taken] = {}
        self._sums: dict[str, _Sums] = defaultdict(_Sums)

    def lines(self, runs: Mapping[str, DecidedRun]) -> list[PrecisionLine]:
        """Rules and judges, kind by kind."""
        with self._lock:
            if any(run not in runs or self._is_other(runs[run], taken) for run, taken in self._taken.items()):
                self._taken.clear()  # a run has gone, or is another one: its words cannot be told from the rest
                self._sums.clear()
            for id, run in runs.items():
                self._take(id, run)
            return [
                line
                for kind in sorted(self._sums)
                for line in precision_lines(kind, ((*said, count) for said, count in self._sums[kind].sums.items()))
            ]

    def _is_other(self, run: DecidedRun, taken: _Taken) -> bool:
        return (run.kind, run.identity) != (taken.kind, taken.identity) or run.decided < taken.decided

    def _take(self, id: str, run: DecidedRun) -> None:
        taken = self._taken.setdefault(id, _Taken(run.kind, run.identity))
        if taken.decided == run.decided:
            return
        while words := run.words_after(taken.seq):
            for word in words:
                self._sums[run.kind].add(word)
            taken.seq = words[-1][0]
        taken.decided = run.decided
