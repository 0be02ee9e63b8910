"""How alike two questions are, from 0 to 1: their stems as sequences of words, their options as a set.

The stems are compared by their content words (numbers and signs too; no stop words and none of the boilerplate
of lead-ins, so that "Which of the following is the most likely" makes nothing alike): the share of words that they
have in common, half of it counted in the same order (longest common subsequence), half in any order. Options are paired
one to one, whatever their order. They weigh as much as their share of the words, but at least a quarter and at most
half, so that neither one stem with other options nor one option list under other stems is a duplicate.

What differs in a number, a sign, a negation or the right answer is another question, however alike it looks: such a
pair stays below `REJECTED`. Only if all words are the same does a different key not count: one of the two must be
wrong.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from zlib import crc32

from rapidfuzz.distance import Indel

from burnish.kinds.questions.model import Option, Question
from burnish.languages.words import NEGATIONS, STOP_WORDS, word_set

FLAGGED = 0.85
"""From here on two questions may be the same."""
REJECTED = 0.95
"""From here on they are."""

BELOW_REJECTED = 0.94
OTHER_ANSWER = 0.93
"""Factor for pairs that differ in stem and right answer: variations on a template, more often than copies."""
LIGHTEST_OPTIONS, HEAVIEST_OPTIONS = 0.25, 0.5
LONGEST_STEM = 3000
"""Content words of a stem that are compared; what follows them is not."""
LONGEST_OPTION = 300
MOST_OPTIONS = 40
SHORT = 80
"""Characters of a text whose hashes are kept for a while."""

PIECE = re.compile(r"\w+|[^\w\s.,;:?!'\"()’-]|-(?=\d)")
"""A word, a number or a sign. Plainer than the words that rules read, because it is quicker and never shown."""

BOILERPLATE = STOP_WORDS | word_set(
    "following likely appropriate best statement statements question answer option options correct true"
)
CHARACTERS_PER_PIECE = 20
"""Where pieces are longer than this on average, the script writes no spaces and characters are compared instead."""

_BOILERPLATE_BIT, _FACT_BIT = 1, 2
_HEAD = Struct("<IIIHI")


@dataclass(frozen=True, slots=True)
class Profile:
    """All of a question that the comparison looks at; words are hashes of 32 bits."""

    stem: bytes
    """Content words in order."""
    options: tuple[bytes, ...]
    facts: int
    """Numbers, signs and negations of the stem."""
    key: int
    """The text of the right answer."""
    whole: int
    """Every word of the stem, stop words included."""

    def packed(self) -> bytes:
        head = _HEAD.pack(self.facts, self.key, self.whole, len(self.options), len(self.stem))
        lengths = array("I", map(len, self.options))
        return b"".join((head, lengths.tobytes(), self.stem, *self.options))

    @classmethod
    def unpacked(cls, data: bytes) -> Profile:
        facts, key, whole, count, length = _HEAD.unpack_from(data)
        start = _HEAD.size + 4 * count
        sizes = array("I", data[_HEAD.size : start])
        stem = data[start : start + length]
        start += length
        options = []
        for size in sizes:
            options.append(data[start : start + size])
            start += size
        return cls(stem, tuple(options), facts, key, whole)


def profile(question: Question) -> Profile:
    """What the comparison needs to know about a question."""
    pieces = array("I", _hashed(_stem_text(question)))
    content = array("I", [piece for piece in pieces if not piece & _BOILERPLATE_BIT])
    compared = content if len(content) > 1 else pieces
    return Profile(
        stem=compared[:LONGEST_STEM].tobytes(),
        options=tuple(_hashed(option.text)[: 4 * LONGEST_OPTION] for option in _options(question)),
        facts=crc32(array("I", [piece for piece in pieces if piece & _FACT_BIT]).tobytes()),
        key=crc32(_key(question)),
        whole=crc32(pieces.tobytes()),
    )


def similarity(one: Profile, other: Profile) -> float:
    """How alike the two are, or 0 where they are too unlike to be flagged; the module's text says what counts."""
    weight = _option_weight(one, other)
    same_words = one.whole == other.whole
    # Below this not even equal options would make them alike; the comparison may stop early and say 0.
    least = max(0.0, (FLAGGED - weight) / (1 - weight))
    stems = 1.0 if same_words else _stem_similarity(one.stem, other.stem, least)
    if stems < least:
        return 0.0
    options = _option_similarity(one.options, other.options)
    alike = (1 - weight) * stems + weight * options
    if same_words and options == 1.0:
        return 1.0
    if one.key != other.key and stems < 1.0:
        alike *= OTHER_ANSWER
    differs = one.facts != other.facts or one.key != other.key
    return min(alike, BELOW_REJECTED) if differs else alike


