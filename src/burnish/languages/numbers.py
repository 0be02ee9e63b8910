"""Numbers of a text in digits, words, Roman and Chinese numerals, with every value that each may have.

A number has several readings, because languages write it differently: `1.234` is above one thousand or just above one.
Two texts agree on a number if the other text offers any of its readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from burnish.languages.tables import kept, table

_BLANK = "\u0020\u00a0\u2009\u202f"
DIGITS = re.compile(rf"\d{{1,3}}(?:[{_BLANK}]\d{{3}})+(?![\d.,]*\d)|\d+(?:[.,'’·٫٬]\d+)*")
SPOKEN = re.compile(r"[\u0900-\u0963\u0971-\u097f]+|[^\W\d_]+")
HAN = re.compile(r"[零〇一二两兩三四五六七八九十廿百千万萬亿億兆]+")
ROMAN = re.compile(
    r"(?<![\w.])(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?=(?:e|è|ème|er|th|º|ª)?(?!\w))"
)
FRACTIONS = {"½": ("0.5", "50", "2"), "¼": ("0.25", "25"), "¾": ("0.75", "75"), "⅓": ("3",), "⅔": ("3", "2")}
FRACTION = re.compile("[" + "".join(FRACTIONS) + "]")
SCALE = re.compile(rf"[{_BLANK}-]?(?P<word>[万萬亿億兆千百]|[\u0900-\u0963\u0971-\u097f]+|[^\W\d_]+)")
NOTE = re.compile(
    r"\[\^[^\]\s]{1,60}\]|\b(?:por|per|pour|pro) ?cen(?:t|to|s)\b|\bpor ciento\b|\bCOVID-19\b", re.IGNORECASE
)
"""Not numbers: footnote marks, the hundred in per cent, the name of a disease."""
SHORT_YEAR = "’"
"""Marks the last digits of a year among the offered values: they may match a number of the other text."""
DECADE = re.compile(r"\b([12]\d)\d0['’]?s\b")
CLOCK = re.compile(
    r"\b\d{1,2}(?::\d\d|h\d{0,2})\b|\b(?:[ap]\.?\s?m\b|(?<=\d)[ap]m\b|o[’']clock|uhr|часов|часа|ч\b|h\b|noon|heures?|horas?|ore\b)",
    re.IGNORECASE,
)

_HAN_ONES = {
    sign: value
    for value, signs in enumerate(["〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"])
    for sign in signs
}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
ONES = frozenset(map(str, range(1, 10)))
CENTURIES = frozenset(map(str, range(10, 21)))
THOUSAND = Decimal(1000)
LONGEST_READ = 18
"""Digits of a number that is calculated with; a longer one is compared as a string."""
MOST_SCALES = 3
"""The most words of scale after one number: "mil millones" has two."""


STEM = 6
"""Letters by which long words derived from a cardinal are recognised."""


class NumberWords(NamedTuple):
    """The words for numbers of one language."""

    cardinals: dict[str, int]
    loose: dict[str, tuple[str, ...]]
    scales: dict[str, Decimal]
    joining: str
    stems: dict[str, str]
    """First STEM letters of long words derived from a cardinal, such as ordinals and their cases -> its value."""
    certain: bool = True
    """Whether all words for small numbers are known, so that a number without a known word is really missing."""


def _rows(name: str, language: str) -> Iterator[tuple[str, str]]:
    """Pairs of a number and a word for it."""
    for row in table("numbers")[name].get(language, "").split():
        number, _, words = row.partition(":")
        yield from ((number, word) for word in words.split(",") if word)


def _german() -> dict[str, int]:
    ones = dict(
        zip(["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"], range(1, 10), strict=True)
    )
    tens = {word: int(number) for number, word in _rows("cardinals", "de") if int(number) in range(20, 100, 10)}
    made = {f"{one}und{ten}": tens[ten] + ones[one] for one in ones for ten in tens}
    made |= {f"{one}hundert": ones[one] * 100 for one in ones}
    return (
        made | {f"{one}tausend": ones[one] * 1000 for one in ones} | {"zehntausend": 10_000, "hunderttausend": 100_000}
    )


def _italian() -> dict[str, int]:
    ones = dict(
        zip(["uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"], range(1, 10), strict=True)
    )
    tens = {word: int(number) for number, word in _rows("cardinals", "it") if int(number) in range(20, 100, 10)}
    made = {(ten[:-1] if one in ("uno", "otto") else ten) + one: tens[ten] + ones[one] for one in ones for ten in tens}
    made |= {f"{ten}tré": tens[ten] + 3 for ten in tens}
    made |= {f"{one}cento": ones[one] * 100 for one in ones if one != "uno"}
    return made | {f"{one}mila": ones[one] * 1000 for one in ones if one != "uno"} | {"diecimila": 10_000}


@cache
def number_words(language: str) -> NumberWords | None:
    """The number words of a language; None if they are not known."""
    if language not in table("numbers")["cardinals"]:
        return _spelled_out(language)
    cardinals = {word: int(number) for number, word in _rows("cardinals", language)}
    cardinals |= {"de": _german, "it": _italian}.get(language, dict)()
    loose: dict[str, tuple[str, ...]] = {}
    for number, word in _rows("loose", language):
        loose[word] = (*loose.get(word, ()), number)
    # Ambiguous words are loose: "sei" is six or a form of to be, "neuf" nine or new.
    kept = {word: value for word, value in cardinals.items() if word not in loose}
    for word, values in _spelled_words(language).items():  # ordinals, and cases that the table does not list
        if word not in kept:
            loose[word] = (*loose.get(word, ()), *values)
    stems = {word[:STEM]: str(value) for word, value in cardinals.items() if len(word) >= STEM}
    return NumberWords(kept, loose, scales(language), table("numbers")["joining"].get(language, ""), stems)


SPELLED = (*range(2, 101), *range(200, 1001, 100))
"""Numbers whose words are looked up: larger ones are made of them."""


def _spelled_out(language: str) -> NumberWords | None:
    """The small numbers of a language by CLDR's spell-out rules, in all cases and genders. They match numbers of the
    other text, but prove none missing: CLDR does not list every form."""
    words = _spelled_words(language)
    stems = {word[:STEM]: values[0] for word, values in words.items() if len(word) >= STEM}
    return NumberWords({}, words, scales(language), "", stems, certain=False) if words else None


def _spelled_words(language: str) -> dict[str, tuple[str, ...]]:
    """Word -> the numbers that CLDR spells with it. Empty if CLDR does not have the language."""
    from unicode_rbnf import RbnfEngine

    words: dict[str, tuple[str, ...]] = {}
    if language not in RbnfEngine.get_supported_languages():
        return words
    engine = RbnfEngine.for_language(language)
    for number in SPELLED:
        for text in engine.format_number(number).text_by_ruleset.values():
            word = text.replace("\u00ad", "").replace("\u200b", "").lower()
            if " " not in word:
                words[word] = (*words.get(word, ()), str(number))
    for value, word in _rows("spelled_too", language):
        words[word] = (value,)
    return words


@cache
def scales(language: str) -> dict[str, Decimal]:
    """Words that multiply the number before them; the English ones for an unknown language."""
    return {
        word: Decimal(number)
        for number, word in _rows("scales", language if language in table("numbers")["scales"] else "en")
    }


class Number(NamedTuple):
    """A number of a text."""

    start: int
    end: int
    readings: tuple[str, ...]
    """Its possible values, as plain decimals; any of them may match."""
    parts: tuple[str, ...] = ()
    """Its parts, if it may be several numbers in one (a date, a time); all of them together match too."""
    spoken: bool = False
    """Whether it is written in words."""


class Numbers(NamedTuple):
    """All numbers of a text."""

    stated: list[Number]
    offered: frozenset[str]
    """All values that can match a number of the other text, including those of loose words."""
    has_clock: bool


def plain(value: Decimal) -> str:
    """The canonical string of a number."""
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).lstrip("0") or "0"


def _whole(digits: str) -> str:
    """A whole number from digits of any script, without leading zeros."""
    if len(digits) > LONGEST_READ:
        return digits
    return str(int(digits))


def read_digits(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The readings of a number in digits, and its parts."""
    parts = re.split(r"\D", token)
    if len(parts) == 1:
        return (_whole(token),), ()
    marks = re.findall(r"\D", token)
    pieces = tuple(_whole(part) for part in parts)
    if len(token) > LONGEST_READ + len(marks):
        return (token,), pieces
    readings: list[str] = []
    if len(set(marks)) == 1 and _is_grouped(parts):
        readings.append(_whole("".join(parts)))
    if len(marks) == 1 and marks[0] in ".,٫·":
        readings.append(plain(Decimal(f"{int(parts[0])}.{_ascii(parts[1])}")))
    if len(set(marks)) == 2 and marks[-1] not in marks[:-1] and _is_grouped(parts[:-1]):
        readings.append(plain(Decimal(f"{int(''.join(parts[:-1]))}.{_ascii(parts[-1])}")))
    return tuple(readings), pieces


