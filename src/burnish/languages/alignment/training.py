"""Training of the word alignment over a whole course.

Two models, one for each direction, are trained by agreement: the product of both counts (Liang, Taskar and Klein 2006).
First by words and positions alone (IBM 1 with a diagonal), then with a hidden Markov model of the jumps from word to
word. Deterministic: the same pairs give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from burnish.languages.alignment.corpus import Batch, Corpus, Ints, Side, likenesses

Weights = NDArray[np.float64]
Floats = NDArray[np.float32]
Known = tuple[Weights, Weights]
"""For every meeting (two words of one pair), the probability of translation from the source and from the target."""

STEM_WEIGHT = 1.0
"""The weight of the counts of a stem, in sightings of a word."""
CHANCE_WEIGHT = 0.3
"""The weight of chance, in sightings of a stem: any word may translate any other, frequent ones more often."""
LIKENESS_WEIGHT = 5.0
"""The weight of being written the same in both languages, in sightings."""
KNOWN_WEIGHT = 2.0
"""The weight, in sightings, of a word that the bilingual lexicon has as the only translation of another."""
HELD_BACK = 0.8
"""The share of its own counts that is subtracted when a sentence pair is read again."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One direction: the probability of a made (translating) word for a given word."""

    given: Ints
    """Meeting -> the given word."""
    stems: Ints
    """Meeting -> the meeting of their stems."""
    given_stems: Ints
    """Meeting of stems -> the given stem."""
    share: Weights
    """Meeting -> the share of the made word among all forms of its stem."""
    prior: Weights
    """Meeting of stems -> its prior weight."""
    prior_total: Weights
    """Meeting of stems -> the prior weight of all that the given stem may make, including stems that it never meets."""

    def learned(self, counts: Weights) -> Learned:
        """The probabilities after so many alignments of each meeting."""
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
    """The probabilities after a round."""

    table: Floats
    """A row for every meeting: how often its words were aligned, and the given one with any; the same for their stems,
    with priors; the share. One table, so that a row is one memory access."""

    def probabilities(self, cells: NDArray[np.int32], own: Floats, axis: int) -> Floats:
        """For every cell, the probability that the given word makes the other.

        `own`: what each cell itself added to the counts. Most of it is subtracted, or a rare word would confirm
        whatever it first met. `axis`: the axis of the made words.
        """
        rows = self.table.take(cells, axis=0)
        own = HELD_BACK * own
        own_seen = own.sum(axis=axis, keepdims=True)
        by_stems = _left(rows[..., 2], own) / _left(rows[..., 3], own_seen)
        found = _left(rows[..., 0], own) + STEM_WEIGHT * by_stems * rows[..., 4]
        found /= _left(rows[..., 1], own_seen) + STEM_WEIGHT
        found[cells == 0] = 0.0  # padding
        return found


def lexicons(corpus: Corpus, alike: Weights, known: Known | None = None) -> tuple[Lexicon, Lexicon]:
    """Source to target and target to source. `alike`: meeting -> how similar the two words are written, 0..1. `known`:
    prior probabilities of translation, in both directions."""
    sources, targets = corpus.meeting_sources, corpus.meeting_targets
    ahead, back = known if known is not None else (np.zeros(corpus.meetings), np.zeros(corpus.meetings))
    return (
        _lexicon(corpus.source, corpus.target, sources, targets, alike, ahead),
        _lexicon(corpus.target, corpus.source, targets, sources, alike, back),
    )


def chances(side: Side) -> NDArray[np.float32]:
    """Word number -> its relative frequency; 1 for padding."""
    found = (side.frequencies / max(1.0, float(side.frequencies.sum()))).astype(np.float32)
    found[0] = 1.0
    return found


def _left(counts: Floats, own: Floats) -> Floats:
    """Counts without one's own, kept above 0 against rounding."""
    left: Floats = np.maximum(counts - own, np.float32(1e-9))
    return left


def _lexicon(given: Side, made: Side, given_words: Ints, made_words: Ints, alike: Weights, known: Weights) -> Lexicon:
    width = int(made.stems.max()) + 1
    keys, stems = np.unique(given.stems[given_words] * width + made.stems[made_words], return_inverse=True)
    frequencies = np.bincount(made.stems, made.frequencies)
    likeness = np.zeros(len(keys))
    np.maximum.at(likeness, stems, alike)
    expected = np.zeros(len(keys))
    np.maximum.at(expected, stems, known)
    chance = frequencies[keys % width] / max(1.0, float(frequencies.sum()))
    bonus = LIKENESS_WEIGHT * likeness**2 + KNOWN_WEIGHT * expected
    given_stems = keys // width
    return Lexicon(
        given=given_words,
        stems=stems,
        given_stems=given_stems,
        share=made.frequencies[made_words] / np.maximum(1.0, frequencies[made.stems[made_words]]),
        prior=CHANCE_WEIGHT * chance + bonus,
        prior_total=CHANCE_WEIGHT + np.bincount(given_stems, bonus)[given_stems],
    )


WIDEST_JUMP = 15
"""Wider jumps count as this one."""
WIDTHS = 2 * WIDEST_JUMP + 1


@dataclass(frozen=True, slots=True)
class Stands:
    """The posterior of the hidden Markov model for a batch."""

    probabilities: Floats
    """(B, J, I): the probability that word j is aligned to word i. The rest to 1: to none."""
    jumps: NDArray[np.float64]
    """The expected count of each width of jump, from the widest back to the widest ahead."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The transitions of the hidden Markov model for a batch. Place 0 is before the first word."""

    jumps: Floats
    """(I+1, I+1): the weight of the jump from one place to another, not normalised."""
    onward: Floats
    """(B, I+1): the factor that normalises it, leaving room for words aligned to none."""
    leaving: Floats
    """(B, I+1): the probability that the sentence ends after a place."""
    widths: NDArray[np.int64]
    end_widths: NDArray[np.int64]
    """The width of each jump, as an index into the table of jumps."""


