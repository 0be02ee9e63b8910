"""Precision: what people decided, as numbers about each rule and each judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from burnish.api.workplace import Here
from burnish.app.precision import PrecisionLine
from burnish.kinds.registry import KINDS
from burnish.web.charts import Interval, interval
from burnish.web.formatting import FEW, percent, plural, share
from burnish.web.labels import kind_words, model_name
from burnish.web.links import precision_link
from burnish.web.rendering import page

router = APIRouter()
Chip = tuple[str, str, int | None, bool]


@dataclass(frozen=True, slots=True)
class Measured:
    """A rule or a judge, and how often people agreed with it."""

    line: PrecisionLine
    name: str
    said: str
    """The share with its count and interval."""
    few: bool
    """So few cases that the share says little yet."""
    chart: Interval


@router.get("/precision")
def precision(request: Request, here: Here, kind: str | None = None) -> Response:
    lines = here.index.precision()
    wanted = [line for line in lines if kind not in KINDS or line.kind == kind]
    return page(
        request,
        "precision.html",
        rules=measured([line for line in wanted if not line.is_judge]),
        judges=measured([line for line in wanted if line.is_judge]),
        kinds=_chips(lines, kind),
        total=len(lines),
    )


def measured(lines: Sequence[PrecisionLine]) -> list[Measured]:
    """Those that were most often looked at first: of them we know most."""
    ordered = sorted(lines, key=lambda line: (-line.of, line.who))
    return [
        Measured(
            line,
            model_name(line.who.removeprefix("model:")) if line.is_judge else line.who,
            said_of(line),
            line.of < FEW,
            interval(line.share, line.low, line.high),
        )
        for line in ordered
    ]


def said_of(line: PrecisionLine) -> str:
    """`48 of 50 (96 %, 87 to 99 %)`; of few cases the count comes first: `3 cases: right 2 (67 %, ...)`."""
    if line.of >= FEW:
        return share(line.right, line.of, line.low, line.high)
    sure = f"{round(line.low * 100)} to {percent(line.high)}"
    return f"{plural(line.of, 'case')}, right in {line.right} ({percent(line.share)}, {sure})"


def _chips(lines: Sequence[PrecisionLine], kind: str | None) -> list[Chip]:
    counts = Counter(line.kind for line in lines)
    every: Chip = ("All", precision_link(), len(lines), kind not in KINDS)
    return [
        every,
        *((kind_words(one), precision_link(kind=one), counts[one], kind == one) for one in KINDS if counts[one]),
    ]
