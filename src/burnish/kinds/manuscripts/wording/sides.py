"""The two sides of a paragraph: the source and its translation, each with its language and its prose."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.scripts import scripts_of
from burnish.languages.tags import UNKNOWN_LANGUAGE, primary_tag
from burnish.text.markdown import Markdown, markdown

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
TOKEN = re.compile(r"\S+")
NO_WORDS = re.compile(r"[@\\/]|\w[._]\w|\w\(\)|^#\w")
"""Addresses, paths, names from code: no words of any language."""


class Side(NamedTuple):
    """One side."""

    language: str
    """The primary tag; `und` where it is unknown."""
    view: Markdown

    @property
    def prose(self) -> str:
        return self.view.prose

    @property
    def scripts(self) -> tuple[str, ...]:
        """Empty where the language is unknown."""
        return scripts_of(self.language)


@lru_cache(maxsize=256)
def _tag(declared: str) -> str:
    return primary_tag(declared) or UNKNOWN_LANGUAGE


def source_of(paragraph: Paragraph) -> Side:
    return Side(_tag(paragraph.source_language), markdown(paragraph.text))


def target_of(paragraph: Paragraph) -> Side:
    return Side(_tag(paragraph.target_language), markdown(paragraph.translation))


def share_a_language(source: Side, target: Side) -> bool:
    """Whether both sides are known to be in one language: then nothing in it can be foreign."""
    return source.language == target.language != UNKNOWN_LANGUAGE


def words_of(side: Side) -> list[re.Match[str]]:
    """The words of one side's prose; without those of addresses, paths and code."""
    prose = side.prose
    return [
        word
        for token in TOKEN.finditer(prose)
        if NO_WORDS.search(token.group()) is None
        for word in WORD.finditer(prose, token.start(), token.end())
    ]
