"""What is read beside a lesson: its specification (what it was ordered to be, in JSON or front matter), and source
material, passages with stable ids that are searched by shared words (BM25), and claims held against them.

A contradiction counts only with its passage.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.core.replies import ClaimsReply, ClaimVerdictReply
from burnish.kinds.lessons.model import Lesson, Objective, Passage, Spec
from burnish.kinds.lessons.numbers_and_dates import mentions
from burnish.languages.detection import may_be_language, primary_tag
from burnish.languages.words import STOP_WORDS, stem
from burnish.text.front_matter import front_matter
from burnish.text.json_text import binary, decoded, looks_binary, parsed, too_large
from burnish.text.quotes import exact_quote, holds

LARGEST_SPEC = 1 << 20
KNOWN = ("lesson_id", "title", "language", "difficulty", "content_archetype", "learning_objectives", "duration_minutes")
SHAPE = (
    'A spec is {"lesson_id", "title", "language", "difficulty", "content_archetype"?, '
    '"learning_objectives": [{"id", "text"}], "duration_minutes"?}.'
)


def read_spec(data: bytes, path: str) -> Spec:
    """The spec of a JSON file, or of a Markdown file's front matter. InputError names the field that is wrong."""
    if len(data) > LARGEST_SPEC:
        raise too_large(path, LARGEST_SPEC)
    text = decoded(data, path).text
    if text.lstrip()[:1] in ("{", "["):
        value = parsed(text, path)
        nested = value.get("spec") if isinstance(value, dict) else None
        return spec_of(nested if isinstance(nested, dict) else value, path)
    matter = front_matter(text)
    if matter is None:
        raise InputError("This is no spec: it is neither JSON nor has it front matter.", path=path, hint=SHAPE)
    return spec_of(matter.values, path)


def spec_of(value: object, path: str) -> Spec:
    """The spec of plain data."""
    if not isinstance(value, Mapping):
        raise InputError("A spec must be an object.", path=path, hint=SHAPE)
    objectives = value.get("learning_objectives")
    if not isinstance(objectives, list) or not objectives:
        raise _wrong("The spec needs a list of objectives.", path, "learning_objectives")
    # A tag that nobody knows is a slip of the pen: every text would be in another language than that.
    given = _text(value, "language", path)
    if not may_be_language(primary_tag(given) or ""):
        raise _wrong("This is no language that is known: give its BCP 47 tag, such as `en`.", path, "language")
    return Spec(
        lesson_id=_text(value, "lesson_id", path),
        title=_text(value, "title", path),
        language=given,
        difficulty=_text(value, "difficulty", path),
        learning_objectives=tuple(_objectives(objectives, path)),
        content_archetype=_text(value, "content_archetype", path) if value.get("content_archetype") else None,
        duration_minutes=_minutes(value.get("duration_minutes"), path),
        extra={name: part for name, part in value.items() if name not in KNOWN},
    )


def _wrong(message: str, path: str, field: str) -> InputError:
    return InputError(message, path=path, field=field, hint=SHAPE, code="bad_spec")


def _text(value: Mapping[str, Any], name: str, path: str) -> str:
    given = value.get(name)
    if isinstance(given, bool) or not isinstance(given, str | int | float) or not str(given).strip():
        raise _wrong("This is missing or no text.", path, name)
    return str(given).strip()


def _objectives(given: list[Any], path: str) -> list[Objective]:
    """Objects with id and text, or texts alone, which are numbered."""
    found: dict[str, Objective] = {}
    for place, objective in enumerate(given):
        field = f"learning_objectives[{place}]"
        if isinstance(objective, str) and objective.strip():
            objective = {"id": f"LO{place + 1}", "text": objective}
        if not isinstance(objective, Mapping):
            raise _wrong("An objective is an object with `id` and `text`.", path, field)
        id = _text(objective, "id", path) if "id" in objective else f"LO{place + 1}"
        text = objective.get("text")
        if not isinstance(text, str) or not text.strip():
            raise _wrong("The objective has no text.", path, f"{field}.text")
        if id in found:
            raise _wrong(f"The id {id!r} is there twice.", path, f"{field}.id")
        found[id] = Objective(id, text.strip())
    return list(found.values())


def _minutes(given: object, path: str) -> float | None:
    if given is None or given == "":
        return None
    try:
        minutes = float(given) if isinstance(given, str | int | float) and not isinstance(given, bool) else -1.0
    except (ValueError, OverflowError):
        minutes = -1.0
    if not 0 < minutes < 100_000:
        raise _wrong("The duration must be a number of minutes above 0.", path, "duration_minutes")
    return minutes


