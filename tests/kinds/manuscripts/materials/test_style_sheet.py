"""Style sheets."""

import pytest

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.materials.style_sheet import LONGEST, read_style_sheet

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
