"""A unit's story with its drafts read: what pages compare, mark and list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from burnish.app.labels import CAUSES, STAGED_CAUSES, failure_of
from burnish.core.documents import Field, Unit
from burnish.core.gate import Dimension
from burnish.core.kinds import PublishedKind, UnitStory, recorded_draft
from burnish.core.records import AttemptRecord

BEST, PREVIOUS, SOURCE = "best", "previous", "source"
"""What a draft may be compared with, besides any other attempt by its number."""
WRITTEN_FIRST = ("review", "person")
"""Where units move through stages, a draft is written first; only these carry a verdict."""


@dataclass(frozen=True)
class Chronicle:
    """Everything that happened to one unit, ready to be shown."""

    kind: PublishedKind
    story: UnitStory
    seats: int = 0
    """How many judges the run has: the gate asks for more where there are some."""
    kind_name: str = ""

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        return self.story.attempts

    @cached_property
    def standing(self) -> AttemptRecord | None:
        """The attempt whose draft is kept; None before the first."""
        return self.attempt(self.story.row.best_attempt) or (self.attempts[0] if self.attempts else None)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What is scored and has a line to reach. One whose line is the lowest score there is only informs."""
        return tuple(one for one in self.kind.gate(self.seats).dimensions if one.minimum > one.lowest)

    def attempt(self, number: int) -> AttemptRecord | None:
        return self.attempts[number - 1] if 0 < number <= len(self.attempts) else None

    def draft(self, attempt: AttemptRecord | None) -> Unit:
        """The unit as it was after an attempt; None: as it was handed in."""
        if attempt is None:
            return self.story.source
        return recorded_draft(self.kind, attempt) or self.story.source

    def texts(self, attempt: AttemptRecord | None) -> Mapping[Field, str]:
        return self.draft(attempt).texts()

    def before(self, attempt: AttemptRecord) -> AttemptRecord | None:
        """The attempt whose draft this one was made from; None: the source itself."""
        earlier = self.attempts[: attempt.number - 1]
        wanted = (attempt.receipt or {}).get("before")
        for one in reversed(earlier):
            if one.content_hash == wanted or (wanted is None and one.content_hash != attempt.content_hash):
                return one
        return None

    def against(self, attempt: AttemptRecord, named: str | None) -> tuple[str, AttemptRecord | None]:
        """What an attempt is compared with, by the name or number in the address, and that name."""
        if named == SOURCE:
            return SOURCE, None
        if named == BEST and self.standing is not None:
            return BEST, self.standing
        if named is not None and named.isdecimal() and (chosen := self.attempt(int(named[:9]))) is not None:
            return str(chosen.number), chosen
        return PREVIOUS, self.before(attempt)

    def cause(self, attempt: AttemptRecord) -> str:
        """Where a draft comes from, in words."""
        if not self.kind.traits.is_phased:
            return CAUSES[attempt.cause]
        if attempt.cause == "model" and (attempt.receipt is not None or attempt.edits):
            return "reworked by the smallest edit" if attempt.edits else "reworked: written again"
        return STAGED_CAUSES.get(self.kind_name, {}).get(attempt.cause) or CAUSES[attempt.cause]

    def is_judged(self, attempt: AttemptRecord) -> bool:
        """Whether the attempt carries a verdict: a draft that was only written has none yet."""
        return not self.kind.traits.is_phased or attempt.cause in WRITTEN_FIRST

    def why_unused(self, attempt: AttemptRecord) -> str | None:
        """Why the attempt brought no draft worth keeping, in words; None where it did."""
        return failure_of(self.kind, attempt.failure) if attempt.failure else None

    def shortfall(self, attempt: AttemptRecord) -> tuple[Dimension, float] | None:
        """The score that misses its line by most, or (where all reach theirs) the one that is nearest to its own."""
        scored = [(one, attempt.scores[one.name]) for one in self.dimensions if one.name in attempt.scores]
        return min(scored, key=lambda pair: pair[1] - pair[0].minimum, default=None)

    def reviewed(self) -> Sequence[AttemptRecord]:
        """The attempts that somebody looked at: those whose findings count."""
        return [attempt for attempt in self.attempts if self.is_judged(attempt)]
