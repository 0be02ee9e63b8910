"""Encodings and lines."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats import source as sources
from burnish.kinds.questions.formats.source import Lines, Place, decoded, open_text, open_xml


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CHUNK", 3)


def cut(data: bytes, limit: int = 100) -> list[tuple[bytes, int, int, int]]:
    return [tuple(line) for line in Lines(open_text(io.BytesIO(data), "x"), limit)]  # type: ignore[misc]


def test_every_kind_of_line_end_is_one() -> None:
    assert cut(b"a\nb\r\nc\rd") == [
        (b"a\n", 1, 0, 0),
        (b"b\r\n", 2, 2, 0),
        (b"c\r", 3, 5, 0),
        (b"d", 4, 7, 0),
    ]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("data", [b"ab\r\ncd\r\n", b"abc\r", b"\r\n\r\n\n", b"abcdefgh\nx", b"", b"\xef\xbb\xbfab\n"])
def test_chunks_do_not_show(data: bytes) -> None:
    body = data.removeprefix(b"\xef\xbb\xbf")
    assert [line[0] for line in cut(data)] == body.splitlines(keepends=True)


@pytest.mark.usefixtures("small_chunks")
def test_a_long_line_comes_in_pieces_under_one_number() -> None:
    found = cut(b"ok\n" + b"x" * 20 + b"\nok", limit=5)
    assert b"".join(raw for raw, *_ in found) == b"ok\n" + b"x" * 20 + b"\nok"
    assert [(number, piece) for _, number, _, piece in found if piece] == [(2, n + 1) for n in range(len(found) - 2)]
    assert [(raw, number) for raw, number, _, piece in found if not piece] == [(b"ok\n", 1), (b"ok", 3)]
    assert max(len(raw) for raw, *_ in found) <= 9


@given(st.binary(max_size=60), st.integers(0, 10), st.integers(1, 12))
def test_lines_and_the_rest_are_the_whole_file(data: bytes, taken: int, limit: int) -> None:
    lines = Lines(sources.Source(io.BytesIO(data[7:]), "x", b"", "utf-8", data[:7]), limit)
    front = [line.raw for _, line in zip(range(taken), lines, strict=False)]
    assert b"".join(front) + b"".join(lines.rest()) == data


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_as_utf8_and_written_back(codec: str) -> None:
    data = "\ufeffaé😀\r\n".encode(codec)
    source = open_text(io.BytesIO(data), "x")
    inside = b"".join(source.chunks())
    assert inside.decode() == "aé😀\r\n"
    target = io.BytesIO()
    sink = source.sink(target)
    for index in range(len(inside)):
        sink.write(inside[index : index + 1])
    assert target.getvalue() == data


@pytest.mark.parametrize(
    "data", ["{}".encode("utf-16-le"), "[{}]".encode("utf-32"), "abc".encode("utf-32-be"), b"\xff\xfe{"]
)
def test_encodings_that_are_refused(data: bytes) -> None:
    with pytest.raises(InputError) as refused:
        b"".join(open_text(io.BytesIO(data), "x").chunks())
    assert refused.value.code == "wrong_encoding"
    assert "UTF-8" in (refused.value.hint or "")


def test_xml_says_its_encoding() -> None:
    data = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1")
    source = open_xml(io.BytesIO(data), "x")
    assert b"".join(source.chunks()).decode().endswith("<a>é</a>")
    target = io.BytesIO()
    source.sink(target).write(b"".join(open_xml(io.BytesIO(data), "x").chunks()))
    assert target.getvalue() == data


@pytest.mark.parametrize("name", ["utf-7", "shift_jis", "no-such", "utf-16"])
def test_xml_in_other_encodings_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="not read"):
        open_xml(io.BytesIO(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode()), "x")


def test_xml_in_utf16_without_a_mark_is_refused() -> None:
    with pytest.raises(InputError, match="byte order mark"):
        open_xml(io.BytesIO("<a/>".encode("utf-16-be")), "x")


@pytest.mark.parametrize(("byte", "guess"), [(b"\x92", "Windows-1252;"), (b"\xe9", "Windows-1252 or ISO-8859-1;")])
def test_a_wrong_byte_is_named_with_line_and_offset(byte: bytes, guess: str) -> None:
    problem = decoded(b"one\ntwo " + byte + b" x", Place("x", 10, 100))
    assert isinstance(problem, Problem)
    assert (problem.code, problem.line) == ("wrong_encoding", 11)
    assert "Byte 108" in problem.message
    assert guess in (problem.hint or "")
