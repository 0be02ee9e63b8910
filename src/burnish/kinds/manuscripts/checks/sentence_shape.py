"""sentence_shape: lines or sentences that are divided differently from the source.

What it looks for: lines that the author ended on purpose (verse, addresses, hard breaks) and the translation does not;
a very long sentence where the source has short ones; one sentence split into four or more.
Why it matters: rhythm is part of a text.
Fix: needs a translator. Always a warning: the division into sentences is a matter of style.
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
from burnish.languages.sentences import Sentence, sentences
from burnish.languages.words import Slip

HARD_BREAK = re.compile(r"(?:[ ]{2}|\\|<br ?/?>)\n")
VERSE_LINES, VERSE_LENGTH = 3, 60
"""This many lines, all shorter than that, were not wrapped by an editor."""
LONG, TIMES_LONGER = 60, 2.0
"""Words of a sentence that is hard to follow, and how many times longer it is than the longest of the source."""
SHORT, CHOPPED = 30, 4
"""The most words of a sentence that must not be split, and the number of sentences that is too many."""


def shapes(source: Side, target: Side) -> Iterator[Slip]:
    """Places where the translation is divided differently from its source."""
    yield from _lines(source, target)
    if target.language in UNSPACED or source.language in UNSPACED:
        return
    ours, theirs = list(sentences(source.prose)), list(sentences(target.prose))
    if ours and theirs:
        yield from _lengths(ours, theirs)


def _lines(source: Side, target: Side) -> Iterator[Slip]:
    """Lines that an author ended on purpose: verse, addresses, hard breaks."""
    wanted, found = _meant_lines(source.view.text), target.view.text.count("\n") + 1
    if wanted > 1 and found != wanted:
        message = f"The source has {wanted} lines with deliberate breaks, the translation {found}."
        yield Slip(0, 0, message, "End the lines where the source ends them.", severity="warning")


def _meant_lines(text: str) -> int:
    """The number of lines with deliberate breaks; 1 if there are none."""
    lines = text.split("\n")
    hard = len(HARD_BREAK.findall(text))
    verse = len(lines) >= VERSE_LINES and all(0 < len(line) < VERSE_LENGTH for line in lines)
    starts = [line.lstrip()[:1] for line in lines]
    if verse and all(not sign.isalpha() or sign.isupper() for sign in starts):
        return len(lines)
    return len(lines) if hard and hard == len(lines) - 1 else 1


def _lengths(ours: list[Sentence], theirs: list[Sentence]) -> Iterator[Slip]:
    longest = max(theirs, key=lambda sentence: len(sentence.text))
    words = len(longest.text.split())
    most = max(len(sentence.text.split()) for sentence in ours)
    if words >= LONG and words > TIMES_LONGER * most:
        message = f"A sentence has {words} words; the longest of the source has {most}."
        yield Slip(longest.start, longest.end, message, "Divide it where the source does.", severity="warning")
    if len(ours) == 1 and most <= SHORT and len(theirs) >= CHOPPED:
        message = f"One sentence of {most} words became {len(theirs)}."
        yield Slip(theirs[0].start, theirs[-1].end, message, "Join what the source joins.", severity="warning")


@check(
    id="sentence_shape",
    title="Different sentence structure",
    severity="warning",
    bad=(
        pair(
            "en>es",
            "How doth the little crocodile\nImprove his shining tail,\nAnd pour the waters of the Nile",
            "Cómo mejora el cocodrilito su cola brillante y vierte las aguas del Nilo",
        ),
        pair(
            "en>es",
            "He came in and sat down by the fire because he was cold.",
            "Entró. Se sentó. Había fuego. Tenía frío.",
        ),
        pair("en>es", "It rained. He ran. " * 12, "Llovía y él corría y " * 14 + "nada más."),
    ),
    good=(
        pair(
            "en>es",
            "How doth the little crocodile\nImprove his shining tail,\nAnd pour the waters of the Nile",
            "Cómo mejora el cocodrilito\nSu cola brillante,\nY vierte las aguas del Nilo",
        ),
        pair(
            "en>es",
            "He came in and sat down by the fire, which had been burning since early morning\nand was warm.",
            "Entró y se sentó junto al fuego. Tenía frío.",
        ),
    ),
)
def sentence_shape(paragraph: Paragraph) -> Iterator[Finding]:
    if paragraph.block != "table":
        yield from slip_findings(paragraph, shapes(source_of(paragraph), target_of(paragraph)))
