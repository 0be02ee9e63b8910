"""Glossaries: which term is rendered how. CSV as people keep them, or TBX as programs write them."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.materials.exchange import tbx_terms
from burnish.kinds.manuscripts.materials.memory import is_xml
from burnish.kinds.manuscripts.materials.xml_events import is_same, yes_or_no
from burnish.kinds.manuscripts.model import Term
from burnish.text.json_text import decoded, too_large

LARGEST = 64 << 20
"""Bytes of one glossary."""
LONGEST_TERM = 1_000
"""Characters of a term: longer ones are sentences, and belong into a memory."""
DELIMITERS = ",;\t|"
COLUMNS = {
    "source": ("source", "source term", "term"),
    "target": ("target", "target term", "translation"),
    "note": ("note", "notes", "comment", "definition"),
    "keep": ("do not translate", "donottranslate", "dnt", "keep"),
}
"""What the columns may be called; blanks, hyphens and underscores are one. A language's tag names a column, too."""
HEADER = "The first line must name the columns: source,target,note,do-not-translate."
MOST_LINES_NAMED = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """A term and where it stands."""

    term: Term
    line: int


class _Columns(NamedTuple):
    source: int
    target: int | None
    note: int | None
    keep: int | None
    width: int
    """Cells of the header."""

    def cell(self, row: Sequence[str], column: int | None) -> str:
        return unicodedata.normalize("NFC", " ".join(row[column].split())) if column is not None else ""


def read_glossary(data: bytes, path: str, source: str, target: str) -> tuple[Term, ...]:
    """The terms of a glossary from one language to another, in its order. InputError for what is not plain.

    A term that stands there twice with one target is one term; with two it is an error, because nobody could tell
    which is meant.
    """
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    if is_xml(data):
        entries: Iterable[Entry] = (Entry(term, line) for term, line in tbx_terms(data, path, source, target))
    else:
        entries = _csv_entries(decoded(data, path).text, path, source, target)
    return _without_contradictions(entries, path)


def _without_contradictions(entries: Iterable[Entry], path: str) -> tuple[Term, ...]:
    found: dict[str, Entry] = {}
    for entry in entries:
        if len(entry.term.source) > LONGEST_TERM or len(entry.term.target) > LONGEST_TERM:
            raise InputError(
                f"This term is longer than {LONGEST_TERM} characters.",
                path=path,
                line=entry.line,
                code="too_long",
                hint="Sentences belong into a translation memory (--memory).",
            )
        first = found.setdefault(entry.term.source, entry)
        if (first.term.target, first.term.keep) != (entry.term.target, entry.term.keep):
            raise _contradiction(first, entry, path)
    return tuple(entry.term for entry in found.values())


def _contradiction(first: Entry, second: Entry, path: str) -> InputError:
    shown = [f"{_shown(entry.term)} in line {entry.line}" for entry in (first, second)]
    return InputError(
        f"The term {first.term.source[:80]!r} has two targets: {shown[0]} and {shown[1]}.",
        path=path,
        line=second.line,
        code="two_targets",
        hint="Keep one of the two lines.",
    )


def _shown(term: Term) -> str:
    return "do not translate" if term.keep else repr(term.target[:80])


def _csv_entries(text: str, path: str, source: str, target: str) -> Iterator[Entry]:
    columns: _Columns | None = None
    empty: list[int] = []
    for row, line in _rows(text, path):
        if not any(cell.strip() for cell in row):
            continue
        if columns is None:
            columns = _columns(row, path, line, source, target)
            continue
        entry = _entry(row, columns, path, line)
        if entry is None:
            empty.append(line)
        else:
            yield entry
    if columns is None:
        raise InputError("The glossary is empty.", path=path, code="empty", hint=HEADER)
    if empty:
        raise _without_targets(empty, path)


def _rows(text: str, path: str) -> Iterator[tuple[list[str], int]]:
    """The rows, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"This row cannot be read: {error}.",
                path=path,
                line=line,
                code="bad_csv",
                hint='Close every quotation mark; inside a quoted cell write "" for one.',
            ) from error
        if row is None:
            return
        yield row, line
        line = reader.line_num + 1


def _delimiter(text: str) -> str:
    """The one that parts the header; its names hold none of them."""
    header = next((line for line in text[:10_000].splitlines() if line.strip()), "")
    return max(DELIMITERS, key=lambda sign: (header.count(sign), -DELIMITERS.index(sign)))


def _columns(header: Sequence[str], path: str, line: int, source: str, target: str) -> _Columns:
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        name = _column_name(cell, source, target)
        if name in found:
            raise InputError(f"Two columns are the {name}.", path=path, line=line, code="bad_header", hint=HEADER)
        if name is not None:
            found[name] = place
    if "source" not in found or ("target" not in found and "keep" not in found):
        missing = "source" if "source" not in found else "target"
        message = f"There is no column {missing!r}."
        raise InputError(message, path=path, line=line, code="bad_header", hint=HEADER)
    return _Columns(found["source"], found.get("target"), found.get("note"), found.get("keep"), len(header))


def _column_name(cell: str, source: str, target: str) -> str | None:
    bare = " ".join(cell.strip().lower().replace("-", " ").replace("_", " ").split())
    for name, called in COLUMNS.items():
        if bare in called:
            return name
    if bare and is_same(cell, source):
        return "source"
    return "target" if bare and is_same(cell, target) else None


def _entry(row: Sequence[str], columns: _Columns, path: str, line: int) -> Entry | None:
    """The row's term; None where only its target is not filled in."""
    if len(row) > columns.width and any(cell.strip() for cell in row[columns.width :]):
        message = f"This row has {len(row)} cells, the header {columns.width}."
        hint = "Put a cell that holds the delimiter in quotation marks."
        raise InputError(message, path=path, line=line, code="bad_csv", hint=hint)
    row = [*row, *[""] * (columns.width - len(row))]
    source, target = columns.cell(row, columns.source), columns.cell(row, columns.target)
    if not source:
        raise InputError("This row has no source term.", path=path, line=line, field="source", code="empty_field")
    keep = yes_or_no(columns.cell(row, columns.keep), path, line, "do-not-translate")
    if keep and target and target != source:
        raise InputError(
            f"The term {source[:80]!r} is not to be translated, and has a target.",
            path=path,
            line=line,
            code="two_targets",
            hint="Take one of the two out.",
        )
    if not keep and not target:
        return None
    return Entry(Term(source, source if keep else target, columns.cell(row, columns.note), keep), line)


def _without_targets(lines: Sequence[int], path: str) -> InputError:
    named = ", ".join(map(str, lines[:MOST_LINES_NAMED]))
    more = f" and {len(lines) - MOST_LINES_NAMED} more" if len(lines) > MOST_LINES_NAMED else ""
    terms = "term has" if len(lines) == 1 else "terms have"
    return InputError(
        f"{len(lines)} {terms} no target: line {named}{more}.",
        path=path,
        line=lines[0],
        field="target",
        code="empty_field",
        hint="Fill it in, write yes under do-not-translate, or take the row out.",
    )
