"""The overlay and the ledger in the folder of a course.

Both are changed after every trial: first the ledger gets its line, then the overlay its rule. Killed in between, the
next sitting finds the line and sets the overlay right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from burnish.core.errors import InputError
from burnish.kinds.legos.asks import PROMPT_VERSION
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.kinds.legos.evolving.evolution import Settled
from burnish.kinds.legos.evolving.ledger import Ledger
from burnish.kinds.legos.evolving.overlay import Overlay
from burnish.kinds.legos.evolving.shapes import LedgerRow
from burnish.store.files import disk_refusals, make_folder, write_atomically
from burnish.store.paths import document_path


@dataclass(frozen=True, slots=True)
class Notebook:
    """The overlay and the ledger in the folder of a course."""

    folder: Path

    def overlay(self) -> bytes | None:
        return self._read(OVERLAY)

    def ledger(self) -> Ledger:
        return Ledger.of(self._read(LEDGER))

    def keep(self, row: LedgerRow, settled: Settled) -> None:
        """Write a trial down, and the overlay where it changed. What is there already is left alone."""
        ledger = self.ledger()
        as_it_was = Overlay.of(self.overlay(), PROMPT_VERSION) == settled.before
        if ledger.row(row.trial) is None:
            if not as_it_was:
                raise _changed_meanwhile(self.folder)
            self._write(LEDGER, ledger.adding(row).data)
        if as_it_was and settled.after != settled.before:
            self._write(OVERLAY, settled.after.to_bytes())

    def _read(self, name: str) -> bytes | None:
        path = document_path(self.folder, name)
        with disk_refusals("read", path):
            return path.read_bytes() if path.is_file() else None

    def _write(self, name: str, data: bytes) -> None:
        path = document_path(self.folder, name)
        make_folder(path.parent)
        write_atomically(path, data)


def _changed_meanwhile(folder: Path) -> InputError:
    return InputError(
        "The overlay was changed while the rules were on trial: what was measured does not hold for it.",
        path=str(folder / OVERLAY),
        code="overlay_changed",
        hint="Put the overlay back as it was, or begin anew with another --run-id.",
    )
