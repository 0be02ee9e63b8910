"""From the journal of a run into the course: records, LEGOs and reports, the same however often it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from burnish.core.errors import InputError
from burnish.core.events import event
from burnish.core.kinds import UnitStory
from burnish.engine.bookshelf import Bookshelf
from burnish.engine.plan import Plan
from burnish.kinds.legos.kind import LegosKind
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.past import ATTEMPTS
from burnish.kinds.legos.publish import CourseRow, row_of
from burnish.store.journal import Journal
from burnish.store.records import CourseRecords, Json, open_records
from burnish.surfaces.legos.reporting import report_on, write_reports

TOGETHER = 500
"""SEEDs that are written in one go."""


def deliver(plan: Plan, kind: LegosKind, journal: Journal) -> None:
    """Write what the run came to into its course, as far as it came."""
    course = plan.arguments["course"]
    folder = Path(course["folder"])
    with open_records(folder, course["store"]) as records:
        for some in _portions(Bookshelf(kind, journal).stories()):
            with records.batch():
                for story in some:
                    _put(records, row_of(story, kind.terms), story.row.id, journal)
        report = report_on(folder, records, max_attempts=kind.terms.max_attempts)
    write_reports(folder, report)


def _put(records: CourseRecords, row: CourseRow, unit: str, journal: Journal) -> None:
    """One SEED. Fields that others added meanwhile stay; a record that others changed is left alone, and told."""
    if not row.is_reviewed:
        return
    ours, uuid = row.translation, row.translation["uuid"]
    there = records.translation(uuid)
    why = _conflict(there, ours, records, uuid)
    if why is not None:
        journal.write_now(event("course_changed", unit, dedupe=f"course_changed:{unit}", data={"message": why}))
        return
    new = {**(there or {}), **ours}
    if new != there:
        records.put_translation(new)
    if row.legos is not None and records.legos(of=uuid) != row.legos:
        records.put_legos(uuid, row.legos)


def _conflict(there: Json | None, ours: Json, records: CourseRecords, uuid: str) -> str | None:
    """Why a record cannot be written: it is gone, or not the one that the run was about."""
    if there is None:
        return "The record is not in the course any more."
    try:
        current = migrated(there, len(records.legos(of=uuid)))
    except InputError as error:
        return error.message
    if any(current.get(name) != ours[name] for name in ("source", "target", "seed_id")):
        return "Its sentences were changed since the run began."
    known, new = current[ATTEMPTS], ours[ATTEMPTS]
    if len(known) > len(new) or any(not _is_same(one, other) for one, other in zip(known, new, strict=False)):
        return "Other attempts were made on it since the run began."
    return None


def _is_same(one: Any, other: Any) -> bool:
    return bool(one["timestamp"] == other["timestamp"] and one["quality_score"] == other["quality_score"])


def _portions(stories: Iterable[UnitStory]) -> Iterator[list[UnitStory]]:
    rest = iter(stories)
    while some := list(islice(rest, TOGETHER)):
        yield some
