"""Token estimates: high enough for every script, and a least that honest counts stay above."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.models.budget import estimate_tokens, least_tokens


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 10, 110, 170),  # 45 characters, ten tokens and a full stop
        ("Съешь ещё этих мягких французских булок. " * 10, 150, 330),
        ("我能吞下玻璃而不伤身体。" * 10, 120, 240),
        ("ⴰⵣⵓⵍ ⴼⵍⵍⴰⵡⵏ" * 10, 150, 200),
        ("🙂" * 10, 20, 30),
        ("", 0, 1),
    ],
)
def test_estimates_are_of_the_right_size(text: str, fewest: int, most: int) -> None:
    assert fewest <= estimate_tokens(text) <= most


def by_hand(text: str) -> float:
    weights = {1: 0.34, 2: 0.75, 3: 1.5, 4: 2.5}
    return sum(weights[len(character.encode("utf-8", "surrogatepass"))] for character in text)


@given(st.text())
def test_the_estimate_weighs_each_character_by_its_utf8_length(text: str) -> None:
    assert abs(estimate_tokens(text) - 1 - by_hand(text)) <= 0.51


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)
    assert least_tokens(text + more) >= least_tokens(text)


@given(st.text())
def test_the_least_is_below_the_estimate(text: str) -> None:
    assert least_tokens(text) <= estimate_tokens(text)


def test_blanks_do_not_count_towards_the_least() -> None:
    assert least_tokens(" \n\t" * 1_000) == 0
    assert least_tokens("abcdef " * 100) == 50
