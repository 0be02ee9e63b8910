"""Spreadsheets (.xlsx): a header, then one question per row, with the column names of CSV.

A workbook is a zip of XML. A changed cell is replaced in the XML of its sheet, so that formats, widths, formulas,
pictures and other sheets are kept; no office package is needed. Bold parts of a cell stay bold.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import BinaryIO

import regex

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import (
    CARRIABLE,
    Changed,
    Draft,
    Fault,
    Format,
    Losses,
    Part,
    Piece,
    Register,
    drafted_piece,
    empty_bank,
    without_forbidden,
)
from burnish.kinds.questions.formats.drafts import option_key
from burnish.kinds.questions.formats.qti import zipped
from burnish.kinds.questions.formats.source import COLUMNS, Place, Source, TooComplex, family, open_xml
from burnish.kinds.questions.formats.table import Header, Row, header_named, table_of
from burnish.kinds.questions.formats.xml_text import (
    Cut,
    Element,
    character_layer,
    element_tree,
    escaped,
    moved_runs,
    refuse_forbidden,
    well_formed,
    xml_cuts,
)
from burnish.kinds.questions.model import Question
from burnish.kinds.registry import extension
from burnish.text.mapped_text import NOWHERE, Layer, NotCarried, Run, Splice, applied, field_text
from burnish.text.packages import Package

WORKBOOK, STRINGS, STYLES = "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml"
HEADER_WITHIN = 20
"""The number of rows at the top of a sheet in which the header is searched: a title may be above it."""
DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Excel's built-in number formats for dates and times."""
DATE_CODE = regex.compile(r"[dmyhs]", regex.IGNORECASE)
QUOTED = regex.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
REFERENCE = regex.compile(r"([A-Z]{1,3})\d+")
TEXT = regex.compile(
    r"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>|<(?:\w+:)?t(?:\s[^>]*+)?(?<!/)>(?P<text>.*?)</(?:\w+:)?t>", regex.DOTALL
)
"""The texts of a cell, run by run, without the pronunciation of words (`rPh`)."""
LONGEST = 32_767
"""The most characters of one cell."""
LAST_DAY = 2_957_003
"""The last day of the calendar, in both date systems: larger values are numbers."""
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGED = "http://schemas.openxmlformats.org/package/2006"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SHEET_HEAD = f'{XML}<worksheet xmlns="{MAIN}"><sheetData>'
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
NEW_WORKBOOK = {
    "[Content_Types].xml": f'{XML}<Types xmlns="{PACKAGED}/content-types"><Default Extension="xml"'
    ' ContentType="application/xml"/><Default Extension="rels"'
    ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{XML}<Relationships xmlns="{PACKAGED}/relationships"><Relationship Id="rId1"'
    f' Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    WORKBOOK: f'{XML}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="Questions" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{PACKAGED}/relationships"><Relationship Id="rId1"'
    f' Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


@dataclass(frozen=True, slots=True)
class Workbook:
    """The data shared by all sheets."""

    strings: list[str]
    """The shared texts, as XML."""
    dates: frozenset[str]
    """The styles that display a number as a date."""
    epoch: datetime


def _layer(source: str) -> list[Layer]:
    """The text of a cell over its XML."""
    runs: list[Run] = []
    for match in TEXT.finditer(source):
        if match["text"] is not None:
            runs += moved_runs(source, *match.span("text"))
    return [Layer(runs, character_layer("").encode)]


class SheetRow(Row):
    """A `<row>`."""

    def __init__(self, raw: bytes, place: Place, text: str, header: Header | None, book: Workbook) -> None:
        super().__init__(raw, place, header or header_named(()))
        self._text, self._book = text, book
        self._root = element_tree(text)
        self.cells = dict(self._placed())

    def _placed(self) -> Iterator[tuple[int, Element]]:
        column = 0
        for cell in self._root.all("c"):
            named = REFERENCE.fullmatch(cell.attribute("r"))
            column = _number(named[1]) if named else column
            if column >= COLUMNS:
                raise TooComplex
            yield column, cell
            column += 1

    def _at(self, column: int) -> str:
        cell = self.cells.get(column)
        if cell is None:
            return ""
        kind, value = cell.attribute("t", "n"), cell.child("v")
        if kind in ("s", "inlineStr"):
            return _layer(self._source(cell))[-1].text
        plain = value.plain(self._text) if value is not None else ""
        if kind == "b":
            return "TRUE" if plain == "1" else "FALSE"
        return self._number(plain, cell.attribute("s")) if kind == "n" and plain else plain

    def names(self) -> list[str]:
        """The texts of all cells, as the names of columns."""
        return [self._at(column).strip() for column in range(max(self.cells, default=-1) + 1)]

    def _number(self, plain: str, style: str) -> str:
        """A number as a person would type it, a date as a date."""
        try:
            number = float(plain)
        except ValueError:
            return plain
        if style in self._book.dates and 0 <= number < LAST_DAY:
            moment = self._book.epoch + timedelta(seconds=round(number * 86_400))
            return moment.date().isoformat() if number.is_integer() else moment.isoformat(" ")
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else format(number, ".15g")

    def _source(self, cell: Element) -> str:
        """The XML of a text, from the cell or from the shared texts."""
        if cell.attribute("t") == "inlineStr":
            inside = cell.child("is")
            return self._text[inside.open_end : inside.close_start] if inside is not None else ""
        value = cell.child("v")
        index = value.plain(self._text) if value is not None else ""
        known = index.isdecimal() and len(index) < 10 and int(index) < len(self._book.strings)
        return self._book.strings[int(index)] if known else ""

    def _written(self, wanted: Mapping[int, str]) -> bytes:
        splices = [self._splice(column, new) for column, new in sorted(wanted.items())]
        return applied(self._text, sorted(splices)).encode()

    def _splice(self, column: int, new: str) -> Splice:
        refuse_forbidden(new)
        if len(new) > LONGEST:
            raise NotCarried("text", f"a cell holds at most {LONGEST:,} characters.")
        cell = self.cells.get(column)
        if cell is None:
            before = [held for at, held in self.cells.items() if at < column]
            at = before[-1].end if before else self._root.open_end
            return Splice(at, at, self._cell(f' r="{option_key(column)}{self.place.line}"', _run(new)))
        if cell.child("f") is not None:
            raise NotCarried("text", "the cell holds a formula.")
        head = self._text[cell.start : cell.open_end]
        kept = "".join(f' {name}="{escaped(a.value)}"' for name, a in cell.attributes.items() if name != "t")
        held = self._source(cell)
        inside = _run(new)
        if cell.attribute("t") in ("s", "inlineStr") and "<r>" in held:
            inside = applied(held, field_text("text", held, 0, len(held), _layer).rewritten(held, new))
        return Splice(cell.start, cell.end, self._cell(kept, inside, head))

    def _cell(self, attributes: str, inside: str, like: str = "") -> str:
        """A cell with an inline text; the prefix of the sheet's elements is kept."""
        prefix = (like or self._text).lstrip("<").partition(" ")[0].rpartition(":")[0]
        tag = f"{prefix}:" if prefix else ""
        inside = inside.replace("<t ", f"<{tag}t ").replace("</t>", f"</{tag}t>") if tag else inside
        return f'<{tag}c{attributes} t="inlineStr"><{tag}is>{inside}</{tag}is></{tag}c>'

    def again(self, raw: bytes) -> Draft | None:
        return SheetRow(raw, self.place, raw.decode(), self._header, self._book) if well_formed(raw) else None


def _run(text: str) -> str:
    return f'<t xml:space="preserve">{character_layer("").encode(text, NOWHERE)}</t>'


class Xlsx(Format):
    """`.xlsx`: every sheet whose first rows include the header of a bank."""

    name = "xlsx"
    extensions = (".xlsx", ".xlsm")

    def recognise(self, path: str, head: bytes) -> bool:
        return family(head) == "zip" and (extension(path) in self.extensions or b"xl/workbook.xml" in head)

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def pieces(self, source: Source) -> Iterator[Piece]:
        return _rows(source, Workbook([], frozenset(), _epoch(None)), [])

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        register, headers = Register(), list[Header]()
        for _, source, book in _sheets(stream, path)[1]:
            for piece in _rows(source, book, headers):
                yield from register.parts(piece)
        if not headers:
            raise InputError(
                "No sheet has the columns of a question bank.",
                path=path,
                hint="One of the first rows needs columns for the stem (stem), two options or more (A, B, ...) and the "
                "key (correct_answer).",
                code="no_columns",
            )
        if register.empty:
            yield empty_bank(path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        register = Register()
        package, sheets = _sheets(source, path)
        rewritten = {
            info.header_offset: register.rewritten_member(sheet, _rows(sheet, book, []), changed)
            for info, sheet, book in sheets
        }
        register.refuse_if_any()
        package.rewrite({place: content for place, content in rewritten.items() if content is not None}, target)

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        headers: list[Header] = []
        for _, source, book in _sheets(stream, "")[1]:
            any(isinstance(piece, SheetRow) for piece in _rows(source, book, headers))
        return frozenset(name for header in headers for name in header.fields) & CARRIABLE

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        losses = Losses()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
            for name, content in NEW_WORKBOOK.items():
                package.writestr(zipped(name), content)
            with package.open(zipped("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
                sheet.write(SHEET_HEAD.encode())
                clean = (without_forbidden(question, losses) for question in questions)
                for number, row in enumerate(table_of(clean, losses), start=1):
                    cells = (
                        f'<c r="{option_key(column)}{number}" t="inlineStr"><is>{_run(text)}</is></c>'
                        for column, text in enumerate(row)
                        if text
                    )
                    sheet.write(f'<row r="{number}">{"".join(cells)}</row>'.encode())
                sheet.write(b"</sheetData></worksheet>")
        return losses.sentences()


def _rows(source: Source, book: Workbook, headers: list[Header]) -> Iterator[Piece]:
    """The rows of one sheet after its header, which is added to `headers`; a sheet without a header is bytes only."""
    header: Header | None = None
    for count, cut in enumerate(xml_cuts(source, lambda depth, name: depth == 3 and name == "row")):
        if isinstance(cut, Problem):
            yield Fault(b"", cut, counts=False, last=True)
        elif not isinstance(cut, Cut):
            yield cut
        elif header is not None:
            piece = _row(cut, header, book)
            yield cut.raw if isinstance(piece, SheetRow) and not any(piece.names()) else piece
        else:
            yield cut.raw
            first = _row(cut, None, book) if count < 2 * HEADER_WITHIN else None
            if isinstance(first, SheetRow) and (found := header_named(first.names())).usable:
                header = found
                headers.append(header)


def _row(cut: Cut, header: Header | None, book: Workbook) -> Draft | Fault:
    number = regex.match(rb'<[^>]*?\br="(\d{1,7})"', cut.raw)
    place = replace(cut.place, line=int(number[1]) if number else cut.place.line)
    return drafted_piece(cut.raw, place, lambda text: SheetRow(cut.raw, place, text, header, book))


def _number(letters: str) -> int:
    """The index of a column, counted from 0."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _sheets(stream: BinaryIO, path: str) -> tuple[Package, Iterator[tuple[zipfile.ZipInfo, Source, Workbook]]]:
    package = Package(stream, path)
    workbook = package.named(WORKBOOK)
    if workbook is None:
        raise InputError(
            "The file is not an Excel workbook.", path=path, code="broken_package", hint="Save it as .xlsx again."
        )
    return package, _opened_sheets(package, _tree(package, workbook))


def _opened_sheets(package: Package, workbook: Element) -> Iterator[tuple[zipfile.ZipInfo, Source, Workbook]]:
    """The sheets in the order of the workbook. Targets are always names inside the package."""
    targets = {}
    relations = package.named("xl/_rels/workbook.xml.rels")
    for relation in _tree(package, relations).children if relations is not None else ():
        target = relation.attribute("Target")
        targets[relation.attribute("Id")] = posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")
    sheets = [sheet for holder in workbook.all("sheets") for sheet in holder.all("sheet")]
    found = [(sheet, package.named(targets.get(sheet.attribute("r:id"), ""))) for sheet in sheets]
    package.expect(info for _, info in found if info is not None)
    book = _book(package, workbook)
    for sheet, info in found:
        if info is not None:
            name = sheet.attribute("name")
            yield info, open_xml(io.BytesIO(package.content(info)), f"{package.path}/{name}"), book


def _book(package: Package, workbook: Element) -> Workbook:
    strings = package.named(STRINGS)
    texts: list[str] = []
    if strings is not None:
        package.expect([strings])
        source = open_xml(io.BytesIO(package.content(strings)), f"{package.path}/{STRINGS}")
        for cut in xml_cuts(source, lambda depth, name: depth == 2 and name == "si"):
            if isinstance(cut, Cut):
                held = cut.raw.decode("utf-8", "replace")
                texts.append(held[held.index(">") + 1 : held.rfind("</")] if not held.endswith("/>") else "")
    properties = workbook.child("workbookPr")
    return Workbook(texts, _date_styles(package), _epoch(properties))


def _epoch(properties: Element | None) -> datetime:
    """Day 0 of the workbook's date system: Excel has two."""
    old = properties is not None and properties.attribute("date1904") in ("1", "true")
    return datetime(1904, 1, 1) if old else datetime(1899, 12, 30)


def _date_styles(package: Package) -> frozenset[str]:
    info = package.named(STYLES)
    if info is None:
        return frozenset()
    root = _tree(package, info)
    codes = {f.attribute("numFmtId"): f.attribute("formatCode") for held in root.all("numFmts") for f in held.children}
    dates = {id for id, code in codes.items() if DATE_CODE.search(QUOTED.sub("", code))}
    dates |= set(map(str, DATE_FORMATS)) - codes.keys()
    styles = [style for held in root.all("cellXfs") for style in held.all("xf")]
    return frozenset(str(index) for index, style in enumerate(styles) if style.attribute("numFmtId") in dates)


def _tree(package: Package, info: zipfile.ZipInfo) -> Element:
    """A small part of the package, refused like any other XML if it is not valid."""
    package.expect([info])
    source = open_xml(io.BytesIO(package.content(info)), f"{package.path}/{info.filename}")
    text = ""
    for cut in xml_cuts(source, lambda depth, _name: depth == 1):
        if isinstance(cut, Problem):
            raise InputError(cut.message, path=source.path, line=cut.line, code="broken_package", hint=cut.hint)
        text = cut.raw.decode("utf-8", "replace") if isinstance(cut, Cut) else text
    try:
        return element_tree(text)
    except TooComplex as refusal:
        raise InputError(
            "It has too many parts.", path=source.path, code="too_complex", hint="Save the sheet alone."
        ) from refusal
