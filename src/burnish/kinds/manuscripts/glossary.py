"""Glossaries of terms and their renderings, as CSV or TBX."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.exchange import is_same, tbx_terms, yes_or_no
from burnish.kinds.manuscripts.memory import is_xml
from burnish.kinds.manuscripts.model import Term
from burnish.text.json_text import decoded, too_large

LARGEST = 64 << 20
"""Bytes of one glossary."""
LONGEST_TERM = 1_000
"""Characters of a term: longer texts are sentences, which belong in a memory."""
DELIMITERS = ",;\t|"
COLUMNS = {
    "source": ("source", "source term", "term"),
    "target": ("target", "target term", "translation"),
    "note": ("note", "notes", "comment", "definition"),
    "keep": ("do not translate", "donottranslate", "dnt", "keep"),
}
"""Names of the columns; spaces, hyphens and underscores are the same. A language tag names a column, too."""
HEADER = "The first line must name the columns: source,target,note,do-not-translate."
MOST_LINES_NAMED = 10


def read_glossary(data: bytes, path: str, source: str, target: str) -> tuple[Term, ...]:
    """The terms of a glossary from one language to another, in its order. Raise InputError if it cannot be read.

    A term that occurs twice with the same target is one term; with two targets it is an error, because the right one
    is unknown.
    """
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    if is_xml(data):
        entries = tbx_terms(data, path, source, target)
    else:
        entries = _csv_terms(decoded(data, path).text, path, source, target)
    found: dict[str, tuple[Term, int]] = {}
    for term, line in entries:
        if max(len(term.source), len(term.target)) > LONGEST_TERM:
            raise InputError(
                f"This term is longer than {LONGEST_TERM} characters.",
                path=path,
                line=line,
                code="too_long",
                hint="Sentences belong in a translation memory (--memory).",
            )
        first, first_line = found.setdefault(term.source, (term, line))
        if (first.target, first.keep) != (term.target, term.keep):
            raise InputError(
                f"The term {term.source[:80]!r} has two targets: {_shown(first)} in line {first_line} and "
                f"{_shown(term)} in line {line}.",
                path=path,
                line=line,
                code="two_targets",
                hint="Keep one of the two lines.",
            )
    return tuple(term for term, _ in found.values())


def _shown(term: Term) -> str:
    return "do not translate" if term.keep else repr(term.target[:80])


def _csv_terms(text: str, path: str, source: str, target: str) -> Iterator[tuple[Term, int]]:
    rows = ((row, line) for row, line in _rows(text, path) if any(cell.strip() for cell in row))
    header, first_line = next(rows, ([], 0))
    if not header:
        raise InputError("The glossary is empty.", path=path, code="empty", hint=HEADER)
    columns = _columns(header, path, first_line, source, target)
    empty: list[int] = []
    for row, line in rows:
        if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
            message = f"This row has {len(row)} cells, the header {len(header)}."
            hint = "Put a cell that holds the delimiter in quotation marks."
            raise InputError(message, path=path, line=line, code="bad_csv", hint=hint)
        cells = [unicodedata.normalize("NFC", " ".join(cell.split())) for cell in row]
        term = _term({name: cells[at] for name, at in columns.items() if at < len(cells)}, path, line)
        if term is None:
            empty.append(line)
        else:
            yield term, line
    if empty:
        named = ", ".join(map(str, empty[:MOST_LINES_NAMED]))
        more = f" and {len(empty) - MOST_LINES_NAMED} more" if len(empty) > MOST_LINES_NAMED else ""
        raise InputError(
            f"{len(empty)} {'term has' if len(empty) == 1 else 'terms have'} no target: line {named}{more}.",
            path=path,
            line=empty[0],
            field="target",
            code="empty_field",
            hint="Fill it in, write yes under do-not-translate, or remove the row.",
        )


def _rows(text: str, path: str) -> Iterator[tuple[list[str], int]]:
    """The rows, each with the line on which it begins."""
    # The delimiter is the character that separates the header's names, which hold none of them.
    header = next((line for line in text[:10_000].splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=lambda sign: (header.count(sign), -DELIMITERS.index(sign)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield row, line
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"This row cannot be read: {error}.",
            path=path,
            line=line,
            code="bad_csv",
            hint='Close every quotation mark; inside a quoted cell write "" for one.',
        ) from error


def _columns(header: Sequence[str], path: str, line: int, source: str, target: str) -> dict[str, int]:
    """The index of each known column."""
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        bare = " ".join(cell.strip().lower().replace("-", " ").replace("_", " ").split())
        name = next((name for name, called in COLUMNS.items() if bare in called), None)
        if name is None and bare:
            tags = {"source": source, "target": target}
            name = next((name for name, tag in tags.items() if is_same(cell, tag)), None)
        if name in found:
            raise InputError(f"Two columns are the {name}.", path=path, line=line, code="bad_header", hint=HEADER)
        if name is not None:
            found[name] = place
    if "source" not in found or ("target" not in found and "keep" not in found):
        missing = "source" if "source" not in found else "target"
        message = f"There is no column {missing!r}."
        raise InputError(message, path=path, line=line, code="bad_header", hint=HEADER)
    return found


def _term(cells: Mapping[str, str], path: str, line: int) -> Term | None:
    """The row's term; None if only its target is empty."""
    source, target = cells.get("source", ""), cells.get("target", "")
    if not source:
        raise InputError("This row has no source term.", path=path, line=line, field="source", code="empty_field")
    keep = yes_or_no(cells.get("keep", ""), path, line, "do-not-translate")
    if keep and target and target != source:
        raise InputError(
            f"The term {source[:80]!r} is marked do-not-translate, but has a target.",
            path=path,
            line=line,
            code="two_targets",
            hint="Remove one of the two.",
        )
    return Term(source, source if keep else target, cells.get("note", ""), keep) if keep or target else None
