"""Shares with their intervals, and what people said of rules and judges over all runs, each word once."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.app.rulebook import PrecisionLine, precision_lines
from burnish.app.run_index import RunIndex
from burnish.core.attempts import effective_decisions, judgements
from burnish.core.claims import wilson
from burnish.core.records import event
from burnish.engine.unit_loader import KindPresenter
from tests.app.run_index.ledger import Ledger, ledger

CASES = st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@pytest.mark.parametrize(
    ("right", "of", "low", "high"), [(48, 50, 0.87, 0.99), (11, 19, 0.36, 0.77), (0, 1, 0.0, 0.79), (1, 1, 0.21, 1.0)]
)
def test_known_intervals(right: int, of: int, low: float, high: float) -> None:
    found = wilson(right, of)
    assert (round(found[0], 2), round(found[1], 2)) == (low, high)


def test_of_nothing_everything_is_possible() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(CASES)
def test_the_share_lies_in_its_interval(case: tuple[int, int]) -> None:
    low, high = wilson(*case)
    assert 0.0 <= low <= case[0] / case[1] <= high <= 1.0
    assert low < high


@given(CASES)
def test_right_and_wrong_mirror_each_other(case: tuple[int, int]) -> None:
    right, of = case
    low, high = wilson(right, of)
    mirrored = wilson(of - right, of)
    assert mirrored[0] == pytest.approx(1 - high, abs=1e-9)
    assert mirrored[1] == pytest.approx(1 - low, abs=1e-9)


@given(CASES, st.integers(2, 20))
def test_more_cases_make_it_surer(case: tuple[int, int], times: int) -> None:
    few, many = wilson(*case), wilson(case[0] * times, case[1] * times)
    assert many[1] - many[0] < few[1] - few[0]


def test_sums_are_added_up_for_each_rule_and_judge() -> None:
    sums = [("model:a", True, 1), ("r", True, 2), ("r", False, 1), ("taken_back", True, 0)]
    rule, judge = precision_lines("questions", sums)
    assert (rule.who, rule.kind, rule.right, rule.of, rule.is_judge) == ("r", "questions", 2, 3, False)
    assert (judge.who, judge.right, judge.of, judge.is_judge) == ("model:a", 1, 1, True)
    assert rule == PrecisionLine.counted("r", "questions", 2, 3)


VAGUE, WRONG = ("vague", "error"), ("wrong", "critical")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[RunIndex]:
    found = RunIndex(tmp_path / "runs")
    yield found
    found.close()


def test_over_all_runs(tmp_path: Path, opened: RunIndex) -> None:
    for id in ("a", "b"):
        with ledger(tmp_path, id) as book:
            for number, verdict in enumerate(("accept", "reject", "reject")):
                book.rests(book.name(number), VAGUE, stem=f"Stem {number} of {id}?")
                book.decided(book.name(number), verdict)
    assert opened.precision() == [PrecisionLine.counted("vague", "questions", 4, 6)]
    assert opened.open("a").precision() == [PrecisionLine.counted("vague", "questions", 2, 3)]


def test_it_follows_decisions_and_their_undoing(tmp_path: Path, opened: RunIndex) -> None:
    with ledger(tmp_path) as book:
        book.rests(book.name(0), VAGUE)
        assert opened.precision() == []
        book.decided(book.name(0), "accept")
        assert [(line.right, line.of) for line in opened.precision()] == [(0, 1)]
        seq = list(book.journal.events(types=("decision",)))[-1].seq
        undo = {"verdict": "undo", "by": "Ada", "undoes": seq}
        book.write(event("decision", book.name(0), data=undo), book.rows[book.name(0)])
        assert opened.precision() == []
        book.decided(book.name(0), "reject")
        assert [(line.right, line.of) for line in opened.precision()] == [(1, 1)]


def test_a_run_that_repeats_decisions_says_nothing_new(tmp_path: Path, opened: RunIndex) -> None:
    for id in ("r", "repeated"):
        with ledger(tmp_path / id, "r") as book:
            book.rests(book.name(0), VAGUE)
            book.decided(book.name(0), "reject")
    shutil.copytree(tmp_path / "r/runs/r", tmp_path / "runs/one")
    shutil.copytree(tmp_path / "repeated/runs/r", tmp_path / "runs/two")
    assert [(line.right, line.of) for line in opened.precision()] == [(1, 1)]


def test_a_word_that_is_repeated_in_a_run_counts_once(tmp_path: Path, opened: RunIndex) -> None:
    with ledger(tmp_path) as book:
        book.rests(book.name(0), ("vague", "error", "model:a"), ("lead_in", "error", "model:a"))
        book.decided(book.name(0), "reject")
        book.decided(book.name(0), "reject")
    assert [(line.who, line.right, line.of) for line in opened.precision()] == [("model:a", 2, 2)]
    assert opened.open("r").precision() == opened.precision()


def test_what_two_runs_share_stands_until_both_are_gone(tmp_path: Path, opened: RunIndex) -> None:
    with ledger(tmp_path, "a") as one, ledger(tmp_path, "b") as two:
        for book in (one, two):
            book.rests(book.name(0), VAGUE, stem="The same stem?")
            book.decided(book.name(0), "reject")
        assert shares(opened) == [(1, 1)]
        act(one, one.name(0), "undo")
        assert shares(opened) == [(1, 1)]
    shutil.rmtree(tmp_path / "runs/b")
    assert opened.precision() == []


def test_a_run_that_was_made_again_is_another_one(tmp_path: Path, opened: RunIndex) -> None:
    """Also where its last decision has the same number."""
    for verdict, expected in (("reject", [(1, 1)]), ("accept", [(0, 1)])):
        with ledger(tmp_path) as book:
            book.rests(book.name(0), VAGUE)
            book.decided(book.name(0), verdict)
        assert shares(opened) == expected
        shutil.rmtree(tmp_path / "runs/r")


DECISIONS = st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(("accept", "reject", "undo")))


@settings(max_examples=6)
@given(st.lists(DECISIONS, min_size=1, max_size=8))
def test_precision_is_what_counting_anew_finds(made: list[tuple[str, int, str]]) -> None:
    """Runs that share their questions; asked after each decision, as the queue does."""
    home = Path(tempfile.mkdtemp())
    index = RunIndex(home / "runs")
    try:
        with ledger(home, "a", sizes=(3,)) as one, ledger(home, "b", sizes=(3,)) as two:
            books = {"a": one, "b": two}
            for book in books.values():
                for number in range(3):
                    book.rests(book.name(number), VAGUE, WRONG)
            for id, number, verdict in made:
                act(books[id], books[id].name(number), verdict)
                found = {(line.who, line.right, line.of) for line in index.precision()}
                assert found == counted_anew(books.values())
    finally:
        index.close()
        shutil.rmtree(home)


def act(book: Ledger, unit: str, verdict: str) -> None:
    if verdict != "undo":
        book.decided(unit, verdict)
        return
    standing = effective_decisions(list(book.journal.events(unit=unit, types=("decision",))))
    if standing:
        data = {"verdict": "undo", "by": "Ada", "undoes": standing[-1].seq}
        book.write(event("decision", unit, data=data), book.rows[unit])


def counted_anew(books: Iterable[Ledger]) -> set[tuple[str, int, int]]:
    words = set()
    for book in books:
        for unit in book.units:
            decisions = list(book.journal.events(unit=unit, types=("decision",)))
            words |= set(judgements(KindPresenter.of(book.kind).texts, list(book.journal.attempts(unit)), decisions))
    of = Counter(one.who for one in words)
    return {(who, sum(one.is_right for one in words if one.who == who), number) for who, number in of.items()}


def shares(index: RunIndex) -> list[tuple[int, int]]:
    return [(line.right, line.of) for line in index.precision()]
