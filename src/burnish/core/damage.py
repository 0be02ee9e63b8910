"""Damage: known faults put into copies of sound units, to measure which rules and judges find them.

Each kind has a catalogue of damages (`Kind.damages`). A damage is a pure function: it takes the units of a document,
the place of one of them, a random source and perhaps a phrase, and returns the changed units for `burnish prove`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from burnish.core.documents import Field, Unit

Half = Literal["open", "held_out"]
"""Phrases that were used when writing rules, and phrases that were not looked at."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a damage inserts into a text."""

    text: str
    language: str
    half: Half = "open"
    place: str = ""
    """Where they are inserted, in the damage's own terms: `own` (as a new paragraph), `inside`."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """The result of one damage."""

    units: tuple[Unit, ...]
    """The changed units; the first is the one that was chosen."""
    field: Field = None
    """The field in it, with the changed characters of the new text; None: all of it."""
    span: tuple[int, int] | None = None
    sound: Unit | None = None
    """A valid repair of the first unit, if the damage needs other words around it; None: the original."""


Make = Callable[[Sequence[Unit], int, Random, Phrase | None], Damaged | None]
"""Takes the units of a document, the place of one, a random source and a phrase; None: it cannot be done there."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One sort of damage."""

    id: str
    title: str
    """Title for people."""
    make: Make
    phrases: tuple[Phrase, ...] = ()
    """The phrases to insert, if any; each is tried in several places."""
    is_meaning: bool = False
    """Whether the text stays formally sound, so that the damage shows only in its meaning."""


def phrases_for(damage: Damage, language: str | None) -> list[Phrase]:
    """Return the phrases that fit a text of this language: its own, and English ones, which models fall back to. If the
    form must stay sound, only its own."""
    languages = (language, "") if damage.is_meaning else (language, "en", "")
    return [phrase for phrase in damage.phrases if phrase.language in languages]


def changed_text(
    units: Sequence[Unit], at: int, field: Field, text: str, span: tuple[int, int] | None
) -> Damaged | None:
    """Return one unit with another text in a field; None if nothing changed."""
    unit = units[at]
    if text == unit.texts()[field]:
        return None
    return Damaged((unit.with_text(field, text),), field, span)


def inserted(units: Sequence[Unit], at: int, field: Field, place: int, words: str) -> Damaged | None:
    """Return one unit with words inserted at a place of a field."""
    text = units[at].texts()[field]
    return changed_text(units, at, field, text[:place] + words + text[place:], (place, place + len(words)))
