"""LEGO courses in the workbench: cuts over the words of both sentences, what was tried, how the course stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from burnish.core.presentation import UnitStory
from burnish.web.kinds import FocusParts, Panel, UnitParts
from burnish.web.kinds.legos.course import run_parts, terms_of
from burnish.web.kinds.legos.review import SeedReview, editor, facts, ready_cut, reason_words, worst_of

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """The kept cut beside the one that the course holds, and every attempt with its own."""
    review = SeedReview.of(story, terms_of(run))
    languages = review.languages
    fields = {f"L{position}" for position in range(1, len(review.draft.legos) + 1)}
    return UnitParts(
        panels=[
            Panel("kinds/legos/cuts_panel.html", {"review": review}, id="diff"),
            Panel("kinds/legos/attempts_panel.html", {"review": review}, id="findings"),
        ],
        lang=languages.source,
        languages={f"{field}.target": languages.target for field in fields},
    )


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """Why the SEED waits, the cut that is there, and the one that an acceptance would keep."""
    review = SeedReview.of(story, terms_of(run))
    worst = worst_of(review)
    cut = Panel("kinds/legos/cut.html", {"review": review})
    change = Panel("kinds/legos/change.html", {"review": review})
    ready = ready_cut(run, review)
    offer = Panel("kinds/legos/proposal.html", {"proposal": ready}) if ready is not None else None
    return FocusParts(
        reason=tuple(reason_words(run.view.kind, review)),
        severity=worst.severity if worst is not None else None,
        rule=worst.rule if worst is not None else None,
        facts=tuple(facts(run.view.kind, review)),
        earlier=sum(one.is_earlier for one in review.attempts),
        now=[cut, change] if review.draft.legos and not review.is_sound and offer is None else [cut],
        proposed=[change] if review.is_sound else [offer] if offer is not None else (),
    )
