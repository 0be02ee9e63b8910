"""Documents of Word, made and opened again by python-docx."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.lessons.kind import format_named
from burnish.kinds.manuscripts.formats import read_manuscript
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.kinds.manuscripts.model import Paragraph
from burnish.text.docx import Docx
from burnish.text.mapped_text import NotCarried


def _picture() -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    size = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def _document() -> bytes:
    made = docx.Document()
    made.add_heading("Bread and time", 0)
    first = made.add_paragraph("Bread needs ")
    first.add_run("flour").bold = True
    first.add_run(", water and *salt* & time.")
    made.add_heading("The dough", 1)
    made.add_paragraph("Mix the flour with with water. It takes 10 minutes.")
    made.add_paragraph("First item", style="List Bullet")
    made.add_paragraph("Second item", style="List Bullet")
    made.add_paragraph("First step", style="List Number")
    made.add_paragraph("1. is not a list, and <b> is no tag, a < b.")
    look = made.add_paragraph("Look at ")
    look.add_run().add_picture(io.BytesIO(_picture()))
    look.add_run(" this loaf.\nIt is new.")
    drawing = look._p.find(f".//{qn('wp:docPr')}")
    assert drawing is not None
    drawing.set("descr", "A loaf of bread")
    made.add_heading("The oven", 1)
    heat = made.add_paragraph("Heat the oven to 250 degrees")
    note = OxmlElement("w:footnoteReference")
    note.set(qn("w:id"), "2")
    heat.add_run()._r.append(note)
    heat.add_run(" before you bake.")
    table = made.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Time", "30 minutes"
    made.sections[0].header.paragraphs[0].text = "A header"
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


DATA = _document()
TEXT = """# Bread and time

Bread needs flour, water and \\*salt\\* & time.

## The dough

Mix the flour with with water. It takes 10 minutes.

- First item
- Second item
1. First step

1\\. is not a list, and \\<b> is no tag, a < b.

Look at ⟦picture: A loaf of bread⟧ this loaf.
It is new.

## The oven

Heat the oven to 250 degrees⟦note: 2⟧ before you bake.

Time

