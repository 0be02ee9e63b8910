"""Where the words stand that a model quotes: one matcher for judges, reviewers, claims and patchers.

Models misquote: they join lines, straighten or curl quotation marks, drop emphasis and links, exchange dashes and
leave words out with an ellipsis. A quote is therefore looked for as it is, then in one canonical spelling, then
without any of those marks, then piece by piece around its ellipses. The first of these that finds anything decides,
and the place is given in exact characters of the text. All of it takes time linear in the text.
"""

from __future__ import annotations

import html
import unicodedata
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from burnish.core.documents import Unit
from burnish.core.edits import Edit

Place = tuple[int, int]
"""Start and end of the quoted words in the text, in characters."""

SHORTEST_PIECE = 8
"""Letters and digits that a piece beside an ellipsis must have: a shorter one stands nearly anywhere."""
WIDEST_GAP = 2000
"""Characters that an ellipsis may stand for."""
REMEMBERED = 64
"""Texts whose folded forms are kept: a panel quotes the same few texts again and again."""

SINGLE_MARKS, DOUBLE_MARKS = "'‘’‚‛′´`＇", '"“”„‟″«»‹›〝〞＂「」『』'
DASHES = "-‐‑‒–—―−﹘﹣－"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
CANONICAL = (
    {ord(mark): "'" for mark in SINGLE_MARKS.replace("`", "")}
    | {ord(mark): '"' for mark in DOUBLE_MARKS}
    | {ord(dash): "-" for dash in DASHES}
    | {ord("…"): "..."}
    | dict.fromkeys(map(ord, INVISIBLE), "")
)

