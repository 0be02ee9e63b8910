"""The cuts of a course as a teacher looks through them: every SEED with its LEGOs, chosen and sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.app.legos.reporting import Record, current_records, valid_records
from burnish.core.errors import InputError, UsageError
from burnish.kinds.legos.doubts import LEAST_SHOWN
from burnish.kinds.legos.reports.queues import reason_of
from burnish.kinds.legos.reports.standing import Standing, score_of
from burnish.store.records import CourseRecords

Sorting = Literal["seed", "score", "confidence"]
COLUMNS = ("seed_id", "provenance", "source", "target", "score", "confidence", "status")
"""Of a row of the table: a LEGO."""
NO_SCORE = 11.0
"""Stands behind all scores where SEEDs are sorted by them."""
_FORMULA = ("=", "+", "-", "@")
"""A cell that begins so would be reckoned out by a spreadsheet, whoever wrote it."""


@dataclass(frozen=True, slots=True)
class CutLego:
    """One LEGO of a SEED."""

    provenance: str
    source: str
    target: str
    confidence: float
    """How sure it is that the two halves say the same, from 0 to 1."""

    @property
    def is_doubtful(self) -> bool:
        return self.confidence < LEAST_SHOWN

    def as_wire(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("provenance", "source", "target", "confidence")}


@dataclass(frozen=True, slots=True)
class CutSeed:
    """A SEED with the LEGOs that stand."""

    seed_id: str
    source: str
    target: str
    status: str
    score: float | None
    """Of the attempt whose LEGOs stand; None where it was never cut."""
    reason: str | None
    """Why a person should look at it; None where nobody needs to."""
    uncovered: tuple[str, ...]
    legos: tuple[CutLego, ...]

    @property
    def lowest_confidence(self) -> float:
        """1 where there is no LEGO to doubt."""
        return min((lego.confidence for lego in self.legos), default=1.0)

    def as_wire(self) -> dict[str, Any]:
        names = ("seed_id", "source", "target", "status", "score", "reason")
        told = {name: getattr(self, name) for name in names}
        return {**told, "uncovered": list(self.uncovered), "legos": [lego.as_wire() for lego in self.legos]}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which SEEDs are wanted: those for which everything holds that is asked."""

    seeds: frozenset[str] = frozenset()
    """Empty: all."""
    waiting: bool = False
    below: float | None = None
    doubtful: bool = False

    def takes(self, seed: CutSeed) -> bool:
        if self.seeds and seed.seed_id not in self.seeds:
            return False
        if self.waiting and seed.reason is None:
            return False
        if self.below is not None and (seed.score is None or seed.score >= self.below):
            return False
        return not self.doubtful or any(lego.is_doubtful for lego in seed.legos)


@dataclass(frozen=True, slots=True)
class CutList:
    """What was chosen, and of how many."""

    seeds: tuple[CutSeed, ...]
    of: int
    """SEEDs of the whole course."""
    problems: tuple[InputError, ...]
    """Records that are left out."""

    @property
    def legos(self) -> int:
        return sum(len(seed.legos) for seed in self.seeds)

    def as_wire(self) -> dict[str, Any]:
        problems = [{"path": one.path, "code": one.code, "message": one.message} for one in self.problems]
        seeds = [one.as_wire() for one in self.seeds]
        return {"count": len(seeds), "of": self.of, "seeds": seeds, "problems": problems}


def cut_list(records: CourseRecords, choice: Choice, sorting: Sorting = "seed") -> CutList:
    """The chosen SEEDs, in the order of the course, or the worst first. UsageError for a SEED that is not there."""
    problems = [InputError(one.message, path=one.where, code="unreadable_record") for one in records.problems()]
    seeds = [
        _seed(record, valid_records(records.legos(of=record["uuid"]), "lego", problems))
        for record in valid_records(current_records(records, problems), "translation", problems)
    ]
    unknown = sorted(choice.seeds - {seed.seed_id for seed in seeds})
    if unknown:
        raise UsageError(f"There is no SEED {', '.join(unknown[:5])} in this course.", hint="Ids are like C0044.")
    chosen = sorted(filter(choice.takes, seeds), key=_ORDERS[sorting])
    return CutList(tuple(chosen), len(seeds), tuple(problems))


_ORDERS = {
    "seed": lambda seed: (0.0, seed.seed_id),
    "score": lambda seed: (NO_SCORE if seed.score is None else seed.score, seed.seed_id),
    "confidence": lambda seed: (seed.lowest_confidence, seed.seed_id),
}


def _seed(record: Record, legos: Iterable[Mapping[str, Any]]) -> CutSeed:
    seed = Standing(record)
    return CutSeed(
        seed_id=seed.seed_id,
        source=record["source"],
        target=record["target"],
        status=seed.status if seed.is_extracted else "not_extracted",
        score=score_of(seed.kept) if seed.kept is not None else None,
        reason=reason_of(seed) if seed.needs_a_person else None,
        uncovered=tuple(record.get("uncovered", ())),
        legos=tuple(
            CutLego(lego["provenance"], lego["source"], lego["target"], lego["metadata"]["alignment_confidence"])
            for lego in legos
        ),
    )


def table(seeds: Sequence[CutSeed], sorting: Sorting = "seed") -> Iterator[str]:
    """Lines of tab-separated values, a LEGO each, below the names of the columns. The order is that of the SEEDs, but
    for that of confidence, which each LEGO has its own."""
    rows = [(seed, lego) for seed in seeds for lego in seed.legos]
    if sorting == "confidence":
        rows.sort(key=lambda row: row[1].confidence)
    yield "\t".join(COLUMNS)
    for seed, lego in rows:
        cells = (seed.seed_id, lego.provenance, lego.source, lego.target, seed.score, lego.confidence, seed.status)
        yield "\t".join(map(_cell, cells))


def _cell(value: object) -> str:
    """Without line ends and tabs, which would part it, and as text where a spreadsheet would take it for a formula."""
    text = " ".join(str(value).split()) if isinstance(value, str) else ("" if value is None else str(value))
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
