"""What judging a lesson costs, as multiples of the lesson itself: two readings by each of two judges, and little else.

The lesson is counted as its file, a request with its schema: as a service bills that counts schemas. Before, judges
read section by section and the outline: 15 and 13 times the lesson at 12 and 48 sections.
"""

from __future__ import annotations

from bench.lesson_defects import DEFECTS, REPAIR, Mended, mended
from bench.lines import Line, below, beside

TITLE = "tokens of judging a lesson, as multiples of the lesson, against a loopback model over HTTP"
SIZES = (12, 48)
BILL = (8.0, 7.0)
JUDGING = (6.5, 5.5)
FORMER = (15, 13)
ITERATION = 2.5
ONE_WINDOW = 1.5
"""How much more one edit of a long lesson may have read again: windows of a short one are not full."""


def run(full: bool, sizes: tuple[int, int] = SIZES) -> list[Line]:
    found = [line for place, sections in enumerate(sizes) for line in _accepted(sections, place)]
    edited = [mended(sections, DEFECTS[:1]) for sections in sizes]
    for sections, one in zip(sizes, edited, strict=True):
        found += _iteration(sections, one)
    small, large = (one.again_close for one in edited)
    found.append(
        beside(
            f"windows read again: 1 of {sizes[1]} / 1 of {sizes[0]} sections edited",
            large,
            "tokens",
            f"1 of {sizes[0]}",
            small,
            at_most=ONE_WINDOW,
        )
    )
    return found


def _accepted(sections: int, place: int) -> list[Line]:
    """A lesson without a fault: the whole bill, and its judging."""
    one = mended(sections, (), with_reader=True)
    bill = one.billed() / one.lesson
    return [
        below(f"{sections} sections, accepted at once: the whole bill", bill, "lessons", BILL[place]),
        Line("  before", FORMER[place], "lessons", "section by section", bill / FORMER[place]),
        below("  judging", one.billed("judge") / one.lesson, "lessons", JUDGING[place]),
        Line("  calls of judges", one.count("judge"), "", "before: 30" if sections == SIZES[0] else "before: 102"),
    ]


def _iteration(sections: int, one: Mended) -> list[Line]:
    """One edit: its repair and the windows that changed; then, once, the whole before it is accepted."""
    repair = one.billed(*REPAIR) / one.lesson
    close, whole = one.again_close / one.lesson, one.again_whole / one.lesson
    return [
        below(f"{sections} sections, one iteration: repair and windows", repair + close, "lessons", ITERATION),
        Line("  of which repair", repair, "lessons"),
        Line("  the whole once more, before it is accepted", whole, "lessons", "two judges"),
    ]
