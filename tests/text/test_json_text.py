"""Strict JSON: what is wrong is told with its place."""

import io
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.text.json_text import (
    COMMAS,
    Node,
    decoded,
    dumped,
    is_escaped,
    looks_binary,
    open_path,
    parsed,
    places_of,
    read_limited,
    too_large,
    with_member,
)


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        parsed(text, "x.json")
    return raised.value


LESSON = {
    "lesson_id": "L1",
    "content": {
        "intro": "Hello.",
        "sections": [{"id": "s1", "content": 'One, [two] {three}: "four".'}],
        "exercises": [{"question": "A?", "solution": "B."}, {"question": "C?", "solution": "D."}],
    },
}


@pytest.mark.parametrize(
    ("cut", "path"),
    [
        ('"D.', "content.exercises[1].solution"),
        ('"solution": "D', "content.exercises[1].solution"),
        ('{"question": "C?"', "content.exercises[1].question"),
        ('{"question": "C?", ', "content.exercises[1]"),
        ('"One, [two] {three}', "content.sections[0].content"),
        ('"exercises": ', "content.exercises"),
        ('"intro": "Hello."', "content.intro"),
        ("{", ""),
    ],
)
def test_a_cut_names_what_it_cuts(cut: str, path: str) -> None:
    text = json.dumps(LESSON)
    text = text[: text.index(cut) + len(cut)]
    error = refusal(text)
    assert (error.code, error.field, error.line) == ("truncated", path or None, 1)
    assert f"column {len(text.rstrip()) + 1}" in error.message
    assert "token" in str(error.hint)


def test_the_line_and_column_are_those_of_the_end() -> None:
    text = '{\n "é": [1,\n  "añ'
    error = refusal(text + "\n \n")
    assert error.line == 3 and "line 3, column 6" in error.message and error.field == "é[1]"


@given(st.data())
def test_every_cut_is_a_truncation(data: st.DataObject) -> None:
    text = json.dumps(LESSON, indent=data.draw(st.sampled_from([None, 2])))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assume(cut.rstrip() != text)
    assert refusal(cut).code == "truncated"


@given(st.text(st.sampled_from('{}[],:"\\a1 '), max_size=40))
def test_the_path_is_found_in_any_text(text: str) -> None:
    assert isinstance(open_path(text), str)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": NaN}', "invalid_json"),
        ('{"a": "\x01"}', "invalid_json"),
        ('{"a": "\\ud800"}', "invalid_json"),
        ('{"a": 1} x', "invalid_json"),
        ("[" * 5000, "too_deep"),
        ("[" + "1," * (COMMAS + 1) + "1]", "too_complex"),
        ("[[" * 100_001, "too_complex"),
    ],
)
def test_what_is_wrong_has_a_code(text: str, code: str) -> None:
    assert refusal(text).code == code


