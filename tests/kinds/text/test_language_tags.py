"""Declared languages, as banks write them."""

import pytest

from burnish.kinds.text.language_tags import is_known, may_be_language, primary_tag


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
