"""Numbers with their units, and dates, in a text: facts that can be compared with a source without a model.

Only clear cases are read. A number in a label ("Figure 3"), after "more than" or written in words is ignored, because
a false alarm costs more than a missed error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.languages.tables import table, words_in
from burnish.languages.words import stem

DATE = "date"
"""The measure of every date, with a day or only a year."""

MONTHS: dict[str, int] = {
    name: number for number, names in enumerate(table("mentions")["months"], 1) for name in names.split()
}
MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
ORDINAL = r"(?:st|nd|rd|th|\.|º)?"
LINK = r"(?:de[ ]|of[ ])?"
DAY_FIRST = rf"\b(?P<day>\d{{1,2}}){ORDINAL}[ ]{LINK}(?P<month>{MONTH})\b\.?(?:,?[ ](?:de[ ])?(?P<year>{YEAR})\b)?"
MONTH_FIRST = (
    rf"\b(?P<month2>{MONTH})\b\.?[ ](?:(?P<day2>\d{{1,2}}){ORDINAL}\b(?!\d)(?:,[ ]|[ ])?)?{LINK}(?P<year2>{YEAR})?\b"
)
NUMBER = r"\d{1,3}(?:[ .,’']\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
MENTION = re.compile(
    rf"""
    (?P<iso>\b{YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b)
  | (?P<numeric>\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b)           # 03/04/1990: whose order?
  | {DAY_FIRST}
  | {MONTH_FIRST}
  | (?<![\w.,/:+*=^-])(?P<sign>[-−]?)(?P<number>{NUMBER})(?![\w/:^]|[.,-]\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)
FOLLOWING = re.compile(r"[ \u00a0-]?(?:(?P<sign>[%°€$£])|(?:percent|per cent|por ciento)\b|(?P<word>[^\W\d_]+))")
LABELS = words_in("mentions", "labels")
COMPARING = words_in("mentions", "comparing")
BEFORE_YEARS = words_in("mentions", "before_years")
"""Words that make the number after them a year, whatever follows: "in 1914 war broke out"."""
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "mil": 1e3, "millón": 1e6, "millones": 1e6, "millions": 1e6}
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilogramme", "kilogrammes", "kilogramos"), ("g", 1e3)),
    **dict.fromkeys(("g", "gram", "grams", "gramos"), ("g", 1.0)),
    **dict.fromkeys(("mg", "milligram", "milligrams", "miligramos"), ("g", 1e-3)),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers", "kilómetros"), ("m", 1e3)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters", "metros"), ("m", 1.0)),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("m", 1e-2)),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("m", 1e-3)),
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters", "litros"), ("l", 1.0)),
    **dict.fromkeys(("ml", "millilitre", "millilitres", "milliliter", "milliliters"), ("l", 1e-3)),
}
NO_UNIT = words_in("mentions", "no_unit")
RANGE_MARKS = frozenset("–—±")
BOUND_MARKS = frozenset("–—±~≈<>≤≥")
LAST_DAY = 31
NEARBY = 60
"""Characters before a number in which its context words are searched."""
NEAR = 0.01
"""The share by which equal values may differ, because of rounding."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A number or a date in a text."""

    text: str
    start: int
    end: int
    measure: str
    """What it measures: `date`, a unit (`m`, `%`), or the stem of the counted noun; empty if there is none."""
    values: tuple[float, ...] = ()
    """The possible values: `1,234` may be 1234 or 1.234."""
    date: tuple[int | None, int | None, int | None] = (None, None, None)
    """Year, month, day, if given."""
    compared: bool = False
    """Whether it is a bound or an approximate figure ("more than 5", "until 1990")."""

    def agrees(self, other: Mention) -> bool:
        """Whether both may have the same value. Parts that only one of them gives are ignored."""
        if self.measure != other.measure:
            return False
        if self.measure == DATE:
            pairs = [(a, b) for a, b in zip(self.date, other.date, strict=True) if a is not None and b is not None]
            return bool(pairs) and all(a == b for a, b in pairs)
        return any(math.isclose(a, b, rel_tol=NEAR) for a in self.values for b in other.values)


