"""Courses at the door: sentence pairs become records of a course, and what is there already stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.kinds.files.encoded import read_limited
from burnish.kinds.legos.courses import Course
from burnish.kinds.legos.importing import Pair, PairFormat, format_of, free_ids, read_pairs, record_of, uuid_of
from burnish.store.clock import Clock, iso, system_clock
from burnish.store.paths import nearest_path, operator_path
from burnish.store.records import CourseRecords, Store, open_records
from burnish.store.records.file_records import HOME
from burnish.store.records.opening import DATABASE

LARGEST = 64 << 20
"""Bytes of a file of pairs: ten thousand long sentences are much less."""


@dataclass(slots=True)
class Imported:
    """What became of a file of pairs."""

    course: Course
    folder: Path
    added: list[str] = field(default_factory=list)
    """The SEED ids of new records."""
    unchanged: int = 0
    """Pairs that the course had already."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost: a pair that stands twice in a file is no loss."""
        return all(problem.code == "duplicate" for problem in self.problems)

    def as_wire(self) -> dict[str, Any]:
        problems = [
            {"path": one.path, "line": one.line, "code": one.code, "message": one.message} for one in self.problems
        ]
        return {
            "course": self.course.code,
            "dir": str(self.folder),
            "added": len(self.added),
            "unchanged": self.unchanged,
            "seed_ids": self.added,
            "problems": problems,
        }


def import_pairs(
    file: str,
    course: Course,
    folder: Path,
    *,
    format: PairFormat | None = None,
    store: Store | None = None,
    clock: Clock = system_clock,
) -> Imported:
    """The pairs of a file into a course's folder, which is made where there is none. All of them, or none."""
    found = list(read_pairs(_data(file), file, format or _format(file)))
    imported = Imported(course, folder, problems=[row for row in found if isinstance(row, Problem)])
    pairs = [row for row in found if isinstance(row, Pair)]
    if not pairs:
        raise _nothing(file, imported.problems)
    with open_records(folder, store or _store(folder)) as records:
        _refuse_other_course(records, course)
        imported.problems += [Problem("unreadable_record", one.message, one.where) for one in records.problems()]
        _add(records, pairs, imported, iso(clock()))
    return imported


def _data(file: str) -> bytes:
    try:
        with operator_path(file).open("rb") as stream:
            return read_limited(stream, file, LARGEST)
    except OSError as error:
        raise InputError(
            f"This file cannot be read: {error.strerror}.", path=file, code="unreadable", hint=nearest_path(file)
        ) from error


def _format(file: str) -> PairFormat:
    format = format_of(file)
    if format is None:
        raise UsageError(
            f"The name {file} does not say what is in it.", hint="Add --format tsv, --format csv or --format jsonl."
        )
    return format


def _store(folder: Path) -> Store | None:
    """Files for a new course; otherwise whatever it has."""
    return None if (folder / HOME).is_dir() or (folder / DATABASE).is_file() else "files"


def _nothing(file: str, problems: Iterable[Problem]) -> InputError:
    first = next(iter(problems), None)
    told = f" The first problem: {first.message}" if first else ""
    return InputError(
        f"There is no sentence pair in it.{told}",
        path=file,
        line=first.line if first else None,
        code="no_pairs",
        hint="A row has the source sentence, a tab (or comma), and the target sentence.",
    )


def _refuse_other_course(records: CourseRecords, course: Course) -> None:
    for record in records.translations():
        metadata = record.get("metadata")
        code = metadata.get("course_code") if isinstance(metadata, dict) else None
        if isinstance(code, str) and code != course.code:
            raise UsageError(
                f"{records.place} holds the course {code[:64]!r}, not {course.code}.",
                hint="Give --dir another folder, or --course the code of that course.",
            )
        return


def _add(records: CourseRecords, pairs: Iterable[Pair], imported: Imported, now: str) -> None:
    known = records.seed_ids()
    code = imported.course.code
    fresh = []
    for pair in pairs:
        seed_id = known.get(uuid_of(code, pair.source, pair.target))
        if seed_id is None:
            fresh.append(pair)
            continue
        imported.unchanged += 1
        if pair.seed_id not in (None, seed_id):
            told = f"The course has this pair as {seed_id}; it is not made {pair.seed_id}."
            imported.problems.append(Problem("other_id", told, str(records.place), pair.line))
    with records.batch():
        for pair, seed_id in _numbered(fresh, set(known.values()), imported):
            try:
                records.put_translation(record_of(pair, seed_id, code, now))
            except InputError as error:  # something unreadable has its place: told, and left alone
                imported.problems.append(Problem(error.code, error.message, error.path or "", pair.line))
            else:
                imported.added.append(seed_id)


def _numbered(pairs: Iterable[Pair], used: set[str], imported: Imported) -> Iterator[tuple[Pair, str]]:
    """Every pair with its SEED id, in the order of the file: its own, or the next that nobody has."""
    taken, kept = set(used), []
    for pair in pairs:
        if pair.seed_id in used:
            told = f"The id {pair.seed_id} is that of another pair of the course."
            imported.problems.append(Problem("duplicate_id", told, imported.folder.name, pair.line))
            continue
        kept.append(pair)
        taken |= {pair.seed_id} if pair.seed_id is not None else set()
    free = iter(free_ids(taken, sum(pair.seed_id is None for pair in kept)))
    for pair in kept:
        yield pair, pair.seed_id or next(free)
