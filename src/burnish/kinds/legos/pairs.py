"""Sentence pairs in a file, read into SEEDs: tables, JSONL, spreadsheets and Anki decks.

Columns are identified by their header or their content. Nothing is guessed, and no row is dropped silently.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import jiter

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.core.json_bytes import canonical
from burnish.kinds.legos.decks import deck_rows, spreadsheet_rows
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.model import MOST_SEEDS, Course
from burnish.languages.detection import NAMES, is_known, language_name, leaning, primary_tag
from burnish.languages.scripts import SCRIPTS_OF, script_of, scripts_of
from burnish.text.json_text import BOMS, UTF_32, decoded

NAMES_HINT = (
    "Put a line with the columns' names above the rows: source, target and, if there are ids, seed_id; columns "
    "with other names are kept with the SEED. In CSV, a sentence with a comma in it must be quoted."
)
_SEED_ID_CELL = re.compile(r"[Cc]([0-9]{1,4})")
_SOURCE_NAMES = ("source", "source_text")
_TARGET_NAMES = ("target", "target_text")
_SIDES = ("front", "back")
"""Names of the halves of cards: either may be the language that is learned, so their text decides."""
_SIDES_READ = 200
"""Rows of cards that are read to decide it."""
_ID_NAMES = ("seed_id", "id", "seed")
_REGION = re.compile(r"\s*\(.*\)$|[-_][a-z]{2,4}$")
"""What may follow the language in a header: "Spanish (Spain)", "es-MX"."""
_SHORTEST_NAME = 4
"""Letters of a language's name; codes are shorter, and are words in some languages."""
_LONGEST_NAME = 60
"""Characters of the name of a further column."""
_CELL = 30
"""Characters of a cell that an error shows."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The contents of the columns, by 0-based index."""

    source: int
    target: int
    seed_id: int | None
    number: int
    """The number of columns in a row."""
    in_header: bool = False
    """Whether the first row is a header, not a pair."""
    others: tuple[tuple[int, str], ...] = ()
    """Further columns and their names: audio, notes. They are kept with the SEED."""


def seed_id_of(text: str) -> str | None:
    """The SEED id in a cell: `C0001`, also from `C1`. None if it is not an id."""
    match = _SEED_ID_CELL.fullmatch(text.strip())
    return f"C{int(match[1]):04d}" if match else None


def layout(rows: Sequence[Sequence[str]], path: str, course: Course | None) -> Columns:
    """The columns of a file. Without a header there are two, or three of which one holds ids such as C0001 or C1.

    Raise InputError if the columns cannot be identified.
    """
    if not rows:
        return Columns(0, 1, None, 2)
    return _by_header(rows[0], path, course) or _by_sides(rows, course) or _by_content(rows, path)


def _by_sides(rows: Sequence[Sequence[str]], course: Course | None) -> Columns | None:
    """Cards with a front and a back; the half that looks more like the course's source language is the source."""
    names = [cell.strip().lower() for cell in rows[0]]
    if any(names.count(side) != 1 for side in _SIDES):
        return None
    front, back = (names.index(side) for side in _SIDES)
    if course is not None:
        texts = (
            " ".join(cells[place] for cells in rows[1 : _SIDES_READ + 1] if place < len(cells))
            for place in (front, back)
        )
        likely = [leaning(text, course.source_tag, course.target_tag) for text in texts]
        if likely[1] > likely[0]:
            front, back = back, front
    return _columns(rows[0], front, back)


def _columns(header: Sequence[str], source: int, target: int) -> Columns:
    names = [cell.strip().lower() for cell in header]
    ids = _places(names, _ID_NAMES, None)
    seed_id = ids[0] if ids else None
    others = [(place, name[:_LONGEST_NAME]) for place, name in enumerate(names) if name]
    rest = tuple(one for one in others if one[0] not in (source, target, seed_id))
    return Columns(source, target, seed_id, len(names), in_header=True, others=rest)


