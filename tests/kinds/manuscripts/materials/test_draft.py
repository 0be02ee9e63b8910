"""Drafts, laid beside their source."""

from dataclasses import replace

import pytest

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.materials.draft import align, shown
from burnish.kinds.manuscripts.model import Paragraph

SOURCE = "# The Bet\n\nIt was dark.\n\n```\ncode\n```\n\n- one\n- two\n\n> a quote\n"
DRAFT = "La apuesta\n==========\n\nEra oscuro.\n\n```\ncode\n```\n\n* uno\n* dos\n\n> una cita\n"


def paragraphs(text: str, format: BookFormat = "markdown") -> list[Paragraph]:
    found = read_manuscript(text.encode(), "source", format)
    return [one for one in found if isinstance(one, Paragraph)]


def refusal(source: str, draft: str, format: BookFormat = "markdown") -> InputError:
    with pytest.raises(InputError) as caught:
        align(paragraphs(source, format), draft.encode(), "draft.md", format)
    assert caught.value.path == "draft.md" and caught.value.hint
    return caught.value


def test_every_block_gets_its_translation() -> None:
    found = align(paragraphs(SOURCE), DRAFT.encode(), "draft.md", "markdown")
    assert list(found.values()) == ["La apuesta", "Era oscuro.", "uno", "dos", "una cita"]
    assert list(found) == ["p_0001", "p_0002", "p_0004", "p_0005", "p_0006"]


def test_what_is_left_out_takes_no_translation() -> None:
    given = paragraphs(SOURCE)
    given[1] = replace(given[1], excluded="a poem")
    assert "p_0002" not in align(given, DRAFT.encode(), "draft.md", "markdown")


def test_a_draft_may_leave_out_what_is_carried_through() -> None:
    found = align(paragraphs(SOURCE), DRAFT.replace("```\ncode\n```\n\n", "").encode(), "draft.md", "markdown")
    assert found == align(paragraphs(SOURCE), DRAFT.encode(), "draft.md", "markdown")


def test_too_few_blocks_are_counted_and_the_place_is_named() -> None:
    error = refusal(SOURCE, DRAFT.replace("* dos\n", ""))
    assert error.message.startswith("The draft has too few blocks: 4, the source 5. They part at block 4: ")
    assert (
        "the source has a list item in line 10 ('two'), the draft has a quote in line 12 ('una cita')" in error.message
    )
    assert error.line == 12


def test_too_many_blocks_at_the_end() -> None:
    error = refusal("One.\n\nTwo.\n", "Uno.\n\nDos.\n\nTres.\n", "text")
    assert "too many blocks: 3, the source 2" in error.message
    assert "the source is at its end, the draft has a paragraph in line 5" in error.message


def test_a_draft_that_ends_too_early() -> None:
    error = refusal("One.\n\nTwo.\n", "Uno.\n", "text")
    assert "They part at block 2" in error.message and "the draft is at its end" in error.message
    assert error.line is None


def test_as_many_blocks_of_other_kinds_are_refused_too() -> None:
    error = refusal("One.\n\n# Two\n", "# Uno\n\nDos.\n")
    assert "other sorts of blocks: 2, the source 2" in error.message and "block 1" in error.message


def test_a_draft_in_another_format_is_counted_without_code() -> None:
    text = "La apuesta\n\nEra oscuro.\n\nuno\n\ndos\n\nuna cita\n"
    found = align(paragraphs(SOURCE), text.encode(), "draft.txt", "text", source_format="markdown")
    assert list(found.values()) == ["La apuesta", "Era oscuro.", "uno", "dos", "una cita"]


def test_an_empty_draft_is_refused() -> None:
    assert refusal("One.\n", " \n").code


def test_a_draft_with_a_block_that_cannot_be_read_is_refused() -> None:
    error = refusal("One.\n\nTwo.\n", "Uno.\n\n" + "x" * 2_000_000 + "\n", "text")
    assert error.line == 3


def test_what_is_shown_of_a_block_is_one_short_line() -> None:
    assert shown("a\x1b[31m\nb") == "'a [31m b'"
    assert len(shown("word " * 1000)) < 50
