"""What may become of a SEED, for an estimate: nobody is asked."""

from __future__ import annotations

from burnish.core.records import AttemptRecord
from burnish.kinds.legos.concerns import Concern, Suggestion
from burnish.kinds.legos.model import DIMENSIONS, OVERALL, Seed, words_of
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.work.extraction import cut_by_rules

LONG = "Every LEGO of it begins or ends with a preposition, so that hardly any of them can be taught. " * 4
"""As long as the words of a concern, and of a guarantee that is broken, may be."""


def pretended(seed: Seed, terms: Terms) -> Seed:
    """Cut as if every word stood across from its own: about what a model makes of it."""
    source, target = len(words_of(seed.source)), len(words_of(seed.target))
    across = tuple((place, place * target // source) for place in range(source)) if target else ()
    return cut_by_rules(seed, across, terms, None)


def pretended_failure(seed: Seed) -> AttemptRecord:
    """A review that its LEGOs did not pass, with as much to tell whoever tries again as there may be."""
    scores = dict.fromkeys(DIMENSIONS, 0.0)
    concern = Concern.of("c_iron_rule_violation", LONG, (), LONG)
    suggestion = Suggestion.of("s_extend_beyond_preposition", LONG, scores)
    broken = [f"{number}. {LONG}" for number in range(3)]
    measured = {"concerns": [concern.as_record()], "suggestions": [suggestion.as_record()], "broken": broken}
    return AttemptRecord(
        unit=seed.id,
        number=2,
        cause="review",
        content=seed.as_record(),
        content_hash=seed.content_hash,
        scores=dict.fromkeys((*DIMENSIONS, OVERALL), 0.0),
        findings=(),
        passed=False,
        checked={"measured": measured},
    )
