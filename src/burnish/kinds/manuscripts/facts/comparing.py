"""Numbers of a source held against those of its translation."""

from __future__ import annotations

from typing import NamedTuple

from burnish.kinds.manuscripts.facts.dates import date_words
from burnish.kinds.manuscripts.facts.keeping import kept
from burnish.kinds.manuscripts.facts.number_words import number_words
from burnish.kinds.manuscripts.facts.numbers import DIGITS, Number, Numbers, numbers, read_digits
from burnish.kinds.manuscripts.wording.sides import Side

HALF_DAY = 12
HOURS = 24


class NumberDifference(NamedTuple):
    """What one side states and the other does not."""

    lost: list[Number]
    """Of the source."""
    new: list[Number]
    """Of the translation."""


def _answers(side: Side, found: Numbers, other: Numbers) -> frozenset[str]:
    """Everything of this side that may answer a number of the other."""
    months = {str(word.number) for word in date_words(side.prose, side.language) if word.calendar == "month"}
    # A number may stand in code or in an address on this side: it is not asked for there, but it answers.
    offered = found.offered | months | _digits_anywhere(side.view.text)
    if not (found.has_clock or other.has_clock):
        return offered
    hours = [int(value) for value in offered if value.isdecimal() and len(value) <= 2 and int(value) <= HOURS]
    return offered | {str((hour + HALF_DAY) % HOURS) for hour in hours} | {str(HALF_DAY)}


@kept
def _digits_anywhere(text: str) -> frozenset[str]:
    found = (read_digits(match[0]) for match in DIGITS.finditer(text))
    return frozenset(value for readings, parts in found for value in (*readings, *parts))


def _unanswered(asked: Numbers, answers: frozenset[str]) -> list[Number]:
    return [number for number in asked.stated if not _is_answered(number, answers)]


def _is_answered(number: Number, answers: frozenset[str]) -> bool:
    for reading in number.readings:
        # The 1990s are the 90s.
        is_decade = len(reading) == 4 and reading.endswith("0")
        if reading in answers or reading in ("0", "1") or (is_decade and reading[2:] in answers):
            return True
    return bool(number.parts) and answers.issuperset(part for part in number.parts if part != "0")


def number_difference(source: Side, target: Side) -> NumberDifference:
    ours, theirs = numbers(source.prose, source.language), numbers(target.prose, target.language)
    return NumberDifference(
        _unanswered(ours, _answers(target, theirs, ours)), _unanswered(theirs, _answers(source, ours, theirs))
    )


def reads_words(side: Side) -> bool:
    """Whether numbers that this side writes in words are understood."""
    return number_words(side.language) is not None or side.language in ("zh", "ja")
