"""The one Markdown reader: places in every script, and texts made to take long."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from burnish.text.markdown import inline_markdown, markdown
from burnish.text.structure import read_structure

SCRIPTS = st.sampled_from(
    ["Wasser", "вода", "水", "ⴰⵎⴰⵏ", "पानी", "ماء", "😀", "e\u0301", "𝒙", " ", "\n", "\n\n", "\r\n", "- ", "> ", "1. "]
)
MARKS = st.sampled_from(
    [
        *("*", "**", "_", "`", "```\n", "[", "](", ")", "![", "][", "]", "<b>", "</b>", "<!--", "-->", "$", "$$"),
        *("{% x %}", "{{", "}}", "{: .a}", "\\(", "\\)", "\\begin{a}", "\\end{a}", "|", "\n|---|\n", "[^1]"),
        *("[^1]: ", "[a]: /b\n", "# ", "\n===\n"),
    ]
)
TEXTS = st.lists(SCRIPTS | MARKS, max_size=40).map("".join)


@settings(deadline=None, max_examples=200)
@given(TEXTS)
@example("- [^1]: a")
@example("- > a")
def test_every_place_gives_its_own_text_back(text: str) -> None:
    found = read_structure(text)
    for block in found.blocks:
        assert 0 <= block.start <= block.end <= len(text)
        assert text[block.start : block.end] == text[block.start : block.end].rstrip()
    for first, second in zip(found.blocks, found.blocks[1:], strict=False):
        assert first.start <= second.start
    for link in found.links:
        assert text[link.text_end] == "]" and text[link.end - 1] in ")]"
    for words in found.emphasis:
        mark = text[words.start]
        assert mark in "*_" and text[words.start : words.start + words.width] == mark * words.width
        assert text[words.end - words.width : words.end] == mark * words.width
    for start, end in found.code:
        assert text[start] == "`" == text[end - 1]
    for start, end in found.loose:
        assert set(text[start:end]) <= {"*", "_"}


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_prose_is_as_long_as_the_text(text: str) -> None:
    for view in (markdown(text, is_kept=False), inline_markdown(text)):
        assert len(view.prose) == len(text)
        assert all(shown in (kept, " ", "\n", "\ufffc") for shown, kept in zip(view.prose, text, strict=True))


def test_places_are_characters_in_every_script() -> None:
    text = "Вода **水** [ⴰⵎⴰⵏ](/a) 😀 `код` *é*."
    found = read_structure(text)
    assert [text[slice(*words.inside)] for words in found.emphasis] == ["水", "é"]
    assert [text[link.text_start : link.text_end] for link in found.links] == ["ⴰⵎⴰⵏ"]
    assert [text[slice(*span)] for span in found.code] == ["`код`"]


@pytest.mark.parametrize(
    "piece",
    [
        "a line of words, and one more\n",
        "- item\n",
        "> " * 8 + "x\n",
        "**a _b `c [d](e \n",
        "{% raw %} {{ a {: b \\begin{a} \\( $$ \n\n",
        "<!-- a\n```\n",
        "[a]: /b\n",
        "|a|b|\n|-|-|\n",
        "é*ü_ö`[",
    ],
)
def test_a_long_row_of_openings_is_read(piece: str) -> None:
    """Each of these took the square of its length with a reader that looks for every end anew."""
    text = piece * (300_000 // len(piece))
    assert len(markdown(text, is_kept=False).prose) == len(text)


def test_a_deep_list_is_read() -> None:
    text = "".join(f"{'  ' * depth}- a\n" for depth in range(2000))
    assert len(read_structure(text).blocks) >= 500
