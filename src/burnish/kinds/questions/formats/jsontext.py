"""JSON as text: strict parsing, the places of its values, and changes that leave every other character alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not list it
from typing import Any

import jiter
import regex

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.limits import BRACKETS, COMMAS
from burnish.kinds.questions.formats.mapped import Layer, Run, Setting, applied, field_text
from burnish.kinds.questions.formats.places import Place
from burnish.kinds.questions.formats.source import wrong_encoding

SMALL = 1 << 16
"""An item of this size cannot be a bomb; larger ones are counted before they are parsed."""
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
SPACE = regex.compile(r"[ \t\n\r]*")
SCALAR = regex.compile(r"[^\s,\]}]+")
ESCAPES = regex.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.|[^\\]+", regex.DOTALL)
NON_ASCII_ESCAPE = regex.compile(r"\\u(?!00[0-7])")
CODES = {
    "recursion limit": ("too_deep", "It is nested too deep."),
    "EOF while": ("truncated", "The JSON ends too early."),
    "Detected duplicate key": ("duplicate_key", "{}."),
}


def strict(raw: bytes, place: Place) -> Any:
    """The value of `raw`, or a Problem: no NaN, no repeated key, no bombs, UTF-8 only."""
    if len(raw) > SMALL and (raw.count(b"{") + raw.count(b"[") > BRACKETS or raw.count(b",") > COMMAS):
        return place.problem("too_complex", "It has too many parts to be a question.")
    try:
        return jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        return _complaint(raw, place, str(error))


def _complaint(raw: bytes, place: Place, said: str) -> Problem:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return wrong_encoding(raw, place, error)
    where = WHERE.search(said)
    line = place.line + (int(where.group(1)) - 1 if where else 0)
    reason = said[: where.start()] if where else said
    column = f" (column {where.group(2)})" if where else ""
    for start, (code, message) in CODES.items():
        if reason.startswith(start):
            return place.problem(code, message.format(reason), line=line)
    return place.problem("invalid_json", f"This is not valid JSON: {reason}{column}.", line=line)


@dataclass(slots=True)
class Node:
    """A value's place in the text."""

    start: int
    end: int = 0
    parts: dict[str | int, Node] = field(default_factory=dict)
    """Members by name, elements by position."""
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The places of the members' names, quotes included."""


def places_of(text: str) -> Node:
    """The places of all values of a JSON text that is known to be valid."""
    return _value(text, _skip(text, 0))


def _skip(text: str, at: int) -> int:
    return SPACE.match(text, at).end()  # type: ignore[union-attr]  # the pattern matches the empty text too


def _value(text: str, at: int) -> Node:
    if text[at] == '"':
        return Node(at, scanstring(text, at + 1, True)[1])
    if text[at] in "{[":
        return _container(text, Node(at))
    return Node(at, SCALAR.match(text, at).end())  # type: ignore[union-attr]  # a scalar has at least one character


def _container(text: str, node: Node) -> Node:
    named, at = text[node.start] == "{", _skip(text, node.start + 1)
    while text[at] not in "}]":
        name: str | int = len(node.parts)
        if named:
            key, end = scanstring(text, at + 1, True)
            node.keys[key] = (at, end)
            name, at = key, _skip(text, _skip(text, end) + 1)
        node.parts[name] = _value(text, at)
        at = _skip(text, node.parts[name].end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def line_at(text: str, path: tuple[str | int, ...]) -> int:
    """How many lines below the beginning the value at `path` (or the nearest one around it) stands."""
    node = places_of(text)
    for name in path:
        if name not in node.parts:
            break
        node = node.parts[name]
    return text.count("\n", 0, node.start)


def with_value(text: str, path: tuple[str | int, ...], value: Any) -> str:
    """The text with the value at `path` exchanged; a member that is not there yet is added in its neighbours' style."""
    node, ascii_only = places_of(text), _is_escaped(text)
    for depth, name in enumerate(path):
        if name not in node.parts:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _with_member(text, node, str(name), _dumped(value, ascii_only))
        node = node.parts[name]
    if isinstance(value, str) and text[node.start] == '"':
        return _with_string(text, node, value, ascii_only)
    return text[: node.start] + _dumped(value, ascii_only) + text[node.end :]


def _is_escaped(text: str) -> bool:
    """Whether the author writes characters beyond ASCII as escapes."""
    return text.isascii() and NON_ASCII_ESCAPE.search(text) is not None


def _dumped(value: Any, ascii_only: bool) -> str:
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def _with_member(text: str, node: Node, name: str, dumped: str) -> str:
    if not node.keys:
        return f"{text[: node.start + 1]}{json.dumps(name)}: {dumped}{text[node.end - 1 :]}"
    last = list(node.keys)[-1]
    key_start, key_end = node.keys[last]
    value = node.parts[last]
    colon = text[key_end : value.start]
    blank = text[len(text[:key_start].rstrip(" \t\r\n")) : key_start]
    if len(node.keys) == 1 and not blank and colon.endswith(" "):
        blank = " "
    return f"{text[: value.end]},{blank}{json.dumps(name)}{colon}{dumped}{text[value.end :]}"


def _with_string(text: str, node: Node, new: str, ascii_only: bool) -> str:
    def encode(words: str, _setting: Setting) -> str:
        return json.dumps(words, ensure_ascii=ascii_only)[1:-1]

    def build(source: str) -> list[Layer]:
        return [Layer(_string_runs(source), encode)]

    token = field_text("text", text, node.start + 1, node.end - 1, build)
    return applied(text, token.rewritten(text, new))


def _string_runs(source: str) -> Iterator[Run]:
    for match in ESCAPES.finditer(source):
        part = match.group()
        if part.startswith("\\"):
            yield Run(json.loads(f'"{part}"'), match.start(), match.end(), "coded")
        else:
            yield Run(part, match.start(), match.end())
