"""Scores of an attempt beside the lines that the gate draws and the attempts before it: a table that is a chart too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from burnish.core.gate import Dimension
from burnish.core.records import AttemptRecord
from burnish.web.chronicle import Chronicle
from burnish.web.formatting import in_words, sentence

BEGINS = 0.4
"""Where the axis begins, as a share of the scale, where no score and no line lies below: most scores are high."""
MOST_RINGS = 8
"""Earlier attempts that are shown."""


@dataclass(frozen=True, slots=True)
class Ring:
    """An earlier attempt on a row."""

    attempt: int
    value: float
    at: float
    """Per cent of the width."""
    is_below: bool


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One dimension."""

    label: str
    value: float
    line: float | None
    """What the gate asks for; None: it does not ask for this one."""
    at: float
    """Per cent of the width."""
    line_at: float | None
    rings: tuple[Ring, ...]

    @property
    def is_below(self) -> bool:
        return self.line is not None and self.value < self.line


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The scores of one attempt."""

    attempt: int
    rows: tuple[ScoreRow, ...]

    @property
    def has_lines(self) -> bool:
        return any(row.line is not None for row in self.rows)

    @property
    def has_rings(self) -> bool:
        return any(row.rings for row in self.rows)


def score_table(chronicle: Chronicle, attempt: AttemptRecord) -> ScoreTable | None:
    """The scores of an attempt, or (where it has none) of the last one before it that has; None: nothing was scored."""
    scored = [one for one in chronicle.attempts[: attempt.number] if one.scores]
    if not scored:
        return None
    *earlier, shown = scored
    gated = {dimension.name: dimension for dimension in chronicle.dimensions}
    highest = max((dimension.highest for dimension in chronicle.dimensions), default=1.0)
    names = sorted(shown.scores, key=lambda name: list(gated).index(name) if name in gated else len(gated))
    rows = tuple(_row(name, shown, earlier[-MOST_RINGS:], gated.get(name), highest) for name in names)
    return ScoreTable(shown.number, rows)


def _row(
    name: str, shown: AttemptRecord, earlier: Sequence[AttemptRecord], line: Dimension | None, highest: float
) -> ScoreRow:
    before = [(one.number, one.scores[name]) for one in earlier if name in one.scores]
    minimum = line.minimum if line else None
    top = line.highest if line else max(highest, shown.scores[name])
    low = _beginning([shown.scores[name], *(value for _, value in before), *([minimum] if line else [])], top)

    def at(value: float) -> float:
        return round(max(0.0, min(1.0, (value - low) / (top - low))) * 100, 2)

    return ScoreRow(
        label=sentence(in_words(name)),
        value=shown.scores[name],
        line=minimum,
        at=at(shown.scores[name]),
        line_at=None if minimum is None else at(minimum),
        rings=tuple(
            Ring(number, value, at(value), minimum is not None and value < minimum) for number, value in before
        ),
    )


def _beginning(values: Iterable[float | None], top: float) -> float:
    return BEGINS * top if all(value is None or value >= BEGINS * top for value in values) else 0.0
