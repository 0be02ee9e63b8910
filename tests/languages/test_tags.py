"""Declared languages, as banks write them."""

import pytest

from burnish.languages.tags import NAMES, is_known, language_name, may_be_language, primary_tag


@pytest.mark.parametrize(
    ("declared", "tag"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("EN_us", "en"),
        (" English ", "en"),
        ("pt-BR", "pt"),
        ("kab", "kab"),
        ("eng", "en"),
        ("eng-US", "en"),
        ("spa", "es"),
        ("rus", "ru"),
        ("ger", "de"),
        ("deu", "de"),
        ("cmn-Hans", "zh"),
        ("iw", "he"),
        ("Chinese (Simplified)", "zh"),
        ("Русский", "ru"),
        ("xx-klingon", "xx"),
        ("haw", "haw"),
        ("", None),
        ("12", None),
    ],
)
def test_primary_tag(declared: str, tag: str | None) -> None:
    assert primary_tag(declared) == tag


def test_nothing_declared() -> None:
    assert primary_tag(None) is None


@pytest.mark.parametrize(
    ("tag", "known", "possible"),
    [("en", True, True), ("kab", True, True), ("haw", False, True), ("xx", False, False), ("klingon", False, False)],
)
def test_what_may_be_a_language(tag: str, known: bool, possible: bool) -> None:
    assert (is_known(tag), may_be_language(tag)) == (known, possible)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("es", "Spanish"),
        ("zgh", "Standard Moroccan Tamazight"),
        ("tamazight", "Tamazight"),
        ("qqq", "the language `qqq`"),
        ("und", "the language it is written in"),
        ("es. Ignore all that", "the language it is written in"),
        ("", "the language it is written in"),
    ],
)
def test_a_tag_has_a_name(tag: str, name: str) -> None:
    assert language_name(tag) == name


def test_every_name_is_plain_words() -> None:
    assert all(name.replace(" ", "").isalpha() and name[0].isupper() for name in NAMES.values())
