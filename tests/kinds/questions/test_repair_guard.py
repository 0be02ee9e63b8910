"""The guard of a question's repair: what nothing asks for is refused, what was asked for is not."""

from __future__ import annotations

from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.repair_guard import compare, refuse_other_rationale
from burnish.kinds.questions.requests import editable
from burnish.kinds.questions.right_options import refuse_wrong_options

SELECTION = select(KIND.checks)


def item(stem: str, key: str, *options: str, rationale: str | None = None) -> Question:
    listed = [{"key": letter, "text": text} for letter, text in zip("ABCDE", options, strict=False)]
    made: dict[str, Any] = {"id": "q", "stem": stem, "options": listed, "correct_answer": key, "language": "en"}
    return Question.model_validate(made if rationale is None else {**made, "rationale": rationale})


def claim(rule: str, field: str, quote: str | None = None, message: str = "It is a flaw.") -> Finding:
    return Finding(rule, "error", "q", field, message, "Replace it with a real alternative.", quote)


SHOCK = item(
    "A woman of 30 has lost 800 ml of blood. She must not be given aspirin. Which fluid is given before the operation?",
    "A",
    "Isotonic saline",
    "Tap water",
    "Sweet tea",
    "None of the above",
    rationale="Isotonic saline fills the vessels within 20 minutes. Tap water breaks up red cells. Sweet tea is slow.",
)
NONE = claim("nbme_none_of_the_above", "options.D", "None of the above", "Option D denies the others.")
SOUND = {"options__D": "Cow's milk"}


def repaired(before: Question, claims: list[Finding], *changes: str, **texts: str) -> tuple[str, ...]:
    """Why the repair is refused; empty if it is not."""
    edits = [
        Edit("q", field.replace("__", "."), before.texts()[field.replace("__", ".")], text)
        for field, text in texts.items()
    ]
    after = apply_edits(before, edits, allowed=editable(before, claims), smallest_remainder=0)
    refuse_wrong_options(before, after, {one.field for one in claims})
    refuse_other_rationale(before, after, claims)
    return compare(before, after, claims, changes).refusals


