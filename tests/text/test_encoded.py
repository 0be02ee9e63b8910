"""Text files: the same bytes out as in, and plain words for what is no text."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.text.json_text import decoded, looks_binary, read_limited

WRITABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), min_size=1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@given(text=WRITABLE)
def test_what_is_decoded_encodes_to_the_same_bytes(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    encoded = decoded(data, "x.md")
    assert encoded.text == text
    assert encoded.encode(encoded.text) == data


def refusal(data: bytes) -> InputError:
    with pytest.raises(InputError) as raised:
        decoded(data, "x.md")
    assert raised.value.hint
    return raised.value


def test_windows_letters_are_named_with_byte_and_line() -> None:
    error = refusal(b"one\ntwo \x93quoted\x94")
    assert (error.code, error.line) == ("wrong_encoding", 2)
    assert "Byte 8 (0x93)" in error.message and "Windows-1252" in error.message


def test_latin_letters_may_be_either() -> None:
    assert "Windows-1252 or ISO-8859-1" in refusal("año".encode("latin-1")).message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\x00\x00a\x00\x00\x00", "wrong_encoding"),
        ("text".encode("utf-16-le"), "wrong_encoding"),
        (b"\xff\xfea", "wrong_encoding"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff", "binary"),
        (b"a long line of text before it, and then one more line\nwith a \x00 in it and so on", "binary"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, code: str) -> None:
    assert refusal(data).code == code


def test_a_nul_is_named_with_its_line() -> None:
    assert refusal(b"one\ntwo\n" * 20 + b"\x00").line == 41


def test_no_more_than_the_limit_is_read() -> None:
    stream = io.BytesIO(b"x" * 100)
    with pytest.raises(InputError) as raised:
        read_limited(stream, "x.md", 10)
    assert raised.value.code == "too_large" and stream.tell() == 11
    assert read_limited(io.BytesIO(b"abc"), "x.md", 3) == b"abc"


def test_control_characters_show_a_binary_file() -> None:
    assert looks_binary(bytes(range(1, 9)) * 4) and not looks_binary("Tab\tand\r\nlines ё".encode())
