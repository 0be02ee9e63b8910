"""What a learner of a course meets: order, reuse, spaced repetition."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.reports.inventory import (
    MOST_REVIEWS,
    Taught,
    TaughtSeed,
    in_order,
    inventory,
    practice,
    reuse_figures,
    teaching_order,
)

CUTS = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4, unique=True), min_size=1, max_size=12)


def course(*cuts: str | list[str]) -> Taught:
    """A SEED for each cut; letters stand for LEGOs."""
    seeds = tuple(
        TaughtSeed(f"C{number:04d}", " ".join(cut), "-".join(cut).upper(), tuple((part, part.upper()) for part in cut))
        for number, cut in enumerate(cuts, start=1)
    )
    records: dict[tuple[str, str], dict[str, Any]] = {}
    for seed in seeds:
        for position, (source, target) in enumerate(seed.legos, start=1):
            named = {"uuid": f"{len(records):032x}", "provenance": f"S{int(seed.id[1:])}L{position}"}
            records.setdefault((source, target), {**named, "source": source, "target": target})
    return Taught(seeds, records, 0)


def test_the_seed_with_the_fewest_new_legos_comes_next() -> None:
    order = teaching_order(course("abc", "a", "ab", "xyz"))
    assert [seed["seed_id"] for seed in order["seeds"]] == ["C0002", "C0003", "C0001", "C0004"]
    assert [len(seed["new_legos"]) for seed in order["seeds"]] == [1, 1, 1, 3]
    assert [seed["seed_id"] for seed in teaching_order(course("abc", "a"), "course")["seeds"]] == ["C0001", "C0002"]


def test_a_lego_opens_the_seeds_that_need_nothing_else() -> None:
    order = teaching_order(course("a", "ab", "ba"))
    assert [(lego["source"], lego["opens"]) for lego in order["legos"]] == [("a", ["C0001"]), ("b", ["C0002", "C0003"])]


@given(CUTS)
def test_every_seed_comes_once_and_every_lego_is_new_once(cuts: list[list[str]]) -> None:
    order = teaching_order(course(*cuts))
    assert sorted(seed["seed_id"] for seed in order["seeds"]) == [f"C{n:04d}" for n in range(1, len(cuts) + 1)]
    new = [position for seed in order["seeds"] for position in seed["new_legos"]]
    assert new == list(range(1, len({part for cut in cuts for part in cut}) + 1))
    opened = [seed for lego in order["legos"] for seed in lego["opens"]]
    assert sorted(opened) == sorted(seed["seed_id"] for seed in order["seeds"])


@given(CUTS)
def test_no_other_seed_had_fewer_new_legos(cuts: list[list[str]]) -> None:
    known: set[str] = set()
    left = set(range(len(cuts)))
    for place in in_order(cuts, "fewest_new"):
        assert len(set(cuts[place]) - known) == min(len(set(cuts[other]) - known) for other in left)
        known.update(cuts[place])
        left.remove(place)


def test_reuse_is_told_beside_other_cuts() -> None:
    figures = reuse_figures(course("ab", "bc", "abc"))
    assert figures["course"] == {
        "distinct": 3,
        "met_in_two_seeds": 3,
        "share_met_in_two_seeds": 1.0,
        "share_of_occurrences_met_in_two_seeds": 1.0,
        "seeds_said_with_known": 1,
        "new_a_seed": 1.0,
        "words_a_lego": 1.0,
    }
    assert figures["whole_sentences"]["share_met_in_two_seeds"] == 0.0
    assert figures["whole_sentences"]["seeds_said_with_known"] == 0
    assert reuse_figures(course())["course"]["new_a_seed"] is None


def test_the_inventory_lists_the_most_useful_lego_first_with_its_seeds() -> None:
    rows = inventory(teaching_order(course("ab", "bc", "b")))
    assert [(row["source"], row["times_met"]) for row in rows] == [("b", 3), ("a", 1), ("c", 1)]
    assert {seed["seed_id"] for seed in rows[0]["seeds"]} == {"C0001", "C0002", "C0003"}


def test_practice_repeats_what_no_seed_repeats() -> None:
    steps = practice(teaching_order(course("a", "b", "c", "d"), "course"))
    told = [(step["action"], step["source"]) for step in steps]
    assert told[:2] == [("new", "a"), ("say", "a")]
    assert told[2] == ("review", "a"), "due one SEED later"
    assert told.count(("new", "a")) == 1


@given(CUTS)
def test_practice_never_asks_for_what_is_new_and_has_a_limit(cuts: list[list[str]]) -> None:
    known: set[str] = set()
    reviews = 0
    for step in practice(teaching_order(course(*cuts))):
        if step["action"] == "review":
            assert step["source"] in known
            reviews += 1
            assert reviews <= MOST_REVIEWS
        elif step["action"] == "new":
            assert step["source"] not in known
            known.add(step["source"])
        else:
            reviews = 0
