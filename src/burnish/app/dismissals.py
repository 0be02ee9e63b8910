"""Dismissals of a rule in a run, for all doors. One claim is dismissed by a decision like any other."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.app.decisions import acquire_run
from burnish.app.labels import BulkResult
from burnish.app.materials import known_rule
from burnish.app.reviews import ReviewService
from burnish.app.run_reader import RunReader
from burnish.core.attempts import DISMISS, effective_decisions
from burnish.core.errors import UsageError
from burnish.engine.dismissals import Wanted, dismissed_rules, rule_restored
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
        if rule not in dismissed_rules(owned.journal):
            raise UsageError(f"{rule} is not dismissed in {folder.id}.", hint="There is nothing to take back.")
        owned.journal.write_now(rule_restored(owned.journal, rule, by))
    return 0


def _last_dismisses(run: RunReader, unit: str, rule: str) -> bool:
    standing = effective_decisions(run.view.journal.events(unit=unit, types=("decision",)))
    return bool(standing) and standing[-1].data.get("rule") == rule
