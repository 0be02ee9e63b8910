"""Runs whose source was moved before the server first saw them: what is known is shown, and the queue goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.app.catalogue.ledger import ledger
from tests.web.paper import form, words
from tests.workbench import workbench

VAGUE = ("nbme_vague_terms", "error")


def polished(home: Path, id: str, waiting: int = 3) -> Path:
    """A run in which some questions wait, one after a second try; where its bank lies."""
    with ledger(home, id, sizes=(waiting,)) as book:
        for number in range(waiting):
            book.rests(book.name(number), VAGUE)
        book.rests(book.name(0), VAGUE, stem="Usually what?")
        book.ends()
    return home / f"{id}.jsonl"


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """The place that the bank of the run `gone` was moved away from."""
    bank = polished(tmp_path, "gone")
    bank.rename(bank.with_suffix(".moved"))
    return bank


@pytest.fixture
def robin(tmp_path: Path, moved: Path) -> Iterator[httpx2.Client]:
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        yield browser


def put_back(bank: Path) -> None:
    bank.with_suffix(".moved").rename(bank)


def pressed(page: str, key: str) -> str:
    found = re.search(rf'href="([^"]+)" data-key="{key}"', page)
    assert found is not None, f"no link with the key {key}"
    return found.group(1).replace("&amp;", "&")


def test_the_queue_tells_why_and_goes_on(robin: httpx2.Client) -> None:
    answer = robin.get("/queue")
    said = words(answer.text)
    assert answer.status_code == 200 and "Its text cannot be shown. gone.jsonl : This file cannot be read" in said
    assert "Put the file back where it was" in said and "It is not good." in said
    assert 'value="accept"' not in answer.text and 'href="#edit"' not in answer.text, "nobody accepts what is not there"
    seen = set()
    for _ in range(3):
        seen.add(re.search(r"/runs/gone/units/(q\d+)", answer.text).group(1))  # type: ignore[union-attr]
        answer = robin.get(pressed(answer.text, "s"))
        assert answer.status_code == 200
    assert seen == {"q0000", "q0001", "q0002"}


def test_other_runs_are_decided_as_ever(tmp_path: Path, moved: Path) -> None:
    polished(tmp_path, "here")
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        page = browser.get("/queue?run=here").text
        assert form(page, "/queue/decide", verdict="accept").fields["run"] == "here"
        page = browser.get("/queue").text
        kinds = {"gone": "cannot be shown", "here": 'value="accept"'}
        for _ in range(6):
            run = re.search(r"/runs/(\w+)/units/", page).group(1)  # type: ignore[union-attr]
            assert kinds[run] in page
            page = browser.get(pressed(page, "s")).text


def test_the_unit_shows_what_is_known(robin: httpx2.Client) -> None:
    answer = robin.get("/runs/gone/units/q0000")
    said = words(answer.text)
    assert answer.status_code == 200 and "Its text cannot be shown." in said
    assert "Attempts 2, number 2 stands" in said and "Attempt 1" in said and "Findings in attempt 2" in said
    assert "It is not good." in said and "Scores attempt 2" in said
    assert 'href="#edit"' not in answer.text and "What changed" not in said
    assert robin.get("/runs/gone/units/q0000?attempt=1&against=source&replies=1").status_code == 200
    assert robin.get("/runs/gone/units/nobody").status_code == 404


@pytest.mark.parametrize(
    "address", ["/runs", "/runs/gone", "/runs/gone?tab=items", "/runs/gone?tab=units", "/runs/gone/report.html"]
)
def test_other_pages_of_the_run(robin: httpx2.Client, address: str) -> None:
    answer = robin.get(address)
    assert answer.status_code == 200
    assert ("cannot be shown" in answer.text) == (address.endswith(("items", "report.html")))


def test_a_program_is_told_what_to_do(robin: httpx2.Client) -> None:
    answer = robin.get("/api/v1/runs/gone/units/q0000")
    assert answer.status_code == 409 and answer.json()["code"] == "unreadable" and answer.json()["hint"]
    assert robin.get("/api/v1/runs/gone/units").status_code == 200


@pytest.mark.parametrize("origin", ["queue", "unit"])
def test_what_somebody_wrote_is_given_back(robin: httpx2.Client, origin: str) -> None:
    """Their page is from a time when the file was there."""
    aim = {"run": "gone", "unit": "q0001", "verdict": "edit", "from": origin}
    answer = robin.post("/queue/decide", data={**aim, "text.stem": "My own words?"})
    assert answer.status_code == 409 and "My own words?" in answer.text and "Stem" in words(answer.text)


def test_it_is_shown_as_soon_as_the_file_is_back(robin: httpx2.Client, moved: Path) -> None:
    assert "cannot be shown" in robin.get("/queue").text
    put_back(moved)
    page = robin.get("/queue").text
    assert "cannot be shown" not in page and 'value="accept"' in page
    assert "the best answer to question 2" in robin.get("/runs/gone?tab=units").text, "the excerpts as well"


def test_a_file_that_is_another_one_by_now(tmp_path: Path) -> None:
    bank = polished(tmp_path, "changed")
    there = bank.read_text()
    bank.write_text(there.replace("question 1 of", "question one of"))
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        assert "The source has changed since the run began." in browser.get("/runs/changed/units/q0001").text
        assert "cannot be shown" not in browser.get("/runs/changed/units/q0002").text
        bank.write_text(there)
        assert "cannot be shown" not in browser.get("/runs/changed/units/q0001").text