def test_numbers_that_nobody_can_hold_become_words() -> None:
    big = 10**30
    assert parsed(f'{{"a": [{big}, 1e999, -{big}, true, 7, 1.5]}}', "x") == {
        "a": [hex(big), "inf", hex(-big), True, 7, 1.5]
    }


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"a": 1}', '{"a": 1, "b": "x"}'),
        ('{"a":1}', '{"a":1,"b":"x"}'),
        ("{}", '{"b": "x"}'),
        ("{ }", '{"b": "x"}'),
        ('{"a": 1, "c": 2}', '{"a": 1, "c": 2, "b": "x"}'),
        ('{"a":1,"c":2}', '{"a":1,"c":2,"b":"x"}'),
        ('{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": "x"\n}'),
        ('{\n  "a": [1,\n 2],\n  "c": {}\n}', '{\n  "a": [1,\n 2],\n  "c": {},\n  "b": "x"\n}'),
        ('{"a" : 1 ,"c" : {} }', '{"a" : 1 ,"c" : {},"b" : "x" }'),
    ],
)
def test_a_new_member_stands_last_in_the_style_of_the_others(text: str, after: str) -> None:
    assert with_member(text, places_of(text), "b", '"x"') == after
    assert json.loads(after) == {**json.loads(text), "b": "x"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_found_at_its_place(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    def look(node: Node, held: Any) -> None:
        assert json.loads(text[node.start : node.end]) == held
        parts = dict(enumerate(held)) if isinstance(held, list) else held if isinstance(held, dict) else {}
        assert list(node.parts) == list(parts)
        for name, part in parts.items():
            look(node.parts[name], part)
        keys = {name: json.loads(text[slice(*span)]) for name, span in node.keys.items()}
        assert keys == ({name: name for name in held} if isinstance(held, dict) else {})

    look(places_of(text), value)


@pytest.mark.parametrize(
    ("text", "escapes"),
    [
        ('"é"', False),
        ('"\\u00e9"', True),
        ('"\\u000a"', False),
        ('"\\u0079"', False),
        ('"\\u0080"', True),
        ('"é\\u00e9"', False),
    ],
)
def test_an_author_who_escapes_letters_is_told_from_one_who_escapes_signs(text: str, escapes: bool) -> None:
    assert is_escaped(text) is escapes
    assert dumped("é", is_escaped(text)) == ('"\\u00e9"' if escapes else '"é"')


@pytest.mark.parametrize(
    ("data", "text", "codec"),
    [
        (b"a\xc3\xa9", "aé", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8"),
        (b"\xff\xfea\x00", "a", "utf-16-le"),
        (b"\xfe\xff\x00a", "a", "utf-16-be"),
        (b"", "", "utf-8"),
    ],
)
def test_a_file_is_written_back_as_it_was_read(data: bytes, text: str, codec: str) -> None:
    found = decoded(data, "x")
    assert (found.text, found.codec, found.encode(found.text)) == (text, codec, data)


@pytest.mark.parametrize(
    ("data", "code", "line", "says"),
    [
        (b"\xff\xfe\x00\x00a", "wrong_encoding", 1, "UTF-32"),
        (b"ab\nc\xe9 d", "wrong_encoding", 2, "Byte 4 (0xe9) is not UTF-8; it looks like Windows-1252 or ISO-8859-1"),
        (b"ab\nc\x93d\x94", "wrong_encoding", 2, "looks like Windows-1252."),
        (b"\xef\xbb\xbfab\xe9 d", "wrong_encoding", 1, "Byte 5 "),
        (b"\xff\xfea\x00\x00", "binary", None, "not a text file"),
        (b"a\x00b\x00c\x00", "wrong_encoding", 1, "without a byte order mark"),
        (b"many words stand here\nand \x00 one", "binary", 2, "NUL"),
        (bytes(range(1, 32)) + b"\xe9", "binary", None, "not a text file"),
    ],
)
def test_a_file_that_is_no_text_says_what_it_seems_to_be(data: bytes, code: str, line: int | None, says: str) -> None:
    with pytest.raises(InputError) as refused:
        decoded(data, "x")
    assert (refused.value.code, refused.value.line) == (code, line) and says in refused.value.message


def test_no_more_is_read_than_a_file_may_hold() -> None:
    assert read_limited(io.BytesIO(b"x" * 9), "x", 9) == b"x" * 9
    stream = io.BytesIO(b"x" * 100)
    with pytest.raises(InputError, match="larger than 0 MB"):
        read_limited(stream, "x", 9)
    assert stream.tell() == 10
    assert "larger than 3 MB" in too_large("x", 3 << 20).message


@pytest.mark.parametrize(
    ("data", "is_binary"),
    [
        (b"a\tb\r\n\x0c\x1b[0m" * 9, False),
        (b"a\x00", True),
        (b"a" * 90 + b"\x01" * 10, False),
        (b"a" * 89 + b"\x01" * 11, True),
        (b"a" * 4096 + b"\x00", False),
        (b"\x08\x0e\x1a\x1c\x1f" + b"a" * 40, True),
        (b"\x09\x0d\x1b\x20" * 9, False),
    ],
)
def test_control_characters_tell_what_is_no_text(data: bytes, is_binary: bool) -> None:
    assert looks_binary(data) is is_binary
