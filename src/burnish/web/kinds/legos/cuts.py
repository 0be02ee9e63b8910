"""The cuts of a SEED: its attempts, and drawings of their cuts, with a bar for each LEGO under its words.

Each word has its own part of every bar, so that the bars wrap with a long sentence on a narrow screen, in either
writing direction.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any, Literal

from burnish.core.findings import BLOCKING, Severity
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, Usage
from burnish.kinds.legos.attempt_history import ATTEMPTS, earlier, kept_before, reviewed, seed_of_attempt
from burnish.kinds.legos.evidence import MISALIGNED
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.model import Course, Lego, Seed, Word, words_of
from burnish.kinds.legos.placement import Extraction, coverage_of
from burnish.kinds.legos.policy import SEVERITIES, Concern
from burnish.kinds.legos.publish import row_of
from burnish.kinds.legos.resources import NO_PROMPT, Terms
from burnish.languages.detection import language_name
from burnish.web import Drawn
from burnish.web.labels import model_name
from burnish.web.pieces import diff

Tone = Literal["plain", "bad", "doubt", "new"]
"""The style of a LEGO: normal, with a blocking concern, with a lesser concern, or proposed."""
OF_THE_WHOLE = frozenset({"pedagogical", "consistency"})
"""Categories of concerns about the whole cut, which do not change the style of a LEGO."""
_NAMED = re.compile(r"\bS[0-9]+L([0-9]+)\b")
"""The name of a LEGO in a message."""
_AGENT = re.compile(r"burnish_[0-9.]+_(.+)")
HANDS = {"built-in": "the built-in extractor", "person": "a person"}


@dataclass(frozen=True, slots=True)
class SeedAttempt:
    """One extraction attempt and its review."""

    number: int
    """The number in the record of the course, which includes earlier runs."""
    score: float
    dimensions: Mapping[str, float]
    status: str
    """`accepted`, `flagged`, `failed` or `retry_scheduled`."""
    prompt: str | None
    """The version of the prompt; None: no model was used."""
    hand: str
    """The source of the cut: `the built-in extractor`, `a person`, or the name of a model."""
    at: str
    notes: str
    concerns: tuple[Concern, ...]
    is_kept: bool
    """Whether its LEGOs are the kept ones."""
    seed: Seed | None = None
    """The cut; None if an earlier run made it and the course no longer has it."""
    attempt: AttemptRecord | None = None
    """The record in the journal of this run; None if an earlier run made it."""
    usage: Usage = field(default_factory=Usage)
    """The usage of the cut and its review in this run."""
    delta: str | None = None
    """The difference to the score of the previous attempt: `+2.0`."""

    @property
    def is_earlier(self) -> bool:
        return self.attempt is None

    @property
    def measured(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.attempt.checked.get("measured", {}) if self.attempt is not None else {}
        return found

    def tones(self) -> dict[int, Tone]:
        """Position -> style of the bar, for LEGOs with a concern."""
        tones: dict[int, Tone] = {}
        for concern in self.concerns:
            if concern.category not in OF_THE_WHOLE:
                tone: Tone = "bad" if SEVERITIES[concern.severity] in BLOCKING else "doubt"
                tones |= {position: tone for position in _positions(concern) if tones.get(position) != "bad"}
        for text in self.measured.get("broken", ()):
            tones |= {int(found[1]): "bad" for found in _NAMED.finditer(text)}
        return tones


def attempts_of(story: UnitStory, terms: Terms) -> tuple[SeedAttempt, ...]:
    """All attempts of a SEED, oldest first: those of earlier runs from its record, then those of this run."""
    source = seed_of(story.source)
    record = row_of(story, terms).translation
    past, tried = len(earlier(source)), reviewed(story.counted_attempts)
    kept = record.get("best_attempt_number", kept_before(source))
    bills = list(_bills(story))
    return tuple(
        _try(
            row,
            kept=row["attempt_number"] == kept,
            seed=_cut(source, place, past, tried, kept_before(source)),
            attempt=tried[place - past] if past <= place < past + len(tried) else None,
            usage=bills[place - past] if past <= place < past + len(bills) else Usage(),
        )
        for place, row in enumerate(record.get(ATTEMPTS, ()))
    )


def _try(
    row: Mapping[str, Any], *, kept: bool, seed: Seed | None, attempt: AttemptRecord | None, usage: Usage
) -> SeedAttempt:
    prompt = str(row["prompt_version"])
    agent = str(row["agent_version"])
    found = _AGENT.fullmatch(agent)
    by = found[1] if found else agent
    return SeedAttempt(
        number=int(row["attempt_number"]),
        score=float(row["quality_score"]["overall_score"]),
        dimensions=row["quality_score"]["dimension_scores"],
        status=str(row["status"]),
        prompt=None if prompt == NO_PROMPT else prompt,
        hand=HANDS.get(by) or model_name(by),
        at=str(row["timestamp"]),
        notes=str(row["review_notes"]),
        concerns=tuple(map(Concern.from_record, row["concerns"])),
        is_kept=kept,
        seed=seed,
        attempt=attempt,
        usage=usage,
        delta=row.get("compared_to_previous", {}).get("score_delta"),
    )


def _cut(source: Seed, place: int, past: int, tried: list[AttemptRecord], held: int) -> Seed | None:
    """The cut of an attempt. Of earlier runs, the course has only the kept one."""
    if place >= past:
        return seed_of_attempt(tried[place - past]) if place - past < len(tried) else None
    return source if place + 1 == held and source.legos else None


def _positions(concern: Concern) -> Iterator[int]:
    for name in concern.affected_legos:
        place = name.rpartition("L")[2]
        if place.isdecimal():
            yield int(place)


def _bills(story: UnitStory) -> Iterator[Usage]:
    """The usage of each reviewed attempt: cut, repair and review."""
    spent = Usage()
    for attempt in story.counted_attempts:
        spent += attempt.usage
        if attempt in reviewed((attempt,)):
            yield spent
            spent = Usage()


# -- drawing

Place = tuple[int, int]
"""The span of a LEGO in its sentence, in characters; -1 if it is not in the sentence."""

MOST_WORDS, MOST_BARS = 200, 60
"""Limits of a drawing, so that a huge sentence does not slow down the page."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One LEGO over one sentence."""

    name: str
    """`L2`."""
    first: int
    end: int
    """Indices of its words; the end is exclusive."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a bar under one word."""

    name: str
    tone: Tone
    opens: bool
    """Whether the bar begins here; its name is shown in this part."""
    closes: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """One sentence and the LEGOs over it."""

    words: tuple[Drawn, ...]
    lang: str | None
    label: str
    """The caption: `Now, English`."""
    bars: tuple[Bar, ...]
    left_out: int = 0
    """The number of words beyond the limit."""

    @property
    def as_text(self) -> str:
        """The bars as text, for screen readers."""
        return "; ".join(f"{bar.name}: {self._words(bar)}" for bar in self.bars) or "no LEGO"

    def _words(self, bar: Bar) -> str:
        return " ".join(word.text for word in self.words[bar.first : bar.end])


