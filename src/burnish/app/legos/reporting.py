"""The reports of a course: made from its records, written into its folder, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from burnish.core.errors import InputError
from burnish.kinds.legos.asks import PROMPT_VERSION
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.kinds.legos.evolving.ledger import Ledger
from burnish.kinds.legos.evolving.overlay import Overlay
from burnish.kinds.legos.evolving.proof import proven
from burnish.kinds.legos.migration import is_current, migrated
from burnish.kinds.legos.policy import MAX_ATTEMPTS
from burnish.kinds.legos.records import newer_version
from burnish.kinds.legos.reports import CourseReports
from burnish.kinds.legos.validation import is_valid, validate
from burnish.store.files import alone_in, disk_refusals, make_folder, remove_leftovers, write_atomically
from burnish.store.paths import document_path
from burnish.store.records import CourseRecords

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Evolution:
    """What the prompts of a course have learnt."""

    overlay: Overlay
    ledger: Ledger

    def as_wire(self) -> dict[str, Any]:
        rows = self.ledger.rows
        decisions = ("adopted", "rejected", "taken_back", "kept")
        return {
            "prompt_version": str(self.overlay.version),
            "rules": [_rule(rule.id, rule.text, rule.adopted_in, rule.evidence) for rule in self.overlay.rules],
            "taken_back": [
                _rule(rule.id, rule.text, rule.taken_back_in, rule.taken_back_evidence)
                for rule in self.overlay.taken_back
            ],
            "trials": len(rows),
            "decisions": {name: sum(row.decision == name for row in rows) for name in decisions},
        }


def _rule(id: str, text: str, version: str, evidence: Any) -> dict[str, Any]:
    found = {name: getattr(evidence, name) for name in ("pairs", "gain", "p", "effect")}
    return {"id": id, "text": text, "prompt_version": version, **found}


@dataclass(frozen=True)
class CourseReport:
    """Every report of a course, and what could not be taken in."""

    files: Mapping[str, dict[str, Any]]
    """Path in the course's folder -> content."""
    evolution: Evolution
    problems: tuple[InputError, ...] = ()
    """Records and files that are in no report."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        """A report by the name of its file, without folder and ending."""
        return next(content for path, content in self.files.items() if Path(path).stem == name)

    def as_wire(self) -> dict[str, Any]:
        """For programs: all that a person is shown, and the lists whole."""
        return {
            **{Path(path).stem: content for path, content in self.files.items()},
            "prompt_evolution": self.evolution.as_wire(),
            "problems": [{"path": one.path, "code": one.code, "message": one.message} for one in self.problems],
        }


def report_on(folder: Path, records: CourseRecords, *, max_attempts: int = MAX_ATTEMPTS) -> CourseReport:
    """The reports over all that a course's store can read; what it cannot read is among the problems."""
    problems = [InputError(one.message, path=one.where, code="unreadable_record") for one in records.problems()]
    made = course_report(folder, current_records(records, problems), records.all_legos(), max_attempts=max_attempts)
    return replace(made, problems=(*problems, *made.problems))


def current_records(records: CourseRecords, problems: list[InputError]) -> Iterator[Record]:
    """Every translation, old ones as they would be migrated; what cannot be joins `problems`."""
    for record in records.translations():
        if is_current(record) or newer_version(record) is not None:
            yield record
            continue
        try:
            yield migrated(record, len(records.legos(of=record["uuid"])))
        except InputError as error:
            error.path = str(record["uuid"])
            problems.append(error)


def course_report(
    folder: Path, translations: Iterable[Record], legos: Iterable[Record], *, max_attempts: int = MAX_ATTEMPTS
) -> CourseReport:
    """The reports over records that a store gave. A record that is not valid is told, and counts nowhere."""
    problems: list[InputError] = []
    reports = CourseReports(max_attempts)
    for record in valid_records(translations, "translation", problems):
        reports.add(record)
    files = reports.files(valid_records(legos, "lego", problems))
    return CourseReport(files, evolution_of(folder, problems), tuple(problems))


def valid_records(records: Iterable[Record], type: str, problems: list[InputError]) -> Iterator[Record]:
    """Those that are valid; each of the others joins `problems`."""
    for record in records:
        slips = validate(record)
        if is_valid(slips):
            yield record
            continue
        worst = next(slip for slip in slips if slip.level == "error")
        said = f"{worst.field}: {worst.message}" if worst.field else worst.message
        problems.append(
            InputError(
                f"This {type} is left out: {said}",
                path=str(record.get("uuid", "a record without uuid")),
                code="invalid_record",
                hint="`burnish legos validate` tells everything that is wrong with it.",
            )
        )


def evolution_of(folder: Path, problems: list[InputError]) -> Evolution:
    """What the overlay and the ledger in a course's folder tell; what cannot be read of them joins `problems`."""
    try:
        overlay = Overlay.of(_content(folder / OVERLAY), PROMPT_VERSION)
    except InputError as error:
        problems.append(error)
        overlay = Overlay.of(None, PROMPT_VERSION)
    ledger = Ledger.of(_content(folder / LEDGER))
    problems += [InputError(one.message, path=LEDGER, line=one.line, code="broken_line") for one in ledger.broken]
    try:
        overlay = proven(overlay, ledger, OVERLAY)
    except InputError as error:
        problems.append(error)
    return Evolution(overlay, ledger)


def _content(path: Path) -> bytes | None:
    with disk_refusals("read", path):
        return path.read_bytes() if path.is_file() else None


def write_reports(folder: Path, report: CourseReport) -> list[Path]:
    """Write every report into the course's folder."""
    written = {document_path(folder, name): content for name, content in report.files.items()}
    places = {path.parent: None for path in written}
    with alone_in(folder):
        for place in places:
            make_folder(place)
            remove_leftovers(place, below=False)
        for path, content in written.items():
            write_atomically(path, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return list(written)
