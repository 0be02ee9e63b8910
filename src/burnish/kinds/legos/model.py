"""The model of a course: SEEDs, which are sentence pairs, and the LEGOs that are cut from them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Literal, Self, get_args

import regex

from burnish.core.documents import Field, text_digest
from burnish.core.edits import CONTROL
from burnish.core.errors import UsageError
from burnish.core.json_bytes import dumps
from burnish.languages.detection import is_known, primary_tag
from burnish.languages.profiles import LanguageProfile, profile_of
from burnish.languages.words import bare

OVERALL = "overall_score"
Dimension = Literal["iron_rule_compliance", "naturalness", "pedagogical_value", "consistency", "edge_case_handling"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
HALVES: tuple[Literal["source"], Literal["target"]] = ("source", "target")
NOWHERE = -1
"""The start of a half that is not part of its sentence."""


@dataclass(frozen=True, slots=True)
class Lego:
    """A teachable phrase: a part of the source sentence and the part of the target sentence that says the same."""

    source: str
    target: str
    start: int
    end: int
    """The place of the source half in its sentence, in characters: `sentence[start:end] == source`."""
    target_start: int
    target_end: int
    confidence: float = 1.0
    """How certain it is that the two halves have the same meaning, from 0 to 1."""

    @property
    def is_verbatim(self) -> bool:
        """Whether both halves are parts of their sentences."""
        return NOWHERE not in (self.start, self.target_start)


@dataclass(frozen=True)
class Seed:
    """A sentence pair and the LEGOs cut from it: the unit."""

    id: str
    """`C0001`."""
    uuid: str
    source: str
    target: str
    course_code: str
    legos: tuple[Lego, ...] = ()
    uncovered: tuple[str, ...] = ()
    """Words at the edge of the sentence that no allowed LEGO can hold, as written there."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """The translation record as it was read, with its unknown fields."""

    @property
    def number(self) -> int:
        return int(self.id[1:])

    def provenance(self, position: int) -> str:
        """The name of the LEGO at this position, counted from 1: `S44L1`."""
        return f"S{self.number}L{position}"

    @cached_property
    def content_hash(self) -> str:
        halves = [[lego.source, lego.target, lego.start, lego.target_start] for lego in self.legos]
        return text_digest(dumps([self.source, self.target, halves, list(self.uncovered)]).decode())

    def texts(self) -> Mapping[Field, str]:
        """The halves of every LEGO: `L1.source`, `L1.target`, ..."""
        return {
            f"L{place}.{half}": getattr(lego, half) for place, lego in enumerate(self.legos, start=1) for half in HALVES
        }

    def with_text(self, field: Field, text: str) -> Self:
        """Replace one half, and find it again in its sentence, nearest to its former place."""
        place, half = _place_of(field)
        if not 1 <= place <= len(self.legos):
            raise KeyError(field)
        lego = self.legos[place - 1]
        if half == "source":
            start = found_near(self.source, text, lego.start)
            changed = replace(lego, source=text, start=start, end=_end(start, text))
        else:
            start = found_near(self.target, text, lego.target_start)
            changed = replace(lego, target=text, target_start=start, target_end=_end(start, text))
        return replace(self, legos=(*self.legos[: place - 1], changed, *self.legos[place:]))

    def as_record(self) -> dict[str, Any]:
        legos = [{name: getattr(lego, name) for name in Lego.__dataclass_fields__} for lego in self.legos]
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**record, "legos": legos, "uncovered": list(self.uncovered), "record": dict(self.record)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        legos = tuple(Lego(**one) for one in record["legos"])
        return cls(**{**record, "legos": legos, "uncovered": tuple(record["uncovered"])})


def found_near(sentence: str, part: str, place: int) -> int:
    """Where a part begins in a sentence, nearest to a place; NOWHERE if it is not in it."""
    if not part:
        return NOWHERE
    before = sentence.rfind(part, 0, max(place, 0) + len(part))
    behind = sentence.find(part, max(place, 0))
    found = [start for start in (before, behind) if start != -1]
    return min(found, key=lambda start: (abs(start - place), start), default=NOWHERE)


def _end(start: int, text: str) -> int:
    return NOWHERE if start == NOWHERE else start + len(text)


def _place_of(field: Field) -> tuple[int, str]:
    """`L2.target` -> (2, "target")."""
    place, _, half = (field or "").partition(".")
    if half not in HALVES or not place.startswith("L") or not place[1:].isdecimal():
        raise KeyError(field)
    return int(place[1:]), half


MOST_SEEDS = 10_000
"""SEEDs in one course: the id has four digits, `C0000` to `C9999`."""

_CODE = re.compile(r"([a-z]{2,3})_for_([a-z]{2,3})(?:_([0-9]{1,9})seeds)?(?:_[a-z0-9]+)*")
_LONGEST = 64
_HINT = "A code says which language is taught to speakers of which: mkd_for_eng_574seeds, or spa_for_eng."


@dataclass(frozen=True, slots=True)
class Course:
    """A course, as described by its code."""

    code: str
    """`mkd_for_eng_574seeds`; also the name of its folder, so only small letters, digits and `_` are allowed."""
    target: str
    """The language that is taught, as written in the code: `mkd`."""
    source: str
    """The language of the learners: `eng`."""
    seeds: int | None = None
    """The number in the code: a name, not a limit."""

    @classmethod
    def of(cls, code: str) -> Self:
        """The course of a code. Raise UsageError if it does not name two languages."""
        match = _CODE.fullmatch(code) if len(code) <= _LONGEST else None
        if match is None:
            raise UsageError(f"{code[:_LONGEST]!r} is not a course code.", hint=_nearest(code))
        target, source, seeds = match.groups()
        for language in (target, source):
            if not is_known(language):
                raise UsageError(f"The course code {code!r} names no language with {language!r}.", hint=_HINT)
        course = cls(code, target, source, int(seeds) if seeds else None)
        if course.target_tag == course.source_tag:
            raise UsageError(f"The course code {code!r} names the same language twice.", hint=_HINT)
        return course

    @property
    def source_tag(self) -> str:
        """The language of the learners, by its shortest tag: `en`."""
        return primary_tag(self.source) or self.source

    @property
    def target_tag(self) -> str:
        """The language that is taught: `mk`."""
        return primary_tag(self.target) or self.target


def source_profile(code: str) -> LanguageProfile | None:
    """The profile of the source language in a course code; None if the language is not known."""
    return profile_of(code.partition("_for_")[2].partition("_")[0])


def _nearest(code: str) -> str:
    """Suggest a valid code: capitals and hyphens are the usual mistakes."""
    meant = re.sub(r"[-\s]+", "_", code.strip().lower())
    if meant != code and len(meant) <= _LONGEST and _CODE.fullmatch(meant):
        return f"Did you mean {meant}?"
    words = meant.split("_")
    if len(words) > 1 and difflib.get_close_matches(words[1], ["for"], cutoff=0.5):
        words[1] = "for"
        repaired = "_".join(words)
        if len(repaired) <= _LONGEST and _CODE.fullmatch(repaired):
            return f"Did you mean {repaired}?"
    return _HINT


def plain_line(text: str, longest: int) -> str:
    """The text on one line, without control characters, cut off with `…` if it is longer."""
    line = " ".join(CONTROL.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


UNSPACED = frozenset(("zh", "ja", "th", "lo", "km", "my"))
"""Languages that are written without blanks between words."""
_SIGN = r"[\p{Han}\p{Hiragana}\p{Katakana}ー々\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
_RUN = regex.compile(
    rf"(?P<unspaced>(?:{_SIGN})+)|[^\s—\p{{Han}}\p{{Hiragana}}\p{{Katakana}}ー々\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]+"
)
"""Text between blanks or dashes, or a run of a script without blanks."""
_SIGNS = regex.compile(_SIGN)
_OUTER = ".,;:!?…¿¡‽\"'’‘‚‛“”„‟«»‹›()[]{}<>–-。、，！？：；「」『』《》（）،؛؟।\u200e\u200f\u061c"
"""Marks around a word that do not belong to it."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a sentence."""

    text: str
    """As written there, without the marks around it."""
    start: int
    end: int
    """Its place, in characters."""
    bare: str
    """For comparing: small letters, composed, with a straight apostrophe."""