30 minutes
"""


def paragraphs(data: bytes) -> list[tuple[str, list[tuple[str, bool | None]]]]:
    """Style, and text and boldness of every run that says something."""
    opened = docx.Document(io.BytesIO(data)).paragraphs
    return [(str(p.style.name), [(run.text, run.bold) for run in p.runs if run.text]) for p in opened if p.style]


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        return {name: held.read(name) for name in held.namelist()}


def test_a_document_is_read_as_markdown() -> None:
    assert Docx(DATA, "bread.docx").text == TEXT


def test_without_a_change_it_is_the_same_file() -> None:
    assert Docx(DATA, "bread.docx").encode(TEXT) == DATA


def test_a_word_changes_and_the_bold_run_beside_it_stays() -> None:
    changed = Docx(DATA, "bread.docx").encode(TEXT.replace("water and", "milk and").replace("with with", "with"))
    assert ("Normal", [("Bread needs ", None), ("flour", True), (", milk and *salt* & time.", None)]) in paragraphs(
        changed
    )
    assert ("Normal", [("Mix the flour with water. It takes 10 minutes.", None)]) in paragraphs(changed)
    before, after = members(DATA), members(changed)
    assert [name for name in before if before[name] != after[name]] == ["word/document.xml"]
    old, new = before["word/document.xml"], after["word/document.xml"]
    assert new == old.replace(b", water and", b", milk and").replace(b"with with", b"with").replace(
        b"<w:t>Mix the", b'<w:t xml:space="preserve">Mix the'
    ).replace(b"<w:t>, milk", b'<w:t xml:space="preserve">, milk')


def test_new_paragraphs_and_items_look_like_the_ones_before_them() -> None:
    text = TEXT.replace("10 minutes.", "10 minutes.\n\nThen it rests for \\*one\\* hour.").replace(
        "- Second item", "- Second item\n- Third item"
    )
    found = paragraphs(Docx(DATA, "bread.docx").encode(text))
    assert ("Normal", [("Then it rests for *one* hour.", None)]) in found
    at = found.index(("List Bullet", [("Second item", None)]))
    assert found[at + 1] == ("List Bullet", [("Third item", None)])


def test_a_paragraph_is_taken_out_and_a_line_break_put_in() -> None:
    text = TEXT.replace("Mix the flour with with water. It takes 10 minutes.\n\n", "").replace(
        " this loaf.\nIt", "\nIt"
    )
    changed = Docx(DATA, "bread.docx").encode(text)
    assert Docx(changed, "bread.docx").text == text


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("⟦picture: A loaf of bread⟧ ", ""),
        TEXT.replace("⟦note: 2⟧", ""),
        TEXT.replace("A loaf", "Two loaves"),
        TEXT.replace("flour with", "**flour** with"),
        TEXT.replace("## The oven", "The oven"),
        TEXT.replace("Time\n", "Time\x01\n"),
    ],
)
def test_what_a_document_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(NotCarried):
        Docx(DATA, "bread.docx").encode(text)


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Zl", "Zp", "Zs")), min_size=1, max_size=8)


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_written_reads_back(data: st.DataObject) -> None:
    old = data.draw(
        st.sampled_from(["Bread needs", "water", "First item", "10 minutes", "before you", "Time", "loaf."])
    )
    new = data.draw(WORDS)
    try:
        changed = Docx(DATA, "bread.docx").encode(TEXT.replace(old, new, 1))
    except NotCarried:
        return
    assert Docx(changed, "x.docx").text == TEXT.replace(old, new, 1)
    assert len(paragraphs(changed)) >= len(paragraphs(DATA)) and zipfile.ZipFile(io.BytesIO(changed)).testzip() is None


def test_a_lesson_is_read_and_written_back() -> None:
    lessons = format_named("docx")
    loaded = lessons.read(DATA, "bread.docx")
    assert [unit.id for unit in loaded.lesson.units] == ["intro", "the-dough", "the-oven"]
    assert loaded.lesson.title == "Bread and time" and all(unit.line is None for unit in loaded.lesson.units)
    dough = loaded.lesson.units[1]
    after = dough.with_text(None, dough.text.replace("with with", "with"))
    changed = lessons.rewrite(DATA, "bread.docx", lambda id: after if id == "the-dough" else None)
    assert ("Normal", [("Mix the flour with water. It takes 10 minutes.", None)]) in paragraphs(changed)
    bold = dough.with_text(None, dough.text.replace("flour", "**flour**"))
    with pytest.raises(InputError, match="cannot be written back"):
        lessons.rewrite(DATA, "bread.docx", lambda id: bold if id == "the-dough" else None)


def test_a_translation_goes_back_into_the_document() -> None:
    read = [part for part in read_manuscript(DATA, "bread.docx", "docx") if isinstance(part, Paragraph)]
    assert [part.text for part in read][:3] == ["Bread and time", TEXT.split("\n")[2], "The dough"]
    spanish = {"Bread and time": "Pan y tiempo", "The oven": "El horno", "30 minutes": "30 minutos"}
    spanish["Heat the oven to 250 degrees⟦note: 2⟧ before you bake."] = "Caliente el horno a 250 grados⟦note: 2⟧ antes."
    done = {part.id: part.with_text(None, spanish[part.text]) for part in read if part.text in spanish}
    target = io.BytesIO()
    ManuscriptsKind().rewrite(io.BytesIO(DATA), "bread.docx", "docx", done.get, target)
    found = paragraphs(target.getvalue())
    assert ("Title", [("Pan y tiempo", None)]) in found and ("Heading 1", [("El horno", None)]) in found
    assert "Caliente el horno a 250 grados antes." in ["".join(text for text, _ in runs) for _, runs in found]
    assert docx.Document(io.BytesIO(target.getvalue())).tables[0].cell(0, 1).text == "30 minutos"


def _broken(**changed: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as held:
        for name, content in (members(DATA) | changed).items():
            held.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (DATA[:400], "broken_package"),
        (b"Hello", "broken_package"),
        (b"", "broken_package"),
        (_broken(**{"word/document.xml": b"<!DOCTYPE d [<!ENTITY a 'b'>]><d>&a;</d>"}), "entities_refused"),
        (_broken(**{"word/document.xml": b"<a>" * 400}), "too_deep"),
        (_broken(**{"word/document.xml": b"<a>" + b" " * (1 << 20) + b"</a>"}), "package_bomb"),
        (_broken(**{"word/document.xml": b"<a><b></a>"}), "invalid_xml"),
        (_broken(**{"word/styles.xml": b"<a>"}), "invalid_xml"),
    ],
)
def test_hostile_documents_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as refused:
        Docx(data, "bread.docx")
    assert refused.value.code == code and refused.value.hint
