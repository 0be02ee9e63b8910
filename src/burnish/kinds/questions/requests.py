"""What models are asked about a question, a review or a correction, and which parts of their answers count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from burnish.core.checks import Selection
from burnish.core.documents import Field
from burnish.core.edits import REFUSALS, Edit
from burnish.core.effects import Request
from burnish.core.findings import Finding
from burnish.core.tasks import RepairNotes
from burnish.kinds.questions.key_check import WIDE_RULES
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import UNFIT

if TYPE_CHECKING:
    from burnish.core.replies import EditReply, QuestionReviewReply

REVIEW_PROMPT = "burnish.kinds.questions.prompts:review"
JUDGED_RULES = (
    "nbme_distractor_plausibility",
    "nbme_ambiguous_information",
    "ext_vignette_relevance",
    "nbme_multiple_correct",
)
"""All thirty rules run without a model; about these four a model is asked as well."""
REVIEW_TOKENS = 900


def review_ask(question: Question, selection: Selection) -> Request | None:
    """The request to one judge, or None where no judged rule is selected.

    Every question of a bank is asked about under the same rules, so that prompts begin alike and can be cached; what
    the author ignores is not heard (`claims`).
    """
    rules = judged_rules(selection)
    if not set(rules) - set(question.burnish_ignore):
        return None
    summaries = {check.id: check.summary for check in selection.checks}
    return Request(
        role="reviewer",
        unit=question.id,
        prompt=REVIEW_PROMPT,
        reply="question_review_reply",
        trusted={"rules": "\n".join(f"- {rule}: {summaries[rule]}" for rule in rules)},
        untrusted={"question": "\n".join(f"{field}: {text}" for field, text in question.texts().items() if text)},
        max_tokens=REVIEW_TOKENS,
    )


def judged_rules(selection: Selection) -> tuple[str, ...]:
    selected = {check.id for check in selection.checks}
    return tuple(rule for rule in JUDGED_RULES if rule in selected)


def claims(question: Question, reply: QuestionReviewReply, selection: Selection, source: str) -> list[Finding]:
    """What the judge says, as findings that still have to be verified. What the author ignores, or what does not fit
    the type of the question, is not heard."""
    severities = {check.id: selection.severity(check) for check in selection.checks}
    return [
        Finding(
            rule=claim.ruleId,
            severity=severities.get(claim.ruleId, "error"),
            unit=question.id,
            field=claim.field,
            message=claim.message,
            suggestion=claim.suggestion,
            quote=claim.quote,
            source=source,
        )
        for claim in reply.violations
        if claim.ruleId not in question.burnish_ignore and claim.ruleId not in UNFIT.get(question.type, ())
    ]


CORRECTION_PROMPT = "burnish.kinds.questions.prompts:correct"
ALWAYS_SHOWN = ("vignette", "stem", "options.", "correct_answer")
"""What a correction is shown, of the question and of the items of a set."""
OPEN_TO_ALL = ("stem", "options.", "correct_answer")
"""What a finding about the whole question may change."""
OPEN_TO_WIDE = ("stem", "options.", "correct_answer", "rationale")
"""What may change together where a repair can change which answer is right."""
OPEN_TO_NOTES = ("stem", "options.")
"""What may change where a person sends a question back and no rule is broken. A wrong key is a person's to correct."""
COMPARING = frozenset(
    {
        "nbme_answer_homogeneity",
        "nbme_convergence_cues",
        "nbme_logical_cues",
        "nbme_longest_answer_correct",
        "nbme_lost_sequence",
    }
)
"""Rules that hold options against each other: whichever they name, any of them may be the one to change."""


def editable(question: Question, findings: Iterable[Finding]) -> frozenset[Field]:
    """The scope of a correction: the fields that the errors flag, and for rules whose repair can change the right
    answer everything that belongs together with the key. Nothing else may change."""
    flagged: set[Field] = set()
    for finding in findings:
        if finding.blocks:
            flagged.update(_fields_of(question, finding))
    return frozenset(flagged)


