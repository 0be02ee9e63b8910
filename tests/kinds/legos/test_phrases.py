"""Which part of the target says what a part of the source says."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.model import Word, words_of
from burnish.kinds.legos.parts import Half, Phrases
from burnish.languages.alignment import Links

SOURCE, TARGET = words_of("I want to see the old house."), words_of("Сакам да ја видам старата куќа.")
LINKS = ((1, 0), (2, 1), (3, 3), (5, 4), (6, 5))


def halves(words: Sequence[Word], target_words: Sequence[Word], links: Links, first: int, end: int) -> Half | None:
    return Phrases(words, target_words, links).half(first, end)


def said(first: int, end: int) -> str | None:
    half = halves(SOURCE, TARGET, LINKS, first, end)
    return None if half is None else " ".join(word.text for word in TARGET[half.first : half.end])


@pytest.mark.parametrize(
    ("first", "end", "target"),
    [
        (0, 2, "Сакам"),
        (1, 3, "Сакам да"),
        (3, 4, "ја видам"),
        (2, 4, "да ја видам"),
        (4, 7, "старата куќа"),
        (0, 7, "Сакам да ја видам старата куќа"),
        (0, 1, None),
        (4, 5, None),
    ],
)
def test_parts_that_say_the_same(first: int, end: int, target: str | None) -> None:
    assert said(first, end) == target


def test_confidence_is_the_share_of_linked_words() -> None:
    assert halves(SOURCE, TARGET, LINKS, 5, 7) == Half(4, 6, 1.0)
    assert halves(SOURCE, TARGET, LINKS, 3, 4) == Half(2, 4, pytest.approx(2 / 3))


def test_a_part_whose_words_say_something_outside_has_no_half() -> None:
    source, target = words_of("called me back"), words_of("me volvió a llamar")
    phrases = Phrases(source, target, ((0, 1), (0, 3), (1, 0), (2, 1)))
    assert phrases.half(0, 1) is None
    assert phrases.half(2, 3) is None
    assert phrases.half(1, 2) == Half(0, 1, 1.0)
    assert phrases.half(0, 3) == Half(0, 4, pytest.approx(6 / 7))


@pytest.mark.parametrize(
    ("target", "links", "half"),
    [
        ("la casa", ((0, 1),), (0, 2)),
        ("casa la", ((0, 0),), (0, 2)),
        ("si, casa", ((0, 1),), (1, 2)),
        ("uno, se, casa", ((0, 2), (1, 0)), (2, 3)),
        ("uno se, casa", ((0, 0), (1, 2)), (0, 2)),
        ("uno, se casa", ((0, 0), (1, 2)), (0, 1)),
        ("uno, se, casa", ((0, 0), (1, 2)), (0, 1)),
        ("uno se casa", ((0, 0), (1, 2)), (0, 1)),
    ],
)
def test_words_without_a_link_lean_on_the_next_but_over_no_mark(
    target: str, links: Links, half: tuple[int, int]
) -> None:
    found = halves(words_of("one house"), words_of(target), links, 0, 1)
    assert found is not None
    assert (found.first, found.end) == half


def test_the_whole_of_a_sentence_says_the_whole_of_the_other() -> None:
    assert halves(words_of("one house"), words_of("si, uno casa, no"), ((0, 1),), 0, 2) == Half(
        0, 4, pytest.approx(1 / 3)
    )


def test_pauses_may_be_told() -> None:
    source, target = words_of("one house"), words_of('uno "la" casa')
    links = ((0, 0), (1, 2))
    assert halves(source, target, links, 1, 2) == Half(2, 3, 1.0)
    told = Phrases(source, target, links, [False, False, False])
    assert told.half(1, 2) == Half(1, 3, pytest.approx(2 / 3))


def test_without_links_no_part_says_anything() -> None:
    assert halves(SOURCE, TARGET, (), 0, 7) is None
    assert halves((), (), (), 0, 0) is None


@st.composite
def aligned_sentences(draw: st.DrawFn) -> tuple[str, str, Links]:
    sentence = st.lists(st.sampled_from(["а", "b,", "c", "d!"]), min_size=1, max_size=8)
    source, target = draw(sentence), draw(sentence)
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return " ".join(source), " ".join(target), tuple(sorted(draw(st.sets(link))))


@given(aligned_sentences())
def test_halves_agree_with_every_link_and_neighbours_do_not_overlap(case: tuple[str, str, Links]) -> None:
    source, target, links = words_of(case[0]), words_of(case[1]), case[2]
    phrases = Phrases(source, target, links)
    for first in range(len(source)):
        for end in range(first + 1, len(source) + 1):
            half = phrases.half(first, end)
            if half is None:
                continue
            assert 0 <= half.first < half.end <= len(target)
            assert 0 < half.confidence <= 1
            assert all((first <= one < end) == (half.first <= other < half.end) for one, other in links)
            behind = phrases.half(end, len(source)) if end < len(source) else None
            assert behind is None or half.end <= behind.first or behind.end <= half.first
