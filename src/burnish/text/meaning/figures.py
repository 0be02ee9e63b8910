"""Numbers with their units and bounds, dates, Roman numerals."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from burnish.languages.contrasts import Contrast
from burnish.languages.numbers import ROMAN, number_words, numbers, roman_value
from burnish.languages.proper_nouns import date_words, knows_dates
from burnish.languages.units import Unit, unit_of_number
from burnish.text.meaning.differences import Difference, became, shown
from burnish.text.meaning.passages import Comparison, Version

POINT_LANGUAGES = frozenset({"en", "zh", "ja", "ko", "th", "he", "hi"})
"""Languages in which a point separates decimals and a comma thousands, never the other way round."""
SIGNS = {">": "more than", "<": "less than", "≥": "at least", "≤": "at most", ">=": "at least", "<=": "at most"}
BOUND_SIGN = re.compile(r"(?:>=|<=|[<>≥≤])\s?$")
MINUS = re.compile(r"(?:^|[\s(\[=,;:])[-−–]\s?$")
LIST_MARK = re.compile(r"(?:^|\n)[ \t]*\(?$")
AFTER_LIST_MARK = re.compile(r"[.)](?=\s)")
JOINS = re.compile(r"\s*(?:[-–—/,]|,?\s*\w{1,5})\s*\(?$")
"""What may stand between two numbers that share the unit of the second."""
LONGEST_JOIN = 8
NEAR = 3
"""The most characters between a number and the words of its bound."""
CLOSE = 1e-9
TEN = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the changed sentences."""

    readings: tuple[str, ...]
    unit: Unit | None
    bound: str
    """`at least`, `more than` ...; empty if there is none."""
    negative: bool
    start: int
    end: int
    text: str

    def is_number(self, other: Figure) -> bool:
        return self.negative == other.negative and not set(self.readings).isdisjoint(other.readings)

    def is_quantity(self, other: Figure) -> bool:
        """Whether both are the same quantity, perhaps in another unit."""
        if self.unit is None or other.unit is None:
            return self.unit is other.unit and self.is_number(other)
        if self.unit.dimension != other.unit.dimension or self.negative != other.negative:
            return False
        mine, theirs = self.unit.size, other.unit.size
        return any(
            math.isclose(float(a) * mine, float(b) * theirs, rel_tol=CLOSE)
            for a in self.readings
            for b in other.readings
        )


def figures(version: Version, bounds: Sequence[Contrast]) -> tuple[list[Figure], frozenset[str]]:
    """The numbers of the changed sentences; and every value that they offer, those of loose words included."""
    prose, language = version.changed, version.language
    read = numbers(prose, language)
    found: list[Figure] = []
    before = {contrast.end: contrast.side for contrast in bounds}
    behind = {contrast.start: contrast.side for contrast in bounds}
    for number in read.stated:
        if _is_list_mark(prose, number.start, number.end):
            continue
        unit = unit_of_number(prose, number.start, number.end)
        end = unit.end if unit is not None else number.end
        readings = _readings(prose[number.start : number.end], number.readings, number.spoken, language)
        bound = _bound(prose, number.start, end, before, behind)
        negative = MINUS.search(prose, max(0, number.start - 3), number.start) is not None
        found.append(Figure(readings, unit, bound, negative, number.start, end, prose[number.start : end].strip()))
    found += _spelled(version, before, behind)
    found.sort(key=lambda figure: figure.start)
    for place in range(len(found) - 2, -1, -1):
        one, following = found[place], found[place + 1]
        between = prose[one.end : min(following.start, one.end + LONGEST_JOIN)]
        if one.unit is None and following.unit is not None and JOINS.fullmatch(between):
            found[place] = replace(one, unit=following.unit)
    return found, read.offered


def _spelled(version: Version, before: dict[int, str], behind: dict[int, str]) -> Iterator[Figure]:
    """Numbers in words before a unit, in languages whose number words are only known from rules of spelling: alone such
    a word may be another one, before a unit it is not."""
    words = number_words(version.language)
    if words is None or words.certain:
        return
    prose, tens, tens_end, tens_start = version.changed, 0, -LONGEST_JOIN, 0
    for token in version.tokens:
        values = words.loose.get(token.lower)
        if not values:
            continue
        value, start = int(values[0]), token.start
        if tens and value < TEN and token.start - tens_end <= 1:
            value, start = tens + value, tens_start  # in Turkish "yirmi beş" is 25
        tens, tens_end, tens_start = (value if value % TEN == 0 else 0), token.end, start
        unit = unit_of_number(prose, start, token.end)
        if unit is not None:
            bound = _bound(prose, start, unit.end, before, behind)
            yield Figure((str(value),), unit, bound, False, start, unit.end, prose[start : unit.end].strip())


def _is_list_mark(prose: str, start: int, end: int) -> bool:
    """Whether a number only counts the items of a list."""
    return (
        AFTER_LIST_MARK.match(prose, end) is not None and LIST_MARK.search(prose, max(0, start - 8), start) is not None
    )


