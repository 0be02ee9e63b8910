"""The policy of lessons: states, severities, the gate, the texts of reasons, and the settings of refinement.

Weights, thresholds and limits are those of the contract. `Wire` is the base of the types in the contract's JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from burnish.core.checks import Examination
from burnish.core.findings import Severity
from burnish.core.gate import Dimension, GatePolicy, StateTable
from burnish.core.replies import Criterion

STATES = StateTable(
    initial="draft",
    working="refining",
    ready="accepted",
    waiting="escalated",
    moves={
        "draft": frozenset({"refining", "accepted", "escalated"}),
        "refining": frozenset({"accepted", "escalated"}),
        "escalated": frozenset({"accepted", "refining"}),
        # Only if the file's format cannot hold the change, or a neighbour was sent back.
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
"""The gate for a person's text: every rule must pass. The lesson as a whole is judged by its panel."""


def scores(examination: Examination) -> dict[str, float]:
    """`rules`: the share of applied rules without an error."""
    failing = {finding.rule for finding in examination.findings if finding.blocks}
    return {"rules": max(0.0, 1.0 - len(failing) / max(examination.applied, 1))}


ONLY_JUDGES = "rules do not judge it, and no model did"
NO_SOURCE = "there is no source material to hold it against"


def unjudged(*, with_judges: bool, with_sources: bool) -> dict[str, str]:
    """Criterion -> why it was not judged. Rules check form only: quality is judged by models, and truth only if there
    is a source."""
    found: dict[str, str] = {} if with_judges else dict.fromkeys(CRITERIA, ONLY_JUDGES)
    return found if with_sources else {**found, "factual_accuracy": NO_SOURCE}


INADMISSIBLE = {
    "adds_ignore": "it switches a rule off",
    "adds_heading": "it adds a heading that would begin another section",
    "brings_in": "it brings in an address, a comment or an HTML tag that was not there",
}
"""Why a model's text must not replace a unit."""

STRAYS = {
    "drops_terms": "it drops a term that the lesson puts in bold",
    "replaces_much": "a small edit replaces more than a third of the words",
    "other_text": "it is about something else than the text whose place it takes",
}
"""Why a text is not a repaired version of the old one."""

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
"""The reasons for a unit's state, and for a repair that was not used, as texts."""


Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Wire(BaseModel):
    """Immutable, without further fields. Both spellings are read; the JSON's is written."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, allow_inf_nan=False
    )

    def as_wire(self) -> dict[str, Any]:
        """The JSON form, with the contract's names; empty fields are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

WEIGHTS: Mapping[Criterion, float] = MappingProxyType(
    {
        "learning_objective_alignment": 0.25,
        "pedagogical_structure": 0.20,
        "factual_accuracy": 0.15,
        "clarity_readability": 0.15,
        "engagement_examples": 0.15,
        "completeness": 0.10,
    }
)
"""The weights of the criteria with sources; without sources `factual_accuracy` is dropped."""

WHOLE_CRITERIA: frozenset[Criterion] = frozenset(
    {"learning_objective_alignment", "pedagogical_structure", "completeness"}
)
"""Criteria of the lesson as a whole: their score is given directly."""

PRIORITY_HIERARCHY: tuple[Criterion, ...] = (
    "factual_accuracy",
    "learning_objective_alignment",
    "pedagogical_structure",
    "clarity_readability",
    "engagement_examples",
    "completeness",
)
"""Decides which of two demands on the same words wins; the first criterion has priority."""

SAME_SCORE = 0.10
"""The largest difference between two scores that agree."""
ACCEPT_LINE, REVISION_LINE, REFINEMENT_LINE = 0.90, 0.75, 0.60
MOST_REVISIONS = 3
"""With more issues than this, even a good lesson is refined."""

HIGH_ALPHA, MODERATE_ALPHA = 0.80, 0.67
MODERATE_SHARE = 2 / 3
"""Four criteria of six (or of five, without sources) within `SAME_SCORE` make the agreement moderate."""

STRUCTURE_LINE = 0.60
"""A lesson with a lower structure score is written again as a whole."""
CRITICAL_SHARE = 0.40
"""So is a lesson with a larger share of critical sections."""

LOCK_LINE, REGRESSION_TOLERANCE = 0.75, 0.05
LENGTH_TOLERANCE = 0.10
CONVERGENCE_STEP, OSCILLATION_STEP = 0.02, 0.01
MAX_EDITS = 2
LARGEST_BATCH = 3
HINTS = 5
"""The most open issues that are named when a lesson ends below the threshold."""

SENTENCE_TARGET, SENTENCE_MAX = 17.0, 25.0
"""Mean words per sentence: the target for writers, and the limit for repairs."""
WORD_MAX = 10.0
PARAGRAPH_RATIO_MIN = 0.08


class RefinementLimits(Wire):
    """Limits that end the loop whatever the scores."""

    max_iterations: int = Field(default=3, ge=1)
    max_total_tokens: int = Field(default=15_000, ge=0)
    """Tokens for repair and verification; judging is not included."""
    timeout_ms: int = Field(default=300_000, ge=0)


class RoutingConfig(Wire):
    """The router's limits."""

    token_budget: int = 15_000
    """Remaining tokens."""
    max_patcher_calls: int = 12
    """Per iteration."""
    prefer_surgical: bool = True


class SemiAutoConfig(Wire):
    """Lessons below the threshold go to review."""

    mode: Literal["semi-auto"] = "semi-auto"
    accept_threshold: Score = 0.90
    good_enough_threshold: Score = 0.85
    escalation_enabled: Literal[True] = True
    limits: RefinementLimits = RefinementLimits()


class FullAutoConfig(Wire):
    """No person is asked: the best version is published."""

    mode: Literal["full-auto"] = "full-auto"
    accept_threshold: Score = 0.85
    good_enough_threshold: Score = 0.75
    escalation_enabled: Literal[False] = False
    limits: RefinementLimits = RefinementLimits()


RefinementConfig = SemiAutoConfig | FullAutoConfig

OperationMode = Literal["semi-auto", "full-auto"]


def config_for(mode: OperationMode, limits: RefinementLimits | None = None) -> RefinementConfig:
    """The mode's thresholds with these limits."""
    given = limits or RefinementLimits()
    return SemiAutoConfig(limits=given) if mode == "semi-auto" else FullAutoConfig(limits=given)


def weights_for(*, with_sources: bool) -> dict[Criterion, float]:
    """The applicable weights, which add up to 1."""
    counted = {name: weight for name, weight in WEIGHTS.items() if with_sources or name != "factual_accuracy"}
    total = sum(counted.values())
    return {name: weight / total for name, weight in counted.items()}


def exceeds(value: float, limit: float) -> bool:
    """Whether `value` is more than `limit`, apart from binary rounding: 0.8 - 0.75 is not more than 0.05."""
    return round(value - limit, 9) > 0


def reaches(value: float, line: float) -> bool:
    """Whether a score meets a threshold, apart from binary rounding. NaN never does."""
    return round(value - line, 9) >= 0
