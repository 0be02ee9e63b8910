"""Verse and letters that are set off by indentation: Markdown takes them for code, their author did not."""

from __future__ import annotations

from burnish.languages.words import WORD

MARKS_OF_CODE = frozenset("={}<>;$\\|`#@/[]+%&^~_0123456789")
FEWEST_WORDS = 4
LONGEST_READ = 2000
"""Characters that are looked at: more tells nothing new."""
_DELIMITERS = " \t*_'\"“‘«„(—–-"


def is_indented_prose(text: str) -> bool:
    """Whether a block of code is indented, and holds words that begin with a capital and no mark of code."""
    if text[:1] not in (" ", "\t"):
        return False
    head = text[:LONGEST_READ]
    opening = head.lstrip(_DELIMITERS)[:1]
    words = WORD.findall(head)
    if not opening.isupper() or len(words) < FEWEST_WORDS or MARKS_OF_CODE & set(head):
        return False
    return "\n" in head.strip() or head.rstrip(" *_'\"”’»)")[-1:] in (".", "!", "?", ",", ":", "…")
