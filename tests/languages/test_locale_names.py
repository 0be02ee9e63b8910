"""Names of countries, cities, languages and scripts: the table that Burnish has, and Babel, which it is made of."""

import re
from pathlib import Path

import pytest
from babel import Locale
from babel.core import get_cldr_version
from babel.languages import get_official_languages

from bench.cldr_table import ALL_ZONES, locale_of, names_in, words
from burnish.languages.locale_names import FILE, about, locale_names, official_languages

SAME = pytest.mark.skipif(str(get_cldr_version()) != about()["cldr"], reason="Babel has another CLDR than the table")


def test_names() -> None:
    german, chinese = locale_names("de"), locale_names("zh_Hant")
    assert german is not None and chinese is not None
    assert [german.territories[code] for code in ("ES", "150")] == ["Spanien", "Europa"]
    assert german.cities["Europe/Moscow"] == "Moskau"
    assert (german.languages["kab"], german.scripts["Tfng"]) == ("Kabylisch", "Tifinagh")
    assert chinese.territories["DE"] == "德國"
    assert "en" not in german.territories and "Europe/Berlin" not in german.languages


def test_old_and_longer_codes_name_the_same_language() -> None:
    assert locale_names("deu") == locale_names("de")
    assert locale_names("iw") == locale_names("he")
    assert [locale_names(word) for word in ("", "und_AT", "klingon", "de_DE", "de-DE", "日本")] == [None] * 6


def test_official_languages() -> None:
    assert set(official_languages("CH")) == {"de", "fr", "it", "gsw"}
    assert official_languages("150") == official_languages("nowhere") == ()


def test_the_version_and_the_licence_stand_beside_the_table() -> None:
    readme = (FILE.parent / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"CLDR (\d+)", readme) == [about()["cldr"]]
    assert "UNICODE LICENSE V3" in (FILE.parent / "LICENSE-Unicode.txt").read_text(encoding="utf-8")
    assert FILE.stat().st_size < 1_500_000


def test_burnish_itself_needs_no_babel() -> None:
    package = Path(FILE).parents[2]
    assert not [path for path in package.rglob("*.py") if re.search(r"^\s*(?:import|from) babel\b", path.read_text())]


@SAME
@pytest.mark.parametrize("part", range(8))
def test_the_table_says_what_babel_says(part: int) -> None:
    """Of a twentieth of all words that name a language, and of languages that people translate into."""
    spoken = [
        "ar",
        "cmn",
        "de",
        "el",
        "en",
        "es",
        "fr",
        "he",
        "hi",
        "iw",
        "ja",
        "ko",
        "mk",
        "no",
        "pl",
        "pt",
        "ru",
        "sr",
        "uk",
        "zh",
    ]
    for word in [*words()[part::160], *spoken[part::8]]:
        locale = locale_of(word)
        assert locale_names(word) == (None if locale is None else names_in(locale)), word


@SAME
def test_so_it_does_of_time_zones_and_official_languages() -> None:
    assert about()["codes"]["cities"] == sorted(Locale.parse(ALL_ZONES).time_zones)
    for code in about()["codes"]["territories"]:
        assert list(official_languages(code)) == list(get_official_languages(code, de_facto=True))
