"""The requests to models about a question, for a review or a correction, and the parts of their answers that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from burnish.core.checks import Selection
from burnish.core.documents import Field
from burnish.core.edits import REFUSALS, Edit
from burnish.core.effects import Request
from burnish.core.findings import Finding
from burnish.core.tasks import RepairNotes
from burnish.core.together import ITEMS
from burnish.kinds.questions.key_check import WIDE_RULES
from burnish.kinds.questions.labels import entry_about, named_id
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import KEY_DOUBTFUL, UNFIT

if TYPE_CHECKING:
    from burnish.core.replies import AnswerReply, EditReply, QuestionReviewReply, ReviewedItemPart

REVIEW_PROMPT = "burnish.kinds.questions.prompts:review"
ANSWER_PROMPT = "burnish.kinds.questions.prompts:answer"
COMPARE_PROMPT = "burnish.kinds.questions.prompts:compare"
JUDGED_RULES = (
    "nbme_distractor_plausibility",
    "nbme_ambiguous_information",
    "ext_vignette_relevance",
    "nbme_multiple_correct",
)
"""All rules run without a model; these four also need a reader who understands the item, so the prompt names them."""
OTHER = "other"
READERS_RULES = {
    KEY_DOUBTFUL: "the key is not the right answer, or no option is.",
    "ext_rationale_completeness": "the rationale is wrong, or does not explain the key.",
    "stem_broken": "the item is cut off, garbled, or does not make sense.",
    "wrong_language": "a part is in another language than the item.",
    "key_given_away": "the item can be answered without knowing its subject.",
    OTHER: "anything else; say what.",
}
"""What readers may object to besides the rules."""
REVIEW_TOKENS = 900
ANSWER_TOKENS = 400
USUAL_TOKENS = 90
"""Of an answer about one question: two sentences, and an entry with its id."""
COMPARE_TOKENS = 700
REASONS_TO_COMPARE = ("factual_accuracy", "clarity_readability")
"""The criteria that the schema of a comparison offers for new issues; nobody reads them."""


def review_ask(question: Question, selection: Selection, claims: Sequence[Finding] = ()) -> Request | None:
    """The request to one judge, or None if the author ignores all that a judge could say.

    All questions of a bank get the same list of rules, so that prompts share a prefix and can be cached; `objections`
    drops what the author ignores. `claims` are claims of others that the reader answers by number.
    """
    rules = readers_rules(selection)
    if not set(rules) - set(question.burnish_ignore):
        return None
    listed = "\n".join(f"  - {rule}: {summary}" for rule, summary in rules.items())
    return Request(
        role="reviewer",
        unit=question.id,
        prompt=REVIEW_PROMPT,
        reply="question_review_reply",
        trusted={"rules": listed},
        untrusted={ITEMS: shown_item(question, claims)},
        max_tokens=REVIEW_TOKENS,
        item=question.id,
        usual=USUAL_TOKENS,
    )


def answer_ask(question: Question, claims: Sequence[Finding]) -> Request:
    """The request to another judge to uphold or deny what one judge alone objects to."""
    return Request(
        role="reviewer",
        unit=question.id,
        prompt=ANSWER_PROMPT,
        reply="question_review_reply",
        trusted={},
        untrusted={ITEMS: shown_item(question, claims)},
        max_tokens=ANSWER_TOKENS,
        item=question.id,
        usual=USUAL_TOKENS,
    )


def parted(reply: object, ids: Sequence[str]) -> dict[str, object]:
    """The reply about each item of a request; an item is left out unless exactly one entry names it."""
    given = cast("QuestionReviewReply | AnswerReply", reply)
    named = [(named_id(ids, entry.id), entry) for entry in given.items]
    times = Counter(id for id, _ in named if id is not None)
    return {id: given.model_copy(update={"items": (entry,)}) for id, entry in named if id and times[id] == 1}


def shown_item(question: Question, claims: Sequence[Finding] = ()) -> str:
    """The item with its id first and the claims to answer last. Metadata are left out unless a claim is about them:
    learners do not see them."""
    claimed = {claim.field for claim in claims}
    shown = {
        field: text
        for field, text in question.texts().items()
        if text and (field in claimed or not (field or "").startswith("metadata."))
    }
    lines = [f"id: {question.id}", *(f"{field}: {text}" for field, text in shown.items())]
    return "\n".join([*lines, *(f"claim {number}: {_claim(claim)}" for number, claim in enumerate(claims, 1))])


def readers_rules(selection: Selection) -> dict[str, str]:
    """What the prompt of a review names: rule -> summary."""
    summaries = {check.id: check.summary for check in selection.checks}
    return {rule: summaries[rule] for rule in JUDGED_RULES if rule in summaries} | READERS_RULES


def reviewed_item(question: Question, reply: QuestionReviewReply) -> ReviewedItemPart | None:
    """What the reply says of the question; None if nothing is about it."""
    return entry_about(question.id, reply.items)


def objections(question: Question, item: ReviewedItemPart, selection: Selection, source: str) -> list[Finding]:
    """What a judge objects to, to be verified. A rule that is none of ours is `other`, and an objection to the key is
    `key_doubtful` whatever it is called. What the author ignores, and rules that do not fit the type of the question,
    are left out."""
    severities = {check.id: selection.severity(check) for check in selection.checks}
    found = []
    for one in item.violations:
        rule = _rule_of(one.ruleId, one.field, severities)
        message = one.message if rule == one.ruleId.strip() else f"{one.message} (The judge calls it {one.ruleId!r}.)"
        place = (rule, severities.get(rule, "error"), question.id, one.field, message, one.suggestion, one.quote)
        found.append(Finding(*place, source=source))
    unheard = {*question.burnish_ignore, *UNFIT.get(question.type, ())}
    return [finding for finding in found if finding.rule not in unheard]


def _rule_of(named: str, field: str | None, known: Collection[str]) -> str:
    rule = named.strip()
    if _inner(field or "") == "correct_answer":
        return KEY_DOUBTFUL
    return rule if rule in known or rule in READERS_RULES else OTHER


CORRECTION_PROMPT = "burnish.kinds.questions.prompts:correct"
ALWAYS_SHOWN = ("vignette", "stem", "options.", "correct_answer")
"""Fields of the question and of the items of a set that every correction prompt shows."""
OPEN_TO_ALL = ("stem", "options.", "correct_answer")
"""Fields that a repair may change for a finding about the whole question."""
OPEN_TO_WIDE = ("stem", "options.", "correct_answer", "rationale")
"""Fields that may change together for rules whose repair can change the right answer."""
TRUE_FALSE = "nbme_true_false"
OPEN_TO_TRUE_FALSE = ("stem", "options.", "rationale")
"""Its suggestion asks for one question, and for options that answer it."""
OPEN_TO_NOTES = ("stem", "options.")
"""Fields that may change if a reviewer sent the question back and no rule is broken. Only a person corrects the key."""
COMPARING = frozenset(
    {
        "nbme_answer_homogeneity",
        "nbme_convergence_cues",
        "nbme_logical_cues",
        "nbme_longest_answer_correct",
        "nbme_lost_sequence",
    }
)
"""Rules that compare options: whichever option they name, the repair may change any of them."""


def editable(question: Question, findings: Iterable[Finding]) -> frozenset[Field]:
    """The fields that a correction may change: those that the errors flag, and for WIDE_RULES also the key and all that
    must agree with it."""
    flagged: set[Field] = set()
    for finding in findings:
        if finding.blocks:
            flagged.update(_fields_of(question, finding))
    return frozenset(flagged)


def _fields_of(question: Question, finding: Finding) -> Iterable[Field]:
    texts = question.texts()
    if finding.source.startswith("person:"):
        return [field for field in texts if field and _inner(field).startswith(OPEN_TO_NOTES)]
    if finding.rule in WIDE_RULES or finding.rule == TRUE_FALSE:
        item = _item(finding.field)
        near = (field for field in texts if field and (item is None or _item(field) in (None, item)))
        opened = OPEN_TO_WIDE if finding.rule in WIDE_RULES else OPEN_TO_TRUE_FALSE
        return [field for field in near if _inner(field).startswith(opened)]
    place = finding.field
    if place and finding.rule in COMPARING and "options." in place:
        # The list that holds the option: `items.2.options` for `items.2.options.A`.
        place = f"{place.rpartition('options.')[0]}options"
    if place in texts:
        return [place, *_explanations(question, place)]
    if place:
        below = [field for field in texts if field and field.startswith(f"{place}.")]
        return [*below, *_explanations(question, place)]
    return [field for field in texts if field and _inner(field).startswith(OPEN_TO_ALL)]


def _explanations(question: Question, place: Field) -> Iterator[Field]:
    """The rationale that explains an option: it may need another clause where the option changes."""
    if _inner(str(place)).startswith("options"):
        item = _item(place)
        for field, text in question.texts().items():
            if text and field and _inner(field) == "rationale" and _item(field) == item:
                yield field


def reworded(question: Question, findings: Iterable[Finding]) -> frozenset[Field]:
    """The fields flagged for their own wording. Statements that become answers to one question are written anew."""
    errors = [finding for finding in findings if finding.blocks]
    restated = any(finding.rule == TRUE_FALSE for finding in errors)
    options = {field for field in question.texts() if restated and "options." in str(field)}
    return frozenset(options.union(finding.field for finding in errors if finding.rule not in WIDE_RULES))


def _inner(field: str) -> str:
    """The name of the field inside its item: `stem` for `items.2.stem`."""
    item = _item(field)
    return field.removeprefix(f"{item}.") if item else field


def _item(field: Field) -> str | None:
    """The item of a set that contains the field, such as `items.2`."""
    head, _, rest = (field or "").partition(".")
    return f"items.{rest.partition('.')[0]}" if head == "items" else None


def correction_ask(question: Question, findings: Sequence[Finding], notes: RepairNotes) -> Request:
    """The request for one correction. The prompt shows stem, options, key and the flagged fields only."""
    errors = [finding for finding in findings if finding.blocks]
    violations = "\n".join([*_numbered(errors), *_last(notes)])
    fields = editable(question, errors)
    characters = sum(len(text) for field, text in question.texts().items() if field in fields)
    return Request(
        role="corrector",
        unit=question.id,
        prompt=CORRECTION_PROMPT,
        reply="edit_reply",
        trusted={"attempt": str(notes.attempt), "attempts": str(notes.attempts), "history": _history(notes)},
        untrusted={
            "question": _excerpt(question, fields),
            "violations": violations,
        },
        # Twice the flagged text in tokens (find and replace), plus room for the reasoning.
        max_tokens=600 + characters,
    )


def _excerpt(question: Question, fields: frozenset[Field]) -> str:
    """The text to show: of a set only the flagged items, or all items if a shared field is flagged."""
    items = {_item(field) for field in fields}
    lines = [f"unit: {question.id}", f"open fields: {', '.join(sorted(map(str, fields)))}"]
    for field, text in question.texts().items():
        near = _item(field) is None or None in items or _item(field) in items
        if field in fields or (text and near and _inner(str(field)).startswith(ALWAYS_SHOWN)):
            lines.append(f"{field}: {text}" if text else f"{field}: (empty)")
    return "\n".join(lines)


def _numbered(claims: Sequence[Finding]) -> Iterator[str]:
    return (f"{number}. {_claim(claim)}" for number, claim in enumerate(claims, 1))


def _claim(finding: Finding) -> str:
    quote = f' | words: "{finding.quote}"' if finding.quote else ""
    suggestion = f" | suggestion: {finding.suggestion}" if finding.suggestion else ""
    return f"{finding.rule} | field: {finding.field or 'question'}{quote} | {finding.message}{suggestion}"


def _last(notes: RepairNotes) -> Iterator[str]:
    """The last edits, and why they were not used."""
    if notes.last_edits:
        yield "Your last edits were not used:"
        for edit in notes.last_edits:
            yield f"  {edit['field']}: {edit['find']!r} -> {edit['replace']!r}"
    if notes.last_reason:
        yield f"Why: {notes.last_reason[:LONGEST_REASON]}"


def compare_ask(before: Question, after: Question, claims: Sequence[Finding], differences: Sequence[str]) -> Request:
    """The request to a judge to compare a repair with what it replaces. `differences`: what code saw change."""
    old, new = before.texts(), after.texts()
    changed = [field for field, text in old.items() if new.get(field) != text]
    same = (f"{field}: {text}" for field, text in old.items() if text and field not in changed)
    shown = [
        f"id: {before.id}",
        "asked for:",
        *_numbered(claims),
        "the same in both:",
        *same,
        "before:",
        *(f"{field}: {old[field] or '(empty)'}" for field in changed),
        "after:",
        *(f"{field}: {new.get(field) or '(empty)'}" for field in changed),
        "differences:",
        *(f"{number}: {message}" for number, message in enumerate(differences, 1)),
    ]
    return Request(
        role="reviewer",
        unit=before.id,
        prompt=COMPARE_PROMPT,
        reply="delta_reply",
        trusted={},
        untrusted={ITEMS: "\n".join(shown)},
        max_tokens=COMPARE_TOKENS,
        scores=REASONS_TO_COMPARE,
    )


def _history(notes: RepairNotes) -> str:
    """Why earlier tries failed, in fixed sentences: the text of a failure may quote model output."""
    lines = []
    for name, _, rest in (failure.partition(": ") for failure in notes.failures):
        reason = FAILURES.get(name, "it did not settle the violations")
        if name == "edit_refused":
            reason = REFUSALS.get(rest.partition(":")[0], "an edit could not be applied")
        lines.append(f"An earlier answer was not used: {reason}.")
    lines += [f"An earlier correction left the violations below: {correction}" for correction in notes.corrections]
    if notes.note:
        lines.append(f"A reviewer sent this question back with the note: {notes.note}")
    if not lines:
        return "" if notes.attempt == 1 else "The one before it left the violations below."
    return "\n".join(lines)


LONGEST_REASON = 1200
FAILURES = {
    "not_the_same": "a reader of both versions would not publish it",
    "nothing_edited": "it had no edit",
    "new_errors": "it raised as many errors as it settled",
    "reply_unreadable": "it was not the JSON object that was asked for",
    "judges_silent": "no judge could be heard about it",
}


def edits_of(reply: EditReply) -> list[Edit]:
    return [Edit(edit.unit, edit.field, edit.find, edit.replace) for edit in reply.edits]
