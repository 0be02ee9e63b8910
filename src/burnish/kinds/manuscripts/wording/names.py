"""Names that stay as they are: whether a translation has them, and what it has instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio

from burnish.kinds.manuscripts.wording.sides import Side
from burnish.kinds.manuscripts.wording.stems import LONGEST_ENDING, folded

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
ENDING = re.compile(r"[^\W\d_]{1,12}")
INFLECTING = frozenset(
    {"ru", "uk", "be", "pl", "cs", "sk", "hr", "sr", "sl", "mk", "bg", "tr", "fi", "hu", "et", "lt", "lv", "eu", "ka"}
)
UNSPACED_SCRIPTS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
ALIKE = 72.0
LETTERS_OF_A_SLIP = 6
"""A name of so many letters may have one wrong, one of twice as many two; a shorter one of four or five still one."""
LONGEST_NAME_WORDS = 4
SHORTEST_ALIKE = 4


class Variant(NamedTuple):
    """What stands in the translation instead of the name."""

    start: int
    end: int
    slip: bool
    """So near to the name that nothing else can be meant."""


def keeps(text: str, name: str, language: str) -> bool:
    """Whether the text has the name letter by letter, as a word of its own or with an ending of the language."""
    at = text.find(name)
    while at >= 0:
        if _begins_word(text, at) and _ends_word(text, at + len(name), language):
            return True
        at = text.find(name, at + 1)
    return False


def _begins_word(text: str, at: int) -> bool:
    before = text[at - 1 : at] if at else ""
    return not before.isalnum() or not text[at].isalnum() or UNSPACED_SCRIPTS.match(before) is not None


def _ends_word(text: str, end: int, language: str) -> bool:
    after = text[end : end + 1]
    if not text[end - 1].isalnum() or not after.isalnum() or UNSPACED_SCRIPTS.match(after):
        return True
    ending = ENDING.match(text, end)
    allowed = LONGEST_ENDING.get(language, 2) if language in INFLECTING else 1
    return ending is not None and len(ending.group()) <= allowed


def variant_of(target: Side, name: str) -> Variant | None:
    """The words of the translation that look most like the name, if any look like it."""
    count = len(WORD.findall(name))
    words = list(WORD.finditer(target.prose))
    if not count or len(name) < SHORTEST_ALIKE:
        return None
    wanted = folded(name)
    best: tuple[float, int, int] | None = None
    for at in range(len(words) - count + 1):
        start, end = words[at].start(), words[at + count - 1].end()
        if end - start > 2 * len(name):
            continue
        likeness = ratio(folded(target.prose[start:end]), wanted, score_cutoff=ALIKE)
        if likeness and (best is None or likeness > best[0]):
            best = likeness, start, end
    if best is None:
        return None
    wrong = Levenshtein.distance(folded(target.prose[best[1] : best[2]]), wanted)
    return Variant(best[1], best[2], wrong <= max(1, len(wanted) // LETTERS_OF_A_SLIP))


def names_in(source: Side, names: Mapping[str, float]) -> Iterator[str]:
    """Which of many names stand in the source: each run of a few words is looked up, however many names there are."""
    words = list(WORD.finditer(source.prose))
    seen: set[str] = set()
    for at in range(len(words)):
        for count in range(1, LONGEST_NAME_WORDS + 1):
            here = words[at : at + count]
            name = " ".join(source.prose[here[0].start() : here[-1].end()].split())
            if len(here) == count and name in names and name not in seen:
                seen.add(name)
                yield name
