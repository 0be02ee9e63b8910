"""The index of near-duplicates: near-linear in the number of questions, with flat memory."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from bench.banks import bank
from bench.lines import Line, below, beside
from bench.processes import Taken, measured

TITLE = "Near-duplicates: each question against all before it"
SIZES, FULL_SIZES = (10_000, 100_000), (10_000, 100_000, 1_000_000)
LINEAR = 1.5
LEAN = 300
COPIES = 200
"""Questions that are reworded and looked for again."""

WORK = """
import sys
from burnish.kinds.questions.duplicates import DuplicateIndex
from burnish.kinds.questions.formats import format_named
with open(sys.argv[1], "rb") as file, DuplicateIndex() as index:
    for question in format_named("jsonl").read(file, sys.argv[1]):
        if len(sys.argv) < 3:
            index.add(question)
"""


def run(full: bool, sizes: tuple[int, ...] | None = None) -> list[Line]:
    sizes = sizes or (FULL_SIZES if full else SIZES)
    smallest, largest = sizes[0], sizes[-1]
    each: dict[int, float] = {}
    lines = []
    for size in sizes:
        taken, reading = _taken(bank(size)), _taken(bank(size), "only read")
        each[size] = (taken.processor_seconds - reading.processor_seconds) / size * 1e6
        lines.append(Line(f"a question of {size:,}", each[size], "µs", "without reading it"))
        lines.append(below(f"memory, {size:,} questions", taken.megabytes, "MB", LEAN))
    lines.append(
        beside(
            f"growth from {smallest:,} to {largest:,}", each[largest], "µs", "at first", each[smallest], at_most=LINEAR
        )
    )
    return [*lines, *_found(smallest)]


def _taken(path: Path, *extra: str) -> Taken:
    return measured([sys.executable, "-c", WORK, str(path), *extra])


def _found(size: int) -> list[Line]:
    """Speed is worth nothing if copies are missed: some are hidden and must be found."""
    from bench.questions_corpus import generate, near_duplicate
    from burnish.kinds.questions.duplicates import DuplicateIndex
    from burnish.kinds.questions.model import Question

    chance = random.Random(7)
    with DuplicateIndex() as index:
        records = list(generate(min(size, 5_000), 1))
        for record in records:
            index.add(Question.model_validate(record))
        copies = chance.sample(records, min(COPIES, len(records)))
        found = sum(_finds(index, near_duplicate(record, chance, changed_words=1), record["id"]) for record in copies)
    share = found / len(copies)
    return [
        Line("copies with one word changed that are found", share * 100, "%", ">= 95 %", share / 0.95, at_least=1.0)
    ]


def _finds(index: object, copy: dict[str, object], original: object) -> bool:
    from burnish.kinds.questions.duplicates import DuplicateIndex
    from burnish.kinds.questions.model import Question

    assert isinstance(index, DuplicateIndex)
    return any(match.id == original for match in index.add(Question.model_validate(copy)))
