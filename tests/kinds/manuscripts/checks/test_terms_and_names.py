"""Forms of words, terms of a glossary, names that stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.manuscripts.model import Paragraph, Term
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.kinds.manuscripts.terminology import Glossary, glossary_of, keeps, names_in, renders, variant_of
from burnish.languages.word_forms import folded, is_form_of


def side(text: str, language: str) -> Side:
    return target_of(Paragraph("p_0001", 1, "paragraph", "", text, target_language=language))


def source(text: str, language: str = "en") -> Side:
    return source_of(Paragraph("p_0001", 1, "paragraph", text, source_language=language))


@pytest.mark.parametrize(
    ("found", "wanted", "language"),
    [
        ("casas", "casa", "es"),
        ("Bücher", "Buch", "de"),
        ("Stadtbücherei", "Bücherei", "de"),
        ("банкиром", "банкир", "ru"),
        ("рынка", "рынок", "ru"),
        ("книгата", "книга", "mk"),
        ("uxxam", "axxam", "kab"),
        ("tmurt", "tamurt", "kab"),
        ("banker's", "banker", "en"),
        ("Ель", "ёль", "ru"),
    ],
)
def test_forms_of_a_word(found: str, wanted: str, language: str) -> None:
    assert is_form_of(found, wanted, language)


@pytest.mark.parametrize(
    ("found", "wanted", "language"),
    [
        ("casa", "perro", "es"),
        ("финансист", "банкир", "ru"),
        ("Haus", "Buch", "de"),
        ("cama", "casa", "es"),
        ("x" * 70, "x" * 71, "en"),
    ],
)
def test_other_words(found: str, wanted: str, language: str) -> None:
    assert not is_form_of(found, wanted, language)


@given(st.text(max_size=30), st.sampled_from(["en", "de", "ru", "kab", "xx"]))
def test_every_word_is_a_form_of_itself(word: str, language: str) -> None:
    assert is_form_of(word, word, language)
    assert folded(folded(word)) == folded(word) or not word.isascii()


def terms(*pairs: tuple[str, str]) -> tuple[Term, ...]:
    return tuple(Term(source, target) for source, target in pairs)


def test_the_longest_term_counts() -> None:
    glossary = Glossary(terms(("York", "York"), ("New York", "Nueva York"), ("city", "ciudad")))
    found = [(one.term.source, one.start, one.end) for one in glossary.occurrences(source("New York has cities."))]
    assert found == [("New York", 0, 8), ("city", 13, 19)]


def test_terms_of_a_text_without_blanks() -> None:
    glossary = Glossary(terms(("彗星", "comet"), ("星", "star")))
    assert [one.term.target for one in glossary.occurrences(source("彗星と星。", "ja"))] == ["comet", "star"]


def test_a_term_in_code_is_no_term() -> None:
    assert not list(Glossary(terms(("banker", "x"))).occurrences(source("Run `banker` now.")))


def test_the_glossary_is_indexed_once() -> None:
    one = terms(("a", "b"))
    assert glossary_of(one) is glossary_of(one)
    assert glossary_of(terms(("a", "c"))).terms != one


@pytest.mark.parametrize(
    ("text", "wanted", "language", "expected"),
    [
        ("Las cuencas fluviales se secan.", "la cuenca fluvial", "es", True),
        ("La cuenca se seca.", "cuenca fluvial", "es", False),
        ("彗星很亮。", "彗星", "zh", True),
        ("Es el de la.", "el de", "es", True),
        ("Nada.", "42", "es", False),
        ("Es ***.", "***", "es", True),
    ],
)
def test_renderings(text: str, wanted: str, language: str, expected: bool) -> None:
    assert renders(side(text, language), wanted) is expected


@pytest.mark.parametrize(
    ("text", "name", "language", "expected"),
    [
        ("Usa OpenRefine hoy.", "OpenRefine", "es", True),
        ("Usa OpenRefines.", "OpenRefine", "es", True),
        ("Usa OpenRefinery.", "OpenRefine", "es", False),
        ("XOpenRefine", "OpenRefine", "es", False),
        ("XOpenRefine, OpenRefine", "OpenRefine", "es", True),
        ("w Pythonie", "Python", "pl", True),
        ("使用OpenRefine读取", "OpenRefine", "zh", True),
        ("Python-Code", "Python", "de", True),
        ("C++ ist alt", "C++", "de", True),
    ],
)
def test_names_that_are_kept(text: str, name: str, language: str, expected: bool) -> None:
    assert keeps(text, name, language) is expected


def test_what_stands_instead_of_a_name() -> None:
    found = variant_of(side("El openrefine lee.", "es"), "OpenRefine")
    assert found is not None and found.slip and (found.start, found.end) == (3, 13)
    assert variant_of(side("Nada se parece.", "es"), "OpenRefine") is None
    assert variant_of(side("Los Aba", "es"), "Abc") is None, "three letters look like too many words"
    far = variant_of(side("Alexandra vino.", "es"), "Alexander")
    assert far is not None and not far.slip


def test_names_of_a_source() -> None:
    names = {"Alice": 1.0, "New York City": 1.0, "Bob": 1.0}
    assert list(names_in(source("Alice left New  York City. Alice!"), names)) == ["Alice", "New York City"]
