"""What stands behind the rules of an overlay. They go into every prompt, outside of every fence: so a rule counts only
with its evidence, and with the line of the ledger that says it was adopted on it. Files can be edited by anybody."""

from __future__ import annotations

from burnish.core.errors import InputError
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.kinds.legos.evolving.ledger import Ledger
from burnish.kinds.legos.evolving.overlay import MOST_RULES, Overlay
from burnish.kinds.legos.evolving.rules import rule_words
from burnish.kinds.legos.evolving.shapes import OverlayRule

HINT = (
    "Take the rule out of the overlay, or put the file aside; a rule that attempts suggest is tested by "
    "`burnish legos evolve`, and adopted with evidence."
)


def proven(overlay: Overlay, ledger: Ledger, path: str = OVERLAY) -> Overlay:
    """The overlay, for use in a prompt. InputError where a rule has nothing behind it."""
    if len(overlay.rules) > MOST_RULES:
        raise InputError(
            f"The overlay holds {len(overlay.rules)} rules; a prompt takes {MOST_RULES} at most.",
            path=path,
            code="unproven_rule",
            hint="Take out those that matter least, or put the file aside.",
        )
    for place, rule in enumerate(overlay.rules):
        fault = _fault(rule, ledger)
        if fault is not None:
            raise InputError(
                f"The rule {rule.id} is not used: {fault}.",
                path=path,
                field=f"rules.{place}",
                code="unproven_rule",
                hint=HINT,
            )
    return overlay


def _fault(rule: OverlayRule, ledger: Ledger) -> str | None:
    """What is wrong with the proof of a rule."""
    row = ledger.row(rule.trial)
    if row is None:
        return f"{LEDGER} holds no trial {rule.trial!r}"
    if row.decision != "adopted" or row.text != rule.text:
        return f"the trial {rule.trial} in {LEDGER} did not adopt it"
    if row.evidence != rule.evidence:
        return f"its evidence is not that of the trial {rule.trial} in {LEDGER}"
    if rule.evidence.lacks:
        return f"its evidence does not convince ({', '.join(rule.evidence.lacks)})"
    later = ledger.rows[ledger.rows.index(row) + 1 :]
    for other in later:
        if other.decision == "taken_back" and rule_words(other.text) == rule_words(rule.text):
            return f"the run {other.run_id!r} took it back; `burnish resume` ends a run that was stopped in between"
    return None
