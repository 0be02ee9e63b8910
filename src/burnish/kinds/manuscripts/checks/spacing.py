"""spacing: an extra or a missing space.

What it looks for: spaces before commas, full stops and other marks (French has some of them), inside brackets, before
an apostrophe that was cut off; as warnings, double spaces, and a missing space after a comma or between two sentences.
If the source is written in the same way it is a warning. Code, links and tables are ignored.
Why it matters: such spaces show that a machine wrote the text, and readers stumble over them.
Fix: safe: only spaces change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.scripts import UNSPACED
from burnish.languages.words import Slip

BEFORE_MARK = re.compile(r"(?<=[^\s|])[ \t]+([,.;:!?])(?=[\s\"'”’»)\]*]|$)")
AFTER_BRACKET = re.compile(r"(?<=\()[ \t]+(?=\w)")
BEFORE_BRACKET = re.compile(r"(?<=[\w.!?])[ \t]+(?=\))")
CUT_CONTRACTION = re.compile(r"(?<=[^\W\d_])[ ]+(?=(?:n['’]t|['’](?:s|re|ve|ll|d|m))\b)")
BETWEEN_WORDS = re.compile(r"(?<=[^\s|])[ ]{2,}(?=[^\s|])")
AFTER_COMMA = re.compile(r"(?<=[^\W\d_]{2})[,;](?=[^\W\d_]{2})")
AFTER_SENTENCE = re.compile(r"(?<=[^\W\d_A-ZÀ-ÞЀ-Я]{3})[.!?](?=[A-ZÀ-ÞЀ-Я][^\W\d_A-ZÀ-ÞЀ-Я]{2})")

SPACED_MARKS: dict[str, str] = dict.fromkeys(("fr", "br", "kab", "tzm", "zgh", "shi", "rif", "ber"), ";:!?")
"""Languages that put a space before some marks, and neighbouring languages that follow them."""
MOST_IN_BOTH = 0.5
"""If the source has this share of the wrong spaces, they are the author's habit."""


def slips_of_spacing(source: Side, target: Side, *, table: bool = False) -> Iterator[Slip]:
    """All spaces that are wrong in any language, or in this one."""
    yield from _before_marks(source, target)
    yield from _in_brackets(target)
    if target.language == "en":
        for start, end in _spans(CUT_CONTRACTION, target):
            yield _slip(start, end, "", "A space separates a word from its apostrophe.")
    if not table:
        yield from _doubled(source, target)
    if target.language not in UNSPACED:
        yield from _missing(source, target)


def _spans(pattern: re.Pattern[str], side: Side) -> Iterator[tuple[int, int]]:
    """Matches in prose: blanked code and links differ from the text."""
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
        yield _slip(start, end, mark, f"There is a space before {mark!r}.", soft=habit)


def _is_wrong(text: str, span: tuple[int, int], allowed: str) -> bool:
    mark, after = text[span[1] - 1], text[span[1] : span[1] + 1]
    smiles = mark in ":;" and after in (")", "(", "]")
    # After a dash or an opening mark the space belongs to that.
    return mark not in allowed and not smiles and text[span[0] - 1] not in "-–—:.…("


def _in_brackets(target: Side) -> Iterator[Slip]:
    for pattern, where in ((AFTER_BRACKET, "after the opening"), (BEFORE_BRACKET, "before the closing")):
        for start, end in _spans(pattern, target):
            yield _slip(start, end, "", f"There is a space {where} bracket.")


def _doubled(source: Side, target: Side) -> Iterator[Slip]:
    if BETWEEN_WORDS.search(source.view.text):
        return  # the author's habit
    for start, end in _spans(BETWEEN_WORDS, target):
        yield _slip(start, end, " ", "There are two spaces where one is enough.", soft=True)


def _missing(source: Side, target: Side) -> Iterator[Slip]:
    text = target.view.text
    for pattern in (AFTER_COMMA, AFTER_SENTENCE):
        for start, end in _spans(pattern, target):
            if text[start - 2 : end + 2] in source.view.text:
                continue
            mark = text[start:end]
            yield Slip(
                start - 2, end + 2, f"There is no space after {mark!r}.", "Add a space.",
                replacement=f"{text[start - 2 : end]} {text[end : end + 2]}", severity="warning",
            )  # fmt: skip


def _slip(start: int, end: int, replacement: str, message: str, *, soft: bool = False) -> Slip:
    suggestion = "Remove one." if replacement == " " else "Remove the space."
    return Slip(start, end, message, suggestion, replacement=replacement, severity="warning" if soft else "error")


@check(
    id="spacing",
    title="Wrong spacing",
    severity="error",
    bad=(
        pair("de>en", "In der Stadt, die er liebte, regnete es.", "In the city , which he loved , it rained ."),
        pair("fr>en", "La voiture de mon ami est rouge.", "My friend 's car is red."),
        pair("en>es", "The mayor (a doctor) resigned.", "El alcalde ( un médico ) dimitió."),
        pair("en>es", "It rained, and he left. Nobody saw him.", "Llovía,y se fue. Nadie  lo vio."),
    ),
    good=(
        pair("en>fr", "Who is there? he asked: nobody answered!", "Qui est là ? demanda-t-il : personne ne répondit !"),
        pair(
            "en>es",
            "Use `a , b` and [this page](https://example.org/a), then smile :)",
            "Usa `a , b` y [esta página](https://example.org/a), luego sonríe :)",
        ),
        pair(
            "en>es",
            "It was ... strange. Version .5 of Node.js costs 1,500 euros.",
            "Fue ... extraño. La versión .5 de Node.js cuesta 1.500 euros.",
        ),
    ),
)
def spacing(paragraph: Paragraph) -> Iterator[Finding]:
    table = paragraph.block == "table"
    yield from slip_findings(paragraph, slips_of_spacing(source_of(paragraph), target_of(paragraph), table=table))
