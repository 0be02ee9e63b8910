"""Terms of a glossary are found where words begin, whatever the script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.manuscripts.model import Term
from burnish.kinds.manuscripts.terminology import TermIndex


def occurring(text: str, *terms: str, most: int | None = None) -> list[str]:
    index = TermIndex(Term(term, "x") for term in terms)
    return [term.source for term in index.occurring([text], most)]


@pytest.mark.parametrize(
    ("text", "term", "occurs"),
    [
        ("He made a bet.", "bet", True),
        ("Bets were made.", "bet", True),
        ("the alphabet", "bet", False),
        ("the alphabet of the bet", "bet", True),
        ("A bet in the alphabet shop", "bet shop", False),
        ("CAPITAL PUNISHMENT", "capital punishment", True),
        ("приставка", "ставка", False),
        ("Ставка была сделана", "ставка", True),
        ("他做了一个赌注", "赌注", True),
        ("A x B", "x", True),
        ("nothing", "bet", False),
        ("", "bet", False),
    ],
)
def test_a_term_occurs_where_a_word_begins(text: str, term: str, occurs: bool) -> None:
    assert bool(occurring(text, term)) == occurs


def test_terms_come_in_the_order_of_the_glossary_and_no_more_than_asked_for() -> None:
    assert occurring("a bank, a bet, a banker", "bet", "bank", "no", "banker") == ["bet", "bank", "banker"]
    assert occurring("a bank, a bet, a banker", "bet", "bank", "banker", most=2) == ["bet", "bank"]


def test_an_empty_glossary_and_an_empty_term_find_nothing() -> None:
    assert occurring("text") == [] and occurring("text", "", " ") == []


@given(st.text(max_size=30), st.text(min_size=1, max_size=5).filter(lambda term: bool(term.strip())))
def test_a_term_between_blanks_is_always_found(text: str, term: str) -> None:
    assert occurring(f"{text} {term} {text}", term) == [term]
