"""Foreign letters: which are slips, and which the sentence speaks of."""

import pytest

from burnish.text.foreign_letters import foreign, pervasive
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
