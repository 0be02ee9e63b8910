"""Drop: of two questions that are nearly the same one is left out, and so is one that is beyond repair."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from burnish.cli.main import main
from tests.web.paper import form, forms, send, words
from tests.workbench import Workbench, workbench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    assert main(["demo", "questions", "--keep", str(tmp_path), "--no-color"]) == 0
    with workbench(tmp_path / "runs", grace=3600.0) as server:
        yield server


@pytest.fixture
def robin(bench: Workbench) -> Iterator[httpx2.Client]:
    with closing(bench.browser("Robin Ito")) as browser:
        yield browser


def published(bench: Workbench) -> list[str]:
    made = json.loads((bench.here.runs / "demo" / "out" / "biology.json").read_bytes())
    return [question["id"] for question in made]


def states_of(bench: Workbench, *units: str) -> dict[str, str]:
    rows = bench.here.reviews.rows("demo", units or ("bio-007", "bio-009"))
    return {row.id: row.state for row in rows}


def resumed(bench: Workbench) -> None:
    assert main(["resume", "demo", "--runs", str(bench.here.runs), "--no-color"]) == 0


class TestNearDuplicates:
    def test_both_stand_side_by_side_with_the_difference_marked(self, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        said = words(page)
        assert "bio-009 is 99 % like bio-007" in said and "This one: bio-009" in said and "The other: bio-007" in said
        assert '<mark class="only"> to this</mark>' in page and "Suggested: drop this one." in said
        assert "Drop this one x" in said and "Drop the other t" in said and "Accept both a" in said

    def test_send_back_is_not_offered_where_it_would_be_refused(self, robin: httpx2.Client) -> None:
        assert "Send back" not in words(robin.get("/queue?run=demo&unit=bio-009").text).partition("Keys Close")[0]
        assert "Send back with a note" in words(robin.get("/queue?run=demo&unit=bio-011").text)

    def test_one_key_drops_this_one(self, bench: Workbench, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        after = send(robin, form(page, "/queue/decide", verdict="drop"), verdict="drop")
        assert "Dropped bio-009" in words(after.text) and "near-duplicate of bio-007." in words(after.text)
        page = robin.get("/queue?run=demo&unit=bio-011").text
        send(robin, form(page, "/queue/decide", verdict="accept"), verdict="accept")
        resumed(bench)
        assert "bio-009" not in published(bench) and "bio-007" in published(bench) and len(published(bench)) == 11
        said = words(robin.get("/runs/demo").text)
        assert "11 of 11 questions are ready" in said and "1 dropped" in said
        unit = words(robin.get("/runs/demo/units/bio-009").text)
        assert "Robin Ito" in unit and "near-duplicate of bio-007" in unit

    def test_the_other_goes_and_this_one_stays(self, bench: Workbench, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        [other] = [one for one in forms(page) if "other" in one.fields]
        send(robin, other, verdict="accept")
        page = robin.get("/queue?run=demo&unit=bio-011").text
        send(robin, form(page, "/queue/decide", verdict="accept"), verdict="accept")
        resumed(bench)
        assert "bio-007" not in published(bench) and "bio-009" in published(bench)

    def test_who_is_refused_drops_nothing(self, bench: Workbench, robin: httpx2.Client) -> None:
        """Two people have the same page open: one drops this one, the other then drops the other one."""
        page = robin.get("/queue?run=demo&unit=bio-009").text
        [other] = [one for one in forms(page) if "other" in one.fields]
        with closing(bench.browser("Ada")) as ada:
            adas = ada.get("/queue?run=demo&unit=bio-009").text
            assert send(ada, form(adas, "/queue/decide", verdict="drop"), verdict="drop").status_code == 200
        refused = send(robin, other, verdict="accept")
        assert refused.status_code == 409
        assert "Ada dropped bio-009" in words(refused.text)
        assert states_of(bench) == {"bio-007": "validated", "bio-009": "dropped"}

    def test_nor_does_who_is_refused_the_other_one(self, bench: Workbench, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        this, other = form(page, "/queue/decide", verdict="drop"), next(f for f in forms(page) if "other" in f.fields)
        with closing(bench.browser("Ada")) as ada:
            send(ada, other, verdict="accept")
        refused = send(robin, this, verdict="drop")
        assert refused.status_code == 409 and "Ada accepted bio-009" in words(refused.text)
        assert states_of(bench) == {"bio-007": "dropped", "bio-009": "validated"}

    def test_the_last_of_two_is_not_dropped_by_somebody_else(self, bench: Workbench, robin: httpx2.Client) -> None:
        """Ada drops the other on its own page; the page that Robin has open still shows it as standing."""
        page = robin.get("/queue?run=demo&unit=bio-009").text
        with closing(bench.browser("Ada")) as ada:
            adas = ada.get("/runs/demo/units/bio-007").text
            gone = form(adas, "/queue/decide", verdict="drop")
            send(ada, gone, verdict="drop", note="beyond repair")
        refused = send(robin, form(page, "/queue/decide", verdict="drop"), verdict="drop")
        assert refused.status_code == 409
        assert "Ada dropped bio-007" in words(refused.text)
        assert states_of(bench) == {"bio-007": "dropped", "bio-009": "needs_manual_review"}

    def test_only_a_near_duplicate_is_dropped_with_it(self, bench: Workbench, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        [other] = [one for one in forms(page) if "other" in one.fields]
        [row] = bench.here.reviews.rows("demo", ["bio-001"])
        forged = {**other.fields, "other": "bio-001", "other_seen": row.at, "verdict": "accept"}
        refused = robin.post("/queue/decide", data=forged)
        assert refused.status_code == 400 and "bio-009 is no near-duplicate of bio-001" in words(refused.text)
        assert states_of(bench, "bio-001") == {"bio-001": "validated"}

    def test_undo_brings_both_back(self, bench: Workbench, robin: httpx2.Client) -> None:
        before = states_of(bench)
        page = robin.get("/queue?run=demo&unit=bio-009").text
        [other] = [one for one in forms(page) if "other" in one.fields]
        after = send(robin, other, verdict="accept")
        assert "Accepted bio-009" in words(after.text) and "bio-007 is dropped." in words(after.text)
        send(robin, form(after.text, "/queue/undo"))
        assert states_of(bench) == before

    def test_it_can_be_brought_back(self, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-009").text
        after = send(robin, form(page, "/queue/decide", verdict="drop"), verdict="drop")
        back = send(robin, form(after.text, "/queue/undo"))
        assert "bio-009 is in the queue again" in words(back.text)


class TestBeyondRepair:
    def test_a_note_that_is_too_long_is_refused_and_kept(self, bench: Workbench, robin: httpx2.Client) -> None:
        page = robin.get("/queue?run=demo&unit=bio-011").text
        assert "maxlength" not in page.partition('id="back-note"')[2].partition(">")[0]
        back = form(page, "/queue/decide", verdict="reject")
        refused = send(robin, back, verdict="reject", note="w" * 4_001)
        assert refused.status_code == 400 and "w" * 4_001 in refused.text
        assert "The note has 4,001 characters; 4,000 are allowed." in words(refused.text)
        assert states_of(bench, "bio-011") == {"bio-011": "needs_manual_review"}

    def test_a_reason_is_asked_for(self, robin: httpx2.Client) -> None:
        fields = {"run": "demo", "unit": "bio-011", "verdict": "drop", "from": "unit"}
        refused = robin.post("/queue/decide", data=fields)
        assert refused.status_code == 400 and "is dropped with a reason" in words(refused.text)
        taken = robin.post("/queue/decide", data={**fields, "note": "beyond repair"})
        assert taken.status_code == 303

    def test_on_the_page_of_the_unit_too(self, robin: httpx2.Client) -> None:
        said = words(robin.get("/runs/demo/units/bio-011").text)
        assert "Accept a" in said and "Edit e" in said and "Send back r" in said and "Drop x" in said
        assert "Drop x" in words(robin.get("/runs/demo/units/bio-002").text)

    def test_over_http(self, bench: Workbench, robin: httpx2.Client) -> None:
        order = {"verdict": "drop", "by": "Ada", "note": "beyond repair"}
        answer = robin.post("/api/v1/runs/demo/units/bio-011/decision", json=order)
        assert answer.status_code in (200, 201), answer.text
        assert answer.json()["state"] == "dropped"


@pytest.mark.parametrize("kind", ["lessons", "manuscripts", "legos"])
def test_other_kinds_say_that_nothing_is_left_out(tmp_path: Path, kind: str) -> None:
    main(["demo", kind, "--keep", str(tmp_path), "--no-color"])
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        page = browser.get("/queue").text
        assert 'data-key="x"' not in page


def test_what_was_accepted_all_the_same_is_overruled(robin: httpx2.Client) -> None:
    page = robin.get("/queue?run=demo&unit=bio-011").text
    assert "fails" in words(page) and "overruled" not in words(page)
    send(robin, form(page, "/queue/decide", verdict="accept"), verdict="accept")
    said = words(robin.get("/runs/demo/units/bio-011").text)
    assert "overruled by Robin Ito" in said
