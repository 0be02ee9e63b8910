"""What a run writes into the folder of its course: records, LEGOs and reports, which is idempotent; the overlay (the
learnt rules of the prompt) and the ledger (every trial).

The last two change after every trial: first the ledger gets its line, then the overlay its rule. After a kill in
between, the next run finds the line and corrects the overlay. Simultaneous evolutions of one course take turns in
writing, and one whose overlay another has changed stops before it spends more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish.core.errors import InputError
from burnish.core.faultpoints import reach
from burnish.core.json_bytes import dumps, loads
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
        """The overlay for a prompt. Raise InputError if a rule has no evidence."""
        path = str(self.folder / OVERLAY)
        return proven(Overlay.of(self.overlay(), PROMPT_VERSION, path), self.ledger(), path)

    def refuse_overtaken(self, name: str, trial: Trial, before: Overlay, model: str) -> None:
        """Raise InputError if another evolution has changed the overlay or tried the rule since, and the trial is not
        in the ledger."""
        ledger = self.ledger()
        if ledger.row(name) is None:
            if not self._holds(before):
                raise _overlay_changed(self.folder)
            other = ledger.tried(model).get(rule_words(trial.rule.text))
            if other is not None and trial.action == "adopt":
                raise _already_tried(self.folder, other)

    def keep(self, row: LedgerRow, settled: Settled) -> None:
        """Record a trial, and the overlay if it changed. What is already recorded is not written again."""
        home = document_path(self.folder, OVERLAY).parent
        make_folder(home)
        with alone_in(home):
            self.refuse_overtaken(row.trial, settled.trial, settled.before, row.model)
            remove_leftovers(home, below=False)
            is_unchanged = self._holds(settled.before)
            ledger = self.ledger()
            if ledger.row(row.trial) is None:
                write_atomically(document_path(self.folder, LEDGER), ledger.adding(row).data)
            if is_unchanged and settled.after != settled.before:
                write_atomically(document_path(self.folder, OVERLAY), settled.after.to_bytes())

    def _holds(self, overlay: Overlay) -> bool:
        return Overlay.of(self.overlay(), PROMPT_VERSION) == overlay

    def _read(self, name: str) -> bytes | None:
        path = document_path(self.folder, name)
        with disk_refusals("read", path):
            return path.read_bytes() if path.is_file() else None


def _overlay_changed(folder: Path) -> InputError:
    return InputError(
        "The overlay was changed while the rules were on trial: the measurements are not valid for it.",
        path=str(folder / OVERLAY),
        code="overlay_changed",
        hint="Restore the overlay, or start again with another --run-id.",
    )


def _already_tried(folder: Path, other: LedgerRow) -> InputError:
    return InputError(
        f"The rule {other.rule} was tried meanwhile, by the run {other.run_id!r}: {other.decision}.",
        path=str(folder / LEDGER),
        code="tried_meanwhile",
        hint="Start again with another --run-id: rules that were tried are left out then.",
    )


@dataclass(frozen=True)
class Evolution:
    """The learnt rules of a course, and the trials."""

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
    """The overlay and the ledger of a course; errors in them are added to `problems`."""
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
"""Key of the journal for the SEEDs that the last delivery skipped, and why."""


def skipped_seeds(journal: Journal) -> dict[str, str]:
    """SEED -> why the last delivery did not write it."""
    return dict(loads(journal.get_meta(SKIPPED) or "{}"))


def record_skipped(journal: Journal, left: Mapping[str, str]) -> None:
    """Record the skipped SEEDs; each gets only one event, even if the run is delivered several times."""
    for seed, why in left.items():
        journal.write_now(event("course_changed", seed, dedupe=f"course_changed:{seed}", data={"message": why}))
    journal.set_meta(SKIPPED, dumps(left).decode())


Record = Mapping[str, Any]


@dataclass(frozen=True)
class CourseReport:
    """Every report of a course, and the records that could not be used."""

    files: Mapping[str, dict[str, Any]]
    """Path in the course's folder -> content."""
    evolution: Evolution
    problems: tuple[InputError, ...] = ()
    """Errors of records and files that are in no report."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        """A report by the stem of its file name."""
        return next(content for path, content in self.files.items() if Path(path).stem == name)

    def as_wire(self) -> dict[str, Any]:
        """The record for programs, with complete lists."""
        return {
            **{Path(path).stem: content for path, content in self.files.items()},
            "prompt_evolution": self.evolution.as_wire(),
            "problems": [{"path": one.path, "code": one.code, "message": one.message} for one in self.problems],
        }


def report_on(
    folder: Path, records: CourseRecords, *, max_attempts: int = MAX_ATTEMPTS, order: Order | None = None
) -> CourseReport:
    """The reports on all records that a course's store can read; the others are among the problems.

    `order`: the teaching order; None for the recorded one.
    """
    problems = [InputError(one.message, path=one.where, code="unreadable_record") for one in records.problems()]
    translations = current_records(records, problems)
    order = order or chosen_order(folder)
    made = course_report(folder, translations, records.all_legos(), max_attempts=max_attempts, order=order)
    return replace(made, problems=(*problems, *made.problems))


def chosen_order(folder: Path) -> Order:
    """The recorded choice of the teaching order, which later reports use again."""
    try:
        written = loads((folder / TEACHING_ORDER).read_bytes())
    except (OSError, ValueError):
        return "fewest_new"  # no report yet, or a broken one, which will be overwritten
    return "course" if isinstance(written, dict) and written.get("order") == "course" else "fewest_new"


def current_records(records: CourseRecords, problems: list[InputError]) -> Iterator[Record]:
    """Every translation, old ones in migrated form; errors are added to `problems`."""
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
    """The reports on these records. Invalid records are reported and not counted."""
    problems: list[InputError] = []
    translations = valid_records(translations, "translation", problems)
    files = course_reports(translations, valid_records(legos, "lego", problems), max_attempts, order)
    return CourseReport(files, evolution_of(folder, problems), tuple(problems))


def valid_records(records: Iterable[Record], type: str, problems: list[InputError]) -> Iterator[Record]:
    """The valid records; errors of the others are added to `problems`."""
    for record in records:
        slips = validate(record)
        if is_valid(slips):
            yield record
            continue
        worst = next(slip for slip in slips if slip.level == "error")
        why = f"{worst.field}: {worst.message}" if worst.field else worst.message
        problems.append(
            InputError(
                f"This {type} is left out: {why}",
                path=str(record.get("uuid", "a record without uuid")),
                code="invalid_record",
                hint="`burnish legos validate` lists everything that is wrong with it.",
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
            write_atomically(path, dumps(content, indent=2) + b"\n")
    return list(written)


def deliver(plan: Plan, kind: LegosKind, journal: Journal) -> None:
    """Write the results of the run so far into its course."""
    course = plan.arguments["course"]
    folder = Path(course["folder"])
    left: dict[str, str] = {}
    # If the course was moved away, do not create a new one in its place.
    if not stores_in(folder):
        raise InputError(
            "The course is no longer in its folder.",
            path=str(folder),
            code="course_missing",
            hint="Restore it and use `burnish resume`: the run holds all results.",
        )
    decided = sum(1 for _ in journal.events(types=("decision",)))
    journal.write_now(event("delivered", dedupe=f"delivered:{decided}"))  # from now on no decision can be undone
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
    """Write one SEED. Only the fields that a run writes are replaced; other changes since its start are kept."""
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
    """The LEGOs to write: existing ones keep their age and their additional fields."""
    there = {record["uuid"]: record for record in known}
    return [_renewed(record, there[record["uuid"]]) if record["uuid"] in there else record for record in ours]


def _renewed(new: Json, old: Json) -> Json:
    was = old.get("metadata")
    known = was if isinstance(was, dict) else {}
    created = {"created_at": known["created_at"]} if "created_at" in known else {}
    return {**old, **new, "metadata": {**known, **new["metadata"], **created}}


def _conflict(row: CourseRow, records: CourseRecords, unreadable: set[str]) -> str | None:
    """Why a SEED cannot be written: its record was removed or changed since the run began; None if it can."""
    ours, uuid = row.translation, row.translation["uuid"]
    there = records.translation(uuid)
    if there is None:
        return "Its record is no longer in the course."
    if any(lego["uuid"] in unreadable for lego in row.legos or ()):
        return "The file of one of its LEGOs cannot be read."
    if any(_is_other(lego, known) for known in records.legos(of=uuid) for lego in row.legos or ()):
        return "One of its LEGOs was changed by hand."
    try:
        current = migrated(there, len(records.legos(of=uuid)))
    except InputError as error:
        return error.message
    if any(slip.level == "error" for slip in validate(current)):
        return "Its record was changed since the run began, and is invalid now."
    if any(current[name] != ours[name] for name in ("source", "target", "seed_id")):
        return "Its sentences were changed since the run began."
    known, new = current[ATTEMPTS], ours[ATTEMPTS]
    if len(known) > len(new) or not all(map(_is_same, known, new)):
        return "Other attempts were made on it since the run began."
    if "human_review" in current and current["human_review"] not in row.decided:
        return "A person decided on it elsewhere since the run began."
    return None


def _is_other(ours: Json, known: Json) -> bool:
    """Whether a LEGO with the same uuid has other halves: the uuid is computed from them."""
    return bool(ours["uuid"] == known["uuid"] and any(ours[half] != known.get(half) for half in HALVES))


def _is_same(one: Any, other: Any) -> bool:
    return bool(one["timestamp"] == other["timestamp"] and one["quality_score"] == other["quality_score"])
