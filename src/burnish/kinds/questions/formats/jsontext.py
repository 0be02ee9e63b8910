"""JSON as text: strict parsing, and changes that leave every other character alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jiter
import regex

from burnish.core.documents import Problem
from burnish.kinds.files.json_places import ESCAPES, Node, dumped, is_escaped, places_of, with_member
from burnish.kinds.questions.formats.limits import BRACKETS, COMMAS
from burnish.kinds.questions.formats.mapped import Layer, Run, Setting, applied, field_text
from burnish.kinds.questions.formats.places import Place
from burnish.kinds.questions.formats.source import wrong_encoding

SMALL = 1 << 16
"""An item of this size cannot be a bomb; larger ones are counted before they are parsed."""
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
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
    node, ascii_only = places_of(text), is_escaped(text)
    for depth, name in enumerate(path):
        if name not in node.parts:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return with_member(text, node, str(name), dumped(value, ascii_only))
        node = node.parts[name]
    if isinstance(value, str) and text[node.start] == '"':
        return _with_string(text, node, value, ascii_only)
    return text[: node.start] + dumped(value, ascii_only) + text[node.end :]


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
