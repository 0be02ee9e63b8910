"""The letters of Tamazight in Latin and in Tifinagh: one place for each correspondence."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, get_args

from burnish.languages.scripts import TO_LATIN as OF_OTHER_ALPHABETS

Script = Literal["tifinagh", "latin"]
SCRIPTS: tuple[Script, ...] = get_args(Script)
Orthography = Literal["ircam", "kabyle"]
ORTHOGRAPHIES: tuple[Orthography, ...] = get_args(Orthography)

_LATIN = "abcdḍefghḥɛxqijklmnurṛɣsṣtṭwyzẓpvʷḇḡḏḵṯ"
_TIFINAGH = "ⴰⴱⵛⴷⴹⴻⴼⴳⵀⵃⵄⵅⵇⵉⵊⴽⵍⵎⵏⵓⵔⵕⵖⵙⵚⵜⵟⵡⵢⵣⵥⵒⵠⵯⴲⴴⴸⴿⵝ"
_SHARED = {**dict(zip(_LATIN, _TIFINAGH, strict=True)), "ḍ̱": "ⴺ"}
"""What both orthographies write alike. The last six are spirants, which linguists write and most authors do not."""

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
"""Letters that do not come back from Tifinagh as they were, and what comes back instead. Capitals never do."""

_LETTERS = {tifinagh: latin for latin, tifinagh in TO_TIFINAGH["kabyle"].items()}
VARIANTS = MappingProxyType(
    {
        **dict(zip("ⴶⵁⵂⵆⵈⵋⵌⵗⵘⵤⵦ", "ǧhhxqjjɣɣze", strict=True)),
        "ⵐ": "ny",
        "ⵑ": "ng",
        "\u2d7f": "",  # joins two consonants, which Latin letters do by standing side by side
    }
)
"""Letters of the Sahara and of the Berber Academy. They are read, but what is rendered back is the common letter."""
TO_LATIN: dict[str, str] = {**_LETTERS, **VARIANTS}

LABIALISABLE = "kgqxɣbpm"
LABIAL_MARKS = frozenset("°ºᵂ")
"""Typed for ʷ."""


def _with_capitals(table: dict[str, str]) -> dict[str, str]:
    return {**{letter.upper(): meant.upper() for letter, meant in table.items()}, **table}


BERBER_LOOK_ALIKES = MappingProxyType(
    {**_with_capitals({"ε": "ɛ", "ϵ": "ɛ", "є": "ɛ", "ԑ": "ɛ", "γ": "ɣ"}), "Σ": "Ɛ", "σ": "ɛ"}
)
"""Greek and Cyrillic letters typed for letters that few keyboards have. A capital Greek epsilon is the capital of the
small one that was meant as ɛ; a sigma stands for its capital."""
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
"""Latin letters with a cedilla, a comma or a breve for the dot or the caron that was meant."""

READINGS = MappingProxyType(
    {
        **dict(zip("šʃžʒħʕχřðθþəǝıŋđłøo", "ccjjḥɛxrḏṯṯeeindluu", strict=True)),
        "æ": "ae",
        "œ": "e",
        "ß": "ss",
    }
)
"""Letters of other ways to write Tamazight (linguists', Tuareg) or of other languages, and how they are read where the
orthography has no letter for them. Unlike look-alikes they are no slips: `normalise` leaves them, rendering asks."""