def _readings(token: str, readings: tuple[str, ...], spoken: bool, language: str) -> tuple[str, ...]:
    """The readings that the language allows: 1.234 is no thousand in English."""
    if language in POINT_LANGUAGES and len(readings) > 1 and not spoken:
        marks = {mark for mark in token if mark in ".,"}
        if marks == {"."}:
            return tuple(one for one in readings if "." in one) or readings
        if marks == {","}:
            return tuple(one for one in readings if "." not in one) or readings
    return readings or (token,)


def _bound(prose: str, start: int, end: int, before: dict[int, str], behind: dict[int, str]) -> str:
    sign = BOUND_SIGN.search(prose, max(0, start - 4), start)
    if sign is not None:
        return SIGNS[sign[0].strip()]
    near = next((before[place] for place in range(start, start - NEAR - 1, -1) if place in before), "")
    return near or next((behind[place] for place in range(end, end + NEAR + 1) if place in behind), "")


def number_differences(
    compared: Comparison, bounds: tuple[Sequence[Contrast], Sequence[Contrast]]
) -> Iterator[Difference]:
    """Numbers, units and bounds that changed, went or came."""
    before, after = compared.before, compared.after
    (old, old_offered), (new, new_offered) = figures(before, bounds[0]), figures(after, bounds[1])
    if not old and not new:
        return
    ours, theirs = _left(old, new)
    # Equal quantities with another bound, or equal numbers with another unit.
    for one in list(ours):
        other = next((other for other in theirs if one.is_quantity(other)), None)
        other = other or next((other for other in theirs if one.is_number(other)), None)
        if other is None:
            continue
        ours.remove(one)
        theirs.remove(other)
        if not one.is_quantity(other) and _may_be_left_out(one, other, new):
            continue
        family = "unit" if not one.is_quantity(other) else "quantifier"
        mine, yours = _with_bound(one), _with_bound(other)
        yield _difference(compared, family, (one, mine), (other, yours))
    stated = list(new)
    ours = [
        one
        for one in ours
        if not any(one.is_quantity(other) for other in stated) and not _is_offered(one, new_offered, old_offered)
    ]
    theirs = [
        other
        for other in theirs
        if not any(other.is_quantity(one) for one in old) and not _is_offered(other, old_offered, new_offered)
    ]
    for one in list(ours):
        other = _counterpart(one, theirs)
        ours.remove(one)
        if other is not None:
            theirs.remove(other)
            yield _difference(compared, "number", (one, one.text), (other, other.text))
        elif not _stands_in(one, after):
            yield _difference(compared, "number", (one, one.text), None)
    for other in theirs:
        if not _stands_in(other, before):
            yield _difference(compared, "number", None, (other, other.text))
    yield from _moved(compared, old, new)


def _left(old: Sequence[Figure], new: Sequence[Figure]) -> tuple[list[Figure], list[Figure]]:
    """The figures of both without those that are exactly in the other."""
    theirs = list(new)
    ours: list[Figure] = []
    for one in old:
        same = next((other for other in theirs if one.bound == other.bound and one.is_quantity(other)), None)
        if same is None:
            ours.append(one)
        else:
            theirs.remove(same)
    return ours, theirs


def _may_be_left_out(one: Figure, other: Figure, new: Sequence[Figure]) -> bool:
    """Whether a unit only went because another number of the sentence has it: "between 5 and 10 ml"."""
    unit = one.unit or other.unit
    if unit is None or (one.unit is not None and other.unit is not None):
        return False
    return any(figure.unit is not None and figure.unit.dimension == unit.dimension for figure in new)


def _with_bound(figure: Figure) -> str:
    return f"{figure.bound} {figure.text}".strip()


def _is_offered(figure: Figure, offered: frozenset[str], own: frozenset[str]) -> bool:
    """Whether the other text has the number as a loose word (a Roman numeral, "one", "half")."""
    return figure.unit is None and not offered.isdisjoint(figure.readings)


def _counterpart(one: Figure, others: Sequence[Figure]) -> Figure | None:
    """The figure that stands for another one: of the same unit if there is one, then the nearest in its place."""
    dimension = one.unit.dimension if one.unit is not None else None
    same = [other for other in others if (other.unit.dimension if other.unit is not None else None) == dimension]
    return min(same or others, key=lambda other: abs(other.start - one.start), default=None)


def _stands_in(figure: Figure, version: Version) -> bool:
    """Whether the number stands in the whole of the other version, in a sentence that did not change."""
    pattern = re.compile(rf"(?<![\w.,]){re.escape(figure.text)}(?![\w]|[.,]\d)")
    return pattern.search(version.prose) is not None


def _difference(
    compared: Comparison, family: str, old: tuple[Figure, str] | None, new: tuple[Figure, str] | None
) -> Difference:
    before, after = compared.before, compared.after
    gone, came = old[1] if old else "", new[1] if new else ""
    span = before.span_of(old[0].start, old[0].end) if old else None
    new_span = after.span_of(new[0].start, new[0].end) if new else None
    sentence = after.sentence_at(new[0].start) if new else before.sentence_at(old[0].start) if old else ""
    if gone and came:
        message = became(gone, came)
    elif gone:
        message = f'"{shown(gone)}" was left out.'
    else:
        message = f'"{shown(came)}" was added.'
    return Difference(family, gone, came, message, sentence, span, new_span)  # type: ignore[arg-type]


