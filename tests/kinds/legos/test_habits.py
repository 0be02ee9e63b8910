"""What a course keeps together."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.json_bytes import dumps, loads
from burnish.kinds.legos.evidence import Against, Habit, HabitCounter, Habits, neighbours
from burnish.kinds.legos.model import words_of

Cut = tuple[str, list[tuple[int, int]]]


def habits_of(*cuts: Cut) -> Habits:
    counter = HabitCounter()
    for sentence, spans in cuts:
        counter.add(words_of(sentence), spans)
    return counter.habits()


def test_pairs_of_one_seed_are_no_pattern() -> None:
    habits = habits_of(("I want to to to", [(0, 5)]), ("I want it", [(0, 1), (1, 3)]))
    assert habits.pairs == {("i", "want"): Habit(joined=1, parted=1)}


def test_words_in_no_lego_are_neither_joined_nor_parted() -> None:
    assert list(neighbours(words_of("with you I can"), [(1, 2), (2, 4)])) == [
        (1, ("you", "i"), False),
        (2, ("i", "can"), True),
    ]


def test_legos_that_overlap_join_what_one_of_them_holds() -> None:
    cut = neighbours(words_of("a b c d"), [(0, 2), (1, 3), (3, 4), (0, 0)])
    pairs = {pair: joined for _, pair, joined in cut}
    assert pairs == {("a", "b"): True, ("b", "c"): True, ("c", "d"): False}


def test_agreement_leaves_the_seed_itself_out() -> None:
    like, unlike = ("I want to go", [(0, 2), (2, 4)]), ("I want to", [(0, 3)])
    habits = habits_of(like, like, unlike)
    # "i want" is joined three times; "want to" is parted twice and joined once; "to go" is joined twice.
    assert habits.agreement(words_of(like[0]), like[1]) == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert habits.agreement(words_of(unlike[0]), unlike[1]) == pytest.approx((1 + 0) / 2)
    assert habits.against(words_of(unlike[0]), unlike[1]) == (Against(1, ("want", "to"), joined=True),)


def test_a_cut_that_was_not_counted_agrees_with_nothing() -> None:
    habits = habits_of(("a b", [(0, 2)]), ("a b", [(0, 2)]))
    assert habits.agreement(words_of("a b"), [(0, 1), (1, 2)]) == 0.0


def test_without_habits_nothing_contradicts() -> None:
    assert Habits({}).agreement(words_of("a b c"), [(0, 3)]) == 1.0
    assert Habits({("a", "b"): Habit(1, 0)}).agreement(words_of("a b"), [(0, 2)]) == 1.0


def test_share_joined() -> None:
    habits = Habits({("want", "to"): Habit(3, 1)})
    assert habits.share_joined("want", "to") == 0.75
    assert habits.share_joined("to", "want") is None


def test_records_are_short_and_ordered() -> None:
    habits = Habits({("want", "to"): Habit(3, 1), ("i", "want"): Habit(2, 0)})
    assert habits.as_record() == {"i want": [2, 0], "want to": [3, 1]}
    assert list(habits.as_record()) == ["i want", "want to"]
    assert Habits.from_record(habits.as_record()) == habits


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    words = draw(st.lists(st.sampled_from(["a", "b", "c", "d'e"]), min_size=1, max_size=6))
    edges = sorted(draw(st.sets(st.integers(1, len(words)))) | {0, len(words)})
    return " ".join(words), list(pairwise(edges))


@given(st.lists(cuts(), max_size=8), st.integers(0, 9))
def test_order_means_nothing_and_records_lose_nothing(course: list[Cut], seed: int) -> None:
    shuffled = random.Random(seed).sample(course, len(course))
    habits = habits_of(*course)
    assert habits_of(*shuffled) == habits
    assert dumps(habits_of(*shuffled).as_record()) == dumps(habits.as_record())
    assert Habits.from_record(loads(dumps(habits.as_record()))) == habits
    for sentence, spans in course:
        assert 0.0 <= habits.agreement(words_of(sentence), spans) <= 1.0
