"""Sentence pairs in spreadsheets and Anki decks, returned as rows of cells under a header; `pairs` reads the rows.

Both are zip files from untrusted sources: nothing is unpacked to disk, and no part over a limit is unpacked at all.
"""

from __future__ import annotations

import html
import io
import json
import re
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing

from burnish.core.errors import InputError, UsageError
from burnish.text.packages import Package

LARGEST_UNPACKED = 256 << 20
"""Unpacked bytes of the whole file: a deck of 10,000 notes has less."""
OLD_DECKS = ("collection.anki21", "collection.anki2")
NEW_DECK = "collection.anki21b"
SEPARATOR = "\x1f"
"""Between the fields of a note."""
FAR_CELL = re.compile(rb"""\br\s*=\s*["']([A-Z]{3,}[0-9]+|[A-Z]+(?:[0-9]{7,}|[2-9][0-9]{5}))["']""")
"""Beyond column ZZ or row 199,999."""
MOST_NOTES = 100_000
SECONDS = 20
"""The time limit for reading a deck: its schema is untrusted, and a view can run without end."""
_BREAK = re.compile(r"<(?:br|/div|/p)\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_SOUND = re.compile(r"\[sound:([^\]\n]{1,255})\]")


def spreadsheet_rows(data: bytes, path: str) -> Iterator[tuple[int, list[str]]]:
    """The first sheet that is not empty: the number of each row, and its cells as text."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise UsageError(
            "Reading XLSX needs a package that is not installed.", hint="Install it: pip install 'burnish[office]'."
        ) from error
    _refuse_bomb(data, path)
    _refuse_far_cells(data, path)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = (book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names)
        rows = next((rows for rows in sheets if any(any(row) for row in rows)), [])
    except (CalamineError, ValueError) as error:
        raise InputError(f"This is not an XLSX file: {error}.", path=path, code="bad_xlsx") from error
    for number, row in enumerate(rows, start=1):
        yield number, [_cell(value) for value in row]


def _refuse_far_cells(data: bytes, path: str) -> None:
    """Raise InputError for cells far out: the reader would create all empty cells before them. Sizes are counted."""
    package = Package(io.BytesIO(data), path)
    left = LARGEST_UNPACKED
    for info in package.members:
        content = package.content(info, left)
        left -= len(content)
        far = FAR_CELL.search(content) if info.filename.startswith("xl/worksheets/") else None
        if far is not None:
            raise InputError(
                f"The cell {far[1].decode()} is too far out for a table of sentence pairs.",
                path=path,
                code="too_large",
                hint="Copy the rows with the pairs into a new sheet.",
            )


def _cell(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def deck_rows(data: bytes, path: str) -> Iterator[tuple[int, list[str]]]:
    """The notes of an Anki deck under the names of their fields; sounds are in a column `audio`, tags in `tags`."""
    with closing(_collection(data, path)) as collection:
        try:
            _refuse_views(collection, path)
            models = json.loads(collection.execute("SELECT models FROM col").fetchone()[0])
            names = {int(id): [str(field["name"]) for field in model["flds"]] for id, model in models.items()}
            notes = collection.execute(
                "SELECT mid, flds, tags FROM notes ORDER BY id LIMIT ?", (MOST_NOTES,)
            ).fetchall()
        except (sqlite3.Error, TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
            raise InputError(f"This deck cannot be read: {error}.", path=path, code="bad_apkg") from error
    kinds = {note[0] for note in notes}
    if len(kinds) > 1:
        raise InputError(
            f"The deck has {len(kinds)} types of notes; only decks with one type can be read.",
            path=path,
            code="several_note_types",
            hint="Export the notes of one type as a separate deck.",
        )
    header = names.get(next(iter(kinds), 0), [])
    yield 1, [*header, "audio", "tags"]
    for number, (_, fields, tags) in enumerate(notes, start=2):
        texts = (str(fields).split(SEPARATOR) + [""] * len(header))[: len(header)]
        sounds = _SOUND.findall(str(fields))
        yield number, [*map(_plain, texts), " ".join(sounds), str(tags).strip()]


def _refuse_views(collection: sqlite3.Connection, path: str) -> None:
    end = time.monotonic() + SECONDS
    collection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    tables = "SELECT count(*) FROM sqlite_master WHERE name IN ('notes', 'col') AND type = 'table'"
    if collection.execute(tables).fetchone()[0] != 2:
        raise InputError("This deck has no notes.", path=path, code="bad_apkg")


def _plain(field: str) -> str:
    """The text of a field without its markup and sounds."""
    lines = _BREAK.sub("\n", _SOUND.sub("", field))
    return " ".join(html.unescape(_TAG.sub("", lines)).split())


def _collection(data: bytes, path: str) -> sqlite3.Connection:
    """The deck's database, in memory."""
    _refuse_bomb(data, path)
    with zipfile.ZipFile(io.BytesIO(data)) as deck:
        found = next((name for name in OLD_DECKS if name in deck.namelist()), None)
        if NEW_DECK in deck.namelist() or found is None:
            raise InputError(
                "This deck is in Anki's new format, or is not a deck.",
                path=path,
                code="new_apkg",
                hint="Export it again with `Support older Anki versions` switched on, or as text (.txt, named .tsv).",
            )
    package = Package(io.BytesIO(data), path)
    member = package.named(found)
    assert member is not None, "it was listed above"
    content = package.content(member, LARGEST_UNPACKED)
    collection = sqlite3.connect(":memory:")
    try:
        collection.deserialize(content)
        collection.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        collection.close()
        raise InputError(f"This deck cannot be read: {error}.", path=path, code="bad_apkg") from error
    return collection


def _refuse_bomb(data: bytes, path: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
    except zipfile.BadZipFile as error:
        raise InputError("This file is damaged, or is not what its name says.", path=path, code="bad_zip") from error
    if unpacked > LARGEST_UNPACKED:
        raise InputError(
            f"The file unpacks to {unpacked >> 20:,} MB; at most {LARGEST_UNPACKED >> 20} MB are read.",
            path=path,
            code="too_large",
            hint="Split it into several files.",
        )
