"""Small slips of typing: where they are in a text, and what the text looks like without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

CODE_MARKS = ("`", "$", "\\", "{")
"""A text with any of these may hold code, LaTeX or placeholders, where spaces and signs mean something."""

STRAY = re.compile(r" [ ,.?;!]")
_BLANKS = frozenset((" ", "\t"))
SPACE_BEFORE = re.compile(r"(?<=[^\W_]) +(?=[,;?!](?:\s|$)|\.(?:\s|$)(?!\.))")
"""Spaces before a closing sign; not before the dots of an ellipsis, nor after a sign of mathematics."""
BEFORE_UNKNOWN = re.compile(
    r"(?:[0-9]|\b(?:over|times|plus|minus|equals?|by|is|are|to|as|and|or|than|from|root|log|sin|cos|tan))$",
    re.IGNORECASE,
)
"""After a number, or a word that a number follows, a question mark may stand for the number that is asked for."""
AFTER_UNKNOWN = re.compile(r"\?[ \t]+[^\W_A-ZÀ-Þ]|\?[ \t]+[-+*/=<>×÷·−≈≤≥%]")
"""No sentence begins here, so none ended with the question mark."""
LONGEST_BEFORE = 8
"""Characters before a question mark that tell whether it stands for a number."""
INNER_SPACES = re.compile(r"(?<=\S)  (?=\S)")
"""Exactly two: more are columns."""
PROSE_LINE = 60
"""In shorter lines, two spaces may set columns apart."""

CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufffd]"
)
MOJIBAKE = re.compile("â€|Ã[©¨¤¶¼±§¡³]|Â[°±µ·\u00a0]")
_TAGS = "b|i|u|em|strong|p|div|span|sub|sup|ul|ol|li|table|tr|td|th|a|font|h[1-6]|code|pre"
HTML = re.compile(
    rf"</(?:{_TAGS})\s?>|<(?:br|hr|img)\b[^<>]{{0,200}}>|<(?:{_TAGS})\s[^<>]{{1,200}}>|&(?:nbsp|amp|lt|gt|quot"
    rf"|#\d{{1,6}});",
    re.IGNORECASE,
)
MARKDOWN = re.compile(
    r"\*\*(?=\S)[^*\n]{1,300}\*\*|(?<![_\w])__(?=[A-Za-z])[^_\n]{1,300}__(?![_\w])"
    r"|\[[^\]\n]{1,200}\]\([^()\s]{1,500}\)|^#{1,6} \S",
    re.MULTILINE,
)
LATEX = re.compile(r"\\[A-Za-z]{2,30}")
ESCAPE = re.compile(r"(?<![\\:])\\[nt](?![A-Za-z])")
UNIT = re.compile(r"[0-9](?:mg|mcg|µg|kg|mL|ml|dL|mmol|mEq|cm|mmHg|mm|kPa)\b")
LONGEST_NUMBER = 12
GLUED = re.compile(r"[.?!][A-Z]")
DOUBLED_MARK = re.compile(r"\?\?|!!|,,|;;|(?<![.…])\.\.(?![.…])")
CROWDED = re.compile(r"[?!,;.][?!,;.A-Z]")
"""A quick look: without one, no mark is doubled and no sentences are glued together."""
DOUBLED_WORD = re.compile(r" (?P<words>(the|a|of|to|in|is|and) \2) ")


@dataclass(frozen=True, slots=True)
class Slip:
    """One thing to tidy."""

    span: tuple[int, int]
    message: str
    suggestion: str


def is_plain(text: str) -> bool:
    """Whether the text holds nothing in which spaces could mean something."""
    return not any(mark in text for mark in CODE_MARKS)


def without_stray_spaces(text: str, *, before_marks: bool = False) -> str:
    """The text with single spaces between words and none at the ends; before closing signs only if that is custom."""
    if "  " in text:
        text = "".join(_single_spaced(line) for line in text.splitlines(keepends=True))
    if not before_marks:
        text = SPACE_BEFORE.sub(_without_space_before_mark, text)
    return text.strip(" \t") if text.strip() else text


def _without_space_before_mark(spaces: re.Match[str]) -> str:
    """Nothing, but for the spaces before a question mark that stands for a number: "2 over 9 = 14 over ?"."""
    text, (start, end) = spaces.string, spaces.span()
    if text[end] != "?":
        return ""
    before = text[max(0, start - LONGEST_BEFORE) : start]
    is_number = BEFORE_UNKNOWN.search(before) or AFTER_UNKNOWN.match(text, end)
    return spaces.group() if is_number else ""


def _single_spaced(line: str) -> str:
    return INNER_SPACES.sub(" ", line) if len(line) > PROSE_LINE or "\n" not in line else line


def first_difference(one: str, other: str) -> int:
    """The place of the first character in which the two differ."""
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)


def may_have_inner_spaces(text: str) -> bool:
    """A quick look; False is certain."""
    return STRAY.search(text) is not None


def has_spaces_at_ends(text: str) -> bool:
    return text[:1] in _BLANKS or text[-1:] in _BLANKS


def slips(text: str, *, latex: bool = False) -> Iterator[Slip]:
    """Everything untidy but the spaces, once for each sort. `latex`: the question is written in LaTeX on purpose."""
    yield from _characters(text)
    yield from _markup(text, latex)
    yield from _typing(text)


def _characters(text: str) -> Iterator[Slip]:
    match = CONTROL.search(text)
    if match:
        message = f"An invisible or broken character stands in the text (U+{ord(match.group()):04X})."
        yield Slip(match.span(), message, "Remove it, or put in the character that was meant.")
    if ("â" in text or "Ã" in text or "Â" in text) and (match := MOJIBAKE.search(text)):
        yield Slip(
            match.span(), f"{match.group()!r} looks like text read in the wrong encoding.", "Read the source as UTF-8."
        )


def _markup(text: str, latex: bool) -> Iterator[Slip]:
    suggestion = "Leave the markup out."
    if ("<" in text or "&" in text) and (match := HTML.search(text)):
        yield Slip(match.span(), f"{match.group()[:40]!r} is markup, not text.", suggestion)
    if ("**" in text or "__" in text or "](" in text or "# " in text) and (match := MARKDOWN.search(text)):
        yield Slip(match.span(), f"{match.group()[:40]!r} is markup, not text.", suggestion)
    if "\\" in text and not latex and "`" not in text:
        match = LATEX.search(text) or ESCAPE.search(text)
        if match:
            yield Slip(match.span(), f"{match.group()!r} is left over from LaTeX or from an escape.", suggestion)


def _typing(text: str) -> Iterator[Slip]:
    if (span := _without_space(text)) is not None:
        message = f"{text[span[0] : span[1]]!r} has no space before the unit."
        yield Slip(span, message, "Put a space before the unit.")
    if CROWDED.search(text):
        yield from _crowded(text)
    if match := DOUBLED_WORD.search(text):
        yield Slip(match.span("words"), f"A word is doubled ({match['words']!r}).", "Leave one.")
        return
    if text.rstrip().endswith('?"') and text.count('"') % 2:
        end = len(text.rstrip())
        yield Slip((end - 1, end), "A quotation mark is closed that was never opened.", "Remove it.")


def _crowded(text: str) -> Iterator[Slip]:
    if (span := _glued(text)) is not None:
        yield Slip(span, "Two sentences are glued together.", "Put a space after the full stop.")
    if match := DOUBLED_MARK.search(text):
        yield Slip(match.span(), f"The mark {match.group()!r} is doubled.", "Leave one.")


def _without_space(text: str) -> tuple[int, int] | None:
    """ "5mg", but not the end of a name such as "AB5mg"."""
    for match in UNIT.finditer(text):
        before = text[max(0, match.start() - LONGEST_NUMBER) : match.start() + 1]
        number = before[len(before.rstrip("0123456789.,")) :]
        left = before[: -len(number)][-1:]
        if not left.isalnum() and left != "_":
            return (match.start() + 1 - len(number), match.end())
    return None


def _glued(text: str) -> tuple[int, int] | None:
    """ "pain.He", but neither "U.S.A" nor "example.Com"."""
    for match in GLUED.finditer(text):
        start, end = match.span()
        before, after = text[max(0, start - 3) : start], text[end : end + 2]
        if (
            len(before) == 3
            and before.isalpha()
            and before.islower()
            and after[:1].islower()
            and " " in text[:start][-40:]
        ):
            return (start - 3, end)
    return None
