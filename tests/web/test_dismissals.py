"""One click beside a finding says that the rule is wrong, as a browser without scripts does it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnish.app.runs import view
from burnish.cli.main import main
from tests.mixed_queue import bank_of
from tests.web.paper import form, forms, send, words
from tests.workbench import Workbench, workbench

RUN, WAITING, RULE = "rivers", 3, "nbme_negation_detection"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which three questions wait for the same rule."""
    home = tmp_path_factory.mktemp("rivers")
    bank = bank_of(home / "rivers.json", WAITING)
    assert main(["polish", str(bank), "--run-id", RUN, "--runs", str(home / "runs"), "--no-color"]) == 3
    return home


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Iterator[Workbench]:
    shutil.copytree(made / "runs", tmp_path / "runs")
    with workbench(tmp_path / "runs") as server:
        yield server


def states(bench: Workbench) -> list[str]:
    with view(bench.here.runs, RUN) as run:
        return [row.state for row in run.journal.units()]


def test_in_the_queue_it_leads_to_the_next_unit(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    assert "trusted" in words(page), "how far the rule is believed stands beside its finding"
    after = send(robin, form(page, "/queue/dismiss"))
    assert after.status_code == 200
    said = words(after.text)
    assert "Dismissed a claim about river-00 : nothing else is wrong" in said
    assert "river-01" in said
    assert states(bench)[0] == "validated"
    back = send(robin, form(after.text, "/queue/undo"))
    assert back.status_code == 200
    assert states(bench)[0] == "needs_manual_review"


def test_on_the_units_own_page_too(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    address = f"/runs/{RUN}/units/river-01"
    after = send(robin, form(robin.get(address).text, "/queue/dismiss"))
    assert after.url.path == address
    said = words(after.text)
    assert "Robin dismissed a claim about it" in said
    assert "/queue/dismiss" not in after.text, "nothing is left to dismiss"


def test_of_two_people_the_second_reads_who_was_faster(bench: Workbench) -> None:
    robin, kim = bench.browser("Robin"), bench.browser("Kim")
    pages = [form(one.get(f"/runs/{RUN}/units/river-00").text, "/queue/dismiss") for one in (robin, kim)]
    assert send(robin, pages[0]).status_code == 200
    late = send(kim, pages[1])
    assert late.status_code == 409
    assert "Robin dismissed a claim about river-00" in words(late.text)


def test_all_claims_of_a_rule_are_dismissed_among_the_findings_of_the_run(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    address = f"/runs/{RUN}?tab=findings"
    [button] = [one for one in forms(robin.get(address).text) if one.fields.get("rule") == RULE]
    after = send(robin, button)
    assert after.status_code == 200
    assert set(states(bench)) == {"validated"}
    assert "dismissed in this run" in words(after.text)
    [undo] = [one for one in forms(after.text) if one.fields.get("rule") == RULE]
    send(robin, undo, undo="1")
    assert set(states(bench)) == {"needs_manual_review"}


def test_it_counts_against_the_rule_on_the_page_precision(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    send(robin, form(robin.get("/queue").text, "/queue/dismiss"))
    said = words(robin.get("/precision").text)
    assert "1 case, right in 0" in said
    assert "trusted in en (52 of 52 labelled findings right, at least 93 %)" in said
