"""Safe fixes of one unit: only edits that need no model, each proven to make nothing worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from burnish.core.checks import Examination
from burnish.core.documents import Unit
from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding

SOMETHING = 0.01
"""Share of a unit that fixes must leave."""
MOST_FIXES = 100
"""Edits tried on one unit: a pair of fixes that undo each other must end."""

Examine = Callable[[Unit], Examination]


@dataclass(slots=True)
class SafeFixes:
    """What safe fixes made of one unit."""

    unit: Unit
    examination: Examination
    """The rules' findings on the unit as it stands now."""
    settled: list[Finding] = field(default_factory=list)
    """The findings whose fixes were applied, in that order."""
    refused: dict[object, tuple[Finding, str]] = field(default_factory=dict)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(finding.fix for finding in self.settled if finding.fix is not None)


def apply_safe_fixes(unit: Unit, examination: Examination, examine: Examine) -> SafeFixes:
    """Apply the unit's safe fixes; they must lower the number of findings and raise none.

    All at once where that works, which is nearly always; else one by one, leaving out what makes something worse.
    """
    fixes = SafeFixes(unit, examination)
    wanted = [finding for finding in examination.findings if finding.fix is not None]
    if len(wanted) > 1:
        _try_all(fixes, wanted, examine)
    for _ in range(MOST_FIXES):
        finding = next((f for f in fixes.examination.findings if f.fix and f.key not in fixes.refused), None)
        if finding is None:
            break
        assert finding.fix is not None, "only findings with a fix are tried"
        try:
            candidate = _applied(fixes.unit, [finding.fix])
        except EditRefused as refusal:
            fixes.refused[finding.key] = (finding, refusal.message)
            continue
        after = examine(candidate)
        worse = _worse(fixes.examination, after)
        if worse is not None:
            fixes.refused[finding.key] = (finding, worse)
            continue
        fixes.unit, fixes.examination = candidate, after
        fixes.settled.append(finding)
    return fixes


def _try_all(fixes: SafeFixes, findings: Sequence[Finding], examine: Examine) -> None:
    """From the end to the beginning, so that one edit does not move the words that another one looks for."""
    texts = fixes.unit.texts()
    edits = {finding.fix: finding for finding in findings if finding.fix is not None}
    ordered = sorted(edits, key=lambda edit: -texts[edit.field].find(edit.find))
    try:
        candidate = _applied(fixes.unit, ordered)
    except EditRefused:
        return
    after = examine(candidate)
    fewer = len(after.findings) <= len(fixes.examination.findings) - len(findings)
    if fewer and _worse(fixes.examination, after) is None:
        fixes.unit, fixes.examination = candidate, after
        fixes.settled += findings


def _applied(unit: Unit, edits: Sequence[Edit]) -> Unit:
    """What code takes away was never content, however little is left without it; but something must be left."""
    return apply_edits(unit, edits, smallest_remainder=SOMETHING)


def _worse(before: Examination, after: Examination) -> str | None:
    """Why the second examination is no improvement on the first, or None where it is one."""
    raised = Counter(_place(f) for f in after.findings) - Counter(_place(f) for f in before.findings)
    if raised:
        rule, place = next(iter(raised))
        return f"It would raise {rule} in {place or 'the unit'}."
    if sum(f.blocks for f in after.findings) > sum(f.blocks for f in before.findings):
        return "It would raise a warning to an error."
    if len(after.findings) >= len(before.findings):
        return "It would settle nothing."
    return None


def _place(finding: Finding) -> tuple[str, str | None]:
    return finding.rule, finding.field
