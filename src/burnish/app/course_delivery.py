"""What a run writes into the folder of its course: records, LEGOs and reports, the same however often it is done; the
overlay and the ledger, what its prompt has learnt and every trial.

The last two are changed after every trial: first the ledger gets its line, then the overlay its rule. Killed in
between, the next run finds the line and sets the overlay right. Evolutions of one course at the same time take turns in
writing, and one that another has overtaken stops before it spends more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from burnish.core.errors import InputError
from burnish.core.faultpoints import reach
from burnish.core.records import event
from burnish.engine.plan import Plan
from burnish.engine.unit_loader import stories
from burnish.kinds.legos.attempt_history import ATTEMPTS
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, rule_words
from burnish.kinds.legos.evolution.trials import Ledger, Settled, Trial, proven
from burnish.kinds.legos.kind import LegosKind
from burnish.kinds.legos.migration import is_current, migrated
from burnish.kinds.legos.model import HALVES
from burnish.kinds.legos.policy import MAX_ATTEMPTS
from burnish.kinds.legos.publish import WHY, WRITES, CourseRow, row_of
from burnish.kinds.legos.records import newer_version
from burnish.kinds.legos.reports import TEACHING_ORDER, course_reports
from burnish.kinds.legos.reports.inventory import Order
from burnish.kinds.legos.requests import PROMPT_VERSION
from burnish.kinds.legos.validation import is_valid, validate
from burnish.store.files import alone_in, disk_refusals, make_folder, remove_leftovers, write_atomically
from burnish.store.journal import Journal
from burnish.store.paths import document_path
from burnish.store.records import UUID, CourseRecords, Json, open_records, portions, stores_in


@dataclass(frozen=True, slots=True)
class EvolutionLedger:
    """The overlay and the ledger in the folder of a course."""

    folder: Path

    def overlay(self) -> bytes | None:
        return self._read(OVERLAY)

    def ledger(self) -> Ledger:
        return Ledger.of(self._read(LEDGER))

    def learnt(self) -> Overlay:
        """The overlay as it may be used in a prompt. InputError where a rule has no evidence."""
        path = str(self.folder / OVERLAY)
        return proven(Overlay.of(self.overlay(), PROMPT_VERSION, path), self.ledger(), path)

    def refuse_overtaken(self, name: str, trial: Trial, before: Overlay, model: str) -> None:
        """InputError where a trial that is not in the ledger yet would be about an overlay that is no more, or about a
        rule that another evolution tried meanwhile."""
        ledger = self.ledger()
        if ledger.row(name) is None:
            if not self._holds(before):
                raise _changed_meanwhile(self.folder)
            other = ledger.tried(model).get(rule_words(trial.rule.text))
            if other is not None and trial.action == "adopt":
                raise _tried_meanwhile(self.folder, other)

    def keep(self, row: LedgerRow, settled: Settled) -> None:
        """Write a trial down, and the overlay where it changed. What is there already is left alone."""
        home = document_path(self.folder, OVERLAY).parent
        make_folder(home)
        with alone_in(home):
            self.refuse_overtaken(row.trial, settled.trial, settled.before, row.model)
            remove_leftovers(home, below=False)
            as_it_was = self._holds(settled.before)
            ledger = self.ledger()
            if ledger.row(row.trial) is None:
                write_atomically(document_path(self.folder, LEDGER), ledger.adding(row).data)
            if as_it_was and settled.after != settled.before:
                write_atomically(document_path(self.folder, OVERLAY), settled.after.to_bytes())

    def _holds(self, overlay: Overlay) -> bool:
        return Overlay.of(self.overlay(), PROMPT_VERSION) == overlay

    def _read(self, name: str) -> bytes | None:
        path = document_path(self.folder, name)
        with disk_refusals("read", path):
            return path.read_bytes() if path.is_file() else None


def _changed_meanwhile(folder: Path) -> InputError:
    return InputError(
        "The overlay was changed while the rules were on trial: what was measured does not hold for it.",
        path=str(folder / OVERLAY),
        code="overlay_changed",
        hint="Put the overlay back as it was, or begin anew with another --run-id.",
    )


def _tried_meanwhile(folder: Path, other: LedgerRow) -> InputError:
    return InputError(
        f"The rule {other.rule} was tried meanwhile, by the run {other.run_id!r}: {other.decision}.",
        path=str(folder / LEDGER),
        code="tried_meanwhile",
        hint="Begin anew with another --run-id: what was tried is left out then.",
    )


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


def evolution_of(folder: Path, problems: list[InputError]) -> Evolution:
    """What the overlay and the ledger in a course's folder tell; what cannot be read of them joins `problems`."""
    files = EvolutionLedger(folder)
    try:
        overlay = Overlay.of(files.overlay(), PROMPT_VERSION)
    except InputError as error:
        problems.append(error)
        overlay = Overlay.of(None, PROMPT_VERSION)
    ledger = files.ledger()
    problems += [InputError(one.message, path=LEDGER, line=one.line, code="broken_line") for one in ledger.broken]
    try:
        overlay = proven(overlay, ledger, OVERLAY)
    except InputError as error:
        problems.append(error)
    return Evolution(overlay, ledger)