def _ascii(digits: str) -> str:
    return "".join(str(int(digit)) for digit in digits)


def _is_grouped(parts: list[str]) -> bool:
    """1.000.000 or, in India, 10,00,000."""
    return len(parts[0]) <= 3 and len(parts[-1]) == 3 and all(len(part) in (2, 3) for part in parts[1:-1])


def roman_value(numeral: str) -> int:
    values = [_ROMAN[sign] for sign in numeral]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def han_value(numeral: str) -> int | None:
    """The value of a Chinese numeral; None if it is not a number (万一, 千万 are words)."""
    if all(sign in _HAN_ONES for sign in numeral):
        return int("".join(str(_HAN_ONES[sign]) for sign in numeral[:LONGEST_READ]))
    total = section = digit = 0
    for sign in numeral.replace("廿", "二十")[:LONGEST_READ]:
        if sign in _HAN_ONES:
            digit = _HAN_ONES[sign]
        elif sign in _HAN_TENS:
            section += (digit or 1) * _HAN_TENS[sign]
            digit = 0
        elif section + digit == 0 and total == 0:
            return None
        else:
            total = (total + section + digit) * _HAN_SCALES[sign]
            section = digit = 0
    return total + section + digit


@kept
def numbers(prose: str, language: str) -> Numbers:
    """Every number of a text. The caller has blanked code, addresses and formulas."""
    prose = NOTE.sub(lambda match: " " * len(match[0]), prose)
    stated = list(_in_digits(prose, language))
    offered = {value for number in stated for value in (*number.readings, *number.parts)}
    if language in ("zh", "ja"):
        stated += _in_han(prose, {number.end for number in stated})
    words = number_words(language)
    if words is not None:
        offered.update(_loose(prose, words))
        stated += _with_years([_with_ones(number, prose, words) for number in _in_words(prose, words)])
    offered.update(value for number in stated for value in number.readings)
    offered.update(str(roman_value(match[0])) for match in ROMAN.finditer(prose) if match[0])
    if language in ("zh", "ja"):
        offered.update(str(_HAN_TENS[sign]) for sign in _HAN_TENS if sign in prose)
    offered.update(value for match in FRACTION.finditer(prose) for value in FRACTIONS[match[0]])
    offered.update([SHORT_YEAR + str(int(year) % 100) for year in offered if len(year) == 4 and year.isdecimal()])
    offered.update(str(int(match[1]) + 1) for match in DECADE.finditer(prose))  # the 1850s are in the 19th century
    return Numbers(stated, frozenset(offered), CLOCK.search(prose) is not None)


