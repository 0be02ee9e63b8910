"""CSV and TSV: a header, then one question a row.

Columns are known by their headers in many spellings: `stem` or `question`; options as `A` to `Z`, `option_a` or
`option 1`; `correct`, `answer` or `key`; `rationale` or `explanation`; the names of metadata. Other columns are
carried. An empty option is no option.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import regex

from burnish.core.documents import PassedThrough, Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.answers import Answer, read_answer, write_answer
from burnish.kinds.questions.formats.base import CARRIABLE, BankFormat, Draft, Fault, Outcome, Piece
from burnish.kinds.questions.formats.cells import Record, cells, records, with_cell, written
from burnish.kinds.questions.formats.changes import Path
from burnish.kinds.questions.formats.drafting import drafted
from burnish.kinds.questions.formats.limits import ID_CHARACTERS, ITEM_BYTES, ITEM_LINES
from burnish.kinds.questions.formats.places import NotCarried, Place, TooComplex
from burnish.kinds.questions.formats.recognition import beginning, extension, family
from burnish.kinds.questions.formats.shapes import SINGLE
from burnish.kinds.questions.formats.source import Source, decoded, open_text
from burnish.kinds.questions.formats.table_header import LISTS, METADATA, Header, sniffed
from burnish.kinds.questions.formats.table_writing import write_table
from burnish.kinds.questions.model import Question


class RowDraft(Draft):
    """A row of the table."""

    def __init__(self, raw: bytes, place: Place, text: str, header: Header) -> None:
        super().__init__(raw, place)
        self._text = text
        self._header = header
        self.cells = cells(text, header.delimiter)

    @property
    def declared(self) -> str | None:
        id = self._held("id").strip()
        return id if id and len(id) <= ID_CHARACTERS else None

    def _held(self, field: str) -> str:
        column = self._header.fields.get(field)
        return self._at(column) if column is not None else ""

    def _at(self, column: int) -> str:
        return self.cells[column].text if column < len(self.cells) else ""

    def outcome(self, id: str) -> Outcome:
        type = self._held("type").strip() or "single_best_answer"
        if type not in SINGLE:
            return PassedThrough(id, type, self.place.line), []
        fields: dict[str, Any] = {
            name: self._at(column) for name, column in self._header.others.items() if self._at(column)
        }
        fields |= {"id": id, "stem": self._held("stem"), "options": self._options()}
        fields["correct_answer"] = self._answer().key
        for name in ("vignette", "rationale"):
            if name in self._header.fields:
                fields[name] = self._held(name)
        if self._held("language").strip():
            fields["language"] = self._held("language").strip()
        if self._held("burnish_ignore").strip():
            fields["burnish_ignore"] = _listed(self._held("burnish_ignore"))
        metadata = {name: self._metadata(name) for name in METADATA if self._held(f"metadata.{name}").strip()}
        if any(f"metadata.{name}" in self._header.fields for name in METADATA):
            fields["metadata"] = metadata
        return drafted(fields, self.place, size=len(self.raw))

    def _metadata(self, name: str) -> str | list[str]:
        held = self._held(f"metadata.{name}")
        return _listed(held) if name in LISTS else held

    def _options(self) -> list[dict[str, str]]:
        return [{"key": key, "text": self._at(column)} for key, column in self._header.options if self._at(column)]

    def _answer(self) -> Answer:
        held = self._held("correct_answer")
        options = [(option["key"], option["text"]) for option in self._options()]
        label = self._header.labels.get(held.strip())
        if label is not None and held.strip().isdigit():
            return Answer(label, "number_key", True)
        read = read_answer(held, options, keyed=True) or Answer(held, "key", False)
        lower = held.strip().upper()
        known = not read.known and any(key == lower for key, _ in options)
        return Answer(lower, "lower_key", True) if known else read

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        text = self._text
        wanted = {self._column(path): value for path, value in changed.items() if path != ("correct_answer",)}
        if ("correct_answer",) in changed or self._answer().form == "text":
            wanted[self._header.fields["correct_answer"]] = self._written_answer(after)
        for column in sorted(wanted, reverse=True):
            text = self._with(text, column, wanted[column])
        return text.encode()

    def _written_answer(self, after: Question) -> str:
        form = self._answer().form
        if form == "number_key":
            return next(
                (label for label, key in self._header.labels.items() if key == after.correct_answer),
                after.correct_answer,
            )
        return str(write_answer(form, after.correct_answer, after.options))

    def _column(self, path: Path) -> int:
        if path[0] == "options" and len(path) > 2 and path[2] == "text" and isinstance(path[1], int):
            present = [column for _, column in self._header.options if self._at(column)]
            if path[1] < len(present):
                return present[path[1]]
        name = ".".join(str(part) for part in path)
        column = self._header.fields.get(name, self._header.others.get(name))
        if column is None:
            raise NotCarried(name, "the table has no column for it.")
        return column

    def _with(self, text: str, column: int, value: Any) -> str:
        new = "|".join(value) if isinstance(value, list) else str(value)
        delimiter = self._header.delimiter
        present = cells(text, delimiter)
        if column < len(present):
            return with_cell(text, present[column], delimiter, new)
        end = present[-1].end
        return text[:end] + delimiter * (column - len(present) + 1) + written(new, delimiter) + text[end:]

    def again(self, raw: bytes) -> Draft | None:
        return RowDraft(raw, self.place, raw.decode(), self._header)


def _listed(text: str) -> list[str]:
    """Several values in one cell, parted by `|` or, where there is none, by `;`."""
    parts = text.split("|" if "|" in text else ";")
    return [part.strip() for part in parts if part.strip()]


class Table(BankFormat):
    """`.csv` with commas or semicolons, `.tsv` with tabs: the delimiter is read off the header."""

    def __init__(self, name: str, extensions: tuple[str, ...], delimiter: str) -> None:
        self.name = name
        self.extensions = extensions
        self._delimiter = delimiter

    def recognise(self, path: str, head: bytes) -> bool:
        kind, ending = family(head), extension(path)
        if kind not in ("text", "nothing"):
            return False
        header = sniffed(beginning(head).lstrip("\r\n").partition("\n")[0])
        if header is not None and ending in (".csv", ".tsv", ".tab", ".txt", ""):
            return (header.delimiter == "\t") == (self._delimiter == "\t")
        return ending in self.extensions

    def pieces(self, source: Source) -> Iterator[Piece]:
        header = _header(source)
        if header is None:
            yield from source.chunks()
            return
        seen_header = False
        for record in records(source, header.delimiter):
            if isinstance(record, bytes):
                yield record
            elif record.fault:
                yield Fault(record.raw, _incomplete(record, source.path), last=True)
            elif seen_header and record.raw.strip():
                yield _row(record, source.path, header)
            else:
                seen_header = seen_header or bool(record.raw.strip())
                yield record.raw

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        header = _header(open_text(stream, ""))
        return frozenset(header.fields) & CARRIABLE if header else frozenset()

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        return write_table(questions, target, self._delimiter)


def _header(source: Source) -> Header | None:
    """The header, looked up in the first chunk: nothing of the file is used up."""
    text = source.head.decode("utf-8" if source.codec == "utf-8" else source.codec, "replace").lstrip("\r\n \t")
    if not text:
        return None
    first = next(iter(regex.split(r"\r\n|\r|\n", text, maxsplit=1)))
    header = sniffed(first)
    if header is None:
        raise InputError(
            "The first line names no columns of a question bank.",
            path=source.path,
            line=1,
            hint="It needs columns for the stem (stem), two options or more (A, B, ...) and the key (correct_answer).",
            code="no_columns",
        )
    return header


def _row(record: Record, path: str, header: Header) -> Piece:
    place = Place(path, record.line, record.offset)
    text = decoded(record.raw, place)
    if isinstance(text, Problem):
        return Fault(record.raw, text)
    try:
        draft = RowDraft(record.raw, place, text, header)
    except TooComplex as refusal:
        return Fault(record.raw, refusal.at(place))
    if not any(cell.text.strip() for cell in draft.cells):
        return record.raw
    if any(cell.text for cell in draft.cells[header.width :]):
        message = f"The row has {len(draft.cells)} cells, the header {header.width}."
        return Fault(
            record.raw, place.problem("too_many_cells", message, hint="Put cells that hold the delimiter in quotes.")
        )
    return draft


def _incomplete(record: Record, path: str) -> Problem:
    place = Place(path, record.line)
    if record.fault == "too_long":
        message = (
            f"The row is longer than {ITEM_BYTES >> 20} MB or {ITEM_LINES} lines; the rest of the file is not read."
        )
    else:
        message = "A quote that opens in this row is never closed."
    return place.problem(record.fault, message, hint="Close the quotes of this row, or double them.")
