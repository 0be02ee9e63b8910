"""Transliterate a text between Latin and Tifinagh letters by rules; code, formulas, addresses and names are kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from burnish.core.errors import UsageError
from burnish.languages.tamazight import (
    MARKS,
    ORTHOGRAPHIES,
    SCRIPTS,
    WORD,
    Orthography,
    Reason,
    Script,
    Writer,
    in_latin,
    in_tifinagh,
    normal,
)
from burnish.text.front_matter import front_matter
from burnish.text.markdown import STANDS_FOR, inline_markdown, labels, markdown, normal_label
from burnish.text.structure import Link

TextFormat = Literal["markdown", "text"]
Span = tuple[int, int]

IN_PROSE = re.compile(
    r"""
    \{[^{}\s]{1,200}\}                                           # {x}, {x:.2f}, {#heading}
  | \{[#.:][^{}\n]{1,400}\}                                      # {: .class title="x"}
  | %(?:\([A-Za-z_]\w{0,99}\))?[-+0#]{0,4}\d{0,4}(?:\.\d{1,4})?[sdfrixXgeuc]\b
  | &(?:[A-Za-z][A-Za-z0-9]{1,31}|\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6});
  | \[\^[^\]\s]{1,100}\]                                         # the mark of a footnote
  | ^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\[[xX]\](?=\s)        # the box of a task
  | (?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++                 # a mail address
  | (?<!\w)(?:mailto|tel|doi|urn):[^\s<>()\[\]"']++
  | (?<!\w)www\.[^\s<>()\[\]"']++
  | (?<![\w.@/-])(?:[A-Za-z0-9-]++\.)+?(?:com|org|net|edu|gov|info|io)\b(?:/[^\s<>()\[\]"']*+)?
    """,
    re.VERBOSE | re.MULTILINE,
)
WITH_DOLLAR = re.compile(r"%\d{1,3}\$[sdfixXgeuc]\b|\$\{[^{}\s]{1,200}\}")
"""Placeholders: two of them on one line would look like a formula."""
SHORT_REFERENCE = re.compile(r"\[([^\[\]\n]{1,999})\]")
HEAD = re.compile(rf"[\w{MARKS}]+|\S")
WORD_SIGN = re.compile(rf"[\w{MARKS}]")


def readable(text: str, format: TextFormat) -> tuple[str, list[Span]]:
    """Return the text with code, tags and addresses blanked, at the same length; and the labels that must be kept."""
    text = WITH_DOLLAR.sub(lambda match: STANDS_FOR * len(match.group()), text)
    if format == "text":
        found = inline_markdown(text)
        return _with_captions(text, found.prose, found.links), _collapsed(found.links)
    view = markdown(text)
    kept = _collapsed(view.links)
    defined = labels(view)
    if defined:
        kept += [use.span() for use in SHORT_REFERENCE.finditer(text) if normal_label(use[1]) in defined]
    return _with_captions(text, view.prose, view.links), kept


def _collapsed(links: list[Link]) -> list[Span]:
    """Return the words of [words][] links, which are their labels as well."""
    return [(link.text_start, link.text_end) for link in links if link.form == "collapsed"]


def _with_captions(text: str, prose: str, links: list[Link]) -> str:
    """Unblank the words under images, which are read like others, although checks of prose ignore them."""
    pieces: list[str] = []
    at = 0
    for link in sorted(link for link in links if link.image):
        if link.start >= at:
            caption = text[link.text_start : link.text_end]
            pieces += prose[at : link.text_start], inline_markdown(caption).prose
            at = link.text_end
    return "".join((*pieces, prose[at:])) if pieces else prose


def untouched(prose: str, labelled: Sequence[Span], keep: Sequence[str]) -> list[Span]:
    """Return the spans that must not change, in order."""
    spans = [*labelled, *(match.span() for match in IN_PROSE.finditer(prose))]
    if keep:
        spans += _names(tuple(keep)).places(prose)
    return sorted(spans)


class Names:
    """Names to keep, found in time that does not depend on their number."""

    def __init__(self, names: Sequence[str]) -> None:
        self._by_head: dict[str, list[str]] = {}
        forms = {unicodedata.normalize(form, name.strip()) for name in names for form in ("NFC", "NFD")}
        for name in sorted(forms, key=lambda name: (-len(name), name)):  # the longest name wins
            if (head := HEAD.match(name)) is not None:
                self._by_head.setdefault(head.group(), []).append(name)

    def places(self, text: str) -> Iterator[Span]:
        at = 0
        while (head := HEAD.search(text, at)) is not None:
            name = self._name_at(text, head)
            at = head.end() if name is None else head.start() + len(name)
            if name is not None:
                yield head.start(), at

    def _name_at(self, text: str, head: re.Match[str]) -> str | None:
        for name in self._by_head.get(head.group(), ()):
            end = head.start() + len(name)
            inside = WORD_SIGN.match(name[-1]) is not None and WORD_SIGN.match(text, end) is not None
            if text.startswith(name, head.start()) and not inside:
                return name
        return None


_names = lru_cache(maxsize=8)(Names)

TOML_HEAD = re.compile(r"\+\+\+[ \t]*\r?\n(?:(?!\+\+\+).*\n){0,5000}\+\+\+[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class Note:
    """A letter that was corrected."""

    start: int
    """The place in the given text, in characters."""
    end: int
    found: str
    written: str
    """The replacement; in Latin letters if the letter was only corrected."""
    reason: Reason


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text in its new script, and the corrections."""

    text: str
    notes: tuple[Note, ...] = ()


def render(
    text: str,
    to: Script = "tifinagh",
    orthography: Orthography = "ircam",
    keep: Sequence[str] = (),
    format: TextFormat = "markdown",
) -> Rendered:
    """Return `text` in the other script.

    Look-alike and decomposed letters are corrected first, and noted. Digits, marks, code, formulas, tags, addresses,
    placeholders and the names in `keep` do not change. `format` is "text" if lines have no Markdown blocks (indented
    code, front matter): a plain file, or the text of one paragraph.
    """
    _refuse_unknown(to, SCRIPTS, "script")
    _refuse_unknown(orthography, ORTHOGRAPHIES, "orthography")
    return _rewritten(text, in_latin if to == "latin" else in_tifinagh[orthography], keep, format)


def normalise(text: str, *, keep: Sequence[str] = (), format: TextFormat = "markdown") -> Rendered:
    """Replace look-alikes in `text` by the letters of Tamazight, and compose letters with their marks."""
    return _rewritten(text, normal, keep, format)


def _refuse_unknown(given: str, known: Sequence[str], what: str) -> None:
    if given not in known:
        raise UsageError(f"There is no {what} {given!r}.", hint=f"Choose one of: {', '.join(known)}.")


def _rewritten(text: str, write: Writer, keep: Sequence[str], format: TextFormat) -> Rendered:
    begin = _head_end(text) if format == "markdown" else 0
    body = text[begin:]
    prose, labelled = readable(body, format)
    stays = untouched(prose, labelled, keep)
    pieces = [text[:begin]]
    notes: list[Note] = []
    at = span = 0
    for word in WORD.finditer(prose):
        start, end = word.span()
        while span < len(stays) and stays[span][1] <= start:
            span += 1
        if span < len(stays) and stays[span][0] < end:
            continue
        written = write(word.group())
        pieces += body[at:start], written.text
        at = end
        if written.changes:
            place = begin + start
            notes += [Note(place + c.start, place + c.end, c.found, c.written, c.reason) for c in written.changes]
    pieces.append(body[at:])
    return Rendered("".join(pieces), tuple(notes))


def _head_end(text: str) -> int:
    """Return the end of the front matter, whose keys and values are for programs."""
    head = front_matter(text)
    if head is not None:
        return head.end
    toml = TOML_HEAD.match(text)
    return toml.end() if toml is not None else 0
