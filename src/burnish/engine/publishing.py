"""Publishing: every blocker named, or the whole document at once, read back and proven before it is put in place."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import InputError, StateCorrupt
from burnish.core.faultpoints import reach
from burnish.core.kinds import PolishedKind
from burnish.core.records import UnitRow
from burnish.engine.plan import DocumentPlan, Plan
from burnish.store.files import atomic_writer, make_folder, sha256_of
from burnish.store.journal import Journal

CANNOT_WRITE_BACK = "cannot_write_back"
"""The code of the InputError by which a kind refuses a change that its file cannot hold."""


@dataclass(frozen=True, slots=True)
class Proof:
    """That a written document holds exactly what it should."""

    document: str
    path: str
    sha256_before: str
    sha256_after: str
    units: int
    changed: tuple[str, ...]
    untouched_digest: str
    """One digest over the hashes of all units that were not changed: the same in source and result."""
    lost: tuple[str, ...] = ()
    """What another output format could not carry."""
    left_out: int = 0
    """Units that another output format cannot hold at all: a hole, so such a document is not published."""
    refused: tuple[str, ...] = ()
    """Changed units that stand here unchanged, because their place cannot hold the change. Not published either."""

    @property
    def whole(self) -> bool:
        """Whether every unit is there, in its best draft."""
        return not self.left_out and not self.refused

    def as_record(self) -> dict[str, Any]:
        return {
            "document": self.document,
            "path": self.path,
            "sha256_before": self.sha256_before,
            "sha256_after": self.sha256_after,
            "units": self.units,
            "changed": list(self.changed),
            "untouched": {"units": self.units - len(self.changed), "digest": self.untouched_digest},
            "lost": list(self.lost),
            "left_out": self.left_out,
            "refused": list(self.refused),
        }


def blockers(journal: Journal, kind: PolishedKind) -> Iterator[UnitRow]:
    """Every unit that keeps the run from being published, in document order."""
    states = [state for state in kind.states.moves if state != kind.states.ready]
    return journal.units(states=states)


def verify_source(document: DocumentPlan) -> None:
    """The source must still be the bytes that were judged."""
    try:
        now = sha256_of(Path(document.path))
    except OSError as gone:
        raise InputError(f"The source cannot be read any more: {gone.strerror}.", path=document.path) from gone
    if now != document.sha256:
        raise source_changed(document)


def source_changed(document: DocumentPlan) -> InputError:
    return InputError(
        "The source has changed since the run began.",
        path=document.path,
        code="source_changed",
        hint="Put the old file back, or start a new run over the new one.",
    )


class Nowhere(io.RawIOBase):
    """Takes bytes and forgets them. Unlike the null device it does not claim to have kept its place among them."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


