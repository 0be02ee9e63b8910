"""`burnish runs`, `status`, `report` and `export`: look at runs, and write their files again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Annotated

import typer

from burnish.app.labels import counted, minute, state_words
from burnish.app.materials import kind_for_publishing
from burnish.app.run_index import RunIndex
from burnish.app.run_report import run_report, show_report
from burnish.app.run_sessions import session_of
from burnish.app.runs import RunLine, View, counts_of, run_lines, view
from burnish.app.settings import redactor_of
from burnish.app.terminal import Screen
from burnish.cli.execution import print_bill, problem_text
from burnish.cli.options import Output, RunFolderOption, RunName
from burnish.cli.summary import (
    MOST_LISTED,
    blocking_rule_ids,
    print_document_ends,
    print_doubts,
    print_more,
    print_waiting_unit,
)
from burnish.core.errors import UsageError
from burnish.engine.doubts import doubts_of
from burnish.engine.exports import totals_record
from burnish.engine.plan import plan_of_run
from burnish.engine.publish import blockers, unreadable
from burnish.engine.runner import RunResources
from burnish.engine.session import RunEnd
from burnish.store.inbox import InboxEntry
from burnish.store.paths import existing_run, operator_path
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run


def runs(folder: RunFolderOption, output: Output) -> int:
    """List the runs with their kind, state, progress and cost."""
    screen = output.screen
    lines = list(run_lines(folder.path))
    if output.json:
        shown = [asdict(line) if isinstance(line, RunLine) else {"id": line[0], "error": line[1]} for line in lines]
        output.write({"runs": shown})
        return 0
    if not lines:
        screen.line(f"No runs in {folder.path}. `burnish polish PATH` starts one.")
    for line in lines:
        _print_run_line(line, screen)
    return 0


def _print_run_line(line: RunLine | tuple[str, str], screen: Screen) -> None:
    if not isinstance(line, RunLine):
        screen.line(("strong", line[0]), "  ", ("error", line[1]))
        return
    waiting = f", {line.waiting} for a person" if line.waiting else ""
    accepted = counted(line.trials, "trial") if line.task else f"{line.ready} of {line.requested} accepted"
    cost = f", {line.totals.usage.total_tokens:,} tokens" if line.totals.calls else ""
    screen.line(
        ("strong", line.id),
        f"  {line.kind} {line.task}".rstrip() + "  ",
        ("good" if line.state == "published" else "warning", state_words(line.state)),
        f"  {accepted}{waiting}{cost}  ",
        ("faint", minute(line.started_at)),
    )


def status(run: RunName, runs: RunFolderOption, output: Output) -> int:
    """Show the number of units in each state, and everything that keeps the run from being published.

    These are parts of the input that cannot be used, units that wait for a person, with the reason, and units that
    are not finished. Decisions that were made while the run was active are listed, too.
    """
    with view(runs.path, run) as opened:
        if output.json:
            output.write(_status_record(opened))
        else:
            _print_status(opened, output.screen)
    return 0


def _status_record(run: View) -> dict[str, object]:
    return {
        "run_id": run.folder.id,
        "kind": run.plan.kind,
        "state": run.state,
        "states": counts_of(run),
        "inbox": [_saved_decision(entry) for entry in run.journal.inbox("waiting", "failed")],
        "blockers": list(_blockers(run)),
        "open_claims": doubts_of(run.journal, run.kind).as_record(),
        "totals": totals_record(run.totals()),
    }


def _blockers(run: View) -> Iterator[dict[str, object]]:
    for part in unreadable(run.journal):
        place = {"document": part.data["document"], "line": part.data["line"], "message": part.data["message"]}
        yield {"unit": None, "state": None, "reason": "unreadable_input", "rules": [], **place}
    for row in blockers(run.journal, run.kind):
        rules = blocking_rule_ids(run.journal, row)
        place = {"document": row.document, "line": None, "message": None}
        yield {"unit": row.id, "state": row.state, "reason": row.reason, "rules": rules, **place}


def _saved_decision(entry: InboxEntry) -> dict[str, object]:
    """A decision that is not applied yet, or could not be."""
    decision = {"unit": entry.unit, "verdict": entry.verdict, "by": entry.by, "note": entry.note, "at": entry.at}
    return {**decision, "failed": entry.why, "delayed": entry.delay}


def _print_saved_decisions(run: View, screen: Screen) -> None:
    """Print the decisions that were made while the run was active."""
    entries = run.journal.inbox("waiting", "failed")
    waiting = sum(entry.waits for entry in entries)
    if waiting:
        saved = f"{counted(waiting, 'decision')} saved: applied when the run pauses, or by the next `resume`."
        screen.line("  ", ("info", "inbox    "), saved)
    for entry in entries:
        if entry.why is not None or entry.delay is not None:
            yet = "" if entry.why is not None else " yet"
            text = f"  {entry.verdict} by {entry.by} could not be applied{yet}: {entry.why or entry.delay}"
            screen.line("  ", ("warning", "inbox    "), ("strong", entry.unit), text)


def _print_status(run: View, screen: Screen) -> None:
    screen.line(("strong", run.folder.id), f"  {run.plan.kind} {run.plan.task}".rstrip(), f"  {state_words(run.state)}")
    for document in run.plan.documents:
        screen.line("  ", ("path", document.path))
    for state, count in counts_of(run).items():
        screen.line(f"  {count:>8,}  {state_words(state)}")
    waiting = run.journal.counts().get(run.kind.states.waiting, 0)
    print_document_ends(run.kind, run.journal, screen, waiting=waiting)
    doubts = doubts_of(run.journal, run.kind)
    if doubts.units:
        screen.line(f"  {doubts.units:>8,}  accepted with open findings")
    print_doubts(doubts, run.kind, run.journal, screen)
    _print_saved_decisions(run, screen)
    for part in unreadable(run.journal):
        screen.line("  ", ("error", "input    "), problem_text(part))
    open = 0
    for row in blockers(run.journal, run.kind):
        if row.state == run.kind.states.waiting:
            print_waiting_unit(run.kind, run.journal, row, screen)
            continue
        open += 1
        if open <= MOST_LISTED:
            screen.line("  ", ("info", "open     "), ("strong", row.id), f"  {state_words(row.state)}")
    print_more(open, screen)
    for trial in run.journal.events(types=("trial_settled",)):
        screen.line(f"  {trial.data['decision']:>10}  ", trial.data["text"])
    print_bill(run.journal, screen, run.totals())


def report(
    run: RunName,
    runs: RunFolderOption,
    output: Output,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write one self-contained page: no scripts, no outside resources."),
    ] = None,
) -> int:
    """Summarise a run: progress, blockers, findings by rule, scores, tokens and cost, decisions, and how often people
    agreed with each rule and judge.

    The page adds charts and every unit that waits or was changed, with the changes; of a long run it shows the first
    ones and says how many more there are. Nothing in the run is changed.
    """
    screen = output.screen
    with closing(RunIndex(runs.path)) as index:
        opened = index.open(run)
        if html is not None:
            # Templates are loaded only if a page is requested.
            from burnish.web.pages.report import write_report

            written = write_report(opened, index.precision(), operator_path(html))
            if not output.json:
                screen.line("Report: ", ("path", str(written)))
        if output.json:
            output.write(run_report(opened, index.precision()).model_dump(mode="json"))
        elif html is None:
            show_report(screen, run_report(opened, index.precision()))
    return 0


def export(run: RunName, runs: RunFolderOption, output: Output) -> int:
    """Write the manifest, receipt, report, the kind's own files and the candidates again; publish if nothing blocks.

    Exports are made from the journal and never read. A file that was edited by hand is named and replaced.
    """
    folder = existing_run(runs.path, run)
    redactor = redactor_of(runs.settings)
    with own_run(folder, system_clock, redactor=redactor) as owned:
        plan = plan_of_run(owned.journal, run)
        if plan.task:
            raise UsageError(
                f"The run {run} holds no document to export: what it learnt is in {plan.arguments['path']}.",
                hint="`burnish legos report DIR` shows it.",
            )
        kind = kind_for_publishing(plan)
        stops = [str(stop.data["reason"]) for stop in owned.journal.events(types=("run_stopped",))]
        outcome = RunEnd(owned.journal.counts(), owned.journal.totals(), stops[-1] if stops else "interrupted")
        result = session_of(folder, owned.journal, plan, kind, RunResources(redactor=redactor)).write_out(outcome)
    screen = output.screen
    if output.json:
        record = {
            "run_id": run,
            "folder": str(folder.root),
            "published": [proof.path for proof in result.published],
            "candidates": [proof.path for proof in result.candidates],
            "edited_by_hand": list(result.edited_exports),
        }
        output.write(record)
        return 0
    for name in result.edited_exports:
        screen.line(("warning", "edited by hand, replaced: "), name)
    for proof in result.published or result.candidates:
        screen.line(("good", "published: ") if result.published else ("faint", "candidate: "), ("path", proof.path))
    screen.line("exports: ", ("path", str(folder.root)))
    return 0
