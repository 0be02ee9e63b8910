"""Packages of QTI items."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import Format, format_named, format_of, shows_questions
from burnish.kinds.questions.model import Question
from burnish.text import packages as module
from tests.kinds.questions.formats.banks import read, rewrite, write
from tests.kinds.questions.formats.test_qti import THREE, TWO

QTI, QTI3 = format_named("qti"), format_named("qti3")
TEST = b'<assessmentTest><assessmentItemRef href="a.xml"/></assessmentTest>'


def package(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as held:
        held.comment = b"mine"
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2))
            info.compress_type = zipfile.ZIP_DEFLATED
            held.writestr(info, content)
    return target.getvalue()


MEMBERS = {
    "imsmanifest.xml": b"<manifest/>",
    "items/": b"",
    "items/a.xml": TWO,
    "items/b.XML": THREE,
    "items/test.xml": TEST,
    "items/picture.png": b"\x89PNG" + bytes(range(256)),
    "../../outside.xml": TWO.replace(b"sign-1", b"sign-2"),
}
BANK = package(**MEMBERS)


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as held:
        return {name: held.read(name) for name in held.namelist()}


def test_items_are_read_in_the_order_of_the_package() -> None:
    found, problems, _ = read(QTI, BANK)
    assert [question.id for question in found] == ["sign-1", "pres", "sign-2"]
    assert problems == []
    assert QTI.carried(io.BytesIO(BANK)) == {"vignette", "rationale"}


def test_without_a_change_the_package_is_the_same() -> None:
    assert rewrite(QTI, BANK) == BANK


def test_a_change_touches_one_member() -> None:
    changed = read(QTI, BANK)[0][1].with_text("options.A", "101 °C")
    rewritten = rewrite(QTI, BANK, changed)
    assert contents(rewritten) == MEMBERS | {"items/b.XML": THREE.replace(b"100 ", b"101 ")}
    with zipfile.ZipFile(io.BytesIO(rewritten)) as held:
        assert held.comment == b"mine"
        assert {info.date_time for info in held.infolist()} == {(2020, 2, 2, 2, 2, 2)}
    assert read(QTI, rewritten)[0][1] == changed


def test_repeated_ids_are_told_over_all_members() -> None:
    found, problems, _ = read(QTI, package(**{"imsmanifest.xml": b"", "a.xml": TWO, "b.xml": TWO}))
    assert [question.id for question in found] == ["sign-1", "sign-1#2"]
    assert [(problem.code, problem.path) for problem in problems] == [("duplicate_id", "bank/b.xml")]


def test_a_broken_item_leaves_the_others_alone() -> None:
    found, problems, _ = read(QTI, package(**{"imsmanifest.xml": b"", "a.xml": TWO[:-30], "b.xml": THREE}))
    assert [question.id for question in found] == ["pres"]
    assert [(problem.code, problem.path) for problem in problems] == [("truncated", "bank/a.xml")]


def test_a_package_without_items_is_empty() -> None:
    _, problems, _ = read(QTI, package(**{"imsmanifest.xml": b"", "t.xml": TEST.replace(b"assessmentItem", b"x")}))
    assert [problem.code for problem in problems] == ["empty"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (package(**{"a.xml": TWO}), "no_manifest"),
        (BANK[:200], "broken_package"),
        (BANK.replace(b"items/a.xml", b"items/c.xml", 1), "broken_package"),
        (package(**{"imsmanifest.xml": b"", "a.xml": b"<assessmentItem>" + b" " * (1 << 20)}), "package_bomb"),
    ],
)
def test_packages_that_are_refused(data: bytes, code: str) -> None:
    for use in (lambda: read(QTI, data), lambda: rewrite(QTI, data)):
        with pytest.raises(InputError) as refused:
            use()
        assert refused.value.code == code


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MEMBER_BYTES", 100)
    with pytest.raises(InputError, match="too large"):
        read(QTI, BANK)
    monkeypatch.setattr(module, "MEMBERS", 2)
    with pytest.raises(InputError, match="too large"):
        read(QTI, BANK)


def test_a_stream_that_cannot_seek_is_read_as_one_item() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert [part.id for part in QTI.read(Pipe(TWO), "bank") if isinstance(part, Question)] == ["sign-1"]


@pytest.mark.parametrize("format", [QTI, QTI3])
def test_new_packages(format: object) -> None:
    bank = [
        Question(id=id, stem="S", options=[{"key": "A", "text": "x"}, {"key": "B", "text": "y"}], correct_answer="B")
        for id in ("../a", "b", "c")
    ]
    data, losses = write(format, bank)  # type: ignore[arg-type]
    assert losses == []
    held = contents(data)
    assert list(held) == ["items/item000001.xml", "items/item000002.xml", "items/item000003.xml", "imsmanifest.xml"]
    manifest = ElementTree.fromstring(held["imsmanifest.xml"])
    assert len([element for element in manifest.iter() if element.tag.endswith("}resource")]) == 3
    assert [question.id for question in read(QTI, data)[0]] == ["../a", "b", "c"]
    assert write(format, bank)[0] == data  # type: ignore[arg-type]
    assert list(contents(write(format, [])[0])) == ["imsmanifest.xml"]  # type: ignore[arg-type]


@pytest.mark.parametrize("format", [QTI, QTI3])
def test_one_question_is_a_package_too(format: Format) -> None:
    one = read(QTI, BANK)[0][:1]
    data, _ = write(format, one)
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["items/item000001.xml", "imsmanifest.xml"]
    assert [question.id for question in read(format, data)[0]] == [question.id for question in one]
    found = format_of("bank.qti", data)
    assert found is not None and found.name == format.name, "the version is told by the content"


def test_an_item_file_has_room_for_one_question() -> None:
    data, losses = write(format_named("qti_item"), read(QTI, BANK)[0])
    assert len(read(QTI, data)[0]) == 1
    assert "An item file holds one question: all others are left out" in losses[-1]
    assert "The field options.feedback is not carried" in losses[0]


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        (b"PK\x03\x04", False),
        (b"PK\x03\x04" + b"\xff" * 100, False),
        (package(**{"notes.txt": b"nothing of ours"}), False),
        (package(**{"notes.txt": b"nothing of ours", "z.xml": THREE}), True),
    ],
)
def test_a_zip_is_a_package_by_what_is_in_it(head: bytes, shown: bool) -> None:
    assert shows_questions(head) is shown
