"""The overlay and the ledger in the folder of a course: what its prompt has learnt, and every trial.

Both are changed after every trial: first the ledger gets its line, then the overlay its rule. Killed in between, the
next run finds the line and sets the overlay right. Evolutions of one course at the same time take turns in writing,
and one that another has overtaken stops before it spends more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish.core.errors import InputError
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, rule_words
from burnish.kinds.legos.evolution.trials import Ledger, Settled, Trial, proven
from burnish.kinds.legos.requests import PROMPT_VERSION
from burnish.store.files import alone_in, disk_refusals, make_folder, remove_leftovers, write_atomically
from burnish.store.paths import document_path


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
