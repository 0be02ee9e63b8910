"""Learning which words translate each other, over the whole course.

Two models, one a direction, are trained by agreement: what counts is the product of what both say (Liang, Taskar and
Klein 2006). First by words and places alone (IBM 1 with a diagonal), then with the walk of one sentence over the other
(a hidden Markov model). No chance is involved: the same pairs give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from burnish.kinds.legos.aligning.corpus import Batch, Corpus, Ints
from burnish.kinds.legos.aligning.lexicon import Weights, chances, lexicons
from burnish.kinds.legos.aligning.spelling import likenesses
from burnish.kinds.legos.aligning.walking import WIDEST_JUMP, WIDTHS, Floats, ground, walk

FIRST_ROUNDS = 4
"""By words and places alone."""
WALKING_ROUNDS = 3
NONE = 0.1
"""How likely a word translates no word of the other sentence."""
DIAGONAL = 1.0
"""How strongly words at the same part of their sentences are preferred at first."""
FIRST_JUMPS = np.exp(-0.5 * np.abs(np.arange(WIDTHS) - WIDEST_JUMP - 1)) + 1e-3
"""Before anything was seen: mostly on to the next word."""
UNSEEN_JUMPS = np.zeros(WIDTHS)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What both directions say of a batch."""

    batch: Batch
    ahead: Floats
    """(B, I, J): how likely each target word stands on each source word."""
    back: Floats
    """(B, I, J): how likely each source word stands on each target word."""
    jumps_ahead: Weights
    jumps_back: Weights
    """The jumps that the target words took over the source, and the other way round."""


class Training:
    """One course being learned."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        sources, targets = corpus.meeting_sources, corpus.meeting_targets
        alike = likenesses(corpus.source.words, corpus.target.words, sources, targets)
        self._lexicon_ahead, self._lexicon_back = lexicons(corpus, alike)
        self._source_chances, self._target_chances = chances(corpus.source), chances(corpus.target)
        self._counts: Weights = np.zeros(corpus.meetings)
        self._agreed = [np.zeros(batch.cells.shape, dtype=np.float32) for batch in corpus.batches]
        self._jumps_ahead = self._jumps_back = FIRST_JUMPS

    def opinions(self) -> Iterator[Opinion]:
        """Every batch, after all rounds."""
        for _ in range(FIRST_ROUNDS):
            self._learn(self._by_place())
        for _ in range(WALKING_ROUNDS):
            self._learn(self._by_walking())
        yield from self._by_walking()

    def _learn(self, opinions: Iterable[Opinion]) -> None:
        counts = np.zeros(self._corpus.meetings)
        jumps_ahead, jumps_back = np.ones(WIDTHS), np.ones(WIDTHS)
        for place, opinion in enumerate(opinions):
            self._agreed[place] = opinion.ahead * opinion.back
            counts += np.bincount(opinion.batch.cells.ravel(), self._agreed[place].ravel(), len(counts))
            jumps_ahead += opinion.jumps_ahead
            jumps_back += opinion.jumps_back
        counts[0] = 0.0  # padding
        self._counts = counts
        self._jumps_ahead, self._jumps_back = _shares(jumps_ahead), _shares(jumps_back)

    def _by_place(self) -> Iterator[Opinion]:
        for batch, made_ahead, made_back in self._made():
            near = _nearness(batch)
            ahead, back = made_ahead * near, made_back * near
            ahead /= ahead.sum(axis=1, keepdims=True) + NONE * self._target_chances[batch.targets][:, None, :]
            back /= back.sum(axis=2, keepdims=True) + NONE * self._source_chances[batch.sources][:, :, None]
            yield Opinion(batch, ahead, back, UNSEEN_JUMPS, UNSEEN_JUMPS)

    def _by_walking(self) -> Iterator[Opinion]:
        for batch, made_ahead, made_back in self._made():
            _, sources, targets = batch.cells.shape
            over_source = ground(batch.source_lengths, sources, self._jumps_ahead, NONE)
            over_target = ground(batch.target_lengths, targets, self._jumps_back, NONE)
            ahead = walk(made_ahead.transpose(0, 2, 1), self._target_chances[batch.targets], over_source, NONE)
            back = walk(made_back, self._source_chances[batch.sources], over_target, NONE)
            stands = ahead.probabilities.transpose(0, 2, 1)
            yield Opinion(batch, stands, back.probabilities, ahead.jumps, back.jumps)

    def _made(self) -> Iterator[tuple[Batch, Floats, Floats]]:
        """Every batch, with how likely its words make each other in both directions."""
        ahead, back = self._lexicon_ahead.learned(self._counts), self._lexicon_back.learned(self._counts)
        for batch, own in zip(self._corpus.batches, self._agreed, strict=True):
            yield batch, ahead.probabilities(batch.cells, own, axis=2), back.probabilities(batch.cells, own, axis=1)


def _shares(jumps: Weights) -> Weights:
    """Counted jumps as shares. The outermost widths stand for all wider ones, and none of those is likelier."""
    jumps = jumps.copy()
    jumps[0], jumps[-1] = min(jumps[0], jumps[1]), min(jumps[-1], jumps[-2])
    shares: Weights = jumps / jumps.sum()
    return shares


def _nearness(batch: Batch) -> Floats:
    """(B, I, J): 1 where both words stand at the same part of their sentences, less the farther apart."""
    sources = _parts(batch.cells.shape[1], batch.source_lengths)
    targets = _parts(batch.cells.shape[2], batch.target_lengths)
    near: Floats = np.exp(-DIAGONAL * np.abs(sources[:, :, None] - targets[:, None, :]))
    return near


def _parts(width: int, lengths: Ints) -> Floats:
    return ((np.arange(width)[None, :] + 0.5) / lengths[:, None]).astype(np.float32)
