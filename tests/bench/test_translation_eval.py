"""The table of translations, on data made here."""

from pathlib import Path

import pytest

from bench.eval import translation
from bench.eval.translation_cases import (
    CLAIMS,
    Case,
    cases,
    denial_is_visible,
    name_is_visible,
    number_is_visible,
    pair,
)
from bench.eval.translation_pairs import aligned
from burnish.core.json_bytes import dumps

ROW = {
    "id": 1,
    "lang": "spanish",
    "source": "En 1979 se enviaron 60 huevos a Redmond.",
    "reference": "In 1979, 60 eggs were sent to Redmond.",
    "translation": "In 1979, 60 eggs were sent to Redmond.",
    "severity": "critical",
}
DAMAGED = [
    ("critical_id10_numbers_replaced", "In 1980, 60 eggs were sent to Redmond."),
    ("critical_id9_ne_replaced", "In 1979, 60 eggs were sent to Airbnb."),
    ("critical_id8_negation", "In 1979, 60 eggs were not sent to Redmond."),
    ("base_id33_empty", "."),
    ("base_id35_reference", "In 1979, 60 eggs were sent to Redmond."),
]
LESSON = "# {0}\n\nThe {0} of 12 rows.\n\n- one\n\n```\ncode\n```\n\nThe end of it.\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for folder in ("translation", "lessons/en", "lessons/es", "tamazight"):
        (tmp_path / folder).mkdir(parents=True)
    rows = [dumps({**ROW, "damage": damage, "damaged": text}) for damage, text in DAMAGED]
    (tmp_path / "translation/demetr_dev.jsonl").write_bytes(b"\n".join(rows))
    (tmp_path / "translation/demetr_sound_dev.jsonl").write_bytes(dumps({**ROW, "id": 2}))
    many = "fin\tThe dog sleeps.\tKoira nukkuu.\nfin\tThe cat eats.\tKissa syö.\n"
    (tmp_path / "translation/tatoeba_many_dev.tsv").write_text(many, encoding="utf-8")
    for code in ("spa", "rus", "mkd", "bul", "kab"):
        (tmp_path / f"translation/tatoeba_eng_{code}_dev.tsv").write_text("12 men.\t12.\n", encoding="utf-8")
    (tmp_path / "lessons/en/a.md").write_text(LESSON.format("table"), encoding="utf-8")
    (tmp_path / "lessons/es/a.md").write_text(LESSON.format("tabla"), encoding="utf-8")
    for code in ("eng", "mkd", "tzm", "zgh"):
        (tmp_path / f"tamazight/udhr_{code}.txt").write_text("Article 1\n\nArticle 2\n", encoding="utf-8")
    return tmp_path


def test_what_is_caught_is_counted(data: Path) -> None:
    lines, _ = translation.report(data, ("numbers_changed", "names_changed", "negation_changed", "translation_missing"))
    for kind in ("numbers", "names", "negation", "empty"):
        line = next(line for line in lines if line.strip().startswith(f"{kind} "))
        assert "100.0%" in line and "PASS" in line
    assert any(line.startswith("DEMETR translations") and "PASS" in line for line in lines)
    assert list(translation.missing(data)) == [] and len(list(translation.missing(data / "none"))) == 3


def test_cases_are_shown_one_by_one(data: Path) -> None:
    gate = translation.Gate(("numbers_changed",))
    missed = "\n".join(translation.shown(gate, cases(data), data, "negation", 5))
    assert "were not sent" in missed and "sound: In 1979" in missed
    assert list(translation.shown(gate, cases(data), data, "translations", 5)) == []
    assert "There is no damage" in "".join(translation.shown(gate, cases(data), data, "nonsense", 5))


@pytest.mark.parametrize(
    ("source", "language", "sound", "damaged", "visible"),
    [
        ("Sie kamen vor sieben Tagen.", "de", "They came seven days ago.", "They came two days ago.", True),
        ("２７歳", "ja", "She is 27.", "She is 37.", True),
        ("Octavos de final.", "es", "The last 16.", "The last 18.", False),
    ],
)
def test_which_numbers_can_be_seen(source: str, language: str, sound: str, damaged: str, visible: bool) -> None:
    assert number_is_visible(Case("x", pair(1, source, damaged, language, "en"), sound, sound)) is visible


def test_which_names_and_denials_can_be_seen() -> None:
    russian = Case("x", pair(1, "Приехал Артём Суворов.", "He came.", "ru", "en"), "Artem Suvorov came.", "")
    chinese = Case("x", pair(1, "刘易斯来了。", "He came.", "zh", "en"), "Lewis came.", "")
    moved = Case("x", pair(1, "x", "He does not go, she goes.", "es", "en"), "He goes, she does not go.", "")
    assert name_is_visible(russian) and not name_is_visible(chinese) and not denial_is_visible(moved)
    assert {"numbers", "negation", "names", "unrelated"} <= CLAIMS.keys()


def test_blocks_are_aligned_by_kind_and_length() -> None:
    source = (
        "# A\n\nOne two three four.\n\nFive six seven.\n\nA paragraph that only the source has, long and alone.\n\nEnd."
    )
    pairs, left_out = aligned(source, "# B\n\nUno dos tres cuatro.\n\nCinco seis siete.\n\nFin.", ("en", "es"), True)
    assert [(one.block, one.translation) for one in pairs][:2] == [
        ("heading", "B"),
        ("paragraph", "Uno dos tres cuatro."),
    ]
    assert left_out >= 1
