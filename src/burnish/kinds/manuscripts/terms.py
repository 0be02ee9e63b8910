"""Names and repeated terms of a source, as candidates for a glossary."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from burnish.kinds.manuscripts.model import CARRIED, Paragraph
from burnish.languages.detection import votes
from burnish.languages.sentences import sentences
from burnish.languages.words import STOP_WORDS, WORD, word_set
from burnish.text.markdown import inline_markdown


class Tally:
    """Counts things; if there are too many different ones, the rarest are forgotten.

    A forgotten thing starts again at zero, so a count may be too low, never too high.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[str, int] = {}

    def add(self, thing: str) -> None:
        self._counts[thing] = self._counts.get(thing, 0) + 1
        if len(self._counts) > self._most:
            self._forget()

    def count(self, thing: str) -> int:
        return self._counts.get(thing, 0)

    def most_common(self, fewest: int = 1) -> Iterator[tuple[str, int]]:
        """Things that were counted at least `fewest` times, the most common first, equal ones by name."""
        found = [(thing, count) for thing, count in self._counts.items() if count >= fewest]
        return iter(sorted(found, key=lambda pair: (-pair[1], pair[0])))

    def _forget(self) -> None:
        """Drop the rarer half at once, so that this is rarely needed."""
        floor = sorted(self._counts.values())[len(self._counts) // 2]
        kept = {thing: count for thing, count in self._counts.items() if count > floor}
        if not kept:
            kept = dict(list(self._counts.items())[: self._most // 2])
        self._counts = kept


GAP = re.compile(r"[ \t]|\n[ \t]*")
"""Space between two words of one name or term."""
INNER = word_set("de del della di da do dos du la le van von der den of bin ibn al ar ben at n")
"""Small words inside names: "Leonardo da Vinci", "Isle of Man"."""
OPENING_QUOTES = "\"'“‘«‹„‚「『"
MOST_WORDS = 5
"""Words of one name: a line in capitals throughout is a title."""
MOST_NAMES = 50_000
FEWEST = 3
"""Paragraphs that must hold a name before its rendering is judged."""


class Name(NamedTuple):
    """A word or several words with capitals."""

    text: str
    start: int
    opens: bool
    """It begins its sentence or quotation, where every word has a capital, which does not prove a name."""


def prose_of(text: str) -> str:
    """The text with code, link targets, tags and formulas blanked, so that all offsets stay the same."""
    return inline_markdown(text).prose


def names(prose: str) -> Iterator[Name]:
    """Every run of capitalised words, in order."""
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
    """The name in these words, without small words at its end and a function word at its beginning."""
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
    """Whether it is a function word of some language."""
    lower = word.lower().replace("’", "'")
    stem = lower.partition("'")[0]
    return lower in STOP_WORDS or stem in STOP_WORDS or lower.endswith("n't") or bool(votes([lower]))


def kept_names(pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Name of the source -> the share of its paragraphs whose translation holds it, too.

    `pairs`: source and translation of every translated paragraph. A stream: memory is bounded, and of very many names
    the rarest are forgotten. Names in fewer than three paragraphs are left out: they are no evidence.
    """
    held, kept = Tally(MOST_NAMES), Tally(MOST_NAMES)
    for source, translation in pairs:
        for name in {name.text for name in names(prose_of(source)) if not name.opens}:
            held.add(name)
            if name in translation:
                kept.add(name)
    return {name: min(1.0, kept.count(name) / count) for name, count in held.most_common(FEWEST)}


CandidateKind = Literal["name", "term"]
MOST_COUNTED = 150_000
"""Different names, and different groups of words, in memory at a time."""
MOST_GIVEN = 500
FEWEST_NAMES, FEWEST_TERMS = 2, 3
"""How often a name, and a group of words, must occur."""
LONGEST_GROUP = 3
"""Words of one term."""
SHORTEST_WORD = 3
LONGEST_WORD = 60
EXAMPLE = 90
"""Characters of the example, approximately."""
HEADER = ("source", "target", "note", "do-not-translate")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that should be rendered the same way throughout."""

    text: str
    kind: CandidateKind
    count: int
    example: str
    """Its first place, with the words around it."""
    paragraph: str
    """The id of that paragraph."""


def harvest(paragraphs: Iterable[Paragraph], most: int = MOST_GIVEN) -> list[Candidate]:
    """Names and repeated groups of words, the most frequent first. A stream: memory is bounded.

    Capitals show names only inside a sentence, and not in headings; in German, where every noun has one, they show
    terms.
    """
    found = _Harvest()
    for paragraph in paragraphs:
        if paragraph.excluded is None and paragraph.block not in CARRIED:
            found.add(paragraph)
    return found.candidates()[:most]


def as_csv(candidates: Iterable[Candidate]) -> str:
    """A glossary with empty targets, to be filled in."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(HEADER)
    for one in candidates:
        # Keep text that a spreadsheet would take for a formula.
        text = f"'{one.text}" if one.text.startswith(FORMULA) else one.text
        writer.writerow([text, "", f"{one.kind}, {one.count} times: {one.example}", ""])
    return written.getvalue()


class _Harvest:
    """The counts over a stream of paragraphs."""

    def __init__(self) -> None:
        self.names = Tally(MOST_COUNTED)
        self.opening = Tally(MOST_COUNTED)
        """Words with a capital at the beginning of a sentence, which count if they are known as names."""
        self.groups = Tally(MOST_COUNTED)
        self.seen: dict[str, tuple[str, str]] = {}
        """Name or group -> its example and the paragraph's id."""
        self.german: set[str] = set()

    def add(self, paragraph: Paragraph) -> None:
        prose = prose_of(paragraph.text)
        if paragraph.block != "heading":
            for name in names(prose):
                (self.opening if name.opens else self.names).add(name.text)
                if not name.opens:
                    self._remember(name.text, paragraph, name.start)
                    if paragraph.source_language == "de":
                        self.german.add(name.text)
        for group, start in _groups(prose):
            self.groups.add(group)
            if self.groups.count(group) > 1:
                self._remember(group, paragraph, start)

    def _remember(self, text: str, paragraph: Paragraph, start: int) -> None:
        if text in self.seen:
            return
        if len(self.seen) > 2 * MOST_COUNTED:
            self.seen = {one: held for one, held in self.seen.items() if self.names.count(one) + self.groups.count(one)}
        self.seen[text] = (_around(paragraph.text, start, len(text)), paragraph.id)

    def candidates(self) -> list[Candidate]:
        found = [*self._names(), *self._terms()]
        return sorted(found, key=lambda one: (-one.count, one.text))

    def _names(self) -> Iterator[Candidate]:
        for name, count in self.names.most_common():
            count += self.opening.count(name)
            if count >= FEWEST_NAMES and name in self.seen:
                kind: CandidateKind = "term" if name in self.german else "name"
                yield Candidate(name, kind, count, *self.seen[name])

    def _terms(self) -> Iterator[Candidate]:
        named = {name.lower() for name, count in self.names.most_common(FEWEST_NAMES)}
        common = list(self.groups.most_common(FEWEST_TERMS))
        # Groups that occur only inside a longer group.
        counts = dict(common)
        longer = ((group.split(" "), count) for group, count in common if group.count(" ") > 1)
        parts = ((" ".join(part), count) for words, count in longer for part in (words[:-1], words[1:]))
        inner = {part for part, count in parts if counts.get(part) == count}
        for group, count in common:
            if group in self.seen and group not in named and group not in inner:
                yield Candidate(group, "term", count, *self.seen[group])


def _groups(prose: str) -> Iterator[tuple[str, int]]:
    """Groups of two or three adjacent words, with content words at both ends.

    They hold no names, which are found separately.
    """
    for sentence in sentences(prose):
        words = list(WORD.finditer(prose, sentence.start, sentence.end))
        for at, first in enumerate(words):
            if not _is_content_word(first.group()) or (at and first.group()[0].isupper()):
                continue
            for size in range(2, LONGEST_GROUP + 1):
                group = words[at : at + size]
                if len(group) < size or not GAP.fullmatch(prose, group[-2].end(), group[-1].start()):
                    break
                if group[-1].group()[0].isupper():
                    break
                if _is_content_word(group[-1].group()):
                    yield " ".join(word.group().lower() for word in group), first.start()


def _is_content_word(word: str) -> bool:
    return SHORTEST_WORD <= len(word) <= LONGEST_WORD and not is_function_word(word)


def _around(text: str, start: int, length: int) -> str:
    """The words around a place, on one line and without control characters."""
    begin, end = max(0, start - EXAMPLE // 2), min(len(text), start + length + EXAMPLE // 2)
    while begin > 0 and begin < start and not text[begin - 1].isspace():
        begin += 1
    while end < len(text) and end > start + length and not text[end].isspace():
        end -= 1
    plain = "".join(sign if sign.isprintable() else " " for sign in text[begin:end])
    return f"{'… ' if begin else ''}{' '.join(plain.split())}{' …' if end < len(text) else ''}"
