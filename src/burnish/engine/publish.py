"""Publishing: name every blocker, or compose the whole document, read it back, prove it, and only then replace it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from burnish.core.documents import Problem, Unit, is_unit
from burnish.core.errors import CannotWriteBack, InputError, StateCorrupt
from burnish.core.faultpoints import reach
from burnish.core.gate import StateTable
from burnish.core.json_bytes import dumps, loads
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import EventRecord, Record, UnitRow, event
from burnish.engine.plan import DocumentPlan, Plan, verify_source
from burnish.engine.proof import Proof, Refused, compare
from burnish.engine.unit_loader import moved
from burnish.engine.versions import Versions, publications, version_of
from burnish.store.files import atomic_writer, disk_refusals, make_folder, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import ExportFolder, RunFolder, document_path
from burnish.store.unit_queries import documents_only

CANNOT_WRITE_BACK = "cannot_write_back"
"""The reason of a unit that waits because its file cannot hold the change."""


def blockers(journal: Journal, kind: Kind) -> Iterator[UnitRow]:
    """Yield every unit that keeps the run from being published, in document order."""
    past = {kind.states.ready, kind.states.dropped, kind.merged, kind.out_of_scope}
    return journal.units(states=[state for state in kind.states.moves if state not in past])


def unreadable(journal: Journal) -> Iterator[EventRecord]:
    """Yield every part of the input that made no unit, or perhaps a wrong one: nothing is published with it."""
    return (part for part in journal.events(types=("input_problem",)) if part.data.get("blocks", True))


def emptied(journal: Journal, kind: Kind) -> list[str]:
    """Return the documents that would be published without any unit, because people dropped them all."""
    dropped = kind.states.dropped
    if dropped is None or not journal.counts().get(dropped):
        return []
    return journal.ask(partial(documents_only, state=dropped))


MOST_EMPTIED = 3
"""Emptied documents named in a sentence."""


def emptied_words(kind: Kind, documents: Sequence[str]) -> tuple[str, str]:
    """Return what was done to emptied documents, and what would be published."""
    more = f" and {len(documents) - MOST_EMPTIED:,} more" if len(documents) > MOST_EMPTIED else ""
    files = "an empty file" if len(documents) == 1 else f"{len(documents):,} empty files"
    return f"Every {kind.noun} of {', '.join(documents[:MOST_EMPTIED])}{more} was dropped", files


def problem_event(document: str, problem: Problem) -> EventRecord:
    """Return the event of a problem with the input, or with the data it is compared with."""
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
    """Return the event and row of an accepted unit that a person must see again, with the reason as text."""
    back = replace(row, state=states.check(row.state, states.waiting), reason=reason)
    data = {"from": row.state, "to": back.state, "reason": reason, "message": message, "rules": list(rules)}
    return event("state_changed", row.id, data=data), back


@dataclass(frozen=True, slots=True)
class DocumentWriter:
    """Writes the documents of a run with the best draft of each unit, and proves them by reading them back."""

    plan: Plan
    kind: Kind
    journal: Journal

    def compose(self, document: DocumentPlan, candidate: Path, format: str | None = None) -> Proof:
        """Write one document as a candidate and prove it by reading it back.

        A change that the document cannot hold is left out and named: the rest is still written.
        """
        verify_source(document)
        wanted = format or document.format
        make_folder(candidate.parent)
        refused: dict[str, str] = {}

        def changed(unit: str) -> Unit | None:
            id = self.plan.unit_id(document.name, unit)
            return None if id in refused else self.best_draft(self.journal.unit(id))

        while True:
            # Each pass names all refusals, so there are few passes: one that refuses, and one that proves.
            lost: list[str] = []
            try:
                with atomic_writer(candidate) as stream, Path(document.path).open("rb") as source:
                    if wanted != document.format:
                        lost = self.kind.convert(self._drafts(document, source), wanted, stream)
                    elif left_out := self._left_out(document):  # write changed units first, then leave these out
                        with tempfile.TemporaryFile() as file:
                            whole = cast(BinaryIO, file)
                            self.kind.rewrite(source, document.path, document.format, changed, whole)
                            whole.seek(0)
                            self.kind.leave_out(whole, document.path, document.format, left_out, stream)
                    else:
                        self.kind.rewrite(source, document.path, document.format, changed, stream)
                    reach("engine.publish.written")
                return self._prove(document, candidate, wanted, lost, refused)
            except CannotWriteBack as refusal:
                verify_source(document)
                refused |= {self.plan.unit_id(document.name, id): why.message for id, why in refusal.refusals.items()}
            except Refused as refusal:
                verify_source(document)
                refused |= refusal.reasons
            except (InputError, StateCorrupt):
                # A source that changes during composing can cause any error, so report the change instead.
                verify_source(document)
                raise

    def _left_out(self, document: DocumentPlan) -> frozenset[str]:
        """Return the dropped units, by their ids in the document."""
        dropped = self.kind.states.dropped
        rows = self.journal.units(states=[dropped]) if dropped is not None else ()
        prefix = self.plan.unit_id(document.name, "")
        return frozenset(row.id.removeprefix(prefix) for row in rows if row.document == document.name)

    def _drafts(self, document: DocumentPlan, source: BinaryIO) -> Iterator[Unit]:
        left_out = self._left_out(document)
        for part in self.kind.read(source, document.path, document.format):
            if is_unit(part) and part.id not in left_out:
                yield self.best_draft(self.journal.unit(self.plan.unit_id(document.name, part.id))) or part

    def best_draft(self, row: UnitRow | None) -> Unit | None:
        """Return the unit's best draft, or None if that is the source."""
        if row is None or row.best_attempt < (1 if self.kind.is_phased else 2) or row.state == self.kind.out_of_scope:
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
            return row.id, None if row.id in refused else self.best_draft(row)

        with Path(document.path).open("rb") as source, written.open("rb") as result:
            before = self.kind.read(source, document.path, document.format)
            after = self.kind.read(result, str(written), format)
            out, is_same = self._left_out(document), format == document.format
            proof = compare(document, written, self.kind, before, after, draft_of, out, same_format=is_same)
        if proof.refused:
            raise Refused(proof.refused)
        return replace(proof, lost=tuple(lost), refused=dict(refused))


