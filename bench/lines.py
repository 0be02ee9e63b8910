"""One line of the table: a figure beside the limit or the peer that it is held against."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["ok", "over", ""]
HEADINGS = ("what", "figure", "limit or peer", "ratio", "verdict")


@dataclass(frozen=True, slots=True)
class Line:
    """What was measured. A line without a bound is there for the reader only and has no verdict."""

    what: str
    figure: float
    unit: str = ""
    against: str = ""
    """The limit or peer in words."""
    ratio: float | None = None
    """The figure over the limit or the peer."""
    at_most: float | None = None
    """The ratio may not be above this."""
    at_least: float | None = None
    """The ratio may not be below this."""

    @property
    def verdict(self) -> Verdict:
        if self.ratio is None or (self.at_most is None and self.at_least is None):
            return ""
        high = self.at_most is not None and self.ratio > self.at_most
        low = self.at_least is not None and self.ratio < self.at_least
        return "over" if high or low else "ok"

    def as_record(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}


def below(what: str, figure: float, unit: str, limit: float) -> Line:
    """A figure that may not exceed a limit."""
    return Line(what, figure, unit, f"<= {shown(limit)} {unit}", figure / limit, at_most=1.0)


def above(what: str, figure: float, unit: str, limit: float) -> Line:
    """A figure that must reach a limit."""
    return Line(what, figure, unit, f">= {shown(limit)} {unit}", figure / limit, at_least=1.0)


def beside(what: str, figure: float, unit: str, peer: str, peer_figure: float, **bounds: float) -> Line:
    """A figure next to a peer's, measured in the same run."""
    return Line(what, figure, unit, f"{peer}: {shown(peer_figure)} {unit}", figure / peer_figure, **bounds)


def shown(figure: float) -> str:
    """Three figures are enough, and all of a large number."""
    if figure == 0 or abs(figure) >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.3g}"


def table(lines: Iterable[Line]) -> str:
    """The lines as text, with aligned columns."""
    rows = [HEADINGS, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(_aligned(row, widths) for row in rows)


def _cells(line: Line) -> tuple[str, ...]:
    ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
    return line.what, f"{shown(line.figure)} {line.unit}".strip(), line.against, ratio, line.verdict


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        cell.rjust(width) if column in (1, 3) else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
