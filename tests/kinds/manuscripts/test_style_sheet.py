"""Style sheets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.style_sheet import LONGEST, read_style_sheet

SHEET = """---
title: House
---
Short sentences.

# Names
Keep them.

## Sample paragraphs ##
> It was dark.
> Nobody came.

He slept.

# Numbers
As digits.
"""


def test_rules_and_samples_are_told_apart() -> None:
    sheet = read_style_sheet(SHEET.replace("\n", "\r\n").encode(), "style.md")
    assert sheet.rules == "Short sentences.\n\n# Names\nKeep them.\n\n# Numbers\nAs digits."
    assert sheet.samples == ("It was dark.\nNobody came.", "He slept.")
    assert sheet.version == read_style_sheet(SHEET.encode(), "style.md").version
    assert sheet.version != read_style_sheet(SHEET.replace("He", "She").encode(), "style.md").version


def test_a_sheet_of_samples_only() -> None:
    sheet = read_style_sheet(b"# Samples\n\nOne.\n\n\nTwo.", "style.md")
    assert (sheet.rules, sheet.samples) == ("", ("One.", "Two."))


def test_a_sheet_without_headings_is_rules() -> None:
    sheet = read_style_sheet("Short sentences.\n\nNo “quotes”.\n".encode(), "style.md")
    assert (sheet.rules, sheet.samples) == ("Short sentences.\n\nNo “quotes”.", ())


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        sheet = read_style_sheet(text.encode("utf-8", "replace"), "style.md")
    except InputError as error:
        assert error.path == "style.md"
    else:
        assert sheet.version.startswith("sha256:")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"---\na: b\n---\n \n", "empty"),
        (b"x" * (LONGEST + 1), "too_large"),
        (b"\xe9", "wrong_encoding"),
    ],
)
def test_what_cannot_be_used_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_style_sheet(data, "style.md")
    assert caught.value.code == code and caught.value.hint
