"""Questions in the workbench: the item as a learner sees it, the correction beside it, and the bank as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from burnish.core.presentation import UnitStory
from burnish.web.kinds import FocusParts, Panel, UnitParts, Words
from burnish.web.kinds.questions.bank import run_parts
from burnish.web.kinds.questions.review import QuestionReview, editor, facts, reason_words
from burnish.web.kinds.questions.twins import DUPLICATE, twins_of
from burnish.web.labels import lang_tag

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

KEY_REASONS = frozenset({"key_doubtful", "key_unchecked", "options_equal"})
"""Why a question waits whose key is in doubt: models may not settle it, so no verb is suggested."""

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """The item beside its correction, and what became of every finding."""
    review = QuestionReview(story, run.precision())
    return UnitParts(
        panels=[
            Panel("kinds/questions/item_panels.html", {"review": review}, id="diff"),
            Panel("kinds/questions/findings_panel.html", {"review": review}, id="findings"),
        ],
        lang=lang_tag(review.after.language_shown),
    )


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """Why the question waits, the original, and the correction that an acceptance would keep."""
    review = QuestionReview(story, run.precision())
    kind, worst = run.view.kind, review.worst
    twins = twins_of(run, story) if worst is not None and worst.finding.rule == DUPLICATE else None
    if twins is not None:
        title = "Both questions, differences marked"
        return FocusParts(
            reason=(Words(f"{twins.mine.id} is {twins.share} % like {twins.other.id}"),),
            severity=worst.mark.severity if worst is not None else None,
            rule=DUPLICATE,
            facts=tuple(facts(review, kind)),
            now=[Panel("kinds/questions/twins.html", {"twins": twins}, title)],
            other=twins.other.id,
            drop_reason=twins.reason,
            suggested="drop" if twins.suggests_drop else "",
        )
    return FocusParts(
        reason=tuple(reason_words(review, kind)),
        severity=worst.mark.severity if worst is not None else None,
        rule=worst.finding.rule if worst is not None else None,
        facts=tuple(facts(review, kind)),
        suggested="" if story.row.reason in KEY_REASONS else "accept",
        now=[
            Panel("kinds/questions/pair.html", {"review": review}),
            Panel("kinds/questions/findings.html", {"review": review}),
        ],
    )
