"""Judging meaning: the rules that a model can see further into than code can."""

from __future__ import annotations

from burnish.core.asks import Ask
from burnish.core.checks import Selection
from burnish.core.findings import Finding
from burnish.core.replies import QuestionReviewReply
from burnish.kinds.questions.model import Question

PROMPT = "burnish.kinds.questions.prompts:review"
JUDGED_RULES = (
    "nbme_distractor_plausibility",
    "nbme_ambiguous_information",
    "ext_vignette_relevance",
    "nbme_multiple_correct",
)
"""All thirty rules run without a model; about these four a model is asked as well."""
ROOM = 900


def review_ask(question: Question, selection: Selection) -> Ask | None:
    """The request to one judge, or None where no judged rule is selected."""
    rules = [rule for rule in judged_rules(selection) if rule not in question.burnish_ignore]
    if not rules:
        return None
    summaries = {check.id: check.summary for check in selection.checks}
    return Ask(
        role="reviewer",
        unit=question.id,
        prompt=PROMPT,
        reply="question_review_reply",
        trusted={"rules": "\n".join(f"- {rule}: {summaries[rule]}" for rule in rules)},
        untrusted={"question": "\n".join(f"{field}: {text}" for field, text in question.texts().items() if text)},
        max_tokens=ROOM,
    )


def judged_rules(selection: Selection) -> tuple[str, ...]:
    selected = {check.id for check in selection.checks}
    return tuple(rule for rule in JUDGED_RULES if rule in selected)


def claims(question: Question, reply: QuestionReviewReply, selection: Selection, source: str) -> list[Finding]:
    """What the judge says, as findings that still have to be verified. What the author ignores is not heard."""
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
        if claim.ruleId not in question.burnish_ignore
    ]
