"""Charts as numbers: x in per cent, y in pixels. The macros in `templates/charts.html` draw them.

No markup is made here, and the templates do no arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from burnish.web import Drawn
from burnish.web.formatting import listed, score, thousands
from burnish.web.labels import Fill

HISTOGRAM_HEIGHT = 92
"""The y of the foot of the bars, in pixels; the labels are below it."""
HISTOGRAM_ROOM = 4
CURVE_TOP, CURVE_FOOT = 30, 184
"""The y of a curve's highest and lowest amount."""
LEAST_BAR = 3
"""Least height in pixels of a bar that is not empty, so that it can be seen."""
GRID_STEPS = (0.5, 1, 2, 5)
"""Distances between grid lines, times a power of ten."""
MOST_LINES = 3
LABEL_WIDTH, LABEL_HEIGHT = 10.0, 16.0
"""The size of a grid line's label: per cent of the width, and pixels."""
LABEL_ROOM = 0.12
"""Share of the height that a label needs."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a stacked bar."""

    count: int
    words: str
    fill: Fill
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """A bar made of parts."""

    slices: tuple[Drawn, ...]
    """Each a part and its place in the bar."""
    parts: tuple[Part, ...]
    """All parts, for the legend; excluded units have no slice."""
    label: str
    """The bar as a sentence."""


def stack(parts: Iterable[Part], *, label: str | None = None, whole: int | None = None) -> Stack:
    """A stacked bar; `whole` if it is more than the sum of the parts. Parts with fill `none` are only in the legend."""
    present = tuple(part for part in parts if part.count)
    drawn = [part for part in present if part.fill != "none"]
    total = max(whole or 0, sum(part.count for part in drawn)) or 1
    slices, x = [], 0.0
    for part in drawn:
        width = part.count / total * 100
        slices.append(Drawn(part=part, x=round(x, 2), width=round(width, 2)))
        x += width
    said = label or listed(f"{part.count:,} {part.words}" for part in present) or "nothing yet"
    return Stack(tuple(slices), present, said)


def histogram(
    name: str,
    bins: Sequence[int],
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
    line: float | None = None,
    below: int = 0,
    kind: str | None = None,
) -> Drawn:
    """Bars for counts in bins of equal width between `lowest` and `highest`. `below`: how many scores are below the
    threshold `line`; if that is the highest score, some of the last bin may be."""
    most, span = max(bins, default=0) or 1, (highest - lowest) or 1.0
    bars: list[Drawn] = []
    for at, count in enumerate(bins):
        end = lowest + span * (at + 1) / len(bins)
        if line is None or end > line + 1e-9:
            bars += _bars(at, len(bins), most, over=count, under=0)
        elif at < len(bins) - 1:
            bars += _bars(at, len(bins), most, over=0, under=count)
        else:
            under = min(count, max(0, below - sum(bins[:-1])))
            bars += _bars(at, len(bins), most, over=count - under, under=under)
    place = None if line is None else round((line - lowest) / span * 100, 2)
    words = "" if line is None else score(line, kind=kind)
    reach = f"; {below:,} below the threshold of {words}" if words else ""
    label = f"{name}: {sum(bins):,} scores{reach}"
    return Drawn(
        bars=tuple(bars), line=place, line_words=words, lowest=_end(lowest), highest=_end(highest), label=label
    )


def _bars(at: int, bins: int, most: int, *, over: int, under: int) -> list[Drawn]:
    """The bar of a bin, with the scores below the threshold at its foot."""
    step, foot, bars = 100 / bins, float(HISTOGRAM_HEIGHT), []
    for count, below in ((under, True), (over, False)):
        if count:
            height = round(max(count / most * (HISTOGRAM_HEIGHT - HISTOGRAM_ROOM), LEAST_BAR), 1)
            foot = round(foot - height, 1)
            bars.append(
                Drawn(
                    x=round(at * step + step * 0.07, 2), width=round(step * 0.86, 2), y=foot, height=height, below=below
                )
            )
    return bars


