"""The logic of an item through a repair: exactly one right option stays, and the key is that option."""

from __future__ import annotations

from typing import Any

import pytest

from burnish.core.errors import EditRefused
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.right_options import Logic, refuse_wrong_options


def item(stem: str, key: str, *options: str) -> Question:
    listed = [{"key": letter, "text": text} for letter, text in zip("ABCDE", options, strict=False)]
    return Question.model_validate({"id": "q", "stem": stem, "options": listed, "correct_answer": key})


def changed(question: Question, **texts: str) -> Question:
    for field, text in texts.items():
        question = question.with_text(field.replace("__", "."), text)
    return question


LIVER = item(
    "Which of the following is NOT a function of the liver?",
    "C",
    "Making bile",
    "Storing glycogen",
    "Pumping blood",
    "Breaking down ammonia",
)
POSITIVE = "Which of the following is a function of the liver?"
FISH = item(
    "A man has eaten spoilt fish at noon. Which of the following signs is seen by the evening?",
    "D",
    "Vomiting",
    "Watery stools",
    "Cramps of the belly",
    "All of the above",
)
PRIMES = item("Which of the following are prime numbers?", "D", "2", "9", "11", "A and C only")
GAS = item("Which gas makes up the largest share of dry air?", "B", "Oxygen", "Nitrogen", "Argon", "None of the above")
NONE = item("Which of these planets has no moon?", "D", "Earth", "Mars", "Saturn", "None of the above")

REFUSED: list[tuple[Question, dict[str, str], str]] = [
    (LIVER, {"stem": POSITIVE}, "drops_negation"),
    (LIVER, {"stem": "Which one of these is a true function of the liver?"}, "drops_negation"),
    (LIVER, {"stem": "Which of the following is most likely a function of the liver?"}, "drops_negation"),
    # the key is moved to an old distractor, and the others stay right
    (LIVER, {"stem": POSITIVE, "correct_answer": "A"}, "moves_key"),
    (LIVER, {"stem": POSITIVE, "correct_answer": "A", "options__C": "Making insulin"}, "several_right"),
    (
        LIVER,
        {"stem": POSITIVE, "correct_answer": "A", "options__B": "Making insulin", "options__C": "Making urine"},
        "several_right",
    ),
    (FISH, {"options__D": "Fever"}, "several_right"),
    (FISH, {"options__D": "Fever", "correct_answer": "A"}, "several_right"),
    (FISH, {"options__D": "Fever", "correct_answer": "A", "options__B": "Rash"}, "several_right"),
    (PRIMES, {"options__D": "15"}, "several_right"),
    (PRIMES, {"options__D": "15", "correct_answer": "A"}, "several_right"),
    (PRIMES, {"options__D": "15", "options__A": "4", "correct_answer": "B"}, "wrong_key"),
    (NONE, {"options__D": "Neptune", "correct_answer": "A"}, "wrong_key"),
    (GAS, {"correct_answer": "A"}, "moves_key"),
    (GAS, {"correct_answer": "A", "options__D": "Helium"}, "wrong_key"),
    (GAS, {"options__B": "Carbon dioxide"}, "replaces_key"),
]


@pytest.mark.parametrize(("before", "texts", "reason"), REFUSED)
def test_a_repair_that_leaves_no_single_right_option_is_refused(
    before: Question, texts: dict[str, str], reason: str
) -> None:
    with pytest.raises(EditRefused) as refusal:
        refuse_wrong_options(before, changed(before, **texts))
    assert refusal.value.reason == reason


SOUND: list[tuple[Question, dict[str, str]]] = [
    (LIVER, {"stem": "Which of the following is a function of the heart rather than of the liver?"}),
    (LIVER, {"stem": "Which of these is NOT what the liver does?"}),
    (LIVER, {"options__C": "Pumping of blood"}),
    (
        LIVER,
        {
            "stem": POSITIVE,
            "correct_answer": "A",
            "options__B": "Making insulin",
            "options__C": "Pumping blood",
            "options__D": "Making urine",
        },
    ),
    (FISH, {"options__D": "Fever", "correct_answer": "A", "options__B": "Rash", "options__C": "Jaundice"}),
    (
        PRIMES,
        {"stem": "Which of these is a prime number?", "options__D": "15", "options__A": "4", "correct_answer": "C"},
    ),
    # a K-type item: the label is replaced by the answer, and its parts by others
    (PRIMES, {"options__D": "13", "options__A": "4", "options__C": "15"}),
    (GAS, {"options__D": "Carbon dioxide"}),
    (NONE, {"options__D": "Venus"}),
]


@pytest.mark.parametrize(("before", "texts"), SOUND)
def test_a_sound_repair_is_not(before: Question, texts: dict[str, str]) -> None:
    refuse_wrong_options(before, changed(before, **texts))


def test_a_key_whose_own_words_are_the_fault_may_be_reworded() -> None:
    refuse_wrong_options(LIVER, changed(LIVER, options__C="Moving plasma"), {"options.C"})


def test_the_verdict_on_a_statement_is_never_turned() -> None:
    raw: dict[str, Any] = {
        "id": "q",
        "type": "true_false",
        "stem": "The liver makes bile.",
        "options": [{"key": "A", "text": "True"}, {"key": "B", "text": "False"}],
        "correct_answer": "A",
    }
    before = Question.model_validate(raw)
    with pytest.raises(EditRefused, match="the key moves"):
        refuse_wrong_options(before, changed(before, correct_answer="B", stem="The liver makes no bile."))


def test_one_of_several_right_answers_is_not_replaced() -> None:
    raw = {**LIVER.model_dump(), "type": "multiple_response", "correct_answer": "C, D"}
    several = Question.model_validate(raw)
    with pytest.raises(EditRefused, match="another answer"):
        refuse_wrong_options(several, changed(several, options__D="Fever above 40 degrees"))


def test_what_an_item_says_of_its_options() -> None:
    assert Logic.of(LIVER).truths == {
        "making bile": True,
        "storing glycogen": True,
        "pumping blood": False,
        "breaking down ammonia": True,
    }
    assert Logic.of(PRIMES).truths == {"2": True, "9": False, "11": True}
    assert Logic.of(PRIMES).labels == {"D"}
    assert set(Logic.of(NONE).truths.values()) == {False}
    statements = item("Which are true? I. a II. b III. c", "B", "I only", "I and II", "II and III", "I, II, and III")
    assert Logic.of(statements).truths == {}
