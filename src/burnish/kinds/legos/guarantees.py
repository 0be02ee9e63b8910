"""What every cut has to keep, whoever made it: verbatim halves, every word held, the Iron Rule, and halves that do not
contradict what the course shows about their words. Checked in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from burnish.kinds.legos.iron_rule import IronRule, unreachable
from burnish.kinds.legos.locating import Links, Sentence, grouped
from burnish.kinds.legos.model import NOWHERE, Seed
from burnish.kinds.legos.scoring import Extraction
from burnish.kinds.legos.words import Word, words_of
from burnish.languages.profiles import Tongue

MOST_NAMED = 12
"""Words of a long sentence that are named where they are missing."""
MOST_LEFT_OUT = 0.5
"""Share of the target's words that may be in no LEGO: languages say things with more words and with fewer."""


class Coverage(NamedTuple):
    """Words of the source sentence that stand in no LEGO, by their places."""

    lawful: tuple[int, ...]
    """At the edge of the sentence, where no lawful LEGO reaches them."""
    missing: tuple[int, ...]


def coverage(seed: Seed, tongue: Tongue, rule: IronRule) -> Coverage:
    """What the LEGOs of a SEED leave out. A word that two of them share between them is held."""
    return coverage_of(Extraction.of(seed, tongue), rule)


def coverage_of(extraction: Extraction, rule: IronRule) -> Coverage:
    """The same for a SEED whose words were looked at already."""
    words, held = extraction.words, _held(extraction.seed)
    out = [place for place, word in enumerate(words) if not all(held[word.start : word.end])]
    beyond = unreachable(words, extraction.tongue, rule, extraction.verbs) if out else frozenset()
    return Coverage(tuple(p for p in out if p in beyond), tuple(p for p in out if p not in beyond))


def _held(seed: Seed) -> bytearray:
    """For each letter of the source sentence, whether it stands in a LEGO."""
    held = bytearray(len(seed.source))
    for lego in seed.legos:
        if lego.start != NOWHERE:
            held[lego.start : lego.end] = b"\x01" * (lego.end - lego.start)
    return held


def with_uncovered(seed: Seed, tongue: Tongue, rule: IronRule) -> Seed:
    """The SEED with the words noted that its LEGOs may lawfully leave out."""
    words = words_of(seed.source)
    lawful = coverage(seed, tongue, rule).lawful
    return replace(seed, uncovered=tuple(words[place].text for place in lawful))


def guarantees(seed: Seed, tongue: Tongue, rule: IronRule, links: Links | None = None) -> tuple[str, ...]:
    """The guarantees that the LEGOs of a SEED break, in words; none where they keep them all.

    What the SEED itself calls uncovered is not believed, but looked at again. `links` are those of the two sentences;
    without them nothing is said about whether halves belong together.
    """
    if not seed.legos:
        return ("There is no LEGO.",)
    extraction = Extraction.of(seed, tongue)
    return (
        *_not_verbatim(seed),
        *_missing(extraction, rule),
        *_unlawful(extraction, rule),
        *(_contradicted(seed, links) if links else ()),
    )


def _not_verbatim(seed: Seed) -> Iterator[str]:
    for place, lego in enumerate(seed.legos, start=1):
        halves = (
            ("source", seed.source, lego.source, lego.start, lego.end),
            ("target", seed.target, lego.target, lego.target_start, lego.target_end),
        )
        for name, sentence, text, start, end in halves:
            if not 0 <= start < end or sentence[start:end] != text:
                yield f'The {name} half of {seed.provenance(place)}, "{text}", does not stand in its sentence.'


def _missing(extraction: Extraction, rule: IronRule) -> Iterator[str]:
    missing = coverage_of(extraction, rule).missing
    if missing:
        yield f"No LEGO holds {_named([extraction.words[place] for place in missing])}."


def _named(words: Sequence[Word]) -> str:
    named = ", ".join(f'"{word.text}"' for word in words[:MOST_NAMED])
    more = len(words) - MOST_NAMED
    return f"{named}{f' and {more} more' if more > 0 else ''}"


def _unlawful(extraction: Extraction, rule: IronRule) -> Iterator[str]:
    for piece in extraction.pieces:
        violation = piece.violation(extraction.tongue, rule)
        if violation is not None:
            edge = "begins" if violation.edge == "start" else "ends"
            name = f'{extraction.seed.provenance(piece.position)}, "{piece.lego.source}",'
            yield f'{name} {edge} with the preposition "{violation.word}".'


def _contradicted(seed: Seed, links: Links) -> Iterator[str]:
    """LEGOs whose halves share no link although their words have some, and a target that is mostly left out."""
    source, target = Sentence(seed.source), Sentence(seed.target)
    there, back = grouped(links), grouped([(theirs, ours) for ours, theirs in links])
    held: set[int] = set()
    held_target: set[int] = set()
    for place, lego in enumerate(seed.legos, start=1):
        if not lego.is_verbatim:
            continue
        words = source.inside(lego.start, lego.end)
        target_words = target.inside(lego.target_start, lego.target_end)
        held.update(words)
        held_target.update(target_words)
        leading = [theirs in target_words for word in words for theirs in there.get(word, ())]
        if not any(leading) and (leading or any(word in back for word in target_words)):
            yield f"The halves of {seed.provenance(place)} do not say the same, as far as the words of the course tell."
    out = [place for place in range(len(target.words)) if place not in held_target]
    said = [target.words[place] for place in out if not held.isdisjoint(back.get(place, ()))]
    if said and len(out) > MOST_LEFT_OUT * len(target.words):
        yield f"Most of the target is in no LEGO, although the source says it: {_named(said)}."
