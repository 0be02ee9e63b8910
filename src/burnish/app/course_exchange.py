"""Import sentence pairs into a course, and export a course as Anki decks, spreadsheets and tables.

An import does not change existing records. An export is in the order of teaching and holds the LEGOs, the SEEDs, or a
plan of practice with spaced repetition, with the audio and notes of the imported pairs.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from burnish.app.materials import read_file
from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.kinds.legos.attempt_history import replaced
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import Pair, PairFormat, format_of, free_ids, read_pairs, record_of, uuid_of
from burnish.kinds.legos.reports.inventory import inventory, practice
from burnish.store.files import write_atomically
from burnish.store.paths import operator_path
from burnish.store.processes import Clock, iso, system_clock
from burnish.store.records import CourseRecords, Store, open_records, stores_in

LARGEST = 64 << 20
"""Bytes of a file of pairs: ten thousand long sentences need much less."""
CORRECTING = (
    "Import with --replace to give SEEDs the sentences of the file: their LEGOs go, and they are cut again. Or change "
    "source and target in a SEED's record, and cut it again with `burnish legos extract DIR --again SEED`."
)


@dataclass(slots=True)
class Imported:
    """The result of an import."""

    course: Course
    folder: Path
    added: list[str] = field(default_factory=list)
    """The SEED ids of new records."""
    replaced: list[str] = field(default_factory=list)
    """The SEED ids of records that got new sentences."""
    unchanged: int = 0
    """Pairs that the course already had."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every pair is in the course: a pair that occurs twice in a file is no loss."""
        return all(problem.code == "duplicate" for problem in self.problems)

    def as_wire(self) -> dict[str, Any]:
        problems = [
            {"path": one.path, "line": one.line, "code": one.code, "message": one.message, "hint": one.hint}
            for one in self.problems
        ]
        return {
            "course": self.course.code,
            "dir": str(self.folder),
            "added": len(self.added),
            "replaced": len(self.replaced),
            "unchanged": self.unchanged,
            "seed_ids": self.added,
            "replaced_ids": self.replaced,
            "problems": problems,
        }


def import_pairs(
    file: str,
    course: Course,
    folder: Path,
    *,
    format: PairFormat | None = None,
    store: Store | None = None,
    replace: bool = False,
    clock: Clock = system_clock,
) -> Imported:
    """Import the pairs of a file into a course's folder, which is created if needed. All of them, or none.

    `replace`: SEEDs to which the file gives other sentences get them, and have to be cut again.
    """
    found = list(read_pairs(read_file(operator_path(file), LARGEST), file, format or _format(file), course))
    imported = Imported(course, folder, problems=[row for row in found if isinstance(row, Problem)])
    pairs = [row for row in found if isinstance(row, Pair)]
    if not pairs:
        raise _nothing(file, imported.problems)
    if replace and not any(pair.seed_id for pair in pairs):
        raise UsageError(
            f"{file} does not say which SEEDs get new sentences.",
            hint="Add a column seed_id with the ids of the SEEDs.",
        )
    # The batch begins before anything is read: two simultaneous imports must not take the same free ids.
    with open_records(folder, store or _store(folder)) as records, records.batch():
        _refuse_other_course(records, course)
        imported.problems += [Problem("unreadable_record", one.message, one.where) for one in records.problems()]
        _Intake(records, imported, file, iso(clock()), replace=replace).take(pairs)
    return imported


def _format(file: str) -> PairFormat:
    format = format_of(file)
    if format is None:
        raise UsageError(
            f"The name {file} does not say what is in it.", hint="Add --format tsv, csv, jsonl, xlsx or apkg."
        )
    return format


def _store(folder: Path) -> Store | None:
    """Files for a new course; otherwise its own store."""
    return None if stores_in(folder) else "files"


def _nothing(file: str, problems: Iterable[Problem]) -> InputError:
    first = next(iter(problems), None)
    problem = f" The first problem: {first.message}" if first else ""
    return InputError(
        f"There is no sentence pair in it.{problem}",
        path=file,
        line=first.line if first else None,
        code="no_pairs",
        hint="A row has the source sentence, a tab (or comma), and the target sentence.",
    )


def _refuse_other_course(records: CourseRecords, course: Course) -> None:
    for record in records.translations():
        metadata = record.get("metadata")
        code = metadata.get("course_code") if isinstance(metadata, dict) else None
        if isinstance(code, str) and code != course.code:
            raise UsageError(
                f"{records.place} holds the course {code[:64]!r}, not {course.code}.",
                hint="Give --dir another folder, or --course the code of that course.",
            )
        return


