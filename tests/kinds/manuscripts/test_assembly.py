"""Putting manuscripts together: the source's own layout, one block a paragraph, and the final text reads back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError, InternalError
from burnish.kinds.manuscripts.block_fit import candidate_pieces, final_pieces, fits_one_block, reads_back_as
from burnish.kinds.manuscripts.formats import BookFormat
from burnish.kinds.manuscripts.model import Frame, Paragraph
from burnish.kinds.manuscripts.review_rows import Placement
from tests.kinds.manuscripts.manuscript_texts import paragraphs_of, sources, translations


def misread(final: str, paragraphs: list[Paragraph], format: BookFormat = "markdown") -> str | None:
    """The first paragraph that is not read back from a final text as it should stand there; `more`: there are others
    behind the last. None: the text is what was wanted."""
    for wanted, read in zip_longest(paragraphs, paragraphs_of(final, format)):
        if wanted is None:
            return "more"
        if read is None or not reads_back_as(wanted, read):
            return wanted.id
    return None


def translated(text: str, format: BookFormat = "markdown") -> list[Paragraph]:
    return [replace(p, translation=p.text) for p in paragraphs_of(text, format)]


def joined(placed: list[Placement]) -> str:
    """The file, as its lines are counted."""
    return "\n\n".join(one.text for one in placed) + "\n"


@pytest.mark.parametrize("format", ["markdown", "text"])
@given(source=sources)
@settings(max_examples=150, deadline=None)
def test_the_source_itself_comes_out_byte_for_byte(format: BookFormat, source: str) -> None:
    paragraphs = translated(source, format)
    if paragraphs:
        assert "".join(final_pieces(source, paragraphs)) == source
        assert misread(source, paragraphs, format) is None


@given(source=sources, new=st.lists(translations, min_size=1, max_size=4))
@settings(max_examples=600, deadline=None, derandomize=True)
def test_a_translation_that_fits_reads_back_as_the_same_block(source: str, new: list[str]) -> None:
    paragraphs = []
    for number, paragraph in enumerate(translated(source)):
        text = new[number % len(new)]
        fits = paragraph.excluded is None and fits_one_block(text, paragraph) is None
        paragraphs.append(replace(paragraph, translation=text) if fits else paragraph)
    if paragraphs:
        final = "".join(final_pieces(source, paragraphs))
        told = misread(final, paragraphs)
        assert told is None, (final, told)


def test_final_keeps_separators_frames_and_excluded_blocks() -> None:
    source = "---\nt: 1\n---\n# One #\r\n\r\n\r\n> a\r\n> b\r\n```\nx\n```\n- c\n- d   \n\n"
    new = {"One": "Uno", "a\nb": "uno\ndos", "c": "ce", "d": "de"}
    paragraphs = [replace(p, translation=new.get(p.text, "")) for p in paragraphs_of(source)]
    assert "".join(final_pieces(source, paragraphs)) == (
        "---\nt: 1\n---\n# Uno #\r\n\r\n\r\n> uno\r\n> dos\r\n```\nx\n```\n- ce\n- de   \n\n"
    )


def test_no_final_text_with_a_hole_in_it() -> None:
    source = "one\n\ntwo\n\nthree\n"
    paragraphs = translated(source)
    with pytest.raises(InternalError, match="p_0002 has no translation"):
        list(final_pieces(source, [paragraphs[0], replace(paragraphs[1], translation="")]))
    with pytest.raises(InternalError, match="before p_0003"):
        list(final_pieces(source, [paragraphs[0], paragraphs[2]]))
    with pytest.raises(InternalError, match="at the end"):
        list(final_pieces(source, paragraphs[:2]))


def test_a_source_that_changed_is_noticed() -> None:
    with pytest.raises(InputError) as caught:
        list(final_pieces("One\n\ntwo\n", translated("one\n\ntwo\n")))
    assert caught.value.code == "source_changed"


def test_the_candidate_has_one_blank_line_between_blocks_and_a_map() -> None:
    source = "# One\nTitle\r\n=====\r\n\n\n```\nx\n```\n- a\n  b\n\nlast"
    placed = [place for _, place in candidate_pieces(translated(source))]
    text = joined(placed)
    assert text == "# One\n\nTitle\n=====\n\n- a\n  b\n\nlast\n"
    assert [(one.paragraph_id, one.start_line, one.end_line) for one in placed[:2]] == [
        ("p_0001", 1, 1),
        ("p_0002", 3, 4),
    ]


def test_the_candidate_leaves_out_what_is_not_translated_and_refuses_blank_lines() -> None:
    one = Paragraph("p_0001", 1, "paragraph", "one")
    assert list(candidate_pieces([one])) == []
    with pytest.raises(InternalError, match="blank line"):
        list(candidate_pieces([replace(one, translation="a\n\nb")]))


@given(source=sources)
@settings(max_examples=100, deadline=None)
def test_lines_of_the_candidate_are_those_of_its_map(source: str) -> None:
    paragraphs = [p for p in translated(source) if p.excluded is not None or "\r" not in p.text]
    placed = [place for _, place in candidate_pieces(paragraphs)]
    lines = joined(placed).split("\n")
    for piece in placed:
        assert "\n".join(lines[piece.start_line - 1 : piece.end_line]) == piece.text
    assert all(after.start_line == before.end_line + 2 for before, after in pairwise(placed))


@pytest.mark.parametrize(
    "text",
    ["", "  ", "a\n\nb", " a", "a\n", "# a", "- a", "1. a", "> a", "```", "a\n# b", "a\n- b", "<div>", "---", "a\n---",
     "    a",
     "[x]: /u", "{% x %}", "a\rb", "\x00", "a\ud800", "| a |\n|---|", "{{ a", "a\n \t\nb"],
)  # fmt: skip
def test_what_would_become_another_block_is_refused(text: str) -> None:
    assert fits_one_block(text)


@pytest.mark.parametrize(
    "text", ["a", "a\nb", "1986 fue", "-a", "#a", "¿Qué?", "*a* b", "«a»", "ⴰⵣⵓⵍ", "a\n2. b", "[a](b)"]
)
def test_ordinary_words_fit(text: str) -> None:
    assert fits_one_block(text) is None


def test_what_fits_depends_on_the_block() -> None:
    heading, item, table, quote = paragraphs_of("# 1. One\n\n- a\n\n| a |\n|---|\n| b |\n\n> a\nb\n")
    assert fits_one_block("2. Dos", heading) is None
    assert fits_one_block("two\nlines", heading) and fits_one_block("closed ##", heading)
    assert fits_one_block("--", item)
    assert fits_one_block("| x |\n|---|\n| y |", table) is None
    assert fits_one_block("| x |\n|---|", table) == "it has 2 rows and its table has 3"
    assert fits_one_block("words", table)
    assert fits_one_block("a\nb", quote) is None
    assert fits_one_block("# a", heading) is None
    assert fits_one_block("# a", format="text") is None and fits_one_block("a\n\nb", format="text")


def test_a_final_text_that_reads_otherwise_is_told() -> None:
    source = "one\n\ntwo\n"
    first, second = translated(source)
    wrong = [replace(first, translation="- one"), second]
    assert misread("".join(final_pieces(source, wrong)), wrong) == "p_0001"
    assert misread(source + "\nthree\n", [first, second]) == "more"
    assert misread("one\n", [first, second]) == "p_0002"


@pytest.mark.parametrize(
    ("source", "new"),
    [
        ("- [ ] word", "word\n==="),
        ("\n>$$\n+++\n", "word"),
        ("word\n$$", "word"),
        ("\n>word\n===\r\nword", "word"),
        ("- a", "--"),
    ],
)
def test_what_was_once_misread(source: str, new: str) -> None:
    paragraphs = [
        replace(p, translation=new) if p.excluded is None and fits_one_block(new, p) is None else p
        for p in translated(source)
    ]
    assert misread("".join(final_pieces(source, paragraphs)), paragraphs) is None


def test_frames_without_marks_are_read_strictly_where_lines_go_on_without_them() -> None:
    lazy = Paragraph("p_0001", 1, "list", "a\nb", frame=Frame("1. ", ""))
    assert fits_one_block("a\n2. b", lazy)
    assert fits_one_block("a\n2. b", replace(lazy, frame=Frame("1. ", "   "))) is None
