"""Tamazight in Latin and in Tifinagh letters: the tables of letters, and conversion of a single word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from burnish.languages.scripts import RANGES
from burnish.languages.scripts import TO_LATIN as OF_OTHER_ALPHABETS

Script = Literal["tifinagh", "latin"]
SCRIPTS: tuple[Script, ...] = get_args(Script)
Orthography = Literal["ircam", "kabyle"]
ORTHOGRAPHIES: tuple[Orthography, ...] = get_args(Orthography)

_LATIN = "abcdḍefghḥɛxqijklmnurṛɣsṣtṭwyzẓpvʷḇḡḏḵṯ"
_TIFINAGH = "ⴰⴱⵛⴷⴹⴻⴼⴳⵀⵃⵄⵅⵇⵉⵊⴽⵍⵎⵏⵓⵔⵕⵖⵙⵚⵜⵟⵡⵢⵣⵥⵒⵠⵯⴲⴴⴸⴿⵝ"
_SHARED = {**dict(zip(_LATIN, _TIFINAGH, strict=True)), "ḍ̱": "ⴺ"}
"""Letters common to both orthographies. The last six are spirants, which linguists write and most authors do not."""

TO_TIFINAGH: dict[Orthography, dict[str, str]] = {
    "ircam": {**_SHARED, "č": "ⵜⵛ", "čč": "ⵜⵜⵛ", "ǧ": "ⴷⵊ", "ǧǧ": "ⴷⴷⵊ"},
    "kabyle": {**_SHARED, "č": "ⵞ", "ǧ": "ⴵ", "o": "ⵧ"},
}
"""Small Latin letter -> Tifinagh. The Moroccan standard has no letters for č and ǧ: it writes them as their two sounds,
doubled by doubling the first of these."""

LOST: dict[Orthography, dict[str, str]] = {
    "ircam": {"čč": "ttc", "ǧǧ": "ddj", "č": "tc", "ǧ": "dj", "o": "u"},
    "kabyle": {},
}
"""Letters that Tifinagh loses, and what is read back instead. Capitals are always lost."""

_LETTERS = {tifinagh: latin for latin, tifinagh in TO_TIFINAGH["kabyle"].items()}
VARIANTS = MappingProxyType(
    {
        **dict(zip("ⴶⵁⵂⵆⵈⵋⵌⵗⵘⵤⵦ", "ǧhhxqjjɣɣze", strict=True)),
        "ⵐ": "ny",
        "ⵑ": "ng",
        "\u2d7f": "",  # joins two consonants, which Latin letters do by standing side by side
    }
)
"""Letters of the Sahara and of the Berber Academy. They are read, but the common letter is written back."""
TO_LATIN: dict[str, str] = {**_LETTERS, **VARIANTS}

LABIALISABLE = "kgqxɣbpm"
LABIAL_MARKS = frozenset("°ºᵂ")
"""Typed for ʷ."""


def _with_capitals(table: dict[str, str]) -> dict[str, str]:
    return {**{letter.upper(): meant.upper() for letter, meant in table.items()}, **table}


BERBER_LOOK_ALIKES = MappingProxyType(
    {**_with_capitals({"ε": "ɛ", "ϵ": "ɛ", "є": "ɛ", "ԑ": "ɛ", "γ": "ɣ"}), "Σ": "Ɛ", "σ": "ɛ"}
)
"""Greek and Cyrillic letters typed for letters that few keyboards have. A Greek epsilon means ɛ, so its capital means
Ɛ; so does a capital sigma, and a small sigma means ɛ."""
OTHER_LOOK_ALIKES = MappingProxyType({k: v for k, v in OF_OTHER_ALPHABETS.items() if k not in BERBER_LOOK_ALIKES})
"""Letters of other alphabets that look like plain Latin ones."""
LATIN_LOOK_ALIKES = MappingProxyType(
    {
        **_with_capitals(
            {
                **dict(zip("ţțḑşșŗḩğ", "ṭṭḍṣṣṛḥǧ", strict=True)),
                "z̧": "ẓ",
                "ḏ̣": "ḍ̱",
                "ɤ": "ɣ",
            }
        ),
        "Ʃ": "Ɛ",
    }
)
"""Latin letters with a cedilla, a comma or a breve instead of a dot or a caron."""

READINGS = MappingProxyType(
    {
        **dict(zip("šʃžʒħʕχřðθþəǝıŋđłøo", "ccjjḥɛxrḏṯṯeeindluu", strict=True)),
        "æ": "ae",
        "œ": "e",
        "ß": "ss",
    }
)
"""Letters of other orthographies of Tamazight (linguists', Tuareg) or of other languages, and how they are read if the
orthography has no letter for them. Unlike look-alikes they are no slips: `normalise` keeps them, rendering reports."""


Reason = Literal["look_alike", "decomposed", "foreign_letter", "variant", "no_letter"]
"""Why a letter was changed: a letter or mark of another alphabet; a letter and its mark as two characters; a letter
that the orthography lacks, written with the nearest one; a regional form of a Tifinagh letter; or why it was kept: the
orthography has no letter for it."""

MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u2d7f"
_LABIAL = "".join(sorted({*LABIALISABLE, *LABIALISABLE.upper(), "γ"}))
WORD = re.compile(rf"[^\W\d_](?:[^\W\d_{MARKS}]|[{MARKS}]|(?<=[{_LABIAL}])°)*")
"""Letters with their marks. A degree sign may stand for the labialisation of the letter before it."""
LETTER = re.compile(rf".[{MARKS}]*", re.DOTALL)
LATIN = re.compile(f"[{RANGES['Latin']}]")
SMALL_WORDS = frozenset("аАоОеіІγΓ")
"""Cyrillic and Greek letters that look like words of one letter: a, i, ɣ ("in")."""
LONGEST_REMEMBERED = 40


class Change(NamedTuple):
    """A letter of a word that was changed, or that could not be rendered."""

    start: int
    end: int
    found: str
    written: str
    reason: Reason


class Written(NamedTuple):
    """A converted word."""

    text: str
    changes: tuple[Change, ...] = ()


Writer = Callable[[str], Written]


class _Letter(NamedTuple):
    """A letter with its marks."""

    start: int
    found: str
    text: str
    """The letter in the orthography."""

    def change(self, reason: Reason, written: str | None = None) -> Change:
        return Change(
            self.start, self.start + len(self.found), self.found, self.text if written is None else written, reason
        )


def remembered(write: Writer) -> Writer:
    """Cache the conversion of words, except very long ones."""
    kept = lru_cache(maxsize=1 << 16)(write)
    return lambda word: kept(word) if len(word) <= LONGEST_REMEMBERED else write(word)


@remembered
def normal(word: str) -> Written:
    """The word in Latin letters of Tamazight, composed; a word of another alphabet is unchanged."""
    letters, changes = _letters(word)
    return Written("".join(letter.text for letter in letters), tuple(changes))


def _letters(word: str) -> tuple[list[_Letter], list[Change]]:
    found = [(match.start(), match.group()) for match in LETTER.finditer(word)]
    latin = sum(LATIN.match(letter) is not None for _, letter in found)
    if latin:  # among Latin letters, these are meant as such
        latin += sum(letter[0] in BERBER_LOOK_ALIKES for _, letter in found)
    letters: list[_Letter] = []
    changes: list[Change] = []
    for start, letter in found:
        before = letters[-1].text.lower() if letters else ""
        meant, reason = _meant(letter, word, latin, len(found), before)
        letters.append(_Letter(start, letter, meant))
        if reason is not None:
            changes.append(letters[-1].change(reason))
    return letters, changes


def _meant(letter: str, word: str, latin: int, of: int, before: str) -> tuple[str, Reason | None]:
    """The letter that was meant, and the reason if it differs."""
    composed = unicodedata.normalize("NFC", letter.replace("\u0332", "\u0331")) if len(letter) > 1 else letter
    if composed in LATIN_LOOK_ALIKES:
        return LATIN_LOOK_ALIKES[composed], "look_alike"
    if composed in LABIAL_MARKS and before[:1] in LABIALISABLE and before and len(word) > 2:
        return "ʷ", "look_alike"
    if composed in BERBER_LOOK_ALIKES and (latin or word in SMALL_WORDS):
        return BERBER_LOOK_ALIKES[composed], "look_alike"
    if composed in OTHER_LOOK_ALIKES and (2 * latin >= of if latin else word in SMALL_WORDS):
        return OTHER_LOOK_ALIKES[composed], "look_alike"
    return (composed, None) if composed == letter else (composed, "decomposed")


def _tifinagh(word: str, orthography: Orthography) -> Written:
    letters, changes = _letters(word)
    table = TO_TIFINAGH[orthography]
    noted = {change.start: change for change in changes}
    written: list[str] = []
    for letter, small in _doubled(letters, table):
        text, reason = _rendered(small, letter.text, table)
        written.append(text)
        if reason is not None:  # more useful than the reason "decomposed"
            noted[letter.start] = letter.change(reason, text)
    return Written("".join(written), tuple(sorted(noted.values())))


def _doubled(letters: list[_Letter], table: dict[str, str]) -> Iterator[tuple[_Letter, str]]:
    """Each letter in lower case; a double letter as one if the orthography has its own way of doubling it."""
    at = 0
    while at < len(letters):
        small = letters[at].text.lower()
        both = 2 * small
        if both in table and at + 1 < len(letters) and letters[at + 1].text.lower() == small:
            yield letters[at], both
            at += 2
        else:
            yield letters[at], small
            at += 1


def _rendered(small: str, letter: str, table: dict[str, str]) -> tuple[str, Reason | None]:
    if small in table:
        return table[small], None
    if LATIN.match(letter) is None and small not in READINGS:
        return letter, None
    plain = small if small in READINGS else _plain(letter)
    read = "".join(READINGS.get(part, part) if part not in table else part for part in plain)
    if read and all(part in table for part in read):
        return "".join(table[part] for part in read), "foreign_letter"
    return letter, "no_letter"


def _plain(letter: str) -> str:
    """The letter without its marks: é is e, a ligature its letters."""
    parts = unicodedata.normalize("NFKD", letter).lower()
    return "".join(part for part in parts if not unicodedata.combining(part))


def _latin(word: str) -> Written:
    changes: list[Change] = []
    written: list[str] = []
    for at, letter in enumerate(word):
        latin = TO_LATIN.get(letter, letter)
        written.append(latin)
        if letter in VARIANTS:
            changes.append(Change(at, at + 1, letter, latin, "variant"))
    return Written("".join(written), tuple(changes))


in_latin: Writer = remembered(_latin)
in_tifinagh: dict[Orthography, Writer] = {
    "ircam": remembered(lambda word: _tifinagh(word, "ircam")),
    "kabyle": remembered(lambda word: _tifinagh(word, "kabyle")),
}