def _by_header(cells: Sequence[str], path: str, course: Course | None) -> Columns | None:
    """The columns by their header; None if the first row is not a header."""
    names = [cell.strip().lower() for cell in cells]
    sources = _places(names, _SOURCE_NAMES, course.source_tag if course else None)
    targets = _places(names, _TARGET_NAMES, course.target_tag if course else None)
    if not sources or not targets:
        _refuse_other_languages(names, path, course)
        return None
    if len(sources) > 1 or len(targets) > 1:
        doubled = "source" if len(sources) > 1 else "target"
        raise InputError(f"Two columns of the header may be the {doubled}.", path=path, line=1, hint=NAMES_HINT)
    return _columns(cells, sources[0], targets[0])


def _places(names: Sequence[str], wanted: Iterable[str], tag: str | None) -> list[int]:
    """Columns with one of these names, or else those with the name or code of the language."""
    found = [place for place, name in enumerate(names) if name in wanted]
    return found or [place for place, name in enumerate(names) if tag is not None and _language(name) == tag]


def _language(name: str) -> str | None:
    """The language named by a header cell; None if it names none."""
    bare = _REGION.sub("", name)
    return primary_tag(bare) if is_known(bare) else None


def _refuse_other_languages(names: Sequence[str], path: str, course: Course | None) -> None:
    """Raise InputError for the wrong file or course: `English, French` above the rows of a course of Spanish."""
    tags = [_language(name) for name in names if len(name) >= _SHORTEST_NAME]
    if course is None or len(tags) < len(names) or None in tags or len(set(tags)) < 2:
        return
    own = f"{language_name(course.source_tag)} and {language_name(course.target_tag)}"
    raise InputError(
        f"The header names {' and '.join(language_name(str(tag)) for tag in tags)}, but the course {course.code} is "
        f"of {own}.",
        path=path,
        line=1,
        code="other_languages",
        hint="Give --course the code of the course that these pairs belong to.",
    )


def _by_content(rows: Sequence[Sequence[str]], path: str) -> Columns:
    counts = Counter(len(cells) for cells in rows)
    number = max(2, max(counts, key=lambda columns: (counts[columns], -columns)))
    whole = [cells for cells in rows if len(cells) == number]
    # Spreadsheets leave empty columns at the end.
    used = [place for place in range(number) if number == 2 or any(cells[place].strip() for cells in whole)]
    ids = [place for place in used if _holds_ids(cells[place] for cells in whole)]
    halves = [place for place in used if place not in ids]
    if len(halves) == 2 and len(ids) < 2:
        return Columns(halves[0], halves[1], ids[0] if ids else None, number)
    shown = ", ".join(f'{place + 1} "{_shown(whole[0][place])}"' for place in used)
    raise InputError(
        f"The rows have {len(used)} columns, and the two sentences cannot be identified: {shown}.",
        path=path,
        code="unnamed_columns",
        hint=NAMES_HINT,
    )


def _holds_ids(cells: Iterable[str]) -> bool:
    """Whether most of them are SEED ids."""
    found = [seed_id_of(cell) is not None for cell in cells]
    return 2 * sum(found) > len(found)


def _shown(cell: str) -> str:
    text = cell.strip()
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


PairFormat = Literal["tsv", "csv", "jsonl", "xlsx", "apkg"]
PHASE = "phase_1"
LONGEST_HALF = 100_000
"""The most characters of one sentence, as protection against hostile files."""

LINES_OF_A_ROW = 50
"""The most lines of one row of a CSV file."""

FEWEST_FOREIGN = 2
"""The fewest letters of another script that count: one may be a symbol."""

