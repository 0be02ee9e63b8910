"""`burnish legos import` and `extract` without a model, from one course of 574 pairs to ten courses of 10,000.

Everything is done that a user sees: records written, words aligned, all cut and scored, LEGO files and reports written.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.lego_corpus import PEOPLES, write_pairs
from bench.lines import Line, below, beside
from bench.processes import Taken, burnish, compiled, measured

TITLE = "burnish legos: a course taken in, cut, scored and reported without a model"
COURSE = 574
SIZES, FULL_SIZES = (COURSE, 5_740), (COURSE, 1_000, 10_000)
COURSES = 10
"""Of the largest size, one after the other, with --full: 100,000 pairs."""
PROMPT = 10.0
"""Seconds of one core for a course of 574 pairs."""
LINEAR = 1.3
"""A pair of the largest course may take so much longer than one of the course before it."""
LEAN = 1_000
"""Megabytes, whatever the size."""
WARMING = 20
"""Pairs of a course that nobody measures: it has the modules compiled, as they are in an installed program."""
NEEDS_A_PERSON = 3


@dataclass(frozen=True, slots=True)
class Course:
    """What one course took."""

    size: int
    taken_in: Taken
    extracted: Taken

    @property
    def processor_seconds(self) -> float:
        return self.taken_in.processor_seconds + self.extracted.processor_seconds

    @property
    def megabytes(self) -> float:
        return max(self.taken_in.megabytes, self.extracted.megabytes)


def run(full: bool, sizes: tuple[int, ...] | None = None) -> list[Line]:
    sizes = sizes or (FULL_SIZES if full else SIZES)
    with compiled() as environment:
        _course(WARMING, 0, environment)
        courses = [_course(size, number, environment) for number, size in enumerate(sizes)]
        more = [_course(sizes[-1], 100 + number, environment) for number in range(1, COURSES if full else 1)]
    return [
        *_sources(),
        *(line for course in courses for line in _lines(course)),
        *_linear(courses),
        *_ten(courses, more),
    ]


def _sources() -> list[Line]:
    """Where the measuring data are not at hand, the figures are of made-up pairs, which are more alike."""
    return [] if PEOPLES.is_file() else [Line("no measuring data here: all pairs are made up", 0)]


def _course(size: int, number: int, environment: Mapping[str, str]) -> Course:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as home:
        folder = Path(home)
        write_pairs(folder / "pairs.tsv", size, number)
        code, course = f"mkd_for_eng_{size}seeds", str(folder / "course")
        taking_in = burnish("legos", "import", str(folder / "pairs.tsv"), "--course", code, "--dir", course)
        taken_in = measured(taking_in, environment=environment)
        extracting = burnish("legos", "extract", course, "--runs", str(folder / "runs"), "--workers", "1")
        extracted = measured(extracting, environment=environment)
        if taken_in.exit_code != 0 or extracted.exit_code not in (0, NEEDS_A_PERSON):
            raise RuntimeError(f"import ended with {taken_in.exit_code}, extract with {extracted.exit_code}")
        return Course(size, taken_in, extracted)


def _lines(course: Course) -> list[Line]:
    name = f"{course.size:,} pairs: everything"
    whole = Line(name, course.processor_seconds, "s", "of processor time")
    if course.size <= COURSE:
        whole = below(f"{name}, processor time", course.processor_seconds, "s", PROMPT)
    return [
        whole,
        Line("  taken in", course.taken_in.processor_seconds, "s", "of processor time"),
        Line("  cut, scored, written", course.extracted.processor_seconds, "s", "of processor time"),
        Line("  by the clock", course.taken_in.seconds + course.extracted.seconds, "s"),
        below("  memory, at most", course.megabytes, "MB", LEAN),
    ]


def _linear(courses: list[Course]) -> list[Line]:
    if len(courses) < 2:
        return []
    before, largest = courses[-2:]
    each = [one.processor_seconds / one.size * 1e3 for one in (largest, before)]
    return [beside(f"a pair of {largest.size:,}", each[0], "ms", f"of {before.size:,}", each[1], at_most=LINEAR)]


def _ten(courses: list[Course], more: list[Course]) -> list[Line]:
    """The first and the last of ten large courses, and what they took together."""
    if not more:
        return []
    every = [courses[-1], *more]
    pairs = sum(course.size for course in every)
    seconds = sum(course.processor_seconds for course in every)
    first, last = every[0].processor_seconds, every[-1].processor_seconds
    return [
        Line(f"{pairs:,} pairs in {len(every)} courses", seconds, "s", "of processor time"),
        beside("  the last course", last, "s", "the first", first, at_most=LINEAR),
        below("  memory, at most", max(course.megabytes for course in every), "MB", LEAN),
    ]
