"""Lists of units: page by page they are what a look at every unit would give, and no query looks at every unit."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.errors import UsageError
from burnish.core.findings import SEVERITIES
from burnish.store.unit_queries import ALL, UnitFilter, count, read_page
from tests.app.run_index.ledger import WAITING, Ledger, ledger

RULES = ("lead_in", "vague", "negation")
REASONS = ("attempts_exhausted", "model_failed")
SIZE = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunReader]:
    home, chance = tmp_path_factory.mktemp("asking"), Random(1)
    with ledger(home, sizes=(SIZE, SIZE // 2)) as book, book.together():
        for unit in book.units:
            _live(book, unit, chance)
        book.ends()
    index = RunIndex(home / "runs")
    yield index.open("r")
    index.close()


def _live(book: Ledger, unit: str, chance: Random) -> None:
    if chance.random() < 0.2:
        return
    found = [(chance.choice(RULES), chance.choice(SEVERITIES)) for _ in range(chance.randrange(4))]
    book.rests(unit, *found, reason=chance.choice(REASONS), stem="Рижа Ryž 100%?" if chance.random() < 0.4 else None)


def fits(line: UnitLine, where: UnitFilter) -> bool:
    text = (where.text or "").casefold()
    return (
        (not where.states or line.state in where.states)
        and where.rule in (None, *line.rules)
        and where.severity in (None, line.severity)
        and where.cause in (None, line.cause)
        and where.document in (None, line.document)
        and (not where.repaired or line.repaired)
        and (not where.open or line.severity is not None)
        and (text in line.id.casefold() or text in line.excerpt.casefold())
    )


def every(run: RunReader) -> list[UnitLine]:
    return list(run.units(limit=10_000).lines)


FILTERS = st.builds(
    UnitFilter,
    states=st.lists(st.sampled_from(("draft", "validated", "needs_manual_review", "none")), max_size=3).map(tuple),
    rule=st.none() | st.sampled_from((*RULES, "unheard")),
    severity=st.none() | st.sampled_from(SEVERITIES),
    cause=st.none() | st.sampled_from(("attempts_exhausted:vague", "model_failed:lead_in", "model_failed", "never")),
    text=st.none() | st.sampled_from(("q000", "РИЖА", "ryž", "100%", "bank1", "_", "%", "\\", "\x00", "\ud800")),
    document=st.none() | st.sampled_from(("bank0.jsonl", "bank1.jsonl", "gone.jsonl")),
    repaired=st.booleans(),
    open=st.booleans(),
)


@given(where=FILTERS, limit=st.integers(1, 40))
def test_pages_are_what_a_look_at_every_unit_gives(run: RunReader, where: UnitFilter, limit: int) -> None:
    wanted = [line for line in every(run) if fits(line, where)]
    found: list[UnitLine] = []
    key = before = None
    while True:
        page = run.units(where, offset_key=key, limit=limit)
        assert page.total == len(wanted)
        assert len(page.lines) <= limit
        assert (page.previous is None) == (key is None or not page.lines)
        found += page.lines
        key = page.next
        if key is None:
            break
        before = page.next
    assert found == wanted
    if before is not None:
        back = run.units(where, offset_key=before, limit=limit, backwards=True)
        place = [line.key for line in wanted].index(before)
        assert list(back.lines) == wanted[max(0, place - limit) : place]
        assert (back.previous is None) == (place - limit <= 0)


@given(where=FILTERS, number=st.integers(0, SIZE + SIZE // 2 - 1))
def test_neighbours_are_those_of_the_list(run: RunReader, where: UnitFilter, number: int) -> None:
    lines = every(run)
    here = lines[number]
    before = [line.id for line in lines[:number] if fits(line, where)]
    after = [line.id for line in lines[number + 1 :] if fits(line, where)]
    assert run.previous_and_next(here.id, where) == (before[-1] if before else None, after[0] if after else None)


def test_the_last_page_comes_first_backwards(run: RunReader) -> None:
    page = run.units(limit=7, backwards=True)
    assert list(page.lines) == every(run)[-7:]
    assert page.next is None and page.previous == page.lines[0].key


def test_a_line_by_itself_is_the_same(run: RunReader) -> None:
    for line in every(run):
        assert run.line(line.id) == line
    assert run.line("nobody") is None
    assert run.previous_and_next("nobody") == (None, None)


@pytest.mark.parametrize("key", ["", "x", "1", "1.", ".", "1.2.3", "-1.2", "９.１", "9" * 5_000, f"{'9' * 99}.1"])
def test_a_key_that_somebody_made_up_is_refused(run: RunReader, key: str) -> None:
    with pytest.raises(UsageError, match="no place"):
        run.units(offset_key=key)
    assert run.units(offset_key=f"{'9' * 18}.{'9' * 18}").lines == ()


def plans(run: RunReader, where: UnitFilter) -> list[str]:
    """How SQLite answers each query of a page, forwards and backwards."""

    def explained(connection: sqlite3.Connection) -> list[str]:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        read_page(connection, where, WAITING, (5, 5), 10, backwards=False)
        read_page(connection, where, WAITING, (5, 5), 10, backwards=True)
        connection.set_trace_callback(None)
        rows = [row for one in statements for row in connection.execute(f"EXPLAIN QUERY PLAN {one}").fetchall()]
        return [str(row[3]) for row in rows]

    return run._ask(explained)


@given(where=FILTERS)
def test_no_page_looks_at_every_unit(run: RunReader, where: UnitFilter) -> None:
    said = plans(run, where)
    assert any(line.startswith("SEARCH") for line in said)
    scans = [line for line in said if line.startswith("SCAN")]
    assert not [line for line in scans if "subquery" not in line and "CONSTANT" not in line], said
    sorts, parts = sum("TEMP B-TREE" in line for line in said), len(set(where.states))
    assert sorts <= (2 * parts if parts > 1 and where.cause is None else 0), (
        "only pages of several states are put together"
    )


def test_counts_are_right(run: RunReader) -> None:
    lines = every(run)
    for where in (ALL, *(UnitFilter((state,)) for state in ("draft", "validated", "needs_manual_review"))):
        total = run._ask(partial(count, where=where, waiting=WAITING))
        assert total == len([line for line in lines if fits(line, where)])


def test_totals_are_counted_anew_when_something_changes(tmp_path: Path) -> None:
    where = UnitFilter(severity="error", repaired=False, rule="vague")
    with ledger(tmp_path) as book:
        index = RunIndex(tmp_path / "runs")
        for number in range(3):
            book.rests(book.name(number), ("vague", "error"))
            assert index.open("r").units(where, limit=1).total == number + 1
        book.rests(book.name(0))
        assert index.open("r").units(replace(where, rule="vague"), limit=1).total == 2
        index.close()


def test_the_same_by_example(run: RunReader) -> None:
    lines = every(run)
    for where in (
        UnitFilter(("draft", "validated"), document="bank1.jsonl", repaired=True),
        UnitFilter(("needs_manual_review",), rule="vague", severity="error", text="bank0"),
        UnitFilter(cause="attempts_exhausted:vague", text="рижа", severity="critical"),
        UnitFilter(text="Q00"),
        UnitFilter(repaired=True),
        UnitFilter(open=True),
        UnitFilter(("validated",), open=True),
    ):
        wanted = [line for line in lines if fits(line, where)]
        page = run.units(where, limit=2)
        assert page.total == len(wanted)
        assert list(page.lines) == wanted[:2]
        if page.next is not None:
            assert run.units(where, offset_key=page.next, limit=2).lines == tuple(wanted[2:4])
            assert run.previous_and_next(wanted[1].id, where) == (wanted[0].id, wanted[2].id)
