"""The typography of each language: quotation marks, dashes, opening marks, wide marks, and how sentences end."""

from __future__ import annotations

from typing import Literal

Pair = tuple[str, str]

QUOTES: dict[str, tuple[Pair, ...]] = {
    "en": (("“", "”"), ("‘", "’")),
    "es": (("«", "»"), ("“", "”"), ("‘", "’")),
    "fr": (("«", "»"), ("“", "”"), ("‘", "’"), ("‹", "›")),
    "de": (("„", "“"), ("»", "«"), ("«", "»"), ("‚", "‘"), ("›", "‹"), ("‹", "›")),
    "it": (("«", "»"), ("“", "”"), ("‘", "’")),
    "pt": (("“", "”"), ("«", "»"), ("‘", "’")),
    "ru": (("«", "»"), ("„", "“")),
    "uk": (("«", "»"), ("„", "“"), ("“", "”")),
    "bg": (("„", "“"), ("«", "»")),
    "mk": (("„", "“"), ("‚", "‘")),
    "cs": (("„", "“"), ("»", "«"), ("‚", "‘")),
    "pl": (("„", "”"), ("«", "»"), ("‘", "’")),
    "kab": (("«", "»"), ("“", "”")),
    "zgh": (("«", "»"), ("“", "”")),
    "zh": (("“", "”"), ("‘", "’"), ("「", "」"), ("『", "』"), ("《", "》"), ("〈", "〉")),
    "ja": (("「", "」"), ("『", "』"), ("〈", "〉"), ("《", "》"), ("“", "”")),
}
"""Language -> the quotation marks that its typography knows; those of the first pair are put in by a fix."""

NARROW, WIDE = "\u202f", "\u00a0"

OPENED: dict[str, str] = {"?": "¿", "!": "¡"}

DASHES: dict[str, str] = dict.fromkeys(("ru", "uk", "bg", "mk", "es", "pt", "sr"), " — ") | dict.fromkeys(
    ("de", "fr", "it", "pl", "cs", "nl", "sv", "da"), " – "
)
WIDE_MARKS: dict[str, dict[str, str]] = {
    "zh": dict(zip(",.;:!?", "，。；：！？", strict=True)),
    "ja": dict(zip(",.;:!?", "、。；：！？", strict=True)),
}


Closing = Literal[
    "period", "question", "exclamation", "ellipsis", "colon", "semicolon", "comma", "dash", "none", "other"
]
"""`none`: a letter or a digit. `other`: code, a formula, an address, a sign that closes nothing."""

MARKS: dict[str, Closing] = {
    **dict.fromkeys(".。．｡।॥۔።։။།", "period"),
    **dict.fromkeys("?？؟⁇⁈‽", "question"),
    **dict.fromkeys("!！‼", "exclamation"),
    **dict.fromkeys("…⋯", "ellipsis"),
    **dict.fromkeys(":：", "colon"),
    **dict.fromkeys(";；؛", "semicolon"),
    **dict.fromkeys(",，、،", "comma"),
    **dict.fromkeys("-–—―", "dash"),
}

_SIGNS: dict[Closing, dict[str, str]] = {
    "period": {
        **dict.fromkeys(("zh", "ja", "yue"), "。"),
        **dict.fromkeys(("hi", "mr", "ne", "sa", "bn", "as", "pa", "or", "mai", "bho"), "।"),
        **dict.fromkeys(("am", "ti"), "።"),
        "hy": "։",
        "ur": "۔",
    },
    "question": {
        **dict.fromkeys(("zh", "ja", "yue"), "？"),
        **dict.fromkeys(("ar", "fa", "ur", "ps", "sd", "ug", "ckb"), "؟"),
        "el": ";",
        "fr": "\u202f?",
    },
    "exclamation": {**dict.fromkeys(("zh", "ja", "yue"), "！"), "fr": "\u202f!"},
    "ellipsis": {"zh": "……", "yue": "……"},
    "colon": {**dict.fromkeys(("zh", "ja", "yue"), "："), "fr": "\u00a0:"},
}
_PLAIN: dict[Closing, str] = {"period": ".", "question": "?", "exclamation": "!", "ellipsis": "…", "colon": ":"}


def sign_of(closing: Closing, language: str) -> str:
    """How the language writes such a mark."""
    return _SIGNS.get(closing, {}).get(language, _PLAIN.get(closing, ""))
