"""What the course says about words: how likely one word is the translation of another.

A course is small and inflected forms are many, so what is known about a word is eked out in two steps: forms that begin
alike share their counts, and words that are written alike in both languages start with a bonus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from burnish.kinds.legos.aligning.corpus import Corpus, Ints, Side

Weights = NDArray[np.float64]
Floats = NDArray[np.float32]

STEM_WEIGHT = 1.0
"""How many sightings of a word what is known of its stem is worth."""
CHANCE_WEIGHT = 0.3
"""How many sightings of a stem mere chance is worth: any word may translate any, frequent ones sooner."""
LIKENESS_WEIGHT = 5.0
"""How many sightings words are worth that are written the same in both languages."""
HELD_BACK = 0.8
"""Which part of what a sentence pair itself added is taken off when it is looked at again."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One direction: a given word is translated by a made one."""

    given: Ints
    """Meeting -> the given word."""
    stems: Ints
    """Meeting -> the meeting of their stems."""
    given_stems: Ints
    """Meeting of stems -> the given stem."""
    share: Weights
    """Meeting -> which part of all the forms of its stem the made word is."""
    prior: Weights
    """Meeting of stems -> what it is worth before anything was seen."""
    prior_total: Weights
    """Meeting of stems -> what all that the given stem may make is worth, stems that it never meets among them."""

    def learned(self, counts: Weights) -> Learned:
        """What is known after so many alignments of each meeting."""
        of_stems = np.bincount(self.stems, counts, len(self.prior))
        seen_stems = np.bincount(self.given_stems, of_stems)[self.given_stems]
        tables = (
            counts,
            np.bincount(self.given, counts)[self.given],
            (of_stems + self.prior)[self.stems],
            (seen_stems + self.prior_total)[self.stems],
            self.share,
        )
        return Learned(np.stack(tables, axis=1, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known after a round."""

    table: Floats
    """A row for every meeting: how often its words were aligned, and the given one with any; the same of their stems,
    with what was known before; the share. In one table, since what lies together is fetched together."""

    def probabilities(self, cells: NDArray[np.int32], own: Floats, axis: int) -> Floats:
        """For every cell how likely the given word makes the other.

        `own`: what each cell itself added to the counts. Most of it is taken off again, or every rare word would be
        sure of whatever it first met (its own echo). `axis`: where the made words lie.
        """
        rows = self.table.take(cells, axis=0)
        own = HELD_BACK * own
        own_seen = own.sum(axis=axis, keepdims=True)
        by_stems = _left(rows[..., 2], own) / _left(rows[..., 3], own_seen)
        found = _left(rows[..., 0], own) + STEM_WEIGHT * by_stems * rows[..., 4]
        found /= _left(rows[..., 1], own_seen) + STEM_WEIGHT
        found[cells == 0] = 0.0  # padding
        return found


def lexicons(corpus: Corpus, alike: Weights) -> tuple[Lexicon, Lexicon]:
    """Source to target and target to source. `alike`: meeting -> how alike the two words are written, 0..1."""
    sources, targets = corpus.meeting_sources, corpus.meeting_targets
    return (
        _lexicon(corpus.source, corpus.target, sources, targets, alike),
        _lexicon(corpus.target, corpus.source, targets, sources, alike),
    )


def chances(side: Side) -> NDArray[np.float32]:
    """Word number -> how likely the word stands there by itself; 1 for padding, which always does."""
    found = (side.frequencies / max(1.0, float(side.frequencies.sum()))).astype(np.float32)
    found[0] = 1.0
    return found


def _left(counts: Floats, own: Floats) -> Floats:
    """What stays without one's own; rounding may not carry it below nothing."""
    left: Floats = np.maximum(counts - own, np.float32(1e-9))
    return left


def _lexicon(given: Side, made: Side, given_words: Ints, made_words: Ints, alike: Weights) -> Lexicon:
    width = int(made.stems.max()) + 1
    keys, stems = np.unique(given.stems[given_words] * width + made.stems[made_words], return_inverse=True)
    frequencies = np.bincount(made.stems, made.frequencies)
    likeness = np.zeros(len(keys))
    np.maximum.at(likeness, stems, alike)
    chance = frequencies[keys % width] / max(1.0, float(frequencies.sum()))
    bonus = LIKENESS_WEIGHT * likeness**2
    given_stems = keys // width
    return Lexicon(
        given=given_words,
        stems=stems,
        given_stems=given_stems,
        share=made.frequencies[made_words] / np.maximum(1.0, frequencies[made.stems[made_words]]),
        prior=CHANCE_WEIGHT * chance + bonus,
        prior_total=CHANCE_WEIGHT + np.bincount(given_stems, bonus)[given_stems],
    )
