"""Reference pages: the rules, the precision of rules and judges, and `/api/docs`, which is built from the OpenAPI
description.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

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
    """Every rule without its examples, which are needed only on the page of a rule."""
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
        kinds=_kind_chips(kind, Counter(rule.kind for rule in rulebook()), partial(rules_link, find=search or None)),
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
    """A line with its mark, whose place is given in terminal columns: some characters take two, some none."""
    if line.mark is None:
        return (Piece(line.text, 0),)
    start = _character_at(line.text, line.mark[0])
    end = max(start, _character_at(line.text, sum(line.mark)))
    mark = (Mark(1, rule.severity),)
    pieces = (
        Piece(line.text[:start], 0),
        Piece(line.text[start:end], start, marks=mark),
        Piece(line.text[end:], end),
    )
    return tuple(piece for piece in pieces if piece.text or piece.marks)


def _character_at(text: str, column: int) -> int:
    """The index of the character that begins at a column."""
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


def _kind_chips(kind: str | None, counts: Counter[str], link: Callable[..., str]) -> list[Chip]:
    """Filters for all and for each kind that occurs."""
    every: Chip = ("All", link(), counts.total(), kind not in KINDS)
    return [every, *((kind_words(one), link(kind=one), counts[one], kind == one) for one in KINDS if counts[one])]


MOST_DAYS = 14
"""Days with decisions that are shown."""


@router.get("/precision")
def precision(request: Request, here: Here, kind: str | None = None) -> Response:
    lines = here.index.precision()
    matching = [line for line in lines if kind not in KINDS or line.kind == kind]
    return page(
        request,
        "precision.html",
        rules=measured([line for line in matching if not line.is_judge]),
        judges=measured([line for line in matching if line.is_judge]),
        days=[_measured(line) for line in here.index.precision_by_day(kind if kind in KINDS else None)[-MOST_DAYS:]],
        kinds=_kind_chips(kind, Counter(line.kind for line in lines), precision_link),
        total=len(lines),
    )


def measured(lines: Sequence[PrecisionLine]) -> list[Drawn]:
    """The lines with the most cases first."""
    ordered = sorted(lines, key=lambda line: (-line.of, line.who))
    return [_measured(line) for line in ordered]


def _measured(line: PrecisionLine) -> Drawn:
    """`few`: too few cases for the share to say much."""
    return Drawn(
        line=line,
        name=model_name(line.who.removeprefix("model:")) if line.is_judge else line.who,
        said=said_of(line),
        few=line.of < FEW,
        chart=interval(line.share, line.low, line.high),
    )


def said_of(line: PrecisionLine) -> str:
    """`48 of 50 (96 %, 87 to 99 %)`; with few cases `3 cases, right in 2 (67 %, ...)`."""
    if line.of >= FEW:
        return share(line.right, line.of, line.low, line.high)
    sure = f"{round(line.low * 100)} to {percent(line.high)}"
    return f"{plural(line.of, 'case')}, right in {line.right} ({percent(line.share)}, {sure})"


MOST_CHOICES = 12
"""Values of an enum that are listed."""
Described = Mapping[str, Any]


@router.get("/api/docs")
def api_page(request: Request) -> Response:
    """The API reference."""
    described = request.app.openapi()
    return page(request, "api.html", about=described["info"]["description"], chapters=chapters(described))


def chapters(described: Described) -> list[Drawn]:
    """The operations by tag, in the order of the tags."""
    entries = [
        (operation["tags"][0], _entry(described, path, method, operation))
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return [
        Drawn(
            name=tag["name"],
            words=tag["description"],
            requests=tuple(entry for name, entry in entries if name == tag["name"]),
        )
        for tag in described["tags"]
    ]


def _entry(described: Described, path: str, method: str, operation: Described) -> Drawn:
    body = _body(described, operation)
    answers = ((status, answer["description"]) for status, answer in sorted(operation["responses"].items()))
    return Drawn(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        words=operation["description"],
        fields=(*_parameters(described, operation), *_fields(described, body)),
        example=json.dumps(body["examples"][0], indent=2, ensure_ascii=False) if body.get("examples") else None,
        answers=tuple(answers),
    )


def _body(described: Described, operation: Described) -> Described:
    if "requestBody" not in operation:
        return {}
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return _resolved(described, schema)


def _resolved(described: Described, schema: Described) -> Described:
    found: Described = schema
    if "$ref" in schema:
        found = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _parameters(described: Described, operation: Described) -> Iterator[Drawn]:
    for one in operation.get("parameters", ()):
        yield Drawn(
            name=one["name"],
            place=one["in"],
            sort=sort_of(one["schema"], described),
            required=one.get("required", False),
            words=one.get("description", ""),
        )


def _fields(described: Described, body: Described) -> Iterator[Drawn]:
    required = set(body.get("required", ()))
    for name, schema in body.get("properties", {}).items():
        words = schema.get("description") or _resolved(described, schema).get("description", "")
        yield Drawn(name=name, place="body", sort=sort_of(schema, described), required=name in required, words=words)


def sort_of(schema: Described, described: Described) -> str:
    """The type of a value in a few words."""
    if "anyOf" in schema:
        choices = (sort_of(one, described) for one in schema["anyOf"] if one.get("type") != "null")
        return " or ".join(dict.fromkeys(choices))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"][:MOST_CHOICES])
    if "$ref" in schema:
        return f"{{{', '.join(_resolved(described, schema)['properties'])}}}"
    if schema.get("type") == "array":
        return f"list of {sort_of(schema['items'], described)}" if schema.get("items") else "list"
    return str(schema.get("type", "anything"))
