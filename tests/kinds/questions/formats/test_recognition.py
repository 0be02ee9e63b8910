"""Which format a file is: the content wins over the name."""

from __future__ import annotations

import pytest

from burnish.core.errors import UsageError
from burnish.kinds.questions.formats import FORMATS, format_named, format_of
from tests.kinds.questions.formats.test_aiken import BANK as AIKEN
from tests.kinds.questions.formats.test_gift import BANK as GIFT
from tests.kinds.questions.formats.test_moodle import BANK as MOODLE
from tests.kinds.questions.formats.test_qti import THREE, TWO
from tests.kinds.questions.formats.test_qti_package import BANK as PACKAGE

ITEM = b'{"id": "a", "stem": "S", "options": ["x", "y"], "answer": 0}'
PRETTY = b'{\n  "id": "a",\n  "stem": "S"\n}\n'
CSV = b"id,stem,A,B,answer\n1,S,x,y,A\n"


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        ("bank.jsonl", ITEM + b"\n" + ITEM, "jsonl"),
        ("bank.json", ITEM + b"\n" + ITEM, "jsonl"),
        ("bank.json", ITEM + b"\r\n\r\n" + ITEM, "jsonl"),
        ("bank.json", ITEM + b"\r" + ITEM, "jsonl"),
        ("bank.jsonl", ITEM, "jsonl"),
        ("bank.json", ITEM, "json"),
        ("bank.jsonl", b"[" + ITEM + b"]", "json"),
        ("bank.jsonl", PRETTY, "json"),
        ("bank.jsonl", b'{"stem": "cut\n{"id": "b"}', "jsonl"),
        ("bank.jsonl", b"not json\n" + ITEM, "jsonl"),
        ("bank.jsonl", b"", "jsonl"),
        ("bank.json", b"", "json"),
        ("bank.json", b"not json", "json"),
        ("bank.ndjson", b"\xef\xbb\xbf" + ITEM, "jsonl"),
        ("bank", b"\xff\xfe" + ITEM.decode().encode("utf-16-le"), "json"),
        ("bank.csv", b"[" + ITEM + b"]", "json"),
        ("lesson.md", b"[a link](x) and text", None),
        ("lesson.md", b"# Title\n{ a = b }\nANSWER: none", None),
        ("bank.csv", CSV, "csv"),
        ("bank.txt", CSV, "csv"),
        ("bank.csv", CSV.replace(b",", b"\t"), "tsv"),
        ("bank.tsv", CSV.replace(b",", b"\t"), "tsv"),
        ("bank.csv", b"a,b\n", "csv"),
        ("bank.csv", b"", "csv"),
        ("bank.tsv", b"", "tsv"),
        ("notes.md", CSV, None),
        ("bank.txt", GIFT, "gift"),
        ("bank.gift", b"anything", "gift"),
        ("bank.gift", b"", "gift"),
        ("bank.txt", AIKEN, "aiken"),
        ("bank.txt", AIKEN.replace(b"\r\n", b"\n").replace(b"\n", b"\r"), "aiken"),
        ("bank.aiken", b"x", "aiken"),
        ("bank.aiken", b"", "aiken"),
        ("bank.txt", b"Just prose, with no question in it.", None),
        ("bank.txt", b"", None),
        ("bank.xml", MOODLE, "moodle_xml"),
        ("bank.txt", MOODLE, "moodle_xml"),
        ("bank.xml", b"<!DOCTYPE quiz [<!ENTITY a 'b'>]><quiz/>", "moodle_xml"),
        ("item.xml", TWO, "qti_item"),
        ("item.xml", THREE, "qti3_item"),
        ("item.xml", b"<q:assessmentItem xmlns:q='u'/>", "qti_item"),
        ("imsmanifest.xml", b"<manifest/>", None),
        ("test.xml", b"<assessmentTest/>", None),
        ("page.xml", b"<!-- " * 3000, None),
        ("bank.zip", PACKAGE, "qti"),
        ("bank.bin", PACKAGE, "qti"),
        ("other.docx", b"PK\x03\x04 word/document.xml", None),
    ],
)
def test_format_of(path: str, head: bytes, name: str | None) -> None:
    found = format_of(path, head)
    assert (found.name if found else None) == name


def test_at_most_one_format_claims_a_file() -> None:
    for path, head in (
        ("a.txt", GIFT),
        ("a.txt", AIKEN),
        ("a.json", ITEM),
        ("a.xml", MOODLE),
        ("a.xml", TWO),
        ("a.csv", CSV),
    ):
        assert len([format for format in FORMATS if format.recognise(path, head)]) == 1


def test_formats_by_name() -> None:
    assert [format_named(format.name) for format in FORMATS] == list(FORMATS)
    assert len({format.name for format in FORMATS}) == len(FORMATS)
    assert all(ending.startswith(".") for format in FORMATS for ending in format.extensions)
    with pytest.raises(UsageError, match="no format 'word'"):
        format_named("word")