SCRIPT_KNOWN = (SCRIPTS_OF.keys() | NAMES.keys()) - frozenset(["ha", "kk", "ku", "ky", "mn", "ms", "pa", "sd", "tk"])
"""Languages with known scripts. Those left out use other scripts in other countries."""
_SEED_ID = re.compile(r"C[0-9]{4}")
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Pair:
    """One sentence pair of a file."""

    source: str
    target: str
    line: int
    seed_id: str | None = None
    """Its id, if the file gives one."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The other columns of the file, by name: audio, notes."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A row that is not used, with the reason."""

    line: int
    message: str
    code: str


def format_of(path: str) -> PairFormat | None:
    """The format by file extension; None if it is not known."""
    endings: dict[str, PairFormat] = {
        ".tsv": "tsv",
        ".tab": "tsv",
        ".csv": "csv",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
        ".xlsx": "xlsx",
        ".apkg": "apkg",
    }
    return next((format for ending, format in endings.items() if path.lower().endswith(ending)), None)


def read_pairs(
    data: bytes, path: str, format: PairFormat, course: Course | None = None, most: int = MOST_SEEDS
) -> Iterator[Pair | Problem]:
    """Yield the pairs of a file in order, and the problems of other rows. The first of two equal pairs is kept.

    `course`: a header may name its languages, and no half may be in the letters of another one. InputError is raised
    for columns that cannot be identified, and for more than `most` SEEDs, before anything is yielded.
    """
    rows = _jsonl(data, path) if format == "jsonl" else _paired(_TABLES[format](data, path), path, course)
    found = list(_unique(_in_script(_checked(rows), course)))
    seeds = sum(isinstance(row, Pair) for row in found)
    if seeds > most:
        raise InputError(
            f"The file has {seeds:,} SEEDs; a course holds at most {most:,}.",
            path=path,
            code="too_many_seeds",
            hint="Make several courses of it, each with its own code.",
        )
    return (
        row if isinstance(row, Pair) else Problem(row.code, row.message, path, row.line, blocks=False) for row in found
    )


def _lines(data: bytes, path: str) -> Iterator[tuple[int, str | _Refusal]]:
    """Yield every line with its number. A line with invalid UTF-8 or a NUL is refused without refusing the file."""
    if data.startswith((*UTF_32, *(bom for bom, _ in BOMS[1:]))):
        yield from enumerate(decoded(data, path).text.split("\n"), start=1)
        return
    for number, raw in enumerate(data.removeprefix(BOMS[0][0]).split(b"\n"), start=1):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            message = f"Byte 0x{raw[error.start]:02x} is not UTF-8: save the file again as UTF-8."
            yield number, _Refusal(number, message, "wrong_encoding")
            continue
        yield number, _Refusal(number, "There is a NUL character in it.", "nul") if "\x00" in line else line


Cells = tuple[int, list[str]]
"""The cells of a row, with its line."""


def _tsv(data: bytes, path: str) -> Iterator[Cells | _Refusal]:
    """Rows of a TSV, in which quotes have no special meaning."""
    for number, line in _lines(data, path):
        yield line if isinstance(line, _Refusal) else (number, line.removesuffix("\r").split("\t"))


def _csv(data: bytes, path: str) -> Iterator[Cells | _Refusal]:
    return _csv_rows(list(_lines(data, path)))


_TABLES: Mapping[str, Callable[[bytes, str], Iterator[Cells | _Refusal]]] = {
    "tsv": _tsv,
    "csv": _csv,
    "xlsx": spreadsheet_rows,
    "apkg": deck_rows,
}


def _csv_rows(lines: Sequence[tuple[int, str | _Refusal]]) -> Iterator[Cells | _Refusal]:
    """Quoted cells may hold line ends. An unclosed quote affects its own row only."""
    delimiter = _delimiter(line for _, line in lines if isinstance(line, str))
    place = 0
    while place < len(lines):
        number, line = lines[place]
        if isinstance(line, _Refusal):
            yield line
            place += 1
            continue
        ahead = (lines[later][1] for later in range(place, min(place + LINES_OF_A_ROW, len(lines))))
        reader = csv.reader((f"{line}\n" for line in ahead if isinstance(line, str)), delimiter=delimiter, strict=True)
        try:
            yield number, next(reader)
            place += reader.line_num
        except csv.Error as error:
            yield _Refusal(number, f"This is not CSV: {error}.", "bad_csv")
            place += 1


