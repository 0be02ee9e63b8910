"""What is alike in two scripts."""

import numpy as np
import pytest

from burnish.languages.alignment.corpus import likenesses, main_part, sounded


def likeness(source: str, target: str) -> float:
    return float(likenesses([source], [target], np.array([0]), np.array([0]))[0])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("london", "лондон"),
        ("photograph", "фотограф"),
        ("restaurant", "ресторан"),
        ("university", "universidad"),
        ("athens", "αθήνα"),
        ("philosophy", "философија"),
    ],
)
def test_cognates_and_names_are_alike(source: str, target: str) -> None:
    assert likeness(source, target) > 0.2


@pytest.mark.parametrize(
    ("source", "target"), [("1987", "1987"), ("?", "¿"), ("“", "«"), ("–", "-"), ("london", "london")]
)
def test_the_same_is_wholly_alike(source: str, target: str) -> None:
    assert likeness(source, target) == 1


@pytest.mark.parametrize(
    ("source", "target"),
    [("1987", "1988"), ("house", "куќа"), ("in", "iz"), ("?", "."), ("as", "аз"), ("dog", "хлеб")],
)
def test_the_rest_is_not(source: str, target: str) -> None:
    assert likeness(source, target) < 0.6


def test_short_words_that_are_the_same_count_half() -> None:
    assert likeness("a", "a") == 0.5


@pytest.mark.parametrize(
    ("word", "sounds"), [("философия", "filosofia"), ("é", "e"), ("«", '"'), ("12,5", "12,5"), ("", "")]
)
def test_rough_latin(word: str, sounds: str) -> None:
    assert sounded(word) == sounds


@pytest.mark.parametrize(
    ("word", "part"), [("tom's", "tom"), ("l'homme", "homme"), ("i'm", "i"), ("house", "house"), ("'", "'"), ("", "")]
)
def test_what_an_apostrophe_ties_to_a_word_is_left_out(word: str, part: str) -> None:
    assert main_part(word) == part
