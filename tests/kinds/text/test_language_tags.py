"""Declared languages, as banks write them."""

import pytest

from burnish.kinds.text.language import primary_tag


@pytest.mark.parametrize(
    ("declared", "tag"),
    [("en", "en"), ("en-GB", "en"), ("EN_us", "en"), (" English ", "en"), ("pt-BR", "pt"), ("kab", "kab"), ("", None)],
)
def test_primary_tag(declared: str, tag: str | None) -> None:
    assert primary_tag(declared) == tag


def test_nothing_declared() -> None:
    assert primary_tag(None) is None
