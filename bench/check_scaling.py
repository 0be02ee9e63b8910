"""`burnish check` from a thousand questions to a million: linear, streaming, quick, in little memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.banks import bank
from bench.lines import Line, above, below, beside
from bench.processes import Taken, burnish, compiled, measured
from burnish.core.json_bytes import loads
from burnish.kinds.questions.formats import format_named

TITLE = "burnish check on JSON Lines, all rules and the index of near-duplicates"
SIZES, FULL_SIZES = (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)
REFERENCE = 10_000
"""Smaller checks are mostly start-up; the largest is compared with this one."""
QUICK = 1_500
"""Questions a second on one core."""
LEAN = 300
"""Megabytes, whatever the number of questions."""
LINEAR = 1.2
"""A question of the largest bank may take so much longer than one of the reference."""
SHARED = 0.65
"""Two processes may take so much of the time of one: reading, the index and the report stay in one process."""


def run(full: bool, sizes: tuple[int, ...] | None = None) -> list[Line]:
    sizes = sizes or (FULL_SIZES if full else SIZES)
    largest = sizes[-1]
    with compiled() as environment:
        measured(burnish("--version"), environment=environment)

        def check(size: int, jobs: int) -> Taken:
            command = burnish("check", "--format", "json", "--jobs", str(jobs), str(bank(size)))
            taken = measured(command, environment=environment)
            if taken.exit_code != 1:
                raise RuntimeError(
                    f"burnish check ended with {taken.exit_code}; the generated bank has errors: 1 is right"
                )
            return taken

        alone = {size: check(size, 1) for size in sizes}
        compared = min(largest, 100_000)
        together = check(compared, 2)
        shared = together if compared == largest else check(largest, 2)
    lines = [line for size in sizes for line in _of_size(size, alone[size])]
    lines += _speed(largest, alone, sizes)
    lines += _bare(largest, alone[largest])
    lines.append(
        beside(
            f"--jobs 2, {compared:,} questions",
            together.seconds,
            "s",
            "--jobs 1",
            alone[compared].seconds,
            at_most=SHARED,
        )
    )
    return lines + _shared_memory(largest, shared)


def _of_size(size: int, taken: Taken) -> list[Line]:
    return [
        Line(f"{size:,} questions", taken.seconds, "s", f"{taken.processor_seconds:.1f} s of processor time"),
        below(f"memory, {size:,} questions", taken.megabytes, "MB", LEAN),
    ]


def _shared_memory(size: int, taken: Taken) -> list[Line]:
    """Three processes and the one that Python keeps beside them: all of them together, counted in both ways."""
    return [
        below(f"memory with --jobs 2, {size:,} questions", taken.megabytes, "MB", LEAN),
        below("the same, shared pages counted for each process", taken.resident_megabytes, "MB", LEAN),
    ]


def _speed(largest: int, alone: dict[int, Taken], sizes: tuple[int, ...]) -> list[Line]:
    """Processor time, not wall time: it says what one core does even while others use the machine."""
    reference = REFERENCE if REFERENCE in alone else sizes[0]
    each = {size: alone[size].processor_seconds / size * 1e6 for size in (reference, largest)}
    return [
        beside(f"a question of {largest:,}", each[largest], "µs", f"of {reference:,}", each[reference], at_most=LINEAR),
        *(_rate(size, alone[size]) for size in sizes if size >= reference),
    ]


def _rate(size: int, taken: Taken) -> Line:
    line = above(f"questions a second a core, {size:,}", size / taken.processor_seconds, "q/s", QUICK)
    return replace(line, against=f"{line.against} of processor time; by the clock {size / taken.seconds:,.0f}")


def _bare(size: int, taken: Taken) -> list[Line]:
    """How much of the time goes into reading alone."""
    path = bank(size)
    bare = _processor_time(lambda: _parse(path))
    read = _processor_time(lambda: _read(path))
    whole = taken.processor_seconds
    return [
        beside("only parsing the file (line by line)", bare, "s", "the whole check", whole),
        beside("only reading it as questions (our reader)", read, "s", "the whole check", whole),
    ]


def _parse(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            loads(line)


def _read(path: Path) -> None:
    with path.open("rb") as file:
        for _ in format_named("jsonl").read(file, str(path)):
            pass


def _processor_time(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
