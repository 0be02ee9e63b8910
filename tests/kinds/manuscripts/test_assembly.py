"""Putting manuscripts together: the source's own layout, one block a paragraph, and the final text reads back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError, InternalError
from burnish.kinds.manuscripts.assembly import (
    candidate_pieces,
    candidate_text,
    final_pieces,
    fits_one_block,
    map_rows,
    misread,
)
from burnish.kinds.manuscripts.formats import BookFormat
from burnish.kinds.manuscripts.model import Frame, Paragraph
from tests.kinds.manuscripts.formats.manuscript_texts import paragraphs_of, sources, translations


def translated(text: str, format: BookFormat = "markdown") -> list[Paragraph]:
    return [replace(p, translation=p.text) for p in paragraphs_of(text, format)]


@pytest.mark.parametrize("format", ["markdown", "text"])
@given(source=sources)
@settings(max_examples=150, deadline=None)
def test_the_source_itself_comes_out_byte_for_byte(format: BookFormat, source: str) -> None:
    paragraphs = translated(source, format)
    if paragraphs:
        assert "".join(final_pieces(source, paragraphs)) == source
        assert misread(source, paragraphs, "b.md", format) is None


@given(source=sources, new=st.lists(translations, min_size=1, max_size=4))
@settings(max_examples=600, deadline=None)
def test_a_translation_that_fits_reads_back_as_the_same_block(source: str, new: list[str]) -> None:
    paragraphs = []
    for number, paragraph in enumerate(translated(source)):
        text = new[number % len(new)]
        fits = paragraph.excluded is None and fits_one_block(text, paragraph) is None
        paragraphs.append(replace(paragraph, translation=text) if fits else paragraph)
    if paragraphs:
        final = "".join(final_pieces(source, paragraphs))
        told = misread(final, paragraphs, "b.md", "markdown")
        assert told is None, (final, told)
