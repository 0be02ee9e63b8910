"""One word at a time."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.languages.tamazight import (
    BERBER_LOOK_ALIKES,
    LATIN,
    LATIN_LOOK_ALIKES,
    LONGEST_REMEMBERED,
    LOST,
    ORTHOGRAPHIES,
    OTHER_LOOK_ALIKES,
    READINGS,
    TO_LATIN,
    TO_TIFINAGH,
    VARIANTS,
    Orthography,
    in_latin,
    in_tifinagh,
    normal,
)

COMMON = sorted(letter for letter in TO_TIFINAGH["kabyle"] if letter != "ʷ")
ODD = sorted(
    {*"kgao°ºɛжМоπ\u0323\u0331\u0332\u030c\u0327é", *BERBER_LOOK_ALIKES, *LATIN_LOOK_ALIKES, *OTHER_LOOK_ALIKES}
)
odd_words = st.lists(st.sampled_from(ODD), max_size=9).map(lambda parts: "".join(("a", *parts)))
words = st.lists(st.sampled_from(COMMON), min_size=1, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("latin", "tifinagh"),
    [
        ("tamaziɣt", "ⵜⴰⵎⴰⵣⵉⵖⵜ"),
        ("Ɣas", "ⵖⴰⵙ"),
        ("akʷ", "ⴰⴽⵯ"),
        ("iḥeṛṛmen", "ⵉⵃⴻⵕⵕⵎⴻⵏ"),
        ("aṭṣẓḍ", "ⴰⵟⵚⵥⴹ"),
        ("ɛecc", "ⵄⴻⵛⵛ"),
        ("pav", "ⵒⴰⵠ"),
    ],
)
@pytest.mark.parametrize("orthography", ORTHOGRAPHIES)
def test_both_orthographies_write_most_words_alike(latin: str, tifinagh: str, orthography: Orthography) -> None:
    assert in_tifinagh[orthography](latin) == (tifinagh, ())
    assert in_latin(tifinagh).text == latin.lower()


@pytest.mark.parametrize(
    ("latin", "ircam", "kabyle"),
    [
        ("kečč", "ⴽⴻⵜⵜⵛ", "ⴽⴻⵞⵞ"),
        ("Čenčen", "ⵜⵛⴻⵏⵜⵛⴻⵏ", "ⵞⴻⵏⵞⴻⵏ"),
        ("yeǧǧa", "ⵢⴻⴷⴷⵊⴰ", "ⵢⴻⴵⴵⴰ"),
        ("aǧenǧun", "ⴰⴷⵊⴻⵏⴷⵊⵓⵏ", "ⴰⴵⴻⵏⴵⵓⵏ"),
    ],
)
def test_affricates_are_two_letters_in_morocco_and_one_in_kabylia(latin: str, ircam: str, kabyle: str) -> None:
    assert in_tifinagh["ircam"](latin) == (ircam, ())
    assert in_tifinagh["kabyle"](latin) == (kabyle, ())
    assert in_latin(kabyle).text == latin.lower()


def test_o_has_a_letter_only_in_kabylia() -> None:
    assert in_tifinagh["kabyle"]("oto") == ("ⵧⵜⵧ", ())
    text, changes = in_tifinagh["ircam"]("tÓ")
    assert text == "ⵜⵓ" and [(change.found, change.reason) for change in changes] == [("Ó", "foreign_letter")]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("yewεer", "yewɛer"),
        ("yewԑer", "yewɛer"),
        ("γef", "ɣef"),
        ("γ", "ɣ"),
        ("Σli", "Ɛli"),
        ("Ԑli", "Ɛli"),
        ("Γas", "Ɣas"),
        ("yeţţef", "yeṭṭef"),
        ("ğ", "ǧ"),
        ("az\u0327u", "aẓu"),
        ("akk°", "akkʷ"),
        ("akkº", "akkʷ"),
        ("аmаn", "aman"),
        ("а", "a"),
        ("aγо", "aɣo"),
    ],
)
def test_look_alikes_become_the_letters_that_were_meant(typed: str, meant: str) -> None:
    text, changes = normal(typed)
    assert text == meant
    assert changes and {change.reason for change in changes} == {"look_alike"}
    assert in_tifinagh["kabyle"](typed).text == in_tifinagh["kabyle"](meant).text


@pytest.mark.parametrize("word", ["Москва", "λόγος", "Σ", "κο", "жамаn", "k°", "ⵣⵉⵔⵉ", "日本", "n", "école", "š"])
def test_other_alphabets_and_letters_of_others_are_no_slips(word: str) -> None:
    assert normal(word) == (word, ())


@pytest.mark.parametrize(
    ("pieces", "whole"), [("d\u0323", "ḍ"), ("G\u030c", "Ǧ"), ("t\u0332", "ṯ"), ("d\u0331\u0323", "ḍ\u0331")]
)
def test_letters_in_pieces_are_composed(pieces: str, whole: str) -> None:
    text, changes = normal(pieces)
    assert text == whole and [change.found for change in changes] == [pieces]
    assert in_latin(in_tifinagh["kabyle"](pieces).text).text == whole.lower()


@pytest.mark.parametrize(
    ("word", "rendered", "reason"),
    [
        ("é", "ⴻ", "foreign_letter"),
        ("y\u0323", "ⵢ", "foreign_letter"),
        ("ſ", "ⵙ", "foreign_letter"),
        ("ﬁ", "ⴼⵉ", "foreign_letter"),
        ("š", "ⵛ", "foreign_letter"),
        ("Ž", "ⵊ", "foreign_letter"),
        ("ß", "ⵙⵙ", "foreign_letter"),
        ("İ", "ⵉ", "foreign_letter"),
        ("ʘ", "ʘ", "no_letter"),
    ],
)
def test_what_the_orthography_lacks_is_noted(word: str, rendered: str, reason: str) -> None:
    text, changes = in_tifinagh["ircam"](word)
    assert text == rendered and [(change.found, change.reason) for change in changes] == [(word, reason)]


def test_regional_letters_are_read_and_noted() -> None:
    assert in_latin("ⵂⴰⵆ").text == "hax"
    assert [change.reason for change in in_latin("ⵂⴰⵆ").changes] == ["variant", "variant"]
    assert in_latin("ⵏ\u2d7fⵜ").text == "nt"
    assert in_latin("Tizi").text == "Tizi"


def test_every_table_leads_to_letters_that_can_be_rendered() -> None:
    known = TO_TIFINAGH["kabyle"]
    for table in (BERBER_LOOK_ALIKES, LATIN_LOOK_ALIKES, OTHER_LOOK_ALIKES):
        assert {meant.lower() for meant in table.values()} <= {*known, "ν", "v", "q", "w", "x"}
    assert {part for read in READINGS.values() for part in read} <= known.keys()
    assert {unicodedata.normalize("NFC", letter) for letter in known} == set(known)
    assert len(set(TO_TIFINAGH["kabyle"].values())) == len(known)
    assert {letter: TO_LATIN[letter] for letter in VARIANTS} == dict(VARIANTS)


@given(words)
def test_kabyle_comes_back_to_the_letter(word: str) -> None:
    assert in_latin(in_tifinagh["kabyle"](word).text).text == word
    assert in_latin(in_tifinagh["kabyle"](word.upper()).text).text == word


@given(words)
def test_the_moroccan_standard_loses_what_it_says(word: str) -> None:
    expected = word
    for letter, instead in LOST["ircam"].items():
        expected = expected.replace(letter, instead)
    assert in_latin(in_tifinagh["ircam"](word).text).text == expected


@given(st.text(st.sampled_from(sorted(set(TO_LATIN) - set(VARIANTS))), max_size=12), st.sampled_from(ORTHOGRAPHIES))
def test_tifinagh_comes_back(word: str, orthography: Orthography) -> None:
    if orthography == "ircam":
        word = word.replace("ⵞ", "").replace("ⴵ", "").replace("ⵧ", "")
    assert in_tifinagh[orthography](in_latin(word).text).text == word


@given(odd_words | odd_words.map(lambda word: word[1:]), st.sampled_from(ORTHOGRAPHIES))
def test_normal_words_stay_as_they_are(word: str, orthography: Orthography) -> None:
    once = normal(word).text
    assert normal(once) == (once, ())
    for change in normal(word).changes:
        assert word[change.start : change.end] == change.found != change.written
    rendered = in_tifinagh[orthography](word)
    left = {change.found for change in rendered.changes if change.reason == "no_letter"}
    assert left or LATIN.search(rendered.text) is None


def test_very_long_words_are_rendered_too() -> None:
    word = "aḍ" * LONGEST_REMEMBERED
    assert in_tifinagh["ircam"](word).text == "ⴰⴹ" * LONGEST_REMEMBERED
