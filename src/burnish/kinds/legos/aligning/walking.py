"""The hidden Markov model of alignment: how one sentence walks over the other, word by word.

Every word of the walking sentence stands on one word of the other, or on none and the walk stays where it is. Forward
and backward sums give the probability of every stand, for all the sentence pairs of a batch at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
WIDEST_JUMP = 15
"""Wider jumps are as likely as this one."""
WIDTHS = 2 * WIDEST_JUMP + 1


@dataclass(frozen=True, slots=True)
class Stands:
    """Where the words of the walking sentences stand."""

    probabilities: Floats
    """(B, J, I): word j stands on word i. What is missing to 1 stands on none."""
    jumps: NDArray[np.float64]
    """How often each width of jump was taken, from the widest back to the widest ahead."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the walk of one batch goes over. Place 0 is before the first word."""

    jumps: Floats
    """(I+1, I+1): how likely the jump from a place to another is, not yet shared out."""
    onward: Floats
    """(B, I+1): what shares it out, and leaves room for words that stand on none."""
    leaving: Floats
    """(B, I+1): how likely the walk ends after a place."""
    widths: NDArray[np.int64]
    end_widths: NDArray[np.int64]
    """The width of each jump, as places in the table of jumps."""


def ground(lengths: NDArray[np.int64], states: int, jumps: NDArray[np.float64], none: float) -> Ground:
    """`lengths`: how many words each sentence has to stand on; `none`: how likely a word stands on none."""
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
    """`emitted` (B, J, I), `alone` (B, J): how likely each word is on each word, and on none. Padding: 0, and 1."""
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
