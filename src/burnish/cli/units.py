"""`burnish show`, `burnish decide` and `burnish reopen`: the history of a run or a unit, and a person's decisions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

import typer

from burnish.app.check_summary import unusable_text
from burnish.app.labels import (
    ACTIONS,
    DROPPED,
    DecisionResult,
    cause_of,
    counted,
    failure_of,
    minute,
    reason_of,
    rule_name,
    state_words,
)
from burnish.app.reviews import GRACE, ReviewService, Step
from burnish.app.runs import View, decision_history, dropped, dropped_claims, ignored, replies_of, unit_record, view
from burnish.app.terminal import Role, Screen
from burnish.cli.execution import named
from burnish.cli.options import Output, RunFolderOption, RunName, TextOutput
from burnish.core.attempts import findings_of, withdrawn_in
from burnish.core.claims import is_of_rule
from burnish.core.errors import InputError, UsageError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord
from burnish.engine.check import UNKNOWN_LANGUAGE
from burnish.engine.exports import step_diff, unit_diff
from burnish.engine.publish import unreadable
from burnish.store.lock import live_holder
from burnish.store.paths import nearest_path, operator_path
from burnish.store.processes import system_clock

DIFF_ROLES: dict[str, Role] = {"+": "added", "-": "removed", "@": "hunk"}


def show(
    run: RunName,
    runs: RunFolderOption,
    output: Output,
    unit: Annotated[
        str | None, typer.Argument(metavar="[UNIT]", help="One unit. Default: every unit with a history.")
    ] = None,
    replies: Annotated[bool, typer.Option("--replies", help="Show the models' raw replies, too.")] = False,
) -> int:
    """Show the attempts, scores, findings and diffs of one unit; without UNIT, a line for every unit worked on."""
    with view(runs.path, run) as opened:
        if unit is None:
            _show_run(opened, output)
        elif output.json:
            output.write(unit_record(opened, opened.story(unit), replies=replies))
        else:
            _show_unit(opened, opened.story(unit), output.screen, replies=replies)
    return 0


def _show_run(run: View, output: Output) -> None:
    rows = [row for row in run.journal.units() if row.attempts > 1 or row.state != run.kind.states.ready]
    if output.json:
        listed = [{"unit": r.id, "state": r.state, "reason": r.reason, "attempts": r.attempts} for r in rows]
        output.write({"run_id": run.folder.id, "units": listed})
        return
    screen = output.screen
    if not rows:
        screen.line("The run has no units." if run.plan.task else "No unit needed a change.")
    for row in rows:
        screen.line(
            ("strong", row.id),
            f"  {state_words(row.state)}  {reason_of(run.kind, row)}",
            ("faint", f"  {counted(row.attempts, 'attempt')}"),
        )


def _show_unit(run: View, story: UnitStory, screen: Screen, *, replies: bool) -> None:
    row = story.row
    screen.line(("strong", row.id), f"  {state_words(row.state)}  {reason_of(run.kind, row)}")
    changes = list(run.journal.events(unit=row.id, types=("state_changed",)))
    if changes and changes[-1].data.get("message"):
        screen.line("  ", ("warning", changes[-1].data["message"]))
    screen.line("  ", ("faint", "Original:"))
    for line in run.kind.shown(story.source).splitlines():
        screen.line("  ", line)
    for attempt in story.attempts:
        _show_attempt(run, story, attempt, screen)
        if replies:
            for reply in replies_of(run, attempt):
                screen.line("    ", ("faint", f"{reply['role']} {reply['model']}: "), str(reply["raw"]))
    for each in dropped_claims(run, row.id):
        issue, reason = each.data["issue"], str(each.data["reason"])
        text = f"{issue['description']}  ({each.data['source']})"
        screen.line("")
        screen.paragraph(text, indent="  ", first=(("faint", f"not counted, {DROPPED.get(reason, reason)}: "),))
    for decision in decision_history(run, story):
        note = f": {decision['note']}" if decision.get("note") else ""
        who = f"{decision['verdict']} by {decision['by']}"
        screen.line("")
        screen.line(("strong", who), note, ("faint", f"  {minute(decision['at'])}"))
        if "undone_by" in decision:
            undone = f"undone by {decision['undone_by']}"
            screen.line("  ", ("warning", undone), ("faint", f"  {minute(decision['undone_at'])}"))


def _show_attempt(run: View, story: UnitStory, attempt: AttemptRecord, screen: Screen) -> None:
    best = "  (best)" if attempt.number == story.row.best_attempt else ""
    withdrawn = "  (undone)" if attempt.number in withdrawn_in(story.decisions) else ""
    screen.line("")
    cause = f"  {cause_of(run.kind, attempt)}"
    screen.line(("strong", f"Attempt {attempt.number}"), cause, ("good", best), ("warning", withdrawn))
    figures = [f"{name} {value:.2f}" for name, value in attempt.scores.items()]
    figures += [f"{attempt.usage.total_tokens:,} tokens"] if attempt.usage.total_tokens else []
    parts = (_verdict(run, attempt), ", ".join(figures), minute(attempt.at))
    screen.line("  ", ("faint", "; ".join(part for part in parts if part)))
    _show_repair(attempt, screen)
    if attempt.failure:
        screen.line("  ", ("warning", "not used: "), failure_of(run.kind, attempt.failure))
    for finding in findings_of(attempt):
        _show_finding(finding, run.kind, screen)
    for each in dropped(run, attempt):
        _show_dropped(each, screen)
    for finding in ignored(attempt):
        screen.line("  ", ("faint", f"ignored by the author: {rule_name(run.kind, finding.rule)}: {finding.message}"))
    skipped = list(attempt.checked.get("skipped", ()))
    if skipped:
        language = attempt.checked.get("language") or UNKNOWN_LANGUAGE
        screen.line("  ", ("faint", f"{counted(len(skipped), 'rule')} cannot judge the language {language!r}"))
    # An attempt with the same text as an earlier one was only reviewed again: its diff is shown already.
    is_repeated = any(one.content_hash == attempt.content_hash for one in story.attempts[: attempt.number - 1])
    if attempt.cause != "source" and not is_repeated:
        for line in _changes(run, story, attempt):
            screen.line("    ", (DIFF_ROLES.get(line[:1], "plain"), line))


def _changes(run: View, story: UnitStory, attempt: AttemptRecord) -> list[str]:
    """The diff of an attempt from the original, or from the previous draft if each is made from the last."""
    if not run.kind.is_phased:
        return unit_diff(run.kind, story, attempt).splitlines()[2:]
    return [line for line in step_diff(run.kind, story, attempt).splitlines()[2:] if line[0] in "+-" and line[1:]]


def _verdict(run: View, attempt: AttemptRecord) -> str:
    """Whether an attempt passed; empty for the drafts of units that are reviewed in a later stage."""
    if run.kind.is_phased and attempt.cause not in ("review", "person"):
        return ""
    return "passed" if attempt.passed else "did not pass"


def _show_repair(attempt: AttemptRecord, screen: Screen) -> None:
    """Print the issues that a repair of a lesson was for, and the judge's verdict on it."""
    proof = attempt.receipt or {}
    if "action" not in proof:
        return
    screen.line("  ", ACTIONS.get(proof["action"], str(proof["action"])))
    issues = [issue["description"] for issue in proof.get("issues", ())]
    issues += [finding["message"] for finding in proof.get("findings", ())]
    for text in (*issues, *proof.get("wrong", ())):
        screen.paragraph(text, indent="         ", first=("  ", ("faint", "because: ")))
    judged = (proof.get("verification") or {}).get("delta_judge")
    if judged is not None:
        verdict = "settled" if judged["passed"] else "not settled"
        text = f"{verdict}, confidence {judged['confidence']}: {judged['reasoning']}"
        screen.paragraph(text, indent="         ", first=("  ", ("faint", "compared: ")))


