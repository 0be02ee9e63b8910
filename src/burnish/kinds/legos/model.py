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

import orjson
import regex

from burnish.core.documents import Field, text_digest
from burnish.core.edits import CONTROL
from burnish.core.errors import UsageError
from burnish.languages.detection import is_known, primary_tag
from burnish.languages.profiles import LanguageProfile, profile_of
from burnish.languages.words import bare

OVERALL = "overall_score"
Dimension = Literal["iron_rule_compliance", "naturalness", "pedagogical_value", "consistency", "edge_case_handling"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
HALVES: tuple[Literal["source"], Literal["target"]] = ("source", "target")
NOWHERE = -1
"""Where a half stands that is no part of its sentence."""


@dataclass(frozen=True, slots=True)
class Lego:
    """A teachable phrase: a part of the source sentence and the part of the target sentence that says the same."""

    source: str
    target: str
    start: int
    end: int
    """Where the source half stands in its sentence, in characters: `sentence[start:end] == source`."""
    target_start: int
    target_end: int
    confidence: float = 1.0
    """How sure it is that the two halves say the same, from 0 to 1."""

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
    """Words at the edge of the sentence that no lawful LEGO reaches, as they stand in it."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """The translation record as it was taken in, with everything in it that we do not know."""

    @property
    def number(self) -> int:
        return int(self.id[1:])

    def provenance(self, position: int) -> str:
        """The name of the LEGO at this place, counted from 1: `S44L1`."""
        return f"S{self.number}L{position}"

    @cached_property
    def content_hash(self) -> str:
        halves = [[lego.source, lego.target, lego.start, lego.target_start] for lego in self.legos]
        return text_digest(orjson.dumps([self.source, self.target, halves, list(self.uncovered)]).decode())

    def texts(self) -> Mapping[Field, str]:
        """The halves of every LEGO: `L1.source`, `L1.target`, ..."""
        return {
            f"L{place}.{half}": getattr(lego, half) for place, lego in enumerate(self.legos, start=1) for half in HALVES
        }

    def with_text(self, field: Field, text: str) -> Self:
        """One half exchanged, and found again in its sentence: nearest to where it stood."""
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
    """Where a part stands in a sentence, nearest to a place; NOWHERE where it does not stand there."""
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
    """A course, as its code names it."""

    code: str
    """`mkd_for_eng_574seeds`; also the name of its folder, so it holds small letters, digits and `_` only."""
    target: str
    """The language that is taught, as the code has it: `mkd`."""
    source: str
    """The language of those who learn: `eng`."""
    seeds: int | None = None
    """The number in the code: a name, not a limit."""

    @classmethod
    def of(cls, code: str) -> Self:
        """The course of a code. UsageError where it names no two languages."""
        match = _CODE.fullmatch(code) if len(code) <= _LONGEST else None
        if match is None:
            raise UsageError(f"{code[:_LONGEST]!r} is no course code.", hint=_nearest(code))
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
        """The language of those who learn, by its shortest tag: `en`."""
        return primary_tag(self.source) or self.source

    @property
    def target_tag(self) -> str:
        """The language that is taught: `mk`."""
        return primary_tag(self.target) or self.target


def source_profile(code: str) -> LanguageProfile | None:
    """What is known of the language that a course of this code is taught from; None where nothing is."""
    return profile_of(code.partition("_for_")[2].partition("_")[0])


def _nearest(code: str) -> str:
    """What may have been meant: capitals and hyphens are the usual slips."""
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
    """The text on one line, without control characters, cut off with `…` where it is longer."""
    line = " ".join(CONTROL.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


UNSPACED = frozenset(("zh", "ja", "th", "lo", "km", "my"))
"""Languages that leave no blank between words."""
_SIGN = r"[\p{Han}\p{Hiragana}\p{Katakana}ー々\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
_RUN = regex.compile(
    rf"(?P<unspaced>(?:{_SIGN})+)|[^\s—\p{{Han}}\p{{Hiragana}}\p{{Katakana}}ー々\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]+"
)
"""What stands between blanks or dashes, or is written without blanks."""
_SIGNS = regex.compile(_SIGN)
_OUTER = ".,;:!?…¿¡‽\"'’‘‚‛“”„‟«»‹›()[]{}<>–-。、，！？：；「」『』《》（）،؛؟।\u200e\u200f\u061c"
"""Marks that stand around a word and do not belong to it."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a sentence."""

    text: str
    """As it stands there, without the marks around it."""
    start: int
    end: int
    """Where it stands, in characters."""
    bare: str
    """For comparing: small letters, composed, with a straight apostrophe."""


def words_of(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, in order. What is only punctuation is no word."""
    return tuple(_words(sentence))


@cache
def word_breaker() -> Callable[[str, str], Any] | None:
    """ICU's dictionaries of words that are written without blanks; None where the extra `words` is not installed."""
    if find_spec("icu4py") is None:
        return None
    breakers = import_module("icu4py.breakers")
    found: Callable[[str, str], Any] = breakers.WordBreaker
    return found


def _unspaced(text: str) -> Iterator[tuple[int, int]]:
    """The words of a text without blanks, by ICU; without it letter by letter, and `legos extract` says so."""
    breaker = word_breaker()
    if breaker is None:
        yield from (sign.span() for sign in _SIGNS.finditer(text))
    else:
        # ICU counts in UTF-16: rare signs are two there.
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
