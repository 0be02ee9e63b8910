"""The measuring of word alignment, on data made here."""

from pathlib import Path

import pytest

from bench.eval import alignment
from bench.eval.alignment import Agreement, Gold

PAIRS = "I see the house .\tВижу дом .\nI see Tom .\tВижу Тома .\nTom is here .\tТом здесь .\n"
PEOPLE = "I see Tom , he said .\tВижу Тома , сказал он .\t1-0 2-1 3-2 4-4 5-3 6-5\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for language in alignment.LANGUAGES:
        for path, text in zip(alignment._files(language), (PAIRS, PEOPLE), strict=True):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_report_has_a_row_for_every_language_and_aligner(data: Path) -> None:
    lines, _ = alignment.report(data)
    text = "\n".join(lines)
    # our aligner beside its peer, and small courses with and without a lexicon
    assert all(text.count(f"en-{language} ") == 3 for language in alignment.LANGUAGES)
    assert text.count(" built-in  ") == text.count(" without  ") == text.count(" with  ") == 3
    assert text.count(" eflomal ") >= 3


def test_agreement_with_people() -> None:
    found = alignment.agreement([((0, 0), (1, 1))], [Gold("a b c", "d e f", ((0, 0), (1, 2), (2, 1)))])
    assert (found.precision, found.recall, found.error) == (1 / 2, 1 / 3, pytest.approx(0.6))
    assert Agreement(0, 0, 0).error == 1


def test_links_of_marks_are_left_out_where_words_are_counted() -> None:
    one = Gold("I see Tom , he said .", "Вижу Тома , сказал он .", ((1, 0), (2, 1), (3, 2), (4, 4), (5, 3), (6, 5)))
    assert alignment.word_links(one) == ((1, 0), (2, 1), (3, 3), (4, 2))


def test_missing_files_are_named(tmp_path: Path) -> None:
    assert len(list(alignment.missing(tmp_path))) == 6
