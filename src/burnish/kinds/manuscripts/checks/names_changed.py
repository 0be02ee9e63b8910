"""names_changed: a name of the source that is gone from the translation, or has become another.

What it looks for: countries, continents and cities of the source that the translation does not speak of, by the names
that CLDR has for them in both languages; and words that are names (a capital inside a sentence, capitals throughout,
Latin letters in another script) that nothing in the translation sounds like. All scripts that spell names by their
sound are read as Latin letters, endings may differ, and names that each language has its own form for (saints,
institutions) are passed over. It is an error where it is surely a name: a place, two words side by side, a name that
the book has elsewhere, or another one that stands there instead; otherwise a warning.
Why it matters: somebody else is said to have done it.
Fix: needs a translator or a model, because the name's form in the other language has to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, name_difference, source_of, target_of
from burnish.languages.dates import date_words
from burnish.languages.names import (
    CAPITALS_MEAN_NAMES,
    Name,
    answered,
    can_compare,
    foreign_names,
    is_kept,
    spells_names,
)
from burnish.languages.places import answers_place, places
from burnish.languages.word_forms import sound
from burnish.languages.words import word_set

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


HEARD = word_set(
    "en es fr de it pt nl pl cs sk sl hr ru mk bg uk be sr ca ro sv da no nb kab tr hu fi et lv lt vi id el"
)
"""Languages of a translation in which the sound of a name can be looked for."""
LONGEST = 40
BEFORE = regex.compile(r"(\p{Lu}[\p{L}\p{M}]+)[ -]$")
BEHIND = regex.compile(r"[ -](\p{Lu}[\p{L}\p{M}]+)")
"""The word with a capital right beside another."""
KIN = ({"v", "b"}, {"k", "h"}, {"k", "s"}, {"i", "g"}, {"i", "h"}, {"s", "c"}, {"v", "u"}, {"k", "c"}, {"f", "p"})
"""First sounds that languages exchange."""


@check(
    id="names_changed",
    title="Name changed or missing",
    severity="error",
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
def names_changed(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not paragraph.translation.strip() or source.language == target.language:
        return
    for place in places(source.prose, source.language):
        if not answers_place(place, target.view.text, target.language):
            yield _lost(paragraph, f"The translation does not speak of {place.text!r}.", "error")
            return
    if target.language not in HEARD:
        return
    lost = [name for name in name_difference(source, target).lost if not _may_be_rewritten(name, source, target)]
    put = list(foreign_names(target.prose, target.language, source.view.text)) if spells_names(source.language) else []
    if lost:
        yield _told(paragraph, lost, put, context, source, target)
    elif not can_compare(source.language) and any(name.in_run for name in put):
        # Without capitals nobody sees which name is lost; a first and a last name that the source has not are proof.
        name = next(name for name in put if name.in_run)
        message = f"The translation says {name.text!r}; nothing in the source sounds like it."
        yield _lost(paragraph, message, "error" if _is_alien(name, put) else "warning", (name.start, name.end))
    else:
        yield from _replaced(paragraph, source, target)


def _told(
    paragraph: Paragraph, lost: list[Name], put: list[Name], context: ManuscriptContext, source: Side, target: Side
) -> Finding:
    shown = ", ".join(repr(name.text) for name in lost[:MOST_SHOWN])
    instead = next((name for name in put if not any(_may_be_one(name, each) for each in lost)), None)
    said = f"; it says {instead.text!r}, which the source does not" if instead is not None else ""
    return _lost(
        paragraph,
        f"The translation does not have {shown} of the source{said}.",
        "error" if _is_certain(lost, instead, source, target, context) else "warning",
        (instead.start, instead.end) if instead is not None else None,
    )


def _is_certain(lost: list[Name], instead: Name | None, source: Side, target: Side, context: ManuscriptContext) -> bool:
    """Whether a name is surely one: two words of it are gone, the book has it elsewhere, or another stands there."""
    sure = [name for name in lost if name.sure and not name.acronym]
    if not sure:
        return False
    return instead is not None or any(
        name.text in context.names or _is_all_gone(name, source.prose, target.view.text) for name in sure
    )


def _is_all_gone(name: Name, prose: str, other: str) -> bool:
    """Whether the word with a capital right beside a lost one is gone as well."""
    beside = (BEFORE.search(prose, max(0, name.start - LONGEST), name.start), BEHIND.match(prose, name.end))
    return any(word is not None and not answered(sound(word[1]), other) for word in beside)


def _may_be_one(one: Name, other: Name) -> bool:
    """Whether two names may be one in two languages: Gandawa and Ghent begin alike, as nearly all such pairs do."""
    return one.sound[:1] == other.sound[:1] or {one.sound[:1], other.sound[:1]} in KIN


def _is_alien(name: Name, put: list[Name]) -> bool:
    """Whether both words of a name sound like nothing in the source."""
    return any(0 < abs(other.start - name.end) <= 2 or 0 < abs(name.start - other.end) <= 2 for other in put)


def _lost(paragraph: Paragraph, message: str, severity: Severity, span: tuple[int, int] | None = None) -> Finding:
    return Finding.at(
        paragraph,
        span=span,
        severity=severity,
        message=message,
        suggestion="Write the name of the source, in its usual form in this language.",
    )


def _replaced(paragraph: Paragraph, source: Side, target: Side) -> Iterator[Finding]:
    found = replaced_name(source, target)
    if found is not None:
        message = f"The translation says {found.put.text!r}, the source {found.lost!r}."
        yield _lost(paragraph, message, "error", (found.put.start, found.put.end))


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
