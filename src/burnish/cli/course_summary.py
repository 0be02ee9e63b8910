"""The summary of a run over a course, for a terminal and for programs; and how an evolution is run to its end."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from burnish.app.course_delivery import skipped_seeds
from burnish.app.course_evolution import EvolutionOrder, Evolved, evolve_run, recorded_evolution, refuse_other_terms
from burnish.app.course_text import evolved_record, print_evolved
from burnish.app.labels import counted, reason_of
from burnish.app.run_sessions import resources_of, with_recorded_arguments
from burnish.app.settings import Loaded
from burnish.app.terminal import Screen, json_text
from burnish.cli.execution import Meter, bill, named, print_bill
from burnish.cli.group import UNCHANGED
from burnish.cli.options import Output
from burnish.cli.summary import EXIT_CODES, MOST_LISTED, FinishedRun, last_attempt, listed, print_waiting_unit
from burnish.core.errors import UsageError
from burnish.core.json_bytes import loads
from burnish.core.records import Totals
from burnish.engine.exports import totals_record
from burnish.engine.plan import Plan
from burnish.engine.runner import RunResources
from burnish.engine.session import STOPPED_SHORT
from burnish.kinds.legos.evolution.subject import Subject
from burnish.kinds.legos.evolution.trials import Settled
from burnish.kinds.legos.policy import ACCEPTED, SETTLED, WAITING, WRITTEN
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

MOST_REASONS = 3


def print_course(run: FinishedRun, screen: Screen, *, json: bool) -> bool:
    """Print the result. Whether all records of the course were used."""
    if json:
        screen.stream.write(json_text(_extraction_record(run)) + "\n")
    else:
        print_course_results(run, screen)
        screen.line(("good", "Course: "), ("path", str(_folder(run))))
        for line in _next_steps(run, run.journal.counts().get(WAITING, 0)):
            screen.line(("faint", line))
    return not _left_out(run.journal)


def print_course_results(run: FinishedRun, screen: Screen) -> None:
    """Print how many SEEDs are accepted, what waits for a person, the mean score and the cost."""
    counts = run.counts()
    accepted, waiting, earlier = _count(counts, ACCEPTED, WRITTEN), _count(counts, WAITING), _count(counts, SETTLED)
    unfinished = sum(counts.values()) - accepted - waiting - earlier
    screen.line(
        ("strong", counted(sum(counts.values()), "SEED")),
        f": {accepted} accepted",
        f", {waiting} for a person" if waiting else "",
        f", {unfinished} not finished" if unfinished else "",
        f", {earlier} accepted before" if earlier else "",
    )
    for row in listed(run.journal.units(states=(WAITING,), limit=MOST_LISTED), screen, waiting):
        print_waiting_unit(run.kind, run.journal, row, screen)
        last = last_attempt(run.journal, row)
        measured = last.checked.get("measured", {}) if last is not None else {}
        reasons = [text for text in measured.get("reasons", ()) if text != reason_of(run.kind, row)]
        if reasons:
            screen.paragraph(" ".join(reasons[:MOST_REASONS]), indent=" " * 11)
    for name, why in listed(_left_out(run.journal).items(), screen):
        screen.line("  ", ("warning", "left     "), ("strong", name), "  ", why)
    _print_quality(run, screen)
    print_bill(run.journal, screen)


def _count(counts: dict[str, int], *states: str) -> int:
    return sum(counts.get(state, 0) for state in states)


def _folder(run: FinishedRun) -> Path:
    return Path(run.plan.arguments["course"]["folder"])


def _left_out(journal: Journal) -> dict[str, str]:
    """Record or SEED -> why it was left out, or not written, such as a record that was changed by hand."""
    left_out = {str(one.data["unit"]): str(one.data["message"]) for one in journal.events(types=("input_problem",))}
    return {**left_out, **skipped_seeds(journal)}


def _print_quality(run: FinishedRun, screen: Screen) -> None:
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
    return dict(loads(path.read_bytes())) if path.is_file() else None


def _next_steps(run: FinishedRun, waiting: int) -> Iterator[str]:
    name, stopped = named(run.folder), run.result.outcome.stopped
    if stopped in STOPPED_SHORT:
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
    """The result of a run as JSON."""
    outcome = run.result.outcome
    return {
        "run_id": run.folder.id,
        "stopped": outcome.stopped,
        "message": outcome.message,
        "states": run.counts(),
        "needs_person": [{"seed": row.id, "reason": row.reason} for row in run.journal.units(states=(WAITING,))],
        "left_out": [{"record": name, "message": why} for name, why in _left_out(run.journal).items()],
        "course": str(_folder(run)),
        "quality_report": _report(run),
        "receipt": str(run.folder.receipt),
        "totals": totals_record(outcome.totals),
        "edited_exports": list(run.result.edited_exports),
    }


def resume_evolution(run: RunFolder, loaded: Loaded, output: Output) -> int:
    """Resume an evolution, for `burnish resume`. Its terms, such as the model that cuts, cannot change."""
    known = recorded_evolution(run)
    if known is None:
        raise UsageError(f"The run {run.id} was stopped before it had a plan.", hint="Start it again.")
    plan, subject = known
    refuse_other_terms(plan, EvolutionOrder(Path(plan.arguments["path"]), run.id), loaded)
    resources = resources_of(with_recorded_arguments(run, loaded), plan.models)
    evolved = evolve_to_end(run, plan, subject, resources)
    return print_evolution_end(run, plan, subject, evolved, output)


class Bar(Meter):
    """An EvolutionWatcher that shows progress on stderr."""

    def started(self, answers: int) -> None:
        self.begin(answers, "Trying rules", "answer")

    def answered(self, totals: Totals) -> None:
        self.advance(1, totals)

    def settled(self, settled: Settled) -> None:
        """Results are printed together at the end."""


def evolve_to_end(run: RunFolder, plan: Plan, subject: Subject, resources: RunResources) -> Evolved:
    """Run an evolution to its end. Ctrl-C and SIGTERM stop it: answers are recorded, the lock is released."""
    watcher = Bar()
    try:
        return asyncio.run(evolve_run(run, plan, subject, resources, watcher))
    except (asyncio.CancelledError, KeyboardInterrupt):
        begun = run.journal.is_file()
        raise KeyboardInterrupt(f"Continue with: {_resume_command(run, plan)}" if begun else UNCHANGED) from None
    finally:
        watcher.close()


def _resume_command(run: RunFolder, plan: Plan) -> str:
    return f"burnish legos evolve {shlex.quote(plan.arguments['path'])} --run-id {named(run)}"


def print_evolution_end(run: RunFolder, plan: Plan, subject: Subject, evolved: Evolved, output: Output) -> int:
    """Print the result of an evolution. The exit code."""
    if output.json:
        output.write(evolved_record(plan, subject, evolved))
    else:
        screen = output.screen
        print_evolved(subject, evolved, screen)
        screen.line(*bill(evolved.totals), " At batch price." if plan.arguments.get("batch") else "")
        if evolved.message is not None:
            screen.line(("warning", "Stopped: "), evolved.message)
            higher = ", with a higher --max-tokens, --max-cost or --max-seconds" * (evolved.stopped == "limit")
            screen.line(("faint", "  hint: "), f"Continue with: {_resume_command(run, plan)}{higher}")
    return EXIT_CODES[evolved.stopped]