# What is spelled in several ways: white space, a letter with marks of its own, and every sign of the table above.
_SPELLED = regex.compile(rf"\s+|\w\p{{M}}+|[{regex.escape(''.join(map(chr, CANONICAL)))}]")
# What a reader of the page does not see, or does not copy: marks of Markdown, entities, quotation marks, dashes.
_UNSEEN = regex.compile(
    rf"""
    \]\([^()\s]*+(?:\s"[^"\n]*+")?\)                            # where a link leads
  | \]\[[^\]\[\n]*+\]
  | (?m:^)[ \t]*+(?:>[ \t]?+|\#{{1,6}}[ \t]++|[-+*][ \t]++)++   # quotation, heading, item of a list
  | &(?:[A-Za-z]{{2,8}}|\#\d{{1,7}}|\#[xX][\dA-Fa-f]{{1,6}});   # an entity
  | \w\p{{M}}++
  | \\(?=[!-/:-@\[-`{{-~])                                      # an escape
  | \.\.++ | …
  | [\s*_~`\[\]{regex.escape(SINGLE_MARKS + DOUBLE_MARKS + DASHES + INVISIBLE)}]++
    """,
    regex.VERBOSE,
)
_ELLIPSIS = regex.compile(r"\s*(?:[\[(]\s*)?(?:…|\.{3,})(?:\s*[\])])?\s*")


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text in a form that is compared, and where each of its characters stands in the text itself."""

    text: str
    starts: array[int]
    ends: array[int]

    def places(self, words: str, most: int) -> list[Place]:
        found: list[Place] = []
        at = self.text.find(words) if words else -1
        while at >= 0 and len(found) < most:
            found.append((self.starts[at], self.ends[at + len(words) - 1]))
            at = self.text.find(words, at + 1)
        return found


def places(text: str, quote: str, *, loosely: bool = True, most: int = 2) -> list[Place]:
    """The places that a quote may mean, at most so many: none where its words are nowhere, one where it is clear.

    `loosely`: quotation marks, dashes and emphasis do not count, and an ellipsis may stand for words.
    Without it only their spelling does not count, which is what an edit can rely on.
    """
    if not quote.strip():
        return []
    found = (
        _verbatim(text, quote, most)
        or _verbatim(text, quote.strip(), most)
        or _spelled(text).places(_spelled(quote).text.strip(), most)
    )
    if found or not loosely:
        return found
    return _seen(text).places(_seen(quote).text, most) or _around_ellipses(text, quote, most)


def find_quote(text: str, quote: str, *, loosely: bool = True) -> Place | None:
    """The one place of the quoted words; None where they are nowhere or in several places."""
    found = places(text, quote, loosely=loosely)
    return found[0] if len(found) == 1 else None


def holds(text: str, quote: str) -> bool:
    """Whether the quoted words stand anywhere in the text."""
    return bool(places(text, quote, most=1))


def exact_quote(texts: Iterable[str], quote: str) -> str | None:
    """The quote in the exact characters of the texts, of the first that holds it; None where none of them does."""
    readable = tuple(texts)
    if any(quote in text for text in readable):
        return quote
    for text in readable:
        for place in places(text, quote, most=1):
            return text[slice(*place)]
    return None


def exact_edits(unit: Unit, edits: Iterable[Edit]) -> list[Edit]:
    """The edits, each with `find` in the exact characters of its field where only the spelling of marks differs.

    What stands nowhere, or in several places, stays as it is: applying it says why it is refused.
    """
    texts = unit.texts()
    found = []
    for edit in edits:
        text = texts.get(edit.field, "")
        place = None if edit.find in text else find_quote(text, edit.find, loosely=False)
        found.append(edit if place is None else replace(edit, find=text[slice(*place)]))
    return found


def _verbatim(text: str, quote: str, most: int) -> list[Place]:
    found: list[Place] = []
    at = text.find(quote)
    while at >= 0 and len(found) < most:
        found.append((at, at + len(quote)))
        at = text.find(quote, at + 1)
    return found


def _around_ellipses(text: str, quote: str, most: int) -> list[Place]:
    """From the first piece to the last of a quote that leaves words out; the pieces follow each other closely."""
    pieces = [_seen(piece).text for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2 or any(sum(map(str.isalnum, piece)) < SHORTEST_PIECE for piece in pieces):
        return []
    folded = _seen(text)
    next_at = [-1] * len(pieces)
    """Where each piece was found last. Starts only grow, so nothing is searched twice."""
    found: list[Place] = []
    start = folded.text.find(pieces[0])
    while start >= 0 and len(found) < most:
        end, close = start + len(pieces[0]), True
        for number, piece in enumerate(pieces[1:], start=1):
            if next_at[number] < end:
                next_at[number] = folded.text.find(piece, end)
            if next_at[number] < 0:
                return found
            close = close and next_at[number] - end <= WIDEST_GAP
            end = next_at[number] + len(piece)
        if close:
            found.append((folded.starts[start], folded.ends[end - 1]))
        start = folded.text.find(pieces[0], start + 1)
    return found


@lru_cache(maxsize=REMEMBERED)
def _spelled(text: str) -> _Folded:
    """With one blank for white space, plain quotation marks, hyphens for dashes and composed letters."""
    return _fold(text, _SPELLED, _one_spelling)


@lru_cache(maxsize=REMEMBERED)
def _seen(text: str) -> _Folded:
    """Without the marks: letters, digits and plain punctuation."""
    return _fold(text, _UNSEEN, _unmarked)


def _one_spelling(found: str) -> str:
    if found.isspace():
        return " "
    return found.translate(CANONICAL) if len(found) == 1 else unicodedata.normalize("NFC", found)


def _unmarked(found: str) -> str:
    if found[0] == "&":
        return _seen(html.unescape(found)).text if html.unescape(found) != found else found
    return unicodedata.normalize("NFC", found) if found[0].isalnum() else ""


def _fold(text: str, signs: regex.Pattern[str], spelled: Callable[[str], str]) -> _Folded:
    pieces: list[str] = []
    starts, ends = array("I"), array("I")
    done = 0
    for match in signs.finditer(text):
        start, end = match.span()
        pieces.append(text[done:start])
        starts.extend(range(done, start))
        ends.extend(range(done + 1, start + 1))
        written = spelled(match.group())
        pieces.append(written)
        starts.extend([start] * len(written))
        ends.extend([end] * len(written))
        done = end
    pieces.append(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return _Folded("".join(pieces), starts, ends)
