"""Answers by key, by position, by words; and written back in the form they came in."""

from __future__ import annotations

import pytest

from burnish.kinds.questions.model import Form, Option, read_answer, write_answer

PAIRS = [("A", "red"), ("B", "green"), ("C", "2")]
OPTIONS = [Option(key=key, text=text) for key, text in PAIRS]


@pytest.mark.parametrize(
    ("value", "keyed", "key", "form"),
    [
        ("B", True, "B", "key"),
        (" B ", True, "B", "key"),
        ("b", False, "B", "lower_key"),
        (1, False, "B", "index"),
        ("1", False, "B", "index_text"),
        ("green", True, "B", "text"),
        ("green", False, "B", "text"),
        ("2", False, "C", "index_text"),
        ("2", True, "C", "text"),
    ],
)
def test_what_an_answer_means(value: object, keyed: bool, key: str, form: Form) -> None:
    answer = read_answer(value, PAIRS, keyed=keyed)
    assert answer is not None
    assert (answer.key, answer.form, answer.known) == (key, form, True)


@pytest.mark.parametrize(
    ("value", "keyed"), [("Q", True), (7, False), ("7", False), (1, True), ("b", True), ("", False)]
)
def test_an_answer_that_names_nothing_is_kept_as_it_is(value: object, keyed: bool) -> None:
    answer = read_answer(value, PAIRS, keyed=keyed)
    assert answer is not None
    assert (answer.key, answer.known) == (str(value), False)


@pytest.mark.parametrize("value", [True, 1.5, None, ["A"], {}])
def test_what_is_no_answer(value: object) -> None:
    assert read_answer(value, PAIRS, keyed=True) is None


def test_words_that_two_options_share_name_neither() -> None:
    answer = read_answer("same", [("A", "same"), ("B", "same")], keyed=True)
    assert answer is not None and not answer.known


def test_a_number_may_be_a_key() -> None:
    answer = read_answer(2, [("1", "x"), ("2", "y")], keyed=True)
    assert answer is not None
    assert (answer.key, answer.form, answer.known) == ("2", "number_key", True)


@pytest.mark.parametrize(
    ("form", "written"),
    [("key", "B"), ("lower_key", "b"), ("index", 1), ("index_text", "1"), ("text", "green"), ("number_key", "B")],
)
def test_writing_keeps_the_form(form: Form, written: object) -> None:
    assert write_answer(form, "B", OPTIONS) == written


def test_words_that_two_options_share_are_written_as_the_key() -> None:
    assert write_answer("text", "B", [Option(key="A", text="same"), Option(key="B", text="same ")]) == "B"


def test_a_number_key_is_written_as_a_number() -> None:
    assert write_answer("number_key", "2", OPTIONS) == 2


def test_a_position_needs_an_option() -> None:
    assert write_answer("index", "Q", OPTIONS) is None
    assert write_answer("lower_key", "Q", OPTIONS) == "Q"