def _in_digits(prose: str, language: str) -> Iterator[Number]:
    known = scales(language)
    for match in DIGITS.finditer(prose):
        readings, parts = read_digits(match[0])
        end, factor = _scaled(prose, match.end(), known)
        if factor != 1:
            scaled = [plain(Decimal(value) * factor) for value in readings if len(value) <= LONGEST_READ]
            yield Number(match.start(), end, (*scaled,) or readings, parts=readings[:1])
        else:
            yield Number(match.start(), match.end(), readings, parts)


def _scaled(prose: str, end: int, known: dict[str, Decimal]) -> tuple[int, Decimal]:
    """The end of a number with its words of scale, and the factor they give."""
    factor = Decimal(1)
    for _ in range(MOST_SCALES):
        word = SCALE.match(prose, end, end + 24)
        if word is None or word["word"].lower() not in known:
            break
        factor *= known[word["word"].lower()]
        end = word.end()
    return end, factor


def _in_han(prose: str, after_digits: set[int]) -> Iterator[Number]:
    for match in HAN.finditer(prose):
        value = han_value(match[0]) if match.start() not in after_digits else None
        if value is not None and match[0] not in ("一", "十", "百", "千", "万", "百千", "千万"):
            yield Number(match.start(), match.end(), (str(value),), spoken=True)


