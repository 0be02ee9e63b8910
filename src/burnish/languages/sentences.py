"""Sentences of a text with their positions, in linear time; words that cannot end one; and the length of a text.

Languages need more or less text to say the same, so lengths are compared with a factor for each language. The marks
that end a sentence differ as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from burnish.languages.scripts import letters_of
from burnish.languages.tables import kept, key_of_each, table, words_by_language, words_in

BOUNDARY = re.compile(r"[.?!:…][\"”’')\]]*\s+|[。！？]|\n\s*")
"""Where a sentence may end. Code decides whether it does: a pattern with abbreviations would not be linear."""

CLOSING = "\"”’')] \t\r\n"
OPENING = "\"“‘'([*"

WRAPPED_LINE = 60
"""A shorter line was ended on purpose; a longer one may be wrapped by an editor."""

_NEAR = 24
"""Characters before a full stop in which an abbreviation may begin."""

# A sentence never ends after these.
_INNER = words_in("sentences", "inner")
# A sentence does not end after these if a number follows.
_BEFORE_NUMBERS = words_in("sentences", "before_numbers")
# After these (and after initials and dotted abbreviations such as "U.S.") a sentence ends only before a word that
# opens sentences.
_UNDECIDED = words_in("sentences", "undecided")
_OPENERS = words_in("sentences", "openers")
_TAIL = 4
_TAILS = frozenset(word[-_TAIL:] for word in _INNER | _BEFORE_NUMBERS | _UNDECIDED if len(word) >= _TAIL)
"""The last letters of long abbreviations."""

_FIRST_WORD = re.compile(r"[^\W\d_]+")


class Sentence(NamedTuple):
    """A sentence and its start in the field. (A tuple, because a hostile field can hold half a million.)"""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def shift(self, span: tuple[int, int]) -> tuple[int, int]:
        """Convert a span of the sentence to a span of the field."""
        return (span[0] + self.start, span[1] + self.start)


def sentences(text: str, start: int = 0) -> Iterator[Sentence]:
    """Split after closing punctuation, at blank lines, after short lines; not after abbreviations and initials."""
    for match in BOUNDARY.finditer(text, start):
        if _plainly_ends(text, match.start(), match.end()) or _ends(text, start, match):
            piece = text[start : match.end()].strip()
            if piece:
                yield Sentence(piece, text.index(piece[0], start))
            start = match.end()
    piece = text[start:].strip()
    if piece:
        yield Sentence(piece, text.index(piece[0], start))


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group()[0]
    if mark in "。！？":
        return True
    following = _following(text, match.end())
    if "\n" in match.group() and _line_ends(text, start, match, following):
        return True
    if mark in "\n:" or not following:
        return False
    if mark == "?":
        # "Will I die?" he asks.
        return not (following.islower() and len(match.group().rstrip()) > 1)
    return not following.islower() and (mark != "." or not _is_inner_dot(text, start, match))


def _plainly_ends(text: str, mark: int, following: int) -> bool:
    """The common case, checked first: a full stop between a word and a capital."""
    if text[mark] != "." or not text[following : following + 1].isupper():
        return False
    before = text[mark - _TAIL : mark] if mark >= _TAIL else ""
    return before.islower() and before.isalpha() and before not in _TAILS


def _following(text: str, position: int) -> str:
    """The next character after opening quotes and brackets."""
    ahead = text[position : position + 3].lstrip(OPENING)
    return ahead[:1]


def _line_ends(text: str, start: int, match: re.Match[str], following: str) -> bool:
    if match.group().count("\n") > 1:
        return True
    line_start = max(start, text.rfind("\n", start, match.start()) + 1)
    return not following.islower() and match.start() - line_start < WRAPPED_LINE


def _is_inner_dot(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the dot belongs to an abbreviation, an initial or a list number rather than to the sentence."""
    near = text[max(start, match.start() - _NEAR) : match.start()]
    before = near.split()
    if not before:
        return True
    token = before[-1].lstrip(OPENING)
    if match.start() - start <= 4 and len(before) == 1 and token.isalnum() and _is_label(token):
        return True
    return _is_abbreviation(token, before, _following_word(text, match.end()))


def _is_label(token: str) -> bool:
    """The "1" of "1. Fever", the "IV" of "IV. Cough"."""
    return token.isdigit() or len(token) == 1 or not token.strip("IVX")


def _following_word(text: str, position: int) -> str:
    ahead = text[position : position + _NEAR].lstrip(OPENING)
    word = _FIRST_WORD.match(ahead)
    return word.group() if word else ahead[:1]


def _is_abbreviation(token: str, before: list[str], following: str) -> bool:
    lower = token.lower()
    if lower in _INNER:
        return True
    if lower in _BEFORE_NUMBERS:
        return following.isdigit()
    if lower in _UNDECIDED or "." in token or _is_initial(token, before):
        return following.lower() not in _OPENERS
    return False


def _is_initial(token: str, before: list[str]) -> bool:
    """ "John F. Kennedy", but not "hepatitis B. Blood cultures grow ..."."""
    if len(token) != 1 or not token.isupper():
        return False
    return len(before) == 1 or before[-2][:1].isupper()


_FURTHER_ENDS = re.compile(r"[.?!…][»“”\"’')\]]*[»“][\"’')\]]*\s+(?=[^\W\d_a-zà-ÿа-яё]|[¿¡«„“—–-])|[؟۔।॥።፧]+\s*")
"""Ends of sentences that `sentences` does not cover: a closing guillemet or German quote after the mark, and the marks
of Arabic, Devanagari and Ethiopic."""

