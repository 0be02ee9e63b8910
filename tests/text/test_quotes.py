"""Quotes of models are found in the text however they were misspelled, in exact characters, and in one place only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.edits import Edit
from burnish.text.quotes import SHORTEST_PIECE, WIDEST_GAP, exact_edits, exact_quote, find_quote, holds, places
from tests.core.units import PlainUnit

TEXT = (
    "The **cell wall** is\nmade of — “cellulose”. It's [strong](https://x.test/a_b) &amp; `tough`…\n\n"
    "> A saying\n> over two lines.\n\nThe price rose from 3–4 to 5 in 1999, said the *cafe\u0301* owner.\n"
)


@pytest.mark.parametrize(
    ("quote", "meant"),
    [
        ("The **cell wall** is\nmade", "The **cell wall** is\nmade"),
        ("is made of — “cellulose”.", "is\nmade of — “cellulose”."),
        ('made of - "cellulose"', "made of — “cellulose”"),
        ("  made of — “cellulose”\n", "made of — “cellulose”"),
        ("The cell wall is made", "The **cell wall** is\nmade"),
        ("The cell wall is made of cellulose", "The **cell wall** is\nmade of — “cellulose"),
        ("It’s strong & tough", "It's [strong](https://x.test/a_b) &amp; `tough"),
        ("tough...", "tough"),
        ("A saying over two lines.", "A saying\n> over two lines."),
        ("from 3-4 to 5", "from 3–4 to 5"),
        ("The cell wall … of cellulose", "The **cell wall** is\nmade of — “cellulose"),
        ("The price rose [...] said the café", "The price rose from 3–4 to 5 in 1999, said the *cafe\u0301"),
        ("the café owner", "the *cafe\u0301* owner"),
        ("no such words", None),
        ("", None),
        (" \n", None),
        ("“”—…", None),
    ],
)
def test_a_misquote_is_mapped_back_to_exact_characters(quote: str, meant: str | None) -> None:
    place = find_quote(TEXT, quote)
    assert (None if place is None else TEXT[slice(*place)]) == meant
    assert holds(TEXT, quote) == (meant is not None)


def test_only_one_place_may_match() -> None:
    assert find_quote("A *cell* and a cell.", "a cell") == (13, 19)  # word for word comes before anything looser
    assert find_quote("One *big* cell.\nOne big *cell*.", "One big cell") is None
    assert len(places("One *big* cell.\nOne big *cell*.", "One big cell")) == 2
    assert find_quote("a cell, a cell", "a cell") is None and holds("a cell, a cell", "a cell")


def test_pieces_around_an_ellipsis_are_long_and_close() -> None:
    far = "The beginning of it. " + "Much more is said here. " * 200 + "Then the ending of it."
    assert find_quote(far, "The beginning ... the ending") is None
    assert find_quote(far[-40:] + far[:40], "the ending ... The beginning") is not None
    assert find_quote("It is so. It is not so.", "It ... so") is None


def test_an_edit_relies_on_spelling_only() -> None:
    unit = PlainUnit.of(stem=TEXT)
    spelled, bare, gone = exact_edits(
        unit,
        [
            Edit("u", "stem", 'is made of - "cellulose"', "x"),
            Edit("u", "stem", "The cell wall", "x"),
            Edit("u", "stem", "nowhere", "x"),
        ],
    )
    assert spelled.find == "is\nmade of — “cellulose”"
    # Emphasis that `find` leaves out would be lost with the exchange: applying the edit refuses it.
    assert (bare.find, gone.find) == ("The cell wall", "nowhere")


def test_a_quote_takes_on_the_spelling_of_the_text_that_holds_it_best() -> None:
    assert exact_quote(["A *bold* word", "A bold word"], "A bold word") == "A bold word"
    assert exact_quote(["Nothing", "A *bold*\nword"], "A bold word") == "A *bold*\nword"
    assert exact_quote(["Nothing"], "A bold word") is None


WORDS = st.lists(st.text("abcdefgåßéжя", min_size=3, max_size=8), min_size=6, max_size=30, unique=True)
MISSPELLED = {" ": ["\n", "  ", "\u00a0", "\n> "], "-": ["–", "—", "−"], '"': ["“", "”", "«"], "'": ["’", "‘"]}


@given(WORDS, st.data())
def test_every_misspelling_of_a_quote_is_found_where_it_was_taken_from(words: list[str], data: st.DataObject) -> None:
    """However text and quote differ in marks, the words that are found are those that were quoted."""
    first = data.draw(st.integers(0, len(words) - 4))
    last = data.draw(st.integers(first + 3, len(words)))
    joined = [data.draw(st.sampled_from([" ", " - ", '" ', "' ", ", "])) for _ in words]
    plain = "".join(word + mark for word, mark in zip(words, joined, strict=True))
    start = sum(len(words[at]) + len(joined[at]) for at in range(first))
    quote = plain[start : start + sum(len(words[at]) + len(joined[at]) for at in range(first, last))].strip()
    text = "".join(data.draw(st.sampled_from([sign, *MISSPELLED.get(sign, [])])) for sign in plain)
    place = find_quote(text, quote)
    found = places(text, quote)
    assert found, "never nowhere"
    if place is not None:
        assert [letter for letter in text[slice(*place)] if letter.isalpha()] == [c for c in quote if c.isalpha()]


@given(st.text(max_size=200), st.text(max_size=60))
def test_whatever_is_asked_the_places_lie_in_the_text(text: str, quote: str) -> None:
    for start, end in places(text, quote, most=5):
        assert 0 <= start < end <= len(text)
    if quote.strip() and quote in text:
        assert places(text, quote)[0] == (text.index(quote), text.index(quote) + len(quote))
    assert len(quote) < SHORTEST_PIECE or places(text + quote, quote)


def test_an_ellipsis_replaces_at_most_so_many_characters() -> None:
    def between(gap: int) -> str:
        return f"The beginning of it{'x' * gap}the ending of it."

    near, far = between(WIDEST_GAP), between(WIDEST_GAP + 1)
    place = find_quote(near, "The beginning of it ... the ending of it")
    assert place == (0, len(near) - 1)
    assert find_quote(far, "The beginning of it ... the ending of it") is None
    twice = f"{far} {near}"
    assert find_quote(twice, "The beginning of it ... the ending of it") == (len(far) + 1, len(twice) - 1)


@pytest.mark.parametrize(("piece", "is_long_enough"), [("cellular", True), ("cellula", False), ("c-e l'l u", False)])
def test_a_piece_beside_an_ellipsis_has_eight_letters_at_least(piece: str, is_long_enough: bool) -> None:
    text = f"The membrane of it has {piece} parts."
    assert (find_quote(text, f"The membrane ... {piece}") is not None) is is_long_enough


def test_three_pieces_follow_each_other_in_order() -> None:
    text = "First piece then second piece then third piece, and first piece again."
    assert find_quote(text, "First piece … second piece … third piece") == (0, 46)
    assert find_quote(text, "second piece … First piece … third piece") is None
    assert find_quote(text, "[...] second piece ... third piece [...]") == (17, 46)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_places_are_looked_for_than_asked(most: int) -> None:
    text = "a cell, a *cell*, a cell, a cell"
    assert places(text, "a cell", most=most) == [(0, 6), (18, 24), (26, 32)][:most]
    marked = "*a* b *a* b *a* b *a* b"
    assert len(places(marked, "a b", most=most)) == most