@dataclass(frozen=True, slots=True)
class Press:
    """Writes the documents of a run, with each unit in its best draft."""

    plan: Plan
    kind: PolishedKind
    journal: Journal

    def compose(self, document: DocumentPlan, candidate: Path, format: str | None = None) -> Proof:
        """Write one document as a candidate and prove it by reading it back."""
        verify_source(document)
        wanted = format or document.format
        make_folder(candidate.parent)
        refused: tuple[str, ...] = ()
        try:
            lost = self._write(document, candidate, wanted, refused)
        except InputError as refusal:
            if refusal.code != CANNOT_WRITE_BACK:
                raise
            refused = tuple(row.id for row, _ in self.unwritable(document))
            lost = self._write(document, candidate, wanted, refused)
        return self._prove(document, candidate, wanted, lost, refused)

    def _write(self, document: DocumentPlan, candidate: Path, format: str, refused: Collection[str]) -> list[str]:
        with atomic_writer(candidate) as stream:
            lost = self._compose(document, stream, format, refused)
            reach("engine.publish.written")
        return lost

    def _compose(self, document: DocumentPlan, stream: BinaryIO, format: str, refused: Collection[str]) -> list[str]:
        with Path(document.path).open("rb") as source:
            if format == document.format:
                self.kind.rewrite(source, document.path, format, self._changed(document, refused), stream)
                return []
            return self.kind.convert(self._drafts(document, source), format, stream)

    def _changed(self, document: DocumentPlan, refused: Collection[str]) -> Callable[[str], Unit | None]:
        def changed(unit: str) -> Unit | None:
            id = self.plan.unit_id(document.name, unit)
            return None if id in refused else self.best_draft(id)

        return changed

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
        best = self.journal.attempts(row.id)[row.best_attempt - 1]
        return None if best.content is None else self.kind.from_record(best.content)

    def unwritable(self, document: DocumentPlan) -> Iterator[tuple[UnitRow, InputError]]:
        """Every changed unit whose place in the source cannot hold the change, with the reason.

        Found out by a trial: such a unit is a person's to decide, and must not keep the rest from being written.
        """
        refused: set[str] = set()
        while any(row.best_attempt > 1 and row.id not in refused for row in self.journal.units()):
            last: list[str] = []
            changed = self._changed(document, refused)

            def asked(
                unit: str, last: list[str] = last, changed: Callable[[str], Unit | None] = changed
            ) -> Unit | None:
                last[:] = [self.plan.unit_id(document.name, unit)]
                return changed(unit)

            try:
                with Path(document.path).open("rb") as source, io.BufferedWriter(Nowhere()) as nowhere:
                    self.kind.rewrite(source, document.path, document.format, asked, nowhere)
                return
            except InputError as refusal:
                row = self.journal.unit(last[0]) if last else None
                if refusal.code != CANNOT_WRITE_BACK or row is None:
                    raise
                refused.add(row.id)
                yield row, refusal

    def _prove(
        self, document: DocumentPlan, written: Path, format: str, lost: Sequence[str], refused: Sequence[str]
    ) -> Proof:
        """Read both files side by side: unchanged units hash the same, changed ones are their best draft."""
        changed: list[str] = []
        untouched = hashlib.sha256()
        units = 0
        with Path(document.path).open("rb") as source, written.open("rb") as result:
            before = _units(self.kind.read(source, document.path, document.format))
            after = _units(self.kind.read(result, str(written), format))
            for old in before:
                draft = self._judged_draft(document, old, refused)
                if format == document.format:
                    _compare(document, draft or old, next(after, None))
                units += 1
                if draft is None:
                    untouched.update(old.content_hash.encode())
                else:
                    changed.append(old.id)
            # Another format may carry less and says what; how many units it holds shows whether it holds them all.
            rest = sum(1 for _ in after)
        if rest > (units if format != document.format else 0):
            raise _broken(document, "the written file has a unit too many")
        return Proof(
            document.name,
            str(written),
            document.sha256,
            sha256_of(written),
            units,
            tuple(changed),
            f"sha256:{untouched.hexdigest()}",
            tuple(lost),
            units - rest if format != document.format else 0,
            tuple(refused),
        )

    def _judged_draft(self, document: DocumentPlan, old: Unit, refused: Collection[str]) -> Unit | None:
        """The unit's best draft; what was judged must have been this very unit."""
        row = self.journal.unit(self.plan.unit_id(document.name, old.id))
        if row is None or row.content_hash != old.content_hash:
            raise _broken(document, f"{old.id} is not the text that was judged")
        return None if row.id in refused else self._best_of(row)


def _compare(document: DocumentPlan, wanted: Unit, written: Unit | None) -> None:
    if written is None:
        raise _broken(document, f"{wanted.id} is missing in the written file")
    if written.content_hash != wanted.content_hash:
        raise _broken(document, f"{wanted.id} is not what it should be in the written file")


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


def _units(parts: Iterator[Any]) -> Iterator[Unit]:
    return (part for part in parts if not isinstance(part, Problem | PassedThrough))


def _broken(document: DocumentPlan, what: str) -> StateCorrupt:
    return StateCorrupt(
        f"{document.name}: {what}, so nothing was published.",
        hint="Please report this with the run's folder; the source and the journal are untouched.",
    )
