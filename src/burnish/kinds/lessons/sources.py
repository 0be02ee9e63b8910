"""Source material: cut into passages with stable ids, and searched by the words they share with a claim (BM25)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from burnish.core.errors import InputError
from burnish.kinds.files.encoded import binary, decoded, looks_binary, too_large
from burnish.languages.words import STOP_WORDS, stem

LARGEST = 64 << 20
"""Bytes of one source file."""
SHORT, LONG = 400, 900
"""Paragraphs shorter than this are joined with the next one; a passage longer than that is cut at a sentence."""
TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
SENTENCE_END = re.compile(r"[.!?…。！？][\"”’')\]]*(?:\s+|$)|[。！？]")
IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
SATURATION, LENGTH_SHARE = 1.2, 0.75
"""BM25's two constants, with the values that everyone uses."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the source that a claim can be held against."""

    id: str
    """`name#p0003`: the file's name and the passage's position in it."""
    text: str
    source: str
    """The file's name."""
    line: int
    """Where it begins, 1-based."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that shares words with a query."""

    passage: Passage
    score: float


def read_source(data: bytes, name: str) -> list[Passage]:
    """The passages of one source file; InputError for files that are no text."""
    if len(data) > LARGEST:
        raise too_large(name, LARGEST)
    if looks_binary(data) and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise binary(name)
    text = decoded(data, name).text
    if not text.strip():
        raise InputError("The source file is empty.", path=name, code="empty", hint="Is this the right file?")
    return passages(text, name)


def passages(text: str, name: str) -> list[Passage]:
    """Paragraphs of Markdown or plain text, joined or cut to about 400-900 characters. Ids go by position."""
    found: list[Passage] = []
    line, counted = 1, 0
    for start, end in _stretches(text):
        line += text.count("\n", counted, start)
        counted = start
        found.append(Passage(f"{name}#p{len(found) + 1:04d}", text[start:end], name, line))
    return found


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    held: tuple[int, int] | None = None
    for start, end in _paragraphs(text):
        heading = text.startswith("#", start)
        if held is not None and (heading or end - held[0] > LONG):
            yield from _cut(text, *held)
            held = None
        held = (held[0] if held else start, end)
        if end - held[0] >= SHORT and not heading:
            yield from _cut(text, *held)
            held = None
    if held is not None:
        yield from _cut(text, *held)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in PARAGRAPH.finditer(text):
        yield from _trimmed(text, start, match.start())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    kept = part.strip()
    if kept:
        first = start + len(part) - len(part.lstrip())
        yield first, first + len(kept)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces of at most LONG characters, cut after a sentence, else after a word, else anywhere."""
    while end - start > LONG:
        at = _break(text, start)
        yield from _trimmed(text, start, at)
        start = at
    yield from _trimmed(text, start, end)


def _break(text: str, start: int) -> int:
    last = None
    for match in SENTENCE_END.finditer(text, start, start + LONG):
        last = match.end()
    if last is not None and last > start + SHORT // 2:
        return last
    blank = max(text.rfind(" ", start, start + LONG), text.rfind("\n", start, start + LONG))
    return blank + 1 if blank > start else start + LONG


def terms(text: str) -> list[str]:
    """The words that a search goes by: stems of content words, numbers as they are, scripts without spaces in pairs."""
    found: list[str] = []
    for token in TOKEN.findall(text.lower()):
        if token[0].isdigit():
            found.append(token)
        elif IDEOGRAPH.match(token):
            found += (token[at : at + 2] for at in range(max(1, len(token) - 1)))
        elif token not in STOP_WORDS:
            found.append(stem(token))
    return found


class PassageIndex:
    """Finds the passages nearest to a claim. Building is linear in the source, a search in the query's postings."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, passage in enumerate(self.passages):
            counts = Counter(terms(passage.text))
            self._lengths.append(sum(counts.values()))
            for term, count in counts.items():
                self._postings.setdefault(term, []).append((place, count))
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def search(self, query: str, limit: int = 5) -> list[Hit]:
        """The best passages first; those that share no word are left out. Equal scores stand in the source's order."""
        scores: dict[int, float] = {}
        for term in dict.fromkeys(terms(query)):
            postings = self._postings.get(term, ())
            weight = self.weight(term)
            for place, count in postings:
                norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * self._lengths[place] / self._mean)
                scores[place] = scores.get(place, 0.0) + weight * count * (SATURATION + 1) / (count + norm)
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [Hit(self.passages[place], score) for place, score in best]

    def weight(self, term: str) -> float:
        """How much a word tells: the rarer, the more."""
        holding = len(self._postings.get(term, ()))
        return math.log(1 + (len(self.passages) - holding + 0.5) / (holding + 0.5))

    def shared(self, query: str, passage: Passage) -> float:
        """The share of the query's weight, 0 to 1, that the passage has, too."""
        wanted = set(terms(query))
        held = set(terms(passage.text))
        total = sum(map(self.weight, wanted))
        return sum(self.weight(term) for term in wanted & held) / total if total else 0.0


def index_of(passages: Iterable[Passage]) -> PassageIndex:
    """An index over the passages of all sources."""
    return PassageIndex(tuple(passages))
