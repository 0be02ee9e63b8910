"""What an evolution is about: SEEDs drawn from the course, its habits and its suggestions, fixed when a run begins.

A run that goes on later judges by the same facts, whatever became of the course meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from burnish.core.errors import InputError
from burnish.core.experiments import FEWEST_UNITS, Split, split
from burnish.kinds.legos.evolving.candidates import Candidates, Unfit, candidates
from burnish.kinds.legos.evolving.overlay import Overlay, Rule
from burnish.kinds.legos.habits import HabitCounter, Habits
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.scoring.extraction import spans_of
from burnish.kinds.legos.validation import is_valid, validate
from burnish.kinds.legos.words import words_of

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CourseView:
    """What the records of a course say that an evolution asks about."""

    seeds: Mapping[str, Seed]
    """By their ids, without LEGOs and records."""
    habits: Habits
    records: tuple[Json, ...]
    """What was suggested: of every translation its id and its attempts."""
    left_out: int = 0
    """Records that are not valid: they take part in nothing."""

    @classmethod
    def of(cls, translations: Iterable[Json], legos: Iterable[Json]) -> Self:
        """Read both streams once."""
        cuts = _cuts(legos)
        counter = HabitCounter()
        seeds: dict[str, Seed] = {}
        suggested: list[Json] = []
        left_out = 0
        for found in translations:
            record = _of_today(found, cuts)
            if record is None:
                left_out += 1
                continue
            seed = _seed(record)
            words = words_of(seed.source)
            if seed.uuid in cuts:
                counter.add(words, spans_of(words, cuts[seed.uuid]))
            seeds[seed.id] = seed
            suggested.append({name: record[name] for name in ("seed_id", "lego_extraction_attempts")})
        return cls(seeds, counter.habits(), tuple(suggested), left_out)

    def refuse_too_few(self, folder: str) -> None:
        if len(self.seeds) < FEWEST_UNITS:
            raise InputError(
                f"The course has {len(self.seeds)} SEEDs; with fewer than {FEWEST_UNITS} no rule can be tested.",
                path=folder,
                code="too_few_seeds",
                hint="Import more sentence pairs with `burnish legos import`.",
            )


def _of_today(record: Json, cuts: Mapping[str, list[Lego]]) -> Json | None:
    """The record as it is migrated on load; None where it is not valid."""
    try:
        today = migrated(record, len(cuts.get(str(record.get("uuid")), ())))
    except InputError:
        return None  # it is counted; `burnish legos validate` tells what is wrong with it
    return today if is_valid(validate(today)) else None


def _seed(record: Json) -> Seed:
    return Seed(
        record["seed_id"], record["uuid"], record["source"], record["target"], record["metadata"]["course_code"]
    )


def _cuts(legos: Iterable[Json]) -> dict[str, list[Lego]]:
    """The LEGOs of each translation, as far as their places go."""
    cuts: defaultdict[str, list[Lego]] = defaultdict(list)
    for record in legos:
        if is_valid(validate(record)):
            start, end = (record["metadata"][name] for name in ("start_index", "end_index"))
            cuts[record["source_translation_uuid"]].append(Lego("", "", start, end, 0, 0))
    return cuts


@dataclass(frozen=True, slots=True)
class Subject:
    """What one run is about."""

    seeds: Mapping[str, Seed]
    """Those that were drawn, by their ids."""
    split: Split
    habits: Habits | None
    """None: nothing of the course was cut yet."""
    overlay: bytes | None
    """The overlay's file as the run found it."""
    suggested: Candidates

    @classmethod
    def of(cls, course: CourseView, overlay: bytes | None, tried: Collection[str], *, size: int, seed: int) -> Self:
        """Draw SEEDs, and gather what the course suggests; `tried`: ids of rules that are not tried again."""
        drawn = split(course.seeds, size, seed)
        return cls(
            seeds={id: course.seeds[id] for id in drawn.units},
            split=drawn,
            habits=course.habits if course.habits.pairs else None,
            overlay=overlay,
            suggested=candidates(course.records, tried),
        )

    def before(self, base: str) -> Overlay:
        """The overlay as the run found it; `base`: the version of the prompt we ship."""
        return Overlay.of(self.overlay, base)

    def texts(self) -> Iterator[str]:
        """Everything of it that goes into a prompt."""
        for seed in self.seeds.values():
            yield from (seed.source, seed.target)
        yield from (rule.text for rule in self.suggested.rules)

    def as_record(self) -> dict[str, Any]:
        suggested = self.suggested
        return {
            "seeds": [seed.as_record() for seed in self.seeds.values()],
            "tested": list(self.split.tested),
            "held_out": list(self.split.held_out),
            "habits": None if self.habits is None else self.habits.as_record(),
            "overlay": None if self.overlay is None else self.overlay.decode(),
            "rules": [[rule.id, rule.text, rule.suggestion_id, rule.proposed_by] for rule in suggested.rules],
            "unfit": [[one.suggestion_id, one.seeds, one.reason] for one in suggested.unfit],
            "others": [suggested.tried_before, suggested.rare, suggested.left_for_later],
        }

    @classmethod
    def from_record(cls, record: Json) -> Self:
        seeds = [Seed.from_record(one) for one in record["seeds"]]
        return cls(
            seeds={seed.id: seed for seed in seeds},
            split=Split(tuple(record["tested"]), tuple(record["held_out"])),
            habits=None if record["habits"] is None else Habits.from_record(record["habits"]),
            overlay=None if record["overlay"] is None else record["overlay"].encode(),
            suggested=Candidates(
                tuple(Rule(*one) for one in record["rules"]),
                tuple(Unfit(*one) for one in record["unfit"]),
                *record["others"],
            ),
        )
