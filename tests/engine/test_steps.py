"""The durable steps of a run, in the order that survives a kill after each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pytest

from burnish.core.faultpoints import ENGINE_POINTS, installed
from burnish.engine import publish, session
from tests.engine.questions_bench import biased, resume, run, scripted, sound, write_bank
from tests.engine.test_decisions import decide
from tests.faults.books import BookRun

WORK = ["task.ask", "task.answered", "task.settling", "task.settled"]
PLACED = ["publish.placed", "publish.recorded", "run.delivered"]
READ, COMPARED = WORK[:2], WORK
"""Readers answer a claim before it is repaired, and compare the repair before it is kept."""
BANK = ["ingest.done", *READ, *WORK[:2], *COMPARED, "run.stopped", "publish.written", *PLACED]
AGAIN = ["run.stopped", "version.copied", "version.kept", "publish.written", *PLACED]
"""Another version is published; the one before is kept first."""
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


def test_the_version_before_is_kept_before_another_one_is_placed(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(1)]), tmp_path / "runs")
    assert decide(folder, "q1", "reopen") == "needs_manual_review"
    assert decide(folder, "q1", "edit", text='{"stem": "Which of the following is asked now?"}') == "validated"
    with steps() as seen:
        resume(folder)
    assert [step for step, _ in groupby(seen)] == AGAIN


def test_a_book_goes_through_its_stages_and_is_looked_at_once_more_before_it_is_placed(tmp_path: Path) -> None:
    book = BookRun(tmp_path)
    book.begin()
    with steps() as seen:
        book.sit(book.plan())
    assert [step for step, _ in groupby(seen)] == BOOK


def test_every_step_is_one_of_these() -> None:
    assert {f"engine.{step}" for step in (*BANK, *BOOK, *AGAIN)} | RARE == set(ENGINE_POINTS)


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
