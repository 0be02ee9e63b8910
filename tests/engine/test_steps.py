"""The durable steps of a run, in the order that survives a kill after each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pytest

from burnish.core.faultpoints import ENGINE_POINTS, installed
from burnish.engine import publish, session
from tests.engine.questions_bench import biased, run, scripted, write_bank
from tests.faults.books import BookRun

WORK = ["task.ask", "task.answered", "task.settling", "task.settled"]
PLACED = ["publish.placed", "publish.recorded", "run.delivered"]
BANK = ["ingest.done", *WORK[:2], *WORK, "run.stopped", "publish.written", *PLACED]
PAID, FREE = ["task.begun", *WORK, "stage.ended"], ["task.settled", "stage.ended"]
BOOK = [
    *("ingest.done", *PAID, *FREE, "stage.gathered"),
    *(*PAID, "stage.gathered"),
    *(*PAID, *FREE, "stage.gathered"),
    *(*PAID, "stage.gathered", "stage.ended"),
    *("run.stopped", "publish.written", "publish.approved", "publish.verified", *PLACED),
]
RARE = {"engine.ingest.batch", "engine.publish.merging"}
"""Reached only by long documents."""


@contextmanager
def steps() -> Iterator[list[str]]:
    seen: list[str] = []
    with installed(lambda point: seen.append(point.removeprefix("engine.")) if point.startswith("engine.") else None):
        yield seen


def test_a_bank_is_read_worked_on_and_placed(tmp_path: Path) -> None:
    with steps() as seen:
        run(write_bank(tmp_path, [biased(1)]), tmp_path / "runs", scripted())
    assert [step for step, _ in groupby(seen)] == BANK


def test_a_book_goes_through_its_stages_and_is_looked_at_once_more_before_it_is_placed(tmp_path: Path) -> None:
    book = BookRun(tmp_path)
    book.begin()
    with steps() as seen:
        book.sit(book.plan())
    assert [step for step, _ in groupby(seen)] == BOOK


def test_every_step_is_one_of_these() -> None:
    assert {f"engine.{step}" for step in (*BANK, *BOOK)} | RARE == set(ENGINE_POINTS)


def test_long_documents_are_taken_in_and_marked_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "INGEST_BATCH", 2)
    monkeypatch.setattr(publish, "MERGED_AT_ONCE", 1)
    book = BookRun(tmp_path)
    book.begin()
    with steps() as seen:
        book.sit(book.plan())
    assert seen.index("ingest.batch") < seen.index("ingest.done")
    assert seen.index("publish.placed") < seen.index("publish.merging") < seen.index("publish.recorded")
    assert {f"engine.{step}" for step in seen} >= RARE
