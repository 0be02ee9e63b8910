"""What a run over a course came to, for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from burnish.app.legos.delivery import skipped_seeds
from burnish.app.reports.reasons import reason_of
from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.endings import MOST_LISTED, bill, last_attempt, named, tell_more, tell_waiting_unit
from burnish.cli.staged import Told
from burnish.core.records import UnitRow
from burnish.engine.exporting import totals_record
from burnish.kinds.legos.policy import ACCEPTED, SETTLED, WAITING, WRITTEN
from burnish.store.journal import Journal

MOST_REASONS = 3


def tell_course(told: Told, screen: Screen, *, json: bool) -> bool:
    """Say what it came to. Whether all records of the course were used."""
    if json:
        screen.stream.write(json_text(_extraction_record(told)) + "\n")
    else:
        _tell_extraction(told, screen)
    return not _troubles(told.journal)


def _tell_extraction(told: Told, screen: Screen) -> None:
    counts = told.views.counts()
    accepted, waiting, before = _count(counts, ACCEPTED, WRITTEN), _count(counts, WAITING), _count(counts, SETTLED)
    left = sum(counts.values()) - accepted - waiting - before
    screen.line(
        ("strong", counted(sum(counts.values()), "SEED")),
        f": {accepted} accepted",
        f", {waiting} for a person" if waiting else "",
        f", {left} not finished" if left else "",
        f", {before} accepted before" if before else "",
    )
    for row in told.journal.units(states=(WAITING,), limit=MOST_LISTED):
        tell_waiting_unit(told.kind, told.journal, row, screen)
        _tell_reasons(told, row, screen)
    tell_more(waiting, screen)
    _tell_troubles(told, screen)
    _tell_quality(told, screen)
    screen.line(*bill(told.result.outcome.totals))
    screen.line(("good", "Course: "), ("path", str(_folder(told))))
    for line in _next_steps(told, waiting):
        screen.line(("faint", line))


def _tell_reasons(told: Told, row: UnitRow, screen: Screen) -> None:
    """What about a SEED a person should look at, besides the reason for which it waits."""
    last = last_attempt(told.journal, row)
    measured = last.checked.get("measured", {}) if last is not None else {}
    reasons = [said for said in measured.get("reasons", ()) if said != reason_of(told.kind, row)]
    if reasons:
        screen.paragraph(" ".join(reasons[:MOST_REASONS]), indent=" " * 11)


def _count(counts: dict[str, int], *states: str) -> int:
    return sum(counts.get(state, 0) for state in states)


def _folder(told: Told) -> Path:
    return Path(told.plan.arguments["course"]["folder"])


def _troubles(journal: Journal) -> dict[str, str]:
    """Records that were left out, and SEEDs that were not written because somebody changed their records: why."""
    left_out = {str(one.data["unit"]): str(one.data["message"]) for one in journal.events(types=("input_problem",))}
    return {**left_out, **skipped_seeds(journal)}


def _tell_troubles(told: Told, screen: Screen) -> None:
    troubles = _troubles(told.journal)
    for name, why in islice(troubles.items(), MOST_LISTED):
        screen.line("  ", ("warning", "left     "), ("strong", name), "  ", why)
    tell_more(len(troubles), screen)


def _tell_quality(told: Told, screen: Screen) -> None:
    report = _report(told)
    summary = report["quality_summary"] if report is not None else {}
    if summary.get("average_quality_score") is None:
        return  # nothing was reviewed yet
    screen.line(
        "Mean score ",
        ("strong", f"{summary['average_quality_score']:.2f}"),
        f" of 10, {summary['average_attempts_per_seed']:.2f} attempts a SEED",
    )


def _report(told: Told) -> dict[str, Any] | None:
    path = _folder(told) / "quality_reports" / "quality_report.json"
    return dict(orjson.loads(path.read_bytes())) if path.is_file() else None


def _next_steps(told: Told, waiting: int) -> Iterator[str]:
    run, stopped = named(told.folder), told.result.outcome.stopped
    if stopped in ("limit", "model_away"):
        yield f"Stopped: {told.result.outcome.message}"
        more = ", with a higher --max-tokens, --max-cost or --max-seconds" if stopped == "limit" else ""
        yield f"Go on:   burnish resume {run}{more}"
        return
    store = " --store sqlite" if told.plan.arguments["course"]["store"] == "sqlite" else ""
    yield f"Report:  burnish legos report {_folder(told)}{store}"
    if waiting:
        yield f"Look:    burnish show {run} SEED"
        yield f"Decide:  burnish decide {run} SEED accept|edit|reject --by NAME"
        yield f"Go on:   burnish resume {run}"


def _extraction_record(told: Told) -> dict[str, Any]:
    """The end of a run for programs."""
    outcome = told.result.outcome
    return {
        "run_id": told.folder.id,
        "stopped": outcome.stopped,
        "message": outcome.message,
        "states": told.views.counts(),
        "needs_person": [{"seed": row.id, "reason": row.reason} for row in told.journal.units(states=(WAITING,))],
        "left_out": [{"record": name, "message": why} for name, why in _troubles(told.journal).items()],
        "course": str(_folder(told)),
        "quality_report": _report(told),
        "receipt": str(told.folder.receipt),
        "totals": totals_record(outcome.totals),
        "edited_exports": list(told.result.edited_exports),
    }
