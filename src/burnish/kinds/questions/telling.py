"""Telling words: a word in some options but not in all of them, which makes those options stand out."""

from __future__ import annotations

import re
from collections.abc import Callable

from burnish.kinds.questions.model import Option, Question

SPEECH = ('"', "“", "'", "‘", "«")
"""An option that begins so is what a person in the case says: people may say what they like."""
LONGEST_READ = 2000
"""Characters of an option that are read: one telling word is enough."""

Accept = Callable[[re.Match[str], str], bool]
"""Whether a match counts, given the option's text."""


def telling_words(
    question: Question, terms: frozenset[str], pattern: re.Pattern[str], accept: Accept
) -> list[tuple[Option, re.Match[str]]]:
    """The first telling word of each option that has one; none where every option has one, for then none stands out.

    `terms` are the words without which `pattern` cannot match: most questions need no closer look.
    """
    if terms.isdisjoint(question.options_words):
        return []
    found = [(option, match) for option in question.options if (match := _first(option.text, pattern, accept))]
    return [] if len(found) == len(question.options) else found


def _first(text: str, pattern: re.Pattern[str], accept: Accept) -> re.Match[str] | None:
    if text.lstrip().startswith(SPEECH):
        return None
    read = text[:LONGEST_READ]
    return next((match for match in pattern.finditer(read) if accept(match, read)), None)
