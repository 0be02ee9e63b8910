"""Judging again after an edit: only what changed is read again, so the bill follows the edit and not the lesson."""

from __future__ import annotations

from bench.lesson_defects import DEFECTS, Mended, mended
from bench.lines import Line, beside

TITLE = "tokens to judge a lesson again after an edit, against a loopback model over HTTP"
SIZES = (12, 48)
FLAT = 1.10
PROPORTION = 0.25
"""How far eight edits may be from eight times one edit."""


def run(full: bool, sizes: tuple[int, int] = SIZES) -> list[Line]:
    small, large = sizes
    one = [mended(sections, DEFECTS[:1]) for sections in sizes]
    all_ = mended(small)
    first, again = [each.first("judge") for each in one], [each.again("judge") for each in one]
    edits = len(DEFECTS)
    return [
        *(_line(sections, each) for sections, each in zip(sizes, one, strict=True)),
        beside(f"1 of {large} / 1 of {small}", again[1], "tokens", f"1 of {small}", again[0], at_most=FLAT),
        Line(
            f"  the first judging, {large} / {small}", first[1], "tokens", f"{first[0]:,} tokens", first[1] / first[0]
        ),
        beside(
            f"{edits} of {small} / {edits} times 1 of {small}",
            all_.again("judge"),
            "tokens",
            f"{edits} times 1 edit",
            edits * again[0],
            at_most=1 + PROPORTION,
            at_least=1 - PROPORTION,
        ),
    ]


def _line(sections: int, one: Mended) -> Line:
    spoken = f"{one.count_again('judge')} calls; the first judging took {one.first('judge'):,} tokens"
    return Line(f"1 of {sections} sections edited", one.again("judge"), "tokens", spoken)
