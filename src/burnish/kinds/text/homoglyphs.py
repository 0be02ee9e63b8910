"""Letters of another alphabet that look like those of the word they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.kinds.text.alphabets import BERBER, BERBER_LETTERS, scripts_of
from burnish.kinds.text.markdown import Markdown
from burnish.kinds.text.slips import Slip

_CYRILLIC = "АВЕЅІЈКМНОРСТУХаеорсухіјѕԛԝһ"
_LATIN_OF_CYRILLIC = "ABESIJKMHOPCTYXaeopcyxijsqwh"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανικρτυχ"
_LATIN_OF_GREEK = "ABEZHIKMNOPTYXoavikptux"

TO_LATIN = {
    **dict(zip(_CYRILLIC, _LATIN_OF_CYRILLIC, strict=True)),
    **dict(zip(_GREEK, _LATIN_OF_GREEK, strict=True)),
}
TO_CYRILLIC = dict(zip("ABEKMHOPCTXaeopcyx", "АВЕКМНОРСТХаеорсух", strict=True))
CYRILLIC, GREEK, LATIN = "\u0400-\u052f", "\u0370-\u03ff", "A-Za-z\u00c0-\u024f"
SUSPECT = re.compile(f"[{CYRILLIC}{GREEK}]")
WORD = re.compile(rf"[{LATIN}{CYRILLIC}{GREEK}\d_]+")
IN_CYRILLIC = re.compile(rf"[{LATIN}]+[{CYRILLIC}][{LATIN}{CYRILLIC}]*|[{CYRILLIC}]+[{LATIN}][{LATIN}{CYRILLIC}]*")
LONGEST = 60
CAPITALS_WITH_ENDING = re.compile(rf"[A-Z]{{2,}}[{CYRILLIC}]+$")
"""An abbreviation with a Russian case ending."""


def mixed_words(view: Markdown, language: str) -> Iterator[tuple[int, int, str]]:
    """Words with look-alikes of another alphabet: where, and the word as it should be."""
    prose = view.prose
    if prose.isascii():
        return
    home = scripts_of(language)
    at = 0
    pattern = IN_CYRILLIC if "Cyrillic" in home else SUSPECT
    while (match := pattern.search(prose, at)) is not None:
        start, end = _word_around(prose, match.start())
        mended = _mended(prose[start:end], home, language)
        if mended is not None and (end - start > 1 or _stands_free(prose, start)):
            yield start, end, mended
        at = max(end, match.end())


def _stands_free(prose: str, place: int) -> bool:
    """A letter between blanks, not one that is quoted or put in brackets."""
    before, after = prose[place - 1 : place], prose[place + 1 : place + 2]
    return (not before or before.isspace()) and (not after or after.isspace())


def _word_around(prose: str, place: int) -> tuple[int, int]:
    start = place
    while start and place - start < LONGEST and WORD.match(prose[start - 1]):
        start -= 1
    word = WORD.match(prose, start, start + 2 * LONGEST)
    return start, word.end() if word is not None else place + 1


def _mended(word: str, home: tuple[str, ...], language: str) -> str | None:
    """The word in one alphabet; None where it is in one already, or cannot be put into one."""
    if len(word) > LONGEST or any(c.isdigit() or c == "_" for c in word):
        return None
    latin = sum(c.isascii() or c <= "\u024f" for c in word)
    other = len(word) - latin
    if not latin:
        return _single(word, home)
    if not other:
        return None
    foreign = [c for c in word if c > "\u024f"]
    if foreign[0] < "\u0400" or "Cyrillic" not in home:
        return _latin(word, foreign, latin, language)
    if other >= latin and not CAPITALS_WITH_ENDING.match(word):
        return _exchanged(word, TO_CYRILLIC, [c for c in word if c <= "\u024f"])
    return _latin(word, foreign, latin, language) if latin > other + 1 else None


def _single(word: str, home: tuple[str, ...]) -> str | None:
    """One Cyrillic letter alone among Latin words may be the article or the conjunction that it looks like."""
    if len(word) != 1 or home != ("Latin",) or word not in "аАоОеіІ":
        return None
    return TO_LATIN[word]


def _latin(word: str, foreign: list[str], latin: int, language: str) -> str | None:
    if language in BERBER and BERBER_LETTERS.issuperset(foreign):
        return None
    if all(c < "\u0400" for c in foreign):
        # Greek letters hang on Latin words as symbols (TNFα, πr): a slip stands between two small letters.
        inside = re.search(rf"[a-z][{GREEK}]+[a-z]", word)
        if inside is None or len(word) < 4:
            return None
    return _exchanged(word, TO_LATIN, foreign) if latin >= len(foreign) else None


def _exchanged(word: str, table: dict[str, str], foreign: list[str]) -> str | None:
    if not all(c in table for c in foreign):
        return None
    strangers = set(foreign)
    return "".join(table[c] if c in strangers else c for c in word)


def homoglyphs(view: Markdown, language: str) -> Iterator[Slip]:
    """Words that look right and are not: nobody finds them by searching."""
    for start, end, mended in mixed_words(view, language):
        word = view.text[start:end]
        strange = "".join(dict.fromkeys(c for c, m in zip(word, mended, strict=True) if c != m))
        yield Slip(
            start,
            end,
            f"{word!r} has letters of another alphabet that only look alike ({strange}).",
            f"Write {mended!r} with letters of one alphabet.",
            replacement=mended,
        )
