"""Mending eight defects of a lesson: what it costs must not depend on how long the lesson is."""

from __future__ import annotations

import re

from bench.lesson_defects import DEFECTS, REPAIR, Mended, mended
from bench.lines import Line, below, beside

TITLE = "tokens to mend the same 8 defects in a lesson of 12 and of 48 sections, against a loopback model over HTTP"
SIZES = (12, 48)
MOST = 4_000
FLAT = 1.10
PEERS = {
    "trustcall": (11_851, 30_135),
    "guardrails": (15_580, 52_540),
    "pydantic-ai": (17_654, 63_210),
    "instructor": (17_982, 63_706),
    "dspy.Refine": (59_381, 170_390),
}
"""Repair tokens on 12 and on 48 sections with 8 defects, as they were measured for the issue that set our limit."""
BEST_PEER = "trustcall"


def run(full: bool, sizes: tuple[int, int] = SIZES) -> list[Line]:
    lessons = [mended(sections) for sections in sizes]
    for one in lessons:
        refuse_other_changes(one)
    small, large = (one.tokens(*REPAIR) for one in lessons)
    return [
        *(line for place, one in enumerate(lessons) for line in _lines(one, sizes[place], place)),
        beside(f"{sizes[1]} / {sizes[0]} sections", large, "tokens", f"{sizes[0]} sections", small, at_most=FLAT),
        Line("bytes changed outside of the defects", 0, "", "both lessons, compared byte for byte"),
    ]


def _lines(one: Mended, sections: int, place: int) -> list[Line]:
    total = one.tokens(*REPAIR)
    parts = f"{one.count('patcher')} calls of the patcher, {one.count('delta_judge')} of the delta judge"
    return [
        below(f"{sections} sections: patching and verification", total, "tokens", MOST),
        Line("  the patcher alone", one.tokens("patcher"), "tokens", parts),
        Line("  schemas of the answers, where a service bills them", one.schemas, "tokens"),
        Line("  judging again what changed", one.again("judge"), "tokens", f"{one.count_again('judge')} calls"),
        *(
            beside(
                f"  beside {peer}{' (the best of them)' if peer == BEST_PEER else ''}",
                total,
                "tokens",
                peer,
                both[place],
            )
            for peer, both in PEERS.items()
        ),
    ]


def refuse_other_changes(one: Mended) -> None:
    """The file must be the old one with the wrong words exchanged, and nothing else."""
    wanted = one.before.decode()
    for defect in DEFECTS:
        wanted = re.sub(re.escape(defect.wrong), defect.right, wanted, count=1)
    if one.after.decode() != wanted or not one.published:
        raise RuntimeError("the lesson is not the old one with eight defects mended")
