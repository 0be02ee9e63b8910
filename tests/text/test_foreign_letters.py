"""Foreign letters: which are slips, and which the sentence speaks of."""

import pytest

from burnish.text.foreign_letters import foreign, pervasive, stray_letters
from burnish.text.markdown import markdown


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("ru", "Оператор выбирает строки: за словом `WHERE` следует 的 условие, и таблица читается.", ["的"]),
        ("ru", "Ключевые слова пишут заглавными буквами. Запрос 的 возвращает все строки.", ["的"]),
        ("en", "Every letter counts here. The index speeds up 的 the search.", ["的"]),
        ("ru", "Слово 的 значит «принадлежность».", []),
        ("en", "The character 的 marks possession.", []),
        ("en", "In Chinese you would put 的 between the two nouns.", []),
    ],
)
def test_a_letter_is_meant_only_where_the_sentence_speaks_of_it(language: str, text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in foreign(markdown(text), language)] == found


CHINESE = "早上孩子们走路去学校，街道慢慢变得空旷。来得晚的人必须等到下一班火车。"


@pytest.mark.parametrize(
    ("language", "document"),
    [
        ("en", "Wash your hands, hang up the cloth and persist."),  # begins like Han, Hangul and Persian
        ("es", "Los niños han comido pan."),
    ],
)
def test_a_word_that_begins_like_the_name_of_a_script_excuses_nothing(language: str, document: str) -> None:
    slip = pervasive(markdown(CHINESE), language, document=document)
    assert slip is not None and slip.severity == "critical"


@pytest.mark.parametrize(
    ("language", "document"), [("en", "We read Chinese."), ("es", "La lengua china."), ("ru", "Китайский язык.")]
)
def test_a_document_that_names_the_language_is_about_it(language: str, document: str) -> None:
    assert pervasive(markdown(CHINESE), language, document=document) is None


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        # names, beside others or explained
        ("en", "The city of Tokyo 東京 is large.", []),
        ("en", "He met Лев Толстой there.", []),
        ("en", "He met Толстой (Tolstoy) there.", []),
        ("en", "He said yes. Leo Толстой came.", []),
        # quoted, or in brackets
        ("en", "It says «привет» here.", []),
        ("en", "It says (привет here.", []),
        ("en", "The word (logos, λόγος) is old.", []),
        ("en", "It says привет here.", ["привет"]),
        ("en", "привет / hello", []),
        ("en", "a → привет", ["привет"]),
        ("en", "> привет", []),
        ("en", "| a | привет |\n|---|---|\n| c | d |", []),
        # symbols and units
        ("en", "The angle α is small.", []),
        ("en", "The α-particle flies.", []),
        ("en", "It takes 5 μm of it.", []),
        ("en", "It takes 5μm of it.", []),
        ("ru", "Это Σ сумма.", []),
        ("en", "The ABΔCD value is low.", []),
        ("en", "The abΔcd value is low.", ["Δ"]),
        ("en", "Many words λόγοςword here.", ["λόγος"]),
        # inside words
        ("en", "The wordд ends.", ["д"]),
        ("en", "A b的c word.", ["的"]),
        ("en", "Run user_的_name now.", []),
        # spoken of
        ("en", "The Greek word λόγος is old.", []),
        ("en", "A word: д and more.", []),
        ("en", "Plain words only.", []),
        # the script of most of the text is its own where nobody knows the language
        ("xx", "мир и дом, and мир и дом again", ["мир и дом", "мир и дом"]),
    ],
)
def test_foreign_letters_are_found_unless_they_are_meant(language: str, text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in foreign(markdown(text), language)] == found


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("的 begins.", "begins."),
        ("It ends 的.", "It ends."),
        ("It ends 的", "It ends"),
        ("A b的c word.", "A bc word."),
        ("It 的 is.", "It is."),
        ("It\n的 is.", "It\nis."),
        ("It 的, is.", "It, is."),
        ("It (a) 的) is.", "It (a)) is."),
    ],
)
def test_a_stray_letter_without_look_alikes_goes_with_one_of_its_blanks(text: str, after: str) -> None:
    [slip] = stray_letters(markdown(text), "en")
    assert (slip.replacement, slip.severity) == ("", "error")
    assert text[: slip.start] + text[slip.end :] == after


@pytest.mark.parametrize(
    ("text", "severity"), [("The wordд ends.", "error"), ("It says привет here.", "warning"), ("A wordд.", "error")]
)
def test_what_may_stand_for_another_letter_is_left_to_a_person(text: str, severity: str) -> None:
    [slip] = stray_letters(markdown(text), "en")
    assert (slip.replacement, slip.severity) == (None, severity)
    assert "Cyrillic" in slip.message


def test_a_text_full_of_foreign_letters_is_one_slip_and_no_strays() -> None:
    view = markdown(f"We begin in English. {CHINESE}")
    slip = pervasive(view, "en")
    assert slip is not None and "Han" in slip.message and list(stray_letters(view, "en")) == []
    guessed = pervasive(view, "en", is_guess=True)
    assert guessed is not None and guessed.severity == "error"
    long = markdown(f"{'We write in plain English here. ' * 400}{CHINESE}")
    assert pervasive(long, "en") is None and len(list(stray_letters(long, "en"))) >= 1
