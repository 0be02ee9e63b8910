"""The page of a unit, over real runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.web.paper import words
from tests.workbench import workbench

BOOK = "/runs/book/units/p_0013"


@pytest.fixture(scope="module")
def robin(looked_at_runs: Path) -> Iterator[httpx2.Client]:
    with workbench(looked_at_runs) as server, closing(server.browser("Robin")) as browser:
        yield browser


def read(robin: httpx2.Client, address: str, **query: str) -> tuple[str, str]:
    answer = robin.get(address, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text, words(answer.text)


def test_every_attempt_newest_first(robin: httpx2.Client) -> None:
    _, said = read(robin, BOOK)
    numbers = re.findall(r"Step (\d)", said[said.index("newest first") : said.index("What changed")])
    assert numbers[:5] == ["5", "4", "3", "2", "1"]
    assert "Failed, semantic fidelity .66 below .85, 1 error" in said
    assert "Reworked by a small edit, 1 edit" in said and "Step 3 kept" in said


def test_one_number_of_attempts(robin: httpx2.Client) -> None:
    """A paragraph is drafted and reviewed: two steps, and one attempt, as the gate and the queue count."""
    _, unit = read(robin, BOOK)
    _, queue = read(robin, "/queue", of="book", unit="p_0013")
    _, overview = read(robin, "/runs/book")
    assert "Steps 5; step 3 is kept" in unit and "5 attempts" not in unit
    assert "attempt 1 of 2" in queue and "5 steps" in overview and "5 attempts" not in overview
    assert "Attempts 2; attempt 2 is kept" in read(robin, "/runs/demo/units/bio-002")[1]


def test_what_changed_against_any_other_draft(robin: httpx2.Client) -> None:
    page, said = read(robin, BOOK, attempt="5", against="3")
    assert "From step 3 to step 5" in said
    assert "<del>que se guarda</del><ins>guardada</ins>" in page
    _, said = read(robin, BOOK, attempt="5", against="source")
    assert "From the original to step 5" in said
    _, said = read(robin, BOOK, attempt="3", against="best")
    assert "This step is the best draft." in said
    for odd in ({"attempt": "99"}, {"attempt": "-1"}, {"attempt": "x", "against": "77"}, {"against": "9" * 400}):
        read(robin, BOOK, **odd)


def test_findings_are_marked_numbered_and_told_what_became_of_them(robin: httpx2.Client) -> None:
    page, said = read(robin, BOOK, attempt="3")
    assert '<mark class="critical">una promesa que se guarda</mark><a class="ref critical" href="#f1"' in page
    assert 'id="f1"' in page and ">meaning_change</code>" in page
    assert "0 settled, 1 open" in said and "Open in the kept draft" in said
    _, said = read(robin, BOOK, attempt="5")
    assert "Its draft was not kept" in said
    page, said = read(robin, "/runs/demo/units/bio-002", attempt="1")
    assert (
        'href="/rules/nbme_negation_detection"' in page
        and "Settled in attempt 2" in said
        and "1 settled, 0 open" in said
    )


def test_receipts_prove_what_was_changed(robin: httpx2.Client) -> None:
    _, said = read(robin, "/runs/demo/units/bio-002")
    told = said[said.index("Receipt of attempt 2") :]
    assert "exactly once, in stem" in told and "220 to 241 characters" in told
    assert "The other 12 fields of bio-002 are unchanged" in told and "Digest before and after" in told
    assert "questions.correct 4, questions.compare 1" in told and "It will not be paid for again." in told
    _, said = read(robin, BOOK)
    assert "counted with another paragraph of the same batch" in said and "manuscripts.rework_edit 2" in said


def test_raw_replies_on_demand(robin: httpx2.Client) -> None:
    page, said = read(robin, BOOK)
    assert "Raw model replies, 8" in said and "una promesa guardada" not in re.sub(r"(?s).*Raw model", "", page)
    page, said = read(robin, BOOK, replies="1")
    assert page.count("<pre") == 8 and "Hide the raw replies" in said and "Step 5, reviewer" in said


def test_scores_beside_their_lines(robin: httpx2.Client) -> None:
    _, said = read(robin, BOOK, attempt="5")
    assert "Semantic fidelity .66 below the threshold .85" in said and "Rings: earlier steps." in said
    _, said = read(robin, BOOK, attempt="1")
    assert "Scores of step" not in said


def test_the_units_before_and_behind_under_the_filter_that_led_here(robin: httpx2.Client) -> None:
    page, _ = read(robin, "/runs/demo/units/bio-002")
    assert 'href="/runs/demo/units/bio-001" data-key="k"' in page
    assert 'href="/runs/demo/units/bio-003" data-key="j"' in page
    page, _ = read(robin, "/runs/demo/units/bio-009", state="needs_manual_review")
    assert 'href="/runs/demo/units/bio-011?state=needs_manual_review" data-key="j"' in page
    assert 'data-key="k"' not in page


def test_no_such_unit(robin: httpx2.Client) -> None:
    answer = robin.get("/runs/demo/units/nobody")
    assert answer.status_code == 404 and "nobody" in words(answer.text)
    assert robin.get("/runs/none/units/bio-002").status_code == 404


def test_ids_are_unique_and_links_inside_the_page_lead_somewhere(robin: httpx2.Client) -> None:
    for address in (BOOK, f"{BOOK}?attempt=5&replies=1", "/runs/demo/units/bio-002", "/runs/demo/units/bio-009"):
        page = robin.get(address).text
        ids = Counter(re.findall(r'\bid="([^"]+)"', page))
        assert [id for id, times in ids.items() if times > 1] == []
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
        assert set(re.findall(r'<label[^>]*for="([^"]+)"', page)) <= set(ids)
