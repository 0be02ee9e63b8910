"""CSV and TSV: a header, then one question per row.

Columns are recognised by their headers in many spellings: `stem` or `question`; options as `A` to `Z`, `option_a` or
`option 1`; `correct`, `answer` or `key`; `rationale` or `explanation`; the names of metadata. Other columns are
carried. An empty option does not count.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import regex

from burnish.core.documents import PassedThrough
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import (
    CARRIABLE,
    Choice,
    Draft,
    Fault,
    Format,
    Losses,
    Outcome,
    Piece,
    choices,
    drafted_piece,
)
from burnish.kinds.questions.formats.drafts import Path, drafted, option_key, type_named, usable_id, written_key
from burnish.kinds.questions.formats.source import (
    ITEM_BYTES,
    ITEM_LINES,
    OPTIONS,
    Place,
    Source,
    TooComplex,
    family,
    open_text,
)
from burnish.kinds.questions.formats.table_cells import DELIMITERS, Record, cells, records, with_cell, written
from burnish.kinds.questions.model import VERDICTS, Answer, Question, QuestionType, read_answer
from burnish.kinds.registry import beginning, extension
from burnish.text.mapped_text import NotCarried

METADATA = tuple(sorted(name.removeprefix("metadata.") for name in CARRIABLE if name.startswith("metadata.")))
LISTS = frozenset({"slo_ids", "concept_ids", "keywords", "burnish_ignore"})
NAMES = {
    **dict.fromkeys(("id", "question_id", "qid", "item_id"), "id"),
    **dict.fromkeys(("stem", "question", "question_text", "questiontext"), "stem"),
    **dict.fromkeys(("correct", "answer", "key", "correct_answer", "answer_key", "correct_option"), "correct_answer"),
    **dict.fromkeys(("rationale", "explanation", "feedback"), "rationale"),
    **{name: name for name in ("vignette", "type", "language", "burnish_ignore")},
    **{name: f"metadata.{name}" for name in METADATA},
    **{f"metadata.{name}": f"metadata.{name}" for name in METADATA},
}
OPTION = regex.compile(r"(?:(?:option|choice|answer|distractor)_?)?([a-z])|(?:option|choice|answer)_?(\d{1,3})")
SEPARATORS = regex.compile(r"[\s_-]+")
SEVERAL = regex.compile(r"\s*[,;|]\s*")
"""The separators of several right answers in one cell."""
JUDGED = frozenset({"single_best_answer", "true_false", "multiple_response"})
"""The types that a row can hold."""
RESERVED = frozenset(Question.model_fields)


@dataclass(frozen=True, slots=True)
class Header:
    """The contents of the columns."""

    delimiter: str
    fields: Mapping[str, int]
    """Our name -> column."""
    options: tuple[tuple[str, int], ...]
    """Key and column of each option."""
    labels: Mapping[str, str]
    """Other names of an option in answers (`1`) -> its key."""
    others: Mapping[str, int]
    """Unknown columns, which are carried."""
    width: int

    @property
    def usable(self) -> bool:
        return "stem" in self.fields and "correct_answer" in self.fields and len(self.options) > 1


def header_of(line: str, delimiter: str) -> Header:
    """The header in the first record of a table."""
    return header_named([cell.text.strip() for cell in cells(line, delimiter)], delimiter)


def header_named(names: Sequence[str], delimiter: str = "") -> Header:
    """The header from the names of the columns."""
    fields: dict[str, int] = {}
    options: list[tuple[str, int]] = []
    labels: dict[str, str] = {}
    others: dict[str, int] = {}
    for column, name in enumerate(names):
        plain = SEPARATORS.sub("_", name.lower())
        known, option = NAMES.get(plain), OPTION.fullmatch(plain)
        if known is not None and known not in fields:
            fields[known] = column
        elif option is not None and len(options) < OPTIONS:
            key = option.group(1).upper() if option.group(1) else option_key(len(options))
            options.append((key, column))
            labels[option.group(2) or key] = key
        elif name and name not in others and name not in RESERVED:
            others[name] = column
    return Header(delimiter, fields, tuple(options), labels, others, len(names))


def sniffed(line: str) -> Header | None:
    """The header with the delimiter that gives the most columns, or None if it is not the header of a bank."""
    try:
        headers = [header for delimiter in DELIMITERS if (header := header_of(line, delimiter)).usable]
    except TooComplex:
        return None
    return max(headers, key=lambda header: len(header.fields) + len(header.options), default=None)


class Row(Draft):
    """A row of a text table or of a spreadsheet."""

    def __init__(self, raw: bytes, place: Place, header: Header) -> None:
        super().__init__(raw, place)
        self._header = header

    @abstractmethod
    def _at(self, column: int) -> str:
        """The text of a cell; empty if the row does not have it."""

    @abstractmethod
    def _written(self, wanted: Mapping[int, str]) -> bytes:
        """The row with new texts in these columns."""

    @property
    def declared(self) -> str | None:
        return usable_id(self._held("id"))

    def _held(self, field: str) -> str:
        column = self._header.fields.get(field)
        return self._at(column) if column is not None else ""

    def outcome(self, id: str) -> Outcome:
        type = self._type
        if type not in JUDGED:
            return PassedThrough(id, self._held("type").strip(), self.place.line), []
        fields: dict[str, Any] = {
            name: self._at(column) for name, column in self._header.others.items() if self._at(column)
        }
        fields |= {"id": id, "stem": self._held("stem"), "options": self._options()}
        fields |= {} if type == "single_best_answer" else {"type": type}
        # A cell may name several right answers.
        held = self._held("correct_answer")
        named = SEVERAL.split(held) if type == "multiple_response" else [held]
        fields["correct_answer"] = ", ".join(self._answer(part).key for part in (named if len(named) > 1 else [held]))
        for name in ("vignette", "rationale"):
            if name in self._header.fields:
                fields[name] = self._held(name)
        if self._held("language").strip():
            fields["language"] = self._held("language").strip()
        if self._held("burnish_ignore").strip():
            fields["burnish_ignore"] = _listed(self._held("burnish_ignore"))
        if any(f"metadata.{name}" in self._header.fields for name in METADATA):
            metadata = ((name, self._held(f"metadata.{name}")) for name in METADATA)
            fields["metadata"] = {n: _listed(text) if n in LISTS else text for n, text in metadata if text.strip()}
        return drafted(fields, self.place, size=len(self.raw))

    @property
    def _type(self) -> QuestionType | None:
        return type_named(self._held("type").strip() or "single_best_answer")

    def _options(self) -> list[dict[str, str]]:
        given = [{"key": key, "text": self._at(column)} for key, column in self._header.options if self._at(column)]
        if self._type == "true_false" and not given:
            return [{"key": option_key(index), "text": word} for index, word in enumerate(VERDICTS)]
        return given

    def _answer(self, held: str) -> Answer:
        """The answer in this cell, or in one part of it."""
        options = [(option["key"], option["text"]) for option in self._options()]
        label = self._header.labels.get(held.strip())
        if label is not None and held.strip().isdigit():
            return Answer(label, "number_key", True)
        read = read_answer(held, options, keyed=True) or Answer(held, "key", False)
        lower = held.strip().upper()
        known = not read.known and any(key == lower for key, _ in options)
        return Answer(lower, "lower_key", True) if known else read

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        wanted = {self._column(path): value for path, value in changed.items() if path != ("correct_answer",)}
        form, key = self._answer(self._held("correct_answer")).form, after.correct_answer
        if ("correct_answer",) in changed or form == "text":
            labels = (label for label, named in self._header.labels.items() if named == key)
            written = next(labels, key) if form == "number_key" else str(written_key(form, key, after.options))
            wanted[self._header.fields["correct_answer"]] = written
        texts = {column: "|".join(new) if isinstance(new, list) else str(new) for column, new in wanted.items()}
        return self._written(texts)

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


class RowDraft(Row):
    """A row of a text table."""

    def __init__(self, raw: bytes, place: Place, text: str, header: Header) -> None:
        super().__init__(raw, place, header)
        self._text = text
        self.cells = cells(text, header.delimiter)

    def _at(self, column: int) -> str:
        return self.cells[column].text if column < len(self.cells) else ""

    def _written(self, wanted: Mapping[int, str]) -> bytes:
        text, delimiter = self._text, self._header.delimiter
        for column in sorted(wanted, reverse=True):
            present, new = cells(text, delimiter), wanted[column]
            if column < len(present):
                text = with_cell(text, present[column], delimiter, new)
            else:
                end, missing = present[-1].end, column - len(present) + 1
                text = text[:end] + delimiter * missing + written(new, delimiter) + text[end:]
        return text.encode()

    def again(self, raw: bytes) -> Draft | None:
        return RowDraft(raw, self.place, raw.decode(), self._header)


def _listed(text: str) -> list[str]:
    """Several values in one cell, separated by `|` or, without any, by `;`."""
    parts = text.split("|" if "|" in text else ";")
    return [part.strip() for part in parts if part.strip()]


class Table(Format):
    """`.csv` with commas or semicolons, `.tsv` with tabs: the delimiter is found in the header."""

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
                message, hint = INCOMPLETE[record.fault], "Close the quotes of this row, or double them."
                problem = Place(source.path, record.line).problem(record.fault, message, hint=hint)
                yield Fault(record.raw, problem, last=True)
            elif seen_header and record.raw.strip():
                yield _row(record, source.path, header)
            else:
                seen_header = seen_header or bool(record.raw.strip())
                yield record.raw

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        header = _header(open_text(stream, ""))
        return frozenset(header.fields) & CARRIABLE if header else frozenset()

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        losses = Losses()
        for row in table_of(questions, losses):
            line = self._delimiter.join(written(cell, self._delimiter) for cell in row)
            target.write(f"{line}\r\n".encode())
        return losses.sentences()


COLUMNS = "It needs columns for the stem (stem), two options or more (A, B, ...) and the key (correct_answer)."
PAIRS = f"{COLUMNS} Sentence pairs, one a row, become a course with `burnish legos import`."


def _header(source: Source) -> Header | None:
    """The header, read from the first chunk without consuming it."""
    text = source.head.decode("utf-8" if source.codec == "utf-8" else source.codec, "replace").lstrip("\r\n \t")
    if not text:
        return None
    first = next(iter(regex.split(r"\r\n|\r|\n", text, maxsplit=1)))
    header = sniffed(first)
    if header is None:
        raise InputError(
            "The first line does not name the columns of a question bank.",
            path=source.path,
            line=1,
            hint=PAIRS if first.count("\t") == 1 else COLUMNS,
            code="no_columns",
        )
    return header


def _row(record: Record, path: str, header: Header) -> Piece:
    place = Place(path, record.line, record.offset)
    draft = drafted_piece(record.raw, place, lambda text: RowDraft(record.raw, place, text, header))
    if not isinstance(draft, RowDraft):
        return draft
    if not any(cell.text.strip() for cell in draft.cells):
        return record.raw
    if any(cell.text for cell in draft.cells[header.width :]):
        message = f"The row has {len(draft.cells)} cells, the header {header.width}."
        hint = "Put cells that hold the delimiter in quotes."
        return Fault(record.raw, place.problem("too_many_cells", message, hint=hint))
    return draft


INCOMPLETE = {
    "too_long": f"The row is longer than {ITEM_BYTES >> 20} MB or {ITEM_LINES} lines; "
    "the rest of the file is not read.",
    "unclosed_quote": "A quote that opens in this row is never closed.",
}
CARRIED = frozenset({"vignette", "rationale", "language", "burnish_ignore"} | {f"metadata.{name}" for name in METADATA})


def table_of(questions: Iterable[Question], losses: Losses) -> Iterator[list[str]]:
    """The header and the rows. Columns depend on all questions, so rows are kept until the last one is known."""
    rows = [_cells_of(choice, losses) for question in questions for choice in _choices(question, losses)]
    width = max((int(row["options"]) for row in rows), default=2)
    letters = [option_key(index) for index in range(max(2, width))]
    used = {name for row in rows for name in row} - {"options"}
    optional = (
        ["type", "vignette"],
        ["rationale", *(f"metadata.{name}" for name in METADATA), "language", "burnish_ignore"],
    )
    before, after = ([name for name in names if name in used] for names in optional)
    known = {"id", "stem", "correct_answer", *letters, *before, *after}
    columns = ["id", *before, "stem", *letters, "correct_answer", *after, *sorted(used - known)]
    yield columns
    yield from ([row.get(column, "") for column in columns] for row in rows)


def _choices(question: Question, losses: Losses) -> Iterable[Choice]:
    for choice in choices(question, losses, CARRIED | _further_columns(question).keys()):
        if len(choice.options) > 26 or any(not option.text for option in choice.options):
            losses.add("Questions with an empty option, or with more than 26, are left out", question.id)
        else:
            yield choice


def _is_column(name: str) -> bool:
    """Whether a carried field can be a column: its name must not have a meaning in tables."""
    plain = SEPARATORS.sub("_", name.lower())
    free = plain not in NAMES and not OPTION.fullmatch(plain) and name not in RESERVED
    plain_text = bool(name) and name == name.strip() and name.isprintable()
    return free and plain_text and not name.startswith(("'", "=", "+", "-", "@"))


def _further_columns(question: Question) -> dict[str, str]:
    """The texts in unknown fields that can be carried."""
    extra = (question.model_extra or {}).items()
    return {name: value for name, value in extra if _is_column(name) and isinstance(value, str)}


def _cells_of(choice: Choice, losses: Losses) -> dict[str, str]:
    question = choice.question
    row = {"id": question.id, "stem": choice.stem, "options": str(len(choice.options))}
    row |= {option_key(index): option.text for index, option in enumerate(choice.options)}
    row["correct_answer"] = option_key(choice.right)
    row |= {name: text for name in ("vignette", "rationale", "language") if (text := getattr(question, name))}
    lists: dict[str, Any] = {"burnish_ignore": question.burnish_ignore}
    if question.metadata is not None:
        lists |= {f"metadata.{name}": getattr(question.metadata, name) for name in METADATA}
    for name, value in lists.items():
        if value and name.removeprefix("metadata.") in LISTS:
            row[name] = "|".join(value) + ("|" if len(value) == 1 and ";" in value[0] else "")
            if any("|" in part or part != part.strip() or not part for part in value):
                losses.add(f"Entries of {name} that hold `|` or blanks at their ends are cut there", question.id)
        elif value:
            row[name] = value
    return row | {name: text for name, text in _further_columns(question).items() if text}
