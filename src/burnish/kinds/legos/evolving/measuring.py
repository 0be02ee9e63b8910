"""What an arm of an experiment is worth: the SEED is cut by the model under these rules, and the cut is reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from burnish.core.asks import Ask
from burnish.core.experiments import Measured
from burnish.core.replies import LegoReply
from burnish.kinds.legos.answers import legos_of
from burnish.kinds.legos.asks import Commission, extract_ask
from burnish.kinds.legos.guarantees import with_uncovered
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.reviewing import review

NOTHING = Measured(score=0.0, concerns=1)
"""A SEED of which no LEGO came: the one concern is that nothing was cut."""


@dataclass(frozen=True, slots=True)
class Extractions:
    """The SEEDs of an experiment. Both arms are held against the same habits: those of the course as it stood."""

    seeds: Mapping[str, Seed]
    """By their ids, without LEGOs."""
    commission: Commission
    habits: Habits | None

    def ask(self, unit: str, rules: tuple[str, ...]) -> Ask:
        """The first cut of a SEED: what is measured is the prompt, and not what a second attempt makes good."""
        return extract_ask(self.seeds[unit], self.commission.with_rules(rules))

    def measured(self, unit: str, reply: object | None) -> Measured:
        if not isinstance(reply, LegoReply):
            return NOTHING
        tongue, rule = self.commission.tongue, self.commission.rule
        seed = legos_of(reply, self.seeds[unit]).seed
        if not seed.legos:
            return NOTHING
        found = review(with_uncovered(seed, tongue, rule), tongue, self.habits, rule)
        return Measured(found.overall, len(found.concerns))
