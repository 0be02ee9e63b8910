"""Words, stop words and stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.languages.words import LONGEST_STEMMED, WORD, content_stems, stem, token_list, word_list, words


def test_words_carry_their_places() -> None:
    text = "The patient's X-ray (2 views) was normal."
    found = list(words(text))
    assert [word.text for word in found] == ["The", "patient's", "X-ray", "views", "was", "normal"]
    assert all(text[slice(*word.span)] == word.text for word in found)


def test_tokens_are_words_and_numbers() -> None:
    assert token_list("Give 1,500.5 mg of Aspirin") == ["give", "1,500.5", "mg", "of", "aspirin"]
    assert word_list("Give 1,500.5 mg") == ["give", "mg"]


@given(st.text(alphabet="aBz'-’é_1. \n\u212a", max_size=30) | st.text())
def test_the_quick_way_to_words_finds_the_same_words(text: str) -> None:
    assert word_list(text) == [word.lower() for word in WORD.findall(text.lower())]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("receptors", "receptor"),
        ("animals", "animal"),
        ("therapies", "therapy"),
        ("stopped", "stopping"),
        ("patient's", "patients"),
        ("reinforcement", "reinforces"),
        ("inhibition", "inhibits"),
        ("masses", "mass"),
        ("Oxidation", "oxidative"),
    ],
)
def test_kin_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("animal", "anima"), ("virus", "vire"), ("sing", "s"), ("real", "ready")])
def test_strangers_do_not(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_content_stems() -> None:
    assert content_stems("the receptors of a cell") == content_stems("Cells and their receptor")


@given(st.text(max_size=200))
def test_places_fit_any_text(text: str) -> None:
    for word in words(text):
        assert text[word.start : word.end] == word.text
        assert word.lower == word.text.lower()


@given(st.text(min_size=1, max_size=2 * LONGEST_STEMMED))
def test_a_stem_is_never_longer_than_its_word(word: str) -> None:
    assert len(stem(word)) <= len(word.lower())
