"""XML cut into elements, and the places of its parts."""

from __future__ import annotations

import io

import pytest

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats import source as sources
from burnish.kinds.questions.formats import xml_text as xmlstream
from burnish.kinds.questions.formats.source import TooComplex, open_xml
from burnish.kinds.questions.formats.xml_text import Cut, element_tree, well_formed, xml_cuts

DOCUMENT = (
    "\n<!-- é --><r a='>'>\n<q/> <q x='>'/><q></q>\n<x:q xmlns:x='u'><q>in<q/></q><![CDATA[</q>]]></x:q>"
    "\n<other><q/></other></r>\n"
)


def cuts(data: bytes) -> list[bytes | Cut | Problem]:
    return list(xml_cuts(open_xml(io.BytesIO(data), "x"), lambda depth, name: depth == 2 and name == "q"))


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_wanted_elements_are_cut_out_whole(monkeypatch: pytest.MonkeyPatch, chunk: int, bom: str) -> None:
    monkeypatch.setattr(sources, "CHUNK", max(chunk, 4))
    data = f"{bom}{DOCUMENT}".encode()
    found = cuts(data)
    elements = [(cut.raw.decode(), cut.place.line, cut.place.offset) for cut in found if isinstance(cut, Cut)]
    assert [(raw, line) for raw, line, _ in elements] == [
        ("<q/>", 3),
        ("<q x='>'/>", 3),
        ("<q></q>", 3),
        ("<x:q xmlns:x='u'><q>in<q/></q><![CDATA[</q>]]></x:q>", 4),
    ]
    assert all(data[offset:].startswith(raw.encode()) for raw, _, offset in elements)
    whole = b"".join(cut.raw if isinstance(cut, Cut) else cut for cut in found if not isinstance(cut, Problem))
    assert whole == DOCUMENT.encode()


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"<r>\n<q/>\n<q>", "truncated", 3),
        (b"<r>\n<q/>\n</q></r>", "invalid_xml", 3),
        (b"<r><q/></r> x", "invalid_xml", 1),
        (b"<r><q/>&nope;</r>", "invalid_xml", 1),
        (b"<r><q/>\xff</r>", "invalid_xml", 1),
    ],
)
def test_what_comes_before_a_fault_is_cut_and_the_rest_is_kept(data: bytes, code: str, line: int) -> None:
    found = cuts(data)
    assert [cut.raw for cut in found if isinstance(cut, Cut)] == [b"<q/>"]
    problems = [cut for cut in found if isinstance(cut, Problem)]
    assert [(problem.code, problem.line) for problem in problems] == [(code, line)]
    assert b"".join(c.raw if isinstance(c, Cut) else c for c in found if not isinstance(c, Problem)) == data


def test_an_element_over_the_limit_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xmlstream, "XML_ITEM_BYTES", 50)
    data = b"<r><q>" + b"x" * 100 + b"</q></r>"
    monkeypatch.setattr(sources, "CHUNK", 30)
    found = cuts(data)
    assert [cut.code for cut in found if isinstance(cut, Problem)] == ["too_long"]
    assert b"".join(cut for cut in found if isinstance(cut, bytes)) == data


@pytest.mark.parametrize("entity", ["<!ENTITY a 'b'>", "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "<!ENTITY % a 'b'>"])
def test_entities_are_refused(entity: str) -> None:
    with pytest.raises(InputError) as refused:
        cuts(f"<!DOCTYPE r [{entity}]><r/>".encode())
    assert refused.value.code == "entities_refused"


def test_a_document_type_without_entities_is_fine() -> None:
    assert [cut.raw for cut in cuts(b"<!DOCTYPE r SYSTEM 'x.dtd'><r><q/></r>") if isinstance(cut, Cut)] == [b"<q/>"]


def test_depth_is_limited() -> None:
    with pytest.raises(InputError) as refused:
        cuts(b"<r>" + b"<a>" * 70)
    assert refused.value.code == "too_deep"


def test_places_of_elements_and_attributes() -> None:
    text = """<n:a x='1 &gt; 0' y="2"><b>t &amp; <![CDATA[u]]></b><!-- <c/> --><c z=">"/></n:a>"""
    root = element_tree(text)
    assert (root.name, root.attribute("x"), root.attribute("none", "d")) == ("a", "1 > 0", "d")
    y = root.attributes["y"]
    assert text[y.start : y.end] == "2"
    b, c = root.children
    assert (b.plain(text), b.alone, c.alone) == ("t & u", False, True)
    assert text[b.start : b.end] == "<b>t &amp; <![CDATA[u]]></b>"
    assert root.child("c") is c and root.child("d") is None and root.all("b") == [b]
    assert [element.name for element in root.walk()] == ["b", "c"]


def test_too_many_elements_are_refused() -> None:
    with pytest.raises(TooComplex):
        element_tree("<a>" + "<b/>" * 100_001 + "</a>")


def test_well_formed() -> None:
    assert well_formed(b"<a><b:c/></a>")
    assert not well_formed(b"<a>]]></a>")
    assert not well_formed(b"<a>")