SKIPPED = "skipped"
"""Where the journal keeps those of the last delivery, and why."""


def skipped_seeds(journal: Journal) -> dict[str, str]:
    """SEED -> why the last delivery did not write it."""
    return dict(orjson.loads(journal.get_meta(SKIPPED) or "{}"))


def record_skipped(journal: Journal, left: Mapping[str, str]) -> None:
    """Write down which ones; each is told once in the history of the run, however often it is delivered."""
    for seed, why in left.items():
        journal.write_now(event("course_changed", seed, dedupe=f"course_changed:{seed}", data={"message": why}))
    journal.set_meta(SKIPPED, orjson.dumps(left).decode())


Record = Mapping[str, Any]


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


def report_on(
    folder: Path, records: CourseRecords, *, max_attempts: int = MAX_ATTEMPTS, order: Order | None = None
) -> CourseReport:
    """The reports over all that a course's store can read; what it cannot read is among the problems.

    `order`: of teaching; None for the one that the course has.
    """
    problems = [InputError(one.message, path=one.where, code="unreadable_record") for one in records.problems()]
    translations = current_records(records, problems)
    order = order or chosen_order(folder)
    made = course_report(folder, translations, records.all_legos(), max_attempts=max_attempts, order=order)
    return replace(made, problems=(*problems, *made.problems))


def chosen_order(folder: Path) -> Order:
    """How the course's own teaching order was asked for: a later report keeps to it."""
    try:
        written = orjson.loads((folder / TEACHING_ORDER).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return "fewest_new"  # no report yet, or one that is written anew now
    return "course" if isinstance(written, dict) and written.get("order") == "course" else "fewest_new"


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
    folder: Path,
    translations: Iterable[Record],
    legos: Iterable[Record],
    *,
    max_attempts: int = MAX_ATTEMPTS,
    order: Order = "fewest_new",
) -> CourseReport:
    """The reports over records that a store gave. A record that is not valid is told, and counts nowhere."""
    problems: list[InputError] = []
    translations = valid_records(translations, "translation", problems)
    files = course_reports(translations, valid_records(legos, "lego", problems), max_attempts, order)
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


def deliver(plan: Plan, kind: LegosKind, journal: Journal) -> None:
    """Write what the run came to into its course, as far as it came."""
    course = plan.arguments["course"]
    folder = Path(course["folder"])
    left: dict[str, str] = {}
    # A course that was moved away is not begun anew where it was.
    if not stores_in(folder):
        raise InputError(
            "The course is not here any more.",
            path=str(folder),
            code="course_missing",
            hint="Put it back and go on with `burnish resume`: the run holds everything that was done.",
        )
    decided = sum(1 for _ in journal.events(types=("decision",)))
    journal.write_now(event("delivered", dedupe=f"delivered:{decided}"))  # from now on no decision is taken back
    with open_records(folder, course["store"]) as records:
        unreadable = {uuid for problem in records.problems() for uuid in UUID.findall(problem.where)[-1:]}
        for some in portions(stories(kind, journal)):
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
    record_skipped(journal, left)


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