def _delimiter(lines: Iterable[str]) -> str:
    """The delimiter that splits the first line into the most cells; a comma by default."""
    first = next((line for line in lines if line.strip()), "")
    return max(_DELIMITERS, key=lambda mark: (len(next(csv.reader([first], delimiter=mark), [])), mark == ","))


def _paired(rows: Iterable[Cells | _Refusal], path: str, course: Course | None) -> Iterator[Pair | _Refusal]:
    """Rows as pairs. The header decides the number of columns, or else the majority of the rows."""
    found = [row for row in rows if isinstance(row, _Refusal) or any(cell.strip() for cell in row[1])]
    tables = [row for row in found if not isinstance(row, _Refusal)]
    columns = layout([cells for _, cells in tables], path, course)
    header = tables[0] if tables and columns.in_header else None
    for row in found:
        if isinstance(row, _Refusal):
            yield row
        elif row is not header:
            yield _row(row[1], columns, row[0])


def _row(cells: Sequence[str], columns: Columns, line: int) -> Pair | _Refusal:
    if len(cells) != columns.number:
        message = f"Columns in this row: {len(cells)}; expected: {columns.number}."
        return _Refusal(line, message, "unequal_columns")
    seed_id = cells[columns.seed_id].strip() if columns.seed_id is not None else None
    others = {name: text for place, name in columns.others if (text := cells[place].strip())}
    return Pair(cells[columns.source], cells[columns.target], line, seed_id or None, others)


def _jsonl(data: bytes, path: str) -> Iterator[Pair | _Refusal]:
    for number, line in _lines(data, path):
        if isinstance(line, _Refusal):
            yield line
        elif line.strip():
            yield _object(line, number)


