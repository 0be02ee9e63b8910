"""numbers_changed: a number that was added, changed or left out.

What it looks for: numbers in digits or words of one text that have no counterpart in the other. `1.000,5` and
`1,000.5`, `13万` and 130,000, `XIX` and 19th, 3 pm and 15:00, a month's name and its number are the same. A number
after the same word in both texts (Covid-19, Apollo 11) is compared with that one only.
Why it matters: a wrong year, dose or price does readers the most harm and is the hardest error to see.
Fix: needs a translator or a model, because the right form depends on the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import (
    NumberDifference,
    Side,
    number_difference,
    reads_words,
    says_another,
    source_of,
    target_of,
)
from burnish.languages.numbers import Number, number_words, numbers
from burnish.languages.words import MOST_SLIPS

LABELLED = re.compile(r"(?<![\w.-])([A-Z][A-Za-z]{2,})[- ](\d{1,4})(?![\w:/-]|[.,]\d)")
"""A word with its number: Covid-19, Apollo 11, the score of a side."""
COUNTED = re.compile(r"[\W_]*[^\W\d_]+\.? (\d{1,3})(?=\s*(?:[:—–]|[.)-](?!\d)|$))")
"""A text that begins with its number: a chapter, a figure, a step."""
MOST_SHOWN = 5
"""The most numbers of the source that a message shows."""
TEN = 10
SMALL = 2
"""The digits of a small number."""
OTHERWISE_NAMED = frozenset({"10", "11", "12", "15", "16", "20", "24", "25", "30", "45", "50", "52", "60", "90", "99"})
"""Small numbers that languages can express by other words: noon, a dozen, a teenager, a decade, half an hour."""


@check(
    id="numbers_changed",
    title="Number changed",
    severity="error",
    bad=(
        pair(
            "en>es", "The house was built in 1912 for 25 families.", "La casa fue construida en 1921 para 25 familias."
        ),
        pair("de>en", "Nach sieben Tagen kamen sie zurück.", "They came back after six days."),
        pair("ru>en", "Билет стоит 1500 рублей.", "The ticket costs a lot of roubles."),
        pair("en>tr", "She has 3 cats.", "Onun 4 kedisi var."),
        pair("en>hu", "She has 3 cats.", "Négy macskája van."),
        pair("en>tr", "There are three dogs in the yard.", "Bahçede dört köpek var."),
        pair("en>es", "Chapter 1: A cart without a mule", "Capítulo 2: Una carreta sin mula"),
        pair("en>es", "He got 10 out of 10.", "Sacó 10 de 16."),
        pair("es>en", "Sacó 10 de 16.", "He got 10 out of 10."),
        pair("es>en", "¿Tienes la COVID-19?", "Do you have COVID-16?"),
        pair("en>es", "Now: Carlsen 6, Nepo 3, the third defeat.", "Ahora: Carlsen 6, Nepo 1, la tercera derrota."),
        pair("es>en", "Las décadas de 1980 y 1990.", "The 1280s and 90s."),
    ),
    good=(
        pair("fr>en", "La guerre de 14-18 fut longue.", "The 1914-1918 War was long."),
        pair(
            "en>es",
            "Some 1,250.5 tonnes were sold on 5/12/1999, at 3:30 pm.",
            "El 5 de diciembre de 1999, a las 15:30, se vendieron unas 1.250,5 toneladas.",
        ),
        pair("ja>en", "チケットは13万円です。", "A ticket is 130,000 yen."),
        pair(
            "fr>en",
            "Quatre-vingt-dix-sept personnes sont venues au XIXe siècle.",
            "97 people came in the 19th century.",
        ),
        pair("en>vi", "She has 3 cats.", "Cô ấy có ba con mèo."),
        pair("de>en", "In den 50ern des 19. Jahrhunderts stand es noch.", "In the 1850s it still stood."),
        pair("en>el", "She has 3 cats.", "Έχει τρεις γάτες."),
        pair("fr>en", "Nous sommes les quatre-vingt-dix-neuf pour cent.", "We are the 99 percent."),
        pair("cs>en", "Je to dvě stě korun.", "It is two hundred crowns."),
        pair("en>es", "Two friends waited for half an hour.", "Ambos amigos esperaron 30 minutos, media hora."),
    ),
)
def numbers_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not paragraph.translation.strip():
        return
    difference = number_difference(source, target)
    lost, new = _proof(difference, source, target)
    if not lost and not new:
        lost, new = _exchanged_digits(source, target)
    if not lost and not new:
        yield from _labelled_otherwise(paragraph, source, target)
    missing = [source.view.text[number.start : number.end] for number in lost[:MOST_SHOWN]]
    shown = ", ".join(missing)
    for number in new[:MOST_SLIPS]:
        written = target.view.text[number.start : number.end]
        message = f"The translation says {written!r}" + (
            f", the source {shown!r}." if shown else ", the source does not."
        )
        yield Finding.at(
            paragraph,
            span=(number.start, number.end),
            message=message,
            suggestion="Write the number of the source.",
            data={"target": written, "source": missing},
        )
    if lost and not new:
        yield Finding.at(
            paragraph,
            message=f"{shown!r} of the source is missing in the translation.",
            suggestion="Put the number in.",
            data={"source": missing},
        )


def _exchanged_digits(source: Side, target: Side) -> tuple[list[Number], list[Number]]:
    """The only number in digits that differs between the two sides: number words cannot excuse it."""
    ours, theirs = (_in_digits(side) for side in (source, target))
    lost, new = (
        [n for n in one if not _values([n]) & _values(other)] for one, other in ((ours, theirs), (theirs, ours))
    )
    # If "10 of 10" became "10 of 20", no value is lost, but one number has changed.
    is_one = len(ours) == len(theirs) and max(len(lost), len(new)) == 1
    # A one has many expressions: an hour, 60 minutes.
    return (lost, new) if is_one and not _values(lost + new) & {"0", "1"} else ([], [])


def _in_digits(side: Side) -> list[Number]:
    """The numbers in digits; none in a text with times of day, where 3 and 15 may be the same."""
    found = numbers(side.prose, side.language)
    return [] if found.has_clock else [number for number in found.stated if not number.spoken]


def _values(of: list[Number]) -> set[str]:
    return {value for number in of for value in (*number.readings, *number.parts)}


def _labelled_otherwise(paragraph: Paragraph, source: Side, target: Side) -> Iterator[Finding]:
    """ "Chapter 1" and "Capítulo 2", "Covid-19" and "Covid-16", which the other rules miss: the number is too small, or
    another one excuses it."""
    counted, also = COUNTED.match(source.prose), COUNTED.match(target.prose)
    pairs = [(counted[1], also.span(1))] if counted is not None and also is not None else []
    ours, theirs = ({label[1].lower(): label for label in LABELLED.finditer(side.prose)} for side in (source, target))
    pairs += [(ours[word][2], theirs[word].span(2)) for word in ours.keys() & theirs.keys()]
    for written, (start, end) in pairs:
        if int(written) != int(target.prose[start:end]):
            yield Finding.at(
                paragraph,
                span=(start, end),
                message=f"The translation says {target.prose[start:end]!r}, the source {written!r}.",
                suggestion="Write the number of the source.",
                data={"target": target.prose[start:end], "source": written},
            )
            return


def _proof(difference: NumberDifference, source: Side, target: Side) -> tuple[list[Number], list[Number]]:
    """The numbers that prove an error: one in place of another; alone, only one that needs its digits."""
    lost, new = difference
    if lost and new and reads_words(source) and reads_words(target):
        return lost, new
    if lost and number_words(target.language) is not None and not reads_words(target) and reads_words(source):
        # "three" and "dört": a word for another small number, and none for this one.
        others = numbers(source.prose, source.language).stated
        if len(others) == len(lost) == 1 and _is_one_word(lost[0]) and says_another(target, others):
            return lost, new
    lost = [number for number in lost if not number.spoken]
    new = [number for number in new if not number.spoken]
    if lost and new:
        return lost, new  # digits are compared with digits in every language
    if lost and number_words(target.language) is not None and not reads_words(target):
        # Not every form of a number is known in this language: only another number in its place is proof.
        others = numbers(source.prose, source.language).stated
        return [number for number in lost if _is_long(number) or says_another(target, others)], []
    return (
        [number for number in lost if reads_words(target) or _is_long(number)],
        [number for number in new if len(new) > 1 or _is_long(number) or (reads_words(source) and _is_exact(number))],
    )


def _is_one_word(number: Number) -> bool:
    """Whether a number is at most ten: larger ones may be one word or several."""
    return all(reading.isdecimal() and int(reading) <= TEN for reading in number.readings)


def _is_exact(number: Number) -> bool:
    """Whether a number has two digits and no other name, such as a dozen, a quarter or half an hour."""
    return all(len(reading) == SMALL and reading not in OTHERWISE_NAMED for reading in number.readings)


def _is_long(number: Number) -> bool:
    """Whether a number is too large to be expressed without digits in words that are not read ("the last 16")."""
    return any(len(reading) > SMALL for reading in number.readings)
