"""Options that are quantities: "5 mg", "10-20", "more than 3 weeks", "1/2", "$1,200", "2.5 x 10^3 J".

Longer texts are not quantities, so no pattern here ever reads a long text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LONGEST = 60

_DIGITS = r"(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)"
_POWER = r"(?:\s?[x×*·]\s?10\s?\^?\s?\(?(?P<{0}power>[-−+]?\d{{1,3}})\)?)?"
_NUMBER = (
    r"(?P<{0}sign>[-−+])?\s?[$€£]?\s?(?P<{0}whole>" + _DIGITS + r"(?:\.\d+)?|\.\d+)"
    r"(?:(?:\s?/\s?|\s+in\s+|\s+out\s+of\s+)(?P<{0}under>" + _DIGITS + r"(?:\.\d+)?))?" + _POWER
)
_UNIT = r"(?P<{0}unit>%|(?!(?:to|and|through)\b)/?°?[A-Za-zµμΩ°Å][^\d<>=,;]*)?"
_ABOVE = r"(?:more|greater|larger|higher|longer|older)\s+than|over|above|at\s+least|exceeding|>=?|≥"
_BELOW = r"(?:less|fewer|smaller|lower|shorter|younger)\s+than|under|below|at\s+most|up\s+to|<=?|≤"
_ABOUT = r"about|approximately|around|roughly|nearly|almost|exactly|~|≈|±"

QUANTITY = re.compile(
    rf"(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})|(?:{_ABOUT})|(?P<between>between|from))?\s*"
    + _NUMBER.format("a")
    + r"\s?"
    + _UNIT.format("a")
    + r"(?:(?:\s?[-–—]\s?|\s+to\s+|(?P<and>\s+and\s+)|\s+through\s+)"
    + _NUMBER.format("b")
    + r"\s?"
    + _UNIT.format("b")
    + r")?",
    re.IGNORECASE,
)
DIGIT = re.compile(r"\d")
_OR_MORE = re.compile(r"\s+(?:or|and)\s+(?:more|above|over|older|higher)$|\+$", re.IGNORECASE)
_OR_LESS = re.compile(r"\s+(?:or|and)\s+(?:less|fewer|below|under|younger|lower)$", re.IGNORECASE)

_SIZES: dict[str, dict[str, float]] = {
    "": {"": 1.0, "%": 0.01, "percent": 0.01, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9},
    "mass": {"kg": 1e3, "g": 1.0, "mg": 1e-3, "mcg": 1e-6, "µg": 1e-6, "μg": 1e-6, "ng": 1e-9, "gram": 1.0}
    | {"kilogram": 1e3},
    "volume": {"l": 1.0, "dl": 0.1, "ml": 1e-3, "liter": 1.0, "litre": 1.0},
    "length": {"km": 1e3, "cm": 1e-2, "mm": 1e-3, "nm": 1e-9, "meter": 1.0},
    "time": {"ms": 1e-3, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "hr": 3600.0, "hour": 3600.0}
    | {"day": 86400.0, "week": 604800.0, "month": 2629746.0, "year": 31556952.0},
}
_UNITS = {name: (dimension, size) for dimension, sizes in _SIZES.items() for name, size in sizes.items()}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value or a range; an open end is infinite."""

    low: float
    high: float
    dimension: str
    """Quantities of one dimension can be compared: "mass", "time", or the unit itself if it cannot be converted."""

    @property
    def is_value(self) -> bool:
        return self.low == self.high

    @property
    def is_open(self) -> bool:
        return math.isinf(self.low) or math.isinf(self.high)


def quantity(text: str) -> Quantity | None:
    """The quantity that the whole text states, or None."""
    bare = text.strip().rstrip(". ")
    if len(bare) > LONGEST or not DIGIT.search(bare):
        return None
    # "65 years or older" is "above 65 years".
    ends = ((pattern.search(bare), end) for pattern, end in ((_OR_MORE, "above"), (_OR_LESS, "below")))
    ended, open_end = next(((bare[: found.start()], end) for found, end in ends if found), (bare, ""))
    match = QUANTITY.fullmatch(ended)
    # "between 8 and 15" is a range, "8 and 15" are two values.
    if match is None or (match["between"] and not match["bwhole"]) or (match["and"] and not match["between"]):
        return None
    return _read(match, open_end)


def _read(match: re.Match[str], open_end: str) -> Quantity | None:
    first = _value(match, "a")
    if first is None:
        return None
    unit = match["bunit"] or match["aunit"] or ""
    dimension, size = _dimension(unit)
    if match["bwhole"]:
        second = _value(match, "b")
        first_size = _dimension(match["aunit"])[1] if match["aunit"] else size
        if second is None:
            return None
        low, high = first * first_size, second * size
        if high < low <= 0:
            low, high = high, low  # "-2 to -4 °C" runs downwards
        return Quantity(low, high, dimension) if low <= high else None
    if match["above"] or open_end == "above":
        return Quantity(first * size, math.inf, dimension)
    if match["below"] or open_end == "below":
        return Quantity(-math.inf, first * size, dimension)
    return Quantity(first * size, first * size, dimension)


def _value(match: re.Match[str], which: str) -> float | None:
    value = float(match[f"{which}whole"].replace(",", "").rstrip(".") or 0)
    if match[f"{which}under"]:
        under = float(match[f"{which}under"].replace(",", ""))
        if not under:
            return None
        value /= under
    if match[f"{which}power"]:
        value *= 10.0 ** int(match[f"{which}power"].replace("−", "-"))
    return -value if match[f"{which}sign"] in ("-", "−") else value