def _object(line: str, number: int) -> Pair | _Refusal:
    try:
        value = jiter.from_json(line.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        return _Refusal(number, f"This is not JSON: {error}.", "invalid_json")
    if not isinstance(value, dict):
        return _Refusal(number, "A line holds an object with source and target.", "no_object")
    for name in ("source", "target"):
        if not isinstance(value.get(name), str):
            return _Refusal(number, f"The field {name} must be a text.", "no_text")
    seed_id = value.get("seed_id")
    if seed_id is not None and not isinstance(seed_id, str):
        return _Refusal(number, "The field seed_id must be a text such as C0001.", "bad_seed_id")
    others = {
        name[:_LONGEST_NAME]: text
        for name, text in value.items()
        if isinstance(text, str) and name not in ("source", "target", "seed_id")
    }
    return Pair(value["source"], value["target"], number, seed_id, others)


def _checked(rows: Iterable[Pair | _Refusal]) -> Iterator[Pair | _Refusal]:
    """Pairs without the blanks around them; nothing else in them is changed."""
    for row in rows:
        if isinstance(row, _Refusal):
            yield row
            continue
        source, target = row.source.strip(), row.target.strip()
        if not source or not target:
            yield _Refusal(row.line, f"The {'target' if source else 'source'} is empty.", "empty_half")
        elif "\x00" in source or "\x00" in target:
            yield _Refusal(row.line, "There is a NUL character in it.", "nul")
        elif max(map(len, (source, target, *row.columns.values()))) > LONGEST_HALF:
            yield _Refusal(row.line, f"A sentence has at most {LONGEST_HALF:,} characters.", "too_long")
        elif row.seed_id is not None and seed_id_of(row.seed_id) is None:
            yield _Refusal(row.line, f"{row.seed_id[:20]!r} is not a SEED id such as C0001.", "bad_seed_id")
        else:
            seed_id = seed_id_of(row.seed_id) if row.seed_id is not None else None
            yield replace(row, source=source, target=target, seed_id=seed_id)


def _in_script(rows: Iterable[Pair | _Refusal], course: Course | None) -> Iterator[Pair | _Refusal]:
    """Refuse a half in the letters of another language. It would be taught, and no cut of it can be right."""
    for row in rows:
        if course is None or isinstance(row, _Refusal):
            yield row
            continue
        halves = (("source", row.source, course.source_tag), ("target", row.target, course.target_tag))
        messages = [
            f"The {half} is in {script} letters; {language_name(tag)} is not written in them."
            for half, text, tag in halves
            if (script := _foreign_script(text, tag)) is not None
        ]
        yield _Refusal(row.line, " ".join(messages), "other_script") if messages else row


def _foreign_script(text: str, tag: str) -> str | None:
    """The script of most letters, if the language uses another one. Latin is allowed everywhere, for names and for
    learners' transcriptions."""
    home = {*scripts_of(tag), "Latin"}
    scripts = [script_of(letter) for letter in text if letter.isalpha()]
    foreign = [script for script in scripts if script not in home]
    clearly = len(foreign) >= FEWEST_FOREIGN and 2 * len(foreign) > len(scripts)
    return max(sorted(set(foreign)), key=foreign.count) if clearly and tag in SCRIPT_KNOWN else None


def _unique(rows: Iterable[Pair | _Refusal]) -> Iterator[Pair | _Refusal]:
    pairs: dict[tuple[str, str], int] = {}
    ids: dict[str, int] = {}
    for row in rows:
        if isinstance(row, _Refusal):
            yield row
            continue
        first = pairs.setdefault((row.source, row.target), row.line)
        if first != row.line:
            yield _Refusal(row.line, f"The same pair is in line {first}.", "duplicate")
            continue
        holder = ids.setdefault(row.seed_id, row.line) if row.seed_id else row.line
        if holder != row.line:
            yield _Refusal(row.line, f"The id {row.seed_id} is already used in line {holder}.", "duplicate_id")
            continue
        yield row


def uuid_of(course_code: str, source: str, target: str) -> str:
    """The id of a pair in a course: the same for every import from any file.

    Its SEED id is not part of it: a longer file may number its rows differently.
    """
    return hashlib.sha256(canonical([course_code, source, target])).hexdigest()[:32]


def record_of(pair: Pair, seed_id: str, course_code: str, created_at: str) -> dict[str, Any]:
    """A new translation, before its first extraction."""
    translation: Mapping[str, Any] = {
        "uuid": uuid_of(course_code, pair.source, pair.target),
        "type": "translation",
        "seed_id": seed_id,
        "source": pair.source,
        "target": pair.target,
        "metadata": {
            "course_code": course_code,
            "phase": PHASE,
            "heuristics_applied": [],
            "created_at": created_at,
            **({"columns": dict(pair.columns)} if pair.columns else {}),
        },
    }
    return migrated(translation, legos=0)


def free_ids(used: Iterable[str], wanted: int) -> list[str]:
    """The next `wanted` SEED ids after those in use; gaps, and lastly `C0000`, are filled when no others are left.

    Raise InputError if the course has too few free ids.
    """
    taken = {int(seed_id[1:]) for seed_id in used if _SEED_ID.fullmatch(seed_id)}
    if len(taken) + wanted > MOST_SEEDS:
        raise InputError(
            f"The course has {len(taken):,} SEEDs; with {wanted:,} more it would have over {MOST_SEEDS:,}.",
            code="too_many_seeds",
            hint="Make several courses of it, each with its own code.",
        )
    behind = range(max(taken, default=0) + 1, MOST_SEEDS)
    holes = (number for number in (*range(1, MOST_SEEDS), 0) if number not in taken and number not in behind)
    numbers = [*behind[:wanted], *(number for number, _ in zip(holes, range(wanted - len(behind)), strict=False))]
    return [f"C{number:04d}" for number in numbers]
