"""Source material: passages with stable ids, searched by shared words (BM25), and claims held against them.

A contradiction counts only with its passage.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from burnish.core.errors import InputError
from burnish.core.replies import ClaimsReply, ClaimVerdictReply
from burnish.kinds.lessons.model import Lesson, Passage
from burnish.kinds.lessons.numbers_and_dates import mentions
from burnish.languages.words import STOP_WORDS, stem
from burnish.text.json_text import binary, decoded, looks_binary, too_large
from burnish.text.quotes import exact_quote, holds

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

    def __init__(self, passages: Iterable[Passage]) -> None:
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


Verdict = Literal["supported", "contradicted", "not_found"]

OFFERED = 3
"""Passages that a model sees for each claim."""
SHARED = 2
"""Content words that a claim and the passage against it have in common at least."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that can be checked."""

    unit: str
    quote: str
    """Verbatim from the unit."""
    claim: str
    """The statement on its own, as the model put it."""


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What the source says about a claim."""

    claim: Claim
    verdict: Verdict
    passage: Passage | None = None
    """The passage that decides it; None where nothing was found."""
    doubt: str | None = None
    """Why a model's verdict was not believed: `no_verdict`, `conflicting_verdicts`, `passage_not_offered`,
    `passage_unrelated`, `passage_agrees`."""


def claims_of(reply: ClaimsReply, lesson: Lesson) -> tuple[list[Claim], list[tuple[Claim, str]]]:
    """The claims whose quotes stand in their units, each once; and the others, with the reason."""
    kept: dict[tuple[str, str], Claim] = {}
    dropped: list[tuple[Claim, str]] = []
    for part in reply.claims:
        claim = _exact(Claim(part.unit, part.quote, part.claim), lesson)
        reason = _doubt(claim, lesson) or ("duplicate" if (part.unit, part.claim) in kept else None)
        if reason is None:
            kept[part.unit, part.claim] = claim
        else:
            dropped.append((claim, reason))
    return list(kept.values()), dropped


def _exact(claim: Claim, lesson: Lesson) -> Claim:
    """The claim with its quote as the unit spells it, where the unit holds it."""
    texts = lesson.unit(claim.unit).texts().values() if claim.unit in lesson else ()
    return replace(claim, quote=exact_quote(texts, claim.quote) or claim.quote)


def _doubt(claim: Claim, lesson: Lesson) -> str | None:
    if claim.unit not in lesson:
        return "unknown_unit"
    if not claim.quote.strip():
        return "no_quote"
    texts = lesson.unit(claim.unit).texts().values()
    return None if any(holds(text, claim.quote) for text in texts) else "quote_not_found"


def verify_claim(index: PassageIndex, claim: Claim, limit: int = OFFERED) -> list[Hit]:
    """The passages to hold a claim against: found by the claim's words and by those of the lesson."""
    return index.search(f"{claim.claim}\n{claim.quote}", limit)


def verify_verdicts(
    claims: Iterable[Claim], reply: ClaimVerdictReply, offered: Mapping[str, Sequence[Hit]]
) -> list[ClaimVerdict]:
    """A model's verdicts, as far as the passages bear them out. `offered` are the hits by the claim's text."""
    given: dict[str, set[tuple[Verdict, str | None]]] = {}
    for part in reply.verdicts:
        given.setdefault(_same(part.claim), set()).add((part.verdict, part.passage))
    return [_verified(claim, given.get(_same(claim.claim), set()), offered.get(claim.claim, ())) for claim in claims]


def _same(claim: str) -> str:
    return " ".join(claim.split())


def _verified(claim: Claim, given: set[tuple[Verdict, str | None]], hits: Sequence[Hit]) -> ClaimVerdict:
    if not given:
        return ClaimVerdict(claim, "not_found", None, "no_verdict")
    if len({verdict for verdict, _ in given}) > 1:
        return ClaimVerdict(claim, "not_found", None, "conflicting_verdicts")
    verdict, named = min(given, key=lambda pair: pair[1] or "")
    if verdict == "not_found":
        return ClaimVerdict(claim, "not_found")
    passage = next((hit.passage for hit in hits if hit.passage.id == named), None)
    if passage is None:
        return ClaimVerdict(claim, "not_found", None, "passage_not_offered")
    if verdict == "contradicted" and (doubt := _objection(claim, passage)) is not None:
        return ClaimVerdict(claim, "not_found", None, doubt)
    return ClaimVerdict(claim, verdict, passage)


def _objection(claim: Claim, passage: Passage) -> str | None:
    """Why the passage cannot contradict the claim."""
    if passage_differs(claim.claim, passage.text):
        return None
    if claim.claim.strip() and " ".join(claim.claim.lower().split()) in " ".join(passage.text.lower().split()):
        return "passage_agrees"
    shared = set(terms(claim.claim)) & set(terms(passage.text))
    return None if len(shared) >= SHARED else "passage_unrelated"


def passage_differs(claim: str, passage: str) -> bool:
    """Whether the passage gives another number or date where the claim gives one, and never the claim's."""
    said = mentions(passage)
    for mention in mentions(claim):
        alike = [other for other in said if other.measure == mention.measure]
        if alike and not any(mention.agrees(other) for other in alike):
            return True
    return False
