"""What people said of rules and judges over all runs, each word once."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.app.catalogue import Catalogues, PrecisionLine, making, poll
from burnish.app.catalogue.judgements import judgements
from burnish.core.decisions import standing_decisions
from burnish.core.events import event
from tests.app.catalogue.ledger import Ledger, ledger

VAGUE, WRONG = ("vague", "error"), ("wrong", "critical")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Catalogues]:
    found = Catalogues(tmp_path / "runs")
    yield found
    found.close()


def test_over_all_runs(tmp_path: Path, opened: Catalogues) -> None:
    for id in ("a", "b"):
        with ledger(tmp_path, id) as book:
            for number, verdict in enumerate(("accept", "reject", "reject")):
                book.rests(book.name(number), VAGUE, stem=f"Stem {number} of {id}?")
                book.decided(book.name(number), verdict)
    assert opened.precision() == [PrecisionLine.counted("vague", "questions", 4, 6)]
    assert opened.open("a").precision() == [PrecisionLine.counted("vague", "questions", 2, 3)]


def test_it_follows_decisions_and_their_undoing(tmp_path: Path, opened: Catalogues) -> None:
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


def test_a_replay_that_repeats_decisions_says_nothing_new(tmp_path: Path, opened: Catalogues) -> None:
    for id in ("r", "replayed"):
        with ledger(tmp_path / id, "r") as book:
            book.rests(book.name(0), VAGUE)
            book.decided(book.name(0), "reject")
    shutil.copytree(tmp_path / "r/runs/r", tmp_path / "runs/one")
    shutil.copytree(tmp_path / "replayed/runs/r", tmp_path / "runs/two")
    assert [(line.right, line.of) for line in opened.precision()] == [(1, 1)]


def test_a_word_that_is_repeated_in_a_run_counts_once(tmp_path: Path, opened: Catalogues) -> None:
    with ledger(tmp_path) as book:
        book.rests(book.name(0), ("vague", "error", "model:a"), ("lead_in", "error", "model:a"))
        book.decided(book.name(0), "reject")
        book.decided(book.name(0), "reject")
    assert [(line.who, line.right, line.of) for line in opened.precision()] == [("model:a", 2, 2)]
    assert opened.open("r").precision() == opened.precision()


def test_what_two_runs_share_stands_until_both_are_gone(tmp_path: Path, opened: Catalogues) -> None:
    with ledger(tmp_path, "a") as one, ledger(tmp_path, "b") as two:
        for book in (one, two):
            book.rests(book.name(0), VAGUE, stem="The same stem?")
            book.decided(book.name(0), "reject")
        assert shares(opened) == [(1, 1)]
        act(one, one.name(0), "undo")
        assert shares(opened) == [(1, 1)]
    shutil.rmtree(tmp_path / "runs/b")
    assert opened.precision() == []


def test_a_run_that_was_made_again_is_another_one(tmp_path: Path, opened: Catalogues) -> None:
    """Also where its last decision has the same number."""
    for verdict, expected in (("reject", [(1, 1)]), ("accept", [(0, 1)])):
        with ledger(tmp_path) as book:
            book.rests(book.name(0), VAGUE)
            book.decided(book.name(0), verdict)
        assert shares(opened) == expected
        shutil.rmtree(tmp_path / "runs/r")


def test_a_catalogue_that_was_made_again_is_read_again(tmp_path: Path, opened: Catalogues) -> None:
    with ledger(tmp_path) as book:
        book.rests(book.name(0), VAGUE)
        book.decided(book.name(0), "reject")
        assert shares(opened) == [(1, 1)]
        for path in book.folder.root.glob("catalogue*"):
            path.unlink()
        book.rests(book.name(1), VAGUE)
        book.decided(book.name(1), "accept")
    assert shares(opened) == [(1, 2)]


def test_a_long_run_counts_once_its_catalogue_is_made(
    tmp_path: Path, opened: Catalogues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "AT_ONCE", 1)
    with ledger(tmp_path, sizes=(40,)) as book, book.together():
        for number in range(40):
            book.rests(book.name(number), VAGUE)
            book.decided(book.name(number), "reject")
    assert shares(opened) in ([], [(40, 40)])
    opened.open("r").wait()
    assert shares(opened) == [(40, 40)]


def test_it_is_compared_in_portions(tmp_path: Path, opened: Catalogues, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poll, "AT_A_TIME", 3)
    for id in ("a", "b", "c"):
        with ledger(tmp_path, id, sizes=(40,)) as book, book.together():
            for number in range(40):
                book.rests(book.name(number), VAGUE)
                book.decided(book.name(number), "reject", by=id if number % 2 else "Ada")
    assert shares(opened) == [(80, 80)], "20 that all said alike, and 20 of each"


DECISIONS = st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(("accept", "reject", "undo")))


@settings(max_examples=6)
@given(st.lists(DECISIONS, min_size=1, max_size=8))
def test_precision_is_what_counting_anew_finds(made: list[tuple[str, int, str]]) -> None:
    """Runs that share their questions; asked after each decision, as the queue does."""
    home = Path(tempfile.mkdtemp())
    catalogues = Catalogues(home / "runs")
    try:
        with ledger(home, "a", sizes=(3,)) as one, ledger(home, "b", sizes=(3,)) as two:
            books = {"a": one, "b": two}
            for book in books.values():
                for number in range(3):
                    book.rests(book.name(number), VAGUE, WRONG)
            for id, number, verdict in made:
                act(books[id], books[id].name(number), verdict)
                found = {(line.who, line.right, line.of) for line in catalogues.precision()}
                assert found == counted_anew(books.values())
    finally:
        catalogues.close()
        shutil.rmtree(home)


def act(book: Ledger, unit: str, verdict: str) -> None:
    if verdict != "undo":
        book.decided(unit, verdict)
        return
    standing = standing_decisions(list(book.journal.events(unit=unit, types=("decision",))))
    if standing:
        data = {"verdict": "undo", "by": "Ada", "undoes": standing[-1].seq}
        book.write(event("decision", unit, data=data), book.rows[unit])


def counted_anew(books: Iterable[Ledger]) -> set[tuple[str, int, int]]:
    words = set()
    for book in books:
        for unit in book.units:
            decisions = list(book.journal.events(unit=unit, types=("decision",)))
            words |= set(judgements(book.kind, list(book.journal.attempts(unit)), decisions))
    of = Counter(one.who for one in words)
    return {(who, sum(one.is_right for one in words if one.who == who), number) for who, number in of.items()}


def shares(catalogues: Catalogues) -> list[tuple[int, int]]:
    return [(line.right, line.of) for line in catalogues.precision()]