def _loose(prose: str, words: NumberWords) -> Iterator[str]:
    for match in SPOKEN.finditer(prose.lower()):
        yield from words.loose.get(match[0], ())
        if match[0][:STEM] in words.stems:
            yield words.stems[match[0][:STEM]]
        if match[0] in words.scales:
            yield plain(words.scales[match[0]])


def _in_words(prose: str, words: NumberWords) -> Iterator[Number]:
    """Numbers read from runs of number words that fit together."""
    run = _Run()
    for match in SPOKEN.finditer(prose):
        word = match[0].lower()
        if match.start() - run.end > 1 or not run.continues(word, words):
            yield from run.numbers()
            run = _Run()
        run.read(word, match, words)
    yield from run.numbers()


def _with_ones(number: Number, prose: str, words: NumberWords) -> Number:
    """A number with a loose word after it that may be its last digit: thirty-one, treinta y un, the twenty-first.
    Without a hyphen the word may be an article, so the number alone is a reading too; without a joining word only a one
    counts: twenty seconds are not 22."""
    value = int(Decimal(number.readings[0]))
    if value % 10 or 0 < value % 100 < 20:
        return number
    behind = re.compile(rf"(?P<mark>[-‐ ])(?P<joined>{re.escape(words.joining)}[-‐ ])?(?P<word>[^\W\d_]+)").match(
        prose, number.end
    )
    ones = words.loose.get(behind["word"].lower(), ()) if behind is not None else ()
    if behind is None:
        return number
    is_apart = behind["mark"] == " "
    fitting = ONES if not is_apart or behind["joined"] else {"1"}
    made = tuple(str(value + int(one)) for one in ones if one in fitting)
    if not made:
        return number
    readings = made if not is_apart else (*made, *number.readings)
    return number._replace(end=behind.end(), readings=readings)


def _with_years(spoken: list[Number]) -> Iterator[Number]:
    """Join two adjacent numbers that may be a year: nineteen thirty-three."""
    for place, number in enumerate(spoken):
        following = spoken[place + 1] if place + 1 < len(spoken) else None
        is_year = following is not None and following.start - number.end == 1 and number.readings[0] in CENTURIES
        if is_year and following is not None and len(following.readings[0]) == 2:
            year = number.readings[0] + following.readings[0]
            yield number._replace(end=following.end, readings=(year, *number.readings))
        else:
            yield number


NINE = "neuf"
"""French for nine and for new; after another number it is always nine: quatre-vingt-dix-neuf."""