def _moved(compared: Comparison, old: Sequence[Figure], new: Sequence[Figure]) -> Iterator[Difference]:
    """Two numbers that changed places: 5 mg of A and 10 mg of B."""
    if len(old) < 2 or len(old) != len(new):
        return
    bound = [_neighbours(version, found) for version, found in ((compared.before, old), (compared.after, new))]
    for key, value in bound[0].items():
        other = bound[1].get(key)
        if other is None or other.is_quantity(value) or not any(value.is_quantity(one) for one in bound[1].values()):
            continue
        holder = next((name for name, one in bound[0].items() if one.is_quantity(other)), None)
        if holder is not None and holder in bound[1] and bound[1][holder].is_quantity(value):
            yield _difference(compared, "order", (value, value.text), (other, other.text))
            return


def _neighbours(version: Version, found: Sequence[Figure]) -> dict[str, Figure]:
    """The next content word behind each figure -> the figure, where the word stands behind one figure only."""
    from burnish.text.meaning.passages import key_of

    named: dict[str, Figure] = {}
    seen: Counter[str] = Counter()
    place = 0
    words = version.tokens
    for number, figure in enumerate(found):
        stop = found[number + 1].start if number + 1 < len(found) else len(version.changed)
        while place < len(words) and words[place].start < figure.end:
            place += 1
        at = place
        while at < len(words) and words[at].start < stop:
            key = key_of(words[at].lower, version.language)
            if key:
                seen[key] += 1
                named[key] = figure
                break
            at += 1
    return {key: figure for key, figure in named.items() if seen[key] == 1}


def number_word_differences(compared: Comparison) -> Iterator[Difference]:
    """One ambiguous number word for another: "the first" and "the third"."""
    before, after = compared.before, compared.after
    words = number_words(before.language)
    if words is None:
        return
    old, new = (
        [(token, words.loose[token.lower]) for token in version.tokens if token.lower in words.loose]
        for version in (before, after)
    )
    had = {value for _, values in old for value in values}
    has = {value for _, values in new for value in values}
    gone = [token for token, values in old if has.isdisjoint(values)]
    came = [token for token, values in new if had.isdisjoint(values)]
    for one, other in zip(gone, came, strict=False):
        was, now = before.changed[one.start : one.end], after.changed[other.start : other.end]
        yield Difference(
            "number",
            was,
            now,
            became(was, now),
            after.sentence_at(other.start),
            before.span_of(one.start, one.end),
            after.span_of(other.start, other.end),
        )


def roman_differences(compared: Comparison) -> Iterator[Difference]:
    """A Roman numeral for another: "type II" and "type III". One that only goes may be written in digits."""
    before, after = compared.before, compared.after
    old, new = (
        [match for match in ROMAN.finditer(version.changed) if match[0]] if version.changed else []
        for version in (before, after)
    )
    if not old or not new:
        return
    had, has = Counter(match[0] for match in old), Counter(match[0] for match in new)
    digits = set(re.findall(r"\d+", after.changed))
    gone = [match for match in old if has[match[0]] < had[match[0]] and str(roman_value(match[0])) not in digits]
    came = [match for match in new if had[match[0]] < has[match[0]]]
    for one, other in list(zip(gone, came, strict=False))[:1]:
        yield Difference(
            "number",
            one[0],
            other[0],
            became(one[0], other[0]),
            after.sentence_at(other.start()),
            before.span_of(*one.span()),
            after.span_of(*other.span()),
        )


def date_differences(compared: Comparison) -> Iterator[Difference]:
    """Months and days of the week that changed, went or came."""
    before, after = compared.before, compared.after
    if not knows_dates(before.language):
        return
    old, new = (date_words(version.changed, version.language) for version in (before, after))
    had, has = ({(word.calendar, word.number) for word in found} for found in (old, new))
    gone = [word for word in old if (word.calendar, word.number) not in has and word.sure]
    came = [word for word in new if (word.calendar, word.number) not in had and word.sure]
    for one in gone:
        was = before.changed[one.start : one.end]
        other = next((word for word in came if word.calendar == one.calendar), None)
        if other is not None:
            came.remove(other)
            now = after.changed[other.start : other.end]
            spans = before.span_of(one.start, one.end), after.span_of(other.start, other.end)
            yield Difference("date", was, now, became(was, now), after.sentence_at(other.start), *spans)
        elif not re.search(rf"(?<!\d)0?{one.number}(?!\d)", after.changed) and was not in after.prose:
            message = f'"{was}" was left out.'
            yield Difference(
                "date", was, "", message, before.sentence_at(one.start), before.span_of(one.start, one.end)
            )
    for other in came:
        now = after.changed[other.start : other.end]
        if not re.search(rf"(?<!\d)0?{other.number}(?!\d)", before.changed) and now not in before.prose:
            message = f'"{now}" was added.'
            new_span = after.span_of(other.start, other.end)
            yield Difference("date", "", now, message, after.sentence_at(other.start), None, new_span)
