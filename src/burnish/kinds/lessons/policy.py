"""The policy of lessons: states, severities, the gate, and the reasons in words."""

from __future__ import annotations

from burnish.core.checks import Examination
from burnish.core.findings import Severity
from burnish.core.gate import Dimension, GatePolicy, StateTable
from burnish.kinds.lessons.refinement.config import CRITERIA

STATES = StateTable(
    initial="draft",
    working="refining",
    ready="accepted",
    waiting="escalated",
    moves={
        "draft": frozenset({"refining", "accepted", "escalated"}),
        "refining": frozenset({"accepted", "escalated"}),
        "escalated": frozenset({"accepted", "refining"}),
        # Only where the file's format turns out to be unable to hold the change, or a neighbour was sent back.
        "accepted": frozenset({"escalated"}),
    },
)

STRICT: dict[str, Severity] = {
    "heading_order": "error",
    "broken_link": "error",
    "broken_list": "error",
    "duplicate_paragraph": "error",
    "objective_coverage": "error",
    "required_parts": "error",
    "source_numbers": "error",
}
PROFILES: dict[str, dict[str, Severity]] = {"default": {}, "strict": STRICT}

GATE = GatePolicy((Dimension("rules", minimum=1.0),))
"""What a person's text needs: that every rule holds. A lesson as a whole is judged by its panel."""


def scores(examination: Examination) -> dict[str, float]:
    """`rules`: the share of applied rules without an error."""
    failing = {finding.rule for finding in examination.findings if finding.blocks}
    return {"rules": max(0.0, 1.0 - len(failing) / max(examination.applied, 1))}


ONLY_JUDGES = "rules do not judge it, and no model did"
NO_SOURCE = "there is no source material to hold it against"


def unjudged(*, with_judges: bool, with_sources: bool) -> dict[str, str]:
    """Criterion -> why nobody judged it. Rules look at form: what a lesson is worth, only judges say; and whether it is
    true, they say only where there is a source."""
    found: dict[str, str] = {} if with_judges else dict.fromkeys(CRITERIA, ONLY_JUDGES)
    return found if with_sources else {**found, "factual_accuracy": NO_SOURCE}


INADMISSIBLE = {
    "adds_ignore": "it switches a rule off",
    "adds_heading": "it adds a heading that would begin another section",
    "brings_in": "it brings in an address, a comment or an HTML tag that was not there",
}
"""Why a text of a model may not take the place of a unit."""

STRAYS = {
    "drops_terms": "it drops a term that the lesson puts in bold",
    "replaces_much": "a small edit replaces more than a third of the words",
    "other_text": "it is about something else than the text whose place it takes",
}
"""Why a text is not the old one mended."""

REASONS = {
    "accepted": "the lesson meets the threshold",
    "rules_only": "accepted on rules alone, as --rules-only asks",
    "accepted_warning": "the lesson is good enough, with open issues",
    "best_effort": "the best version of a lesson that is not accepted",
    "escalated": "the lesson is not accepted, and this unit has open issues",
    "regenerate": "has to be regenerated",
    "no_judges": "no judges were given: name two or three models with --judges",
    "not_judged": "the lesson was not judged",
    "judges_failed": "the lesson was not judged",
    "nothing_open": "no open issues",
    "not_verified": "no judge confirmed that every issue is settled",
    "own_work": "only its own author could verify it, which does not count",
    "issue_not_settled": "the issue is not settled",
    "low_confidence": "the judge that compared the two versions is not sure",
    "new_issue": "adds a new issue",
    "length_change": "changes the length by more than a tenth",
    "drops_protected": "changes or drops code, formulae, links or placeholders",
    "empty": "the new text is empty",
    **INADMISSIBLE,
    **STRAYS,
    "no_edit": "no edit was made",
}
"""The reasons for a unit's state, and for a repair that was not used, in words."""
