"""A name of an English text in whose place its translation has another one.

English writes titles, peoples and labels with capitals as well, so that a single word with a capital is held to be a
name only by its place (behind a title, beside somebody's saying), and only where the translation brings a new name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from burnish.kinds.manuscripts.facts.dates import date_words
from burnish.kinds.manuscripts.facts.letters import sound
from burnish.kinds.manuscripts.facts.names import CAPITALS_MEAN_NAMES, Name, answered, is_kept, name_difference
from burnish.kinds.manuscripts.wording.sides import Side

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
        if is_person and not answered(sound(word), target):
            put = next(filter(_is_told, name_difference(source, target).new), None)
            return Replaced(word, put) if put is not None else None
    return None


def _is_told(name: Name) -> bool:
    """In other letters an English name is spelt by its sound, which its letters do not tell."""
    return name.sure and not name.acronym and name.text[0] < FIRST_OF_OTHER_LETTERS
