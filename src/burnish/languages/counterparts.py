"""What a lexicon says of a whole paragraph: whether it is a translation of its source at all."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.languages.lexicon import Comparison, Lexicon
from burnish.languages.lexicons import is_trusted

FEWEST_WORDS = 10
"""Words of both sides together that must be looked at before it is sure that they do not belong together."""
FEWEST_DOUBTED = 16
"""And before there is a doubt: short sentences are often translated freely."""
NEARER = 0.42
"""How far from exchanged pairs (0) to sound ones (1) the floor may lie at most. Sound news text scored .45 and more."""
SURE = 1.2
"""What is this much further below the mean than the worst of a hundred sound pairs is surely no translation."""


def floor(lexicon: Lexicon, looked_at: int, strictness: float = 1.0) -> float:
    """The score that a sound pair with so many words to look at hardly ever falls below.

    Text of another kind than the lexicon was learned from scores less, so it never lies nearer to sound pairs than to
    exchanged ones.
    """
    about = lexicon.about
    nearer = about["unrelated"] + NEARER * (about["mean"] - about["unrelated"])
    return float(min(about["mean"] + strictness * about["spread"] / looked_at**0.5, nearer))


@dataclass(frozen=True, slots=True)
class Relation:
    """How a text and its translation belong together."""

    compared: Comparison
    is_doubtful: bool
    """The translation hardly says anything of what its source says: fewer than one sound pair in a hundred is so."""
    is_none: bool
    """It is surely the translation of something else."""


def relation(lexicon: Lexicon, source: str, target: str) -> Relation | None:
    """What the lexicon says of the two; None where too little can be looked at."""
    compared = lexicon.compare(source, target)
    if compared.score is None or compared.looked_at < FEWEST_WORDS or not compared.covers:
        return None
    doubtful, none = (compared.score < floor(lexicon, compared.looked_at, each) for each in (1.0, SURE))
    is_none = none and is_trusted(lexicon)
    return Relation(compared, is_none or (doubtful and compared.looked_at >= FEWEST_DOUBTED), is_none)