_LAST_TOKEN = re.compile(r"([^\s(«“„\"'’—–]+)\.$")
_NUMBERED = re.compile(r"\d{1,3}$")


def sentences_in(text: str, language: str) -> Iterator[Sentence]:
    """The sentences of a text in any language, in order; every character but white space is in exactly one."""
    held: Sentence | None = None
    for sentence in _cut(text):
        if held is not None and _ends_in_abbreviation(held.text, language):
            held = Sentence(text[held.start : sentence.end], held.start)
            continue
        if held is not None:
            yield held
        held = sentence
    if held is not None:
        yield held


def _cut(text: str) -> Iterator[Sentence]:
    for sentence in sentences(text):
        done = 0
        for end in _FURTHER_ENDS.finditer(sentence.text):
            if end.end() < len(sentence.text):
                yield Sentence(sentence.text[done : end.end()].rstrip(), sentence.start + done)
                done = end.end()
        yield Sentence(sentence.text[done:], sentence.start + done)


def _ends_in_abbreviation(before: str, language: str) -> bool:
    """Whether the final full stop belongs to an abbreviation, or in German to an ordinal number."""
    last = _LAST_TOKEN.search(before[-_NEAR:])
    if last is None:
        return False
    token = last[1].lower()
    if language == "de" and _NUMBERED.match(token):
        return True
    known = words_by_language("sentences", "abbreviations")
    return token in known.get(language, known["other"])


CONTINUED = frozenset(
    {"e.g.", "i.e.", "p.ej.", "z.b.", "d.h.", "т.е.", "напр.", "p.ex.", "cf.", "vs.", "bzw.", "ad.es."}
)
"""Abbreviations that need something after them."""


def never_ends(word: str, language: str) -> bool:
    """Whether no phrase of the language ends with the word. False for a language without a list."""
    return word.lower().replace("’", "'") in words_by_language("sentences", "never_last").get(language, frozenset())


def seldom_ends(word: str, language: str) -> bool:
    """The same for whole sentences."""
    seldom = words_by_language("sentences", "seldom_last").get(language, frozenset())
    return never_ends(word, language) or word.lower().replace("’", "'") in seldom


_MEASURED = "en 1.0 es 1.07 fr 1.12 de 1.12 it 1.12 ru 0.98 mk 0.98 bg 0.98 pl 1.03 cs 0.97 kab 0.92 tzm 0.97 zgh 0.76"
_MEASURED_DENSE = "hi 0.97 zh 0.35 ja 0.44"
_ESTIMATED = (
    "pt 1.06 nl 1.08 ro 1.08 ca 1.07 uk 0.98 sr 0.97 sv 1.0 da 1.02 shi 0.95 rif 0.95 tr 1.0 ar 0.85 he 0.78 ko 0.52"
    " yue 0.35 th 0.9"
)
_FIGURES = " ".join((_MEASURED, _MEASURED_DENSE, _ESTIMATED)).split()
_PER_ENGLISH_LETTER: dict[str, float] = dict(zip(_FIGURES[::2], map(float, _FIGURES[1::2]), strict=True))
"""Language -> characters (without white space) needed for one of English."""
DENSE_SCRIPTS = ("Han", "Hiragana", "Katakana", "Hangul")
DENSE_LETTER = 0.4
GUESSED = 0.3
"""Extra tolerance for a language whose factor is a guess."""


def size(prose: str) -> int:
    """The number of characters of prose without white space."""
    return len("".join(prose.split()))


def per_english_letter(prose: str, language: str) -> tuple[float, float]:
    """Characters for one of English, and the extra tolerance if that is a guess."""
    known = _PER_ENGLISH_LETTER.get(language)
    if known is not None:
        return known, 0.0
    dense = letters_of(DENSE_SCRIPTS, prose) * 3 > size(prose)
    return (DENSE_LETTER if dense else 1.0), GUESSED


DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Characters that each carry about as much as three letters."""
DENSE_WORTH = 2.6
WITHOUT_VOWELS = re.compile(r"[\u0590-\u06ff\u2d30-\u2d7f]")
"""Hebrew, Arabic and Tifinagh omit most vowels."""
WITHOUT_VOWELS_WORTH = 1.4


@kept
def bulk(prose: str) -> float:
    """The amount of text: letters and digits, where a character of a dense script counts as several."""
    dense, bare = len(DENSE.findall(prose)), len(WITHOUT_VOWELS.findall(prose))
    return sum(map(str.isalnum, prose)) + dense * (DENSE_WORTH - 1) + bare * (WITHOUT_VOWELS_WORTH - 1)


@kept
def sentence_count(prose: str) -> int:
    """The number of sentences with letters in them, Hindi and Chinese sentence marks included."""
    marked = prose.replace("।", ". ").replace("॥", ". ")
    return sum(1 for sentence in sentences(marked) if any(map(str.isalpha, sentence.text)))


Closing = Literal[
    "period", "question", "exclamation", "ellipsis", "colon", "semicolon", "comma", "dash", "none", "other"
]
"""`none`: a letter or a digit. `other`: code, a formula, an address, any other sign."""

MARKS: dict[str, Closing] = {
    mark: closing for closing, marks in table("typography")["closings"].items() for mark in marks
}

_SIGNS: dict[Closing, dict[str, str]] = {
    closing: key_of_each(signs) for closing, signs in table("typography")["signs"].items()
}
_PLAIN: dict[Closing, str] = {"period": ".", "question": "?", "exclamation": "!", "ellipsis": "…", "colon": ":"}


def sign_of(closing: Closing, language: str) -> str:
    """The mark that the language uses for a closing."""
    return _SIGNS.get(closing, {}).get(language, _PLAIN.get(closing, ""))
