"""Cutting a text into sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.languages.sentences import Sentence, sentences


def cut(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "Dr. Smith saw her at St. Mary's Hospital.",
        "It was tried vs. placebo, e.g. Tuesday at approx. 5 mg.",
        "See Fig. 3 and eq. 2 on p. 14.",
        "John F. Kennedy spoke.",
        "The U.S. Senate met.",
        "His weight is 3.5 kg.",
        "“Will I die?” he asks.",
        "1. The first statement",
        "IV. Cough",
        "Acme Inc. Ltd. of York agreed.",
        "Which of the following is it: aspirin or heparin?",
    ],
)
def test_stays_whole(whole: str) -> None:
    assert cut(whole) == [whole]


@pytest.mark.parametrize(
    "parts",
    [
        ["Blood pressure is 120/80 mm Hg.", "Pulse is 88/min."],
        ["He has hepatitis B.", "Blood cultures are drawn."],
        ["She came at 5 p.m.", "The pain had gone."],
        ["He works at Acme Inc.", "He does not smoke."],
        ["Is it?", "yes or no"],
        ["She says, “I cannot sleep.”", "Which of the following is the best reply?"],
        ["The number is no.", "The answer is yes."],
        ["Wait!", "There is more."],
        ["第一句。", "第二句。"],
    ],
)
def test_is_cut(parts: list[str]) -> None:
    joined = "".join(parts) if parts[0].endswith("。") else " ".join(parts)
    assert cut(joined) == parts


def test_lines_of_a_table_are_cut_and_wrapped_lines_are_not() -> None:
    table = "Laboratory studies show:\nHemoglobin 12 g/dL\nSodium 140 mEq/L\nWhich of the following is it?"
    assert cut(table) == table.split("\n")
    wrapped = "This sentence was wrapped by an editor after sixty characters or\nso, and Another line follows it here."
    assert cut(wrapped) == [wrapped]
    assert cut("First part\n\nsecond part") == ["First part", "second part"]


def test_places() -> None:
    text = "  One.  Two?  "
    assert list(sentences(text)) == [Sentence("One.", 2), Sentence("Two?", 8)]
    assert [text[s.start : s.end] for s in sentences(text)] == ["One.", "Two?"]
    assert Sentence("Two?", 8).shift((0, 3)) == (8, 11)


@given(st.text(alphabet="aB1 .?!:\n\"'”()。", max_size=120))
def test_nothing_is_lost_or_made_up(text: str) -> None:
    found = list(sentences(text))
    assert all(text[sentence.start : sentence.end] == sentence.text != "" for sentence in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert "".join("".join(s.text for s in found).split()) == "".join(text.split())
