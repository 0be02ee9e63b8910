"""What models leave behind, put into sound lessons: how much of it the rules see, kind by kind.

The phrases lie in `data/lesson_damage.toml`. Half of each list, by hash, was not looked at while the rules were
written. Every phrase goes into several lessons, each in a place of its own; what counts is that some finding (an error
or a warning) speaks of that place and spoke not before.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.eval.figures import interval, is_open
from bench.eval.lessons import Read, examine
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.markdown import markdown

PHRASES = Path(__file__).parent / "data" / "lesson_damage.toml"
SEED = 20_261_116
LESSONS_EACH = 3
"""Lessons that each phrase is put into."""
GOAL = 0.85
FEWEST_WORDS = 40


class Case(NamedTuple):
    """One phrase in one lesson."""

    kind: str
    phrase: str
    lesson: Read
    unit: LessonUnit
    start: int
    """Where the phrase stands in the damaged text."""


def report(lessons: Sequence[Read], *, show_missed: bool = False) -> tuple[list[str], bool]:
    """Recall of each kind of damage, in the open and in the held-out half."""
    lines = [f"Damage, {LESSONS_EACH} lessons a phrase (n counts phrases; goal {GOAL:.0%} each):"]
    reached = True
    for kind, phrases in damages().items():
        figures = {}
        for half in ("open", "held out"):
            mine = [phrase for phrase in phrases if is_open(phrase[1]) == (half == "open")]
            seen: defaultdict[str, list[bool]] = defaultdict(list)
            for case in cases(kind, mine, lessons):
                seen[case.phrase].append(is_seen(case))
            caught = sum(sum(hits) / len(hits) for hits in seen.values())
            figures[half] = (caught, len(seen))
            if show_missed and half == "open":
                lines += [f"    missed: {phrase!r} {hits}" for phrase, hits in seen.items() if not all(hits)]
        shown = "; ".join(f"{half} {interval(*figure)}" for half, figure in figures.items())
        total = sum(caught for caught, _ in figures.values()) / max(1, sum(n for _, n in figures.values()))
        lines.append(f"  {kind:<20} {total:.1%} ({shown})")
        reached = reached and total >= GOAL
    return lines, reached


def damages() -> dict[str, list[tuple[str, str]]]:
    """Kind -> where each phrase goes, and the phrase."""
    listed = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    return {
        kind: [(place, phrase) for place, phrases in by_place.items() for phrase in phrases]
        for kind, by_place in listed.items()
    }


def cases(kind: str, phrases: Sequence[tuple[str, str]], lessons: Sequence[Read]) -> Iterator[Case]:
    for place, phrase in phrases:
        random = Random(int.from_bytes(sha256(f"{SEED}{kind}{phrase}".encode()).digest()[:8]))
        for lesson in random.sample(list(lessons), LESSONS_EACH):
            units = [unit for unit in lesson.lesson.units if unit.words >= FEWEST_WORDS and _places(unit, place)]
            if units:
                unit = random.choice(units)
                at, text = _damaged(unit, place, phrase, random)
                yield Case(kind, phrase, lesson, unit.with_text(None, text), at)


def _places(unit: LessonUnit, place: str) -> list[int]:
    """Where a phrase may go: before a paragraph, or between two of its sentences."""
    text = unit.texts()[None]
    view = markdown(text)
    blocks = [
        b for b in view.blocks if b.kind == "paragraph" and b.level == 0 and not b.quoted and b.end - b.start > 80
    ]
    if place == "own":
        return [block.start for block in blocks]
    found = []
    for block in blocks:
        prose = view.prose[block.start : block.end]
        stops = [i for i in range(20, len(prose) - 20) if prose[i : i + 2] == ". " and prose[i - 1].islower()]
        found += [block.start + stop + 2 for stop in stops[:3]]
    return found


def _damaged(unit: LessonUnit, place: str, phrase: str, random: Random) -> tuple[int, str]:
    text = unit.texts()[None]
    at = random.choice(_places(unit, place))
    put = f"{phrase}\n\n" if place == "own" else f"{phrase} "
    return at, text[:at] + put + text[at:]


def is_seen(case: Case) -> bool:
    """Whether a finding that was not there before speaks of the phrase, or of the whole text that holds it."""
    end = case.start + len(case.phrase)
    text = case.unit.texts()[None]
    sound = case.unit.with_text(None, text[: case.start] + text[end:])
    before = {(f.rule, f.message) for f in examine(case.lesson, [sound])}
    return any(
        (f.rule, f.message) not in before
        and f.severity != "info"
        and (f.start is None or (f.start <= end and (f.end or 0) >= case.start))
        for f in examine(case.lesson, [case.unit])
    )
