"""A text from one script to the other, by rules: what is no Tamazight in it stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from burnish.core.errors import UsageError
from burnish.kinds.files.front_matter import front_matter
from burnish.kinds.manuscripts.scripts.letters import ORTHOGRAPHIES, SCRIPTS, Orthography, Script
from burnish.kinds.manuscripts.scripts.untouched import TextFormat, readable, untouched
from burnish.kinds.manuscripts.scripts.words import WORD, Reason, Writer, in_latin, in_tifinagh, normal

TOML_HEAD = re.compile(r"\+\+\+[ \t]*\r?\n(?:(?!\+\+\+).*\n){0,5000}\+\+\+[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class Note:
    """A letter that was not taken as it stands."""

    start: int
    """Where it stands in the text that was given, in characters."""
    end: int
    found: str
    written: str
    """What was put in its place; in Latin letters where the letter was only made the right one."""
    reason: Reason


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text in its new script, and what had to be decided on the way."""

    text: str
    notes: tuple[Note, ...] = ()


def render(
    text: str,
    to: Script = "tifinagh",
    orthography: Orthography = "ircam",
    keep: Sequence[str] = (),
    format: TextFormat = "markdown",
) -> Rendered:
    """`text` in the other script.

    Look-alike and decomposed letters are made the right ones first, and noted. Digits, marks, code, formulas, tags,
    addresses, placeholders and the names in `keep` stay as they are. `format` is "text" where lines have no Markdown
    blocks (indented code, front matter): a plain file, or the text of one paragraph.
    """
    _refuse_unknown(to, SCRIPTS, "script")
    _refuse_unknown(orthography, ORTHOGRAPHIES, "orthography")
    return _rewritten(text, in_latin if to == "latin" else in_tifinagh[orthography], keep, format)


def normalise(text: str, *, keep: Sequence[str] = (), format: TextFormat = "markdown") -> Rendered:
    """`text` with look-alikes replaced by the letters of Tamazight, and letters and their marks composed."""
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
    """Where the front matter ends: its keys and values belong to programs."""
    head = front_matter(text)
    if head is not None:
        return head.end
    toml = TOML_HEAD.match(text)
    return toml.end() if toml is not None else 0
