"""JSON as the doors write it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from burnish.app.terminal import UNSAFE, json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_the_same_value_comes_back(value: object) -> None:
    assert json.loads(json_text(value)) == value


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Lu"))))
def test_nothing_a_terminal_obeys_is_written_as_it_is(text: str) -> None:
    assert not UNSAFE.search(json_text({"text": text}))


def test_lone_surrogates_and_wide_characters() -> None:
    assert json_text("\ud800") == '"\\ud800"'
    assert json_text("\U000e0041\x7f") == '"\\udb40\\udc41\\u007f"'
