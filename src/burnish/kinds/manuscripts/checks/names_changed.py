"""names_changed: a name of the source that is gone from the translation, or has become another.

What it looks for: words of the source that are surely names (a capital inside a sentence, capitals throughout, Latin
letters in another script) and that nothing in the translation sounds like. Cyrillic and Greek are read as Latin
letters, endings may differ, and names that each language has its own form for (countries, saints, institutions) are
passed over.
Why it matters: somebody else is said to have done it.
Fix: needs a translator or a model, because the name's form in the other language has to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, name_difference, source_of, target_of
from burnish.languages.dates import date_words
from burnish.languages.names import CAPITALS_MEAN_NAMES, Name, answered, is_kept
from burnish.languages.word_forms import sound

_TITLES = (
    r"Mrs?|Ms|Miss|Dr|Doctor|Prof|Professor|Captain|Sir|Lady|Uncle|Aunt|Inspector|Sergeant|Colonel|Major|Judge|"
    r"Father|Sister|Brother|President|Senator"
)
_SAYING = (
    r"said|says|explained|explains|asked|asks|replied|answered|wrote|writes|added|adds|noted|notes|told|argued|argues|"
    r"claimed|claims|suggested|suggests|whispered|shouted|cried|thought|knew|went|came|left|arrived|returned|died|"
    r"smiled|nodded|laughed"
)
_NAME = r"(?P<{}>[A-Z][a-z]{{3,30}})\b"
IN_PLACE = re.compile(
    rf"\b(?:{_TITLES})\.? {_NAME.format('titled')}"
    rf"|(?<=[a-z,] ){_NAME.format('saying')} (?=(?:{_SAYING})\b)"
    rf"|\b(?:{_SAYING}) {_NAME.format('said')}"
)
MOST_PLACES = 60
FIRST_OF_OTHER_LETTERS = "\u0370"
"""Greek and Cyrillic stand from here."""
NOT_A_PERSON = re.compile(r".*(?:ish|ese|ian|ians|ans|ers|ists|ics|ism)")
"""Peoples, their languages, trades and schools of thought, which other languages write without a capital."""


class Replaced(NamedTuple):
    """What the source calls somebody, and the name that the translation has instead."""

    lost: str
    put: Name


def replaced_name(source: Side, target: Side) -> Replaced | None:
    """The first such name, if there is any; only for an English source and a language of plain capitals."""
    if source.language != "en" or target.language not in CAPITALS_MEAN_NAMES:
        return None
    dated = {word.start for word in date_words(source.prose, source.language)}
    for number, match in enumerate(IN_PLACE.finditer(source.prose)):
        group = match.lastgroup
        if number >= MOST_PLACES or group is None:
            break
        word = match[group]
        is_person = match.start(group) not in dated and is_kept(word, "en") and not NOT_A_PERSON.fullmatch(word)
        if is_person and not answered(sound(word), target.view.text):
            put = next(filter(_is_told, name_difference(source, target).new), None)
            return Replaced(word, put) if put is not None else None
    return None


def _is_told(name: Name) -> bool:
    """In other letters an English name is spelt by its sound, which its letters do not tell."""
    return name.sure and not name.acronym and name.text[0] < FIRST_OF_OTHER_LETTERS


MOST_SHOWN = 5
SPELT_OUT = re.compile(r"[A-Z]\w{2,40}(?: (?:of |the |for |and ){0,2}[A-Z]\w{2,40}){1,8}")
"""Words with capitals beside each other, of which an abbreviation may be made."""
CAPITALS = re.compile(r"\b[A-Z]+\b")


@check(
    id="names_changed",
    title="Name changed or missing",
    severity="error",
    languages=(
        *("en", "es", "fr", "de", "it", "pt", "nl", "pl", "cs", "ru"),
        *("mk", "bg", "uk", "sr", "ca", "ro", "sv", "da", "kab"),
    ),
    bad=(
        pair(
            "es>en",
            "Según explicó Ricardo Salazar, el puente sigue cerrado.",
            "As Quentin Chabert explained, the bridge is still closed.",
        ),
        pair("ru>en", "Глава города Артём Суворов приехал вечером.", "The head of the city arrived in the evening."),
        pair(
            "en>es",
            "As Oldfield explained, the bridge is still closed.",
            "Como explicó Chabert, el puente sigue cerrado.",
        ),
        pair("en>es", "The letter is for Mr Oldfield.", "La carta es para el señor Whitmore."),
    ),
    good=(
        pair(
            "ru>en",
            "Телефонный разговор Владимира Зеленского состоялся вчера.",
            "The telephone conversation of Volodymyr Zelensky took place yesterday.",
        ),
        pair(
            "es>en",
            "Después viajó a Alemania con el Ministerio de Salud y la ONU.",
            "He then travelled to Germany with the Ministry of Health and the UN.",
        ),
        pair("en>es", "The town lies on the lake.", "El pueblo está junto al lago."),
        pair(
            "de>en",
            "Johns Frau Mary kaufte ein Dutzend Eier. Kommen Sie herein, sagte der Wirt.",
            "John's wife, Mary, bought a dozen eggs. Come in, said the landlord.",
        ),
    ),
)
def names_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not paragraph.translation.strip() or source.language == target.language:
        return
    difference = name_difference(source, target)
    lost = [name for name in difference.lost if not _may_be_rewritten(name, source, target)]
    if not lost:
        yield from _replaced(paragraph, source, target)
        return
    shown = ", ".join(repr(name.text) for name in lost[:MOST_SHOWN])
    put = next((name for name in difference.new if not name.acronym), None)
    instead = f"; it says {put.text!r}, which the source does not" if put is not None else ""
    yield Finding.at(
        paragraph,
        span=(put.start, put.end) if put is not None else None,
        severity="error" if any(name.sure for name in lost) else "warning",
        message=f"The translation does not have {shown} of the source{instead}.",
        suggestion="Write the name of the source, in its usual form in this language.",
    )


def _replaced(paragraph: Paragraph, source: Side, target: Side) -> Iterator[Finding]:
    found = replaced_name(source, target)
    if found is not None:
        yield Finding.at(
            paragraph,
            span=(found.put.start, found.put.end),
            message=f"The translation says {found.put.text!r}, the source {found.lost!r}.",
            suggestion="Write the name of the source, in its usual form in this language.",
        )


def _may_be_rewritten(name: Name, source: Side, target: Side) -> bool:
    """An abbreviation may be spelt out, or have its letters in another order: VIH and HIV, ONU and UN."""
    if not name.acronym:
        return False
    letters = set(name.text.lower())
    if source.language == "en" or not name.text.isascii():
        return True
    if any(spelt[0].lower() in letters for spelt in SPELT_OUT.findall(target.prose)):
        return True
    return any(len(word) > 1 and set(word.lower()) <= letters for word in CAPITALS.findall(target.prose))
