"""What a repair and a comparison show of a unit: enough, and no more with a longer text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.requests import GAP, changed_excerpts, excerpt

FIRST = "The sun warms the sea. " * 12
SECOND = "Vapour rises and cools. " * 12
THIRD = "Drops fall as rain. " * 12
TEXT = "\n\n".join(part.strip() for part in (FIRST, SECOND, THIRD))


def unit(text: str, id: str = "sea") -> LessonUnit:
    return LessonUnit(id, "section", {"title": "The sea", None: text})


def test_the_paragraph_of_the_quote_is_shown() -> None:
    assert excerpt(unit(TEXT), ["rises and cools"]) == f"unit: sea\n\n{SECOND.strip()}"


def test_paragraphs_between_are_left_out_and_each_is_shown_once() -> None:
    shown = excerpt(unit(TEXT), ["fall as rain", "warms the sea", "The sun"])
    assert shown == f"unit: sea\n\n{FIRST.strip()}{GAP}{THIRD.strip()}"


@pytest.mark.parametrize(
    ("text", "quotes", "whole"),
    [(TEXT, [None], False), (TEXT, ["stands nowhere"], False), (TEXT, [], False), (TEXT, ["sun"], True)],
)
def test_without_a_place_the_whole_unit_is_shown(text: str, quotes: list[str | None], whole: bool) -> None:
    assert excerpt(unit(text), quotes, whole=whole) == f"unit: sea\ntitle: The sea\n\n{text}"


def test_short_texts_and_exercises_are_shown_whole() -> None:
    assert "title: The sea" in excerpt(unit("One line.\n\nAnother line."), ["Another"])
    exercise = LessonUnit("exercises/0", "exercise", {"question": TEXT, "solution": "Because."})
    assert "solution: Because." in excerpt(exercise, ["Because"])


def test_a_bare_line_is_shown_with_what_stands_before_it() -> None:
    assert excerpt(unit(f"{TEXT}\n\n- hail"), ["hail"]) == f"unit: sea\n\n{THIRD.strip()}\n\n- hail"


def test_of_an_endless_paragraph_only_what_is_near_is_shown() -> None:
    text = f"{'before ' * 2000}the quoted words {'after ' * 2000}".strip()
    shown = excerpt(unit(text), ["the quoted words"])
    assert "the quoted words" in shown and len(shown) < 1000


def test_a_changed_word_shows_its_sentence() -> None:
    before = unit(f"{FIRST}\n\nThe air is warm. Vapour cannot stay there. It cools.\n\n{THIRD}")
    after = before.with_text(None, before.text.replace("cannot", "can not"))
    assert changed_excerpts(before, after) == ("Vapour cannot stay there.", "Vapour can not stay there.")


def test_paragraphs_that_came_or_went_are_shown_whole() -> None:
    before, after = unit(f"{FIRST}\n\n{THIRD}"), unit(f"{FIRST}\n\n{SECOND}\n\n{THIRD}")
    assert changed_excerpts(before, after) == ("", SECOND)


def test_fields_that_are_the_same_are_not_shown() -> None:
    before = LessonUnit("exercises/0", "exercise", {"question": "Why does it rain?", "solution": "Because."})
    assert changed_excerpts(before, before.with_text("solution", "It cools.")) == ("Because.", "It cools.")


@given(st.text("ab. \n", max_size=60), st.text("ab. \n", max_size=60))
def test_what_is_shown_of_a_change_is_part_of_the_texts_and_differs(old: str, new: str) -> None:
    shown, other = changed_excerpts(unit(old), unit(new))
    assert shown in old and other in new
    assert shown != other or old.split() == new.split()  # only blanks may come or go unseen
