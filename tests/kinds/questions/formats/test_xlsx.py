"""Spreadsheets, opened again by the tools that own them."""

from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pytest
import python_calamine
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named, format_of
from tests.kinds.questions.formats.banks import read, rewrite, write
from tests.kinds.questions.formats.test_qti_package import contents, package

XLSX = format_named("xlsx")
ROWS = [
    ["ID", "Question", "Option A", "Option B", "Option C", "Answer", "Difficulty", "Points", "Due"],
    ["x1", "Which organ is NOT red?", "Heart", "Liver", 7.5, "C", "easy", 2, datetime.date(2026, 1, 2)],
    [None] * 9,
    ["x2", "Which organ pumps blood?", "Heart", True, "Bone", "a", "easy", None, None],
]


def workbook(*, title: str | None = None) -> bytes:
    """A workbook as teachers keep them: colours, a comment, a formula, merged cells, a second sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Bank"
    if title is not None:
        sheet.append([title])
        sheet.merge_cells("A1:C1")
    for row in ROWS:
        sheet.append(row)
    sheet["B2"].font = Font(bold=True, color="FF0000")
    sheet["B2"].fill = PatternFill("solid", fgColor="FFFF00")
    sheet["B2"].comment = Comment("look", "Ann")
    sheet.column_dimensions["B"].width = 60
    sheet["K2"] = "=H2*2"
    other = book.create_sheet("Notes & more")
    other["A1"] = "nothing to judge"
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


BANK = workbook()


def test_a_workbook_is_read() -> None:
    found = format_of("bank.xlsx", BANK[: 1 << 16])
    assert found is XLSX
    questions, problems, _ = read(XLSX, BANK)
    assert problems == [] and [question.id for question in questions] == ["x1", "x2"]
    one, two = questions
    assert (one.stem, one.correct_answer, one.line) == ("Which organ is NOT red?", "C", 2)
    assert [option.text for option in one.options] == ["Heart", "Liver", "7.5"]
    assert one.metadata is not None and one.metadata.difficulty == "easy"
    assert one.model_extra == {"Points": "2", "Due": "2026-01-02"}
    assert ([option.text for option in two.options], two.correct_answer) == (["Heart", "TRUE", "Bone"], "A")
    assert rewrite(XLSX, BANK) == BANK
    assert XLSX.carried(io.BytesIO(BANK)) == {"metadata.difficulty"}


def test_a_title_may_stand_above_the_header() -> None:
    questions, problems, _ = read(XLSX, workbook(title="Exam 2026"))
    assert [question.id for question in questions] == ["x1", "x2"] and problems == []


def test_a_change_touches_its_cells_only() -> None:
    question = read(XLSX, BANK)[0][0].with_text("stem", 'Which is <"white"> & hard?').with_text("correct_answer", "B")
    changed = rewrite(XLSX, BANK, question)
    before, after = contents(BANK), contents(changed)
    assert [name for name in before if before[name] != after[name]] == ["xl/worksheets/sheet1.xml"]
    old, new = (openpyxl.load_workbook(io.BytesIO(data)) for data in (BANK, changed))
    differing = [
        (cell.coordinate, cell.value)
        for row in new["Bank"].rows
        for cell in row
        if cell.value != old["Bank"][cell.coordinate].value
    ]
    assert differing == [("B2", 'Which is <"white"> & hard?'), ("F2", "B")]
    cell = new["Bank"]["B2"]
    assert (cell.font.b, cell.fill.fgColor.rgb, cell.comment.text) == (True, "00FFFF00", "look")
    assert new["Bank"]["K2"].value == "=H2*2" and new["Notes & more"]["A1"].value == "nothing to judge"
    sheet = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(changed)).get_sheet_by_name("Bank")
    assert sheet.to_python()[1][1] == 'Which is <"white"> & hard?'


SHARED = b"""<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="9" uniqueCount="9">
<si><t>stem</t></si><si><t>A</t></si><si><t>B</t></si><si><t>C</t></si><si><t>key</t></si>
<si><r><t xml:space="preserve">Which </t></r><r><rPr><b/></rPr><t>organ</t></r>
<r><t xml:space="preserve"> is &lt;red&gt;?</t></r>
<rPh sb="0" eb="1"><t>sound</t></rPh></si><si><t>Heart</t></si><si><t/></si><si><t>Liver</t></si></sst>"""
CELL = '<c r="{0}{1}" t="s"><v>{2}</v></c>'


def shared(formula: str = "") -> bytes:
    """A workbook with shared texts, as Excel itself writes it, and a prefix on every element of the sheet."""
    target = io.BytesIO()
    XLSX.write([], target)
    members = contents(target.getvalue())
    rows = [
        "".join(CELL.format(letter, 1, number) for letter, number in zip("ABCDE", range(5), strict=True)),
        "".join(CELL.format(letter, 2, number) for letter, number in zip("ABC", (5, 6, 8), strict=True)),
    ]
    rows[1] += '<c r="D2" t="str">' + formula + '<v>Bone</v></c><c r="E2" s="0" t="inlineStr"><is><t>a</t></is></c>'
    sheet = "".join(f'<row r="{number}">{row}</row>' for number, row in enumerate(rows, start=1))
    xml = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{sheet}</sheetData></worksheet>'
    return package(**members | {"xl/sharedStrings.xml": SHARED, "xl/worksheets/sheet1.xml": xml.encode()})


def test_shared_texts_keep_their_bold_words() -> None:
    data = shared()
    [question], problems, _ = read(XLSX, data)
    assert (question.stem, question.correct_answer) == ("Which organ is <red>?", "A")
    assert [problem.code for problem in problems] == ["missing_id"]
    changed = contents(rewrite(XLSX, data, question.with_text("stem", "Which organ was <red>?")))
    assert changed["xl/sharedStrings.xml"] == SHARED
    assert b"<b/></rPr><t>organ</t>" in changed["xl/worksheets/sheet1.xml"]
    assert b"was &lt;red&gt;?" in changed["xl/worksheets/sheet1.xml"]


def test_a_formula_is_not_overwritten() -> None:
    data = shared("<f>A9</f>")
    [question], _, _ = read(XLSX, data)
    with pytest.raises(InputError, match="formula"):
        rewrite(XLSX, data, question.with_text("options.C", "Skin"))


def test_a_new_workbook_is_opened_by_its_owners() -> None:
    questions = read(XLSX, BANK)[0]
    data, losses = write(XLSX, questions)
    assert losses == []
    rows = [[cell.value for cell in row] for row in openpyxl.load_workbook(io.BytesIO(data))["Questions"].rows]
    assert rows[0][:3] == ["id", "stem", "A"] and rows[1][1] == "Which organ is NOT red?"
    assert [question.model_dump() for question in read(XLSX, data)[0]] == [q.model_dump() for q in questions]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (package(**{"a.txt": b""}), "broken_package"),
        (BANK[:300], "broken_package"),
        (shared().replace(b"PK\x05\x06", b"PK\x05\x07"), "broken_package"),
        (package(**{"xl/workbook.xml": b"<!DOCTYPE w [<!ENTITY a 'b'>]><workbook/>"}), "entities_refused"),
        (package(**{"xl/workbook.xml": b"<workbook>" + b"<a>" * 90}), "too_deep"),
        (package(**{"xl/workbook.xml": b"<workbook>" + b" " * (1 << 20) + b"</workbook>"}), "package_bomb"),
        (write(XLSX, [])[0], "empty"),
    ],
)
def test_what_cannot_be_used_is_refused(data: bytes, code: str) -> None:
    try:
        found = [problem.code for problem in read(XLSX, data)[1]]
    except InputError as refused:
        found = [refused.code]
    assert found == [code]


def test_a_workbook_without_such_columns_says_what_is_missing() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["name", "grade"])
    target = io.BytesIO()
    book.save(target)
    with pytest.raises(InputError, match="No sheet has the columns") as refused:
        read(XLSX, target.getvalue())
    assert "correct_answer" in (refused.value.hint or "")
    assert zipfile.is_zipfile(target)
