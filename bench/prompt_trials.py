"""How often trials of a rule decide wrongly: rules that do nothing and are adopted, rules that help and are not."""

from __future__ import annotations

import random

from bench.lines import Line, above, below
from burnish.core.experiments import Evidence, Measured, split, weigh

TITLE = "Trials of prompt rules (scores with a ceiling, one decimal and ties, as reviews give them)"
SIZES = (50, 100, 200)
NOISE = 0.9
"""How far two answers of one model to one prompt differ, in points."""
HELPS = 0.5
"""What a rule is worth that should be found, in points."""
CONCERNED = 7.5
"""Below this score a SEED has a concern; far below it, more of them."""


def run(full: bool) -> list[Line]:
    rounds = 10_000 if full else 1_500
    lines = []
    for size in SIZES:
        idle = _adopted(size, 0.0, rounds)
        gain = sum("no_gain" not in e.reasons and "not_significant" not in e.reasons for e in idle) / rounds
        lines.append(below(f"{size} SEEDs: gain and p alone speak for an idle rule", 100 * gain, "%", 6.5))
        lines.append(below(f"{size} SEEDs: an idle rule is adopted", 100 * _share(idle), "%", 5.0))
    helping = _adopted(100, HELPS, rounds)
    lines.append(above(f"100 SEEDs: a rule worth {HELPS} points is adopted", 100 * _share(helping), "%", 60.0))
    return lines


def _share(found: list[Evidence]) -> float:
    return sum(evidence.convinces for evidence in found) / len(found)


def _adopted(size: int, worth: float, rounds: int) -> list[Evidence]:
    draw = random.Random(size)
    return [_trial(size, worth, draw) for _ in range(rounds)]


def _trial(size: int, worth: float, draw: random.Random) -> Evidence:
    units = [f"C{number:04}" for number in range(size)]
    difficulty = {unit: draw.gauss(8.0, 1.2) for unit in units}
    before = {unit: _answer(difficulty[unit], draw) for unit in units}
    after = {unit: _answer(difficulty[unit] + worth, draw) for unit in units}
    return weigh(split(units, size, draw.getrandbits(32)), before, after)


def _answer(difficulty: float, draw: random.Random) -> Measured:
    # A third of the answers are the same whatever was asked: that is where the ties come from.
    noise = 0.0 if draw.random() < 1 / 3 else draw.gauss(0.0, NOISE)
    score = round(min(10.0, max(0.0, difficulty + noise)), 1)
    return Measured(score, max(0, round(CONCERNED + 0.5 - score)))
