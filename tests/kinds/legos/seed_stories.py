"""What can happen to a SEED in a run, made up for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from burnish.core.attempts import rejections_in
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, UnitRow
from burnish.core.tasks import Item
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, OVERALL, Seed
from burnish.kinds.legos.pairs import Pair, record_of
from burnish.kinds.legos.placement import with_uncovered
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.rule_review import look
from burnish.kinds.legos.text_format import seed_of_records
from tests.kinds.legos.seeds_cut_by_hand import lego_in
from tests.legos_model import COURSE, CUTS, MARKET, SEEDS, TORN, Cut

STRICT = IronRule("strict", True)
TERMS = Terms(course_code=COURSE, extractor="model", rule=STRICT, scoring="1.0")
AT = "2026-11-15T10:00:00Z"
START = datetime(2026, 11, 15, 12, tzinfo=UTC)
GOOD: Cut = CUTS[MARKET]
ONE: Cut = ((MARKET.rstrip("."), SEEDS[MARKET].rstrip(".")),)
NOTHING: Cut = ()
Decided = tuple[Literal["accept", "edit", "reject"], int]
"""A verdict, and behind which attempt it was given."""


def fresh(source: str = MARKET, **fields: Any) -> Seed:
    """A SEED as it was imported, with more fields in its record."""
    record = record_of(Pair(source, SEEDS[source], 1), "C0006", COURSE, AT)
    return seed_of_records({**record, **fields}, ())


def cut(seed: Seed, legos: Cut, terms: Terms = TERMS) -> Seed:
    made = tuple(lego_in(seed.source, seed.target, halves) for halves in legos)
    return with_uncovered(replace(seed, legos=made), terms.profile, terms.rule)


def moment(number: int) -> str:
    return (START + timedelta(seconds=number)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def source_attempt(seed: Seed) -> AttemptRecord:
    return AttemptRecord(seed.id, 1, "source", seed.as_record(), seed.content_hash, {}, (), False, at=moment(1))


def review_attempt(
    number: int, seed: Seed, score: float | None = None, *, passed: bool | None = None, cause: Any = "review"
) -> AttemptRecord:
    """A scored attempt; its score and verdict are the rules' unless they are given."""
    looked = look(seed, TERMS, None)
    scores = looked.scores() if score is None else {**dict.fromkeys(DIMENSIONS, score), OVERALL: score}
    verdict = scores[OVERALL] >= TERMS.retry_below and not looked.broken if passed is None else passed
    beside = {} if cause == "person" else {"agent": TERMS.agent("m"), "prompt": "1.0.0", "unusual": ""}
    checked = {"measured": {**looked.measured(), **beside}}
    record, digest = seed.as_record(), seed.content_hash
    return AttemptRecord(
        seed.id, number, cause, record, digest, scores, (), verdict, checked=checked, at=moment(number)
    )


def draft_attempt(number: int, seed: Seed, **more: Any) -> AttemptRecord:
    record = seed.as_record()
    return AttemptRecord(seed.id, number, "model", record, seed.content_hash, {}, (), False, at=moment(number), **more)


def decisions_of(*made: Decided) -> tuple[EventRecord, ...]:
    return tuple(
        EventRecord(
            "decision",
            "C0006",
            {"verdict": verdict, "by": "Ada", "note": "Mind the verb." if verdict == "reject" else None}
            | {"after_attempt": after},
            at=moment(100 + place),
        )
        for place, (verdict, after) in enumerate(made)
    )


def story(
    state: str,
    attempts: Sequence[AttemptRecord] = (),
    *,
    seed: Seed | None = None,
    decided: Sequence[Decided] = (),
    reason: str | None = None,
) -> UnitStory:
    source = seed or fresh()
    whole = (source_attempt(source), *attempts)
    row = UnitRow(source.id, "taken_in.jsonl", 0, source.content_hash, state, reason, len(whole), len(whole))
    return UnitStory(row, source, whole, decisions_of(*decided))


def item(told: UnitStory) -> Item:
    assert list(rejections_in(told.decisions)) == sorted(rejections_in(told.decisions))
    last = told.attempts[-1].content
    unit = Seed.from_record(last) if last is not None else told.source
    return Item(told.row, told.source, unit, told.attempts, told.decisions)


__all__ = ["GOOD", "NOTHING", "ONE", "TORN"]
