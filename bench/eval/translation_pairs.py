"""Long sound pairs: lessons and the Declaration, paragraph beside paragraph as far as they can be aligned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, log
from pathlib import Path

from bench.eval.translation_cases import pair
from burnish.kinds.manuscripts.formats import read_paragraphs
from burnish.kinds.manuscripts.model import BlockKind, Paragraph

LESSONS = Path("lessons")
DECLARATION = Path("tamazight")
CARRIED: BlockKind = "code"
SKIP = 0.6
"""What a block without a partner costs, in the logarithm of a ratio of lengths."""

Block = tuple[BlockKind, str]
"""Its kind (`code` for all that is carried through) and its text without markers."""


def blocks(text: str, markdown: bool) -> list[Block]:
    """The blocks that a translator is given, as the package reads them; and those that are carried through."""
    read = read_paragraphs(text, "book", "markdown" if markdown else "text")
    # Notes are numbered anew by translators and stand in another order, so that their neighbours say nothing.
    return [
        (paragraph.block if paragraph.excluded is None else CARRIED, paragraph.text)
        for paragraph in read
        if isinstance(paragraph, Paragraph) and not paragraph.frame.first.startswith("[^")
    ]


def aligned(source: str, target: str, languages: tuple[str, str], markdown: bool) -> tuple[list[Paragraph], int]:
    """Blocks beside blocks by kind and length (after Gale and Church), and how many blocks of the source are left out.

    Nothing else of what the rules compare decides here: no number, no name, no link. A pair is kept only where its
    neighbours are paired as well, because a lonely one may be chance.
    """
    first, second = blocks(source, markdown), blocks(target, markdown)
    beads = set(_beads(first, second))
    ends = {(-1, -1), (len(first), len(second))}
    sure = [(i, j) for i, j in sorted(beads) if {(i - 1, j - 1), (i + 1, j + 1)} <= beads | ends]
    pairs = [
        replace(pair(number, first[i][1], second[j][1], *languages), block=first[i][0])
        for number, (i, j) in enumerate(sure, 1)
        if first[i][0] != CARRIED
    ]
    return pairs, len(first) - len(sure)


def _beads(first: list[Block], second: list[Block]) -> Iterator[tuple[int, int]]:
    """The cheapest way through both: a pair costs what its lengths differ, a block without a partner SKIP."""
    rows, columns = len(first) + 1, len(second) + 1
    cost = [[SKIP * (i + j) if not i or not j else inf for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            skipped = min(cost[i - 1][j], cost[i][j - 1]) + SKIP
            cost[i][j] = min(skipped, cost[i - 1][j - 1] + _distance(first[i - 1], second[j - 1]))
    i, j = rows - 1, columns - 1
    while i and j:
        if cost[i][j] == cost[i - 1][j - 1] + _distance(first[i - 1], second[j - 1]):
            i, j = i - 1, j - 1
            yield i, j
        elif cost[i][j] == cost[i - 1][j] + SKIP:
            i -= 1
        else:
            j -= 1


def _distance(ours: Block, theirs: Block) -> float:
    return abs(log((len(ours[1]) + 8) / (len(theirs[1]) + 8))) if ours[0] == theirs[0] else inf


def lesson_pairs(data: Path) -> Iterator[tuple[str, list[Paragraph], int]]:
    for translated in sorted((data / LESSONS / "es").glob("*.md")):
        original = data / LESSONS / "en" / translated.name
        texts = (original.read_text(encoding="utf-8"), translated.read_text(encoding="utf-8"))
        yield translated.stem, *aligned(*texts, ("en", "es"), True)


def declaration_pairs(data: Path) -> Iterator[tuple[str, list[Paragraph], int]]:
    english = (data / DECLARATION / "udhr_eng.txt").read_text(encoding="utf-8")
    for code, language in (("mkd", "mk"), ("tzm", "tzm"), ("zgh", "zgh")):
        other = (data / DECLARATION / f"udhr_{code}.txt").read_text(encoding="utf-8")
        yield f"en-{language}", *aligned(english, other, ("en", language), False)
