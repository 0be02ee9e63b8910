"""The rulebook: every rule, what it looks for and why; and how often people agreed with it and with each judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from fastapi import APIRouter
from rich.cells import cell_len
from starlette.requests import Request
from starlette.responses import Response

from burnish.api.workplace import Here, Workplace
from burnish.app.rulebook import Example, Line, PrecisionLine, Rule, rule_named, rules
from burnish.kinds.registry import KINDS
from burnish.web import Drawn
from burnish.web.charts import interval
from burnish.web.formatting import FEW, percent, plural, share
from burnish.web.labels import kind_words, model_name
from burnish.web.pieces import Mark, Piece
from burnish.web.rendering import crumbs, page, precision_link, rules_link

router = APIRouter()

LONGEST_SEARCH = 200

Chip = tuple[str, str, int | None, bool]


@cache
def rulebook() -> tuple[Rule, ...]:
    """Every rule without its examples: those are made for the page of one rule."""
    return tuple(rules(examples=False))


@router.get("/rules")
def rules_page(request: Request, here: Here, kind: str | None = None, find: str | None = None) -> Response:
    search = (find or "").strip()[:LONGEST_SEARCH]
    found = [rule for rule in rulebook() if _fits(rule, kind, search)]
    return page(
        request,
        "rules.html",
        rules=found,
        total=len(rulebook()),
        kinds=_rule_chips(kind, search),
        kind=kind,
        find=search,
        right=_rule_precision(here),
    )


@router.get("/rules/{rule:path}")
def rule_page(request: Request, here: Here, rule: str) -> Response:
    found = rule_named(rule)
    return page(
        request,
        "rule.html",
        crumbs=crumbs(("Rules", rules_link()), (kind_words(found.kind), rules_link(kind=found.kind)), (found.id, None)),
        rule=found,
        bad=[shown_example(example, found) for example in found.bad],
        good=[shown_example(example, found) for example in found.good],
        right=_rule_precision(here).get((found.kind, found.id)),
    )


def shown_example(example: Example, rule: Rule) -> Drawn:
    return Drawn(lines=tuple(marked_line(line, rule) for line in example.lines), message=example.message)


def marked_line(line: Line, rule: Rule) -> tuple[Piece, ...]:
    """A line with its mark. Where that is, is told in columns of a terminal: some characters take two, some none."""
    if line.mark is None:
        return (Piece(line.text, 0),)
    start = _character(line.text, line.mark[0])
    end = max(start, _character(line.text, sum(line.mark)))
    mark = (Mark(1, rule.severity),)
    pieces = (
        Piece(line.text[:start], 0),
        Piece(line.text[start:end], start, marks=mark),
        Piece(line.text[end:], end),
    )
    return tuple(piece for piece in pieces if piece.text or piece.marks)


def _character(text: str, column: int) -> int:
    """The character that begins at a column."""
    reached = 0
    for at, character in enumerate(text):
        if reached >= column and cell_len(character):
            return at
        reached += cell_len(character)
    return len(text)


def _rule_precision(here: Workplace) -> dict[tuple[str, str], PrecisionLine]:
    return {(line.kind, line.who): line for line in here.index.precision() if not line.is_judge}


def _fits(rule: Rule, kind: str | None, search: str) -> bool:
    if kind in KINDS and rule.kind != kind:
        return False
    words = search.casefold()
    return any(words in text.casefold() for text in (rule.id, rule.title, rule.summary))


def _rule_chips(kind: str | None, search: str) -> list[Chip]:
    counts = Counter(rule.kind for rule in rulebook())
    find = search or None
    every: Chip = ("All", rules_link(find=find), len(rulebook()), kind not in KINDS)
    return [every, *((kind_words(one), rules_link(kind=one, find=find), counts[one], kind == one) for one in KINDS)]


MOST_DAYS = 14
"""Days on which somebody decided, that are shown."""


@router.get("/precision")
def precision(request: Request, here: Here, kind: str | None = None) -> Response:
    lines = here.index.precision()
    wanted = [line for line in lines if kind not in KINDS or line.kind == kind]
    return page(
        request,
        "precision.html",
        rules=measured([line for line in wanted if not line.is_judge]),
        judges=measured([line for line in wanted if line.is_judge]),
        days=[_measured(line) for line in here.index.precision_by_day(kind if kind in KINDS else None)[-MOST_DAYS:]],
        kinds=_precision_chips(lines, kind),
        total=len(lines),
    )


def measured(lines: Sequence[PrecisionLine]) -> list[Drawn]:
    """Those that were most often looked at first: of them we know most."""
    ordered = sorted(lines, key=lambda line: (-line.of, line.who))
    return [_measured(line) for line in ordered]


def _measured(line: PrecisionLine) -> Drawn:
    """`few`: so few cases that the share says little yet."""
    return Drawn(
        line=line,
        name=model_name(line.who.removeprefix("model:")) if line.is_judge else line.who,
        said=said_of(line),
        few=line.of < FEW,
        chart=interval(line.share, line.low, line.high),
    )


def said_of(line: PrecisionLine) -> str:
    """`48 of 50 (96 %, 87 to 99 %)`; of few cases the count comes first: `3 cases: right 2 (67 %, ...)`."""
    if line.of >= FEW:
        return share(line.right, line.of, line.low, line.high)
    sure = f"{round(line.low * 100)} to {percent(line.high)}"
    return f"{plural(line.of, 'case')}, right in {line.right} ({percent(line.share)}, {sure})"


def _precision_chips(lines: Sequence[PrecisionLine], kind: str | None) -> list[Chip]:
    counts = Counter(line.kind for line in lines)
    every: Chip = ("All", precision_link(), len(lines), kind not in KINDS)
    return [
        every,
        *((kind_words(one), precision_link(kind=one), counts[one], kind == one) for one in KINDS if counts[one]),
    ]
