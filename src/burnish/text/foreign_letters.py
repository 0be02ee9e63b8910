"""Letters of a foreign script in prose: stray letters, and words that are meant."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from burnish.languages.scripts import (
    BERBER,
    BERBER_LETTERS,
    letters_of,
    mixed_words,
    names_of,
    outside,
    script_of,
    scripts_of,
)
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown

STRAY = 3
"""Up to this many foreign letters in a text are slips; more may be words."""
PERVASIVE, PERVASIVE_SHARE = 10, 200
"""With more letters than the first, and more than one in the second, the text is not in its script."""

WITHOUT_LOOK_ALIKES = frozenset({"Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"})
"""Scripts without letters that look like those of another: a stray letter stands for nothing."""

OPENING, CLOSING = "\"'“‘«„‹([{（「『《*_", "\"'”’»“›)]}）」』》*_"
WRITING_NAMED = re.compile(
    r"glyph|kanji|hanzi|unicode|иероглиф|алфавит|alphabet|alfabeto|pronounc|transl|spell", re.IGNORECASE
)
"""Near these words, or the name of the script or its language, a foreign letter is the subject of the sentence."""
LETTER_NAMED = re.compile(
    r"charact|letter|symbol|script|sign\b|rune|particle|accent|\bword|encod|letra|car[aá]cter|s[ií]mbolo|palabra|palavra"
    r"|lettre|caract[eè]re|mot\b|zeichen|buchstab|schrift|wort\b|lettera|carattere|simbolo|parola|\b(?:букв|символ|знак|слов)",
    re.IGNORECASE,
)
"""These words count only directly beside the letter: lessons speak of words and letters for many reasons."""
SIDE_BY_SIDE = frozenset("/|=")
"""Marks between two names of the same thing."""
NEAR, BESIDE = 45, 22
"""Characters around a stretch that may name it, and those directly beside it."""
SENTENCE_END = re.compile(r"[.!?。！？](?=\s)|\n\s*\n")
IN_LATIN = re.compile(r"\s\([A-Za-zÀ-ž]{2}")
IDENTIFIER = re.compile(r"[\w.@/\\#:+-]*[_@/\\#][\w.@/\\#:+-]*|\w+\(\)|\w*\d\w*")
GREEK_RUN = re.compile(r"[\u0370-\u03ff]+")
LONGEST_SYMBOL = 2
UNIT_PREFIX = frozenset("μΔΣΠΩΦ∆")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A stretch of foreign letters that the text does not explain."""

    start: int
    end: int
    letters: int
    script: str


@lru_cache(maxsize=256)
def foreign(view: Markdown, language: str) -> tuple[Foreign, ...]:
    """Return foreign letters that are not quoted, a symbol, or the subject of the sentence. Cached for two checks."""
    prose = view.prose
    if prose.isascii():
        return ()
    home = _home(prose, language)
    pattern = outside(home)
    look_alikes = [(start, end) for start, end, _ in mixed_words(prose, language)]
    found: list[Foreign] = []
    for block in view.prose_blocks:
        if block.quoted or block.kind in ("table", "footnote"):
            continue
        for match in pattern.finditer(prose, block.start, block.end):
            for start, end in _runs(match):
                stretch = _stretch(view, start, end, language)
                if stretch is not None and not _covered(stretch, look_alikes):
                    found.append(stretch)
    return tuple(found)


def _home(prose: str, language: str) -> tuple[str, ...]:
    """Return the scripts of the language, or those of most of the prose if the language is unknown."""
    known = scripts_of(language)
    if known:
        return known
    sample = [c for c in prose[:20_000] if c.isalpha()]
    counts: dict[str, int] = {}
    for letter in sample:
        counts[script_of(letter)] = counts.get(script_of(letter), 0) + 1
    return tuple(script for script, count in counts.items() if count * 10 > len(sample)) or ("Latin",)


