"""Runs whose source was moved before the server first saw them are shown and decided on like any other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.app.run_index.ledger import ledger
from tests.web.paper import form, words
from tests.workbench import workbench

VAGUE = ("nbme_vague_terms", "error")
TEXT = "the best answer to question 1"


@pytest.fixture
def robin(tmp_path: Path) -> Iterator[httpx2.Client]:
    """A visitor of a run in which some questions wait, one after a second try, and whose bank was moved away."""
    with ledger(tmp_path, "gone", sizes=(3,)) as book:
        for number in range(3):
            book.rests(book.name(number), VAGUE)
        book.rests(book.name(0), VAGUE, stem="Usually what?")
        book.ends()
    bank = tmp_path / "gone.jsonl"
    bank.rename(bank.with_suffix(".moved"))
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        yield browser


@pytest.mark.parametrize(
    "address",
    [
        "/queue?run=gone&unit=q0001",
        "/runs/gone/units/q0001",
        "/runs/gone/units/q0001?attempt=1&against=source&replies=1",
        "/runs/gone?tab=items",
        "/runs/gone?tab=units",
        "/runs/gone/report.html",
    ],
)
def test_its_text_is_shown(robin: httpx2.Client, address: str) -> None:
    answer = robin.get(address)
    assert answer.status_code == 200 and TEXT in words(answer.text)


def test_a_change_is_shown_beside_the_original(robin: httpx2.Client) -> None:
    said = words(robin.get("/runs/gone/units/q0000?against=source").text)
    assert "Usually" in said and "answer to question 0 of bank" in said


def test_a_program_is_told_everything(robin: httpx2.Client) -> None:
    answer = robin.get("/api/v1/runs/gone/units/q0001")
    assert answer.status_code == 200 and TEXT in answer.text
    assert robin.get("/api/v1/runs/gone/units").json()["total"] == 3
    assert robin.get("/runs/gone/units/nobody").status_code == 404


@pytest.mark.parametrize("verdict", ["accept", "reject"])
def test_it_is_decided_on(robin: httpx2.Client, verdict: str) -> None:
    page = robin.get("/queue?run=gone&unit=q0001").text
    found = form(page, "/queue/decide", verdict="accept")
    answer = robin.post("/queue/decide", data={**found.fields, "verdict": verdict, "note": "Say which."})
    assert answer.status_code in (200, 303)
    state = robin.get("/api/v1/runs/gone/units/q0001").json()["state"]
    assert state == {"accept": "validated", "reject": "correcting"}[verdict]


def test_an_edit_is_saved(robin: httpx2.Client) -> None:
    """It is compared with the other questions of the bank as the journal holds them: the file is not needed."""
    aim = {"run": "gone", "unit": "q0001", "verdict": "edit", "from": "unit"}
    answer = robin.post("/queue/decide", data={**aim, "text.stem": "My own words?"})
    assert answer.status_code == 303
    assert robin.get("/api/v1/runs/gone/units/q0001").json()["draft"].startswith("My own words?")