def place(proof: Proof, target: Path) -> Proof:
    """Publish a proven candidate byte for byte in one atomic step."""
    make_folder(target.parent)
    with atomic_writer(target) as stream:
        _copy(proof, stream.write)
    reach("engine.publish.placed")
    return replace(proof, path=str(target))


def _copy(proof: Proof, write: Callable[[bytes], object]) -> None:
    seen = hashlib.sha256()
    with Path(proof.path).open("rb") as candidate:
        while block := candidate.read(1 << 20):
            seen.update(block)
            write(block)
    if f"sha256:{seen.hexdigest()}" != proof.sha256_after:
        raise StateCorrupt(f"{proof.path} changed while it was being published.", hint="Run `burnish resume` again.")


MERGED_AT_ONCE = 500
"""Rows per transaction."""
PLACING = "placing"
"""The journal's key for the document that is being placed; empty if that was given up."""


def is_placing(journal: Journal) -> bool:
    """Return whether the document is being placed or is in place."""
    return bool(journal.get_meta(PLACING))


@dataclass(frozen=True, slots=True)
class Publication:
    """Publishes the documents of a run: composed, read back, proven, and placed."""

    folder: RunFolder
    plan: Plan
    kind: Kind
    journal: Journal

    @property
    def is_published(self) -> bool:
        return any(True for _ in self.journal.events(types=("published",), limit=1))

    def composed(self) -> tuple[Proof, ...]:
        """Write every current document as a candidate and prove it."""
        writer, documents = DocumentWriter(self.plan, self.kind, self.journal), self.plan.documents
        places = {one.name: (self._target(one), self._candidate(one)) for one in documents}
        Versions(self.folder, self.journal).keep(places)
        return tuple(
            writer.compose(one, self._candidate(one), self._format(one, self._target(one))) for one in documents
        )

    def _candidate(self, document: DocumentPlan) -> Path:
        target = self._target(document)
        is_same = self._format(document, target) == document.format
        name = document.name if is_same else f"{document.name}{target.suffix}"
        return document_path(self.folder.candidate, self.kind.final_name or name)

    def not_held(self, name: str) -> Mapping[str, str]:
        """Return the units whose draft the document cannot hold, with the reason. It writes the whole document."""
        [document] = [each for each in self.plan.documents if each.name == name]
        format = self._format(document, self._target(document))
        with tempfile.TemporaryDirectory() as aside:
            writer = DocumentWriter(self.plan, self.kind, self.journal)
            return writer.compose(document, Path(aside) / "written", format).refused

    def call_back(self, proofs: Iterable[Proof]) -> bool:
        """Send accepted units whose file cannot hold the change to a person. Return whether there were any."""
        any_back = False
        for unit, why in [refusal for proof in proofs for refusal in proof.refused.items()]:
            row = self.journal.unit(unit)
            if row is not None and row.state == self.kind.states.ready:
                self.journal.write_now(*called_back(row, self.kind.states, CANNOT_WRITE_BACK, why))
                any_back = True
        return any_back

    def edited_by_hand(self, proofs: Sequence[Proof]) -> list[str]:
        """Return published documents that were changed since. Like other exports they are written again."""
        if self.kind.final_name or not self.is_published:
            return []
        last = {one["document"]: one["sha256_after"] for one in publications(self.journal)[-1].data["documents"]}
        found = []
        for document, proof in zip(self.plan.documents, proofs, strict=True):
            path = self._target(document)
            with disk_refusals("read", path):
                # A session that was killed may have placed the next version already.
                if path.is_file() and sha256_of(path) not in (last[document.name], proof.sha256_after):
                    found.append(str(path))
        return found

    def publish(self, proofs: Sequence[Proof]) -> tuple[Proof, ...]:
        """Place the proven bytes, and record that the units (if the kind has such a state) and run are published."""
        if not self.kind.final_name:
            pairs = zip(self.plan.documents, proofs, strict=True)
            placed = tuple(place(proof, self._target(document)) for document, proof in pairs)
            self._tell_all([proof.as_record() for proof in placed])
            return placed
        [document], [proof] = self.plan.documents, proofs
        published = replace(proof, path=str(self._target(document)))
        # Recorded first: after a kill before the journal knows, the next session can identify the placed document.
        self.journal.set_meta(PLACING, dumps(_summary(published)).decode())
        with ExportFolder(self.folder, self.journal).stream(self.kind.final_name) as stream:
            _copy(proof, stream.write)
            verify_source(document)
            reach("engine.publish.verified")
        reach("engine.publish.placed")
        self._tell_all([_summary(published)])
        return (published,)

    def finished(self) -> bool:
        """Complete another session's publishing if its proven bytes are in place. Return whether they were."""
        placing = self.journal.get_meta(PLACING)
        target = self._target(self.plan.documents[0])
        if not placing or not target.is_file():
            return False
        said = loads(placing)
        if sha256_of(target) != said["sha256_after"]:
            return False
        self._tell_all([said])
        return True

    def give_up(self) -> None:
        """Give up placing, so that people may decide about the units again."""
        if is_placing(self.journal):
            self.journal.set_meta(PLACING, "")

    def _tell_all(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Record that every unit, and then the run, is published."""
        batch: list[Record] = []
        for row in self.journal.units(states=(self.kind.states.ready,)) if self.kind.merged else ():
            batch += moved(self.kind.states, row, self.kind.merged, row.reason)
            if len(batch) >= 2 * MERGED_AT_ONCE:
                self.journal.write_now(*batch)
                reach("engine.publish.merging")
                batch = []
        version = version_of(self.journal)
        dedupe = "published" if version == 1 else f"published:{version}"
        self.journal.write_now(*batch, event("published", dedupe=dedupe, data={"documents": documents}))
        reach("engine.publish.recorded")

    def _target(self, document: DocumentPlan) -> Path:
        """Return the user's path for the document: `--out` is a file for one document, a folder for a folder."""
        if self.kind.final_name:
            return self.folder.export(self.kind.final_name)
        if self.plan.out is not None and not self.plan.arguments.get("is_folder"):
            return Path(self.plan.out)
        wanted = self._wanted_format
        ending = "" if wanted in (None, document.format) else self.kind.formats[str(wanted)][0]
        return document_path(Path(self.plan.out or self.folder.out), f"{document.name}{ending}")

    def _format(self, document: DocumentPlan, target: Path) -> str:
        """Return the format that the user asks for, otherwise that of the name; an unchanged name keeps the format."""
        if self._wanted_format is not None:
            return self._wanted_format
        if self.kind.final_name or target.suffix.lower() == Path(document.path).suffix.lower():
            return document.format
        return self.kind.output_format(target.name, document.format)

    @property
    def _wanted_format(self) -> str | None:
        """The format in the user's arguments, whatever the names are."""
        wanted = self.plan.arguments.get("out_format")
        return None if wanted is None else str(wanted)


def _summary(proof: Proof) -> dict[str, Any]:
    """Return the journal's record: the number of changed units, not their names."""
    return {**proof.as_record(), "changed": len(proof.changed)}
