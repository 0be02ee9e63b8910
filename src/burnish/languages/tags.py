"""Tags of languages from any code or name by which they are declared, and their English names."""

from __future__ import annotations

import re

from burnish.languages.scripts import SCRIPTS_OF
from burnish.languages.tables import table, words_in

UNKNOWN_LANGUAGE = "und"
"""BCP 47 for a language that nobody declared and the text does not show, and for a declared one that nobody knows."""
_LEADING = re.compile(r"[^\W\d_]+")
_TAG_OF = {word: row.split()[0] for row in table("tags")["codes"].split(";") for word in row.split()}
_LONGER = SCRIPTS_OF.keys() | words_in("tags", "longer")
"""Tags of three letters that stand for languages of which something is known: their script, their kin, their look."""


def primary_tag(declared: str | None) -> str | None:
    """The language of a declared tag: `en` for `en-GB`, `en_US`, `eng` and `English`. None where nothing is declared.

    A word that nobody knows is given back as it is, in small letters.
    """
    leading = _LEADING.match((declared or "").strip().lower())
    return _TAG_OF.get(leading[0], leading[0]) if leading else None


def is_known(tag: str) -> bool:
    """Whether something can be said about texts in that language."""
    return tag in _TAG_OF or tag in _LONGER


def may_be_language(tag: str) -> bool:
    """Whether a tag may stand for a language: ISO 639-3 has thousands of three letters, and we know but a few."""
    return is_known(tag) or (len(tag) == 3 and tag.isascii())


NAMES = {tag: " ".join(words) for tag, *words in (row.split() for row in table("tags")["names"].split(";"))}
TAG = re.compile(r"[a-z]{2,3}")


def language_name(tag: str) -> str:
    """A language in words of ours, so that nothing which content declares stands among our own words."""
    if tag in NAMES:
        return NAMES[tag]
    is_tag = tag != UNKNOWN_LANGUAGE and TAG.fullmatch(tag) is not None
    return f"the language `{tag}`" if is_tag else "the language it is written in"
