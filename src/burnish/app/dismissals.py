"""Dismissals of a rule in a run, for all doors. One claim is dismissed by a decision like any other."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.app.decisions import DecisionRequest, RunDecisions, acquire_run
from burnish.app.labels import BulkResult
from burnish.app.materials import nearest
from burnish.app.reviews import ReviewService
from burnish.app.run_reader import RunReader
from burnish.core.attempts import DISMISS, effective_decisions, findings_of
from burnish.core.claims import is_of_rule
from burnish.core.errors import NotFound, UsageError
from burnish.core.kinds import Kind
from burnish.core.records import UnitRow
from burnish.engine.dismissals import RunDismissals, Wanted, rule_dismissed, rule_restored
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.unit_queries import UnitFilter


def dismiss_claims(claims: Sequence[str]) -> str:
    """The text of a decision that dismisses claims of one unit, by their ids or their rules."""
    return Wanted(tuple(claims)).text


def dismiss_rule(reviews: ReviewService, run: RunReader, rule: str, *, by: str, note: str | None = None) -> BulkResult:
    """Dismiss all claims of a rule: in the units that wait for a person, and in what the run still judges."""
    kind = run.view.kind
    known_rule(kind, rule)
    seen = run.moments(UnitFilter(states=(kind.states.waiting,), rule=rule))
    if not seen:
        raise UsageError(
            f"No unit of {run.view.folder.id} waits with a claim of {rule}.",
            hint=f"`burnish resume {run.view.folder.id} --ignore {rule}` leaves the rule out of what is still to come.",
        )
    text = Wanted(rule=rule).text
    return reviews.decide_all(run.view.folder.id, list(seen), by=by, verdict=DISMISS, note=note, seen=seen, text=text)


def restore_rule(reviews: ReviewService, run: RunReader, rule: str, *, by: str) -> int:
    """Undo the dismissal of a rule in a run. How many units are as they were before."""
    known_rule(run.view.kind, rule)
    folder, journal = run.view.folder, run.view.journal
    units = {one.unit for one in journal.events(types=("decision",)) if one.data.get("rule") == rule and one.unit}
    meant = [unit for unit in units if _last_dismisses(run, unit, rule)]
    if meant:
        return len(reviews.undo_all(folder.id, dict.fromkeys(meant), by=by).units)
    with acquire_run(folder, system_clock, Redactor()) as owned:
        if rule not in RunDismissals(owned.journal, owned.kind).rules:
            raise UsageError(f"{rule} is not dismissed in {folder.id}.", hint="There is nothing to take back.")
        owned.journal.write_now(rule_restored(owned.journal, rule, by))
    return 0


def _last_dismisses(run: RunReader, unit: str, rule: str) -> bool:
    standing = effective_decisions(run.view.journal.events(unit=unit, types=("decision",)))
    return bool(standing) and standing[-1].data.get("rule") == rule


def ignore_rules(run: RunDecisions, rules: Sequence[str], by: str) -> None:
    """Leave rules out of a run that exists, which we own: their claims are dismissed where units wait for a person, and
    not raised in what is still to come."""
    for rule in rules:
        known_rule(run.kind, rule)
    for rule in rules:
        run.journal.write_now(rule_dismissed(run.journal, rule, by, None))
        for row in list(run.journal.units(states=(run.kind.states.waiting,))):
            if run.dismisses_singly and _claims(run, row, rule):
                request = DecisionRequest(DISMISS, by, None, Wanted(rule=rule).text)
                run.journal.write_now(*run.follows(row, request).records)


def _claims(run: RunDecisions, row: UnitRow, rule: str) -> bool:
    if not row.best_attempt:
        return False
    findings = findings_of(run.journal.attempts(row.id)[row.best_attempt - 1])
    return any(one.rule == rule and is_of_rule(one) for one in findings)


def known_rule(kind: Kind, rule: str) -> None:
    """Raise NotFound if a kind has no such rule."""
    known = [*(check.id for check in kind.checks), *(one.id for one in kind.document_rules)]
    if rule not in known:
        raise NotFound(f"There is no rule {rule!r} for {kind.noun}s.", hint=nearest(rule, known))
