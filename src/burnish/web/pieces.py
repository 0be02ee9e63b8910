"""Pieces: a text cut at its marks or its changes, and a word-by-word diff of two texts that works for every script.
Joined again, the pieces are the text. The macro `pieces` of `templates/text.html` renders them.

A word is what its script writes between spaces; scripts that write no spaces (Chinese, Japanese, Thai, ...) are
compared character by character, a letter always together with its combining marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import regex
from rapidfuzz.distance import LCSseq

from burnish.core.documents import Field
from burnish.core.findings import SEVERITIES, Finding, Severity

Change = Literal["same", "ins", "del"]
"""Whether a piece is unchanged, inserted or deleted."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding's highlight on some words. Several marks may overlap."""

    number: int
    """The number of the finding in the list on the same page."""
    severity: Severity


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with the same marks and the same change."""

    text: str
    start: int
    """Offset in characters: in the marked text; in a diff, in the old text for a deleted piece, else in the new."""
    marks: tuple[Mark, ...] = ()
    """Its marks, worst first."""
    ends: tuple[Mark, ...] = ()
    """The marks that end here: their numbers are shown after the piece."""
    change: Change = "same"

    @property
    def severity(self) -> Severity | None:
        """The severity of its worst mark."""
        return self.marks[0].severity if self.marks else None


def joined(pieces: Iterable[Piece], *but: Change) -> str:
    """The text of the pieces, without those with the given changes."""
    return "".join(piece.text for piece in pieces if piece.change not in but)


RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
MOST_PLACES = 40
"""Marked places of one finding: a quote of one letter occurs everywhere."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding's words are."""

    field: Field
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """A finding with its number on a page."""

    mark: Mark
    finding: Finding
    places: tuple[Place, ...]
    """Where it is marked; empty if it is about something missing or about the whole unit."""


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
    """The places of the finding's words: the place it names, else every occurrence in its field or list."""
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
    """The place that a finding names, if its words are there."""
    start, end = finding.start, finding.end
    if text is None or start is None or end is None or not 0 <= start <= end <= len(text):
        return None
    is_there = finding.quote is None or text[start:end] == finding.quote
    return Place(finding.field, start, end) if is_there else None


def _lies_in(field: Field, named: Field) -> bool:
    """Whether a field is the named one, or part of the named list or unit."""
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
    """One place of a mark. Compared by identity, since the same mark may cover the same words twice."""

    start: int
    end: int
    mark: Mark


def _cut(text: str, spans: Sequence[_Span]) -> Iterator[Piece]:
    """The pieces in one pass. A mark of zero length (something is missing there) is an empty piece with its number."""
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


UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}"
)
"""Scripts without spaces between words."""
WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{UNSPACED}]]"
INSIDE = r"(?:['’\-]|(?<=\p{N})[.,](?=\p{N}))"
"""Characters that join the parts of one word: `don't`, `well-known`, `3.5`, `1,204`."""
TOKEN = regex.compile(rf"{WORD}+(?:{INSIDE}{WORD}+)*+|\n|[^\S\n]+|\X", regex.V1)
"""A word, a line end, a run of other spaces, or else one character with its combining marks."""
LINE = regex.compile(r"[^\n]*\n|[^\n]+")
MOST_COMPARED = 9_000
"""Most words compared one by one, without the common beginning and end. Longer texts are compared by lines, and texts
with more lines than this are shown as replaced, so that no page is slow."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What changed in one field of a unit."""

    field: Field
    pieces: tuple[Piece, ...]

    @property
    def is_changed(self) -> bool:
        return any(piece.change != "same" for piece in self.pieces)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Letters that were replaced by ones that look the same."""
        return letters(self.pieces)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that was replaced by one of another script."""

    was: str
    """Its name and number: `cyrillic small letter a (U+0430)`."""
    came: str


def letters(pieces: Sequence[Piece]) -> tuple[Letter, ...]:
    """Letters replaced by ones of another script: the old word and the new one look the same."""
    found: dict[Letter, None] = {}
    for old, new in pairwise(pieces):
        if (old.change, new.change) == ("del", "ins") and len(old.text) == len(new.text):
            pairs = [(was, came) for was, came in zip(old.text, new.text, strict=True) if was != came]
            if all(_script(was) != _script(came) for was, came in pairs):
                found |= {Letter(_letter_name(was), _letter_name(came)): None for was, came in pairs}
    return tuple(found)


def _script(letter: str) -> str:
    """`LATIN`, `CYRILLIC`; the whole name if it is not a letter."""
    name = unicodedata.name(letter, "")
    return name.partition(" ")[0] if letter.isalpha() else name


def _letter_name(letter: str) -> str:
    return f"{unicodedata.name(letter, 'a character').lower()} (U+{ord(letter):04X})"