def _show_finding(finding: Finding, kind: Kind, screen: Screen) -> None:
    text = f" {finding.field or kind.noun}: {finding.message}"
    by = "" if finding.source == "rule" else f"  ({finding.source})"
    name = rule_name(kind, finding.rule)
    # A claim of a rule can be dismissed by its id.
    claim = f", {finding.standing or 'claim'} {finding.claim}" if is_of_rule(finding) else ""
    screen.line("  ", (finding.severity, finding.severity), text, ("faint", f"  {name}{by}{claim}"))


def _show_dropped(event: EventRecord, screen: Screen) -> None:
    finding, reason = event.data["finding"], str(event.data["reason"])
    place = f"{finding['field']}: " if finding["field"] else ""
    by = f"  {finding['rule']}  ({event.data['source']})"
    screen.line("  ", ("faint", f"not counted, {DROPPED.get(reason, reason)}: {place}{finding['message']}{by}"))


LONGEST_TEXT = 1_000_000
BELOW = "scores below the threshold. Use `accept` if the text is right."
SAVED = f"Saved; applied when the run pauses, in {GRACE.seconds} s at the earliest. --now does not wait for that."
SAVED_NOW = "Saved; applied at the next pause of the run."


def decide(
    run: RunName,
    runs: RunFolderOption,
    output: TextOutput,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")],
    decision: Annotated[
        Literal["accept", "edit", "reject", "drop", "undo"],
        typer.Argument(
            help="accept: keep it; edit: accept an edited text; reject: send it back; drop: leave it out; "
            "undo: undo the decision."
        ),
    ],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who decides. It is recorded.")],
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason; required for `reject` (what to improve) and `drop`.")
    ] = None,
    text_file: Annotated[
        str | None,
        typer.Option(metavar="F", help="The edited unit: its text, or for a question the changed fields as JSON."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="UNIT", help="Another unit with the same decision. Repeatable; not for `edit`."),
    ] = None,
    now: Annotated[
        bool,
        typer.Option("--now", help="While a process works on the run: apply it at its next pause, without waiting."),
    ] = False,
) -> int:
    """Record a person's decision. `burnish resume RUN` continues from it, and publishes when nothing is left to decide.

    While a process works on the run, the decision is saved, and that process applies it between two tasks, 30 seconds
    later at the earliest. `undo` reverses a decision until the run works with it: the unit returns to its earlier
    state, and the journal keeps both.

    Exit code 0: the unit is decided, sent back, or restored. 1: the edited text still breaks rules, so the unit still
    waits.
    """
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides with --by NAME.")
    if also and decision == "edit":
        raise UsageError("An edited text belongs to one unit.", hint="Leave --also out, and edit one unit at a time.")
    if decision == "undo" and (note is not None or text_file is not None):
        raise UsageError("`undo` takes neither a note nor a text.", hint="Undo first, then decide again.")
    reviews = ReviewService(runs.path, runs.settings, is_thorough=True)
    text = _text(text_file)
    units = list(dict.fromkeys((unit, *(also or ()))))
    with _with_path(text_file):
        if decision == "undo":
            steps = [Step(each, "undo") for each in units]
        else:
            steps = [Step(row.id, decision, row.at, note, text) for row in reviews.rows(run, units)]
        results = reviews.decide(run, steps, by=by, now=now)
    with view(runs.path, run) as found:
        return print_decisions(found, results, output.screen, now=now)


