"""Naturalness: whether the sentence is cut where a speaker would pause.

    .30 multi-word verbs     10, less 2 for each of which no LEGO holds all words
    .40 boundaries           mean over the LEGOs of 10, less 3 for each: ends on a verb that wants something behind it
                             (want, going, able); ends on a determiner; ends on a particle while another LEGO follows
    .30 completeness         mean over the LEGOs: of two words 10 with a pronoun and a verb, else 6; of three and more 9
                             with a pronoun, else 7; of one 8

Our reading of the rule: an incomplete verb and a determiner count at the end of every LEGO, whether another one
follows or not, and whatever stands behind it. They do not count where nothing was cut off: at the end of the sentence,
and where a mark closes the clause right behind. There "want" is complete ("What do you want?") and "this" a pronoun
("I like this."). A particle dangles unless it belongs to a verb in the same LEGO ("turn it off").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burnish.kinds.legos.habits import reaches
from burnish.kinds.legos.multiwords import Verb
from burnish.kinds.legos.scoring.extraction import Extraction, Piece
from burnish.kinds.legos.scoring.phrases import holds_pronoun, holds_verb
from burnish.kinds.legos.scoring.rounding import mean
from burnish.languages.profiles import Tongue

BoundaryFault = Literal["incomplete_verb", "determiner", "particle"]
A_SPLIT = 2.0
A_BOUNDARY_FAULT = 3.0


def naturalness(extraction: Extraction) -> float:
    """The score of naturalness."""
    tongue = extraction.tongue
    boundaries = mean([boundary_score(boundary_faults(piece, extraction)) for piece in extraction.pieces])
    complete = mean([completeness(piece.bares, tongue) for piece in extraction.pieces])
    return 0.30 * verbs_score(len(split_verbs(extraction))) + 0.40 * boundaries + 0.30 * complete


def verbs_score(splits: int) -> float:
    return max(0.0, 10 - A_SPLIT * splits)


def split_verbs(extraction: Extraction) -> tuple[Verb, ...]:
    """The multi-word verbs that no LEGO holds whole."""
    reach = reaches(len(extraction.words), extraction.spans)
    return tuple(verb for verb in extraction.verbs if reach[verb.first] < verb.end)


def boundary_score(faults: Sequence[BoundaryFault]) -> float:
    return 10 - A_BOUNDARY_FAULT * len(faults)


def boundary_faults(piece: Piece, extraction: Extraction) -> tuple[BoundaryFault, ...]:
    """What is wrong with the end of a LEGO."""
    return faults_at_end(piece, extraction.tongue, another_follows=piece.span[1] < extraction.reach)


def faults_at_end(piece: Piece, tongue: Tongue, another_follows: bool) -> tuple[BoundaryFault, ...]:
    """What is wrong with the end of a LEGO behind which another follows, or not."""
    if not piece.size or not piece.is_torn_behind:
        return ()
    last = piece.bares[-1]
    found: dict[BoundaryFault, bool] = {
        "incomplete_verb": last in tongue.incomplete_verbs,
        "determiner": last in tongue.determiners,
        "particle": last in tongue.particles and another_follows and not piece.ends_in_verb(),
    }
    return tuple(fault for fault, holds in found.items() if holds)


def completeness(bares: Sequence[str], tongue: Tongue) -> float:
    """How much of a thought a LEGO of these words is."""
    if len(bares) == 2:
        return 10.0 if holds_pronoun(bares, tongue) and holds_verb(bares, tongue) else 6.0
    if len(bares) > 2:
        return 9.0 if holds_pronoun(bares, tongue) else 7.0
    return 8.0
