"""Whether work grows no faster than what it is given.

Measured in processor time of this thread, at one size and at four times that size: a busy machine makes both slower,
and hardly their ratio. Four is linear, sixteen is quadratic. What looks steep is measured again, and only what stays
steep is told.

Run as a program it looks at every check on longer texts: `python -m tests.abuse.linearity [CHARACTERS]`.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from burnish.core.checks import Check, discover, run_checks, select
from burnish.kinds.lessons import checks as lesson_checks
from burnish.kinds.lessons.model import WholeLesson
from burnish.kinds.lessons.views import example_lesson
from burnish.kinds.questions import checks as question_checks
from burnish.kinds.questions.views import example_question
from tests.abuse.hostile_texts import NAMES, hostile, shapes

TIMES = 4
"""How much larger the second size is."""
STEEPEST = 8.0
"""The work may grow by this much: linear work grows by 4, quadratic work by 16."""
SLOWEST = 2.0
"""Seconds that the smaller size may take, a hundred times what it does: a limit on what is read (80 characters of an
option) lets work grow by powers and then stops it, so that both sizes are alike."""
UNSEEN = 0.004
"""Seconds that are not told from chance."""
ROUNDS = (2, 1)
"""Of the small size and of the large one. A disturbance of the large one only leads to a second look, and it is the
large one that costs; the small one, if it were disturbed, would hide what is steep."""
DOUBTFUL_ROUNDS = (7, 7)

Checks = tuple[Check, ...]
QUESTION_CHECKS, LESSON_CHECKS = discover(question_checks), discover(lesson_checks)
QUESTION_RULES, LESSON_RULES = select(QUESTION_CHECKS), select(LESSON_CHECKS)

Work = Callable[[], object]
Prepare = Callable[[int], Work]
"""From a size to the work on something of that size; preparing is not measured."""


def steepness(prepare: Prepare, size: int) -> str | None:
    """How the work grows from `size` to TIMES as much, where it grows faster than linear work; else None."""
    for of_small, of_large in (ROUNDS, DOUBTFUL_ROUNDS):
        small = _cost(prepare, size, of_small)
        if small > SLOWEST:
            return f"{small:.1f} s for a size of {size:,}"
        large = _cost(prepare, TIMES * size, of_large)
        if large <= STEEPEST * small + UNSEEN:
            return None
    return f"{large / small:.0f} times the work for {TIMES} times the size"


def _cost(prepare: Prepare, size: int, rounds: int) -> float:
    """Processor seconds, the least of a few rounds: whatever disturbs a round only makes it longer."""
    seconds = []
    for _ in range(rounds):
        work = prepare(size)
        gc.disable()
        started = time.thread_time()
        work()
        seconds.append(time.thread_time() - started)
        gc.enable()
    return min(seconds)


def steep_checks(name: str, size: int) -> Iterator[str]:
    """Which checks are slower than linear on one hostile text, wherever in a question or a lesson it stands."""
    for shape, _ in shapes(""):
        yield from _steep(QUESTION_CHECKS, partial(_checking_question, name, shape), f"{name!r} in {shape}", size)
    yield from _steep(LESSON_CHECKS, partial(_checking_lesson, name), f"{name!r} in a lesson", size)


def _steep(all_checks: Checks, prepare: Callable[[Checks, int], Work], where: str, size: int) -> Iterator[str]:
    if steepness(partial(prepare, all_checks), size) is None:
        return
    # All together are too slow; one by one they tell which of them it is.
    for check in all_checks:
        steep = steepness(partial(prepare, (check,)), size)
        if steep is not None:
            yield f"{check.id} on {where}: {steep}"


def _checking_question(name: str, shape: str, chosen: Checks, size: int) -> Work:
    question, context = example_question(dict(shapes(hostile(name, size)))[shape])
    return lambda: run_checks(QUESTION_RULES, chosen, question, context)


def _checking_lesson(name: str, chosen: Checks, size: int) -> Work:
    text = hostile(name, size)
    facts = {"text": text, "title": text[:200], "source": (text,), "units": ({"text": f"{text}x"},)}
    unit, context = example_lesson(facts)
    whole = WholeLesson(context.lesson)
    of_units = tuple(check for check in chosen if check.scope != "document")
    of_wholes = tuple(check for check in chosen if check.scope == "document")

    def work() -> None:
        run_checks(LESSON_RULES, of_units, unit, context)
        run_checks(LESSON_RULES, of_wholes, whole, context)

    return work


def main(size: int) -> int:
    found = [offence for name in NAMES for offence in steep_checks(name, size)]
    print("\n".join(found) or f"No check is slower than linear from {size:,} to {TIMES * size:,} characters.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 64_000))
