"""A question as a person reads it."""

from __future__ import annotations

from burnish.kinds.questions.model import Question
from burnish.kinds.questions.views import difference, shown
from tests.engine.questions_bench import biased, sound


def test_the_key_has_a_star() -> None:
    text = shown(Question.model_validate(sound(8, vignette="In a studio.", rationale="Light is taken away.")))
    assert text == (
        "In a studio.\n"
        "\n"
        "A painter mixes blue pigment with yellow pigment on a palette. Which of the following colours appears?\n"
        "* A. Green\n"
        "  B. Orange\n"
        "  C. Violet\n"
        "  D. Brown\n"
        "\n"
        "Rationale: Light is taken away.\n"
    )


def test_sets_are_shown_item_by_item() -> None:
    matching = Question.model_validate(
        {
            "id": "m",
            "type": "extended_matching",
            "stem": "Which drug?",
            "options": [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}],
            "items": [
                {"stem": "A man.", "correct_answer": "B", "rationale": "Why."},
                {"stem": "A woman.", "options": [{"key": "A", "text": "z"}], "correct_answer": "A"},
            ],
        }
    )
    assert shown(matching).splitlines() == [
        *("Which drug?", "  A. x", "  B. y", ""),
        *("A man.", "  Answer: B", "  Rationale: Why.", ""),
        *("A woman.", "* A. z"),
    ]


def test_a_difference_is_a_unified_diff_of_what_is_shown() -> None:
    before, after = Question.model_validate(biased(0)), Question.model_validate(sound(0))
    lines = difference(before, after).splitlines()
    assert lines[:2] == ["--- q0 before", "+++ q0 after"]
    assert f"-{before.stem}" in lines
    assert f"+{after.stem}" in lines
    assert difference(before, before) == ""
