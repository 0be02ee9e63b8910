"""A ready proposal for a SEED that no attempt got right: the cut of the built-in extractor, where that passes.

It costs nothing and keeps every rule, so a person who agrees with it decides with one key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from burnish.engine.staging import FACTS
from burnish.kinds.legos.doubts import doubtful
from burnish.kinds.legos.examining import look
from burnish.kinds.legos.facts import CourseFacts
from burnish.kinds.legos.flagging import ACCEPT
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.people import BAR
from burnish.kinds.legos.stages.extracting import cut_by_rules
from burnish.web.kinds.legos.drawing import Drawing, LegoChange, changes, drawing, is_same_cut
from burnish.web.kinds.legos.focus import Waiting

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

NOTE = "As the built-in extractor cuts it."
"""What is written down beside the decision of who takes it."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A cut that passes."""

    waiting: Waiting
    seed: Seed
    score: float
    concerns: int
    """What still speaks against it, and keeps nobody from accepting it."""

    @property
    def note(self) -> str:
        return NOTE

    def drawing(self) -> Drawing:
        return drawing(self.seed, self.waiting.terms, label="Proposed", proposed=True)

    def changes(self) -> tuple[LegoChange, ...]:
        """Beside the best cut so far."""
        return changes(self.waiting.stands, self.seed)

    def fields(self) -> dict[str, str]:
        """The fields of the editor with this cut in them: all of it in the first."""
        text = "\n".join(f"{lego.source}{BAR}{lego.target}" for lego in self.seed.legos)
        return {name: text if place == 0 else "" for place, name in enumerate(self.waiting.field_names())}


def ready_cut(run: RunCatalogue, waiting: Waiting) -> Proposal | None:
    """The proposal, where the cut that stands does not pass and the built-in extractor has one that does."""
    if waiting.is_sound or waiting.story.row.state != run.view.kind.states.waiting:
        return None
    facts = CourseFacts(orjson.loads(run.view.journal.get_meta(FACTS) or "{}"))
    links = facts.links(waiting.source)
    for habits in (facts.cutting, None) if links else ():
        made = cut_by_rules(waiting.source, links, waiting.terms, habits)
        looked = look(made, waiting.terms, facts.habits, links)
        passes = looked.review.overall >= ACCEPT and not looked.broken and not doubtful(made, links)
        if passes and not is_same_cut(made, waiting.stands):
            return Proposal(waiting, made, looked.review.overall, len(looked.review.concerns))
    return None
