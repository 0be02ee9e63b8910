"""The terminal: harmless text, marks under the right columns, colours only where they are wanted."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from burnish.app.terminal import Screen, excerpt, visible, wants_colour

SHOWN_AS_THEY_ARE = {0x200C, 0x200D}
"""Joiners that Persian, Indic scripts and emoji need."""
ARABIC_SIGNS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2}
"""Called format characters by Unicode, but they are printed."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_invisible_or_dangerous_passes() -> None:
    """Every control, format, separator and surrogate character that this Python knows."""
    leaking = [
        hex(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp", "Cs")
        and code not in SHOWN_AS_THEY_ARE | ARABIC_SIGNS
        and chr(code) in visible(chr(code))
    ]
    assert leaking == []


def test_what_is_replaced_can_be_read() -> None:
    assert visible("a\nb\tc\x1b[31m\x9b\u202e\U000e0041") == "a↵b→c\\x1b[31m\\x9b\\u202e\\U000e0041"


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    text = "Naïve café, “quotes” – Ωμέγα, Кирилица, العربية, עברית, हिन्दी, 漢字, ⵜⵉⴼⵉⵏⴰⵖ, می‌خواهم, 👩‍⚕️"
    assert visible(text) == text


@given(st.text(max_size=300), st.integers(-5, 320), st.integers(-5, 320), st.integers(20, 120))
def test_an_excerpt_fits_and_marks_what_it_shows(text: str, one: int, other: int, width: int) -> None:
    start, end = sorted((one, other))
    shown = excerpt(text, (start, end), width)
    assert cell_len(shown.line) <= width + 2
    assert visible(shown.line) == shown.line
    column, length = shown.mark
    assert column == cell_len(shown.before) and length >= 1


def test_a_short_text_is_shown_whole() -> None:
    shown = excerpt("Which is NOT true?", (9, 12), 60)
    assert (shown.before, shown.marked, shown.after) == ("Which is ", "NOT", " true?")
    assert shown.mark == (9, 3)


def test_wide_characters_take_two_columns() -> None:
    shown = excerpt("漢字 NOT 漢字", (3, 6), 60)
    assert shown.mark == (5, 3)


def test_a_long_text_is_cut_on_both_sides() -> None:
    shown = excerpt("a " * 200 + "NOT" + " b" * 200, (400, 403), 41)
    assert shown.line.startswith("…") and shown.line.endswith("…")
    assert "NOT" in shown.line


def test_a_long_quote_keeps_its_ends() -> None:
    text = "First words" + " and more" * 100 + " last words"
    shown = excerpt(text, (0, len(text)), 60)
    assert shown.marked.startswith("First") and shown.marked.endswith("last words") and " … " in shown.marked


def test_without_a_span_the_beginning_is_shown() -> None:
    assert excerpt("short", None, 60).line == "short"
    assert excerpt("x" * 100, None, 60).line == "x" * 59 + "…"


def test_colour_is_ours_and_surrounds_clean_text() -> None:
    stream = Terminal()
    Screen(stream).line(("error", "bad\x1b]0;title\x07"), " rest  ")
    assert stream.getvalue() == "\x1b[1;31mbad\\x1b]0;title\\x07\x1b[0m rest\n"


def test_no_colour_elsewhere() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.line(("error", "bad"), ("plain", "!"))
    assert stream.getvalue() == "bad!\n"
    assert screen.width == 100


@pytest.mark.parametrize(
    ("environment", "flag", "expected"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_who_decides_about_colour(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], flag: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(Terminal(), no_color=flag) is expected


def test_colour_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wants_colour(io.StringIO()) is True


def test_a_paragraph_is_wrapped_under_its_head() -> None:
    stream = io.StringIO()
    Screen(stream).paragraph("word " * 40, indent="      ", first=("head: ",))
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("head: word") and all(line.startswith("      word") for line in lines[1:])
    assert all(len(line) <= 100 for line in lines)


def test_an_empty_paragraph_is_its_head() -> None:
    stream = io.StringIO()
    Screen(stream).paragraph("", first=("head:",))
    assert stream.getvalue() == "head:\n"
