"""The policy of questions: states, reasons, the gate, and the examination of a question by all rules.

The examination splits sets into items, applies ignores, and escalates a field with many warnings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from burnish.core.checks import Check, Examination, Selection, run_checks_on_all
from burnish.core.claims import Dismissals
from burnish.core.documents import Field
from burnish.core.findings import Finding, Severity
from burnish.core.gate import Count, Dimension, GatePolicy, StateTable
from burnish.core.kinds import Issue
from burnish.core.presentation import DocumentRule
from burnish.kinds.questions.model import Question, counted_position, revised
from burnish.languages.detection import detect
from burnish.text.standing import standings

if TYPE_CHECKING:
    from burnish.kinds.questions.bank import BankContext

KIND = "questions"
"""The name of the kind in the standing table."""
DROPPED = "dropped"
"""The state of a question that a person excluded from publication."""

STATES = StateTable(
    initial="draft",
    working="correcting",
    ready="validated",
    waiting="needs_manual_review",
    moves={
        "draft": frozenset({"correcting", "validated", "needs_manual_review"}),
        "correcting": frozenset({"validated", "needs_manual_review"}),
        "needs_manual_review": frozenset({"validated", "correcting", DROPPED}),
        # Only if the format of the file turns out not to support the accepted change.
        "validated": frozenset({"needs_manual_review", DROPPED}),
        DROPPED: frozenset({"needs_manual_review"}),
    },
    dropped=DROPPED,
)

KEY_DOUBTFUL = "key_doubtful"
CONTRADICTING_RATIONALE = "ext_contradicting_rationale"
"""The rule id, and the reason of a question with such a finding: models neither change nor defend a key."""
OPTIONS_EQUAL = "options_equal"
KEY_UNCHECKED = "key_unchecked"
"""The reason of a question whose repair can change the right answer and that no other model has solved."""
ABOUT_THE_KEY = frozenset({KEY_DOUBTFUL, OPTIONS_EQUAL, CONTRADICTING_RATIONALE, "nbme_multiple_correct"})
"""The rules whose open findings are doubts about the key."""

CLAIMS_UNPLACED = "claims_unplaced"
"""The reason of a question in which a judge reports an error with words that are not in it."""

NOT_JUDGED = "no_judges"
"""The reason of a question that passes the rules and that no model has read."""
REPAIR_UNREAD = "repair_unread"
"""The reason of a question whose repair changes what it says, and that no other model has compared with it."""

REASONS = {
    NOT_JUDGED: "no rule objects, and no model has read or solved it",
    "attempts_exhausted": "the corrections left errors",
    "duplicate": "nearly the same as another question",
    "contradicting_keys": "the same text as another question, with another key",
    KEY_DOUBTFUL: "a judge that was not shown the key chose another option",
    CONTRADICTING_RATIONALE: "its rationale says that another option is right than the key",
    OPTIONS_EQUAL: "a judge that was not shown the key calls another option right as well",
    REPAIR_UNREAD: "the repair changes what the question says, and no other model has compared both versions",
    KEY_UNCHECKED: "the repair can change the right answer, and no other model has checked it",
    CLAIMS_UNPLACED: "a judge reports an error in words that are not in the question",
}

UNJUDGED = {"answer_key": "rules judge form, and no model solved it blind"}
"""The part of a question that is not judged if no model has solved it."""

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
"""Type of question -> the rules that do not fit it: rules that assume a single key do not fit multiple responses, and
rules about a closed question and its answers do not fit a statement with a verdict."""

STRICT: dict[str, Severity] = {"nbme_absolute_terms": "error", "nbme_answer_homogeneity": "error"}
PROFILES: dict[str, dict[str, Severity]] = {"default": {}, "strict": STRICT}

ALIKE = DocumentRule(
    id="potential_duplicate",
    title="Potential duplicate",
    severity="warning",
    summary="a question much like an earlier one.",
    sections={
        "What it looks for": (
            "questions that are at least 85 % alike, inside one bank or to an earlier one (`--against FILE`). "
            "From 95 % on it is an error: the question is rejected with a link to the other. Other files of the same "
            "check or run are compared too; each of them is a separate bank, so a copy there is only a warning. "
            "A corrected or edited question is compared again before it is accepted."
        ),
        "Why it matters": "the same question twice tests nothing twice, and one of them gives the other away.",
        "Fix": "needs an author: keep one of the two, or make them ask different things.",
    },
    compares=True,
    keeps_one=True,
)
"""The rule on near-duplicates of earlier questions."""

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
    keeps_one=True,
)

DOUBTFUL = DocumentRule(
    id=KEY_DOUBTFUL,
    title="Key in doubt",
    severity="warning",
    summary="a judge that was not shown the key does not choose it.",
    sections={
        "What it looks for": (
            "the answers of judges that are not shown the key. One that is sure of anything but the key alone (another "
            "option, none, several) is an error: the question waits for a person, however many others choose the key. "
            "So do two different models that are unsure and have the same against the key. Any other doubt is a "
            "warning, which every summary counts. After a repair the model that wrote it does not solve; after one "
            "that can change the right answer, the question waits unless a judge is sure of the key and none is "
            "against it. Only runs with `--judges` have this rule."
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
        "question without seeing the key. A judge that is sure of it makes it an error, and the question waits for a "
        "person. Only runs with `--judges` have this rule.",
        "Why it matters": "two right answers make the score a matter of luck.",
        "Fix": "needs an author: narrow the stem, or change all but one of these options.",
    },
)

DOCUMENT_RULES = (ALIKE, CONTRADICTING, DOUBTFUL, EQUAL)

RULES = Dimension("rules", minimum=1.0)


KEY = "key"
"""The score of a key that a repair put in doubt: the share of blind judges that choose it."""


def gate(judges: int, *, key_in_doubt: bool = False) -> GatePolicy:
    """The gate: no rule reports an error; more than half of the judges, if any, have no objection; and all judges that
    were not shown the key choose it, if a repair put it in doubt."""
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


ESCALATION = 3
"""The different faults of one field that turn all its warnings into errors."""
RAISED = f"(An error here, because the field has {ESCALATION} warnings or more.)"


@dataclass(frozen=True, slots=True)
class Part:
    """One item of a set, seen as a question of its own."""

    question: Question
    places: Mapping[str, str]
    """Field of the part -> field of the whole question; other fields keep their names."""

    def place(self, field: Field) -> Field:
        if field is None:
            return None
        head, dot, rest = field.partition(".")
        return f"{self.places.get(head, head)}{dot}{rest}"

    def placed(self, finding: Finding) -> Finding:
        """The finding and its fix with their fields in the whole question."""
        fix = replace(finding.fix, field=self.place(finding.fix.field)) if finding.fix else None
        return replace(finding, field=self.place(finding.field), fix=fix)


def examine_all(questions: Sequence[Question], selection: Selection, context: BankContext) -> list[Examination]:
    """All rules on many questions. Questions with the same applicable rules are checked together, which is faster."""
    places: defaultdict[Alike, list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        places[alike(question, context)].append(place)
    examinations: dict[int, Examination] = {}
    for common, together in places.items():
        rules = Rules.of(common, selection)
        views = {place: parts(questions[place]) for place in together}
        every = [part.question for each in views.values() for part in each]
        found = iter(run_checks_on_all(selection, rules.checks, every, context))
        for place, each in views.items():
            examinations[place] = rules.examination(questions[place], each, islice(found, len(each)))
    return [examinations[place] for place in range(len(questions))]


Alike = tuple[str | None, frozenset[str]]
"""What decides which rules apply to a question: its language, and the rules that do not fit its type."""


def alike(question: Question, context: BankContext) -> Alike:
    """The group of a question. If it declares no language, that of the bank helps to detect it.

    If the keys of its bank count from zero, the rules judge it with the option that its key then means.
    """
    position = counted_position(question) if context.keys_from_zero else None
    if position is not None and position < len(question.options):
        question.__dict__["key"] = question.options[position]  # the cache of the cached property
    if not question.language and context.language:
        shown = detect(question.words_shown, document=context.language).language
        question.__dict__["language_shown"] = shown  # the cache of the cached property
    return question.language_shown, UNFIT.get(question.type, frozenset())


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that apply to a group of questions."""

    checks: Sequence[Check]
    skipped: tuple[str, ...]
    """Rules that do not support the language."""
    language: str | None
    dismissals: Dismissals

    @classmethod
    def of(cls, common: Alike, selection: Selection) -> Rules:
        language, unfit = common
        able, unable = selection.for_language(language)
        checks = [check for check in able if check.id not in unfit] if unfit else able
        return cls(checks, tuple(id for id in unable if id not in unfit), language, selection.dismissals)

    def examination(self, question: Question, parts: Sequence[Part], found: Iterable[list[Finding]]) -> Examination:
        """The examination from the findings in all parts of a question, with ignored, skipped and escalated ones."""
        raised: dict[object, Finding] = {}
        for part, noticed in zip(parts, found, strict=True):
            for finding in noticed:
                placed = part.placed(finding)
                # A finding on the shared options of a set occurs once per item: keep one.
                raised.setdefault((*placed.key, placed.message), placed)
        ignores = question.burnish_ignore
        kept = [finding for finding in raised.values() if finding.rule not in ignores]
        ignored = tuple(finding for finding in raised.values() if finding.rule in ignores)
        standing, dismissed = self.dismissals.split(standings(KIND).placed(kept, self.language))
        findings, escalated = escalate(standing)
        return Examination(
            findings,
            (*ignored, *dismissed),
            self.skipped,
            len(self.checks),
            escalated,
            self.language,
            unjudged=UNJUDGED,
        )


