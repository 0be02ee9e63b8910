"""Words of a translation that its dictionary does not know."""

from __future__ import annotations

from collections.abc import Iterator, Set

import regex

from burnish.kinds.manuscripts.grammar.dictionary import SHORTEST, Dictionary
from burnish.languages.slips import Slip
from burnish.languages.words import word_set
from burnish.text.inline import STANDS_FOR
from burnish.text.markdown import Markdown

WORD = regex.compile(r"(?<![\p{L}\p{M}\p{N}_@#./\\'’-])\p{Ll}[\p{L}\p{M}'’]*(?![\p{L}\p{M}\p{N}_@#/\\-])")
"""A word that begins small and stands alone: names, parts of compounds, paths and tags are none."""
MOST_UNKNOWN = 40
"""Unknown words of one text after which it is a text in something else, which other rules tell."""
MOST_SEARCHED = 6
"""Unknown words of one text for which a likely word is looked for: it is slow."""
CONTRACTED = word_set("ll ve re d s m")
"""What may hang on an English word by an apostrophe; n't is part of its word."""


def misspelled(view: Markdown, excused: Set[str], words: Dictionary) -> Iterator[Slip]:
    """Unknown words: an error where a known word is one slip away, else a warning."""
    found = list(_unknown(view, excused, words))
    for number, (match, lone) in enumerate(found):
        word = _bare(match.group())
        meant = words.nearest(word) if number < MOST_SEARCHED else None
        start, end = match.start(), match.start() + len(word)
        if meant is None:
            message = f"The dictionary does not know {word!r}."
            yield Slip(start, end, message, "Check how it is written.", severity="warning")
            continue
        yield Slip(
            start,
            end,
            f"{word!r} is in no dictionary; {meant.word!r} is.",
            f"Write {meant.word!r}, if that is meant.",
            severity="error" if lone and meant.sure else "warning",
        )


def _unknown(view: Markdown, excused: Set[str], words: Dictionary) -> Iterator[tuple[regex.Match[str], bool]]:
    """Unknown words in order, and whether each stands among known ones: a row of them is a foreign phrase."""
    told: set[str] = set()
    before: tuple[regex.Match[str], bool] | None = None
    for match in WORD.finditer(view.prose):
        word = _bare(match.group())
        if len(word) < SHORTEST or word in told or word.casefold() in excused or words.knows(word):
            continue
        if _beside_code(view.prose, match) or not word.islower():
            continue
        told.add(word)
        if before is not None:
            close = match.start() - before[0].end() <= 1
            yield before[0], before[1] and not close
            before = (match, not close)
        else:
            before = (match, True)
        if len(told) >= MOST_UNKNOWN:
            break
    if before is not None:
        yield before


def _bare(word: str) -> str:
    """The word without what an apostrophe hangs on it."""
    word = word.replace("’", "'").strip("'")
    head, mark, tail = word.rpartition("'")
    return head if mark and tail in CONTRACTED else word


def _beside_code(prose: str, match: regex.Match[str]) -> bool:
    return STANDS_FOR in prose[max(0, match.start() - 1) : match.end() + 1]
