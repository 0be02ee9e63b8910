"""Doubts about a cut that keeps every rule: halves that do not seem to say the same, as far as the links between the
words of the two sentences tell.

    elsewhere    at least as many links lead out of a LEGO as stay inside it: its target half is another LEGO's
    unshown      a third or less of the words of both halves are linked to each other: nothing much shows that they
                 belong together

A LEGO that is the whole of both sentences is not doubted: whoever wrote the SEED says that they say the same. Where a
sentence pair has no links at all, nothing can be said. The lines were drawn where nearly all cuts with exchanged target
halves are doubted, and few of those that the built-in extractor makes (`python -m bench.eval.legos`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from burnish.kinds.legos.model import Lego, Seed, plain_line
from burnish.kinds.legos.placement import Links, Sentence, grouped

LEAST_SHOWN = 0.34
"""Share of the words of both halves that have to be linked to each other."""
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class _Tie:
    """How the halves of a LEGO are tied to each other."""

    inside: int
    """Links between them."""
    outside: int
    """Links that lead from one of them elsewhere."""
    shown: float
    """Share of the words of both that have a link inside."""


def doubtful(seed: Seed, links: Links) -> tuple[str, ...]:
    """Why the LEGOs of a SEED are doubted, one sentence for each that is; none where nothing speaks against them. A
    LEGO with a half that does not stand in its sentence is left to the guarantees."""
    return tuple(_doubts(seed, links)) if links else ()


def _doubts(seed: Seed, links: Links) -> Iterator[str]:
    source, target = Sentence(seed.source), Sentence(seed.target)
    there, back = grouped(links), grouped([(theirs, ours) for ours, theirs in links])
    for place, lego in enumerate(seed.legos, start=1):
        if not lego.is_verbatim:
            continue
        words = source.inside(lego.start, lego.end)
        target_words = target.inside(lego.target_start, lego.target_end)
        if (len(words), len(target_words)) == (len(source.words), len(target.words)):
            continue
        tie = _tie(words, target_words, there, back)
        if tie.outside and tie.outside >= tie.inside:
            yield f"The words of {_name(seed, place, lego)} are said elsewhere in the other sentence."
        elif tie.shown < LEAST_SHOWN:
            yield f"Little shows that the halves of {_name(seed, place, lego)} say the same."


def _tie(
    words: range, target_words: range, there: Mapping[int, Sequence[int]], back: Mapping[int, Sequence[int]]
) -> _Tie:
    out = [[theirs in target_words for theirs in there.get(word, ())] for word in words]
    home = [[ours in words for ours in back.get(word, ())] for word in target_words]
    inside = sum(map(sum, out))
    outside = sum(len(one) - sum(one) for one in (*out, *home))
    return _Tie(inside, outside, sum(map(any, (*out, *home))) / max(1, len(words) + len(target_words)))


def _name(seed: Seed, place: int, lego: Lego) -> str:
    source, target = (plain_line(half, _LONGEST_QUOTE) for half in (lego.source, lego.target))
    return f'{seed.provenance(place)}, "{source}" = "{target}",'
