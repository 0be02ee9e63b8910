"""What is known of a course as a whole: which words say the same, and what it keeps together.

Words are aligned once, when the SEEDs are taken in; how the course cuts is counted anew whenever something was cut. All
of it is written down, so that a run that goes on judges by the same facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from burnish.core.stages import Gathered
from burnish.kinds.legos.aligning import Links, Pair, align, as_record, from_record
from burnish.kinds.legos.cutting import Linked, first_habits
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.habits import HabitCounter, Habits
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.scoring import spans_of
from burnish.kinds.legos.words import Word, words_of

LINKS, CUTTING, HABITS = "links", "cutting", "habits"


@dataclass(frozen=True)
class CourseFacts:
    """The facts of a course, read back."""

    record: Mapping[str, Any] = field(default_factory=dict)

    def links(self, seed: Seed) -> Links:
        return from_record(self.record.get(LINKS, {}).get(seed.id, ""))

    @cached_property
    def cutting(self) -> Habits:
        """What a cut should keep together, before anything is cut."""
        return Habits.from_record(self.record.get(CUTTING, {}))

    @cached_property
    def habits(self) -> Habits:
        """What the LEGOs that stand keep together."""
        return Habits.from_record(self.record.get(HABITS, {}))


def gathered(seeds: Iterable[Seed], terms: Terms, known: Mapping[str, Any]) -> Gathered:
    """The facts of a course, from its SEEDs as they stand."""
    counter = HabitCounter()
    kept: list[Seed] = []
    for seed in seeds:
        words = words_of(seed.source)
        if seed.legos:
            counter.add(words, spans_of(words, seed.legos))
        if LINKS not in known:
            kept.append(seed)
    aligned_facts = {name: known[name] for name in (LINKS, CUTTING)} if LINKS in known else _links(kept, terms)
    return Gathered({**aligned_facts, HABITS: counter.habits().as_record()})


def _links(seeds: list[Seed], terms: Terms) -> dict[str, Any]:
    words = [(words_of(seed.source), words_of(seed.target)) for seed in seeds]
    pairs: list[Pair] = [(_bare(source), _bare(target)) for source, target in words]
    found = align(pairs)
    linked = (
        Linked(*both, links, seed.source, seed.target) for seed, both, links in zip(seeds, words, found, strict=True)
    )
    return {
        LINKS: {seed.id: as_record(links) for seed, links in zip(seeds, found, strict=True)},
        CUTTING: first_habits(linked, terms.tongue, terms.rule).as_record(),
    }


def _bare(words: Sequence[Word]) -> list[str]:
    return [word.bare for word in words]