def _option_weight(one: Profile, other: Profile) -> float:
    if not one.options and not other.options:
        return 0.0
    in_options = sum(map(len, one.options)) + sum(map(len, other.options))
    share = in_options / max(1, in_options + len(one.stem) + len(other.stem))
    return min(max(share, LIGHTEST_OPTIONS), HEAVIEST_OPTIONS)


def _stem_similarity(one: bytes, other: bytes, least: float) -> float:
    """Half for common words in the same order, half for common words in any order."""
    words, others = array("I", one).tolist(), array("I", other).tolist()
    # In any order at least as many words are common as in the same order: the first look needs the higher value.
    any_order = Indel.normalized_similarity(sorted(words), sorted(others), score_cutoff=least)
    if not any_order:
        return 0.0
    return (any_order + Indel.normalized_similarity(words, others)) / 2


def _sequence_similarity(one: bytes, other: bytes) -> float:
    return Indel.normalized_similarity(array("I", one).tolist(), array("I", other).tolist())


def _option_similarity(one: Sequence[bytes], other: Sequence[bytes]) -> float:
    """Each option with its like, equal ones first; an option without a partner counts as unlike."""
    size = max(len(one), len(other))
    rest, unpaired = list(other), []
    for option in one:
        if option in rest:
            rest.remove(option)
        else:
            unpaired.append(option)
    alike = float(len(one) - len(unpaired))
    for option in unpaired:
        scores = [_sequence_similarity(option, candidate) for candidate in rest]
        if scores:
            alike += max(scores)
            rest.pop(scores.index(max(scores)))
    return alike / size if size else 1.0


def _stem_text(question: Question) -> str:
    return "\n".join((question.vignette or "", question.stem, *(item.stem for item in question.items or ())))


def _options(question: Question) -> list[Option]:
    own = [option for item in question.items or () for option in item.options or ()]
    return [*question.options, *own][:MOST_OPTIONS]


def _key(question: Question) -> bytes:
    """The right answer's words; for a set, or a key that names no option, the letters as they stand."""
    if question.key is not None:
        return _hashed(question.key.text)
    letters = (question.correct_answer, *(item.correct_answer for item in question.items or ()))
    return _hashed(" ".join(letters))


def _hashed(text: str) -> bytes:
    """The hash of each piece, 4 bytes each."""
    return _kept_hashes(text) if len(text) <= SHORT else _hashes_of(text)


def _hashes_of(text: str) -> bytes:
    lowered = text.lower().replace("’", "'").replace("'s", "")
    pieces: list[str] = PIECE.findall(lowered)
    if len(lowered) > CHARACTERS_PER_PIECE * (len(pieces) + 1):
        pieces = [character for piece in pieces for character in piece]
    return array("I", map(_HASHES.__getitem__, pieces)).tobytes()


# The key is one of the options, and what is offered in one question is offered in others too.
_kept_hashes = lru_cache(maxsize=4096)(_hashes_of)


class _Hashes(dict[str, int]):
    """Piece -> its hash (plural and singular alike), kept because words come again; emptied before it grows large.

    The two lowest bits tell boilerplate and facts apart, so that the whole stem is sorted out in one step.
    """

    LARGEST = 50_000
    LONGEST = 40

    def __missing__(self, piece: str) -> int:
        singular = piece[:-1] if len(piece) > 3 and piece.endswith("s") else piece
        value = crc32(singular.encode("utf-8", "surrogatepass")) & ~3
        value |= _BOILERPLATE_BIT if piece in BOILERPLATE else 0
        value |= _FACT_BIT if piece in NEGATIONS or not piece[0].isalpha() else 0
        if len(self) >= self.LARGEST:
            self.clear()
        if len(piece) <= self.LONGEST:
            self[piece] = value
        return value


_HASHES = _Hashes()


@dataclass(frozen=True, slots=True)
class Match:
    """An earlier question that is much like the one at hand."""

    id: str
    origin: str | None
    """The file it stands in, where it is another one."""
    similarity: float

    @property
    def rejected(self) -> bool:
        return self.similarity >= REJECTED
