"""Names in a text, by their capitals: which they are, and which of them a translation keeps. One walk, any length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from burnish.kinds.manuscripts.materials.tally import Tally
from burnish.languages.detection import votes
from burnish.languages.sentences import sentences
from burnish.languages.words import STOP_WORDS, WORD, word_set
from burnish.text.inline import scan

GAP = re.compile(r"[ \t]|\n[ \t]*")
"""What may stand between two words of one name."""
INNER = word_set("de del della di da do dos du la le van von der den of bin ibn al ar ben at n")
"""Small words inside names: "Leonardo da Vinci", "Isle of Man"."""
OPENING_QUOTES = "\"'“‘«‹„‚「『"
MOST_WORDS = 5
"""Words of one name: a line in capitals throughout is a title."""
MOST_NAMES = 50_000
FEWEST = 3
"""Paragraphs that must hold a name before anything is said about how it is rendered."""


class Name(NamedTuple):
    """A word or words with capitals."""

    text: str
    start: int
    opens: bool
    """It begins its sentence, or what someone says, where every word has a capital: no proof of a name."""


def prose_of(text: str) -> str:
    """The text with code, links' targets, tags and formulas blanked, every place as it was."""
    return scan(text, [(0, len(text))]).prose


def names(prose: str) -> Iterator[Name]:
    """Every stretch of capitalised words, in order."""
    for sentence in sentences(prose):
        yield from _in_sentence(prose, sentence.start, sentence.end)


def _in_sentence(prose: str, start: int, end: int) -> Iterator[Name]:
    held: list[re.Match[str]] = []
    first: int | None = None
    for word in WORD.finditer(prose, start, end):
        first = word.start() if first is None else first
        joined = bool(held) and len(held) < 2 * MOST_WORDS and GAP.fullmatch(prose, held[-1].end(), word.start())
        if held and not joined:
            yield from _closed(prose, held, first)
            held = []
        if word.group()[0].isupper() or (held and word.group() in INNER):
            held.append(word)
        elif held:
            yield from _closed(prose, held, first)
            held = []
    if held and first is not None:
        yield from _closed(prose, held, first)


def _closed(prose: str, held: list[re.Match[str]], first: int) -> Iterator[Name]:
    """The name that these words make, without small words at its end and a function word at its beginning."""
    while held and not held[-1].group()[0].isupper():
        held.pop()
    opens = bool(held) and (held[0].start() == first or prose[held[0].start() - 1] in OPENING_QUOTES)
    if opens and len(held) > 1 and is_function_word(held[0].group()):
        held = held[1:]
        opens = False
    if not held or len(held) > MOST_WORDS or (len(held) == 1 and is_function_word(held[0].group())):
        return
    if len(held) == 1 and len(held[0].group()) == 1:
        return
    text = " ".join(prose[held[0].start() : held[-1].end()].split()).removesuffix("'s").removesuffix("’s")
    yield Name(text, held[0].start(), opens and len(held) == 1)


def is_function_word(word: str) -> bool:
    """Whether some language has this for its grammar."""
    lower = word.lower().replace("’", "'")
    stem = lower.partition("'")[0]
    return lower in STOP_WORDS or stem in STOP_WORDS or lower.endswith("n't") or bool(votes([lower]))


def kept_names(pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Name of the source -> in which share of the paragraphs that hold it the translation holds it, too.

    `pairs`: source and translation of every paragraph that has one. A stream: memory is bounded, and of very many names
    the rarest are forgotten. Names in fewer than three paragraphs tell nothing and are left out.
    """
    held, kept = Tally(MOST_NAMES), Tally(MOST_NAMES)
    for source, translation in pairs:
        for name in {name.text for name in names(prose_of(source)) if not name.opens}:
            held.add(name)
            if name in translation:
                kept.add(name)
    return {name: min(1.0, kept.count(name) / count) for name, count in held.most_common(FEWEST)}
