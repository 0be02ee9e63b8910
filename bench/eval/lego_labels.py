"""The score of cuts against labels that were given blind (`labels/README.md`); for `python -m bench.eval.legos`."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from burnish.kinds.legos.model import Lego
from burnish.kinds.legos.policy import ACCEPT
from burnish.languages.alignment import area

if TYPE_CHECKING:
    from bench.eval.legos import Course

LABELS = Path(__file__).with_name("labels") / "legos.tsv"
FRESH, LATER, LAST, FIT, FINAL = (
    LABELS.with_name(f"legos_{name}.tsv") for name in ("fresh", "later", "last", "fit", "final")
)
"""All but the last were drawn before the score was fitted, and it was fitted on them."""
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """A cut that was labelled."""

    score: float
    is_good: bool
    is_made_today: bool
    """Whether the cutter still cuts the SEED so."""
    agreed: bool | None
    """Whether a second pass said the same; None without one."""


def labelled(path: Path, courses: Mapping[str, Course]) -> Iterator[Labelled]:
    """The cuts of a table of labels, scored."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        language, row, cut, label, *second = line.split("\t")
        course = courses[language]
        seed = course.seeds[int(row)]
        places = [[int(place) for place in part.replace(":", "-").split("-")] for part in cut.split()]
        legos = tuple(Lego(seed.source[a:b], seed.target[c:d], a, b, c, d) for a, b, c, d in places)
        yield Labelled(
            course.score(replace(seed, legos=legos)),
            label == "good",
            [[one.start, one.end, one.target_start, one.target_end] for one in seed.legos] == places,
            second[0] == label if second and head.endswith("second") else None,
        )


def label_rows(courses: Mapping[str, Course]) -> tuple[list[str], bool]:
    """The score against cuts that were labelled blind. What counts is the last draw, which had no say in it."""
    tables = {path.stem: list(labelled(path, courses)) for path in (LABELS, FRESH, LATER, LAST, FIT, FINAL)}
    drawn = [one for stem, table in tables.items() if stem != LABELS.stem for one in table if one.is_made_today]
    lines = [_label_row(name, cuts) for name, cuts in tables.items()]
    found, share = _area(tables[FINAL.stem]), statistics.fmean(one.is_good for one in drawn)
    lines.append(
        f"  {FINAL.stem}: AUC limit .85 {mark(found >= 0.85)}; of {len(drawn)} cuts drawn at random that are made so "
        f"today {share:.0%} are good, limit 80 % {mark(share >= 0.8)}"
    )
    return lines, found >= 0.85 and share >= 0.8


def _label_row(name: str, cuts: Sequence[Labelled]) -> str:
    low, high = _interval(cuts)
    good, bad = _scores(cuts)
    agreed = [one.agreed for one in cuts if one.agreed is not None]
    return (
        f"  {name:<11} {len(cuts)} cuts, {len(bad)} bad; AUC of the score {_area(cuts):.2f} ({low:.2f}-{high:.2f}); "
        f"below the line {np.mean(bad < ACCEPT):.0%} of the bad, {np.mean(good < ACCEPT):.0%} of the good"
        + (f"; two passes agree on {statistics.fmean(agreed):.0%} of {len(agreed)}" if agreed else "")
    )


def _scores(cuts: Sequence[Labelled]) -> tuple[Scores, Scores]:
    """Of good cuts, and of bad ones."""
    return (
        np.array([one.score for one in cuts if one.is_good]),
        np.array([one.score for one in cuts if not one.is_good]),
    )


def _area(cuts: Sequence[Labelled]) -> float:
    return area(*_scores(cuts))


def _interval(cuts: Sequence[Labelled]) -> tuple[float, float]:
    """Within which the AUC lies in 95 of 100 draws from these cuts."""
    dice = np.random.default_rng(5)
    good, bad = _scores(cuts)
    drawn = [area(dice.choice(good, len(good)), dice.choice(bad, len(bad))) for _ in range(1_000)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def mark(good: bool) -> str:
    return "PASS" if good else "FAIL"
