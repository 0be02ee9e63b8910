"""Which letters and endings a language has, so that a word of another one can be told by its looks."""

from __future__ import annotations

import re
from functools import cache

from burnish.languages.words import word_set

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзиклмнопрстуфхцчш"
_LETTERS: dict[str, str] = {
    "en": _LATIN,
    "es": _LATIN + "áéíóúüñªº",
    "fr": _LATIN + "àâæçéèêëîïôœùûüÿ",
    "de": _LATIN + "äöüßéàè",
    "it": _LATIN + "àèéìíîòóù",
    "pt": _LATIN + "áâãàçéêíóôõúüªº",
    "nl": _LATIN + "áéëïóöüèê",
    "pl": _LATIN + "ąćęłńóśźż",
    "cs": _LATIN + "áčďéěíňóřšťúůýž",
    "ro": _LATIN + "ăâîșțşţ",
    "sv": _LATIN + "åäöé",
    "da": _LATIN + "æøåé",
    "tr": _LATIN + "çğıöşüâîû",
    "ru": _CYRILLIC + "ёйщъыьэюя",
    "uk": _CYRILLIC + "ґєіїйщьюя",
    "bg": _CYRILLIC + "йщъьюяѝ",
    "mk": _CYRILLIC + "ѓѕјљњќџѐѝ",
    "sr": _CYRILLIC + "ђјљњћџ",
}
"""Language -> the small letters of its alphabet."""


@cache
def _strange(language: str) -> re.Pattern[str] | None:
    known = _LETTERS.get(language)
    return re.compile(f"[^{known}'’\\-]") if known is not None else None


def has_strange_letters(word: str, language: str) -> bool:
    """Whether a word in small letters has one that the language does not know; False where we do not know either."""
    strange = _strange(language)
    return strange is not None and strange.search(word) is not None


_NATIVE: dict[str, tuple[str, ...]] = {
    "en": tuple(
        word_set(
            """
            tion tions sion sions ment ments ance ances ence ences age ages ture tures ble bles ent ents ant ants ine
            ines ive ives ure ures ice ices um us ism isms ist ists ic ics ing ings ed ness ity ary ory our ours que
            ques gue gues ard ards ade ades ette ettes eau eaux esque eur eurs ide ides ate ates ise ises ize al als ia
            ias sis ile iles ar ars or ors
            """
        )
    )
}
"""Endings that are as common in the language as in those it took them from."""

_FOREIGN: dict[str, tuple[str, ...]] = {
    "es": tuple(word_set("o os mente dad dades aje ajes cia cias ndo ado ada ados adas ido ida idos idas aron ieron")),
    "pt": tuple(
        word_set("o os mente dade dades agem agens cia cias ndo ado ada ados adas ido ida idos idas aram iram")
    ),
    "it": tuple(
        word_set(
            """
            o i mente zione zioni tà ndo ato ata ati ate uto uta uti ute ito ita iti ite are ere ire one ono ale ali
            ese esi ella elle ezza aggio aggi ico ica ici iche
            """
        )
    ),
    "de": tuple(
        word_set(
            """
            ung ungen keit keiten heit heiten schaft schaften lich liche lichen licher lichem liches isch ische ischen
            ischer isches ieren iert ierte ktion tät täten estet tet ten tete eten ige igen iger iges sten ium ien
            """
        )
    ),
    "fr": tuple(word_set("eux euse euses aise aises ement ements ait aient ais aux oir oire oires eille eilles")),
    "pl": tuple(word_set("nie nia ego emu ych ymi ami ach ość ści owy owa owe ski ska skie czy sza")),
    "cs": tuple(word_set("ní ost osti ého ému ých ými ami ech ový ová ové ský ská ské val vala vali")),
}
"""Endings by which a word shows where it comes from."""

SHORTEST_STEM = 4
WEIGHT = 1.0
"""What an ending adds to the logarithm of the odds."""


_ADVERBS: dict[str, str] = {"es": "mente", "it": "mente", "pt": "mente", "fr": "ement", "ro": "mente"}


def is_adverb(word: str, language: str) -> bool:
    """Whether a word ends as adverbs of the language do: no name does."""
    return language in _ADVERBS and word.endswith(_ADVERBS[language])


def _longest(word: str, endings: tuple[str, ...], shortest_stem: int) -> int:
    return max((len(end) for end in endings if word.endswith(end) and len(word) - len(end) >= shortest_stem), default=0)


def ending_weight(word: str, language: str, other: str) -> float:
    """What the ending of a word adds to the odds that it is one of `language` and none of `other`; may be negative."""
    native = _longest(word, _NATIVE.get(other, ()), SHORTEST_STEM)
    foreign = _longest(word, _FOREIGN.get(language, ()), 1) if other in _NATIVE else 0
    return WEIGHT if foreign > native else -WEIGHT if native else 0.0
