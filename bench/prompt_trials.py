"""How often trials of a rule decide wrongly: rules that do nothing and are adopted, rules that help and are not.

Rules are tried as in a run: one after another on the same SEEDs, each against the arm that stands, which they share.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.lines import Line, above, below
from burnish.core.experiments import FEWEST_UNITS, MOST_UNITS, P_BELOW, Measured, split, weigh
from burnish.kinds.legos.evolution.overlay import Overlay, Rule
from burnish.kinds.legos.evolution.subject import MOST_CANDIDATES
from burnish.kinds.legos.evolution.trials import Evolution, Settled

TITLE = "Trials of prompt rules (scores with a ceiling, one decimal and ties, as reviews give them)"
SIZES = (FEWEST_UNITS, 100, MOST_UNITS)
NOISE = 0.9
"""How far two answers of one model to one prompt differ, in points."""
HELPS = 0.5
"""What a rule is worth that should be found, in points."""
CONCERNED = 7.5
"""Below this score a SEED has a concern; far below it, more of them."""
IDLE = (0.0,) * MOST_CANDIDATES
ONE_HELPS = (0.0, 0.0, HELPS, 0.0, 0.0)
"""What the rules of a run are worth."""


def run(full: bool) -> list[Line]:
    rounds = 4_000 if full else 400
    lines = []
    for size in SIZES:
        alone, five = _runs(size, IDLE[:1], rounds), _runs(size, IDLE, rounds)
        by_chance = sum(one.evidence.test.p < P_BELOW and one.evidence.test.gain > 0 for [one] in alone) / rounds
        lines.append(below(f"{size} SEEDs: gain and p alone speak for an idle rule", 100 * by_chance, "%", 6.5))
        lines.append(below(f"{size} SEEDs: an idle rule is adopted", 100 * _adopting(alone, 0), "%", 5.0))
        any_of_five = sum(any(_is_adopted(one) for one in trials) for trials in five) / rounds
        lines.append(below(f"{size} SEEDs: any of five idle rules is adopted", 100 * any_of_five, "%", 5.0))
    what = f"100 SEEDs: a rule worth {HELPS} points is adopted"
    lines.append(above(what, 100 * _adopting(_runs(100, (HELPS,), rounds), 0), "%", 60.0))
    among = _adopting(_runs(100, ONE_HELPS, rounds), ONE_HELPS.index(HELPS))
    lines.append(above(f"{what} among four idle ones", 100 * among, "%", 50.0))
    return lines


def _is_adopted(settled: Settled) -> bool:
    return settled.decision == "adopted"


def _adopting(runs: Sequence[list[Settled]], place: int) -> float:
    """The share of runs that adopt the rule at this place."""
    return sum(_is_adopted(trials[place]) for trials in runs) / len(runs)


def _runs(size: int, worth: Sequence[float], rounds: int) -> list[list[Settled]]:
    draw = random.Random(size)
    return [_run(size, worth, draw) for _ in range(rounds)]


def _run(size: int, worth: Sequence[float], draw: random.Random) -> list[Settled]:
    """An evolution of candidates that are worth so many points each."""
    units = [f"C{number:04}" for number in range(size)]
    difficulty = {unit: draw.gauss(8.0, 1.2) for unit in units}
    drawn = split(units, size, draw.getrandbits(32))
    rules = {f"Rule {number} for the cuts.": points for number, points in enumerate(worth)}
    evolution = Evolution(Overlay.of(None, "1"), [Rule(text, text, "s_x") for text in rules])
    arms: dict[tuple[str, ...], dict[str, Measured]] = {}
    settled = []
    while (trial := evolution.next()) is not None:
        for arm in (trial.before, trial.after):
            gained = sum(rules[text] for text in arm)
            if arm not in arms:
                arms[arm] = {unit: _answer(difficulty[unit] + gained, draw) for unit in units}
        evidence = weigh(drawn, arms[trial.before], arms[trial.after], trial.p_below)
        settled.append(evolution.settle(trial, evidence, name=f"t_{trial.number}", at=""))
    return settled


def _answer(difficulty: float, draw: random.Random) -> Measured:
    # A third of the answers are the same whatever was asked: that is where the ties come from.
    noise = 0.0 if draw.random() < 1 / 3 else draw.gauss(0.0, NOISE)
    score = round(min(10.0, max(0.0, difficulty + noise)), 1)
    return Measured(score, max(0, round(CONCERNED + 0.5 - score)))
