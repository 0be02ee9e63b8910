"""What an arm of an experiment is worth: the SEED is cut by the model under these rules, and the cut is reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from burnish.core.asks import Ask
from burnish.core.experiments import Measured
from burnish.core.replies import LegoReply
from burnish.kinds.legos.answers import legos_of
from burnish.kinds.legos.asks import Commission, extract_ask
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.reviewing import review


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
        """The review of the cut; of a SEED without LEGOs where the answer could not be used."""
        seed = self.seeds[unit]
        cut = legos_of(reply, seed).seed if isinstance(reply, LegoReply) else seed
        found = review(cut, self.commission.tongue, self.habits, self.commission.rule)
        return Measured(found.overall, len(found.concerns))
