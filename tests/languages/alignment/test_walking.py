"""The sums over all walks, against all walks counted one by one."""

from itertools import product

import numpy as np
import pytest

from burnish.languages.alignment.training import WIDEST_JUMP, WIDTHS, ground, walk

NONE = 0.2
JUMPS = np.random.default_rng(1).random(WIDTHS) + 0.1


def by_hand(emitted: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Every walk by itself: place 0 is before the first word, and a word on none stays where the walk is."""
    steps, states = emitted.shape
    found, total = np.zeros((steps, states)), 0.0
    for path in product(range(states + 1), repeat=steps):
        weight, place = 1.0, 0
        for step, state in enumerate(path):
            if state == 0:
                weight *= NONE * alone[step]
            else:
                weight *= (1 - NONE) * step_weight(place, state, states) * emitted[step, state - 1]
                place = state
        weight *= step_weight(place, states + 1, states)
        total += weight
        for step, state in enumerate(path):
            if state:
                found[step, state - 1] += weight
    return found / total


def step_weight(place: int, to: int, states: int) -> float:
    reach = sum(JUMPS[other - place + WIDEST_JUMP] for other in range(1, states + 2))
    return float(JUMPS[to - place + WIDEST_JUMP] / reach)


@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_of_all_walks(seed: int) -> None:
    chance = np.random.default_rng(seed)
    emitted, alone = chance.random((1, 4, 3)).astype(np.float32), chance.random((1, 4)).astype(np.float32)
    stands = walk(emitted, alone, ground(np.array([3]), 3, JUMPS, NONE), NONE)
    assert np.allclose(stands.probabilities[0], by_hand(emitted[0], alone[0]), atol=1e-5)


def test_padding_changes_nothing() -> None:
    chance = np.random.default_rng(7)
    emitted, alone = chance.random((1, 4, 3)).astype(np.float32), chance.random((1, 4)).astype(np.float32)
    plain = walk(emitted, alone, ground(np.array([3]), 3, JUMPS, NONE), NONE)
    wider = np.zeros((1, 6, 5), dtype=np.float32)
    wider[:, :4, :3] = emitted
    longer = np.ones((1, 6), dtype=np.float32)
    longer[:, :4] = alone
    padded = walk(wider, longer, ground(np.array([3]), 5, JUMPS, NONE), NONE)
    assert np.allclose(padded.probabilities[:, :4, :3], plain.probabilities, atol=1e-5)
    assert not padded.probabilities[:, 4:].any()
    assert not padded.probabilities[:, :, 3:].any()
    assert np.allclose(padded.jumps, plain.jumps, atol=1e-4)


def test_every_walk_takes_as_many_jumps_as_it_has_stands_and_one_to_leave() -> None:
    chance = np.random.default_rng(9)
    emitted, alone = chance.random((5, 6, 4)).astype(np.float32), chance.random((5, 6)).astype(np.float32)
    stands = walk(emitted, alone, ground(np.full(5, 4), 4, JUMPS, NONE), NONE)
    assert stands.jumps.sum() == pytest.approx(stands.probabilities.sum() + 5, rel=1e-4)
