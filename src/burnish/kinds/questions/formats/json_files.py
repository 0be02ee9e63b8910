"""JSON files: one question per line, or a list of questions, an object with such a list, or one question.

A list is split into items while it is read, so that files of any size need constant memory; each item is then parsed
strictly by itself. The text around the list is parsed strictly at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

import regex

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.base import Fault, Format, Piece
from burnish.kinds.questions.formats.json_items import FOREIGN, json_carried, json_piece, question_json, strict
from burnish.kinds.questions.formats.source import BRACKETS, ITEM_BYTES, Lines, Place, Source, family
from burnish.kinds.questions.model import Question
from burnish.kinds.registry import beginning, extension

SECOND_LINE = regex.compile(r"^\s*\{[^\n]*\}[ \t]*\r?\n\s*\{|^\s*\{[^\n\r]*\}[ \t]*\r\s*\{")
"""A first line that is a complete object, and a second line that begins another."""
NEXT_OPENS = regex.compile(r"^[^\n\r]*[\n\r]\s*\{\s*\S")


FIELD = regex.compile(r'"(?:stem|question|questions|options|choices|correct_answer)"\s*:')


def is_json(path: str, head: bytes) -> bool:
    """Whether the content is JSON. A `[` or `{` alone is not enough for a name such as `lesson.md`."""
    if family(head) != "json":
        return False
    return extension(path) in (".json", ".jsonl", ".ndjson", ".txt", "") or FIELD.search(beginning(head)) is not None


class _JsonFormat(Format):
    def carried(self, stream: BinaryIO) -> frozenset[str]:
        return json_carried(stream)


class JsonLines(_JsonFormat):
    """`.jsonl`: an error in one line does not affect the others."""

    name = "jsonl"
    extensions = (".jsonl", ".ndjson")

    def recognise(self, path: str, head: bytes) -> bool:
        kind, start = family(head), beginning(head).lstrip()
        named = extension(path) in self.extensions
        if is_json(path, head) and start.startswith("{"):
            # With our extensions, one complete question on the first line is enough.
            first, end, _ = start.partition("\n")
            one_line_each = not end or first.rstrip().endswith("}") or NEXT_OPENS.match(start) is not None
            return SECOND_LINE.match(start) is not None or (named and one_line_each)
        return named and kind in ("text", "nothing")

    def pieces(self, source: Source) -> Iterator[Piece]:
        for line in Lines(source, ITEM_BYTES):
            if line.piece == 0:
                raw = line.raw.strip(b" \t\r\n")
                yield json_piece(line.raw, raw, Place(source.path, line.number, line.offset)) if raw else line.raw
            elif line.piece == 1:
                message = f"The line is longer than {ITEM_BYTES >> 20} MB; it is skipped."
                hint = "Does the file have one question per line?"
                yield Fault(line.raw, Place(source.path, line.number).problem("too_long", message, hint=hint))
            else:
                yield line.raw

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        target.writelines(question_json(question) + b"\n" for question in questions)
        return []


BLANK = re.compile(rb"[ \t\n\r]*")
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
BRACKET = re.compile(rb'[^"{}\[\]]*+(?:"(?:[^"\\]++|\\.)*+"[^"{}\[\]]*+)*+([{}\[\]])', re.DOTALL)
"""Up to the next bracket that is not inside a string."""
SCALAR = re.compile(rb'(?:[^"{}\[\],\s]++|"(?:[^"\\]++|\\.)*+")+', re.DOTALL)
COLUMN = re.compile(r" \(column \d+\)")
QUESTION_NAMES = (FOREIGN | {"stem", "options", "correct_answer", "type", "vignette"}) - {"items"}


class JsonArray(_JsonFormat):
    """`.json`."""

    name = "json"
    extensions = (".json",)

    def recognise(self, path: str, head: bytes) -> bool:
        if is_json(path, head):
            return not JsonLines().recognise(path, head)
        return extension(path) in self.extensions and family(head) in ("text", "nothing")

    def pieces(self, source: Source) -> Iterator[Piece]:
        return _Cutting(source).pieces()

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        before = b"[\n"
        for question in questions:
            target.write(before + question_json(question))
            before = b",\n"
        target.write(b"\n]\n" if before == b",\n" else b"[]\n")
        return []


class _Window:
    """The buffered bytes, taken piece by piece from the front."""

    def __init__(self, source: Source) -> None:
        self._chunks = source.chunks()
        self._path = source.path
        self.data = b""
        self.at = 0
        """Where the untaken part begins."""
        self._offset = len(source.bom)
        self.line = 1
        # Old Mac files have "\r" alone; then lines are counted by it.
        self._line_end = b"\r" if b"\r" in source.head and b"\n" not in source.head else b"\n"

    @property
    def place(self) -> Place:
        return Place(self._path, self.line, self._offset)

    def more(self) -> bool:
        """Read more; False at the end of the file. Positions relative to `at` stay valid."""
        chunk = next(self._chunks, b"")
        self.data = self.data[self.at :] + chunk
        self.at = 0
        return bool(chunk)

    def take(self, end: int) -> bytes:
        raw = self.data[self.at : end]
        self.at = end
        self._offset += len(raw)
        self.line += raw.count(self._line_end)
        return raw

    def mark(self) -> int | None:
        """The place of the next character that is not blank; None at the end of the file."""
        while True:
            position = _after_blanks(self.data, self.at)
            if position < len(self.data):
                return position
            if len(self.data) - self.at > ITEM_BYTES:
                raise _Refused("too_long", "There are megabytes of blanks only.")
            if not self.more():
                return None

    def rest(self) -> Iterator[bytes]:
        """The rest of the file."""
        yield self.take(len(self.data))
        while self.more():
            yield self.take(len(self.data))


class _Refused(Exception):
    """A value that is too large or too complex."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Cutting:
    """Splits a file in one pass."""

    def __init__(self, source: Source) -> None:
        self._window = _Window(source)
        self._frame: list[bytes] = []
        self._stopped = False

    def pieces(self) -> Iterator[Piece]:
        try:
            yield from self._pieces()
        except _Refused as refusal:
            hint = "The rest of the file is not read."
            yield Fault(b"", self._window.place.problem(refusal.code, str(refusal), hint=hint), last=True)
            yield from self._window.rest()

    def _pieces(self) -> Iterator[Piece]:
        mark = self._window.mark()
        if mark is None:
            yield self._window.data
            return
        start = self._list_start(mark)
        if start is None:
            yield from self._single()
            return
        self._frame.append(self._window.take(start))
        yield self._frame[0]
        yield from self._items()
        if self._stopped:
            yield from self._window.rest()
            return
        yield from self._end()

    def _list_start(self, mark: int) -> int | None:
        """Where the items of the list begin; None if the file is one question."""
        window = self._window
        if window.data[mark : mark + 1] == b"[":
            return mark + 1
        while len(window.data) < ITEM_BYTES and window.more():
            pass
        items = None
        names = set()
        for name, value in _members(window.data, mark + 1):
            names.add(name.decode("utf-8", "replace"))
            if window.data[value : value + 1] == b"[":
                if name == b"questions":
                    return value + 1
                items = value + 1 if name == b"items" else items
        return items if names.isdisjoint(QUESTION_NAMES) else None

    def _single(self) -> Iterator[Piece]:
        window = self._window
        while len(window.data) <= ITEM_BYTES and window.more():
            pass
        yield window.take(_after_blanks(window.data, window.at))
        place = window.place
        if len(window.data) - window.at > ITEM_BYTES:
            message = f"One question takes more than {ITEM_BYTES >> 20} MB."
            yield Fault(b"", place.problem("too_long", message), last=True)
            yield from window.rest()
            return
        raw = window.take(len(window.data))
        body = raw.rstrip(b" \t\r\n")
        yield json_piece(body, body, place)
        yield raw[len(body) :]

    def _items(self) -> Iterator[Piece]:
        window, after = self._window, b"["
        while (mark := window.mark()) is not None:
            character = window.data[mark : mark + 1]
            if character == b"]":
                if after == b",":
                    yield self._fault("invalid_json", "There is a comma after the last question.")
                return
            yield window.take(mark)
            if character == b",":
                if after != b"":
                    yield self._fault("invalid_json", "There is a comma with no question before it.")
                yield window.take(mark + 1 if window.at else 1)
                after = b","
                continue
            if after == b"":
                yield self._fault("invalid_json", "There is no comma between two questions.")
            place, end = window.place, self._value_end()
            if end is None:
                self._stopped = True
                message = "The file ends inside this question."
                yield Fault(b"", place.problem("truncated", message, hint="Is it complete?"))
                return
            raw = window.take(end)
            yield json_piece(raw, raw, place)
            after = b""
        self._stopped = True
        yield self._fault("truncated", "The file ends before the list of questions does.")

    def _value_end(self) -> int | None:
        """Where the value at the front of the buffer ends; None if the file ends first."""
        window, scanned, depth, brackets = self._window, 0, 0, 0
        pattern = BRACKET if window.data[window.at : window.at + 1] in (b"{", b"[") else SCALAR
        while True:
            match = pattern.match(window.data, window.at + scanned)
            if match is None or (pattern is SCALAR and match.end() == len(window.data)):
                if len(window.data) - window.at > ITEM_BYTES:
                    raise _Refused("too_long", f"One question takes more than {ITEM_BYTES >> 20} MB.")
                if not window.more():
                    return match.end() if match else None
                continue
            if pattern is SCALAR:
                return match.end()
            scanned = match.end() - window.at
            depth += 1 if match.group(1) in (b"{", b"[") else -1
            brackets += 1
            if depth == 0:
                return match.end()
            if brackets > BRACKETS:
                raise _Refused("too_complex", "It has too many parts to be a question.")

    def _end(self) -> Iterator[Piece]:
        """The text after the list, and the errors in the text around it."""
        before = self._frame[0]
        inner = self._window.line - 1 - before.count(b"\n")
        tail, size = [], 0
        for raw in self._window.rest():
            yield raw
            size += len(raw)
            if size <= ITEM_BYTES:
                tail.append(raw)
        whole = strict(before + b"".join(tail), Place(self._window.place.path, 1))
        if isinstance(whole, Problem):
            line = whole.line or 1
            moved = line + (inner if line > before.count(b"\n") else 0)
            message = f"Around the list of questions: {COLUMN.sub('', whole.message)}"
            yield Fault(b"", replace(whole, line=moved, message=message), counts=False)

    def _fault(self, code: str, message: str) -> Fault:
        return Fault(b"", self._window.place.problem(code, message), counts=False)


def _after_blanks(data: bytes, at: int) -> int:
    match = BLANK.match(data, at)
    return match.end() if match else at


def _members(data: bytes, at: int) -> Iterator[tuple[bytes, int]]:
    """Names and value positions of an object's members, as far as the object is complete and buffered."""
    brackets = 0
    while (name := STRING.match(data, _after_blanks(data, at))) is not None:
        colon = _after_blanks(data, name.end())
        value = _after_blanks(data, colon + 1)
        yield name.group()[1:-1], value
        depth, at = 0, value
        while data[at : at + 1] not in (b",", b"}", b"") or depth:
            match = BRACKET.match(data, at) if depth or data[at : at + 1] in (b"{", b"[") else SCALAR.match(data, at)
            brackets += 1
            if match is None or brackets > BRACKETS:
                return
            at = match.end()
            if match.lastindex:
                depth += 1 if match.group(1) in (b"{", b"[") else -1
            at = at if depth else _after_blanks(data, at)
        at += 1
