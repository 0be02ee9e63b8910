"""What the readers of facts read: numbers, letters, dates, units, and how much a text says."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.manuscripts.checks.unrelated_text import shared_words
from burnish.kinds.manuscripts.sides import carried_difference, links
from burnish.languages.numbers import (
    han_value,
    measured,
    number_words,
    numbers,
    plain,
    read_digits,
    roman_value,
    scales,
)
from burnish.languages.proper_nouns import date_words
from burnish.languages.sentences import bulk, sentence_count
from burnish.languages.tables import LONGEST_KEPT, kept
from burnish.languages.voice import counts_denials, denials, knows_denials
from burnish.languages.word_forms import are_alike, latin, sound

KNOWN = ["en", "es", "fr", "de", "it", "pt", "ru", "mk", "bg", "pl", "cs", "hi"]


def stated(text: str, language: str) -> list[str]:
    return [number.readings[0] if number.readings else "" for number in numbers(text, language).stated]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("twenty-five", "en", "25"),
        ("two hundred and fifty thousand", "en", "250000"),
        ("three million", "en", "3000000"),
        ("quatre-vingt-dix-sept", "fr", "97"),
        ("dix-sept", "fr", "17"),
        ("soixante-dix mille deux cents", "fr", "70200"),
        ("soixante et onze", "fr", "71"),
        ("fünfundzwanzig", "de", "25"),
        ("dreihundert", "de", "300"),
        ("ventotto", "it", "28"),
        ("duemila", "it", "2000"),
        ("treinta y cinco mil", "es", "35000"),
        ("vinte e cinco", "pt", "25"),
        ("двадцать пять тысяч", "ru", "25000"),
        ("дваесет и пет", "mk", "25"),
        ("dwadzieścia pięć", "pl", "25"),
        ("двести тридесет", "ru", "200"),
        ("पच्चीस", "hi", "25"),
        ("13万", "ja", "130000"),
        ("二百五十", "zh", "250"),
        ("3 mil millones", "es", "3000000000"),
        ("2,5 Mrd", "de", "2500000000"),
        ("२५ लाख", "hi", "2500000"),
    ],
)
def test_one_number(text: str, language: str, value: str) -> None:
    assert stated(text, language)[0] == value


def test_words_that_make_no_one_number_are_several() -> None:
    assert stated("two three, forty hundred", "en")[:2] == ["2", "3"]


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("1.234", ("1234", "1.234")),
        ("1,234.50", ("1234.5",)),
        ("1.234,5", ("1234.5",)),
        ("10,00,000", ("1000000",)),
        ("31.12.2020", ()),
        ("007", ("7",)),
        ("9" * 30, ("9" * 30,)),
        ("1." + "9" * 30, ("1." + "9" * 30,)),
    ],
)
def test_digits(written: str, readings: tuple[str, ...]) -> None:
    assert read_digits(written)[0] == readings


@given(st.integers(min_value=0, max_value=10**15), st.sampled_from([",", ".", " ", "\u00a0", "’"]))
def test_a_grouped_number_is_read_as_it_was_written(value: int, mark: str) -> None:
    assert str(value) in numbers(f"x {value:,} x".replace(",", mark), "en").offered


@given(st.integers(min_value=2, max_value=99), st.sampled_from(KNOWN))
def test_digits_of_any_language_are_the_same(value: int, language: str) -> None:
    assert stated(f"({value})", language) == [str(value)]


@given(st.text(max_size=60), st.sampled_from([*KNOWN, "zh", "ja", "kab"]))
def test_places_of_numbers_are_places_of_the_text(text: str, language: str) -> None:
    for number in numbers(text, language).stated:
        assert 0 <= number.start < number.end <= len(text)


@given(st.decimals(min_value=0, max_value=10**9, places=3))
def test_plain_numbers_have_one_form(value: Decimal) -> None:
    assert Decimal(plain(value)) == value and plain(value) == plain(value * 1)


def test_roman_and_han_numerals() -> None:
    assert [roman_value(numeral) for numeral in ("XIX", "IV", "XLII", "CXC")] == [19, 4, 42, 190]
    assert han_value("万") is None and han_value("三万五千") == 35_000 and han_value("二〇二〇") == 2020


def test_every_language_has_its_words() -> None:
    for language in KNOWN:
        words = number_words(language)
        assert words is not None and set(range(2, 9)) <= {*words.cardinals.values(), *_loose_values(language)}
    assert number_words("kab") is None and scales("kab") == scales("en")


def _loose_values(language: str) -> set[int]:
    words = number_words(language)
    assert words is not None
    return {int(value) for values in words.loose.values() for value in values if value.isdecimal()}


def test_letters_of_other_scripts() -> None:
    assert latin("Хрущёв") == "khrushchev" and latin("Łódź") == "lodz" and latin("Αθήνα") == "athina"
    assert are_alike(sound("Суворовым"), sound("Suvorov"))
    assert are_alike(sound("Warszawie"), sound("Warschau"))
    assert are_alike(sound("Esparta"), sound("Sparta"))
    assert not are_alike(sound("Putin"), sound("Liggins"))
    assert not are_alike(sound("a"), sound("b"))


@given(st.text(max_size=30))
def test_a_word_sounds_like_itself(word: str) -> None:
    assert sound(word) == sound(word.upper()) or not word.isascii()
    assert len(sound(word)) < 2 or are_alike(sound(word), sound(word))


def test_months_and_days() -> None:
    assert [(w.calendar, w.number) for w in date_words("W środę 3 maja", "pl")] == [("weekday", 3), ("month", 5)]
    assert [w.number for w in date_words("в сентябре", "ru")] == [9]
    assert date_words("you may march", "en") == () and date_words("mayo", "kab") == ()
    assert [w.number for w in date_words("十二月, 3月, 星期天", "zh") if w.calendar == "month"] == [12, 3]


def test_measures() -> None:
    found = [(one.number.readings[0], one.unit) for one in measured("$5, 3 kg, 20 %, 7 things, 5米长", "en")]
    assert found == [("5", "dollar"), ("3", "kg"), ("20", "percent"), ("5", "m")]


def test_denials() -> None:
    assert denials("He didn't go and she never came.", "en").clauses == 2
    assert denials("No fue nada.", "es").clauses == 1
    assert denials("Why don't you come?", "en").clauses == 0
    assert denials("Nejlepší nebo neděle.", "cs").plain == ()
    assert knows_denials("ja") and not knows_denials("ka")
    assert counts_denials("hu") and not counts_denials("kab")


def test_bulk_and_sentences() -> None:
    assert bulk("水水") > bulk("ab") and bulk("ⴰⴱ") > bulk("ab") and bulk(" .") == 0
    assert sentence_count("यह है। वह है।") == 2 and sentence_count("...") == 0


def test_markup() -> None:
    found = carried_difference("Use `a` and {b}.", "Usa {b}.", ("code", "placeholder"))
    assert (found.lost, found.new, found.fewer) == (["`a`"], [], 1)
    assert links("[a](b) [c][d] ![e](f) https://example.org [short]") == 5


def test_shared_words() -> None:
    assert shared_words("un problema histórico", "a historical problem") == 2 and shared_words("gato", "cat") == 0


def test_long_texts_are_read_but_not_kept() -> None:
    read: list[int] = []

    @kept
    def length(text: str) -> int:
        read.append(len(text))
        return len(text)

    for text in ("short", "short", "x" * (LONGEST_KEPT + 1), "x" * (LONGEST_KEPT + 1)):
        assert length(text) == len(text)
    assert len(read) == 3


@pytest.mark.parametrize(
    ("language", "text", "readings"),
    [
        ("en", "thirty-one years", ("31",)),
        ("en", "the twenty-first century", ("21",)),
        ("en", "two hundred and thirty-one", ("231",)),
        ("fr", "quatre-vingt-un ans", ("81",)),
        ("en", "a hundred and one dogs", ("101", "100")),
        ("es", "treinta y un años", ("31", "30")),
        ("ru", "тридцать один год", ("31", "30")),
        ("en", "twenty of one kind", ("20",)),
    ],
)
def test_a_loose_word_behind_tens_is_their_last_digit(language: str, text: str, readings: tuple[str, ...]) -> None:
    """ "one" alone is hardly a number, but "thirty-one" was read as thirty: a false alarm beside einunddreißig."""
    assert [number.readings for number in numbers(text, language).stated] == [readings]


def test_a_turkish_noun_with_its_copula_denies_nothing() -> None:
    assert not denials("Maya canlı bir organizmadır.", "tr").plain
    assert denials("Ali eve gelmedi.", "tr").plain and denials("Gelmediğini söyledi.", "tr").plain