def diff(old: str, new: str) -> tuple[Piece, ...]:
    """The diff of two texts. A deleted piece comes before the inserted piece that replaces it."""
    for cut in (TOKEN, LINE):
        before, after = cut.findall(old), cut.findall(new)
        head, tail = _common_ends(before, after)
        if max(len(before), len(after)) - head - tail <= MOST_COMPARED:
            return tuple(_with_offsets(_changes(_compared(before, after, head, tail))))
    runs = [("same", before[:head]), *_exchange(before, after, head, tail), *_common_end(before, tail)]
    return tuple(_with_offsets(_changes(runs)))


def diff_fields(old: Mapping[Field, str], new: Mapping[Field, str]) -> tuple[FieldChange, ...]:
    """The changes of every field of a unit, in the order of the new version; removed fields come last."""
    names = [*new, *(name for name in old if name not in new)]
    return tuple(FieldChange(name, diff(old.get(name, ""), new.get(name, ""))) for name in names)


Run = tuple[Change, Sequence[str]]
"""Consecutive words with the same change."""


def _compared(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> Iterator[Run]:
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    numbers: dict[str, int] = {}
    # Numbers instead of words: rapidfuzz compares anything else by its hash, and two words may have the same hash.
    one, other = ([numbers.setdefault(word, len(numbers)) for word in words] for words in (old, new))
    yield "same", before[:head]
    for step in LCSseq.opcodes(one, other):
        if step.tag == "equal":
            yield "same", old[step.src_start : step.src_end]
        else:
            yield "del", old[step.src_start : step.src_end]
            yield "ins", new[step.dest_start : step.dest_end]
    yield from _common_end(before, tail)


def _exchange(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> Iterator[Run]:
    yield "del", before[head : len(before) - tail]
    yield "ins", after[head : len(after) - tail]


def _common_end(words: Sequence[str], tail: int) -> Iterator[Run]:
    yield "same", words[len(words) - tail :]


def _common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """The length in words of the common beginning, and of the common end after it."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    return head, tail


@dataclass(slots=True)
class _Exchange:
    """Deleted and inserted words at one place; `kept` is the unchanged text before them."""

    kept: str
    deleted: str = ""
    inserted: str = ""

    @property
    def length(self) -> int:
        return max(len(self.deleted), len(self.inserted))

    def shift(self, after: _Exchange) -> None:
        """Move the space before a changed word to the unchanged text: `was [not ]afraid`, not `was[ not] afraid`."""
        changed = self.deleted or self.inserted
        space = changed[: len(changed) - len(changed.lstrip(" "))]
        if (self.deleted and self.inserted) or not space or space == changed or not after.kept.startswith(space):
            return
        self.kept += space
        self.deleted, self.inserted = (text and text[len(space) :] + space for text in (self.deleted, self.inserted))
        after.kept = after.kept[len(space) :]

    def swallows(self, after: _Exchange) -> bool:
        """Whether so little text is unchanged before the next exchange that both read better as one.

        Two unrelated sentences still share an `of the`. A line end is never swallowed.
        """
        kept = after.kept.strip()
        return "\n" not in after.kept and 2 * len(kept) <= min(self.length, after.length)

    def swallow(self, after: _Exchange) -> None:
        self.deleted += after.kept + after.deleted
        self.inserted += after.kept + after.inserted


def _changes(runs: Iterable[Run]) -> Iterator[tuple[Change, str]]:
    for one in _merged(_exchanges(runs)):
        parts: tuple[tuple[Change, str], ...] = (("same", one.kept), ("del", one.deleted), ("ins", one.inserted))
        yield from (part for part in parts if part[1])


def _exchanges(runs: Iterable[Run]) -> Iterator[_Exchange]:
    """One exchange per changed place; the last may hold only unchanged text."""
    here = _Exchange("")
    for change, words in runs:
        text = "".join(words)
        if change == "same" and text:
            if here.length:
                yield here
                here = _Exchange("")
            here.kept += text
        elif change == "del":
            here.deleted += text
        elif change == "ins":
            here.inserted += text
    yield here


def _merged(exchanges: Iterable[_Exchange]) -> list[_Exchange]:
    merged: list[_Exchange] = []
    for one in exchanges:
        if merged:
            merged[-1].shift(one)
        while merged and one.length and merged[-1].swallows(one):
            before = merged.pop()
            before.swallow(one)
            one = before
        merged.append(one)
    return merged


def _with_offsets(changes: Iterable[tuple[Change, str]]) -> Iterator[Piece]:
    old = new = 0
    for change, text in changes:
        yield Piece(text, old if change == "del" else new, change=change)
        old += len(text) if change != "ins" else 0
        new += len(text) if change != "del" else 0
