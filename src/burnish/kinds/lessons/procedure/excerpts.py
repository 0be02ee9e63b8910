"""Excerpts: the part of a unit that a repair, or a look at one, has to show. It does not grow with the lesson."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.requests import titled
from burnish.languages.sentences import sentences

GAP = "\n\n[...]\n\n"
"""Stands where paragraphs are left out."""
SHORT = 400
"""Characters up to which a text is shown whole: leaving a little out would only confuse."""
BARE = 80
"""A paragraph with fewer characters, such as a line of a list, is shown with the one before it."""
LONG = 1_500
"""Characters on one side of the words in question from which a paragraph is cut."""
NEAR = 400
"""Characters of an endless paragraph that are shown on each side of the words in question."""

Span = tuple[int, int]


def is_plain(unit: LessonUnit) -> bool:
    """Whether the unit is one running text, perhaps with a title."""
    return set(unit.fields) <= {"title", None}


def excerpt(unit: LessonUnit, quotes: Iterable[str | None], *, whole: bool = False) -> str:
    """The unit's id, and the paragraphs that hold the quotes; all of it where a quote is missing or it is short."""
    wanted = list(quotes)
    text = unit.text
    if whole or not is_plain(unit) or len(text) <= SHORT or not wanted:
        return titled(unit)
    spans = []
    for quote in wanted:
        at = text.find(quote) if quote else -1
        if quote is None or at < 0:
            return titled(unit)
        spans.append(_paragraph(text, at, at + len(quote)))
    return f"unit: {unit.id}\n\n{GAP.join(text[start:end] for start, end in _merged(spans))}"


def _paragraph(text: str, start: int, end: int) -> Span:
    """The paragraph around a stretch; of a very long one only what is near."""
    first = text.rfind("\n\n", 0, start)
    last = text.find("\n\n", end)
    low = first + 2 if first >= 0 else 0
    high = last if last >= 0 else len(text)
    if high - low < BARE and low:
        low = max(0, text.rfind("\n\n", 0, low - 2) + 2)
    if start - low > LONG:
        low = text.find(" ", start - NEAR, start) + 1 or start
    if high - end > LONG:
        high = text.find(" ", end + NEAR)
        high = high if high >= 0 else len(text)
    return low, high


def _merged(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def change(before: LessonUnit, after: LessonUnit) -> tuple[str, str]:
    """Both texts where they differ, in whole sentences; in whole paragraphs where more than one changed."""
    fields = [field for field, text in before.texts().items() if after.texts().get(field) != text]
    pairs = [_differing(before.texts()[field], after.texts()[field]) for field in fields]
    return "\n\n".join(one for one, _ in pairs), "\n\n".join(other for _, other in pairs)


def _differing(old: str, new: str) -> tuple[str, str]:
    one, other = old.split("\n\n"), new.split("\n\n")
    head = _alike(one, other)
    rest, others = one[head:], other[head:]
    tail = _alike(rest[::-1], others[::-1])
    paragraphs = rest[: len(rest) - tail], others[: len(others) - tail]
    if len(paragraphs[0]) == len(paragraphs[1]) == 1:
        return _differing_sentences(paragraphs[0][0], paragraphs[1][0])
    return "\n\n".join(paragraphs[0]), "\n\n".join(paragraphs[1])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first parts are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _differing_sentences(old: str, new: str) -> tuple[str, str]:
    """One paragraph before and after, without the sentences around the change that are the same."""
    head = _alike(old, new)
    tail = min(_alike(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    found = list(sentences(old))
    first = max((sentence.start for sentence in found if sentence.start <= head), default=0)
    last = min((sentence.end for sentence in found if sentence.end >= len(old) - tail), default=len(old))
    return old[first:last], new[first : len(new) - (len(old) - last)]
