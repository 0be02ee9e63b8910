"""Other people's words, brought to ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import SEVERITIES
from burnish.kinds.manuscripts.policy import BLOCKING_CATEGORIES, DIMENSIONS, RULES
from burnish.kinds.manuscripts.review_rows import category_named, dimension_of, severity_named


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("numbers_units", "numbers_units"),
        ("Numbers / Units", "numbers_units"),
        ("  Who did what? ", "who_did_what"),
        ("", "other"),
        (None, "other"),
        ("«»", "other"),
        ("x" * 500, "x" * 60),
    ],
)
def test_a_category_becomes_a_name(words: str | None, name: str) -> None:
    assert category_named(words) == name


@given(st.text(max_size=200))
def test_no_category_is_anything_but_a_short_name(words: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9_]{0,59}", category_named(words))


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("critical", "critical"),
        ("Blocker", "critical"),
        ("error", "error"),
        ("MAJOR", "error"),
        ("warning", "warning"),
        ("minor ", "warning"),
        ("info", "info"),
        ("suggestion", "info"),
        ("catastrophic", "error"),
        ("", "error"),
        (None, "error"),
    ],
)
def test_severities_are_mapped_and_unknown_ones_are_errors(word: str | None, severity: str) -> None:
    assert severity_named(word) == severity


@given(st.text(max_size=40))
def test_every_word_is_some_severity(word: str) -> None:
    assert severity_named(word) in SEVERITIES


def test_every_category_belongs_to_a_dimension() -> None:
    assert {dimension_of(category) for category in BLOCKING_CATEGORIES} == {"semantic_fidelity"}
    assert [dimension_of(name) for name in DIMENSIONS] == list(DIMENSIONS)
    assert all(dimension_of(placed.category) in DIMENSIONS for placed in RULES.values())
    assert dimension_of("typography") == dimension_of("punctuation") == dimension_of("rhythm") == "style"
