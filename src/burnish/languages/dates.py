"""Months and weekdays in each language, and the dates that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from burnish.languages.tables import kept, table, words_in

Calendar = Literal["month", "weekday"]

_WORD = re.compile(r"[\u0900-\u0963\u0971-\u097f]+|[^\W\d_]+(?:-feiras?)?")
_DAY_BEFORE = re.compile(r"(?<!\d)\d{1,2}(?:st|nd|rd|th|er|[.ºª°])?,? (?:of |de |di |d[’'])?$", re.IGNORECASE)
_DAY_OR_YEAR_BEHIND = re.compile(r",? (?:of |de |del |di )?(?:[12]\d{3}|\d{1,2}(?:st|nd|rd|th)?)\b")
_HAN_DAY = re.compile(r"(?:星期|周|週|礼拜)([一二三四五六日天])|([月火水木金土日])曜")
_HAN_DAYS = {
    sign: day for day, signs in enumerate(["一月", "二火", "三水", "四木", "五金", "六土", "日天"], 1) for sign in signs
}
_HAN_MONTH = re.compile(r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月")
_HAN_MONTHS = {
    sign: month
    for month, sign in enumerate(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"], 1)
}
LONGEST_DAY = 10
"""Characters of a day before its month, with the word between."""
STEM_ENDING = 5
"""Letters of an ending behind a stem that is written with a star."""


class DateWord(NamedTuple):
    """A month or a day of the week in a text."""

    start: int
    end: int
    calendar: Calendar
    number: int
    sure: bool


@cache
def _words(language: str) -> tuple[dict[str, tuple[Calendar, int]], tuple[tuple[str, Calendar, int], ...]]:
    exact: dict[str, tuple[Calendar, int]] = {}
    stems: list[tuple[str, Calendar, int]] = []
    calendars: dict[Calendar, str] = {"month": "months", "weekday": "weekdays"}
    for calendar, name in calendars.items():
        for number, forms in enumerate(table("dates")[name].get(language, "").split(), 1):
            for form in forms.split(","):
                if form.endswith("*"):
                    stems.append((form[:-1], calendar, number))
                else:
                    exact[form] = (calendar, number)
    return exact, tuple(stems)


def knows_dates(language: str) -> bool:
    return language in table("dates")["months"] or language in ("zh", "ja")


@kept
def date_words(prose: str, language: str) -> tuple[DateWord, ...]:
    """Every month and day of the week that the text names."""
    if language in ("zh", "ja"):
        return tuple(_in_han(prose))
    return tuple(_in_letters(prose, language)) if knows_dates(language) else ()


def _in_letters(prose: str, language: str) -> Iterator[DateWord]:
    exact, stems = _words(language)
    for match in _WORD.finditer(prose):
        word = match[0].lower()
        found = exact.get(word) or _by_stem(word, stems)
        # In English these begin with a capital: "may" and "march" are verbs, "sun" and "sat" no days.
        if found is None or (language == "en" and word == match[0]):
            continue
        sure = word not in words_in("dates", "doubtful") or (
            found[0] == "month" and _is_dated(prose, match.start(), match.end())
        )
        yield DateWord(match.start(), match.end(), *found, sure)


def _is_dated(prose: str, start: int, end: int) -> bool:
    """Whether a day or a year stands beside a word: then it is a month, whatever else it may mean."""
    before = prose[max(0, start - LONGEST_DAY) : start]
    return _DAY_BEFORE.search(before) is not None or _DAY_OR_YEAR_BEHIND.match(prose, end) is not None


def _by_stem(word: str, stems: tuple[tuple[str, Calendar, int], ...]) -> tuple[Calendar, int] | None:
    for stem, calendar, number in stems:
        if word.startswith(stem) and len(word) <= len(stem) + STEM_ENDING:
            return calendar, number
    return None


def _in_han(prose: str) -> Iterator[DateWord]:
    for match in _HAN_DAY.finditer(prose):
        yield DateWord(match.start(), match.end(), "weekday", _HAN_DAYS[match[1] or match[2]], True)
    for match in _HAN_MONTH.finditer(prose):
        number = int(match[1]) if match[1].isdecimal() else _HAN_MONTHS[match[1]]
        # 3个月 is three months; 3月 without the counter is March.
        yield DateWord(match.start(), match.end(), "month", number, True)
