"""Words of a small course find each other."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.languages import alignment
from burnish.languages.alignment import CORE, LONGEST, align, as_record, counted, from_record, portions, windows
from burnish.languages.alignment.corpus import BATCH_CELLS, corpus_of
from burnish.languages.lexicon import lexicon_for, without_clitics

SUBJECTS = {"i": "јас", "you": "ти", "she": "таа", "tom": "том", "we": "ние"}
VERBS = {"see": "гледам", "want": "сакам", "know": "знам", "buy": "купувам"}
OBJECTS = {"house": "куќа", "dog": "куче", "bread": "леб", "london": "лондон", "water": "вода"}
COURSE = [
    ([subject, verb, "the", thing], [SUBJECTS[subject], VERBS[verb], OBJECTS[thing]])
    for subject, verb, thing in product(SUBJECTS, VERBS, OBJECTS)
]
"""A profile of our own making: every word has one translation, and the article none."""

words = st.lists(st.sampled_from(["a", "b", "шума", "дом", "dom", "12", "?", "é", "ש", "水"]), max_size=9)
courses = st.lists(st.tuples(words, words), max_size=8)


def test_a_course_teaches_its_words() -> None:
    links = align(COURSE)
    assert all({(0, 0), (1, 1), (3, 2)} <= set(found) for found in links)
    assert sum(len(found) for found in links) <= 3.2 * len(COURSE)


def test_turned_order_is_followed() -> None:
    turned = [(source, [target[2], target[0], target[1]]) for source, target in COURSE]
    right = sum({(0, 1), (1, 2), (3, 0)} <= set(found) for found in align(turned))
    assert right >= 0.95 * len(COURSE)


def test_names_and_numbers_find_each_other_at_first_sight() -> None:
    pairs = [(["in", "1987", "he", "saw", "barcelona"], ["барселона", "видя", "през", "1987"])]
    assert {(1, 3), (4, 0)} <= set(align(pairs)[0])


@pytest.mark.parametrize(
    "pairs",
    [[], [([], [])], [(["a"], [])], [([], ["a"]), (["a"], ["b"])], [([""], [""])], [(["a"] * 40, ["b"])]],
)
def test_odd_courses(pairs: list[tuple[list[str], list[str]]]) -> None:
    links = align(pairs)
    assert len(links) == len(pairs)
    assert all(not found for found, (source, target) in zip(links, pairs, strict=True) if not source or not target)


def test_one_word_each_is_linked() -> None:
    assert align([(["hello"], ["здраво"])]) == [((0, 0),)]


@settings(max_examples=60)
@given(courses)
def test_links_are_sorted_within_and_the_same_every_time(course: list[tuple[list[str], list[str]]]) -> None:
    links = align(course)
    assert links == align(course)
    for found, (source, target) in zip(links, course, strict=True):
        assert list(found) == sorted(set(found))
        assert all(0 <= one < len(source) and 0 <= other < len(target) for one, other in found)


@settings(max_examples=40)
@given(courses.flatmap(lambda course: st.tuples(st.just(course), st.permutations(range(len(course))))))
def test_the_order_of_the_pairs_changes_nothing(case: tuple[list[tuple[list[str], list[str]]], list[int]]) -> None:
    course, order = case
    links = align(course)
    assert align([course[row] for row in order]) == [links[row] for row in order]


def test_a_sentence_of_500_words_is_aligned_in_windows() -> None:
    rows = [COURSE[place % len(COURSE)] for place in range(125)]
    source, target = [word for row in rows for word in row[0]], [word for row in rows for word in row[1]]
    assert (len(source), len(target)) == (500, 375)
    links = set(align([*COURSE, (source, target)])[-1])
    wanted = {(4 * row + one, 3 * row + other) for row in range(125) for one, other in ((0, 0), (1, 1), (3, 2))}
    assert len(links & wanted) >= 0.9 * len(wanted)


@given(st.integers(0, 700), st.integers(0, 700))
def test_windows_own_every_word_once_and_stay_small(sources: int, targets: int) -> None:
    parts = list(windows([(["a"] * sources, ["b"] * targets)]))
    assert [place for part in parts for place in part.owned] == list(range(sources))
    assert all(max(map(len, part.pair)) <= LONGEST + 1 for part in parts)
    assert len(parts) <= max(1, -(-max(sources, targets) // CORE))


def test_a_very_large_course_is_learned_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "PORTION_CELLS", 500)
    parts = list(windows(COURSE))
    taken = list(portions(parts))
    assert sorted(part.row for portion in taken for part in portion) == list(range(len(COURSE)))
    assert len(taken) == 3
    assert all(sum(part.cells for part in portion) <= 500 + 12 for portion in taken)
    assert sum({(0, 0), (3, 2)} <= set(found) for found in align(COURSE)) >= 0.8 * len(COURSE)


def test_batches_hold_every_pair_once_and_keep_to_their_size() -> None:
    sizes = np.random.default_rng(3).integers(0, 60, size=(400, 2)).tolist()
    corpus = corpus_of([(["a"] * one, ["b"] * other) for one, other in sizes])
    rows = sorted(row for batch in corpus.batches for row in batch.rows.tolist())
    assert rows == [row for row, size in enumerate(sizes) if all(size)]
    assert all(batch.cells.size <= BATCH_CELLS for batch in corpus.batches)
    assert len(corpus.batches) > 1


@given(st.dictionaries(st.tuples(st.integers(0, 999), st.integers(0, 999)), st.integers(0, 100)))
def test_links_are_written_down_and_read_back(links: dict[tuple[int, int], int]) -> None:
    sure = {link: hundredths / 100 for link, hundredths in sorted(links.items())}
    assert from_record(as_record(sure)) == sure


def test_how_links_are_written() -> None:
    assert as_record({(0, 0): 1.0, (1, 2): 0.41}) == "0-0:100 1-2:41"
    assert from_record(" 1-2:41  0-0 ") == {(0, 0): 1.0, (1, 2): 0.41}
    assert counted(from_record("0-0:29 1-2:30")) == ((1, 2),), "nobody is sure enough of the first"
    assert from_record("") == {}


def test_a_lexicon_tells_what_few_pairs_cannot() -> None:
    lexicon = lexicon_for("en", "es")
    assert lexicon is not None
    pair = (["can", "you", "help", "me", "please"], ["puedes", "ayudarme", "por", "favor"])
    assert (4, 3) in align([pair], lexicon)[0], "please is por favor"
    assert (2, 1) in align([pair], lexicon)[0], "help is ayudarme"


def test_articles_and_prepositions_that_are_written_together_are_no_part_of_a_stem() -> None:
    assert [without_clitics(word) for word in ("والكتاب", "הבית", "casa", "الى")] == ["كتاب", "בית", "casa", "الى"]


@pytest.mark.parametrize("record", ["0", "0-", "-1", "a-b", "0-0 1–2", "0-0-0", "²-1"])
def test_what_is_no_link_is_refused(record: str) -> None:
    with pytest.raises(InputError, match="is not a link"):
        from_record(record)
