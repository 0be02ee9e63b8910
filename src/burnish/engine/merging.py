"""Publishing a document whose units have passed their gate: composed, read back, proven, and only then merged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import orjson

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.records import Record, UnitRow
from burnish.core.stages import StagedKind
from burnish.engine.bookshelf import Bookshelf
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.proving import UNREADABLE, Proof
from burnish.engine.publishing import CANNOT_WRITE_BACK, source_changed, verify_source
from burnish.engine.standings import moved
from burnish.store.export import ExportFolder
from burnish.store.files import atomic_writer, make_folder, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, document_path

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
            for piece in self.kind.final(source, Bookshelf(self.kind, self.journal).drafts()):
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
        shelf = Bookshelf(self.kind, self.journal)
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
