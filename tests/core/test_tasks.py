"""Batches: limited by number and by weight, and nothing is lost between them."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.records import UnitRow
from burnish.core.tasks import Item, batches_of
from tests.core.units import PlainUnit


@dataclass
class Limits:
    size: int
    room: int

    def weight(self, item: Item) -> int:
        return len(item.unit.texts()["stem"])


def batched(size: int, room: int, weights: list[int]) -> list[list[int]]:
    units = [PlainUnit.of(str(place), stem="x" * weight) for place, weight in enumerate(weights)]
    items = [Item(UnitRow(unit.id, "", at, "", ""), unit, unit, ()) for at, unit in enumerate(units)]
    stage: Any = Limits(size, room)
    return [[len(item.unit.texts()["stem"]) for item in batch] for batch in batches_of(stage, items)]


@pytest.mark.parametrize(
    ("size", "room", "weights", "batches"),
    [
        (2, 100, [1, 1, 1], [[1, 1], [1]]),
        (9, 5, [2, 3, 1], [[2, 3], [1]]),
        (9, 5, [9, 1, 9], [[9], [1], [9]]),
        (9, 5, [1, 9, 1], [[1], [9], [1]]),
        (9, 5, [5, 5], [[5], [5]]),
        (1, 5, [1, 1], [[1], [1]]),
        (9, 5, [4, 4, 1], [[4], [4, 1]]),
        (9, 5, [], []),
    ],
)
def test_a_batch_ends_where_the_next_unit_would_be_too_much(
    size: int, room: int, weights: list[int], batches: list[list[int]]
) -> None:
    assert batched(size, room, weights) == batches


@given(st.integers(1, 4), st.integers(1, 20), st.lists(st.integers(0, 30), max_size=20))
def test_no_unit_is_lost_and_only_a_lone_one_is_too_large(size: int, room: int, weights: list[int]) -> None:
    batches = batched(size, room, weights)
    assert [weight for batch in batches for weight in batch] == weights
    for batch in batches:
        assert 0 < len(batch) <= size and (sum(batch) <= room or len(batch) == 1)
    for batch, following in pairwise(batches):
        assert len(batch) == size or sum(batch) + following[0] > room
