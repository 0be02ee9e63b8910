"""Damage: known faults put into copies of sound units on purpose, so that one can count who sees them.

Each kind has a catalogue of damages (`Kind.damages`). A damage is a pure function: the units of a document, the place
of one of them, dice, and perhaps a phrase go in; the changed units come out. `burnish prove` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from burnish.core.documents import Field, Unit

Half = Literal["open", "held_out"]
"""Phrases that rules were written with, and phrases that nobody looked at then."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a damage puts into a text."""

    text: str
    language: str
    half: Half = "open"
    place: str = ""
    """Where they go, in the damage's own words: `own` (a paragraph of its own), `inside`."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """What one damage did."""

    units: tuple[Unit, ...]
    """The units that changed, as they are now; the first is the one that was chosen."""
    field: Field = None
    """Where in it, and which characters of the new text; None: all of it."""
    span: tuple[int, int] | None = None
    sound: Unit | None = None
    """What a repair may make of the first unit, where the damage needs other words around it; None: the original."""


Make = Callable[[Sequence[Unit], int, Random, Phrase | None], Damaged | None]
"""Units of a document, the place of one, dice, a phrase -> what became of it; None: it cannot be done there."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One sort of damage."""

    id: str
    title: str
    """What people call it."""
    make: Make
    phrases: tuple[Phrase, ...] = ()
    """What it puts in, where that comes from a list; each is tried in several places."""
    is_meaning: bool = False
    """Whether the text stays sound in form: only somebody who understands it can see the damage."""


def phrases_for(damage: Damage, language: str | None) -> list[Phrase]:
    """Return the phrases that may stand in a text of this language: its own, and English ones, which models fall back
    to. Where the form is to stay sound, only its own."""
    languages = (language, "") if damage.is_meaning else (language, "en", "")
    return [phrase for phrase in damage.phrases if phrase.language in languages]


def changed_text(
    units: Sequence[Unit], at: int, field: Field, text: str, span: tuple[int, int] | None
) -> Damaged | None:
    """One unit with another text in a field; None where nothing changed."""
    unit = units[at]
    if text == unit.texts()[field]:
        return None
    return Damaged((unit.with_text(field, text),), field, span)


def inserted(units: Sequence[Unit], at: int, field: Field, place: int, words: str) -> Damaged | None:
    """One unit with words put in at a place of a field."""
    text = units[at].texts()[field]
    return changed_text(units, at, field, text[:place] + words + text[place:], (place, place + len(words)))
