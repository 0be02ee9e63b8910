"""Stray spaces: which ones go, and which question marks are no ends of questions."""

import pytest

from burnish.kinds.questions.checks.ext_formatting import without_stray_spaces


@pytest.mark.parametrize(
    "text",
    [
        "2 over 9 = 14 over ? true.",
        "Which of the following makes 3 times ? equal to 12?",
        "What number is missing: 2 4 ? 8",
        "Which number follows: 2, 4, 8 ?",
        "Hand is to glove as foot is to ?",
        "Let x ? y mean that x is larger. Which of the following holds?",
        "Which sign stands in 7 apples ? = 9?",
        "7 plus ?",
    ],
)
def test_a_question_mark_that_stands_for_something_unknown_keeps_its_space(text: str) -> None:
    assert without_stray_spaces(text) == text


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("Which drug should be given first ?", "Which drug should be given first?"),
        ("Why does it hurt ? He does not know.", "Why does it hurt? He does not know."),
        ("Is it made of wood ?\nSay why .", "Is it made of wood?\nSay why."),
        ("Which drugs , if any , should she take over 5 !", "Which drugs, if any, should she take over 5!"),
        ("What makes a leaf discover ?", "What makes a leaf discover?"),
    ],
)
def test_other_spaces_before_marks_go(text: str, tidy: str) -> None:
    assert without_stray_spaces(text) == tidy