def cropped(bins: Sequence[int], lowest: float, highest: float, line: float | None) -> tuple[float, tuple[int, ...]]:
    """The start of the axis and the bins from there on, without the empty ones on the left. The upper half and the
    threshold always stay."""
    step = (highest - lowest) / (len(bins) or 1)
    first = next((at for at, count in enumerate(bins) if count), 0)
    under_line = len(bins) if line is None else int((line - lowest) / step) - 1
    # Two bins at a time, so that the axis begins at a round number.
    begin = max(0, min(first - 1, under_line, len(bins) // 2)) // 2 * 2
    return lowest + begin * step, tuple(bins[begin:])


def _end(value: float) -> str:
    return f"{round(value, 2):g}".removeprefix("0") or "0"


def curve(
    points: Sequence[tuple[float, float]],
    *,
    end_words: str,
    label: str,
    ceiling: float | None = None,
    ticks: Sequence[tuple[float, str]] = (),
    parts: Mapping[str, Sequence[tuple[float, float]]] = MappingProxyType({}),
) -> Drawn | None:
    """A line through (time, amount); None without data. `ceiling` is drawn only if the line comes near enough for both
    to be readable."""
    if len(points) < 2:
        return None
    begin, end = points[0][0], points[-1][0]
    most = max(amount for _, amount in points) or 1.0
    shown = ceiling if ceiling is not None and ceiling <= most * 4 else None
    top = max(most, shown or 0.0)

    def x(moment: float) -> float:
        return round((moment - begin) / ((end - begin) or 1.0) * 96, 2)

    def y(amount: float) -> float:
        return round(CURVE_FOOT - amount / top * (CURVE_FOOT - CURVE_TOP), 2)

    early = _early([(x(moment), y(amount)) for moment, amount in points])
    line = " ".join(f"{x(moment)},{y(amount)}" for moment, amount in points)
    last = y(points[-1][1])
    return Drawn(
        line=line,
        area=f"0,{CURVE_FOOT} {line} {x(end)},{CURVE_FOOT}",
        grid=tuple(_labelled(y(amount), thousands(amount), early) for amount in _grid(top, shown)),
        ceiling=Drawn(y=y(shown), words=f"ceiling {thousands(shown)}", is_crossed=False) if shown else None,
        ticks=tuple(Drawn(x=x(moment), words=words) for moment, words in ticks),
        end_x=x(end),
        end_y=last,
        end_words=end_words,
        anchor="end" if x(end) > LABEL_WIDTH else "start",  # all may be spent in the first second
        label=label,
        parts=tuple(
            Drawn(words=words, line=" ".join(f"{x(moment)},{y(amount)}" for moment, amount in part))
            for words, part in parts.items()
        ),
        height=CURVE_FOOT + 22,
        foot=CURVE_FOOT,
    )


def _early(points: Sequence[tuple[float, float]]) -> list[float]:
    """The heights of a curve behind the labels: from the last point at x = 0 to the end of the labels."""
    at, height = next(one for one in reversed(points) if one[0] <= 0)
    found = [height]
    for x, y in (one for one in points if one[0] > 0):
        if x >= LABEL_WIDTH:
            return [*found, height + (y - height) * (LABEL_WIDTH - at) / (x - at)]
        found.append(y)
        at, height = x, y
    return found


def _labelled(place: float, words: str, early: Sequence[float]) -> Drawn:
    """A grid line; `early`: the heights of the curve behind the labels."""
    return Drawn(y=place, words=words, is_crossed=min(early) <= place and max(early) >= place - LABEL_HEIGHT)


def _grid(top: float, ceiling: float | None) -> list[float]:
    """Two or three round amounts up to `top`; none so close to the ceiling that their labels overlap."""
    size = 10.0 ** math.floor(math.log10(top))
    step = next(size * factor for factor in GRID_STEPS if top / (size * factor) < MOST_LINES + 1)
    amounts = [step * at for at in range(1, MOST_LINES + 1) if step * at <= top]
    return [amount for amount in amounts if ceiling is None or (ceiling - amount) / top > LABEL_ROOM]


def findings_bar(open: int, accepted: int, settled: int, most: int) -> Drawn:
    """The bar of a rule: open findings, those in accepted units, settled ones."""
    widths = [round(number / max(most, 1) * 100, 2) for number in (open, accepted, settled)]
    return Drawn(
        open_width=widths[0],
        accepted_x=widths[0],
        accepted_width=widths[1],
        settled_x=round(widths[0] + widths[1], 2),
        settled_width=widths[2],
    )


def interval(share: float, low: float, high: float) -> Drawn:
    return Drawn(x=round(share * 100, 2), low=round(low * 100, 2), width=round((high - low) * 100, 2))
