"""What changed between two texts, word by word, for every script.

A word is what its script writes between spaces; scripts that write no spaces (Chinese, Japanese, Thai, ...) are
compared character by character, a letter always together with the signs above and below it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex
from rapidfuzz.distance import LCSseq

from burnish.core.documents import Field
from burnish.web.spans import Change, Piece

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
    """Both texts as runs of words."""
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
    """Runs as a reader wants them."""
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
