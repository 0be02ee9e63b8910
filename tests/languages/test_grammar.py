"""Verb forms and clauses."""

import pytest

from burnish.languages.grammar import has_clause, sure_verb_form, verb_form
from burnish.languages.words import word_list


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("inhibit", "base"),
        ("inhibits", "third"),
        ("inhibiting", "gerund"),
        ("inhibited", "past"),
        ("reducing", "gerund"),
        ("referring", "gerund"),
        ("admitted", "past"),
        ("denies", "third"),
        ("denied", "past"),
        ("has", "third"),
        ("touches", "third"),
        ("aspirin", None),
    ],
)
def test_verb_form(word: str, form: str | None) -> None:
    assert verb_form(word) == form


def test_words_that_are_nouns_too_are_not_sure() -> None:
    assert verb_form("increase") == "base" and sure_verb_form("increase") is None
    assert sure_verb_form("increases") is None
    assert sure_verb_form("increasing") == "gerund"


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("It is secreted by the kidney", True),
        ("Lipids make up the membrane", True),
        ("The kidney produces urine", True),
        ("Decreased release of glycine", False),
        ("Inhibition of the proton pump", False),
        ("A plan to reduce pain", False),
        ("", False),
    ],
)
def test_has_clause(text: str, states: bool) -> None:
    assert has_clause(word_list(text)) is states
