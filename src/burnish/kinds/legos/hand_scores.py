"""The score of cuts made by hand: the same review that every extraction gets, over the SEEDs of one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.documents import Problem
from burnish.core.errors import UsageError
from burnish.kinds.legos.answers import Refused, located
from burnish.kinds.legos.courses import MOST_SEEDS, Course
from burnish.kinds.legos.equipment import source_tongue
from burnish.kinds.legos.flagging import Decision, decision
from burnish.kinds.legos.guarantees import guarantees, with_uncovered
from burnish.kinds.legos.habits import HabitCounter, Habits
from burnish.kinds.legos.hand_cuts import HandCut
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, Seed
from burnish.kinds.legos.reports.quality import mean
from burnish.kinds.legos.reviewing import Review, review
from burnish.kinds.legos.scoring import spans_of
from burnish.kinds.legos.words import words_of
from burnish.languages.profiles import Tongue


@dataclass(frozen=True)
class Scored:
    """A SEED that was cut by hand, and what its LEGOs are worth."""

    cut: HandCut
    seed: Seed
    """With the LEGOs that could be found in both sentences."""
    refused: tuple[Refused, ...]
    broken: tuple[str, ...]
    """The guarantees that the cut breaks, in words."""
    review: Review

    @property
    def status(self) -> Decision:
        """A high score makes up for no LEGO that cannot be found, and for no broken guarantee."""
        found = decision(self.review.overall)
        return "flagged" if found == "accepted" and (self.refused or self.broken) else found

    def as_wire(self) -> dict[str, Any]:
        return {
            "seed_id": self.seed.id,
            "line": self.cut.line,
            "course_code": self.seed.course_code,
            "source": self.seed.source,
            "target": self.seed.target,
            "status": self.status,
            "overall_score": self.review.overall,
            "dimension_scores": {name: self.review.scores[name] for name in DIMENSIONS},
            "legos": [
                {"provenance": self.seed.provenance(place), "source": lego.source, "target": lego.target}
                for place, lego in enumerate(self.seed.legos, start=1)
            ],
            "refused": [
                {"source": one.part.source, "target": one.part.target, "reason": one.reason} for one in self.refused
            ],
            "broken_guarantees": list(self.broken),
            "uncovered": list(self.seed.uncovered),
            "concerns": [concern.as_record() for concern in self.review.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.review.suggestions],
            "review_notes": self.review.notes,
        }


@dataclass(frozen=True)
class _Found:
    """A SEED whose LEGOs were looked for, before its review."""

    cut: HandCut
    seed: Seed
    refused: tuple[Refused, ...]
    tongue: Tongue


def score_cuts(cuts: Sequence[HandCut], course_code: str | None = None, rule: IronRule | None = None) -> list[Scored]:
    """Every cut with its score, in the order given. `course_code`: of those that name no course.

    How consistent a SEED is cut is judged beside the other SEEDs of its course. UsageError where a course is not known.
    """
    rule = rule or IronRule()
    tongues = {code: source_tongue(Course.of(code)) for code in _codes(cuts, course_code)}
    found = []
    for cut, id in zip(cuts, _ids(cuts), strict=True):
        code = cut.course_code or course_code or ""
        seed = Seed(id, "", cut.source, cut.target, code)
        extracted = located(cut.legos, seed)
        settled = with_uncovered(extracted.seed, tongues[code], rule)
        found.append(_Found(cut, settled, extracted.refused, tongues[code]))
    habits = _habits(found)
    return [_scored(one, habits[one.seed.course_code], rule) for one in found]


def _codes(cuts: Iterable[HandCut], course_code: str | None) -> dict[str, None]:
    codes = dict.fromkeys(cut.course_code or course_code for cut in cuts)
    if None in codes:
        raise UsageError(
            "Nobody says which languages these are.",
            hint="Give the course with --course (mkd_for_eng), or each SEED a `course_code`.",
        )
    return {code: None for code in codes if code is not None}


def _ids(cuts: Sequence[HandCut]) -> list[str]:
    """The ids that are given, and for the others the lowest that are free."""
    taken = {cut.seed_id for cut in cuts}
    free = (id for number in (*range(1, MOST_SEEDS), 0) if (id := f"C{number:04d}") not in taken)
    return [cut.seed_id or next(free) for cut in cuts]


def _habits(found: Iterable[_Found]) -> Mapping[str, Habits]:
    counters: dict[str, HabitCounter] = {}
    for one in found:
        words = words_of(one.seed.source)
        counters.setdefault(one.seed.course_code, HabitCounter()).add(words, spans_of(words, one.seed.legos))
    return {code: counter.habits() for code, counter in counters.items()}


def _scored(found: _Found, habits: Habits, rule: IronRule) -> Scored:
    reviewed = review(found.seed, found.tongue, habits, rule)
    return Scored(found.cut, found.seed, found.refused, guarantees(found.seed, found.tongue, rule), reviewed)


def summary(scored: Sequence[Scored], problems: Sequence[Problem] = ()) -> dict[str, Any]:
    """All SEEDs of a file in numbers."""
    statuses = Counter(one.status for one in scored)
    concerns = Counter(name for one in scored for name in {concern.concern_id for concern in one.review.concerns})
    return {
        "total_seeds": len(scored),
        "accepted": statuses["accepted"],
        "flagged": statuses["flagged"],
        "failed": statuses["failed"],
        "average_score": mean([one.review.overall for one in scored]),
        "dimension_averages": {name: mean([one.review.scores[name] for one in scored]) for name in DIMENSIONS},
        "concern_frequency": dict(sorted(concerns.items(), key=lambda one: (-one[1], one[0]))),
        "problems": len(problems),
    }
