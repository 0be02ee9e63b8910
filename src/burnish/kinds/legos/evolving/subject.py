"""What an evolution is about: SEEDs drawn from the course, its habits and its suggestions, fixed when a run begins.

A run that goes on later judges by the same facts, whatever became of the course meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from burnish.core.errors import InputError
from burnish.core.experiments import FEWEST_PAIRS, FEWEST_UNITS, Split, split
from burnish.kinds.legos.evolving.candidates import Candidates, Unfit, candidates
from burnish.kinds.legos.evolving.overlay import Overlay, Rule
from burnish.kinds.legos.habits import HabitCounter, Habits
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

    @classmethod
    def of(cls, rows: Iterable[tuple[Json, Sequence[Json]]]) -> Self:
        """From valid translations, each with its LEGOs."""
        counter = HabitCounter()
        seeds: dict[str, Seed] = {}
        suggested: list[Json] = []
        for record, legos in rows:
            seed = _seed(record)
            words = words_of(seed.source)
            cuts = [_place_of(lego) for lego in legos if is_valid(validate(lego))]
            if cuts:
                counter.add(words, spans_of(words, cuts))
            seeds[seed.id] = seed
            suggested.append({name: record[name] for name in ("seed_id", "lego_extraction_attempts")})
        return cls(seeds, counter.habits(), tuple(suggested))

    def refuse_too_few(self, folder: str) -> None:
        if len(self.seeds) < FEWEST_UNITS:
            raise InputError(
                f"{len(self.seeds)} SEEDs of the course can be used; with fewer than {FEWEST_UNITS} no rule is tested: "
                f"a fifth is held out, and {FEWEST_PAIRS} have to be left to compare.",
                path=folder,
                code="too_few_seeds",
                hint="Import more sentence pairs with `burnish legos import`; `burnish legos validate` tells what is "
                "wrong with records.",
            )

    def refuse_uncut(self, folder: str) -> None:
        """Suggestions come from attempts."""
        if not any(record["lego_extraction_attempts"] for record in self.records):
            raise InputError(
                "Nothing of this course was extracted yet, so nothing suggests a rule.",
                path=folder,
                code="nothing_extracted",
                hint="Extract with a model first: `burnish legos extract DIR --model M`.",
            )

    def course_code(self, folder: str) -> str:
        codes = sorted({seed.course_code for seed in self.seeds.values()})
        if len(codes) != 1:
            raise InputError(
                f"The records are of several courses: {', '.join(codes[:5])}.",
                path=folder,
                code="several_courses",
                hint="Give each course a folder of its own.",
            )
        return codes[0]


def _seed(record: Json) -> Seed:
    return Seed(
        record["seed_id"], record["uuid"], record["source"], record["target"], record["metadata"]["course_code"]
    )


def _place_of(record: Json) -> Lego:
    """A LEGO as far as its place in the source sentence goes."""
    start, end = (record["metadata"][name] for name in ("start_index", "end_index"))
    return Lego(record["source"], record["target"], start, end, 0, 0)


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
        """Draw SEEDs, and gather what the course suggests; `tried`: words of rules that are not tried again."""
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
