"""The guard of meaning on repairs of a text of 200 words, one sentence of it and all of them changed."""

from __future__ import annotations

import statistics
import time

from bench.lines import Line, below
from burnish.text.meaning import guard

TITLE = "the guard of meaning: one repair of a text of 200 words"
REPAIRS, FULL_REPAIRS = 200, 2_000
ONE_SENTENCE = 1.0
"""Milliseconds of the processor for a repair that changes one sentence."""
SENTENCES = (
    "The heart pumps blood through the body and has four chambers.",
    "Blood with little oxygen enters the right side and goes to the lungs.",
    "There it takes up oxygen, gives off carbon dioxide and returns.",
    "The left ventricle pumps it into the aorta about 70 times a minute.",
    "Patients must take several drugs and should walk at least 30 minutes a day.",
)
REPEATED = 3


def run(full: bool) -> list[Line]:
    # Each sentence is its own, because an unchanged one is read once.
    text = [f"{one[:-1]}, says part {part}." for part in range(REPEATED) for one in SENTENCES]
    count = FULL_REPAIRS if full else REPAIRS
    one, every = (
        statistics.median(_milliseconds(text, number, whole) for number in range(count)) for whole in (False, True)
    )
    words = len(" ".join(text).split())
    return [
        below(f"one sentence of {words} words changed", one, "ms", ONE_SENTENCE),
        Line(f"every sentence of {words} words changed", every, "ms"),
    ]


def _milliseconds(text: list[str], number: int, whole: bool) -> float:
    changed = [
        one.replace(" the ", f" the usual{number} ", 1) if whole or place == number % len(text) else one
        for place, one in enumerate(text)
    ]
    before, after = " ".join(text), " ".join(changed)
    started = time.process_time()
    guard(before, after, language="en")
    return (time.process_time() - started) * 1000
