"""JSON Lines: one question a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import regex

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.base import BankFormat, Fault, Piece
from burnish.kinds.questions.formats.json_items import JsonDraft, json_carried, question_json, strict
from burnish.kinds.questions.formats.recognition import beginning, extension, family, is_json
from burnish.kinds.questions.formats.source import ITEM_BYTES, Line, Lines, Place, Source
from burnish.kinds.questions.model import Question

SECOND_LINE = regex.compile(r"^\s*\{[^\n]*\}[ \t]*\r?\n\s*\{|^\s*\{[^\n\r]*\}[ \t]*\r\s*\{")
"""A first line that is an object of its own, and a second line that opens another."""
NEXT_OPENS = regex.compile(r"^[^\n\r]*[\n\r]\s*\{\s*\S")


class JsonLines(BankFormat):
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
        told = 0
        for line in Lines(source, ITEM_BYTES):
            if line.whole:
                yield _piece(line, source.path)
            elif line.number == told:
                yield line.raw
            else:
                told = line.number
                yield Fault(line.raw, _too_long(line, source.path))

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
    if not raw:
        return line.raw
    place = Place(path, line.number, line.offset)
    value = strict(raw, place)
    if isinstance(value, dict):
        return JsonDraft(line.raw, place, value)
    problem = value if isinstance(value, Problem) else place.problem("wrong_type", "A question is a JSON object.")
    return Fault(line.raw, problem)


def _too_long(line: Line, path: str) -> Problem:
    message = f"The line is longer than {ITEM_BYTES >> 20} MB; it is passed over."
    return Place(path, line.number).problem("too_long", message, hint="Is the file really one question a line?")