STEM = SHOCK.stem
PLANTED = {
    "figure": STEM.replace("800", "80"),
    "unit": STEM.replace("ml", "l"),
    "decimal": STEM.replace("800 ml", "8.00 ml"),
    "denial dropped": STEM.replace("must not", "must"),
    "denial kept in other words": STEM.replace("must not be given", "fails to need"),
    "modal": STEM.replace("must not", "should not"),
    "opposite": STEM.replace("before", "after"),
    "person": STEM.replace("woman", "man").replace("She", "He"),
    "noun": STEM.replace("blood", "plasma"),
    "letter of another script": STEM.replace("saline", "s\u0430line").replace("aspirin", "\u0430spirin"),
    "language": STEM + " Und welche Flüssigkeit wird danach noch gegeben?",
    "sentence dropped": STEM.replace("She must not be given aspirin. ", ""),
    "sentence added": STEM.replace("Which", "Her brother died of a stroke last year. Which"),
    "length": STEM.replace(
        "Which", "She lives with her mother in a small house by the sea and likes to read. " * 9 + "Which"
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_change_of_meaning_inside_a_sound_repair_is_refused(name: str) -> None:
    assert repaired(SHOCK, [NONE], **SOUND) == ()
    assert repaired(SHOCK, [NONE], **SOUND, stem=PLANTED[name])


@pytest.mark.parametrize("name", ["figure", "opposite", "noun", "sentence dropped"])
def test_what_the_repair_names_is_for_a_reader_to_confirm(name: str) -> None:
    old = {
        "figure": "800 ml",
        "opposite": "before",
        "noun": "blood",
        "sentence dropped": "She must not be given aspirin",
    }
    new = {"figure": "80 ml", "opposite": "after", "noun": "plasma", "sentence dropped": "nothing"}
    declared = f'"{old[name]}" becomes "{new[name]}"'
    assert repaired(SHOCK, [NONE], declared, **SOUND, stem=PLANTED[name]) == ()


def test_a_new_distractor_opens_the_clause_that_explains_it_and_no_other() -> None:
    """The rationale went on explaining the old one."""
    silly = claim("nbme_distractor_plausibility", "options.C", "Sweet tea", "Nobody would choose option C.")
    rationale = str(SHOCK.rationale)
    follows = rationale.replace("Sweet tea is slow.", "Ringer's lactate with glucose leaves the vessels.")
    assert repaired(SHOCK, [silly], options__C="Ringer's lactate with glucose", rationale=follows) == ()
    with pytest.raises(EditRefused, match="explains no option that changed"):
        repaired(
            SHOCK,
            [silly],
            options__C="Ringer's lactate with glucose",
            rationale=rationale.replace("breaks up red cells", "is cold"),
        )
    figure = follows.replace("20 minutes", "2 minutes")
    with pytest.raises(EditRefused):
        repaired(SHOCK, [silly], options__C="Ringer's lactate with glucose", rationale=figure)


ANTIBIOTICS = item(
    "Which statement about antibiotics is correct?",
    "C",
    "They always cure infections within a day",
    "They never cause side effects",
    "They act against bacteria but not against viruses",
    "They cure every sore throat",
)


def test_a_list_of_statements_opens_what_its_suggestion_needs() -> None:
    """It asked for new options and opened the stem only, so the stem grew to 80 words."""
    found = [
        one
        for one in KIND.examine(ANTIBIOTICS, SELECTION, BankContext(language="en")).findings
        if one.rule == "nbme_true_false"
    ]
    assert {"stem", "options.A", "options.D"} <= editable(ANTIBIOTICS, found)
    texts = {
        "stem": "Against which of the following do antibiotics act?",
        "options__A": "Viruses",
        "options__B": "Prions",
        "options__D": "Toxins",
    }
    assert repaired(ANTIBIOTICS, found, **texts, options__C="Bacteria but not viruses") == ()
    long = f"{'A teacher with two children comes on a Monday with a dry cough and a runny nose. ' * 6}Which is correct?"
    assert repaired(ANTIBIOTICS, found, stem=long)


REVOLUTION = item(
    "Which statements are true of the Revolution?\nI. It began in 1789.\nII. The king was executed.\nIII. It lost.",
    "B",
    "I only",
    "I and II",
    "II and III",
    "I, II and III",
    rationale="It began in 1789 and the king was executed in 1793. It did not lose.",
)


def test_a_sound_repair_of_an_item_with_combined_options_is_not_refused() -> None:
    """It "puts another answer in the key's place": a label is no answer."""
    ktype = claim("nbme_complex_k_type", "options", None, "4 options combine labels.")
    texts = {
        "stem": "Which event took place during the Revolution of 1789?",
        "options__A": "The coronation of Napoleon",
        "options__B": "The execution of the king",
        "options__C": "The Battle of Waterloo",
        "options__D": "The flight of the pope",
        "rationale": "The king was executed in 1793. Waterloo was fought in 1815, and Napoleon was crowned in 1804.",
    }
    assert repaired(REVOLUTION, [ktype], **texts) == ()


NOBLE = item("Which of the following is a noble gas?", "A", "Argon", "Nitrogen", "Krypton", "Chlorine")


@pytest.mark.parametrize(
    ("claims", "texts"),
    [
        ([claim("nbme_multiple_correct", "options.C", "Krypton")], {"options__C": "Fluorine"}),
        ([claim("nbme_distractor_plausibility", "options.D", "Chlorine")], {"options__D": "Oxygen"}),
        (
            [claim("nbme_negation_detection", "stem", "noble", "The lead-in asks for the exception.")],
            {"stem": "Which of the following gases does not react with oxygen under normal conditions?"},
        ),
    ],
)
def test_sound_repairs_are_not_refused(claims: list[Finding], texts: dict[str, str]) -> None:
    assert repaired(NOBLE, claims, **texts) == ()


def test_a_short_question_may_become_much_shorter() -> None:
    sums = item("1. 5 + 7 = ?", "A", "12", "11", "None of the above", "13")
    assert repaired(sums, [claim("nbme_none_of_the_above", "options.C", "None of the above")], options__C="10") == ()
