"""The two sides of a paragraph, source and translation, and the differences between them.

Compared are names, numbers, copied words, and parts that must not change: addresses, code, formulas, placeholders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from burnish.core.edits import Part, PartKind, parts
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.detection import UNKNOWN_LANGUAGE, primary_tag
from burnish.languages.names import Name, has_match, is_translated, names, spells_names
from burnish.languages.numbers import DIGITS, SHORT_YEAR, Number, Numbers, number_words, numbers, read_digits
from burnish.languages.proper_nouns import date_words
from burnish.languages.scripts import scripts_of
from burnish.languages.tables import kept
from burnish.languages.words import WORD
from burnish.text.markdown import Markdown, markdown

TOKEN = re.compile(r"\S+")
NO_WORDS = re.compile(r"[@\\/]|\w[._]\w|\w\(\)|^#\w")
"""Addresses, paths and names from code, which are not words."""


class Side(NamedTuple):
    """One side."""

    language: str
    """The primary tag; `und` if it is unknown."""
    view: Markdown

    @property
    def prose(self) -> str:
        return self.view.prose

    @property
    def scripts(self) -> tuple[str, ...]:
        """The scripts of the language; empty if it is unknown."""
        return scripts_of(self.language)


@lru_cache(maxsize=256)
def _tag(declared: str) -> str:
    return primary_tag(declared) or UNKNOWN_LANGUAGE


def source_of(paragraph: Paragraph) -> Side:
    return Side(_tag(paragraph.source_language), markdown(paragraph.text))


def target_of(paragraph: Paragraph) -> Side:
    return Side(_tag(paragraph.target_language), markdown(paragraph.translation))


def share_a_language(source: Side, target: Side) -> bool:
    """Whether both sides are known to be in one language, so that no word can be foreign."""
    return source.language == target.language != UNKNOWN_LANGUAGE


LONGEST_QUOTE = 120


def quoted(side: Side, start: int, end: int) -> str:
    """A passage in the form that findings quote: on one line, a long one shortened to its beginning and end."""
    words = " ".join(side.view.text[start:end].split())
    if len(words) > LONGEST_QUOTE:
        half = LONGEST_QUOTE // 2
        words = f"{words[:half].rsplit(' ', 1)[0]} … {words[-half:].split(' ', 1)[-1]}"
    return f"“{words}”"


def words_of(side: Side) -> list[re.Match[str]]:
    """The words of one side's prose, without those of addresses, paths and code."""
    prose = side.prose
    return [
        word
        for token in TOKEN.finditer(prose)
        if NO_WORDS.search(token.group()) is None
        for word in WORD.finditer(prose, token.start(), token.end())
    ]


RUN = 3
"""This many words in the same order are not chance."""


class Run(NamedTuple):
    """Consecutive words of the translation that are in the same order in the source."""

    words: tuple[re.Match[str], ...]
    first: int
    """The index of its first word in the translation."""

    @property
    def start(self) -> int:
        return self.words[0].start()

    @property
    def end(self) -> int:
        return self.words[-1].end()

    @property
    def small_words(self) -> list[str]:
        """Its lower-case words, which are not names."""
        return [match.group() for match in self.words if match.group()[0].islower()]


def copied_runs(source: Side, target: Side) -> list[Run]:
    """The longest runs, in order; linear, because only neighbours are compared."""
    said = [match.group().lower() for match in words_of(source)]
    known = set(zip(said, said[1:], said[2:], strict=False))
    words = words_of(target)
    lower = [match.group().lower() for match in words]
    spans: list[tuple[int, int]] = []
    for place, three in enumerate(zip(lower, lower[1:], lower[2:], strict=False)):
        # A run continues if the next three words overlap it.
        if three in known and spans and spans[-1][1] == place - 1:
            spans[-1] = (spans[-1][0], place)
        elif three in known:
            spans.append((place, place))
    return [Run(tuple(words[first : last + RUN]), first) for first, last in spans]


MOST_NAMES = 60


class NameDifference(NamedTuple):
    """Names that only the source has, and names that only the translation has."""

    lost: list[Name]
    new: list[Name]


def _unanswered_names(side: Side, other: Side) -> list[Name]:
    found = islice(names(side.prose, side.language), MOST_NAMES)
    return [
        name
        for name in found
        if not has_match(name.text, other.view.text, other.language)
        and not is_translated(name.text, side.language, other.prose, other.language)
    ]


def name_difference(source: Side, target: Side) -> NameDifference:
    """The names that only one side has; none for a side whose other language does not spell names by their sound."""
    return NameDifference(
        _unanswered_names(source, target) if spells_names(target.language) else [],
        _unanswered_names(target, source) if spells_names(source.language) else [],
    )


SMALL_NUMBER = 12
HALF_DAY = 12
HOURS = 24
CLOCK_DIGITS = re.compile(r"\d[:.h]\d\d")
QUARTERS = frozenset({"15", "30", "45"})


class NumberDifference(NamedTuple):
    """Numbers that only one side states."""

    lost: list[Number]
    """Of the source."""
    new: list[Number]
    """Of the translation."""


