"""Spans that stand in quotation marks, brackets, emphasis or links: titles, examples, quotations."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from burnish.text.markdown import Markdown

OPENING = dict(zip("“«„‹(（「『《〈[", "”»“›)）」』》〉]", strict=True))
CLOSINGS = {"„": "“”‟", "“": "”", "«": "»"}
"""„so“ in German, „so” in Polish."""
MARK = re.compile(r'["“”«»„‹›()（）「」『』《》〈〉\[\]\n]')
LONGEST = 400
"""Characters between two marks that belong together; what is longer was never closed."""


@lru_cache(maxsize=256)
def enclosed(view: Markdown) -> tuple[tuple[int, int], ...]:
    """The spans between marks that belong together, without the marks, in order and not inside each other."""
    spans = [*_between_marks(view.text), *emphasised(view)]
    spans += [(link.text_start, link.text_end) for link in view.links]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        # The outermost counts: a word in brackets inside a quotation is part of the quotation.
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
    return tuple(merged)


def span_around(view: Markdown, place: int) -> tuple[int, int] | None:
    """The enclosed span that a place lies in."""
    spans = enclosed(view)
    at = bisect_right(spans, (place, len(view.text) + 1)) - 1
    return spans[at] if at >= 0 and place < spans[at][1] else None


def _between_marks(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in MARK.finditer(text):
        place, mark = match.start(), match.group()
        if opened is not None and place - opened[0] > LONGEST:
            opened = None
        if opened is not None and mark in opened[1]:
            found.append((opened[0] + 1, place))
            opened = None
        elif opened is None and mark == '"':
            opened = place, '"'
        elif opened is None and mark in OPENING:
            opened = place, CLOSINGS.get(mark, OPENING[mark])
    return found


def emphasised(view: Markdown) -> list[tuple[int, int]]:
    """The words between marks of emphasis."""
    return [words.inside for words in view.emphasis if words.end - words.start <= LONGEST]