def embedded_spec(value: object, path: str) -> tuple[Spec | None, list[Problem]]:
    """The spec that a lesson's own file brings along; one that cannot be used is told, and the lesson is read."""
    if value is None:
        return None, []
    try:
        return spec_of(value, path), []
    except InputError as error:
        message = f"The lesson's own spec cannot be used: {error.message}"
        return None, [Problem("bad_spec", message, path, None, f"spec.{error.field}", None, error.hint)]


def refuse_other_lesson(spec: Spec, lesson: Lesson, path: str | None = None) -> None:
    """InputError where the spec belongs to another lesson: judging by it would condemn a sound one."""
    if lesson.id_declared and spec.lesson_id != lesson.lesson_id:
        raise InputError(
            f"The spec is for the lesson {spec.lesson_id!r}, but this lesson is {lesson.lesson_id!r}.",
            path=path,
            field="lesson_id",
            code="other_lesson",
            hint="Give the spec of this lesson, or correct the id in one of the two files.",
        )


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
    ends = [match.span() for match in PARAGRAPH.finditer(text)] + [(len(text), len(text))]
    starts = [0, *(after for _, after in ends)]
    paragraphs = (span for start, (end, _) in zip(starts, ends, strict=False) for span in _trimmed(text, start, end))
    held: tuple[int, int] | None = None
    for start, end in paragraphs:
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


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    kept = part.strip()
    if kept:
        first = start + len(part) - len(part.lstrip())
        yield first, first + len(kept)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces of at most LONG characters, cut after a sentence, else after a word, else anywhere."""
    while end - start > LONG:
        most = start + LONG
        at = max((match.end() for match in SENTENCE_END.finditer(text, start, most)), default=0)
        if at <= start + SHORT // 2:
            blank = max(text.rfind(" ", start, most), text.rfind("\n", start, most))
            at = blank + 1 if blank > start else most
        yield from _trimmed(text, start, at)
        start = at
    yield from _trimmed(text, start, end)


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
        # The quote as the unit spells it, where the unit holds it.
        texts = tuple(lesson.unit(part.unit).texts().values()) if part.unit in lesson else ()
        claim = Claim(part.unit, exact_quote(texts, part.quote) or part.quote, part.claim)
        reason = None
        if part.unit not in lesson:
            reason = "unknown_unit"
        elif not claim.quote.strip():
            reason = "no_quote"
        elif not any(holds(text, claim.quote) for text in texts):
            reason = "quote_not_found"
        elif (part.unit, part.claim) in kept:
            reason = "duplicate"
        if reason is None:
            kept[part.unit, part.claim] = claim
        else:
            dropped.append((claim, reason))
    return list(kept.values()), dropped


def verify_claim(index: PassageIndex, claim: Claim, limit: int = OFFERED) -> list[Hit]:
    """The passages to hold a claim against: found by the claim's words and by those of the lesson."""
    return index.search(f"{claim.claim}\n{claim.quote}", limit)


def verify_verdicts(
    claims: Iterable[Claim], reply: ClaimVerdictReply, offered: Mapping[str, Sequence[Hit]]
) -> list[ClaimVerdict]:
    """A model's verdicts, as far as the passages bear them out. `offered` are the hits by the claim's text."""
    given: dict[tuple[str, ...], set[tuple[Verdict, str | None]]] = {}
    for part in reply.verdicts:
        given.setdefault(tuple(part.claim.split()), set()).add((part.verdict, part.passage))
    said = ((claim, given.get(tuple(claim.claim.split()), set())) for claim in claims)
    return [_verified(claim, verdicts, offered.get(claim.claim, ())) for claim, verdicts in said]


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
    if verdict == "contradicted" and not passage_differs(claim.claim, passage.text):
        words, said = (" ".join(text.lower().split()) for text in (claim.claim, passage.text))
        if words and words in said:
            return ClaimVerdict(claim, "not_found", None, "passage_agrees")
        if len(set(terms(claim.claim)) & set(terms(passage.text))) < SHARED:
            return ClaimVerdict(claim, "not_found", None, "passage_unrelated")
    return ClaimVerdict(claim, verdict, passage)


def passage_differs(claim: str, passage: str) -> bool:
    """Whether the passage gives another number or date where the claim gives one, and never the claim's."""
    said = mentions(passage)
    for mention in mentions(claim):
        alike = [other for other in said if other.measure == mention.measure]
        if alike and not any(mention.agrees(other) for other in alike):
            return True
    return False
