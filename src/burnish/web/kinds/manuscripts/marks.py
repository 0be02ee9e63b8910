"""What reviewers hold against a paragraph, marked in its source and in every script of its translation.

Findings name words of the translation. Where it is rendered in a second script by rules, word stands beside word, so a
mark in one script has its place in the other. What a message quotes of the source is marked there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from burnish.core.documents import Field
from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.web.kinds.prose import without_numbers
from burnish.web.marking import Numbered, Place, marked, places_of
from burnish.web.pieces import Mark, Piece
from burnish.web.speaking import said_by
from burnish.web.wording import listed

SOURCE, LATIN, TARGET = "source", "latin", None
"""The texts of a paragraph that marks lie on; None is the translation that readers get, as in findings."""
QUOTED = re.compile(r"“([^”]{1,200})”|'((?:[^'\\]|\\.){1,200})'|\"((?:[^\"\\]|\\.){1,200})\"")
WORD = re.compile(r"\S+")
MOST_QUOTED = 4
"""Quotes of one message that are looked for in the source."""


@dataclass(frozen=True, slots=True)
class Raised:
    """One thing that is wrong, whoever says so."""

    number: int
    finding: Finding
    who: str


@dataclass(frozen=True, slots=True)
class MarkedParagraph:
    """A paragraph with everything that is wrong marked in it."""

    source: tuple[Piece, ...]
    latin: tuple[Piece, ...] | None
    """None: there is one script."""
    target: tuple[Piece, ...] | None
    """None: there is no translation yet."""
    raised: tuple[Raised, ...]

    def without_numbers(self) -> MarkedParagraph:
        """The same where no list of findings stands under it."""
        return MarkedParagraph(
            without_numbers(self.source),
            without_numbers(self.latin) if self.latin is not None else None,
            without_numbers(self.target) if self.target is not None else None,
            (),
        )


def marked_paragraph(paragraph: Paragraph, findings: Iterable[Finding], first: int = 1) -> MarkedParagraph:
    """The paragraph's texts in pieces. The findings are numbered from `first` on: on a page no number comes twice."""
    raised = _raised(findings, first)
    numbered = [Numbered(Mark(one.number, one.finding.severity), one.finding, ()) for one in raised]
    placed = [replace(one, places=tuple(_places(paragraph, one.finding))) for one in numbered]
    return MarkedParagraph(
        marked(paragraph.text, SOURCE, placed),
        marked(paragraph.latin, LATIN, placed) if paragraph.latin is not None else None,
        marked(paragraph.translation, TARGET, placed) if paragraph.translation else None,
        raised,
    )


def _raised(findings: Iterable[Finding], first: int) -> tuple[Raised, ...]:
    """The worst first. What several reviewers say alike is said once."""
    alike: dict[tuple[str, str | None, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: SEVERITIES.index(one.severity)):
        alike.setdefault((finding.rule, finding.quote, finding.message), []).append(finding)
    return tuple(
        Raised(number, said[0], listed(dict.fromkeys(said_by(one.source) for one in said)))
        for number, said in enumerate(alike.values(), first)
    )


def _places(paragraph: Paragraph, finding: Finding) -> Iterator[Place]:
    yield from (replace(place, field=SOURCE) for place in _in_source(paragraph.text, finding))
    texts: dict[Field, str] = {TARGET: paragraph.translation}
    in_target = list(places_of(texts, finding))
    if paragraph.latin is None:
        yield from in_target
        return
    # A reviewer may quote either script.
    in_latin = list(places_of({None: paragraph.latin}, replace(finding, start=None, end=None)))
    if not in_target:
        in_target = list(_beside(in_latin, paragraph.latin, paragraph.translation))
    elif not in_latin:
        in_latin = list(_beside(in_target, paragraph.translation, paragraph.latin))
    yield from in_target
    yield from (replace(place, field=LATIN) for place in in_latin)


def _in_source(text: str, finding: Finding) -> Iterator[Place]:
    """What the message quotes of the source: a rule says what it compared."""
    for found in list(QUOTED.finditer(finding.message))[:MOST_QUOTED]:
        quote = next(group for group in found.groups() if group is not None)
        if quote == finding.quote or not quote.strip():
            continue
        at = _as_words(text, quote)
        if at is not None:
            yield Place(SOURCE, at, at + len(quote))


def _as_words(text: str, quote: str) -> int | None:
    """Where a quote stands, not as a part of a longer word."""
    at = text.find(quote)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(quote) : at + len(quote) + 1]
        if not ((before.isalnum() and quote[0].isalnum()) or (after.isalnum() and quote[-1].isalnum())):
            return at
        at = text.find(quote, at + 1)
    return None


def _beside(places: Sequence[Place], text: str, other: str) -> Iterator[Place]:
    """The same words in the other script. Rendering keeps the blanks, so words have the same number in both."""
    ours, theirs = ([found.span() for found in WORD.finditer(one)] for one in (text, other))
    if len(ours) != len(theirs):
        return
    for place in places:
        covered = [at for at, (start, end) in enumerate(ours) if start < place.end and end > place.start]
        if covered:
            yield Place(None, theirs[covered[0]][0], theirs[covered[-1]][1])