def mentions(text: str) -> list[Mention]:
    """Every clear number and date of `text`, in order."""
    found: list[Mention] = []
    for match in MENTION.finditer(text):
        if match["numeric"]:
            continue
        if match["iso"]:
            year, month, day = match["iso"].split("-")
            found.append(_dated(text, match, (int(year), int(month), int(day))))
        elif match["month"] or match["month2"]:
            found += _calendar(text, match)
        else:
            found += _number(text, match)
    return found


def _calendar(text: str, match: re.Match[str]) -> Iterator[Mention]:
    year, day = match["year"] or match["year2"], match["day"] or match["day2"]
    name = match["month"] or match["month2"]
    if year is None and (day is None or name.islower()):
        return  # "may 2 people stand here" is not a day in May
    if day is not None and not 1 <= int(day) <= LAST_DAY:
        return
    month = MONTHS[name.lower()]
    yield _dated(text, match, (int(year) if year else None, month, int(day) if day else None))


def _dated(text: str, match: re.Match[str], date: tuple[int | None, int | None, int | None]) -> Mention:
    shown, start = match.group().rstrip(" ,"), match.start()
    compared = not COMPARING.isdisjoint(_words_before(text, start))
    return Mention(shown, start, start + len(shown), DATE, (), date, compared)


def _number(text: str, match: re.Match[str]) -> Iterator[Mention]:
    start, end, digits = match.start(), match.end(), match["number"]
    before, last = _words_before(text, start)
    if last in LABELS:
        return
    measure, scale, end = _measure(text, end)
    # "10–20", "1914–1918", "±5": each of the two is a bound.
    behind, ahead = text[end : end + 2].lstrip()[:1], text[max(0, start - 2) : start].rstrip()[-1:]
    compared = last in COMPARING or before in COMPARING or behind in RANGE_MARKS or ahead in BOUND_MARKS
    if re.fullmatch(YEAR, digits) and not match["sign"] and (measure == "" or last in BEFORE_YEARS):
        year = int(digits)
        yield Mention(digits, start, match.end(), DATE, (), (year, None, None), compared)
    elif measure:
        sign = -1.0 if match["sign"] else 1.0
        values = tuple(sign * scale * value for value in _values(digits))
        yield Mention(text[start:end], start, end, measure, values, compared=compared)


def _words_before(text: str, start: int) -> tuple[str, str]:
    """The two words directly before a number, in lower case; empty if there are none."""
    near = text[max(0, start - NEARBY) : start].rstrip(" \u00a0$€£#([")
    if not near[-1:].isalpha():
        return "", ""
    words = near.lower().split()
    return words[-2] if len(words) > 1 else "", words[-1]


def _measure(text: str, end: int) -> tuple[str, float, int]:
    """The unit or noun after the number, the multiplier of a scale word, and where they end."""
    scale = 1.0
    following = FOLLOWING.match(text, end)
    if following is not None and (word := (following["word"] or "").lower()) in SCALES:
        scale, end = SCALES[word], following.end()
        following = FOLLOWING.match(text, end)
        if following is not None and (following["word"] or "").lower() in ("of", "de"):
            following = FOLLOWING.match(text, following.end())
    if following is None:
        return "", scale, end
    if following["word"] is None:
        return following["sign"] or "%", scale, following.end()
    word = following["word"].lower()
    if word in NO_UNIT:
        return "", scale, end
    unit = UNITS.get(word)
    if unit is not None:
        return unit[0], scale * unit[1], following.end()
    return stem(word), scale, following.end()


def _values(digits: str) -> Iterator[float]:
    """Both readings of a number with a point or comma that may separate thousands or decimals."""
    plain = re.sub(r"[ ’']", "", digits)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        yield float(plain)
        return
    grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain) and len(set(marks)) == 1
    if grouped:
        yield float(re.sub(r"[.,]", "", plain))
    if len(marks) == 1:
        yield float(plain.replace(",", "."))
    elif not grouped:
        head, _, tail = plain.rpartition(marks[-1])
        yield float(re.sub(r"[.,]", "", head) + "." + tail)
