"""Placeholders: what a whole text is made of decides, in time that grows with its length."""

from __future__ import annotations

import pytest

from burnish.text.leftovers import is_placeholder


@pytest.mark.parametrize("text", ["...", "…", "???", "xxx", "n/a", "none", "NaN", "nan...", "TODO", "string."])
def test_a_text_that_was_never_written(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("mark", [".", "?", "x", "…", "nan", "na"])
def test_a_long_row_of_marks_before_text_is_read_at_once(mark: str) -> None:
    """Once `....!` took twice as long with each further dot, so that 2,000 of them held up a run for ever."""
    assert not is_placeholder(mark * 20_000 + " and more")
