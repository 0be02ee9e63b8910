"""Publishing: every blocker named, or the whole document at once, read back and proven before it is put in place."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
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
        raise InputError(
            "The source has changed since the run began.",
            path=document.path,
            code="source_changed",
            hint="Put the old file back, or start a new run over the new one.",
        )


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
        with atomic_writer(candidate) as stream:
            lost = self._compose(document, stream, wanted)
            reach("engine.publish.written")
        return self._prove(document, candidate, wanted, lost)

    def _compose(self, document: DocumentPlan, stream: BinaryIO, format: str) -> list[str]:
        with Path(document.path).open("rb") as source:
            if format == document.format:
                self.kind.rewrite(source, document.path, format, self._changed(document), stream)
                return []
            return self.kind.convert(self._drafts(document, source), format, stream)

    def _changed(self, document: DocumentPlan) -> Callable[[str], Unit | None]:
        return lambda unit: self.best_draft(self.plan.unit_id(document.name, unit))

    def _drafts(self, document: DocumentPlan, source: BinaryIO) -> Iterator[Unit]:
        for part in self.kind.read(source, document.path, document.format):
            if not isinstance(part, Problem | PassedThrough):
                yield self.best_draft(self.plan.unit_id(document.name, part.id)) or part

    def best_draft(self, id: str) -> Unit | None:
        """The unit's best draft, or None where that is the source itself."""
        row = self.journal.unit(id)
        if row is None or row.best_attempt < 2:
            return None
        best = self.journal.attempts(id)[row.best_attempt - 1]
        return None if best.content is None else self.kind.from_record(best.content)

    def _prove(self, document: DocumentPlan, written: Path, format: str, lost: list[str]) -> Proof:
        """Read both files side by side: unchanged units hash the same, changed ones are their best draft."""
        changed: list[str] = []
        untouched = hashlib.sha256()
        units = 0
        with Path(document.path).open("rb") as source, written.open("rb") as result:
            before = _units(self.kind.read(source, document.path, document.format))
            after = _units(self.kind.read(result, str(written), format))
            for old in before:
                new = next(after, None)
                draft = self.best_draft(self.plan.unit_id(document.name, old.id))
                if new is None:
                    raise _broken(document, f"{old.id} is missing in the written file")
                # Another format may carry less (it says what); the same format must carry everything.
                if format == document.format and new.content_hash != (draft or old).content_hash:
                    raise _broken(document, f"{old.id} is not what it should be in the written file")
                units += 1
                if draft is None:
                    untouched.update(old.content_hash.encode())
                else:
                    changed.append(old.id)
            if (extra := next(after, None)) is not None:
                raise _broken(document, f"the written file has a unit too many ({extra.id})")
        return Proof(
            document.name,
            str(written),
            document.sha256,
            sha256_of(written),
            units,
            tuple(changed),
            f"sha256:{untouched.hexdigest()}",
            tuple(lost),
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


def _units(parts: Iterator[Any]) -> Iterator[Unit]:
    return (part for part in parts if not isinstance(part, Problem | PassedThrough))


def _broken(document: DocumentPlan, what: str) -> StateCorrupt:
    return StateCorrupt(
        f"{document.name}: {what}, so nothing was published.",
        hint="Please report this with the run's folder; the source and the journal are untouched.",
    )
