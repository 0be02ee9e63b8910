"""F15: whatever a model writes, the work on a question ends and keeps the best it saw."""

import random

from tests.kinds.questions.test_progress import ends

TITLE = "random drafts"


def run(full: bool) -> str:
    rng = random.Random(15)
    rounds = 30_000 if full else 500
    longest = max(ends([set(rng.sample("abcd", rng.randrange(5))) for _ in range(6)]) for _ in range(rounds))
    return f"{rounds:,} questions, all ended (longest {longest} attempts), best always kept"
