"""Front matter: the YAML at the head of a Markdown file.

A small, safe subset of YAML is read: mappings, lists, plain and quoted text, and block text. Every scalar is text.
Anchors, tags and other features are treated as plain characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

OPENING = re.compile(r"---[ \t]*\r?\n")
CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
QUOTED_KEY = re.compile(r"""("[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t]+|$)""")
NO_KEY = frozenset("#[]{},&*!|>%@`\"'")
BLOCK = re.compile(r"([|>])[0-9+-]{0,2}[ \t]*(?:#.*)?$")
FLOW_ITEM = regex.compile(r"""\s*+("(?:[^"\\]++|\\.)*+"|'(?:[^']++|'')*+'|[^,\[\]{}"']*+)\s*+(?:,|$)""")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "/": "/", '"': '"', "\\": "\\"}
LONGEST = 1 << 18
"""The most characters of front matter that are read."""
DEEPEST = 16


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a file."""

    values: Mapping[str, Any]
    end: int
    """The place where the text of the document begins."""


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str


def front_matter(text: str) -> FrontMatter | None:
    """Return the front matter at the beginning of `text`; None if there is none, or it never ends."""
    opening = OPENING.match(text)
    closing = CLOSING.search(text, opening.end(), opening.end() + LONGEST) if opening else None
    if opening is None or closing is None:
        return None
    inside = text[opening.end() : closing.start()].replace("\r\n", "\n").replace("\t", "  ")
    lines = [_Line(len(line) - len(line.lstrip(" ")), line.strip()) for line in inside.split("\n")]
    values = _Reader(lines).block(0, 0)
    return FrontMatter(values if isinstance(values, dict) else {}, closing.end())


class _Reader:
    """Reads blocks from the current line; invalid lines are skipped."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    def block(self, indent: int, depth: int) -> Any:
        """Return the mapping, list or text that begins at the next line with at least this indentation."""
        line = self._next()
        if line is None or line.indent < indent or depth > DEEPEST:
            return ""
        if _is_item(line.text):
            return self._list(line.indent, depth)
        if _key(line.text) is not None:
            return self._mapping(line.indent, depth)
        return self._folded(line.indent)

    def _next(self) -> _Line | None:
        """Return the next line that is neither empty nor a comment."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.text and not line.text.startswith("#"):
                return line
            self._at += 1
        return None

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._next()) is not None and line.indent >= indent:
            key = _key(line.text) if line.indent == indent else None
            self._at += 1
            if key is not None:
                found.setdefault(key[0], self._value(key[1], indent, depth))
            elif indent == line.indent and _is_item(line.text):
                self._at -= 1
                break
        return found

    def _value(self, rest: str, indent: int, depth: int) -> Any:
        rest = rest.strip()
        block = BLOCK.match(rest)
        if block is not None:
            return self._block_text(indent, folded=block[1] == ">")
        if rest and not rest.startswith("#"):
            text = self._continued(rest, indent)
            if text.startswith("[") and text.endswith("]"):
                inside = text[1:-1].strip()
                return [_unquoted(item) for item in _flow_items(inside)] if inside else []
            return _unquoted(text)
        line = self._next()
        # The items of a list may have the same indentation as their key.
        deeper = indent if line is not None and line.indent == indent and _is_item(line.text) else indent + 1
        return self.block(deeper, depth + 1)

    def _continued(self, rest: str, indent: int) -> str:
        """Join a value with its continuation on deeper lines."""
        parts = [rest]
        while self._at < len(self._lines) and self._lines[self._at].indent > indent and self._lines[self._at].text:
            parts.append(self._lines[self._at].text)
            self._at += 1
        return " ".join(parts)

    def _list(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while (line := self._next()) is not None and line.indent == indent and _is_item(line.text):
            rest = line.text[1:].lstrip()
            inner = line.indent + len(line.text) - len(rest)
            if _key(rest) is not None and depth < DEEPEST:
                self._lines[self._at] = _Line(inner, rest)
                found.append(self._mapping(inner, depth + 1))
                continue
            self._at += 1
            found.append(self._value(rest, indent, depth))
        return found

    def _folded(self, indent: int) -> str:
        parts: list[str] = []
        while (line := self._next()) is not None and line.indent >= indent and _key(line.text) is None:
            parts.append(line.text)
            self._at += 1
        if not parts:
            self._at += 1
        return _unquoted(" ".join(parts))

    def _block_text(self, indent: int, *, folded: bool) -> str:
        lines: list[str] = []
        while self._at < len(self._lines) and (not self._lines[self._at].text or self._lines[self._at].indent > indent):
            lines.append(self._lines[self._at].text)
            self._at += 1
        return (" " if folded else "\n").join(lines).strip()


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _key(text: str) -> tuple[str, str] | None:
    """Return the key at the start of a line and the text after it."""
    quoted = QUOTED_KEY.match(text)
    if quoted is not None:
        return quoted[1][1:-1], text[quoted.end() :]
    if text[:1] in NO_KEY or _is_item(text):
        return None
    at = text.find(": ")
    if at < 0:
        return (text[:-1].rstrip(), "") if text.endswith(":") else None
    return text[:at].rstrip(), text[at + 2 :]


def _flow_items(inside: str) -> list[str]:
    items: list[str] = []
    at = 0
    while at < len(inside):
        match = FLOW_ITEM.match(inside, at)
        if match is None or match.end() == at:
            return [inside]
        items.append(match[1].strip())
        at = match.end()
    return items


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[0]), text[1:-1])
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text if text[:1] in "\"'" else text.split(" #", 1)[0].rstrip()


def written(values: Mapping[str, Any]) -> str:
    """Return front matter with these values: text, and lists of texts or flat mappings."""
    lines = ["---"]
    for key, value in values.items():
        if isinstance(value, list):
            lines.append(f"{key}:")
            lines += (f"- {_item(item)}" for item in value)
        else:
            lines.append(f"{key}: {_quoted(value)}")
    return "\n".join([*lines, "---", ""])


def _item(item: object) -> str:
    if isinstance(item, Mapping):
        return "\n  ".join(f"{key}: {_quoted(part)}" for key, part in item.items())
    return _quoted(item)


PLAIN = re.compile(r"[A-Za-z0-9][\w .,()/+-]*")


def _quoted(value: object) -> str:
    text = str(value)
    if PLAIN.fullmatch(text) and text == text.strip():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
