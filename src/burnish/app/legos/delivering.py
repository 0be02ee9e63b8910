"""From the journal of a run into the course: records, LEGOs and reports, the same however often it is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from burnish.app.legos.left_alone import leave_alone
from burnish.app.legos.reporting import report_on, write_reports
from burnish.core.errors import InputError
from burnish.core.faultpoints import reach
from burnish.engine.bookshelf import Bookshelf
from burnish.engine.plan import Plan
from burnish.kinds.legos.kind import LegosKind
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.model import HALVES
from burnish.kinds.legos.past import ATTEMPTS
from burnish.kinds.legos.publish import WHY, WRITES, CourseRow, row_of
from burnish.kinds.legos.validation import validate
from burnish.store.journal import Journal
from burnish.store.records import UUID, CourseRecords, Json, open_records, portions, stores_in


def deliver(plan: Plan, kind: LegosKind, journal: Journal) -> None:
    """Write what the run came to into its course, as far as it came."""
    course = plan.arguments["course"]
    folder = Path(course["folder"])
    left: dict[str, str] = {}
    _refuse_missing(folder)
    with open_records(folder, course["store"]) as records:
        unreadable = {uuid for problem in records.problems() for uuid in UUID.findall(problem.where)[-1:]}
        for some in portions(Bookshelf(kind, journal).stories()):
            with records.batch():
                for story in some:
                    row = row_of(story, kind.terms)
                    why = _conflict(row, records, unreadable) if row.is_reviewed else None
                    if why is not None:
                        left[story.row.id] = why
                    elif row.is_reviewed:
                        _put(records, row)
            reach("course.batch_written")
        report = report_on(folder, records, max_attempts=kind.terms.max_attempts)
    reach("course.records_written")
    write_reports(folder, report)
    reach("course.reports_written")
    leave_alone(journal, left)


def _refuse_missing(folder: Path) -> None:
    """A course that was moved away is not begun anew where it was."""
    if not stores_in(folder):
        raise InputError(
            "The course is not here any more.",
            path=str(folder),
            code="course_missing",
            hint="Put it back and go on with `burnish resume`: the run holds everything that was done.",
        )


def _put(records: CourseRecords, row: CourseRow) -> None:
    """One SEED. What others changed or added meanwhile stays, but for what the run is there to write."""
    uuid = row.translation["uuid"]
    there = records.translation(uuid)
    kept = {name: value for name, value in (there or {}).items() if name != WHY}
    new = {**kept, **{name: row.translation[name] for name in WRITES if name in row.translation}}
    if new != there:
        records.put_translation(new)
    if row.legos is not None:
        known = records.legos(of=uuid)
        legos = _kept_apart(row.legos, known)
        if legos != known:
            records.put_legos(uuid, legos)


def _kept_apart(ours: Sequence[Json], known: Sequence[Json]) -> list[Json]:
    """LEGOs as they are written: one that is there already stays as old as it is, with what others added to it."""
    there = {record["uuid"]: record for record in known}
    return [_renewed(record, there[record["uuid"]]) if record["uuid"] in there else record for record in ours]


def _renewed(new: Json, old: Json) -> Json:
    was = old.get("metadata")
    known = was if isinstance(was, dict) else {}
    created = {"created_at": known["created_at"]} if "created_at" in known else {}
    return {**old, **new, "metadata": {**known, **new["metadata"], **created}}


def _conflict(row: CourseRow, records: CourseRecords, unreadable: set[str]) -> str | None:
    """Why a SEED cannot be written: its record is gone, or not the one that the run was about."""
    ours, uuid = row.translation, row.translation["uuid"]
    there = records.translation(uuid)
    if there is None:
        return "Its record is not in the course any more."
    if any(lego["uuid"] in unreadable for lego in row.legos or ()):
        return "A file that cannot be read lies where one of its LEGOs belongs."
    if any(_is_other(lego, known) for known in records.legos(of=uuid) for lego in row.legos or ()):
        return "One of its LEGOs was changed by hand."
    try:
        current = migrated(there, len(records.legos(of=uuid)))
    except InputError as error:
        return error.message
    if any(slip.level == "error" for slip in validate(current)):
        return "Its record was changed since the run began, and is no valid one now."
    if any(current[name] != ours[name] for name in ("source", "target", "seed_id")):
        return "Its sentences were changed since the run began."
    known, new = current[ATTEMPTS], ours[ATTEMPTS]
    if len(known) > len(new) or not all(map(_is_same, known, new)):
        return "Other attempts were made on it since the run began."
    if "human_review" in current and current["human_review"] not in row.decided:
        return "A person decided on it elsewhere since the run began."
    return None


def _is_other(ours: Json, known: Json) -> bool:
    """Whether a LEGO of the same name holds other halves: its name is made of them."""
    return bool(ours["uuid"] == known["uuid"] and any(ours[half] != known.get(half) for half in HALVES))


def _is_same(one: Any, other: Any) -> bool:
    return bool(one["timestamp"] == other["timestamp"] and one["quality_score"] == other["quality_score"])
