"""Versions of what a run publishes. A decision that is taken back after publishing leads to another version; the
documents and the receipt of the one before stay readable under its number.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish.core.attempts import effective_decisions
from burnish.core.faultpoints import reach
from burnish.core.json_bytes import loads
from burnish.core.records import EventRecord, event
from burnish.store.files import (
    TEMPORARY_PREFIX,
    atomic_writer,
    confirm_names,
    disk_refusals,
    make_folder,
    sha256_of,
    temporary_name,
)
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, document_path

RECEIPT = "receipt.json"


def publications(journal: Journal) -> list[EventRecord]:
    """Return the event of every version, in order."""
    return list(journal.events(types=("published",)))


def is_outdated(journal: Journal) -> bool:
    """Return whether people have decided something since the last version: what is published next is another one."""
    last = journal.latest("published")
    return last is not None and bool(effective_decisions(journal.events(after=last.seq, types=("decision",))))


def version_of(journal: Journal) -> int:
    """Return the number of the version that is published now, or would be next."""
    return max(1, len(publications(journal)) + is_outdated(journal))


def kept_versions(journal: Journal) -> list[dict[str, Any]]:
    """Return what was kept of earlier versions."""
    return [dict(kept.data) for kept in journal.events(types=("version_kept",))]


@dataclass(frozen=True, slots=True)
class Versions:
    """The earlier versions in a run's folder."""

    folder: RunFolder
    journal: Journal

    def keep(self, places: Mapping[str, Sequence[Path]]) -> None:
        """Keep the last version before the next one takes its place: all of it under its number, or nothing. What was
        changed by hand since is not kept, and named. After a kill it is done again.

        `places`: document -> where its published bytes may be: where they were placed, and the candidate of that time.
        """
        if not is_outdated(self.journal):
            return
        published = publications(self.journal)
        number, last = len(published), published[-1]
        home = self.folder.version(number)
        if not home.is_dir():
            self._copy(last, number, home, places)
        files = sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
        wanted = [RECEIPT, *(f"out/{written['document']}" for written in last.data["documents"])]
        data = {
            "version": number,
            "published_at": last.at,
            "folder": home.relative_to(self.folder.root).as_posix(),
            "files": files,
            "missing": [name for name in wanted if name not in files],
        }
        self.journal.write_now(event("version_kept", dedupe=f"version:{number}", data=data))

    def _copy(self, last: EventRecord, number: int, home: Path, places: Mapping[str, Sequence[Path]]) -> None:
        for left in home.parent.glob(f"{TEMPORARY_PREFIX}*"):  # by a session that was killed: this run is ours
            shutil.rmtree(left)
        unfinished = home.with_name(temporary_name())
        make_folder(unfinished / "out")
        try:
            for written in last.data["documents"]:
                target = document_path(unfinished / "out", written["document"])
                _copy_same(written["sha256_after"], places[written["document"]], target)
            if self._is_receipt_of(number):
                _copied(self.folder.receipt, unfinished / RECEIPT)
            reach("engine.version.copied")
            with disk_refusals("write", home):
                unfinished.rename(home)
            confirm_names([home])
        except BaseException:
            with suppress(OSError):  # the first error is the one to report
                shutil.rmtree(unfinished)
            raise
        reach("engine.version.kept")

    def _is_receipt_of(self, number: int) -> bool:
        """Return whether the receipt in the folder is that of a version: a session that was killed has not written
        it."""
        path = self.folder.receipt
        with disk_refusals("read", path):
            said = loads(path.read_bytes()) if path.is_file() else {}
        return isinstance(said, dict) and said.get("published_version") == number


def _copied(source: Path, target: Path) -> None:
    with source.open("rb") as stream, atomic_writer(target) as copy:
        shutil.copyfileobj(stream, copy)


def _copy_same(digest: str, places: Sequence[Path], target: Path) -> None:
    """Copy the first file with this digest, if there is one."""
    for path in places:
        with disk_refusals("read", path):
            is_same = path.is_file() and sha256_of(path) == digest
        if is_same:
            make_folder(target.parent)
            _copied(path, target)
            return
