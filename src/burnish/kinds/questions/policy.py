"""The policy of questions: states, severities, the gate, the limit of corrections, and the reasons in words."""

from __future__ import annotations

from burnish.core.agreement import Count
from burnish.core.checks import Examination
from burnish.core.findings import Severity
from burnish.core.gate import Dimension, GatePolicy
from burnish.core.kinds import Issue
from burnish.core.presentation import DocumentRule
from burnish.core.states import StateTable

MAX_CORRECTIONS = 2

STATES = StateTable(
    initial="draft",
    working="correcting",
    ready="validated",
    waiting="needs_manual_review",
    moves={
        "draft": frozenset({"correcting", "validated", "needs_manual_review"}),
        "correcting": frozenset({"validated", "needs_manual_review"}),
        "needs_manual_review": frozenset({"validated", "correcting"}),
        # Only where the file's format turns out to be unable to hold the accepted change.
        "validated": frozenset({"needs_manual_review"}),
    },
)

REASONS = {"attempts_exhausted": "both corrections left errors", "duplicate": "nearly the same as another question"}

STRICT: dict[str, Severity] = {"nbme_absolute_terms": "error", "nbme_answer_homogeneity": "error"}
PROFILES: dict[str, dict[str, Severity]] = {"default": {}, "strict": STRICT}

ALIKE = DocumentRule(
    id="potential_duplicate",
    title="Potential duplicate",
    severity="warning",
    summary="a question much like an earlier one.",
    sections={
        "What it looks for": (
            "questions that are at least 85 % alike, inside one bank or against an earlier one (`--against FILE`). "
            "From 95 % on it is an error: the question is rejected with a link to the other. Other files of the same "
            "check or run are looked at too; each of them is a bank of its own, so a copy there is never more than a "
            "warning. A corrected or edited question is compared again before it is accepted."
        ),
        "Why it matters": "the same question twice tests nothing twice, and one of them gives the other away.",
        "Fix": "needs an author: keep one of the two, or make them ask different things.",
    },
)
"""What only shows beside the questions before it."""

RULES = Dimension("rules", minimum=1.0)


def gate(seats: int) -> GatePolicy:
    """Every rule must hold; where judges were asked, more than half of all seats must have no objection."""
    if not seats:
        return GatePolicy((RULES,))
    return GatePolicy((RULES, Dimension("panel", minimum=(seats // 2 + 1) / seats)))


def scores(examination: Examination, objections: Count[Issue] | None) -> dict[str, float]:
    """`rules`: the share of applied rules without an error. `panel`: the share of seats without an objection."""
    failing = {finding.rule for finding in examination.findings if finding.blocks}
    applied = max(examination.applied, 1)
    card = {"rules": max(0.0, 1.0 - len(failing) / applied)}
    if objections is not None:
        card["panel"] = objections.support
    return card
