"""Courses by their codes: a request names a code, and the runs say in which folder that course lies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish.app.legos.evolution import TASK as EVOLVE
from burnish.app.legos.extraction import KIND
from burnish.app.run_card import RunCard
from burnish.app.run_index import RunIndex
from burnish.core.errors import InputError, NotFound, UsageError
from burnish.core.records import UnitRow
from burnish.engine.plan import Plan
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.policy import WAITING
from burnish.kinds.legos.validation import validate
from burnish.store.records import DATABASE, CourseRecords, Store, open_records
from burnish.store.records.file_records import HOME


class SeveralFolders(UsageError):
    """A code that runs know from several folders."""

    code = "several_folders"
    status = 409


@dataclass(frozen=True, slots=True)
class KnownCourse:
    """A course that runs have worked on."""

    code: str
    folder: Path
    store: Store | None
    """None: whichever is there."""
    runs: tuple[RunCard, ...]
    """Runs over it, the one that was active last first."""

    @contextmanager
    def records(self) -> Iterator[CourseRecords]:
        """Its records, to be read."""
        with open_records(self.folder, self.store, read_only=True) as opened:
            yield opened


def known_courses(index: RunIndex) -> list[KnownCourse]:
    """Every course that is still where the runs over it have found it."""
    found: dict[tuple[str, Path], list[tuple[RunCard, Plan]]] = {}
    for card in index.cards():
        if isinstance(card, RunCard) and card.kind == KIND:
            plan = index.open(card.id).view.plan
            folder = _folder(plan)
            if (folder / HOME).is_dir() or (folder / DATABASE).is_file():
                found.setdefault((str(plan.arguments["options"]["course"]), folder), []).append((card, plan))
    return [
        KnownCourse(code, folder, _store(folder, [plan for _, plan in runs]), tuple(card for card, _ in runs))
        for (code, folder), runs in sorted(found.items())
    ]


def _folder(plan: Plan) -> Path:
    """Where the plan of a run says that its course lies."""
    return Path(plan.arguments["path"] if plan.task == EVOLVE else plan.arguments["course"]["folder"])


def _store(folder: Path, plans: list[Plan]) -> Store | None:
    """The store that the latest extraction was told to use, where both are there."""
    if not ((folder / HOME).is_dir() and (folder / DATABASE).is_file()):
        return None
    return next((plan.arguments["course"]["store"] for plan in plans if "course" in plan.arguments), None)


def course_named(index: RunIndex, code: str) -> KnownCourse:
    """The course that a request names."""
    found = [course for course in known_courses(index) if course.code == code]
    if not found:
        raise NotFound("No run in this folder knows a course of that name.", hint="GET /api/v1/courses lists them.")
    if len(found) > 1:
        raise SeveralFolders(
            f"Runs know the course {code} from {len(found)} folders.",
            hint="The operator has to keep the runs of one of them elsewhere.",
        )
    return found[0]


def seed_of(course: KnownCourse, seed: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The record of a SEED as it is today, and its LEGOs. NotFound where the course has none of that id."""
    with course.records() as records:
        uuid = next((uuid for uuid, id in sorted(records.seed_ids().items()) if id == seed), None)
        record = records.translation(uuid) if uuid is not None else None
        if uuid is None or record is None:
            raise NotFound(f"The course {course.code} has no SEED {seed}.", hint="Ids are like C0044.")
        legos = records.legos(of=uuid)
    current = migrated(record, len(legos))
    for one in (current, *legos):
        _refuse_invalid(one, seed)
    return current, legos


def _refuse_invalid(record: dict[str, Any], seed: str) -> None:
    worst = next((slip for slip in validate(record) if slip.level == "error"), None)
    if worst is not None:
        raise InputError(
            f"A record of {seed} cannot be used: {worst.field} {worst.message}".strip(),
            field=worst.field or None,
            code="invalid_record",
            hint="`burnish legos validate` tells everything that is wrong with it.",
        )


def waiting_in(index: RunIndex, course: KnownCourse, seed: str) -> tuple[str, UnitRow] | None:
    """The latest run over the course in which the SEED waits for a person, and its row there."""
    for card in course.runs:
        row = index.open(card.id).view.journal.unit(seed)
        if row is not None and row.state == WAITING:
            return card.id, row
    return None
