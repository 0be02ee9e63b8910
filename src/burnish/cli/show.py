"""`burnish show`: the history of a run or of one unit."""

from __future__ import annotations

from typing import Annotated

import typer

from burnish.app.labels import (
    ACTIONS,
    DROPPED,
    cause_of,
    counted,
    failure_of,
    minute,
    reason_of,
    rule_name,
    state_words,
)
from burnish.app.runs import View, decisions_told, dropped, ignored, replies_of, unheeded, unit_record, view
from burnish.app.terminal import Role, Screen
from burnish.cli.options import Output, RunFolderOption, RunName
from burnish.core.attempts import findings_of, withdrawn_in
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord
from burnish.engine.check import UNKNOWN_LANGUAGE
from burnish.engine.exports import step_diff, unit_diff

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
    for each in unheeded(run, row.id):
        issue, reason = each.data["issue"], str(each.data["reason"])
        said = f"{issue['description']}  ({each.data['source']})"
        screen.line("")
        screen.paragraph(said, indent="  ", first=(("faint", f"not counted, {DROPPED.get(reason, reason)}: "),))
    for decision in decisions_told(run, story):
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
    if attempt.cause != "source" and not _is_told(story, attempt):
        for line in _changes(run, story, attempt):
            screen.line("    ", (DIFF_ROLES.get(line[:1], "plain"), line))


def _changes(run: View, story: UnitStory, attempt: AttemptRecord) -> list[str]:
    """What is new in an attempt: beside the original, or, where each draft is made from the last, beside that."""
    if not run.kind.is_phased:
        return unit_diff(run.kind, story, attempt).splitlines()[2:]
    return [line for line in step_diff(run.kind, story, attempt).splitlines()[2:] if line[0] in "+-" and line[1:]]


def _verdict(run: View, attempt: AttemptRecord) -> str:
    """Where units move through stages, a draft is written first and reviewed later."""
    if run.kind.is_phased and attempt.cause not in ("review", "person"):
        return ""
    return "passed" if attempt.passed else "did not pass"


def _show_repair(attempt: AttemptRecord, screen: Screen) -> None:
    """What a repair of a lesson was to settle, and who says whether it did."""
    proof = attempt.receipt or {}
    if "action" not in proof:
        return
    screen.line("  ", ACTIONS.get(proof["action"], str(proof["action"])))
    settled = [issue["description"] for issue in proof.get("issues", ())]
    settled += [finding["message"] for finding in proof.get("findings", ())]
    for text in (*settled, *proof.get("wrong", ())):
        screen.paragraph(text, indent="         ", first=("  ", ("faint", "because: ")))
    judged = (proof.get("verification") or {}).get("delta_judge")
    if judged is not None:
        verdict = "settled" if judged["passed"] else "not settled"
        text = f"{verdict}, confidence {judged['confidence']}: {judged['reasoning']}"
        screen.paragraph(text, indent="         ", first=("  ", ("faint", "compared: ")))


def _is_told(story: UnitStory, attempt: AttemptRecord) -> bool:
    """Whether an attempt before it has the very same text: it was only looked at once more."""
    return any(one.content_hash == attempt.content_hash for one in story.attempts[: attempt.number - 1])


def _show_finding(finding: Finding, kind: Kind, screen: Screen) -> None:
    said = f" {finding.field or kind.noun}: {finding.message}"
    by = "" if finding.source == "rule" else f"  ({finding.source})"
    name = rule_name(kind, finding.rule)
    screen.line("  ", (finding.severity, finding.severity), said, ("faint", f"  {name}{by}"))


def _show_dropped(event: EventRecord, screen: Screen) -> None:
    said, reason = event.data["finding"], str(event.data["reason"])
    place = f"{said['field']}: " if said["field"] else ""
    by = f"  {said['rule']}  ({event.data['source']})"
    screen.line("  ", ("faint", f"not counted, {DROPPED.get(reason, reason)}: {place}{said['message']}{by}"))
