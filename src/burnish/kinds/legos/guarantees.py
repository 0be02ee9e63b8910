"""What every cut has to keep, whoever made it: verbatim halves, every word held, the Iron Rule. Checked in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from burnish.kinds.legos.iron_rule import IronRule, Span, unreachable
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.kinds.legos.scoring import Extraction, spans_of
from burnish.kinds.legos.tongues import Tongue
from burnish.kinds.legos.words import Word, words_of

MOST_NAMED = 12
"""Words of a long sentence that are named where they are missing."""


class Coverage(NamedTuple):
    """Words of the source sentence that stand in no LEGO, by their places."""

    lawful: tuple[int, ...]
    """At the edge of the sentence, where no lawful LEGO reaches them."""
    missing: tuple[int, ...]


def coverage(seed: Seed, tongue: Tongue, rule: IronRule) -> Coverage:
    """What the LEGOs of a SEED leave out. A word that two of them share between them is held."""
    words = words_of(seed.source)
    held = _held(seed)
    out = [place for place, word in enumerate(words) if not all(held[word.start : word.end])]
    beyond = unreachable(words, tongue, rule, multi_word_verbs(words, tongue)) if out else frozenset()
    return Coverage(tuple(p for p in out if p in beyond), tuple(p for p in out if p not in beyond))


def _held(seed: Seed) -> bytearray:
    """For each letter of the source sentence, whether it stands in a LEGO."""
    held = bytearray(len(seed.source))
    for lego in seed.legos:
        if lego.is_verbatim:
            held[lego.start : lego.end] = b"\x01" * (lego.end - lego.start)
    return held


def with_uncovered(seed: Seed, tongue: Tongue, rule: IronRule) -> Seed:
    """The SEED with the words noted that its LEGOs may lawfully leave out."""
    words = words_of(seed.source)
    lawful = coverage(seed, tongue, rule).lawful
    return replace(seed, uncovered=tuple(words[place].text for place in lawful))


def guarantees(seed: Seed, tongue: Tongue, rule: IronRule) -> tuple[str, ...]:
    """The guarantees that the LEGOs of a SEED break, in words; none where they keep them all.

    What the SEED itself calls uncovered is not believed, but looked at again.
    """
    if not seed.legos:
        return ("There is no LEGO.",)
    return (*_not_verbatim(seed), *_missing(seed, tongue, rule), *_unlawful(seed, tongue, rule))


def _not_verbatim(seed: Seed) -> Iterator[str]:
    for place, lego in enumerate(seed.legos, start=1):
        halves = (
            ("source", seed.source, lego.source, lego.start, lego.end),
            ("target", seed.target, lego.target, lego.target_start, lego.target_end),
        )
        for name, sentence, text, start, end in halves:
            if not 0 <= start < end or sentence[start:end] != text:
                yield f'The {name} half of {seed.provenance(place)}, "{text}", does not stand in its sentence.'


def _missing(seed: Seed, tongue: Tongue, rule: IronRule) -> Iterator[str]:
    missing = coverage(seed, tongue, rule).missing
    if missing:
        words = words_of(seed.source)
        named = ", ".join(f'"{words[place].text}"' for place in missing[:MOST_NAMED])
        more = len(missing) - MOST_NAMED
        yield f"No LEGO holds {named}{f' and {more} more' if more > 0 else ''}."


def _unlawful(seed: Seed, tongue: Tongue, rule: IronRule) -> Iterator[str]:
    for piece in Extraction.of(seed, tongue).pieces:
        violation = piece.violation(tongue, rule)
        if violation is not None:
            edge = "begins" if violation.edge == "start" else "ends"
            name = f'{seed.provenance(piece.position)}, "{piece.lego.source}",'
            yield f'{name} {edge} with the preposition "{violation.word}".'


def word_span(words: Sequence[Word], lego: Lego) -> Span:
    """The words that a LEGO's source half holds, torn ones among them."""
    [span] = spans_of(words, (lego,))
    return span
