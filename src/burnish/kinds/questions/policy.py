"""The policy of questions: states, severities, the gate, the limit of corrections, and the reasons in words."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.checks import Examination
from burnish.core.findings import Severity
from burnish.core.gate import Count, Dimension, GatePolicy, StateTable
from burnish.core.kinds import Issue
from burnish.core.presentation import DocumentRule

MAX_CORRECTIONS = 2

DROPPED = "dropped"
"""A person left it out of what is published."""

STATES = StateTable(
    initial="draft",
    working="correcting",
    ready="validated",
    waiting="needs_manual_review",
    moves={
        "draft": frozenset({"correcting", "validated", "needs_manual_review"}),
        "correcting": frozenset({"validated", "needs_manual_review"}),
        "needs_manual_review": frozenset({"validated", "correcting", DROPPED}),
        # Only where the file's format turns out to be unable to hold the accepted change.
        "validated": frozenset({"needs_manual_review", DROPPED}),
        DROPPED: frozenset({"needs_manual_review"}),
    },
    dropped=DROPPED,
)

KEY_DOUBTFUL = "key_doubtful"
CONTRADICTING_RATIONALE = "ext_contradicting_rationale"
"""The rule, and why a question waits that has such a finding: no model changes a key, or argues for one."""
OPTIONS_EQUAL = "options_equal"
KEY_UNCHECKED = "key_unchecked"
"""Why a question waits whose repair can change the right answer, where no other model has solved it."""

CLAIMS_UNPLACED = "claims_unplaced"
"""Why a question waits of which a judge reports an error in words that are nowhere in it."""

REASONS = {
    "attempts_exhausted": "both corrections left errors",
    "duplicate": "nearly the same as another question",
    "contradicting_keys": "the same text as another question, with another key",
    KEY_DOUBTFUL: "a judge that was not shown the key chose another option",
    CONTRADICTING_RATIONALE: "its rationale says that another option is right than the key",
    KEY_UNCHECKED: "the repair can change the right answer, and no other model has checked it",
    CLAIMS_UNPLACED: "a judge reports an error in words that are not in the question",
}

UNJUDGED = {"answer_key": "rules judge form, and no model solved it blind"}
"""What nobody judged of a question that no judge has solved."""

_NEED_ONE_KEY = {
    "nbme_convergence_cues",
    "nbme_logical_cues",
    "nbme_longest_answer_correct",
    "nbme_multiple_correct",
    "nbme_true_false",
    "nbme_word_repeats",
}
_NEED_ANSWERS = {
    "nbme_absolute_terms",
    "nbme_all_of_the_above",
    "nbme_answer_homogeneity",
    "nbme_complex_k_type",
    "nbme_distractor_plausibility",
    "nbme_grammatical_cues",
    "nbme_lead_in",
    "nbme_lost_sequence",
    "nbme_none_of_the_above",
    "nbme_vague_terms",
}
UNFIT: Mapping[str, frozenset[str]] = {
    "multiple_response": frozenset(_NEED_ONE_KEY),
    "true_false": frozenset(_NEED_ONE_KEY | _NEED_ANSWERS),
}
"""Type of question -> the rules that do not fit it. Some hold one key against the other options, where several may be
right. Some ask for a closed question and answers to it, where there is a statement and a verdict."""

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
    compares=True,
)
"""What only shows beside the questions before it."""

CONTRADICTING = DocumentRule(
    id="ext_contradicting_keys",
    title="Same text, different keys",
    severity="error",
    summary="two questions of a bank with the same text and different right answers.",
    sections={
        "What it looks for": (
            "a question whose case, stem and options (in any order) are those of another question of the same bank, "
            "while another option is the key. Both are reported and wait for a person; each message names the other."
        ),
        "Why it matters": "one of the two keys is wrong, and learners who know the answer lose the point.",
        "Fix": "needs an author: find out which key is right, and keep that question.",
    },
)

DOUBTFUL = DocumentRule(
    id=KEY_DOUBTFUL,
    title="Key in doubt",
    severity="warning",
    summary="a judge that was not shown the key chooses another option.",
    sections={
        "What it looks for": (
            "what judges of another model than the corrector answer who are not shown the key. One judge that chooses "
            "another option is a warning; two judges of different models that choose the same one with high confidence "
            "are an error, and the question waits for a person. After a repair that can change the right answer, the "
            "question waits unless every such judge chooses the key. Only runs with `--judges` have this rule."
        ),
        "Why it matters": "rules judge form, not truth: a wrong key is seen only by someone who solves the question.",
        "Fix": "needs a person: no model changes a key for this reason.",
    },
)

EQUAL = DocumentRule(
    id=OPTIONS_EQUAL,
    title="Two options equally right",
    severity="warning",
    summary="a judge that was not shown the key calls more than one option right.",
    sections={
        "What it looks for": "the options that a judge calls just as right as the one it chose, when it solves the "
        "question without seeing the key. Only runs with `--judges` have this rule.",
        "Why it matters": "two right answers make the score a matter of luck.",
        "Fix": "needs an author: narrow the stem, or change all but one of these options.",
    },
)

DOCUMENT_RULES = (ALIKE, CONTRADICTING, DOUBTFUL, EQUAL)

RULES = Dimension("rules", minimum=1.0)


KEY = "key"
"""The score of a key that was put in doubt: the share of blind judges that choose it."""


def gate(judges: int, *, key_in_doubt: bool = False) -> GatePolicy:
    """Every rule must hold; where judges were asked, more than half of them must have no objection; and a key that
    a repair put in doubt must be chosen by every judge that was not shown it."""
    panel = (Dimension("panel", minimum=(judges // 2 + 1) / judges),) if judges else ()
    key = (Dimension(KEY, minimum=1.0),) if key_in_doubt else ()
    return GatePolicy((RULES, *panel, *key))


def scores(examination: Examination, objections: Count[Issue] | None) -> dict[str, float]:
    """`rules`: the share of applied rules without an error. `panel`: the share of judges without an objection."""
    failing = {finding.rule for finding in examination.findings if finding.blocks}
    applied = max(examination.applied, 1)
    card = {"rules": max(0.0, 1.0 - len(failing) / applied)}
    if objections is not None:
        card["panel"] = objections.support
    return card
