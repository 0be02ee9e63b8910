"""The rulebook: every rule, what it looks for, why, and what people think of its findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter
from rich.cells import cell_len
from starlette.requests import Request
from starlette.responses import Response

from burnish.api.workplace import Here, Workplace
from burnish.app.precision import PrecisionLine
from burnish.app.rulebook import Example, Line, Rule, rule_named, rules
from burnish.kinds.registry import KINDS
from burnish.web.labels import kind_words
from burnish.web.links import rules_link
from burnish.web.rendering import crumbs, page
from burnish.web.spans import Mark, Piece

LONGEST_SEARCH = 200

router = APIRouter()
Chip = tuple[str, str, int | None, bool]


@dataclass(frozen=True, slots=True)
class Shown:
    """An example with the words marked that the rule is about."""

    lines: tuple[tuple[Piece, ...], ...]
    message: str | None


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
        kinds=_chips(kind, search),
        kind=kind,
        find=search,
        right=_precision(here),
    )


@router.get("/rules/{rule:path}")
def rule_page(request: Request, here: Here, rule: str) -> Response:
    found = rule_named(rule)
    return page(
        request,
        "rule.html",
        crumbs=crumbs(("Rules", rules_link()), (kind_words(found.kind), rules_link(kind=found.kind)), (found.id, None)),
        rule=found,
        bad=[shown(example, found) for example in found.bad],
        good=[shown(example, found) for example in found.good],
        right=_precision(here).get((found.kind, found.id)),
    )


def shown(example: Example, rule: Rule) -> Shown:
    return Shown(tuple(marked(line, rule) for line in example.lines), example.message)


def marked(line: Line, rule: Rule) -> tuple[Piece, ...]:
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


def _precision(here: Workplace) -> dict[tuple[str, str], PrecisionLine]:
    return {(line.kind, line.who): line for line in here.index.precision() if not line.is_judge}


def _fits(rule: Rule, kind: str | None, search: str) -> bool:
    if kind in KINDS and rule.kind != kind:
        return False
    words = search.casefold()
    return words in rule.id.casefold() or words in rule.summary.casefold()


def _chips(kind: str | None, search: str) -> list[Chip]:
    counts = Counter(rule.kind for rule in rulebook())
    find = search or None
    every: Chip = ("All", rules_link(find=find), len(rulebook()), kind not in KINDS)
    return [every, *((kind_words(one), rules_link(kind=one, find=find), counts[one], kind == one) for one in KINDS)]
