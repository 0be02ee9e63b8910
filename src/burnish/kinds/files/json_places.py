"""The places of all values in a JSON text, and how new ones are written beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not list it
from typing import Any

import regex

SPACE = regex.compile(r"[ \t\n\r]*")
SCALAR = regex.compile(r"[^\s,\]}]+")
ESCAPES = regex.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.|[^\\]+", regex.DOTALL)
"""The inside of a string: one escape, which stands for one character, or a stretch without any."""
NON_ASCII_ESCAPE = regex.compile(r"\\u(?!00[0-7])")


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


def is_escaped(text: str) -> bool:
    """Whether the author writes characters beyond ASCII as escapes."""
    return text.isascii() and NON_ASCII_ESCAPE.search(text) is not None


def dumped(value: Any, ascii_only: bool) -> str:
    """A value as the author would write it."""
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def with_member(text: str, node: Node, name: str, dumped: str) -> str:
    """The text with one more member at the end of the object, written in its neighbours' style."""
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
