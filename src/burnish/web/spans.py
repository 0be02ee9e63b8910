"""Pieces: a text cut where something is to be shown in it, a mark or a change. Joined again, they are the text.

The macro `pieces` of `templates/text.html` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.core.documents import Field
from burnish.core.findings import SEVERITIES, Finding, Severity

Change = Literal["same", "ins", "del"]
"""What became of a piece: it stayed, it came, it went."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is wrong with some words. Several marks may lie on the same words."""

    number: int
    """The finding's number on the page: the reader finds it again in the list."""
    severity: Severity


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is drawn in one manner."""

    text: str
    start: int
    """Where it begins: in characters of the marked text; of a piece that went, of the old text, else of the new."""
    marks: tuple[Mark, ...] = ()
    """The marks that lie on it, worst first."""
    ends: tuple[Mark, ...] = ()
    """Those of them that end with it: their numbers are shown behind it."""
    change: Change = "same"

    @property
    def severity(self) -> Severity | None:
        """How it is marked: as the worst of its marks is."""
        return self.marks[0].severity if self.marks else None


def joined(pieces: Iterable[Piece], *but: Change) -> str:
    """The text of the pieces, without those that changed in these ways."""
    return "".join(piece.text for piece in pieces if piece.change not in but)


RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
MOST_PLACES = 40
"""Places of one finding that are marked: a quote of one letter stands everywhere."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding's words stand."""

    field: Field
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """A finding with the number that it has on a page."""

    mark: Mark
    finding: Finding
    places: tuple[Place, ...]
    """Where it is marked; none where it is about something that is not there, or about the whole."""


@dataclass(frozen=True, slots=True)
class MarkedField:
    """One text of a unit with its marks."""

    field: Field
    pieces: tuple[Piece, ...]

    @property
    def is_marked(self) -> bool:
        return any(piece.ends for piece in self.pieces)


def numbered(texts: Mapping[Field, str], findings: Iterable[Finding]) -> tuple[Numbered, ...]:
    """The findings, worst first and then in reading order, with their numbers and places."""
    order = {field: at for at, field in enumerate(texts)}
    placed = [(finding, tuple(places_of(texts, finding))) for finding in findings]

    def rank(one: tuple[Finding, tuple[Place, ...]]) -> tuple[int, int, int]:
        finding, places = one
        first = places[0] if places else Place(finding.field, 0, 0)
        return RANK[finding.severity], order.get(first.field, len(order)), first.start

    return tuple(
        Numbered(Mark(number, finding.severity), finding, places)
        for number, (finding, places) in enumerate(sorted(placed, key=rank), 1)
    )


def places_of(texts: Mapping[Field, str], finding: Finding) -> Iterator[Place]:
    """Where the finding's words stand: at the place it names, else wherever in its field, or its list, they are."""
    named = _named_place(texts.get(finding.field), finding)
    if named is not None:
        yield named
        return
    if finding.quote is None or not finding.quote.strip():
        return
    found = 0
    for field, words in texts.items():
        if _lies_in(field, finding.field):
            for at in _occurrences(words, finding.quote, MOST_PLACES - found):
                found += 1
                yield Place(field, at, at + len(finding.quote))


def _named_place(text: str | None, finding: Finding) -> Place | None:
    """The place that a finding names, if its words stand there."""
    start, end = finding.start, finding.end
    if text is None or start is None or end is None or not 0 <= start <= end <= len(text):
        return None
    is_there = finding.quote is None or text[start:end] == finding.quote
    return Place(finding.field, start, end) if is_there else None


def _lies_in(field: Field, named: Field) -> bool:
    """Whether a field is the one that was named, or a part of the list (or the unit) that was."""
    return named is None or field == named or (field or "").startswith(f"{named}.")


def _occurrences(text: str, quote: str, most: int) -> Iterator[int]:
    at = text.find(quote)
    while at >= 0 and most > 0:
        yield at
        most -= 1
        at = text.find(quote, at + len(quote))


def marked(text: str, field: Field, findings: Sequence[Numbered]) -> tuple[Piece, ...]:
    """The text of a field cut at every end of a mark; pieces under several marks carry them all."""
    spans = [
        _Span(place.start, place.end, one.mark) for one in findings for place in one.places if place.field == field
    ]
    return tuple(_cut(text, spans))


def marked_fields(texts: Mapping[Field, str], findings: Sequence[Numbered]) -> tuple[MarkedField, ...]:
    """Every text of a unit with its marks, in reading order."""
    return tuple(MarkedField(field, marked(text, field, findings)) for field, text in texts.items())


@dataclass(frozen=True, slots=True, eq=False)
class _Span:
    """One place of a mark. Two of them are never the same, even where one begins where the other ends."""

    start: int
    end: int
    mark: Mark


def _cut(text: str, spans: Sequence[_Span]) -> Iterator[Piece]:
    """One walk over the cuts. A mark on nothing (something is missing there) is an empty piece with its number."""
    opening: dict[int, list[_Span]] = {}
    for span in spans:
        opening.setdefault(span.start, []).append(span)
    cuts = sorted({0, len(text), *(span.start for span in spans), *(span.end for span in spans)})
    over: list[_Span] = []
    for at, until in zip(cuts, [*cuts[1:], len(text)], strict=True):
        here = opening.get(at, [])
        missing = _worst_first(span for span in here if span.end == at)
        if missing:
            yield Piece("", at, missing, missing)
        over += [span for span in here if span.end > at]
        if at < until:
            ends = _worst_first(span for span in over if span.end == until)
            yield Piece(text[at:until], at, _worst_first(over), ends)
            over = [span for span in over if span.end > until]


def _worst_first(spans: Iterable[_Span]) -> tuple[Mark, ...]:
    return tuple(sorted({span.mark for span in spans}, key=lambda mark: (RANK[mark.severity], mark.number)))