def escalate(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Turn the warnings of every field with at least ESCALATION different faults into errors; also give these fields.

    Warnings on overlapping words, or on the same words in two places, are one fault.
    """
    listed = list(findings)
    if len(listed) < ESCALATION:
        return tuple(listed), ()
    warnings: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in listed:
        if finding.severity == "warning" and finding.field is not None:
            warnings[finding.field].append(finding)
    full = tuple(field for field, found in warnings.items() if _faults(found) >= ESCALATION)
    return tuple(
        replace(f, severity="error", message=f"{f.message} {RAISED}")
        if f.severity == "warning" and f.field in full
        else f
        for f in listed
    ), full


def _faults(findings: Sequence[Finding]) -> int:
    """The number of different faults in one field. What quotes nothing is a fault of its own."""
    faults, end, words = 0, -1, set[str]()
    for finding in sorted(findings, key=lambda one: (one.start or 0, one.end or 0)):
        quoted = " ".join((finding.quote or "").casefold().split())
        faults += not quoted or (quoted not in words and (finding.start or 0) >= end)
        if quoted:
            words.add(quoted)
            end = max(end, finding.end or 0)
    return faults


def parts(question: Question) -> list[Part]:
    """The questions inside a question: itself, or each item of a set."""
    if not question.items:
        return [Part(question, {})]
    found = []
    for index, item in enumerate(question.items):
        here = f"items.{index}"
        own = ["correct_answer", "rationale"]
        texts: dict[str, object] = {"correct_answer": item.correct_answer, "rationale": item.rationale, "items": None}
        if item.options is not None:
            # A sequential set: one vignette, then items with their own stem and options.
            own += ["stem", "options"]
            texts |= {"stem": item.stem, "options": item.options}
            stem = "stem"
        else:
            # Extended matching: the item is a case; stem and options belong to the set.
            stem = "vignette" if question.stem else "stem"
            texts[stem] = item.stem
        places = {name: f"{here}.{name}" for name in own} | {stem: f"{here}.stem"}
        found.append(Part(revised(question, **texts), places))
    return found