def drawn(
    sentence: str,
    places: Sequence[Place],
    *,
    label: str,
    lang: str | None = None,
    tones: Mapping[int, Tone] | None = None,
    marked: Mapping[int, Severity] | None = None,
) -> Cut:
    """A sentence with its LEGOs, which are named L1, L2, ... by position.

    `tones`: position -> style of the bar. `marked`: index of a word, from 0 -> its severity.
    """
    words = words_of(sentence)
    shown = words[:MOST_WORDS]
    left_out = len(words) - len(shown)
    text = sentence[: words[MOST_WORDS].start] if left_out else sentence
    starts, ends = [word.start for word in shown], [word.end for word in shown]
    found = []
    for position, (start, end) in enumerate(places[:MOST_BARS], start=1):
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        if start >= 0 and first < last:
            found.append(Bar(f"L{position}", first, last, (tones or {}).get(position, "plain")))
    bars = tuple(found)
    under = _under(bars, len(shown))
    marked = marked or {}
    cut = tuple(
        Drawn(text=part, lanes=lanes, is_loose=not any(lanes), severity=marked.get(at), spaced=spaced)
        for at, ((part, spaced), lanes) in enumerate(zip(_with_marks(text, shown), under, strict=True))
    )
    return Cut(cut, lang, label, bars, left_out)


def _under(bars: Sequence[Bar], words: int) -> list[tuple[Stretch | None, ...]]:
    """The parts of bars under each word, row by row."""
    lanes = _lanes(bars)
    most = max(lanes, default=-1) + 1
    under: list[list[Stretch | None]] = [[None] * most for _ in range(words)]
    for bar, lane in zip(bars, lanes, strict=True):
        for at in range(bar.first, bar.end):
            under[at][lane] = Stretch(bar.name, bar.tone, at == bar.first, at == bar.end - 1)
    return [tuple(row) for row in under]