def ground(lengths: NDArray[np.int64], states: int, jumps: NDArray[np.float64], none: float) -> Ground:
    """`lengths`: the number of words of each sentence walked over; `none`: the probability of alignment to none."""
    places = np.arange(states + 1)
    widths = _widths(places[None, :] - places[:, None])
    end_widths = _widths(lengths[:, None] + 1 - places[None, :])
    table = jumps[widths].astype(np.float32)
    table[:, 0] = 0.0
    ends = jumps[end_widths].astype(np.float32)
    within = (places[None, :] <= lengths[:, None]).astype(np.float32)
    reach = within @ table.T + ends
    return Ground(table, (1 - none) / reach * within, ends / reach * within, widths, end_widths)


def walk(emitted: Floats, alone: Floats, over: Ground, none: float) -> Stands:
    """`emitted` (B, J, I), `alone` (B, J): the probability of each word given each word, given none. Padding: 0, 1."""
    batch, steps, states = emitted.shape
    emitted = np.concatenate([np.zeros((batch, steps, 1), dtype=np.float32), emitted], axis=2)
    resting = none * alone
    arrived = np.empty((steps, batch, states + 1), dtype=np.float32)
    places = np.zeros((steps + 1, batch, states + 1), dtype=np.float32)
    places[0, :, 0] = 1.0
    scales = np.empty((steps, batch, 1), dtype=np.float32)
    for step in range(steps):
        arrived[step] = ((places[step] * over.onward) @ over.jumps) * emitted[:, step]
        here = arrived[step] + resting[:, step, None] * places[step]
        scales[step] = here.sum(axis=1, keepdims=True)
        arrived[step] /= scales[step]
        places[step + 1] = here / scales[step]
    return _backward(emitted, resting, arrived, places, scales, over)


def _backward(
    emitted: Floats, resting: Floats, arrived: Floats, places: Floats, scales: Floats, over: Ground
) -> Stands:
    steps, batch, states = arrived.shape
    behind = over.leaving / (places[steps] * over.leaving).sum(axis=1, keepdims=True)
    left = places[steps] * behind
    found = np.empty((batch, steps, states - 1), dtype=np.float32)
    taken = np.zeros((states, states))
    for step in range(steps - 1, -1, -1):
        found[:, step] = (arrived[step] * behind)[:, 1:]
        coming = emitted[:, step] * behind / scales[step]
        taken += (places[step] * over.onward).T @ coming
        behind = (coming @ over.jumps.T) * over.onward + (resting[:, step, None] / scales[step]) * behind
    within = np.bincount(over.widths.ravel(), (taken * over.jumps).ravel(), WIDTHS)
    out = np.bincount(over.end_widths.ravel(), left.ravel(), WIDTHS)
    return Stands(found, np.add(within, out, dtype=np.float64))


def _widths(jumps: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.clip(jumps, -WIDEST_JUMP, WIDEST_JUMP) + WIDEST_JUMP


FIRST_ROUNDS = 4
"""Rounds by words and positions alone."""
WALKING_ROUNDS = 3
NONE = 0.1
"""The probability that a word translates no word of the other sentence."""
DIAGONAL = 1.0
"""How strongly the first rounds prefer words at the same relative position."""
FIRST_JUMPS = np.exp(-0.5 * np.abs(np.arange(WIDTHS) - WIDEST_JUMP - 1)) + 1e-3
"""The jumps before any training: mostly to the next word."""
UNSEEN_JUMPS = np.zeros(WIDTHS)


@dataclass(frozen=True, slots=True)
class Opinion:
    """The alignment of a batch in both directions."""

    batch: Batch
    ahead: Floats
    """(B, I, J): the probability that each target word is aligned to each source word."""
    back: Floats
    """(B, I, J): the probability that each source word is aligned to each target word."""
    jumps_ahead: Weights
    jumps_back: Weights
    """The jumps of the target words over the source, and of the source words over the target."""


class Training:
    """The training on one course."""

    def __init__(self, corpus: Corpus, known: Known | None = None) -> None:
        self._corpus = corpus
        sources, targets = corpus.meeting_sources, corpus.meeting_targets
        alike = likenesses(corpus.source.words, corpus.target.words, sources, targets)
        self._lexicon_ahead, self._lexicon_back = lexicons(corpus, alike, known)
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
        """Every batch, with the probabilities of its words for each other in both directions."""
        ahead, back = self._lexicon_ahead.learned(self._counts), self._lexicon_back.learned(self._counts)
        for batch, own in zip(self._corpus.batches, self._agreed, strict=True):
            yield batch, ahead.probabilities(batch.cells, own, axis=2), back.probabilities(batch.cells, own, axis=1)


def _shares(jumps: Weights) -> Weights:
    """Counted jumps as shares. The outermost widths include all wider ones, so they are capped at their neighbours."""
    jumps = jumps.copy()
    jumps[0], jumps[-1] = min(jumps[0], jumps[1]), min(jumps[-1], jumps[-2])
    shares: Weights = jumps / jumps.sum()
    return shares


def _nearness(batch: Batch) -> Floats:
    """(B, I, J): 1 for words at the same relative position, less the farther apart."""
    sources = _parts(batch.cells.shape[1], batch.source_lengths)
    targets = _parts(batch.cells.shape[2], batch.target_lengths)
    near: Floats = np.exp(-DIAGONAL * np.abs(sources[:, :, None] - targets[:, None, :]))
    return near


def _parts(width: int, lengths: Ints) -> Floats:
    return ((np.arange(width)[None, :] + 0.5) / lengths[:, None]).astype(np.float32)