def words_of(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, in order. Punctuation alone is not a word."""
    return tuple(_words(sentence))


@cache
def word_breaker() -> Callable[[str, str], Any] | None:
    """ICU's word breaker for languages without blanks; None if the extra `words` is not installed."""
    if find_spec("icu4py") is None:
        return None
    breakers = import_module("icu4py.breakers")
    found: Callable[[str, str], Any] = breakers.WordBreaker
    return found


def _unspaced(text: str) -> Iterator[tuple[int, int]]:
    """Split text without blanks by ICU; without ICU letter by letter, and `legos extract` reports that."""
    breaker = word_breaker()
    if breaker is None:
        yield from (sign.span() for sign in _SIGNS.finditer(text))
    else:
        # ICU counts in UTF-16, where rare signs have two units.
        units = text.encode("utf-16-le")
        ends = (end for _, end in breaker(text, "").segments())
        yield from pairwise([0, *(len(units[: 2 * end].decode("utf-16-le")) for end in ends)])


def _words(sentence: str) -> Iterator[Word]:
    for run in _RUN.finditer(sentence):
        text = run.group()
        if run.group("unspaced"):
            for start, end in _unspaced(text):
                yield Word(text[start:end], run.start() + start, run.start() + end, bare(text[start:end]))
            continue
        core = text.strip(_OUTER)
        if not core:
            continue
        start = run.start() + len(text) - len(text.lstrip(_OUTER))
        yield Word(core, start, start + len(core), bare(core))