def _number_answers(side: Side, found: Numbers, other: Numbers) -> frozenset[str]:
    """Everything of this side that may answer a number of the other."""
    months = {str(word.number) for word in date_words(side.prose, side.language) if word.calendar == "month"}
    # A number may stand in code or in an address on this side: it is not asked for there, but it answers.
    offered = found.offered | months | _digits_anywhere(side.view.text) | _years_between(side.prose)
    if not (found.has_clock or other.has_clock):
        return offered
    hours = [int(value) for value in offered if value.isdecimal() and len(value) <= 2 and 0 < int(value) <= HOURS]
    answers = offered | {str((hour + HALF_DAY) % HOURS) for hour in hours}
    if CLOCK_DIGITS.search(side.prose):
        return answers
    answers |= {str(HALF_DAY)}
    if not any(QUARTERS & set(number.readings) for number in other.stated):
        return answers
    # In words: half past two is half of the third hour, and a quarter is 15 or 45.
    return answers | QUARTERS | {str(hour + step) for hour in hours for step in (-1, 1)}


SPAN_OF_YEARS = re.compile(r"(?<![\d.,:/–-])(\d\d)[–-](\d\d)(?![\d.,:/–-]\d|\d)")
CENTURIES = ("17", "18", "19", "20")


@kept
def _years_between(prose: str) -> frozenset[str]:
    """The years of a span that is written short: the war of 14-18 is that of 1914-1918."""
    return frozenset(
        century + year for span in SPAN_OF_YEARS.finditer(prose) for year in span.groups() for century in CENTURIES
    )


@kept
def _digits_anywhere(text: str) -> frozenset[str]:
    found = (read_digits(match[0]) for match in DIGITS.finditer(text))
    return frozenset(value for readings, parts in found for value in (*readings, *parts))


def _unanswered_numbers(asked: Numbers, answers: frozenset[str]) -> list[Number]:
    return [number for number in asked.stated if not _is_answered(number, answers)]


def _is_answered(number: Number, answers: frozenset[str]) -> bool:
    for reading in number.readings:
        # The 1990s are the 90s.
        is_decade = len(reading) == 4 and reading.endswith("0")
        if reading in ("0", "1") or not answers.isdisjoint(
            (reading, SHORT_YEAR + reading, reading[2:] if is_decade else reading)
        ):
            return True
    return bool(number.parts) and all(
        part == "0" or not answers.isdisjoint((part, SHORT_YEAR + part)) for part in number.parts
    )


def number_difference(source: Side, target: Side) -> NumberDifference:
    ours, theirs = numbers(source.prose, source.language), numbers(target.prose, target.language)
    return NumberDifference(
        _unanswered_numbers(ours, _number_answers(target, theirs, ours)),
        _unanswered_numbers(theirs, _number_answers(source, ours, theirs)),
    )


def reads_words(side: Side) -> bool:
    """Whether number words of this side's language are known."""
    known = number_words(side.language)
    return (known is not None and known.certain) or side.language in ("zh", "ja")


def says_another(side: Side, numbers_of_other: Iterable[Number]) -> bool:
    """Whether this side has a small number, in words or digits, that the other side does not have."""
    known = {reading for number in numbers_of_other for reading in number.readings}
    offered = numbers(side.prose, side.language).offered
    return any(value.isdecimal() and 1 < int(value) <= SMALL_NUMBER for value in offered - known)


LABEL = re.compile(r"[ \t]*\[[^\]\n]{1,999}\]:")
BARE_ADDRESS = re.compile(r"(?<![(\w])(?<!\]: )(?:https?|ftp)://")
"""An address that is neither the target nor the definition of a link."""
SHORTCUT = re.compile(r"(?<![\]\\!\w])\[(?!\^)[^\[\]\n]{2,200}\](?![(\[:])")
"""`[words]`, which is a link if the words are defined as one."""

NOTE_MARK = re.compile(r"(?<=\S)\[\^[^\]\s]{1,60}\]|\[\^[^\]\s]{1,60}\](?!:)")
"""The mark of a footnote in the text; not the note itself, which begins its line with the mark and a colon."""


@kept
def carried(text: str) -> tuple[Part, ...]:
    """All parts of the text that must not change, in order."""
    return tuple(parts(text))


class CarriedDifference(NamedTuple):
    """Parts of some kinds that only one side has."""

    lost: list[str]
    new: list[str]
    fewer: int
    """How many parts fewer the translation has; negative if it has more."""


def carried_difference(source: str, target: str, kinds: Iterable[PartKind]) -> CarriedDifference:
    wanted = set(kinds)
    ours, theirs = (Counter(_bare(part) for part in carried(text) if part.kind in wanted) for text in (source, target))
    return CarriedDifference(
        list((ours - theirs).elements()), list((theirs - ours).elements()), ours.total() - theirs.total()
    )


def _bare(part: Part) -> str:
    """A part as it is compared: an address without its label and title, code without surrounding spaces."""
    if part.kind == "code":
        return f"`{' '.join(part.text.split()).strip('` ')}`"
    if part.kind != "address":
        return " ".join(part.text.split())
    label = LABEL.match(part.text)
    target = part.text[label.end() :] if label is not None else part.text
    return target.split(maxsplit=1)[0].strip("<>") if target.strip() else ""


def links(text: str) -> int:
    """The number of links, images and bare addresses of a text."""
    return len(markdown(text).links) + len(BARE_ADDRESS.findall(text)) + len(SHORTCUT.findall(text))
