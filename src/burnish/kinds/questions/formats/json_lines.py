"""JSON Lines: one question a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import regex

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.base import Fault, Format, Piece
from burnish.kinds.questions.formats.json_items import json_carried, json_piece, question_json
from burnish.kinds.questions.formats.recognition import beginning, extension, family, is_json
from burnish.kinds.questions.formats.source import ITEM_BYTES, Line, Lines, Place, Source
from burnish.kinds.questions.model import Question

SECOND_LINE = regex.compile(r"^\s*\{[^\n]*\}[ \t]*\r?\n\s*\{|^\s*\{[^\n\r]*\}[ \t]*\r\s*\{")
"""A first line that is an object of its own, and a second line that opens another."""
NEXT_OPENS = regex.compile(r"^[^\n\r]*[\n\r]\s*\{\s*\S")


class JsonLines(Format):
    """`.jsonl`: what is wrong with one line does not touch the others."""

    name = "jsonl"
    extensions = (".jsonl", ".ndjson")

    def recognise(self, path: str, head: bytes) -> bool:
        kind, start = family(head), beginning(head).lstrip()
        named = extension(path) in self.extensions
        if is_json(path, head) and start.startswith("{"):
            return SECOND_LINE.match(start) is not None or (named and _one_line_each(start))
        return named and kind in ("text", "nothing")

    def pieces(self, source: Source) -> Iterator[Piece]:
        for line in Lines(source, ITEM_BYTES):
            if line.piece == 0:
                yield _piece(line, source.path)
            else:
                yield Fault(line.raw, _too_long(line, source.path)) if line.piece == 1 else line.raw

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        for question in questions:
            target.write(question_json(question) + b"\n")
        return []

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        return json_carried(stream)


def _one_line_each(start: str) -> bool:
    """Whether the first line may be a whole question: it is not just the opening of an object spread over lines."""
    first, end, _ = start.partition("\n")
    return not end or first.rstrip().endswith("}") or NEXT_OPENS.match(start) is not None


def _piece(line: Line, path: str) -> Piece:
    raw = line.raw.strip(b" \t\r\n")
    return json_piece(line.raw, raw, Place(path, line.number, line.offset)) if raw else line.raw


def _too_long(line: Line, path: str) -> Problem:
    message = f"The line is longer than {ITEM_BYTES >> 20} MB; it is passed over."
    return Place(path, line.number).problem("too_long", message, hint="Is the file really one question a line?")
