"""F15: whatever scores and judges do, the loop ends and keeps the best it saw."""

import random

from burnish.core.attempts import History, open_errors
from burnish.core.loop import DocumentState, LoopPolicy, UnitState, next_moves
from tests.core.units import attempt

TITLE = "random score sequences"


def run(full: bool) -> str:
    rng = random.Random(15)
    rounds = 100_000 if full else 2_000
    longest = max(_one(rng) for _ in range(rounds))
    return f"{rounds:,} loops, all ended (longest {longest} attempts), best always kept"


def _one(rng: random.Random) -> int:
    policy = LoopPolicy(
        max_repairs=rng.randrange(6),
        convergence_step=rng.choice([None, 0.02]),
        oscillation_step=rng.choice([None, 0.01]),
        max_edits_before_lock=rng.choice([None, 2]),
        when_spent=rng.choice(["ask_person", "best_effort"]),
    )
    tries, locked = History(), False
    for _ in range(20):
        [move] = next_moves(DocumentState((UnitState("u", tries, locked=locked),)), policy)
        if move.name == "lock":
            locked = True
        elif move.name in ("review", "repair"):
            rules = rng.sample("abcd", rng.randrange(5))
            cause = "source" if move.name == "review" else "model"
            scores = {"s": rng.random()}
            tries = tries.with_attempt(attempt(tries.next_number, *rules, cause=cause, scores=scores))
        else:
            break
    else:
        raise AssertionError("the loop did not end after 20 moves")
    best = tries.best
    assert best is not None and open_errors(best) == min(open_errors(a) for a in tries.attempts), (
        "a worse draft was kept"
    )
    assert (move.name == "accept") == best.passed, "accepted without a pass"
    return len(tries.attempts)
