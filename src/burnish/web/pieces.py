"""Pieces: a text cut where something is to be shown in it, a mark or a change; and what changed between two texts, word
by word, for every script. Joined again, pieces are the text. The macro `pieces` of `templates/text.html` draws them.

A word is what its script writes between spaces; scripts that write no spaces (Chinese, Japanese, Thai, ...) are
compared character by character, a letter always together with the signs above and below it.
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


UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Balinese}"
)
"""Scripts that write no space between words."""
WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{UNSPACED}]]"
INSIDE = r"(?:['’\-]|(?<=\p{N})[.,](?=\p{N}))"
"""What stands inside a word: of `don't` and `well-known`, and of `3.5` and `1,204`."""
TOKEN = regex.compile(rf"{WORD}+(?:{INSIDE}{WORD}+)*+|\n|[^\S\n]+|\X", regex.V1)
"""A word, a line end, a run of other spaces, or else one character with its signs."""
LINE = regex.compile(r"[^\n]*\n|[^\n]+")
MOST_COMPARED = 9_000
"""Words of each text that are compared one by one, past what both begin and end with. Longer ones are compared by their
lines, and what has more lines than this is shown as exchanged: a page never waits for a text."""


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
        """Letters that were exchanged for others which look the same."""
        return letters(self.pieces)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter of one script in whose place one of another stands now."""

    was: str
    """Its name and number: `cyrillic small letter a (U+0430)`."""
    came: str


def letters(pieces: Sequence[Piece]) -> tuple[Letter, ...]:
    """Letters of another script that were put right: to the eye, the old word and the new one are the same."""
    found: dict[Letter, None] = {}
    for old, new in pairwise(pieces):
        if (old.change, new.change) == ("del", "ins") and len(old.text) == len(new.text):
            pairs = [(was, came) for was, came in zip(old.text, new.text, strict=True) if was != came]
            if all(_script(was) != _script(came) for was, came in pairs):
                found |= {Letter(_named(was), _named(came)): None for was, came in pairs}
    return tuple(found)


def _script(letter: str) -> str:
    """`LATIN`, `CYRILLIC`; of what is no letter, its name."""
    name = unicodedata.name(letter, "")
    return name.partition(" ")[0] if letter.isalpha() else name


def _named(letter: str) -> str:
    return f"{unicodedata.name(letter, 'a character').lower()} (U+{ord(letter):04X})"


def diff(old: str, new: str) -> tuple[Piece, ...]:
    """The two texts as one: what stayed, what went, what came. What went stands before what came in its place."""
    for cut in (TOKEN, LINE):
        before, after = cut.findall(old), cut.findall(new)
        head, tail = _alike(before, after)
        if max(len(before), len(after)) - head - tail <= MOST_COMPARED:
            return tuple(_placed(_read(_compared(before, after, head, tail))))
    return tuple(_placed(_read([("same", before[:head]), *_exchange(before, after, head, tail), *_rest(before, tail)])))


def diff_fields(old: Mapping[Field, str], new: Mapping[Field, str]) -> tuple[FieldChange, ...]:
    """The changes of every field of a unit, in the new one's order; fields that are gone come last."""
    names = [*new, *(name for name in old if name not in new)]
    return tuple(FieldChange(name, diff(old.get(name, ""), new.get(name, ""))) for name in names)


Run = tuple[Change, Sequence[str]]
"""Words that follow each other and were changed in the same way."""


def _compared(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> Iterator[Run]:
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    numbers: dict[str, int] = {}
    # Numbers instead of words: rapidfuzz compares hashes of anything else, and two words might have the same.
    one, other = ([numbers.setdefault(word, len(numbers)) for word in words] for words in (old, new))
    yield "same", before[:head]
    for step in LCSseq.opcodes(one, other):
        if step.tag == "equal":
            yield "same", old[step.src_start : step.src_end]
        else:
            yield "del", old[step.src_start : step.src_end]
            yield "ins", new[step.dest_start : step.dest_end]
    yield from _rest(before, tail)


def _exchange(before: Sequence[str], after: Sequence[str], head: int, tail: int) -> Iterator[Run]:
    yield "del", before[head : len(before) - tail]
    yield "ins", after[head : len(after) - tail]


def _rest(words: Sequence[str], tail: int) -> Iterator[Run]:
    yield "same", words[len(words) - tail :]


def _alike(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many words both begin with, and how many of the others both end with."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    return head, tail


@dataclass(slots=True)
class _Exchange:
    """Words that went, and what came in their place; `kept` stands before both, in both texts."""

    kept: str
    went: str = ""
    came: str = ""

    @property
    def length(self) -> int:
        return max(len(self.went), len(self.came))

    def shift(self, after: _Exchange) -> None:
        """Give a space before a word that came, or went, to what stayed: `was [not ]afraid`, not `was[ not] afraid`."""
        changed = self.went or self.came
        space = changed[: len(changed) - len(changed.lstrip(" "))]
        if (self.went and self.came) or not space or space == changed or not after.kept.startswith(space):
            return
        self.kept += space
        self.went, self.came = (text and text[len(space) :] + space for text in (self.went, self.came))
        after.kept = after.kept[len(space) :]

    def swallows(self, after: _Exchange) -> bool:
        """Whether what stayed up to the next exchange is too little between the two to be told apart from them.

        Two sentences about different things still share an `of the`. A line end is a place to rest, and is kept.
        """
        kept = after.kept.strip()
        return "\n" not in after.kept and 2 * len(kept) <= min(self.length, after.length)

    def swallow(self, after: _Exchange) -> None:
        self.went += after.kept + after.went
        self.came += after.kept + after.came


def _read(runs: Iterable[Run]) -> Iterator[tuple[Change, str]]:
    for one in _told_together(_exchanges(runs)):
        told: tuple[tuple[Change, str], ...] = (("same", one.kept), ("del", one.went), ("ins", one.came))
        yield from (part for part in told if part[1])


def _exchanges(runs: Iterable[Run]) -> Iterator[_Exchange]:
    """One for each place where something changed; the last may be what stayed at the end."""
    here = _Exchange("")
    for change, words in runs:
        text = "".join(words)
        if change == "same" and text:
            if here.length:
                yield here
                here = _Exchange("")
            here.kept += text
        elif change == "del":
            here.went += text
        elif change == "ins":
            here.came += text
    yield here


def _told_together(exchanges: Iterable[_Exchange]) -> list[_Exchange]:
    told: list[_Exchange] = []
    for one in exchanges:
        if told:
            told[-1].shift(one)
        while told and one.length and told[-1].swallows(one):
            before = told.pop()
            before.swallow(one)
            one = before
        told.append(one)
    return told


def _placed(changes: Iterable[tuple[Change, str]]) -> Iterator[Piece]:
    old = new = 0
    for change, text in changes:
        yield Piece(text, old if change == "del" else new, change=change)
        old += len(text) if change != "ins" else 0
        new += len(text) if change != "del" else 0
