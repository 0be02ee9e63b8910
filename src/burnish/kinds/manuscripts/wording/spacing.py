"""Blanks that are too many or too few. Places are those of the text, and nothing inside code or links is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.kinds.manuscripts.wording.sides import Side
from burnish.languages.slips import Slip

BEFORE_MARK = re.compile(r"(?<=[^\s|])[ \t]+([,.;:!?])(?=[\s\"'”’»)\]*]|$)")
AFTER_BRACKET = re.compile(r"(?<=\()[ \t]+(?=\w)")
BEFORE_BRACKET = re.compile(r"(?<=[\w.!?])[ \t]+(?=\))")
CUT_CONTRACTION = re.compile(r"(?<=[^\W\d_])[ ]+(?=(?:n['’]t|['’](?:s|re|ve|ll|d|m))\b)")
BETWEEN_WORDS = re.compile(r"(?<=[^\s|])[ ]{2,}(?=[^\s|])")
AFTER_COMMA = re.compile(r"(?<=[^\W\d_]{2})[,;](?=[^\W\d_]{2})")
AFTER_SENTENCE = re.compile(r"(?<=[^\W\d_A-ZÀ-ÞЀ-Я]{3})[.!?](?=[A-ZÀ-ÞЀ-Я][^\W\d_A-ZÀ-ÞЀ-Я]{2})")

SPACED_MARKS: dict[str, str] = dict.fromkeys(("fr", "br", "kab", "tzm", "zgh", "shi", "rif", "ber"), ";:!?")
"""Languages that set a blank before some marks, and those that write as their neighbours do."""
UNSPACED = frozenset({"zh", "ja", "yue", "th", "lo", "km", "my", "bo"})
MOST_IN_BOTH = 0.5
"""A blank that the source sets as well in so many of its places is the author's way."""


def spacing(source: Side, target: Side, *, table: bool = False) -> Iterator[Slip]:
    """Every blank that is wrong in any language, or in this one."""
    yield from _before_marks(source, target)
    yield from _in_brackets(target)
    if target.language == "en":
        for start, end in _spans(CUT_CONTRACTION, target):
            yield _slip(start, end, "", "A blank cuts a word before its apostrophe.")
    if not table:
        yield from _doubled(source, target)
    if target.language not in UNSPACED:
        yield from _missing(source, target)


def _spans(pattern: re.Pattern[str], side: Side) -> Iterator[tuple[int, int]]:
    """Where the pattern is found in prose: what was blanked there differs from the text."""
    text, prose = side.view.text, side.prose
    for match in pattern.finditer(text):
        start, end = match.span()
        if text[max(0, start - 1) : end + 1] == prose[max(0, start - 1) : end + 1]:
            yield start, end


def _before_marks(source: Side, target: Side) -> Iterator[Slip]:
    allowed = SPACED_MARKS.get(target.language, "")
    text = target.view.text
    places = [span for span in _spans(BEFORE_MARK, target) if _is_wrong(text, span, allowed)]
    if not places:
        return
    habit = sum(1 for _ in _spans(BEFORE_MARK, source)) >= MOST_IN_BOTH * len(places)
    for start, end in places:
        mark = text[end - 1]
        yield _slip(start, end, mark, f"A blank stands before {mark!r}.", soft=habit)


def _is_wrong(text: str, span: tuple[int, int], allowed: str) -> bool:
    mark, after = text[span[1] - 1], text[span[1] : span[1] + 1]
    smiles = mark in ":;" and after in (")", "(", "]")
    # A dash or an opening mark before it, and the blank belongs to that.
    return mark not in allowed and not smiles and text[span[0] - 1] not in "-–—:.…("


def _in_brackets(target: Side) -> Iterator[Slip]:
    for pattern, where in ((AFTER_BRACKET, "behind the opening"), (BEFORE_BRACKET, "before the closing")):
        for start, end in _spans(pattern, target):
            yield _slip(start, end, "", f"A blank stands {where} bracket.")


def _doubled(source: Side, target: Side) -> Iterator[Slip]:
    if BETWEEN_WORDS.search(source.view.text):
        return  # the author's way
    for start, end in _spans(BETWEEN_WORDS, target):
        yield _slip(start, end, " ", "Two blanks stand where one is enough.", soft=True)


def _missing(source: Side, target: Side) -> Iterator[Slip]:
    text = target.view.text
    for pattern in (AFTER_COMMA, AFTER_SENTENCE):
        for start, end in _spans(pattern, target):
            if text[start - 2 : end + 2] in source.view.text:
                continue
            mark = text[start:end]
            yield Slip(
                start - 2, end + 2, f"No blank follows {mark!r}.", "Set a blank.",
                replacement=f"{text[start - 2 : end]} {text[end : end + 2]}", severity="warning",
            )  # fmt: skip


def _slip(start: int, end: int, replacement: str, message: str, *, soft: bool = False) -> Slip:
    suggestion = "Take one away." if replacement == " " else "Take the blank away."
    return Slip(start, end, message, suggestion, replacement=replacement, severity="warning" if soft else "error")
