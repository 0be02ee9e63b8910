"""Whether two tags stand for one language, as files of other programs write them."""

from __future__ import annotations

from burnish.languages.tags import UNKNOWN_LANGUAGE, primary_tag

TAMAZIGHT = frozenset({"tamazight", "zgh", "tzm", "ber"})
"""What files call Standard Moroccan Tamazight; Kabyle and Tachelhit go by tags of their own."""


def bare_tag(declared: str | None) -> str:
    """The language without its region: `en` for `en-US`, `EN_gb` and `eng`."""
    tag = primary_tag(declared) or UNKNOWN_LANGUAGE
    return "zgh" if tag in TAMAZIGHT else tag


def is_same(one: str | None, other: str | None) -> bool:
    return bare_tag(one) == bare_tag(other)


def nearness(declared: str, wanted: str) -> int:
    """0: another language; 1: the language in another region; 2: the very tag."""
    if declared.replace("_", "-").lower() == wanted.replace("_", "-").lower():
        return 2
    return int(is_same(declared, wanted))