def _runs(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the stretch, or each symbol of a row of Greek symbols."""
    runs = list(GREEK_RUN.finditer(match.group()))
    if not runs or any(run.end() - run.start() > LONGEST_SYMBOL for run in runs):
        yield match.span()
    else:
        yield from ((match.start() + run.start(), match.start() + run.end()) for run in runs)


def _stretch(view: Markdown, start: int, end: int, language: str) -> Foreign | None:
    while end > start and not (view.prose[end - 1].isalpha() or view.prose[end - 1] > "\u0900"):
        end -= 1
    letters = [c for c in view.prose[start:end] if c.isalpha()]
    if not letters or (language in BERBER and set(letters) <= BERBER_LETTERS):
        return None
    stretch = Foreign(start, end, len(letters), script_of(letters[0]))
    return None if _is_meant(view, stretch, language) else stretch


def _covered(stretch: Foreign, look_alikes: list[tuple[int, int]]) -> bool:
    """Return whether the letters are in a word that the repair of look-alikes covers."""
    place = bisect_right(look_alikes, (stretch.start, sys.maxsize)) - 1
    return place >= 0 and stretch.start < look_alikes[place][1]


def _is_meant(view: Markdown, stretch: Foreign, language: str) -> bool:
    text, start, end = view.text, stretch.start, stretch.end
    before, after = text[start - 1] if start else " ", text[end : end + 1] or " "
    attached = before.isalpha() or after.isalpha()
    if stretch.script == "Greek" and _is_symbol(text, stretch, before, after):
        return True
    if attached:
        return bool(IDENTIFIER.fullmatch(_token(text, start, end)))
    opened = before in OPENING
    closed = after in CLOSING or (after in ".,;:!?" and text[end + 1 : end + 2] in CLOSING and end + 1 < len(text))
    if (opened and closed) or (stretch.letters > STRAY and (opened or closed)):
        return True
    adjacent = text[max(0, start - 3) : start].rstrip()[-1:], text[end : end + 3].lstrip()[:1]
    if not SIDE_BY_SIDE.isdisjoint(adjacent):
        return True
    if closed and _opens_nearby(text, start):
        return True
    return _is_mentioned(text, start, end, stretch.script, language) or _is_name(text, stretch)


def _is_mentioned(text: str, start: int, end: int, script: str, language: str) -> bool:
    """Return whether the sentence speaks of foreign letters."""
    before = SENTENCE_END.split(text[max(0, start - NEAR) : start])[-1]
    after = SENTENCE_END.split(text[end : end + NEAR], maxsplit=1)[0]
    named = names_of(script, language)
    if any(pattern.search(side) for pattern in (WRITING_NAMED, named) for side in (before, after)):
        return True
    return bool(LETTER_NAMED.search(before[-BESIDE:]) or LETTER_NAMED.search(after[:BESIDE]))


def _is_symbol(text: str, stretch: Foreign, before: str, after: str) -> bool:
    """Return whether Greek letters are symbols of quantities: alone, before a unit, after an abbreviation."""
    if stretch.letters > LONGEST_SYMBOL:
        return False
    small_before = text[max(0, stretch.start - 3) : stretch.start]
    small_after = text[stretch.end : stretch.end + 3]
    inside = before.isalpha() and after.isalpha() and not (before.isupper() and after.isupper())
    if inside:
        return False
    hangs_behind = len(small_before) == 3 and small_before.isalpha() and small_before.islower()
    hangs_before = len(small_after) == 3 and small_after.isalpha() and small_after.islower()
    if hangs_before and text[stretch.start] in UNIT_PREFIX and stretch.letters == 1:
        return not hangs_behind
    return not hangs_behind and not hangs_before


def _token(text: str, start: int, end: int) -> str:
    """Return the token around a place."""
    left = max(text.rfind(" ", max(0, start - 60), start), text.rfind("\n", max(0, start - 60), start)) + 1
    right = min((p for p in (text.find(" ", end, end + 60), text.find("\n", end, end + 60)) if p >= 0), default=end)
    return text[left:right]


def _opens_nearby(text: str, start: int) -> bool:
    """Return whether a bracket was opened a few words before: (logos, λόγος)."""
    before = text[max(0, start - 60) : start]
    opening = max(before.rfind(c) for c in "([（")
    return opening >= 0 and not any(c in before[opening:] for c in ")]）") and before.rstrip()[-1:] in ",:;–—-/"


def _is_name(text: str, stretch: Foreign) -> bool:
    """Return whether it is a name: Tokyo 東京, Толстой (Tolstoy), Лев Толстой."""
    if stretch.letters < 2:
        return False
    if IN_LATIN.match(text, stretch.end) or (stretch.letters > STRAY and text[stretch.start : stretch.end].istitle()):
        return True
    before = text[max(0, stretch.start - 40) : stretch.start].split()
    if len(before) < 2 or before[-2][-1] in ".!?:":  # every sentence begins with a capital
        return False
    return before[-1][0].isupper() and before[-1].isalpha()


def unexplained(view: Markdown, language: str, document: str = "") -> list[Foreign]:
    """Return the foreign letters of a text that its document does not explain.

    If a document names a script, or a language written in it, whole words of that script are its examples. A letter
    inside a word of the text's own script is always a slip.
    """
    return [
        stretch
        for stretch in foreign(view, language)
        if _is_attached(view.text, stretch) or not _is_subject(stretch.script, language, document)
    ]


@lru_cache(maxsize=64)
def _is_subject(script: str, language: str, document: str) -> bool:
    return names_of(script, language).search(document) is not None


def _is_attached(text: str, stretch: Foreign) -> bool:
    return text[stretch.start - 1 : stretch.start].isalpha() or text[stretch.end : stretch.end + 1].isalpha()


def pervasive(view: Markdown, language: str, *, document: str = "", is_guess: bool = False) -> Slip | None:
    """Return a slip if the text is full of foreign letters, otherwise None."""
    stretches = unexplained(view, language, document)
    letters = sum(stretch.letters for stretch in stretches)
    home = scripts_of(language) or ("Latin",)
    of = letters + letters_of(tuple({*home, "Latin"}), view.prose) if letters > PERVASIVE else 0
    if letters <= PERVASIVE or letters * PERVASIVE_SHARE <= of:
        return None
    scripts = ", ".join(dict.fromkeys(stretch.script for stretch in stretches))
    return Slip(
        stretches[0].start,
        stretches[0].end,
        f"{letters} letters of another script ({scripts}) run through the text.",
        "Write it again in its own language.",
        severity="error" if is_guess else "critical",
    )


def stray_letters(view: Markdown, language: str, *, document: str = "") -> Iterator[Slip]:
    """Yield foreign letters that are not pervasive. A few letters of a script without look-alikes are removed; others
    need a person, because a letter may stand for one that is missing."""
    stretches = unexplained(view, language, document)
    letters = sum(stretch.letters for stretch in stretches)
    if letters > PERVASIVE and pervasive(view, language, document=document) is not None:
        return
    for stretch in stretches:
        shown = view.text[stretch.start : stretch.end]
        message = f"{shown[:40]!r} is in another script ({stretch.script}) than the text."
        if letters > STRAY:
            suggestion = "Take it away, or put it in quotation marks if it is meant."
            yield Slip(stretch.start, stretch.end, message, suggestion, severity="warning")
        elif {script_of(letter) for letter in shown if letter.isalpha()} <= WITHOUT_LOOK_ALIKES:
            yield Slip(*_with_a_blank(view.text, stretch), message, "Take the stray letters away.", replacement="")
        else:
            yield Slip(stretch.start, stretch.end, message, "Write the letter that is meant, or take it away.")


def _with_a_blank(text: str, stretch: Foreign) -> tuple[int, int]:
    """Return the span to remove: the letters, and one of two blanks around them."""
    start, end = stretch.start, stretch.end
    if start and text[start - 1] == " " and text[end : end + 1] in (" ", ".", ",", ";", ":", "!", "?", ")", "\n", ""):
        return start - 1, end
    if text[end : end + 1] == " " and (start == 0 or text[start - 1].isspace()):
        return start, end + 1
    return start, end
