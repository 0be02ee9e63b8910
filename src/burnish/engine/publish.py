"""Publishing: every blocker named, or the whole document composed, read back, proven, and only then put in place."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import CannotWriteBack, InputError, StateCorrupt
from burnish.core.faultpoints import reach
from burnish.core.kinds import PublishedKind, recorded_draft
from burnish.core.records import EventRecord, Record, UnitRow, event
from burnish.core.stages import StagedKind
from burnish.core.states import StateTable
from burnish.engine.plan import AGAINST, DocumentPlan, MaterialPlan, Plan
from burnish.engine.proof import UNREADABLE, Proof, Refused, compare
from burnish.engine.unit_loader import UnitLoader, moved
from burnish.store.export import ExportFolder
from burnish.store.files import atomic_writer, make_folder, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, document_path

CANNOT_WRITE_BACK = "cannot_write_back"
"""Why a unit waits whose change its file cannot hold."""


def blockers(journal: Journal, kind: PublishedKind) -> Iterator[UnitRow]:
    """Every unit that keeps the run from being published, in document order."""
    past = {kind.states.ready, kind.traits.merged, kind.traits.out_of_scope}
    return journal.units(states=[state for state in kind.states.moves if state not in past])


def unreadable(journal: Journal) -> Iterator[EventRecord]:
    """Every part of the input that made no unit, or maybe not the one that was meant: with it nothing is published."""
    return (part for part in journal.events(types=("input_problem",)) if part.data.get("blocks", True))


def problem_event(document: str, problem: Problem) -> EventRecord:
    """What is wrong with the input, or with what it is compared with."""
    data = {
        "document": document,
        "code": problem.code,
        "message": problem.message,
        "line": problem.line,
        "field": problem.field,
        "unit": problem.unit,
        "blocks": problem.blocks,
    }
    return event(
        "input_problem",
        dedupe=f"problem:{document}:{problem.line}:{problem.code}:{problem.field}:{problem.unit}",
        data=data,
    )


def called_back(
    row: UnitRow, states: StateTable, reason: str, message: str, *rules: str
) -> tuple[EventRecord, UnitRow]:
    """An accepted unit that a person has to see after all, with the reason in words."""
    back = replace(row, state=states.check(row.state, states.waiting), reason=reason)
    data = {"from": row.state, "to": back.state, "reason": reason, "message": message, "rules": list(rules)}
    return event("state_changed", row.id, data=data), back


def verify_source(document: DocumentPlan) -> None:
    """The source must still be the bytes that were judged."""
    if is_changed(document):
        raise source_changed(document)


def is_changed(document: DocumentPlan) -> bool:
    """Whether the source is no longer the bytes that were judged."""
    return not _is_same(document, "The source")


def verify_compared(plan: Plan) -> None:
    """So must be what the documents are compared with: otherwise each sitting would compare with something else."""
    for material in plan.materials:
        if material.role == AGAINST and not _is_same(material, "The document to compare with"):
            raise InputError(
                "The document to compare with has changed since the run began.",
                path=material.path,
                code="source_changed",
                hint="Put the old file back, or start a new run.",
            )


def _is_same(file: DocumentPlan | MaterialPlan, name: str) -> bool:
    try:
        return sha256_of(Path(file.path)) == file.sha256
    except OSError as gone:
        raise InputError(
            f"{name} cannot be read any more: {gone.strerror}.",
            path=file.path,
            hint="Put the file back where it was; the run goes on from there. Or start a new run.",
        ) from gone


def source_changed(document: DocumentPlan) -> InputError:
    return InputError(
        "The source has changed since the run began.",
        path=document.path,
        code="source_changed",
        hint="Put the old file back, or start a new run over the new one.",
    )


@dataclass(frozen=True, slots=True)
class Press:
    """Writes the documents of a run, with each unit in its best draft."""

    plan: Plan
    kind: PublishedKind
    journal: Journal

    def compose(self, document: DocumentPlan, candidate: Path, format: str | None = None) -> Proof:
        """Write one document as a candidate and prove it by reading it back.

        A change that its place cannot hold is left out and named: the rest of the document is still written.
        """
        verify_source(document)
        wanted = format or document.format
        make_folder(candidate.parent)
        refused: dict[str, str] = {}
        while True:
            try:
                with atomic_writer(candidate) as stream:
                    lost = self._compose(document, stream, wanted, refused)
                    reach("engine.publish.written")
                return self._prove(document, candidate, wanted, lost, refused)
            except Refused as refusal:
                # Each pass names all that it finds, so there are few: one that refuses, one that proves.
                refused |= refusal.reasons

    def _compose(self, document: DocumentPlan, stream: BinaryIO, format: str, refused: Collection[str]) -> list[str]:
        with Path(document.path).open("rb") as source:
            if format != document.format:
                return self.kind.convert(self._drafts(document, source), format, stream)

            def changed(unit: str) -> Unit | None:
                id = self.plan.unit_id(document.name, unit)
                return None if id in refused else self.best_draft(id)

            try:
                self.kind.rewrite(source, document.path, format, changed, stream)
            except CannotWriteBack as refusal:
                reasons = {self.plan.unit_id(document.name, unit): why for unit, why in refusal.refusals.items()}
                raise Refused({unit: why.message for unit, why in reasons.items()}) from refusal
            return []

    def _drafts(self, document: DocumentPlan, source: BinaryIO) -> Iterator[Unit]:
        for part in self.kind.read(source, document.path, document.format):
            if not isinstance(part, Problem | PassedThrough):
                yield self.best_draft(self.plan.unit_id(document.name, part.id)) or part

    def best_draft(self, id: str) -> Unit | None:
        """The unit's best draft, or None where that is the source itself."""
        row = self.journal.unit(id)
        return None if row is None else self._best_of(row)

    def _best_of(self, row: UnitRow) -> Unit | None:
        if row.best_attempt < 2:
            return None
        return recorded_draft(self.kind, self.journal.attempts(row.id)[row.best_attempt - 1])

    def _prove(
        self, document: DocumentPlan, written: Path, format: str, lost: Sequence[str], refused: Mapping[str, str]
    ) -> Proof:
        def draft_of(old: Unit) -> tuple[str, Unit | None]:
            row = self.journal.unit(self.plan.unit_id(document.name, old.id))
            if row is None or row.content_hash != old.content_hash:
                raise StateCorrupt(
                    f"{document.name}: {old.id} is not the text that was judged, so nothing was published.",
                    hint="Start a new run over the file as it is now.",
                )
            return row.id, None if row.id in refused else self._best_of(row)

        with Path(document.path).open("rb") as source, written.open("rb") as result:
            before = self.kind.read(source, document.path, document.format)
            after = self.kind.read(result, str(written), format)
            found = compare(document, before, after, draft_of, same_format=format == document.format)
        if found.refused:
            raise Refused(found.refused)
        return Proof(
            document.name,
            str(written),
            document.sha256,
            sha256_of(written),
            found.units,
            found.changed,
            found.untouched_digest,
            tuple(lost),
            found.left_out,
            dict(refused),
        )