class _Run:
    """A number being read from its words, left to right."""

    __slots__ = ("current", "end", "last", "leads", "start", "total", "words")

    def __init__(self) -> None:
        self.start = self.end = self.last = self.words = 0
        self.total, self.current = Decimal(0), 0
        self.leads = False

    def continues(self, word: str, words: NumberWords) -> bool:
        """Whether the word can continue the number."""
        if word in words.cardinals:
            return self.with_value(words.cardinals[word]) is not None
        if word == NINE and self.words:
            return self.with_value(9) is not None
        return (self.words > 0 or words.scales.get(word) == THOUSAND) and (
            word in words.scales or word == words.joining
        )

    def read(self, word: str, match: re.Match[str], words: NumberWords) -> None:
        if word in words.cardinals:
            self.current = self.with_value(words.cardinals[word]) or 0
        elif word == NINE and self.words and self.continues(word, words):
            self.current += 9
        elif self.words and word in words.scales:
            self.multiply(words.scales[word])
        elif words.scales.get(word) == THOUSAND:
            self.total, self.leads = THOUSAND, True  # mil novecientos
        else:
            # A joining word is part of the number only if another word of it follows.
            self.end = match.end() if self.words else self.end
            return
        self.start = self.start if self.words else match.start()
        self.words += 1
        self.end = self.last = match.end()

    def with_value(self, value: int) -> int | None:
        """The number with the value added; None if it does not fit ("two three")."""
        current = self.current
        if value == 100 and 0 < current < 100:
            return current * 100
        if current == 4 and value == 20:
            return 80  # quatre-vingts
        fits = (
            current == 0
            or (current % 100 == 0 and value < 100)
            or (current % 1000 == 0 and value < 1000)
            or (current % 10 == 0 and current % 100 >= 20 and value < 10)
            or (current % 100 in (60, 80) and 10 <= value < 20)  # soixante-dix, quatre-vingt-onze
            or (current % 100 in (10, 70, 90) and 7 <= value < 10)  # dix-sept, soixante-dix-sept
        )
        return current + value if fits else None

    def multiply(self, scale: Decimal) -> None:
        if self.current == 0:
            self.total *= scale
        else:
            self.total += self.current * scale
            self.current = 0

    def numbers(self) -> Iterator[Number]:
        # A thousand alone often just means many.
        if self.words > self.leads:
            yield Number(self.start, self.last, (plain(self.total + self.current),), spoken=True)


_BEFORE = re.compile(r"([€$£¥₽₹])\s?$")
_BEHIND = re.compile(
    r"[ \u00a0\u202f-]{0,2}(?P<unit>[%％€$£¥₽₹]|°\s?[cf]\b|个月|か月|ヶ月"
    r"|[\u4e00-\u9fff\u30a0-\u30ff]{1,6}|[\u0900-\u0963]+|[^\W\d_]+)",
    re.IGNORECASE,
)


class Measured(NamedTuple):
    """A number with its unit."""

    number: Number
    unit: str
    written: str
    """The unit as written in the text."""
    end: int


@cache
def _unit_of() -> dict[str, str]:
    found: dict[str, str] = {}
    for unit, words in table("numbers")["units"].items():
        for word in words.split():
            found.setdefault(word, unit)
    return found


def measured(prose: str, language: str) -> Iterator[Measured]:
    """Every number with a unit."""
    known = _unit_of()
    for number in numbers(prose, language).stated:
        before = _BEFORE.search(prose, max(0, number.start - 2), number.start)
        behind = _BEHIND.match(prose, number.end, number.end + 30)
        written = before[1] if before is not None else behind["unit"] if behind is not None else ""
        unit = _longest(_plain(written), known)
        if unit is not None:
            yield Measured(number, unit, written, behind.end() if behind is not None and before is None else number.end)


def unit_named(written: str) -> str | None:
    """The unit that a word or sign names; None if it is not known."""
    return _longest(_plain(written), _unit_of())


def _plain(written: str) -> str:
    """The unit in lower case; a single letter keeps its case: 5 g is a unit, 5 G is not."""
    return written if len(written) == 1 else written.lower().replace(" ", "")


def _longest(word: str, known: dict[str, str]) -> str | None:
    """The unit of a word; in Chinese and Japanese, of its longest beginning, because no space follows a unit."""
    if word[:1] > "\u2e80":
        return next((known[word[:n]] for n in range(len(word), 0, -1) if word[:n] in known), None)
    return known.get(word)
