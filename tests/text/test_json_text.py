"""Strict JSON: what is wrong is told with its place."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.text.json_text import COMMAS, open_path, parsed


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