def place(proof: Proof, target: Path) -> Proof:
    """Publish a proven candidate: its very bytes, all at once."""
    make_folder(target.parent)
    seen = hashlib.sha256()
    with Path(proof.path).open("rb") as candidate, atomic_writer(target) as stream:
        while block := candidate.read(1 << 20):
            seen.update(block)
            stream.write(block)
        if f"sha256:{seen.hexdigest()}" != proof.sha256_after:
            raise StateCorrupt(
                f"{proof.path} changed while it was being published.", hint="Run `burnish resume` again."
            )
    reach("engine.publish.placed")
    return replace(proof, path=str(target))


MERGED_AT_ONCE = 500
"""Rows in a transaction."""
PLACING = "placing"
"""Where the journal keeps what is being put in its place."""


@dataclass(frozen=True, slots=True)
class Merger:
    """Makes the final document of a run."""

    folder: RunFolder
    plan: Plan
    kind: StagedKind
    journal: Journal

    @property
    def _document(self) -> DocumentPlan:
        [document] = self.plan.documents
        return document

    def composed(self) -> Proof | None:
        """The document as it would be published, read back and proven. None where a unit's text cannot stand in its
        place: that unit waits for a person then."""
        path = document_path(self.folder.candidate, self.kind.final_name)
        make_folder(path.parent)
        source = self._source()
        with atomic_writer(path) as stream:
            for piece in self.kind.final(source, UnitLoader(self.kind, self.journal).drafts()):
                stream.write(piece)
            reach("engine.publish.written")
        return self._proven(path)

    def _source(self) -> bytes:
        """The very bytes that were taken in."""
        verify_source(self._document)
        data = Path(self._document.path).read_bytes()
        if f"sha256:{hashlib.sha256(data).hexdigest()}" != self._document.sha256:
            raise source_changed(self._document)
        return data

    def _proven(self, path: Path) -> Proof | None:
        untouched = hashlib.sha256()
        changed: list[str] = []
        for row, wanted, found in self._side_by_side(path):
            if wanted is None or found is None or not self.kind.is_published_as(wanted, found):
                self._call_back(self._at_fault(row, changed))
                return None
            if row is not None and row.state == self.kind.out_of_scope:
                untouched.update(row.content_hash.encode())
            else:
                changed.append(wanted.id)
        units = len(changed) + sum(1 for _ in self.journal.units(states=(self.kind.out_of_scope,)))
        return Proof(
            self._document.name,
            str(path),
            self._document.sha256,
            sha256_of(path),
            units,
            tuple(changed),
            f"sha256:{untouched.hexdigest()}",
        )

    def _side_by_side(self, path: Path) -> Iterator[tuple[UnitRow | None, Unit | None, Unit | None]]:
        """Every unit that should be there, beside what is read back in its place."""
        shelf = UnitLoader(self.kind, self.journal)
        rows = (row for row in self.journal.units() if row.document)
        wanted = ((row, shelf.item(row).unit) for row in rows)
        with path.open("rb") as stream:
            parts = self.kind.read(stream, str(path), self._document.format)
            found = (part for part in parts if not isinstance(part, Problem | PassedThrough))
            for pair, unit in zip_longest(wanted, found):
                row, draft = pair if pair is not None else (None, None)
                yield row, draft, unit

    def _at_fault(self, row: UnitRow | None, changed: list[str]) -> UnitRow:
        """The unit whose text does not stand in its place. A part too many, or one that nobody wrote anew, is read
        differently because of the text before it; where there is none, because of the one behind."""
        if row is not None and row.state != self.kind.out_of_scope:
            return row
        written = self.journal.unit(changed[-1]) if changed else None
        return written or next(self.journal.units(states=(self.kind.states.ready,)))

    def _call_back(self, row: UnitRow) -> None:
        told, back = moved(self.kind.states, row, self.kind.states.waiting, CANNOT_WRITE_BACK)
        self.journal.write_now(told, event("publish_blocked", row.id, data={"message": UNREADABLE}), back)

    def merge(self, proof: Proof) -> Proof:
        """Put the proven bytes in their place, and say so of every unit."""
        published = replace(proof, path=str(self._target))
        # Written down first: killed before the journal knows, the next sitting can tell what is in its place.
        self.journal.set_meta(PLACING, orjson.dumps(_summary(published)).decode())
        exports = ExportFolder(self.folder, self.journal)
        with Path(proof.path).open("rb") as composed, exports.stream(self.kind.final_name) as stream:
            while block := composed.read(1 << 20):
                stream.write(block)
            verify_source(self._document)
            reach("engine.publish.verified")
        reach("engine.publish.placed")
        self._tell_all(_summary(published))
        return published

    @property
    def _target(self) -> Path:
        return self.folder.export(self.kind.final_name)

    def finished(self) -> bool:
        """Complete what another sitting began: its bytes were proven and are in their place. Whether there were any."""
        placing = self.journal.get_meta(PLACING)
        if placing is None or not self._target.is_file():
            return False
        said = orjson.loads(placing)
        if sha256_of(self._target) != said["sha256_after"]:
            return False
        self._tell_all(said)
        return True

    def _tell_all(self, said: Mapping[str, Any]) -> None:
        """Of every unit, and then of the whole, that it is published."""
        batch: list[Record] = []
        for row in self.journal.units(states=(self.kind.states.ready,)):
            batch += moved(self.kind.states, row, self.kind.merged, row.reason)
            if len(batch) >= 2 * MERGED_AT_ONCE:
                self.journal.write_now(*batch)
                reach("engine.publish.merging")
                batch = []
        self.journal.write_now(*batch, event("published", dedupe="published", data={"documents": [said]}))
        reach("engine.publish.recorded")


def _summary(proof: Proof) -> dict[str, Any]:
    """What the journal keeps: how many units changed, not all of their names."""
    return {**proof.as_record(), "changed": len(proof.changed)}
