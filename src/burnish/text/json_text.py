"""JSON read strictly, with the place of every value, so that one value can be changed and every other byte stays."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not list it
from typing import Any

import jiter
import regex

from burnish.core.errors import InputError

BRACKETS = 200_000
"""Objects and arrays in one lesson; beyond it the file is a bomb."""
COMMAS = 1_000_000
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
TOKENS = regex.compile(r'"(?:[^"\\]++|\\.)*+(?:"|(?P<open>$))|[\[\]{},:]', regex.DOTALL)
"""Strings and what stands between them; a string that never ends is `open`."""
LARGEST_NUMBER = 1 << 63


def parsed(text: str, path: str) -> Any:
    """The value of a JSON text: no NaN, no repeated key, no bombs. InputError with the place where reading stopped."""
    if text.count("{") + text.count("[") > BRACKETS or text.count(",") > COMMAS:
        raise InputError("It has too many parts to be a lesson.", path=path, code="too_complex")
    try:
        value = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        raise _complaint(text, path, str(error)) from error
    return _plain(value)


def _plain(value: Any) -> Any:
    """Numbers that no other program could hold become the words that they are written with."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LARGEST_NUMBER:
        return hex(value)
    return value


def _complaint(text: str, path: str, said: str) -> InputError:
    if said.startswith("EOF while") or _ends_in_a_string(text, said):
        return _truncated(text, path)
    where = WHERE.search(said)
    reason = said[: where.start()] if where else said
    line = int(where.group(1)) if where else 1
    column = int(where.group(2)) if where else 1
    if reason.startswith("recursion limit"):
        return InputError("It is nested too deep.", path=path, line=line, code="too_deep")
    if reason.startswith("Detected duplicate key"):
        message, code = f"{reason} (column {column}).", "duplicate_key"
        return InputError(message, path=path, line=line, code=code, hint="Keep one of the two.")
    message = f"This is not valid JSON: {reason} (column {column})."
    return InputError(message, path=path, line=line, code="invalid_json")


def _ends_in_a_string(text: str, said: str) -> bool:
    """Whether the control character that was met is only the line end that someone wrote after a cut."""
    if not said.startswith("control character"):
        return False
    try:
        jiter.from_json(text.rstrip().encode())
    except ValueError as error:
        return str(error).startswith("EOF while")
    return False


def _truncated(text: str, path: str) -> InputError:
    """Names the place where the text stops, and what it stops in."""
    end = len(text.rstrip())
    line = text.count("\n", 0, end) + 1
    column = end - (text.rfind("\n", 0, end) + 1) + 1
    field = open_path(text)
    inside = f", inside {field}" if field else ""
    return InputError(
        f"The JSON ends too early: at line {line}, column {column}{inside}.",
        path=path,
        line=line,
        field=field or None,
        code="truncated",
        hint="The lesson was cut off: write it again with a higher limit on tokens.",
    )


def open_path(text: str) -> str:
    """Where a JSON text stops that was cut off: `content.exercises[1].solution`; empty at the top."""
    steps: list[str | int | None] = []
    latest: str | None = None
    for match in TOKENS.finditer(text):
        token = match.group()
        if token[0] == '"':
            latest = None if match["open"] is not None else token
        elif token in "{[":
            steps.append(None if token == "{" else 0)
        elif token in "}]":
            if steps:
                steps.pop()
        elif steps and token == ":":
            steps[-1] = _name(latest)
        elif steps and token == ",":
            step = steps[-1]
            steps[-1] = step + 1 if isinstance(step, int) else None
    return "".join(
        (f"[{step}]" if isinstance(step, int) else f".{step}") for step in steps if step is not None
    ).removeprefix(".")


def _name(token: str | None) -> str | None:
    try:
        name = jiter.from_json(token.encode()) if token else None
    except ValueError:
        return None
    return name if isinstance(name, str) else None


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
