"""Languages as the pages of kinds name them: as tags that browsers know, and in words."""

from __future__ import annotations

import re

from burnish.languages.tags import NAMES, UNKNOWN_LANGUAGE

TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""What may stand in `lang`."""
_TAMAZIGHT = "tamazight"
"""A name that our settings use for a language; its tag is another."""


def lang_tag(language: str | None, script: str | None = None) -> str | None:
    """What `lang` says of a text in this language (and script); None where the language is not known."""
    tag = "zgh" if language == _TAMAZIGHT else language
    if not tag or tag == UNKNOWN_LANGUAGE or TAG.fullmatch(tag) is None:
        return None
    return f"{tag}-{script}" if script else tag


def language_word(language: str | None) -> str | None:
    """A language in English; its tag where we have no word for it; None where it is not known."""
    tag = lang_tag(language)
    return None if tag is None else NAMES.get(tag, tag)
