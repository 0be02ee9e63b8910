"""What was tried with a SEED: every extraction attempt with its cut, its score, and whose prompt it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from burnish.core.findings import BLOCKING
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, Usage
from burnish.kinds.legos.attempt_history import ATTEMPTS, earlier, kept_before, reviewed, seed_of_attempt
from burnish.kinds.legos.concerns import SEVERITIES, Concern
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.publish import row_of
from burnish.kinds.legos.resources import NO_PROMPT, Terms
from burnish.web.labels import model_name

Tone = Literal["plain", "bad", "doubt", "new"]
"""How a LEGO is drawn: like others, one that blocks, one with a lesser concern, one that is proposed."""
OF_THE_WHOLE = frozenset({"pedagogical", "consistency"})
"""Categories of concerns that are about the cut as a whole: no LEGO is drawn otherwise for them."""
_NAMED = re.compile(r"\bS[0-9]+L([0-9]+)\b")
"""A LEGO in a sentence of ours."""
_AGENT = re.compile(r"burnish_[0-9.]+_(.+)")
HANDS = {"built-in": "the built-in extractor", "person": "a person"}


@dataclass(frozen=True, slots=True)
class SeedAttempt:
    """One extraction attempt and its review."""

    number: int
    """As the course's record counts: those of earlier runs too."""
    score: float
    dimensions: Mapping[str, float]
    status: str
    """`accepted`, `flagged`, `failed` or `retry_scheduled`."""
    prompt: str | None
    """The version of the prompt; None: nobody was prompted."""
    hand: str
    """Who cut it: `the built-in extractor`, `a person`, or a model's name."""
    at: str
    notes: str
    concerns: tuple[Concern, ...]
    is_kept: bool
    """Whether its LEGOs are those that stand."""
    seed: Seed | None = None
    """The cut; None: an earlier run made it, and the course does not hold it any more."""
    attempt: AttemptRecord | None = None
    """In this run's journal; None: an earlier run made it."""
    usage: Usage = field(default_factory=Usage)
    """What it cost in this run: the cut and its review."""
    delta: str | None = None
    """Its score beside that of the one before: `+2.0`."""

    @property
    def is_earlier(self) -> bool:
        return self.attempt is None

    @property
    def measured(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.attempt.checked.get("measured", {}) if self.attempt is not None else {}
        return found

    def tones(self) -> dict[int, Tone]:
        """Position of a LEGO -> how its bar is drawn, for those with something against them."""
        tones: dict[int, Tone] = {}
        for concern in self.concerns:
            if concern.category not in OF_THE_WHOLE:
                tone: Tone = "bad" if SEVERITIES[concern.severity] in BLOCKING else "doubt"
                tones |= {position: tone for position in _positions(concern) if tones.get(position) != "bad"}
        for text in self.measured.get("broken", ()):
            tones |= {int(found[1]): "bad" for found in _NAMED.finditer(text)}
        return tones


def attempts_of(story: UnitStory, terms: Terms) -> tuple[SeedAttempt, ...]:
    """Every attempt of a SEED, oldest first: those of earlier runs as its record tells them, then those of this one."""
    source = seed_of(story.source)
    record = row_of(story, terms).translation
    past, tried = len(earlier(source)), reviewed(story.counted_attempts)
    kept = record.get("best_attempt_number", kept_before(source))
    bills = list(_bills(story))
    return tuple(
        _try(
            said,
            kept=said["attempt_number"] == kept,
            seed=_cut(source, place, past, tried, kept_before(source)),
            attempt=tried[place - past] if past <= place < past + len(tried) else None,
            usage=bills[place - past] if past <= place < past + len(bills) else Usage(),
        )
        for place, said in enumerate(record.get(ATTEMPTS, ()))
    )


def _try(
    said: Mapping[str, Any], *, kept: bool, seed: Seed | None, attempt: AttemptRecord | None, usage: Usage
) -> SeedAttempt:
    prompt = str(said["prompt_version"])
    agent = str(said["agent_version"])
    found = _AGENT.fullmatch(agent)
    by = found[1] if found else agent
    return SeedAttempt(
        number=int(said["attempt_number"]),
        score=float(said["quality_score"]["overall_score"]),
        dimensions=said["quality_score"]["dimension_scores"],
        status=str(said["status"]),
        prompt=None if prompt == NO_PROMPT else prompt,
        hand=HANDS.get(by) or model_name(by),
        at=str(said["timestamp"]),
        notes=str(said["review_notes"]),
        concerns=tuple(map(Concern.from_record, said["concerns"])),
        is_kept=kept,
        seed=seed,
        attempt=attempt,
        usage=usage,
        delta=said.get("compared_to_previous", {}).get("score_delta"),
    )


def _cut(source: Seed, place: int, past: int, tried: list[AttemptRecord], held: int) -> Seed | None:
    """What an attempt cut. Of those of earlier runs the course holds only one."""
    if place >= past:
        return seed_of_attempt(tried[place - past]) if place - past < len(tried) else None
    return source if place + 1 == held and source.legos else None


def _positions(concern: Concern) -> Iterator[int]:
    for name in concern.affected_legos:
        place = name.rpartition("L")[2]
        if place.isdecimal():
            yield int(place)


def _bills(story: UnitStory) -> Iterator[Usage]:
    """What each reviewed attempt cost: its cut, its mending and its review."""
    spent = Usage()
    for attempt in story.counted_attempts:
        spent += attempt.usage
        if attempt in reviewed((attempt,)):
            yield spent
            spent = Usage()
