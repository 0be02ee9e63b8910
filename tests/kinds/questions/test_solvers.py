"""The rule on the key: who is heard, and that asking ends exactly when no further vote can change the verdict."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.questions.solvers import Vote, standing_of

KEY = "B"
FOR, NONE = Vote("m", KEY), Vote("m", None)
OTHER, SEVERAL = Vote("m", "A"), Vote("m", KEY, ("A",))

options = st.sampled_from("ABCD")
votes = st.builds(
    Vote, st.sampled_from("mno"), st.none() | options, st.lists(options, max_size=2).map(tuple), st.booleans()
)
panels = st.lists(votes, max_size=5)


@pytest.mark.parametrize("against", [OTHER, NONE, SEVERAL, Vote("m", "A", (KEY,))])
@pytest.mark.parametrize("others", range(4))
def test_one_sure_solver_is_never_outvoted(against: Vote, others: int) -> None:
    panel = [Vote(f"o{n}", KEY) for n in range(others)]
    assert standing_of([*panel, against], KEY, 0) == "objected"


def test_the_key_named_twice_is_the_key_alone() -> None:
    assert standing_of([Vote("m", KEY, (KEY,))], KEY, 0) == "no_objection"


def unsure(model: str, choice: str | None, *also: str) -> Vote:
    return Vote(model, choice, also, is_sure=False)


@pytest.mark.parametrize(
    ("panel", "standing"),
    [
        ((FOR, unsure("n", "A")), "doubtful"),
        ((unsure("n", KEY, "A"), FOR), "doubtful"),
        ((unsure("n", "A"), FOR, unsure("o", "A")), "objected"),
        ((unsure("n", "A"), unsure("o", "A", KEY)), "objected"),
        ((unsure("n", None), unsure("o", None)), "objected"),
        ((unsure("n", "A"), unsure("n", "A")), "doubtful"),
        ((unsure("n", "A"), unsure("o", "C")), "doubtful"),
    ],
)
def test_two_unsure_models_object_where_they_have_the_same_against_the_key(
    panel: tuple[Vote, ...], standing: str
) -> None:
    assert standing_of(panel, KEY, 0) == standing


def test_an_item_that_nobody_solved_is_doubtful() -> None:
    assert standing_of([], KEY, 0) == "doubtful"
    assert standing_of([], KEY, 1) == "keep_asking"


@given(panels, panels)
def test_stopping_early_never_changes_the_verdict(heard: list[Vote], rest: list[Vote]) -> None:
    early = standing_of(heard, KEY, len(rest))
    if early != "keep_asking":
        # Seats may also stay silent, so every beginning of the rest is a possible end.
        assert {standing_of([*heard, *rest[:more]], KEY, 0) for more in range(len(rest) + 1)} == {early}


@given(panels, st.integers(1, 3))
def test_while_asking_goes_on_the_verdict_is_open(heard: list[Vote], left: int) -> None:
    if standing_of(heard, KEY, left) == "keep_asking":
        assert standing_of([*heard, OTHER], KEY, left - 1) == "objected"
        assert standing_of([*heard, *[FOR] * left], KEY, 0) != "objected"


@given(st.lists(votes, max_size=3))
def test_the_order_of_the_votes_does_not_matter(panel: list[Vote]) -> None:
    assert len({standing_of(order, KEY, 0) for order in permutations(panel)}) == 1


@given(panels)
def test_another_vote_for_the_key_never_ends_an_objection_or_a_doubt(panel: list[Vote]) -> None:
    before, after = standing_of(panel, KEY, 0), standing_of([*panel, FOR], KEY, 0)
    assert after == before or not panel


@given(panels, st.integers(1, 3), st.integers(1, 3))
def test_where_enough_agree_the_verdict_is_that_of_those_who_were_asked(
    heard: list[Vote], left: int, enough: int
) -> None:
    verdict = standing_of(heard, KEY, left, enough)
    assert verdict == "keep_asking" or verdict == standing_of(heard, KEY, 0)
    has_enough = len(heard) >= enough and not any(vote.against(KEY) for vote in heard)
    assert (verdict == "no_objection") == has_enough
