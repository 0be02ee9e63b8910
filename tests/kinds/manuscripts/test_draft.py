"""Drafts, laid beside their source."""

from dataclasses import replace

import pytest

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.memory import Aligned, align, shown
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
    found = align(paragraphs(SOURCE), DRAFT.encode(), "draft.md", "markdown").texts
    assert list(found.values()) == ["La apuesta", "Era oscuro.", "uno", "dos", "una cita"]
    assert list(found) == ["p_0001", "p_0002", "p_0004", "p_0005", "p_0006"]


def test_what_is_left_out_takes_no_translation() -> None:
    given = paragraphs(SOURCE)
    given[1] = replace(given[1], excluded="a poem")
    assert "p_0002" not in align(given, DRAFT.encode(), "draft.md", "markdown").texts


def test_a_draft_may_leave_out_what_is_carried_through() -> None:
    found = align(paragraphs(SOURCE), DRAFT.replace("```\ncode\n```\n\n", "").encode(), "draft.md", "markdown")
    assert found == align(paragraphs(SOURCE), DRAFT.encode(), "draft.md", "markdown")


BOOK = [
    ("# The Bet", "# La apuesta"),
    ("It was a dark autumn night.", "Era una oscura noche de otoño."),
    ("The old banker walked up and down in his study.", "El viejo banquero caminaba por su despacho."),
    ("He remembered a party that he had given.", "Recordaba una fiesta que había dado."),
    ("There had been many clever men there.", "Había allí muchos hombres inteligentes."),
    ("Among other things they had talked of death.", "Entre otras cosas habían hablado de la muerte."),
]


def book(side: int, *more: tuple[int, str], without: int | None = None) -> str:
    texts = [pair[side] for place, pair in enumerate(BOOK) if place != without]
    for place, text in more:
        texts.insert(place, text)
    return "\n\n".join(texts) + "\n"


def laid(draft: str, source: str = "") -> Aligned:
    return align(paragraphs(source or book(0)), draft.encode(), "draft.md", "markdown", languages=("en", "es"))


def test_one_heading_too_many_leaves_nothing_unread() -> None:
    found = laid(book(1, (2, "## Una sección nueva")))
    assert list(found.texts.values()) == [other.removeprefix("# ") for _, other in BOOK]
    assert found.unpaired == ("No block of the source matches the draft's heading in line 5 ('Una sección nueva').",)


def test_a_paragraph_that_is_missing_is_named() -> None:
    found = laid(book(1, without=3))
    assert "p_0004" not in found.texts and len(found.texts) == len(BOOK) - 1
    assert found.unpaired == (
        "No block of the draft matches the source's paragraph in line 7 ('He remembered a party that he had given.').",
    )


def test_a_paragraph_that_was_cut_in_two_is_joined() -> None:
    whole = "El viejo banquero caminaba por su despacho. Recordaba una fiesta que había dado."
    source = book(0, without=3).replace(BOOK[2][0], f"{BOOK[2][0]} {BOOK[3][0]}")
    found = laid(book(1), source)
    assert found.texts["p_0003"] == whole.replace(". R", ".\nR")
    assert found.unpaired == ()


def test_one_block_for_two_is_translated_anew() -> None:
    draft = book(1, without=3).replace(BOOK[2][1], f"{BOOK[2][1]} {BOOK[3][1]}")
    found = laid(draft)
    assert not {"p_0003", "p_0004"} & set(found.texts)
    assert all(told.endswith("One block of the draft translates both.") for told in found.unpaired)


def test_the_draft_of_another_text_is_refused() -> None:
    error = refusal(book(0), "# Der Hund\n", "markdown")
    assert error.code == "draft_parts"
    assert error.message.startswith("The draft has 1 blocks, the source 6, and only")


def test_a_draft_in_another_format_is_counted_without_code() -> None:
    text = "La apuesta\n\nEra oscuro.\n\nuno\n\ndos\n\nuna cita\n"
    found = align(paragraphs(SOURCE), text.encode(), "draft.txt", "text", source_format="markdown").texts
    assert list(found.values()) == ["La apuesta", "Era oscuro.", "uno", "dos", "una cita"]


def test_an_empty_draft_is_refused() -> None:
    assert refusal("One.\n", " \n").code


def test_a_draft_with_a_block_that_cannot_be_read_is_refused() -> None:
    error = refusal("One.\n\nTwo.\n", "Uno.\n\n" + "x" * 2_000_000 + "\n", "text")
    assert error.line == 3


def test_what_is_shown_of_a_block_is_one_short_line() -> None:
    assert shown("a\x1b[31m\nb") == "'a [31m b'"
    assert len(shown("word " * 1000)) < 50
