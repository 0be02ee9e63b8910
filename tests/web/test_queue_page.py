"""The queue as a page: filters, the unit that is looked at, what is next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from burnish.app.rulebook import PrecisionLine
from burnish.web.pages.queue import precision_words
from tests.web.paper import form, words
from tests.workbench import workbench


@pytest.fixture(scope="module")
def robin(looked_at_runs: Path) -> Iterator[httpx2.Client]:
    with workbench(looked_at_runs) as server, closing(server.browser("Robin")) as browser:
        yield browser


def looked_at(page: str) -> str:
    return form(page, "/queue/decide", verdict="accept").fields["unit"]


def test_filters_are_links(robin: httpx2.Client) -> None:
    page = robin.get("/queue").text
    assert "All 17 Questions 11 LEGOs 5 Manuscripts 1" in words(page)
    assert looked_at(robin.get("/queue?kind=manuscripts").text) == "p_0013"
    page = robin.get("/queue?kind=questions").text
    assert looked_at(page) in ("bio-009", "bio-011") and 'aria-current="true" href="/queue?kind=questions"' in page
    page = robin.get("/queue?run=rivers&unit=river-04").text
    assert looked_at(page) == "river-04" and "rivers ×" in words(page)
    assert "Nothing waits under this filter" in words(robin.get("/queue?kind=lessons").text)
    assert "Show all 17" in words(robin.get("/queue?kind=lessons").text)


def test_previous_next_and_skip_keep_the_filter(robin: httpx2.Client) -> None:
    page = robin.get("/queue?run=rivers").text

    def pressed(key: str) -> str | None:
        found = re.search(rf'href="([^"]+)" data-key="{key}"', page)
        return found.group(1).replace("&amp;", "&") if found else None

    assert pressed("k") is None
    page = robin.get(str(pressed("j"))).text
    assert looked_at(page) == "river-01" and "run=rivers" in str(pressed("k"))
    page = robin.get(str(pressed("s"))).text
    assert looked_at(page) == "river-02"
    page = robin.get("/queue?run=rivers&of=rivers&unit=river-08").text
    assert pressed("j") is None
    page = robin.get(str(pressed("s"))).text
    assert looked_at(page) == "river-00"
    assert looked_at(robin.get("/queue?run=rivers&at=4").text) == "river-04"
    assert looked_at(robin.get("/queue?run=rivers&at=99&of=rivers&unit=gone").text) == "river-00"


def test_the_reason_comes_first_and_is_read_out(robin: httpx2.Client) -> None:
    page = robin.get("/queue?kind=manuscripts").text
    said = words(page)
    assert said.index("una promesa que se guarda") < said.index("Attempts")
    assert 'id="why" tabindex="-1" data-focus' in page
    assert "p_0013 attempt 1 of 2" in said and "Attempt 1 .66" in said and "Attempt 2 .66" in said and " kept" in said
    for key in ("a", "e", "r", "o", "d"):
        assert f'data-key="{key}"' in page


def test_next_lists_what_follows(robin: httpx2.Client) -> None:
    said = words(robin.get("/queue?run=rivers&of=rivers&unit=river-02").text)
    following = said[said.index("Next j k") :]
    assert [f"river-0{n}" in following for n in range(9)] == [False, False, *[True] * 6, False]
    assert "8 more have the same cause." in said and "rivers resumes when all 9 are decided." in said


def test_how_often_a_rule_was_right() -> None:
    lines = [PrecisionLine.counted("r", "questions", 48, 50), PrecisionLine.counted("few", "questions", 3, 4)]
    said = precision_words(lines, "questions", "r")
    assert said is not None and said.replace("\u00a0", " ") == "Right in 48 of 50 cases of all runs (96 %, 87 to 99 %)"
    few = precision_words(lines, "questions", "few")
    assert few is not None and few.startswith("Right in 3 of 4 cases of all runs so far (75")
    assert precision_words(lines, "legos", "r") is None and precision_words(lines, "questions", None) is None