def _fields_of(question: Question, finding: Finding) -> Iterable[Field]:
    texts = question.texts()
    if finding.source.startswith("person:"):
        return [field for field in texts if field and _inner(field).startswith(OPEN_TO_NOTES)]
    if finding.rule in WIDE_RULES:
        item = _item(finding.field)
        near = (field for field in texts if field and (item is None or _item(field) in (None, item)))
        return [field for field in near if _inner(field).startswith(OPEN_TO_WIDE)]
    place = finding.field
    if place and finding.rule in COMPARING and "options." in place:
        # The list that the option stands in: `items.2.options` for `items.2.options.A`.
        place = f"{place.rpartition('options.')[0]}options"
    if place in texts:
        return [place]
    if place:
        return [field for field in texts if field and field.startswith(f"{place}.")]
    return [field for field in texts if field and _inner(field).startswith(OPEN_TO_ALL)]


def reworded(findings: Iterable[Finding]) -> frozenset[Field]:
    """The fields that rules of wording flag: their own words are the fault."""
    return frozenset(f.field for f in findings if f.blocks and f.rule not in WIDE_RULES)


def _inner(field: str) -> str:
    """The field's name inside its item: `stem` for `items.2.stem`."""
    item = _item(field)
    return field.removeprefix(f"{item}.") if item else field


def _item(field: Field) -> str | None:
    """The item of a set that the field lies in, such as `items.2`."""
    head, _, rest = (field or "").partition(".")
    return f"items.{rest.partition('.')[0]}" if head == "items" else None


def correction_ask(question: Question, findings: Sequence[Finding], notes: RepairNotes) -> Request:
    """The request for one correction. It shows stem, options, key and the flagged fields, not the rest."""
    errors = [finding for finding in findings if finding.blocks]
    fields = editable(question, errors)
    characters = sum(len(text) for field, text in question.texts().items() if field in fields)
    return Request(
        role="corrector",
        unit=question.id,
        prompt=CORRECTION_PROMPT,
        reply="edit_reply",
        trusted={"attempt": str(notes.attempt), "attempts": str(notes.attempts), "history": _history(notes)},
        untrusted={"question": _excerpt(question, fields), "violations": "\n".join(map(_violation, errors))},
        # Twice the flagged text in tokens (find and replace), and room for the reasoning.
        max_tokens=600 + characters,
    )


def _excerpt(question: Question, fields: frozenset[Field]) -> str:
    """Of a set only the flagged items; all of them where what they share is flagged."""
    items = {_item(field) for field in fields}
    lines = [f"unit: {question.id}", f"open fields: {', '.join(sorted(map(str, fields)))}"]
    for field, text in question.texts().items():
        near = _item(field) is None or None in items or _item(field) in items
        if field in fields or (text and near and _inner(str(field)).startswith(ALWAYS_SHOWN)):
            lines.append(f"{field}: {text}" if text else f"{field}: (empty)")
    return "\n".join(lines)


def _violation(finding: Finding) -> str:
    quote = f' | words: "{finding.quote}"' if finding.quote else ""
    suggestion = f" | suggestion: {finding.suggestion}" if finding.suggestion else ""
    field = finding.field or "question"
    return f"- {finding.rule} | field: {field}{quote} | {finding.message}{suggestion}"


def _history(notes: RepairNotes) -> str:
    """Why earlier tries failed, in our words: a failure's own text may quote what a model wrote."""
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


FAILURES = {
    "new_errors": "it raised as many errors as it settled",
    "reply_unreadable": "it was not the JSON object that was asked for",
    "judges_silent": "no judge could be heard about it",
}


def edits_of(reply: EditReply) -> list[Edit]:
    return [Edit(edit.unit, edit.field, edit.find, edit.replace) for edit in reply.edits]
