"""What a sitting on a manuscript came to, for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.endings import MOST_LISTED, bill, named, tell_change, tell_more, tell_waiting_unit
from burnish.core.attempts import blocking_rules
from burnish.core.records import AttemptRecord
from burnish.core.stages import StagedKind
from burnish.engine.exporting import totals_record
from burnish.engine.plan import Plan
from burnish.engine.publishing import blockers
from burnish.engine.session import Result
from burnish.engine.views import StagedViews
from burnish.store.export import ExportFolder
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

ONCE_THROUGH = 4
"""Attempts of a unit that nobody had to mend: the source, its draft, a script pass or safe fixes, the review."""
WHY_NOT = {
    "needs_person": "some paragraphs are not ready.",
    "awaiting_approval": "every paragraph is ready, and somebody has to approve it.",
    "source_changed": "the source has changed since the run began, so no decision can publish it. Start a new run.",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A run and what its sitting came to."""

    folder: RunFolder
    plan: Plan
    kind: StagedKind
    journal: Journal
    result: Result

    @property
    def views(self) -> StagedViews:
        return StagedViews(self.plan, self.kind, self.journal, ExportFolder(self.folder, self.journal))


def tell_staged(told: Told, screen: Screen, *, json: bool) -> bool:
    """Say what it came to. Whether all of the input was used."""
    if json:
        screen.stream.write(json_text(_record(told)) + "\n")
    else:
        _tell(told, screen)
    return True


def _tell(told: Told, screen: Screen) -> None:
    counts = told.views.counts()
    excluded = counts.get(told.kind.out_of_scope, 0)
    waiting = sum(1 for _ in told.journal.units(states=(told.kind.states.waiting,)))
    parts = [f"{number} {state}" for state, number in counts.items() if state != told.kind.out_of_scope]
    screen.line(
        ("strong", counted(sum(counts.values()) - excluded, told.kind.noun)),
        f": {', '.join(parts)}",
        f"; {excluded} out of scope" if excluded else "",
    )
    _tell_reworked(told, screen)
    for row in told.journal.units(states=(told.kind.states.waiting,), limit=MOST_LISTED):
        tell_waiting_unit(told.kind, told.journal, row, screen)
    tell_more(waiting, screen)
    screen.line(*bill(told.result.outcome.totals))
    for name in told.result.edited_exports:
        screen.line(("warning", "note: "), f"{name} had been edited by hand; it is made anew from the journal.")
    _tell_result(told, screen)


def _tell_reworked(told: Told, screen: Screen) -> None:
    """What failed its review and is mended: why it failed, and the words that were exchanged."""
    number = 0
    for row in told.journal.units(states=(told.kind.states.ready, told.kind.merged)):
        if row.attempts <= ONCE_THROUGH:
            continue
        number += 1
        if number <= MOST_LISTED:
            _tell_mended(told, told.journal.attempts(row.id), row.best_attempt, screen)
    tell_more(number, screen)


def _tell_mended(told: Told, attempts: list[AttemptRecord], stands: int, screen: Screen) -> None:
    failed = next((one for one in attempts if one.cause == "review" and not one.passed), attempts[0])
    best = attempts[stands - 1]
    rules = ", ".join(sorted(blocking_rules(failed)))
    who = "by a person  " if any(one.cause == "person" for one in attempts[:stands]) else ""
    screen.line("  ", ("good", "reworked "), ("strong", best.unit), f"  {who}", ("faint", rules))
    if failed.content is None or best.content is None:
        return
    before, after = (told.kind.from_record(content).texts() for content in (failed.content, best.content))
    for field, text in after.items():
        if before.get(field, "") != text:
            tell_change(field or "text", before.get(field, ""), text, screen)


def _tell_result(told: Told, screen: Screen) -> None:
    stopped = told.result.outcome.stopped
    for proof in told.result.published:
        screen.line(("good", "Published: "), ("path", proof.path))
    if not told.result.published and stopped != "done":
        screen.line(("warning", "Not published: "), WHY_NOT.get(stopped) or str(told.result.outcome.message))
        candidate = told.folder.export("final/candidate.md")
        if candidate.is_file():
            screen.line("As it stands: ", ("path", str(candidate)))
    screen.line("Gate: ", ("path", str(told.folder.export("gate/gate_report.json"))))
    for line in _next_steps(told):
        screen.line(("faint", line))


def _next_steps(told: Told) -> Iterator[str]:
    stopped, run = told.result.outcome.stopped, named(told.folder)
    if stopped == "needs_person":
        if any(True for _ in told.journal.units(states=(told.kind.states.waiting,), limit=1)):
            yield f"Look:    burnish show {run} UNIT"
            yield f"Decide:  burnish decide {run} UNIT accept|edit|reject --by NAME"
        if any(True for _ in told.journal.units(states=(told.kind.states.working,), limit=1)):
            yield f"Rework:  burnish translate --mode rework-only --run-id {run} --model M"
        yield f"Go on:   burnish resume {run}"
    elif stopped == "awaiting_approval":
        yield f"Approve: burnish resume {run} --approve"
    elif stopped in ("limit", "model_away"):
        yield f"Go on:   burnish resume {run}"


def _record(told: Told) -> dict[str, Any]:
    """The end of a run for programs."""
    outcome = told.result.outcome
    return {
        "run_id": told.folder.id,
        "stopped": outcome.stopped,
        "message": outcome.message,
        "states": told.views.counts(),
        "blockers": [
            {"unit": row.id, "state": row.state, "reason": row.reason} for row in blockers(told.journal, told.kind)
        ],
        "published": [proof.path for proof in told.result.published],
        "gate_report": str(told.folder.export("gate/gate_report.json")),
        "receipt": str(told.folder.receipt),
        "totals": totals_record(outcome.totals),
        "edited_exports": list(told.result.edited_exports),
    }
