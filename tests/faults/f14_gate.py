"""F14: nothing passes the gate that could not be read."""

import math
import random

from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.gate import Dimension, GatePolicy, Scorecard, judge

TITLE = "gate with unreadable cards"
POLICY = GatePolicy((Dimension("rules", 1.0), Dimension("panel", 0.6)))
ODD = [math.nan, math.inf, -math.inf, None, "9", "", True, False, -1, 11, 1.0000001, [], {}, 10**400, 0.59, b"1"]


def run(full: bool) -> str:
    rng = random.Random(14)
    rounds = 100_000 if full else 3_000
    passed = sum(_passes(rng) for _ in range(rounds))
    assert passed == 0, f"{passed} of {rounds} unreadable cards passed"
    good = judge(Scorecard.of({"rules": 1.0, "panel": 0.7}), [], POLICY)
    assert good.passed, "the gate lets nothing through at all, so the test shows nothing"
    return f"{rounds:,} cards, 0 passed"


def _passes(rng: random.Random) -> bool:
    """One good card, spoilt in one random way."""
    pairs: list[tuple[str, object]] = [("rules", 1.0), ("panel", 0.6 + rng.random() * 0.4)]
    findings: list[Finding] = []
    spoil = rng.randrange(6)
    if spoil == 0:
        index = rng.randrange(2)
        pairs[index] = (pairs[index][0], rng.choice(ODD))
        if pairs[index][1] is True:  # a bool is no score, even where it equals one
            assert "rules" in dict(pairs)
    elif spoil == 1:
        pairs.pop(rng.randrange(2))
    elif spoil == 2:
        pairs.append(rng.choice(pairs))
    elif spoil == 3:
        pairs.append((rng.choice(["status", "overall", ""]), 1.0))
    elif spoil == 4:
        findings.append(Finding(CRASHED_RULE, rng.choice(["info", "warning", "error"]), "u", None, "crashed"))
    else:
        findings.append(Finding("r", rng.choice(["fatal", "", "ok", "PASS", "error"]), "u", None, "odd"))  # type: ignore[arg-type]
    rng.shuffle(pairs)
    return judge(Scorecard.of(pairs), findings, POLICY).passed