@dataclass(frozen=True)
class _Intake:
    """Writes pairs into the records of a course."""

    records: CourseRecords
    imported: Imported
    file: str
    now: str
    replace: bool

    def take(self, pairs: Iterable[Pair]) -> None:
        known = self.records.seed_ids()
        ids = {seed_id: uuid for uuid, seed_id in known.items()}
        sentences = {
            # As text: an invalid record may hold any value.
            (str(record.get("source")), str(record.get("target"))): record["seed_id"]
            for record in self.records.translations()
        }
        fresh, corrected = [], []
        for pair in pairs:
            there = sentences.get((pair.source, pair.target))
            if there is None and pair.seed_id in ids:
                corrected.append(pair)
                continue
            # The sentences of a SEED may have been corrected since, but its uuid is the same.
            there = there or known.get(uuid_of(self.imported.course.code, pair.source, pair.target))
            if there is None:
                fresh.append(pair)
            else:
                self.imported.unchanged += 1
                if pair.seed_id not in (None, there):
                    message = f"The course has this pair as {there}; its id does not become {pair.seed_id}."
                    self._refuse("other_id", message, pair)
        for pair, seed_id in _numbered(fresh, set(ids)):
            self._put(record_of(pair, seed_id, self.imported.course.code, self.now), pair, self.imported.added)
        for pair in corrected:
            self._correct(pair, ids[str(pair.seed_id)])

    def _correct(self, pair: Pair, uuid: str) -> None:
        if not self.replace:
            message = f"{pair.seed_id} has other sentences in the course, and keeps them."
            self._refuse("duplicate_id", message, pair, CORRECTING)
            return
        legos = self.records.legos(of=uuid)
        record = self.records.translation(uuid)
        if record is None:
            self._refuse("unreadable_record", f"{pair.seed_id} cannot be read in the course and is not changed.", pair)
            return
        try:
            new = replaced(record, pair, legos, self.now)
        except InputError as error:
            self._refuse(error.code, f"{pair.seed_id} keeps its sentences: {error.message}", pair, error.hint)
            return
        if self._put(new, pair, self.imported.replaced) and legos:
            self.records.put_legos(uuid, ())

    def _put(self, record: dict[str, Any], pair: Pair, done: list[str]) -> bool:
        try:
            self.records.put_translation(record)
        except InputError as error:  # an unreadable file has its name: it is reported and kept
            self.imported.problems.append(Problem(error.code, error.message, error.path or "", pair.line))
            return False
        done.append(record["seed_id"])
        return True

    def _refuse(self, code: str, message: str, pair: Pair, hint: str | None = None) -> None:
        self.imported.problems.append(Problem(code, message, self.file, pair.line, hint=hint))


def _numbered(pairs: Sequence[Pair], used: set[str]) -> Iterator[tuple[Pair, str]]:
    """Every pair with its SEED id, in file order: its own, or the next free one."""
    taken = used | {pair.seed_id for pair in pairs if pair.seed_id is not None}
    free = iter(free_ids(taken, sum(pair.seed_id is None for pair in pairs)))
    for pair in pairs:
        yield pair, pair.seed_id or next(free)


Contents = Literal["legos", "seeds", "practice"]
MOST_EXAMPLES = 3
"""SEEDs that are given as examples of a LEGO."""
EXTRA = "pip install 'burnish[office]'"
AUDIO, NOTES = "audio", "notes"
FIELDS = ("source", "target", AUDIO, "examples", NOTES)
"""Fields of an Anki card; a course without audio also has that field, to be filled in Anki."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
CARD_CSS = ".card { font: 22px sans-serif; text-align: center; } .more { font-size: 15px; color: #666; }"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the same columns."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]

    def cells(self) -> Iterator[list[str]]:
        return ([str(row.get(column, "")) for column in self.columns] for row in self.rows)


def course_table(records: CourseRecords, order: Mapping[str, Any], what: Contents) -> Table:
    """The table of an export. `order`: the teaching order."""
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
    """Audio and notes of a LEGO: they are for whole sentences, so only a LEGO that is a sentence has them."""
    whole = next((seed for seed in lego["seeds"] if seed["source"] == lego["source"]), None)
    return brought.get(whole["seed_id"], {}) if whole else {}


def write_table(table: Table, path: Path) -> None:
    """Write in the format of the name's ending. Raise UsageError if the ending is unknown."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise UsageError(
            f"The name {path.name} does not say how to write the course.", hint=f"Endings: {', '.join(WRITERS)}."
        )
    write_atomically(path, writer(table))


def _delimited(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        text = io.StringIO()
        # Spreadsheets would take a sentence that begins like a formula for one.
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
        raise UsageError("Anki has its own schedule.", hint="Export legos or seeds; practice goes to .csv or .xlsx.")
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
    """The same id for the same name, so that a deck that is imported again replaces the old one in Anki."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") | 1 << 30


WRITERS: Mapping[str, Callable[[Table], bytes]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".xlsx": _spreadsheet,
    ".apkg": _deck,
}