def _lanes(bars: Sequence[Bar]) -> list[int]:
    """The row of each bar: the first that is free at its beginning."""
    ends: list[int] = []
    lanes = [0] * len(bars)
    for number, bar in sorted(enumerate(bars), key=lambda one: (one[1].first, one[1].end)):
        lanes[number] = next((lane for lane, end in enumerate(ends) if end <= bar.first), len(ends))
        ends[lanes[number] : lanes[number] + 1] = [bar.end]
    return lanes


def _with_marks(sentence: str, words: Sequence[Word]) -> list[tuple[str, bool]]:
    """Every word with its punctuation, and whether a space follows."""
    cuts = [0, *(_between(sentence, one.end, other.start) for one, other in pairwise(words)), len(sentence)]
    stretches = [sentence[start:end] for start, end in pairwise(cuts)] if words else []
    return [(text.strip(), text != text.rstrip()) for text in stretches]


def _between(sentence: str, end: int, start: int) -> int:
    """Where to split the punctuation between two words: after the first space, or before the second word."""
    gap = sentence[end:start]
    blank = next((at for at, letter in enumerate(gap) if letter.isspace()), None)
    return start if blank is None else start - len(gap[blank:].lstrip())


@dataclass(frozen=True, slots=True)
class CourseLanguages:
    """The two languages of a course."""

    source: str
    """A language tag: `en`."""
    target: str
    source_name: str
    target_name: str

    @classmethod
    def of(cls, course: Course) -> CourseLanguages:
        tags = course.source_tag, course.target_tag
        return cls(*tags, *map(language_name, tags))


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing of a cut over both sentences."""

    source: Cut
    target: Cut
    legos: tuple[Drawn, ...]
    uncovered: tuple[str, ...]
    """Words that no LEGO contains, and none may."""


def drawing(
    seed: Seed, terms: Terms, *, label: str, made: SeedAttempt | None = None, proposed: bool = False
) -> Drawing:
    """The drawing of a SEED's cut. `made`: the attempt with its review; `proposed`: LEGOs without concerns are drawn as
    new."""
    languages = CourseLanguages.of(terms.course)
    found = made.tones() if made is not None else {}
    tones: dict[int, Tone] = {
        position: found.get(position, "new" if proposed else "plain") for position in range(1, len(seed.legos) + 1)
    }
    source = drawn(
        seed.source,
        [(lego.start, lego.end) for lego in seed.legos],
        label=f"{label}, {languages.source_name}",
        lang=languages.source,
        tones=tones,
        marked=_marked(seed, terms) if made is not None else {},
    )
    target = drawn(
        seed.target,
        [(lego.target_start, lego.target_end) for lego in seed.legos],
        label=f"{label}, {languages.target_name}",
        lang=languages.target,
        tones=tones,
    )
    lines = tuple(
        Drawn(
            name=seed.provenance(position),
            source=lego.source,
            target=lego.target,
            tone=tones[position],
            confidence=lego.confidence,
            is_doubtful=lego.confidence < MISALIGNED,  # doubtful whether its halves have the same meaning
        )
        for position, lego in enumerate(seed.legos, start=1)
    )
    return Drawing(source, target, lines, seed.uncovered)


def _marked(seed: Seed, terms: Terms) -> Mapping[int, Severity]:
    """Words of the source that break a rule: prepositions at an edge, and words that no LEGO covers."""
    if not seed.legos:
        return {}
    extraction = Extraction.of(seed, terms.profile)
    marked: dict[int, Severity] = dict.fromkeys(coverage_of(extraction, terms.rule).missing, "error")
    for piece in extraction.pieces:
        broken = piece.violation(terms.profile, terms.rule)
        if broken is not None and piece.words is extraction.words:
            marked[broken.place] = "critical"
    return marked


def changes(before: Seed, after: Seed) -> tuple[Drawn, ...]:
    """The differences between two cuts of a SEED, LEGO by LEGO, paired by position."""
    found = []
    for position, (old, new) in enumerate(zip_longest(before.legos, after.legos), start=1):
        source, target = (diff(_half(old, half), _half(new, half)) for half in ("source", "target"))
        is_changed = any(piece.change != "same" for piece in (*source, *target))
        found.append(Drawn(name=after.provenance(position), source=source, target=target, is_changed=is_changed))
    return tuple(found)


def _half(lego: Lego | None, half: str) -> str:
    return getattr(lego, half) if lego is not None else ""


def is_same_cut(one: Seed, other: Seed) -> bool:
    return [(lego.source, lego.target) for lego in one.legos] == [(lego.source, lego.target) for lego in other.legos]
