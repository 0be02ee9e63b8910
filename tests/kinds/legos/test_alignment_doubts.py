"""Halves that do not seem to say the same."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.model import NOWHERE, Lego, Seed, found_near
from burnish.kinds.legos.placement import doubtful

SOURCE, TARGET = "I want to see the old house", "Сакам да ја видам старата куќа"
LINKS = ((1, 0), (2, 1), (3, 3), (5, 4), (6, 5))


def seed_of(*halves: tuple[str, str], source: str = SOURCE, target: str = TARGET) -> Seed:
    legos = []
    for ours, theirs in halves:
        start, target_start = found_near(source, ours, 0), found_near(target, theirs, 0)
        legos.append(Lego(ours, theirs, start, start + len(ours), target_start, target_start + len(theirs)))
    return Seed("C0007", "0" * 32, source, target, "mkd_for_eng", tuple(legos))


def test_halves_that_say_the_same_are_not_doubted() -> None:
    assert doubtful(seed_of(("I want to see", "Сакам да ја видам"), ("the old house", "старата куќа")), LINKS) == ()


def test_exchanged_halves_are_doubted_each_by_its_name() -> None:
    first, second = doubtful(seed_of(("I want to see", "старата куќа"), ("the old house", "Сакам да ја видам")), LINKS)
    assert first == 'The words of S7L1, "I want to see" = "старата куќа", are said elsewhere in the other sentence.'
    assert "S7L2" in second


@pytest.mark.parametrize(
    ("ours", "theirs", "doubts"),
    [
        ("want to see the old", "видам старата куќа", 1),
        ("see the old house", "видам старата", 0),
        ("I want", "да", 1),
        ("the", "ја", 1),
        (SOURCE, TARGET, 0),
    ],
)
def test_where_the_lines_are(ours: str, theirs: str, doubts: int) -> None:
    assert len(doubtful(seed_of((ours, theirs)), LINKS)) == doubts


def test_halves_that_little_speaks_for_are_doubted() -> None:
    [doubt] = doubtful(seed_of(("I want to", "Сакам да ја")), ((1, 0), (3, 3), (5, 4)))
    assert doubt == 'Little shows that the halves of S7L1, "I want to" = "Сакам да ја", say the same.'


def test_without_links_nothing_is_said() -> None:
    assert doubtful(seed_of(("I want", "куќа")), ()) == ()


def test_a_half_that_is_no_part_of_its_sentence_is_left_alone() -> None:
    lego = replace(seed_of(("I want", "куќа")).legos[0], target_start=NOWHERE, target_end=NOWHERE)
    assert doubtful(replace(seed_of(), legos=(lego,)), LINKS) == ()


def test_quoted_halves_steer_no_terminal() -> None:
    seed = seed_of(("a\x1b[2J b", "y"), source="a\x1b[2J b c", target="x y")
    [doubt] = doubtful(seed, ((2, 1),))
    assert "\x1b" not in doubt


PARTS = st.tuples(st.integers(0, 6), st.integers(1, 7), st.integers(0, 5), st.integers(1, 6))
ANY_LINKS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 5)), max_size=12).map(
    lambda found: tuple(sorted(found))
)


@given(st.lists(PARTS, max_size=4), ANY_LINKS)
def test_every_doubt_is_about_one_lego(
    parts: list[tuple[int, int, int, int]], links: tuple[tuple[int, int], ...]
) -> None:
    ours, theirs = SOURCE.split(), TARGET.split()
    halves = [
        (" ".join(ours[first : first + size]), " ".join(theirs[other : other + count]))
        for first, size, other, count in parts
    ]
    doubts = doubtful(seed_of(*halves), links)
    named = [place for place in range(1, len(halves) + 1) if any(f"S7L{place}," in doubt for doubt in doubts)]
    assert len(doubts) == len(named) <= len(halves)