def _dimension(unit: str) -> tuple[str, float]:
    name = " ".join(unit.split()).rstrip(".")
    lowered = name.lower()
    for known in (name, lowered, lowered.removesuffix("s")):
        if known in _UNITS:
            return _UNITS[known]
    return lowered.removesuffix("s"), 1.0


ROMAN = re.compile(r"\b(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})\b")
_FRAMED = re.compile(r"(\D*\s|)(\d{1,9}(?:\.\d{1,9})?)(\D*)")
DATE = re.compile(
    r"(?:(?P<first>\d{1,2})\s+)?(?P<month>[A-Za-z]{3,9})\.?(?:\s+(?P<day>\d{1,2}),?)?\s+(?P<year>\d{3,4})"
)
CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d\d)\s?(?P<half>[ap]\.?m\.?)?", re.IGNORECASE)
_MONTHS = {
    name: place
    for place, name in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
}
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}
_SCALES = tuple(
    {word: place for place, words in enumerate(scale.split()) for word in words.split("/")}
    for scale in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
        "once twice thrice",
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
        "mild moderate severe",
        "low medium/moderate high",
        "small medium large",
        "primary secondary tertiary quaternary",
        "never rarely sometimes often always",
    )
)
_ON_A_SCALE = frozenset(word for scale in _SCALES for word in scale)


def ordered_values(texts: Sequence[str]) -> list[tuple[float, float]] | None:
    """The position of each option on a scale that all of them share, or None if there is none."""
    if not texts or any(len(text) > LONGEST for text in texts):
        return None
    readers = (*_WITH_DIGITS, *_WITHOUT_DIGITS) if DIGIT.search(texts[0]) else _WITHOUT_DIGITS
    return next((values for read in readers if (values := read(texts)) is not None), None)


_Reader = Callable[[Sequence[str]], list[tuple[float, float]] | None]


def _by_quantity(texts: Sequence[str]) -> list[tuple[float, float]] | None:
    found: list[Quantity] = []
    for text in texts:
        value = quantity(text)
        if value is None or (found and value.dimension != found[0].dimension):
            return None
        found.append(value)
    return [(value.low, value.high) for value in found]


def _by_date(texts: Sequence[str]) -> list[tuple[float, float]] | None:
    """ "March 3, 1990", "3 March 1990", "March 1990" by the calendar, "8:30 a.m." by the clock."""
    for read in (_day, _hour):
        values = [value for text in texts if (value := read(text.strip().rstrip("."))) is not None]
        if len(values) == len(texts):
            return values
    return None


def _day(text: str) -> tuple[float, float] | None:
    match = DATE.fullmatch(text)
    month = _MONTHS.get((match["month"] or "").lower()[:3]) if match else None
    if match is None or month is None:
        return None
    return float(match["year"]), month * 100 + float(match["day"] or match["first"] or 0)


def _hour(text: str) -> tuple[float, float] | None:
    match = CLOCK.fullmatch(text)
    if match is None:
        return None
    afternoon = (match["half"] or "").lower().startswith("p")
    hour = int(match["hour"]) % 12 + (12 if afternoon else 0) if match["half"] else int(match["hour"])
    return float(hour), float(match["minute"])


_Framed = tuple[str, str, float]
"""The text before a number, the text after it, and the number."""


def _in_one_frame(read: Callable[[str], _Framed | None]) -> _Reader:
    """A reader of texts that differ only in one number."""

    def values(texts: Sequence[str]) -> list[tuple[float, float]] | None:
        found: list[_Framed] = []
        for text in texts:
            one = read(text)
            if one is None or (found and one[:2] != found[0][:2]):
                return None
            found.append(one)
        return [(number, 0.0) for _, _, number in found]

    return values


def _numbered(text: str) -> _Framed | None:
    """ "Chromosome 7", "Chromosome 21"; but "IL-4" is a name."""
    match = _FRAMED.fullmatch(text.strip().rstrip("."))
    return (match[1].strip().lower(), match[3].strip().lower(), float(match[2])) if match is not None else None


def _roman_numbered(text: str) -> _Framed | None:
    """ "Stage II", "Stage IV"."""
    match = ROMAN.search(text)
    if match is None or not match.group() or sum(any(parts) for parts in ROMAN.findall(text)) != 1:
        return None
    before, after = text[: match.start()], text[match.end() :].rstrip(".")
    digits = [_ROMAN_DIGITS[letter] for letter in match.group()]
    number = sum(-d if any(later > d for later in digits[n + 1 :]) else d for n, d in enumerate(digits))
    return before.strip().lower(), after.strip().lower(), float(number)


def _by_scale(texts: Sequence[str]) -> list[tuple[float, float]] | None:
    words = [text.strip().rstrip(".").lower() for text in texts]
    if words[0] not in _ON_A_SCALE:
        return None
    scale = next((scale for scale in _SCALES if all(word in scale for word in words)), None)
    return [(float(scale[word]), 0.0) for word in words] if scale is not None else None


_WITH_DIGITS: tuple[_Reader, ...] = (_by_quantity, _by_date, _in_one_frame(_numbered))
_WITHOUT_DIGITS: tuple[_Reader, ...] = (_in_one_frame(_roman_numbered), _by_scale)
"""All kinds of scale, the most reliable first. Those with digits are skipped if the first option has none."""


def is_monotone(values: Sequence[tuple[float, float]]) -> bool:
    """Whether the values ascend or descend; equal neighbours are allowed."""
    return list(values) in (sorted(values), sorted(values, reverse=True))
