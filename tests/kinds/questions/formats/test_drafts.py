"""Ids: declared ones are kept, missing and repeated ones are made from the position, none is given twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.questions.formats.drafts import IdBook, SeenIds
from burnish.kinds.questions.formats.source import Place

HERE = Place("bank", 3)


def assigned(*declared: str | None, reported: bool = True) -> tuple[list[str], list[str | None]]:
    book = IdBook()
    pairs = [book.assign(id, position, HERE, reported=reported) for position, id in enumerate(declared, 1)]
    return [id for id, _ in pairs], [problem.code if problem else None for _, problem in pairs]


def test_declared_ids_are_kept_without_a_word() -> None:
    assert assigned("a", "b") == (["a", "b"], [None, None])


def test_a_repeated_id_gets_its_position() -> None:
    assert assigned("a", "b", "a", "a") == (["a", "b", "a#3", "a#4"], [None, None, "duplicate_id", "duplicate_id"])


def test_a_forgotten_id_is_told_each_time() -> None:
    assert assigned("a", None, None) == (["a", "q2", "q3"], [None, "missing_id", "missing_id"])


def test_a_bank_without_ids_is_told_once() -> None:
    assert assigned(None, None, None) == (["q1", "q2", "q3"], ["missing_id", None, None])


def test_labels_are_numbered_in_silence() -> None:
    assert assigned("a", "a", None, reported=False) == (["a", "a#2", "q3"], [None, None, None])


def test_made_up_ids_do_not_collide_with_declared_ones() -> None:
    assert assigned("q2", None, "a", "a#5", "a") == (
        ["q2", "q2#2", "a", "a#5", "a#5#2"],
        [None, "missing_id", None, None, "duplicate_id"],
    )


def test_the_problem_says_where_and_what_to_do() -> None:
    book = IdBook()
    book.assign("a", 1, HERE, reported=True)
    _, problem = book.assign("a", 2, HERE, reported=True)
    assert problem is not None
    assert (problem.path, problem.line, problem.field, problem.unit) == ("bank", 3, "id", "a#2")
    assert problem.hint


@given(st.lists(st.none() | st.text("aq#12", max_size=4), max_size=40))
def test_no_id_is_given_twice_and_a_second_reading_gives_the_same(declared: list[str | None]) -> None:
    ids, _ = assigned(*declared)
    assert len(set(ids)) == len(ids)
    assert assigned(*declared)[0] == ids


def test_many_ids_are_told_apart_in_little_memory() -> None:
    seen = SeenIds()
    assert all(seen.add(f"question-{number}") for number in range(5000))
    assert not any(seen.add(f"question-{number}") for number in range(5000))
    assert len(seen._slots) * 8 <= 256 * 1024
