"""A course for other programs, in the order of teaching: Anki decks, spreadsheets and tables.

What is exported: the LEGOs, the SEEDs, or a plan of practice with spaced repetition. Audio and notes that came in with
the pairs go out with them.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from burnish.core.errors import UsageError
from burnish.kinds.legos.reports.inventory import inventory, practice
from burnish.store.files import write_atomically
from burnish.store.records import CourseRecords

Contents = Literal["legos", "seeds", "practice"]
MOST_EXAMPLES = 3
"""SEEDs that stand with a LEGO as examples."""
EXTRA = "pip install 'burnish[office]'"
AUDIO, NOTES = "audio", "notes"
FIELDS = ("source", "target", AUDIO, "examples", NOTES)
"""Of an Anki card; a course without audio has the field all the same, to be filled in Anki."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
CARD_CSS = ".card { font: 22px sans-serif; text-align: center; } .more { font-size: 15px; color: #666; }"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows to be written, each under the same columns."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]

    def cells(self) -> Iterator[list[str]]:
        return ([str(row.get(column, "")) for column in self.columns] for row in self.rows)


def course_table(records: CourseRecords, order: Mapping[str, Any], what: Contents) -> Table:
    """What a course exports. `order`: its teaching order."""
    metadata = {record["seed_id"]: record["metadata"] for record in records.translations()}
    brought = {seed: one["columns"] for seed, one in metadata.items() if one.get("columns")}
    names = tuple(sorted({name for columns in brought.values() for name in columns}))
    code = next((str(one["course_code"]) for one in metadata.values()), "course")
    if what == "practice":
        return Table(code, ("step", "seed", "action", "from", "source", "target"), practice(order))
    if what == "seeds":
        rows = [{**seed, "new": len(seed["new_legos"]), **brought.get(seed["seed_id"], {})} for seed in order["seeds"]]
        return Table(code, ("position", "seed_id", "source", "target", "new", *names), rows)
    legos = sorted(inventory(order), key=lambda row: row["position"])
    rows = [{**lego, "examples": _examples(lego), **_own(lego, brought)} for lego in legos]
    columns = ("position", "source", "target", "provenance", "times_met", "examples", *names)
    return Table(code, columns, rows)


def _examples(lego: Mapping[str, Any]) -> str:
    return "\n".join(f"{seed['source']} = {seed['target']}" for seed in lego["seeds"][:MOST_EXAMPLES])


def _own(lego: Mapping[str, Any], brought: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """Audio and notes are of whole sentences: they belong to a LEGO that is one."""
    whole = next((seed for seed in lego["seeds"] if seed["source"] == lego["source"]), None)
    return brought.get(whole["seed_id"], {}) if whole else {}


def write_table(table: Table, path: Path) -> None:
    """Write by the ending of the name. UsageError for an ending that nobody knows."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise UsageError(
            f"The name {path.name} does not say how to write the course.", hint=f"Endings: {', '.join(WRITERS)}."
        )
    write_atomically(path, writer(table))


def _delimited(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        text = io.StringIO()
        # A cell that begins like a formula would be one in a spreadsheet; a sentence of a course is none.
        rows = ([f"'{cell}" if cell.startswith(FORMULAS) else cell for cell in row] for row in table.cells())
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([table.columns, *rows])
        return text.getvalue().encode("utf-8-sig")

    return write


def _spreadsheet(table: Table) -> bytes:
    try:
        from openpyxl import Workbook
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, TYPE_STRING, WriteOnlyCell
    except ImportError as error:
        raise UsageError("Writing XLSX needs a package that is not installed.", hint=f"Install it: {EXTRA}.") from error
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name[:31])
    sheet.append(list(table.columns))
    for cells in table.cells():
        row = []
        for text in cells:
            cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", text))
            cell.data_type = TYPE_STRING  # a sentence that begins with "=" is no formula
            row.append(cell)
        sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _deck(table: Table) -> bytes:
    try:
        import genanki  # type: ignore[import-untyped]
    except ImportError as error:
        raise UsageError(
            "Writing decks needs a package that is not installed.", hint=f"Install it: {EXTRA}."
        ) from error
    if "action" in table.columns:
        raise UsageError("Anki repeats by its own plan.", hint="Export legos or seeds; practice goes to .csv or .xlsx.")
    back = "{{FrontSide}}<hr>{{target}}<br>{{audio}}<div class=more>{{examples}}<br>{{notes}}</div>"
    model = genanki.Model(
        _number("burnish model"),
        "Burnish",
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Say it", "qfmt": "{{source}}", "afmt": back}],
        css=CARD_CSS,
    )
    deck = genanki.Deck(_number(table.name), table.name)
    for row in table.rows:
        sound = f"[sound:{html.escape(str(row[AUDIO]))}]" if row.get(AUDIO) else ""
        texts = {name: html.escape(str(row.get(name, ""))).replace("\n", "<br>") for name in FIELDS}
        tags = [table.name, str(row.get("provenance") or row["seed_id"])]
        guid = genanki.guid_for(table.name, row["source"], row["target"])
        deck.add_note(genanki.Note(model=model, fields=[*({**texts, AUDIO: sound}.values())], tags=tags, guid=guid))
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "deck.apkg"
        genanki.Package(deck).write_to_file(str(written))
        return written.read_bytes()


def _number(name: str) -> int:
    """The same id for the same name, as Anki wants it: decks that are imported again replace themselves."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") | 1 << 30


WRITERS: Mapping[str, Callable[[Table], bytes]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".xlsx": _spreadsheet,
    ".apkg": _deck,
}
