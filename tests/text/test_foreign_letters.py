"""Foreign letters: which are slips, and which the sentence speaks of."""

import pytest

from burnish.text.foreign_letters import foreign
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
