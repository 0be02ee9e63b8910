"""What a run over a course came to, for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from burnish.app.labels import counted, reason_of
from burnish.app.legos.delivery import skipped_seeds
from burnish.app.terminal import Screen, json_text
from burnish.cli.summary import (
    MOST_LISTED,
    FinishedRun,
    last_attempt,
    named,
    print_bill,
    print_more,
    print_waiting_unit,
)
from burnish.core.records import UnitRow
from burnish.engine.exports import totals_record
from burnish.kinds.legos.policy import ACCEPTED, SETTLED, WAITING, WRITTEN
from burnish.store.journal import Journal

MOST_REASONS = 3


def print_course(run: FinishedRun, screen: Screen, *, json: bool) -> bool:
    """Say what it came to. Whether all records of the course were used."""
    if json:
        screen.stream.write(json_text(_extraction_record(run)) + "\n")
    else:
        print_course_results(run, screen)
        screen.line(("good", "Course: "), ("path", str(_folder(run))))
        for line in _next_steps(run, run.journal.counts().get(WAITING, 0)):
            screen.line(("faint", line))
    return not _troubles(run.journal)


def print_course_results(run: FinishedRun, screen: Screen) -> None:
    """Print how many SEEDs are accepted, what waits for a person, the mean score and the cost."""
    counts = run.counts()
    accepted, waiting, before = _count(counts, ACCEPTED, WRITTEN), _count(counts, WAITING), _count(counts, SETTLED)
    left = sum(counts.values()) - accepted - waiting - before
    screen.line(
        ("strong", counted(sum(counts.values()), "SEED")),
        f": {accepted} accepted",
        f", {waiting} for a person" if waiting else "",
        f", {left} not finished" if left else "",
        f", {before} accepted before" if before else "",
    )
    for row in run.journal.units(states=(WAITING,), limit=MOST_LISTED):
        print_waiting_unit(run.kind, run.journal, row, screen)
        _tell_reasons(run, row, screen)
    print_more(waiting, screen)
    _tell_troubles(run, screen)
    _tell_quality(run, screen)
    print_bill(run.journal, screen)


def _tell_reasons(run: FinishedRun, row: UnitRow, screen: Screen) -> None:
    """What about a SEED a person should look at, besides the reason for which it waits."""
    last = last_attempt(run.journal, row)
    measured = last.checked.get("measured", {}) if last is not None else {}
    reasons = [said for said in measured.get("reasons", ()) if said != reason_of(run.kind, row)]
    if reasons:
        screen.paragraph(" ".join(reasons[:MOST_REASONS]), indent=" " * 11)


def _count(counts: dict[str, int], *states: str) -> int:
    return sum(counts.get(state, 0) for state in states)


def _folder(run: FinishedRun) -> Path:
    return Path(run.plan.arguments["course"]["folder"])


def _troubles(journal: Journal) -> dict[str, str]:
    """Records that were left out, and SEEDs that were not written because somebody changed their records: why."""
    left_out = {str(one.data["unit"]): str(one.data["message"]) for one in journal.events(types=("input_problem",))}
    return {**left_out, **skipped_seeds(journal)}


def _tell_troubles(run: FinishedRun, screen: Screen) -> None:
    troubles = _troubles(run.journal)
    for name, why in islice(troubles.items(), MOST_LISTED):
        screen.line("  ", ("warning", "left     "), ("strong", name), "  ", why)
    print_more(len(troubles), screen)


def _tell_quality(run: FinishedRun, screen: Screen) -> None:
    report = _report(run)
    summary = report["quality_summary"] if report is not None else {}
    if summary.get("average_quality_score") is None:
        return  # nothing was reviewed yet
    screen.line(
        "Mean score ",
        ("strong", f"{summary['average_quality_score']:.2f}"),
        f" of 10, {summary['average_attempts_per_seed']:.2f} attempts a SEED",
    )


def _report(run: FinishedRun) -> dict[str, Any] | None:
    path = _folder(run) / "quality_reports" / "quality_report.json"
    return dict(orjson.loads(path.read_bytes())) if path.is_file() else None


def _next_steps(run: FinishedRun, waiting: int) -> Iterator[str]:
    name, stopped = named(run.folder), run.result.outcome.stopped
    if stopped in ("limit", "model_away"):
        yield f"Stopped: {run.result.outcome.message}"
        more = ", with a higher --max-tokens, --max-cost or --max-seconds" if stopped == "limit" else ""
        yield f"Resume:  burnish resume {name}{more}"
        return
    store = " --store sqlite" if run.plan.arguments["course"]["store"] == "sqlite" else ""
    yield f"Report:  burnish legos report {_folder(run)}{store}"
    if waiting:
        yield f"Show:    burnish show {name} SEED"
        yield f"Decide:  burnish decide {name} SEED accept|edit|reject --by NAME"
        yield f"Resume:  burnish resume {name}"


def _extraction_record(run: FinishedRun) -> dict[str, Any]:
    """The end of a run for programs."""
    outcome = run.result.outcome
    return {
        "run_id": run.folder.id,
        "stopped": outcome.stopped,
        "message": outcome.message,
        "states": run.counts(),
        "needs_person": [{"seed": row.id, "reason": row.reason} for row in run.journal.units(states=(WAITING,))],
        "left_out": [{"record": name, "message": why} for name, why in _troubles(run.journal).items()],
        "course": str(_folder(run)),
        "quality_report": _report(run),
        "receipt": str(run.folder.receipt),
        "totals": totals_record(outcome.totals),
        "edited_exports": list(run.result.edited_exports),
    }
