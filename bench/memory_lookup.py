"""A translation memory of a hundred thousand entries: read, asked exactly, and asked for something similar."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import TypeVar

from bench.lines import Line, beside
from bench.manuscripts_corpus import SEED, Pair, generate
from burnish.core.documents import Material
from burnish.core.json_bytes import dumps
from burnish.kinds.manuscripts.memory import Memory

TITLE = "a translation memory that grows tenfold, against the same 10,000 paragraphs"
ENTRIES = (10_000, 100_000)
ASKED = 10_000
LENGTH = (1, 3)
NEAR_LINEAR = 1.5
"""An entry of the larger memory may take so much longer to be read and indexed than one of the smaller."""
NEAR_FLAT = 3.0
"""A question to a memory ten times as large may take so much longer; a look at every entry would take ten times."""
T = TypeVar("T")


def run(full: bool, entries: tuple[int, int] = ENTRIES, asked: int = ASKED) -> list[Line]:
    small, large = (_Measured(size, asked) for size in entries)
    return [
        beside(
            f"reading an entry of {large.size:,}",
            large.reading / large.size * 1e6,
            "µs",
            f"of {small.size:,}",
            small.reading / small.size * 1e6,
            at_most=NEAR_LINEAR,
        ),
        beside(
            "making the index, an entry",
            large.indexing / large.size * 1e6,
            "µs",
            f"of {small.size:,}",
            small.indexing / small.size * 1e6,
            at_most=NEAR_LINEAR,
        ),
        beside(
            f"{asked:,} paragraphs looked up exactly",
            large.exact,
            "s",
            f"in {small.size:,}",
            small.exact,
            at_most=NEAR_FLAT,
        ),
        beside(
            f"{asked:,} looked up by likeness", large.fuzzy, "s", f"in {small.size:,}", small.fuzzy, at_most=NEAR_FLAT
        ),
        Line(
            "  entries found that are much alike",
            large.found,
            "",
            f"of {asked:,} asked; in {small.size:,}: {small.found:,}",
        ),
    ]


class _Measured:
    """A memory of so many entries, and the processor time of all that is done with it."""

    def __init__(self, size: int, asked: int) -> None:
        self.size = size
        rows = (dumps({"source": one.source, "target": one.target}) for one in _told_apart(size))
        data = b"\n".join(rows)
        self.reading, memory = _timed(lambda: Memory.of([Material("memory.jsonl", "memory.jsonl", data)], "en", "es"))
        texts = [pair.source for pair in islice(generate(LENGTH, SEED + 1), asked)]
        self.exact, _ = _timed(lambda: [memory.exact(text) for text in texts])
        self.indexing, _ = _timed(lambda: memory.fuzzy("nothing of the sort"))
        self.fuzzy, similar = _timed(lambda: [memory.fuzzy(text) for text in texts])
        self.found = sum(one is not None for one in similar)


def _told_apart(size: int) -> list[Pair]:
    """So many entries with different sources."""
    found: dict[str, Pair] = {}
    for pair in generate(LENGTH):
        found.setdefault(pair.source, pair)
        if len(found) == size:
            return list(found.values())
    raise AssertionError("the generator has no end")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.process_time()
    done = work()
    return time.process_time() - started, done