def reopen(
    run: RunName,
    runs: RunFolderOption,
    output: TextOutput,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who reopens it. It is recorded.")],
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Why. It is recorded.")] = None,
    also: Annotated[
        list[str] | None, typer.Option(metavar="UNIT", help="Another unit to reopen with it. Repeatable.")
    ] = None,
) -> int:
    """Put an accepted unit back before a person, also after the run was published. Then `burnish decide` it.

    Once nothing waits any more, `burnish resume RUN` publishes the next version with a receipt of its own. What was
    published before stays in the run's folder, under versions/, with its receipt. `burnish decide RUN UNIT undo` takes
    the reopening back.

    Exit code 0: the unit waits for a person. 2: it was not accepted, or its kind publishes only once.
    """
    units = list(dict.fromkeys((unit, *(also or ()))))
    steps = [Step(each, "reopen", note=note) for each in units]
    results = ReviewService(runs.path, runs.settings).decide(run, steps, by=by)
    with view(runs.path, run) as found:
        return print_decisions(found, results, output.screen, now=False)


def print_decisions(run: View, results: list[DecisionResult], screen: Screen, *, now: bool) -> int:
    """Print the state of the units and what is left to do. The exit code."""
    for result in results:
        screen.line(("strong", result.unit), f"  {state_words(result.row.state)}  {reason_of(run.kind, result.row)}")
    if not all(result.in_effect for result in results):
        screen.line("  ", SAVED_NOW if now or results[0].verdict == "undo" else SAVED)
    for result in results:
        if result.keeps_waiting:
            rules = ", ".join(dict.fromkeys(finding.rule for finding in result.errors))
            screen.line("  The text is kept, but it still ", f"breaks: {rules}" if rules else BELOW)
            return 1
        if result.warning is not None:
            screen.line("  ", ("warning", "The document cannot hold this text: "), result.warning)
    screen.line(("faint", todo(run)))
    return 0


@contextmanager
def _with_path(text_file: str | None) -> Iterator[None]:
    """Inside the block, an error in the edited text names the file of that text."""
    try:
        yield
    except InputError as error:
        if error.path is None:
            error.path = text_file
        raise


def todo(run: View) -> str:
    """What is left to do after a decision."""
    saved = {entry.unit for entry in run.journal.inbox("waiting")}
    left = sum(1 for row in run.journal.units(states=(run.kind.states.waiting,)) if row.id not in saved)
    holes = sum(1 for _ in unreadable(run.journal))
    if holes:
        return f"{f'{left} more' if left else 'No more'} to decide, but {unusable_text(holes)}"
    if left:
        return f"{left} more to decide."
    holder = live_holder(run.folder, system_clock)
    if holder is not None and not holder.is_brief:
        return "Nothing left to decide. A process is at work on the run."
    return f"Nothing left to decide. Resume: burnish resume {named(run.folder)}"


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        with operator_path(path).open("rb") as file:
            data = file.read(LONGEST_TEXT + 1)
        if len(data) > LONGEST_TEXT:
            raise InputError(f"The text is longer than {LONGEST_TEXT:,} bytes.", path=path)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"This file cannot be read: {error.strerror}.", path=path, hint=nearest_path(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"This file is not UTF-8 (byte {error.start}).", path=path) from error
