"""Splices: a text changed inside its own form, and nothing else of it."""

import json

import regex
from hypothesis import given
from hypothesis import strategies as st

from burnish.text.json_text import ESCAPES, dumped, is_escaped, places_of, with_member
from burnish.text.mapped_text import Coded, Splice, applied, differing_parts, spliced

CRLF = Coded(regex.compile("\r\n"), lambda raw: raw.replace("\r\n", "\n"), lambda new: new.replace("\n", "\r\n"))
ESCAPE = regex.compile(r"\\u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|\\u.{4}|\\.", regex.DOTALL)
JSON = Coded(ESCAPE, lambda raw: str(json.loads(f'"{raw}"')), lambda new: json.dumps(new, ensure_ascii=False)[1:-1])

LINES = st.lists(st.sampled_from(["", "a", "a b", "b c d", "e. f"]), max_size=12).map("\n".join)
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(LINES, LINES)
def test_parts_turn_the_old_text_into_the_new(old: str, new: str) -> None:
    pieces, done = [], 0
    for start, end, new_start, new_end in differing_parts(old, new):
        assert done <= start <= end
        pieces += [old[done:start], new[new_start:new_end]]
        done = end
    assert "".join(pieces) + old[done:] == new


def test_two_changes_far_apart_stay_two() -> None:
    old = "one\n" + "line\n" * 150 + "two\n"
    new = "ONE\n" + "line\n" * 150 + "TWO\n"
    assert [(s.start, s.end) for s in differing_parts(old, new)] == [(0, 3), (754, 757)]


def test_many_changed_lines_are_exchanged_as_words() -> None:
    old, new = "a\n" * 300, "b\n" * 300
    assert differing_parts(old, new)
    assert differing_parts("same", "same") == []


@given(PLAIN, PLAIN, st.booleans())
def test_a_json_string_reads_as_its_new_text(old: str, new: str, ascii_only: bool) -> None:
    raw = json.dumps(old, ensure_ascii=ascii_only)[1:-1]
    assert json.loads(f'"{spliced(raw, new, JSON)}"') == new
    assert spliced(raw, old, JSON) == raw


def test_escapes_beside_a_change_keep_their_form() -> None:
    assert spliced(r"a\/b \u00e9 caf\u00e9 x", "a/b é cafe x", JSON) == r"a\/b \u00e9 cafe x"
    assert spliced(r"\ud83d\ude00 smile", "😀 smiles", JSON) == r"\ud83d\ude00 smiles"


def test_mixed_line_ends_beside_a_change_stay() -> None:
    raw = "one\r\ntwo\nthree\r\nfour\n"
    assert spliced(raw, "one\ntwo\nthree!\nfour\nfive\n", CRLF) == "one\r\ntwo\nthree!\r\nfour\nfive\r\n"


def test_splices_are_applied_in_order() -> None:
    assert applied("abcdef", [Splice(4, 6, "Z"), Splice(0, 1, "")]) == "bcdZ"


@given(st.recursive(st.none() | st.booleans() | st.integers() | PLAIN, lambda x: st.lists(x, max_size=3), max_leaves=8))
def test_the_places_of_values_hold_their_text(value: object) -> None:
    text = json.dumps({"a": value, "b": [value]}, ensure_ascii=False, indent=1)
    root = places_of(text)
    node = root.parts["b"].parts[0]
    assert json.loads(text[node.start : node.end]) == value
    assert json.loads(text[root.start : root.end]) == {"a": value, "b": [value]}


def test_a_new_member_is_written_as_its_neighbours_are() -> None:
    for text, wanted in (
        ("{}", '{"x": 1}'),
        ('{"a": 2}', '{"a": 2, "x": 1}'),
        ('{\n  "a":2\n}', '{\n  "a":2,\n  "x":1\n}'),
    ):
        assert with_member(text, places_of(text), "x", "1") == wanted


def test_the_authors_manner_of_writing_letters() -> None:
    assert is_escaped('"caf\\u00e9"') and not is_escaped('"café"') and not is_escaped('"\\u0041"')
    assert dumped("é", True) == '"\\u00e9"' and dumped("é", False) == '"é"'
    assert [match.group() for match in ESCAPES.finditer(r"ab\n")] == ["ab", r"\n"]
