"""The workbench as people use it: a real browser, a real server, real runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NARROW
from tests.engine.questions_bench import biased, script, sound
from tests.mixed_queue import mixed_runs
from tests.workbench import TOKEN, Workbench, workbench

Opened = Callable[..., Page]
WAITING = int(os.environ.get("QUEUE_OF", "9"))
"""Questions in the bank that waits; the demo's runs add a few. `make faults` has 46."""
LATENCY = 0.3
"""Seconds that the model takes for a reply: long enough to see a run at work."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of all four kinds, in which many units wait."""
    return mixed_runs(tmp_path_factory, WAITING)


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Iterator[Workbench]:
    runs = tmp_path / "runs"
    shutil.copytree(made, runs)
    with workbench(runs, grace=0.3, settings={"serve.runs_at_once": 4}) as served:
        yield served


def waiting(page: Page) -> int:
    return int(page.locator("nav .count").first.inner_text().replace(",", ""))


def press(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait for it."""
    with page.expect_navigation():
        page.keyboard.press(key)


def let_in(page: Page, bench: Workbench, place: str = "queue", name: str = "Ada") -> Page:
    """Through the link, and a name given."""
    page.goto(bench.link)
    page.goto(f"{bench.address}/name")
    page.locator("input[name=name]").fill(name)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.goto(f"{bench.address}/{place}")
    return page


def row_of(page: Page, run: str) -> Locator:
    return page.locator("tr", has=page.locator(f'a[href="/runs/{run}"]'))


def toast(page: Page) -> Locator:
    return page.locator(".toast").first


class TestDoor:
    def test_the_link_opens_and_leaves_no_token_behind(self, bench: Workbench, opened: Opened) -> None:
        page = opened()
        page.goto(bench.link)
        assert page.url == f"{bench.address}/runs"
        assert TOKEN not in page.content()
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
        page.goto(f"{bench.address}/queue")
        expect(page.get_by_role("heading", level=1)).to_have_text("Review queue")

    def test_a_link_of_yesterday(self, bench: Workbench, chromium: Any) -> None:
        with chromium.new_context() as context:
            page = context.new_page()
            answer = page.goto(f"{bench.address}/?token=yesterday")
            assert answer is not None
            assert answer.status == 401
            expect(page.locator("body")).to_contain_text("burnish serve")


class TestLive:
    @pytest.fixture
    def bench(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
        model = script(tmp_path / "script.json", *(f"q{number}" for number in range(8)), latency=LATENCY)
        monkeypatch.setenv("BURNISH_WORKERS", "1")
        with workbench(tmp_path / "runs", settings={"models.model": f"scripted:{model}"}) as served:
            yield served

    def test_a_run_is_watched_while_it_works(self, bench: Workbench, opened: Opened) -> None:
        page = opened()
        page.goto(bench.link)
        expect(page.locator("[data-live-words]")).to_contain_text("Live")
        content = json.dumps([sound(0), *(biased(number) for number in range(1, 8))])
        with bench.program() as program:
            order = {"run_id": "live", "name": "live.json", "content": content}
            assert program.post("/api/v1/polish", json=order).status_code == 202
        row = row_of(page, "live")
        expect(row).to_contain_text("Working")
        page.evaluate("window.sameDocument = true")
        page_of_run = opened()
        page_of_run.goto(bench.link)
        page_of_run.goto(f"{bench.address}/runs/live")
        expect(page_of_run.locator("main")).to_contain_text("Published", timeout=20_000)
        expect(row).to_contain_text("Published", timeout=20_000)
        assert page.evaluate("window.sameDocument") is True, "the page was loaded anew"
        self._look_while_the_process_ends(page_of_run, bench)

    @staticmethod
    def _look_while_the_process_ends(page: Page, bench: Workbench) -> None:
        """The last event comes before the process is gone, and no event tells that it is: what can be done then is
        offered all the same, on a page that was opened in between."""
        with pytest.MonkeyPatch.context() as ending:
            ending.setattr(bench.here.jobs, "is_at_work", lambda run: True)
            page.reload()
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        expect(page.get_by_role("button", name="Delete")).to_be_visible(timeout=30_000)

    def test_a_run_is_paused_and_resumed_on_its_page(self, bench: Workbench, opened: Opened, tmp_path: Path) -> None:
        page = opened()
        page.goto(bench.link)
        content = json.dumps([biased(number) for number in range(8)])
        with bench.program() as program:
            order = {"run_id": "paused", "name": "paused.json", "content": content}
            assert program.post("/api/v1/polish", json=order).status_code == 202
        page.goto(f"{bench.address}/runs/paused")
        expect(page.locator(".head")).to_contain_text("questions left", timeout=20_000)
        page.get_by_role("button", name="Pause").click()
        # Nothing is written when a run comes to rest: the page has to look by itself.
        resume = page.get_by_role("button", name="Resume")
        expect(resume).to_be_visible(timeout=20_000)
        expect(page.locator(".head")).to_contain_text("Paused")
        script(tmp_path / "script.json", *(f"q{number}" for number in range(8)))  # nobody has to watch the rest
        expect(page.locator("main")).not_to_contain_text("The run pauses.")
        resume.click()
        expect(page.locator(".head")).to_contain_text("Published", timeout=30_000)
        expect(page.locator("main")).not_to_contain_text("The run resumes.")


class TestQueue:
    def test_a_mixed_queue_by_keyboard_and_the_run_publishes(
        self, bench: Workbench, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        schedule = bench.here.jobs.schedule_resume
        # The other runs would each start a process, and write into the folder of the course that all tests look at.
        monkeypatch.setattr(bench.here.jobs, "schedule_resume", lambda run: schedule(run) if run == "rivers" else None)
        page = opened()
        page.goto(bench.link)
        page.goto(f"{bench.address}/queue")
        left = waiting(page)
        assert left > WAITING
        # The first decision asks who decides.
        press(page, "a")
        page.locator("input[name=name]").fill("Ada")
        press(page, "Enter")
        for _ in range(4):
            assert page.evaluate("document.activeElement.id") == "why"
            expect(toast(page)).to_contain_text("Accepted")
            press(page, "a")
        assert waiting(page) == left - 5
        # One is undone, and comes back.
        undone = toast(page).locator("b").first.inner_text()
        press(page, "u")
        expect(toast(page)).to_contain_text("Undone")
        assert waiting(page) == left - 4
        assert page.locator(".focus .where code").first.inner_text() == undone
        # A reload in the middle loses nothing.
        page.reload()
        assert waiting(page) == left - 4
        # One is sent back to nobody in particular: there is no model, so it is edited instead.
        before = page.locator(".focus .where code").first.inner_text()
        page.keyboard.press("e")
        field = page.locator("#edit textarea").first
        expect(field).to_be_focused()
        field.fill(re.sub(r"\bNOT\b", "", field.input_value()).replace("  ", " "))
        press(page, "Control+Enter")
        expect(toast(page)).to_contain_text(before)
        # The rest, to the last.
        for _ in range(left):
            if not page.locator("[data-key=a]").count():
                break
            press(page, "a")
        page.goto(f"{bench.address}/queue")
        expect(page.locator("main")).to_contain_text("Nothing waits for you")
        page.goto(f"{bench.address}/runs")
        row = row_of(page, "rivers")
        expect(row).to_contain_text("Published", timeout=30_000)
        assert (bench.here.runs / "rivers" / "out" / "rivers.json").is_file()

    def test_keys_are_shown_and_silent_while_somebody_types(self, bench: Workbench, opened: Opened) -> None:
        page = let_in(opened(), bench)
        unit = page.locator(".focus .where code").first.inner_text()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        for word in ("accept", "undo", "next"):
            expect(page.get_by_role("dialog")).to_contain_text(re.compile(word, re.IGNORECASE))
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).not_to_be_visible()
        page.keyboard.press("r")
        note = page.locator("#back textarea")
        expect(note).to_be_focused()
        page.keyboard.type("a sad example just kept aside")
        assert note.input_value() == "a sad example just kept aside"
        assert page.locator(".focus .where code").first.inner_text() == unit
        page.keyboard.press("Escape")
        press(page, "j")
        assert page.locator(".focus .where code").first.inner_text() != unit
        press(page, "k")
        assert page.locator(".focus .where code").first.inner_text() == unit
        press(page, "o")
        assert "/units/" in page.url

    def test_what_is_being_written_is_neither_lost_nor_passed_by(self, bench: Workbench, opened: Opened) -> None:
        page = let_in(opened(), bench, "queue?run=rivers")
        unit = page.locator(".focus .where code").first.inner_text()
        page.keyboard.press("e")
        page.locator("#edit textarea").first.fill("Which of these towns lies on the river?")
        # A reload keeps it.
        page.reload()
        expect(page.locator("#edit textarea").first).to_have_value("Which of these towns lies on the river?")
        # So does a look at the next one and back.
        page.evaluate("document.activeElement.blur()")
        press(page, "j")
        press(page, "k")
        expect(page.locator("#edit textarea").first).to_have_value("Which of these towns lies on the river?")
        # Accepting without it is asked about.
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("a")
        expect(page.locator("[data-unsent]")).to_be_visible()
        assert page.locator(".focus .where code").first.inner_text() == unit
        page.get_by_role("button", name="Discard my text").click()
        expect(page.locator("[data-unsent]")).not_to_be_visible()
        page.evaluate("document.activeElement.blur()")
        press(page, "a")
        expect(toast(page)).to_contain_text(f"Accepted {unit}")

    def test_several_with_one_cause_at_once(self, bench: Workbench, opened: Opened) -> None:
        page = let_in(opened(), bench, "queue?run=rivers")
        left = waiting(page)
        press(page, "b")
        button = page.get_by_role("button", name=re.compile(rf"Accept.*{WAITING}"))
        expect(button).to_be_visible()
        with page.expect_navigation():
            button.click()
        expect(toast(page)).to_contain_text(str(WAITING))
        assert waiting(page) == left - WAITING
        press(page, "u")
        assert waiting(page) == left

    def test_a_selection_is_decided_by_key(self, bench: Workbench, opened: Opened) -> None:
        page = let_in(opened(), bench, "queue?run=rivers")
        left = waiting(page)
        press(page, "b")
        page.locator(".tickable input[type=checkbox]").first.uncheck()
        expect(page.get_by_role("button", name=re.compile(rf"Accept.*{WAITING - 1}"))).to_be_visible()
        press(page, "a")
        expect(toast(page)).to_contain_text(f"Accepted {WAITING - 1} at once.")
        assert waiting(page) == left - WAITING + 1

    def test_two_people_at_once(self, bench: Workbench, opened: Opened) -> None:
        ada, ben = let_in(opened(), bench, "queue?run=rivers"), let_in(opened(), bench, "queue?run=rivers", "Ben")
        unit = ada.locator(".focus .where code").first.inner_text()
        assert ben.locator(".focus .where code").first.inner_text() == unit
        ben.keyboard.press("e")
        ben.locator("#edit textarea").first.fill("Ben's own words, which must not be lost?")
        press(ada, "a")
        with ben.expect_navigation():
            ben.keyboard.press("Control+Enter")
        said = ben.locator("main")
        expect(said).to_contain_text(re.compile(rf"Ada accepted {unit} .* before you"))
        expect(said).to_contain_text("Your edit is kept below; nothing was overwritten.")
        texts = [each.input_value() for each in ben.locator("textarea").all()]
        assert "Ben's own words, which must not be lost?" in texts


@pytest.mark.parametrize(
    "place", ["runs", "runs/rivers", "runs/book", "runs/lesson", "runs/course", "queue", "precision", "rules"]
)
class TestLooks:
    def test_a_narrow_screen_in_the_dark(self, bench: Workbench, opened: Opened, place: str) -> None:
        page = opened(viewport=NARROW, color_scheme="dark")
        page.goto(bench.link)
        page.goto(f"{bench.address}/{place}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "it has to be scrolled sideways"
        red, green, blue = page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
        )
        assert max(red, green, blue) < 64
        nameless = page.evaluate(NAMELESS)
        assert nameless == []


NAMELESS = """() => [...document.querySelectorAll("input:not([type=hidden]), textarea, select, button, a[href], img")]
  .filter((one) => one.getClientRects().length)
  .filter((one) => !(one.labels && one.labels.length) && !one.getAttribute("aria-label") && !one.textContent.trim()
    && !one.getAttribute("aria-labelledby") && !one.title && !one.alt)
  .map((one) => one.outerHTML.slice(0, 120))"""
"""Controls that a screen reader has no name for."""


def test_a_server_that_goes_is_noticed(made: Path, tmp_path: Path, chromium: Any) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(made, runs)
    with chromium.new_context() as context:
        page = context.new_page()
        with workbench(runs) as bench:
            page.goto(bench.link)
            expect(page.locator("[data-live-words]")).to_contain_text("Live")
        expect(page.locator("[data-lost]")).to_contain_text("The run continues without this page.")
    assert threading.active_count() >= 1


class TestTables:
    def test_a_table_is_laid_out_as_one(self, bench: Workbench, opened: Opened) -> None:
        """Heads stand above their columns: no style of another page makes a table something else."""
        page = let_in(opened(), bench, "rules")
        for place in ("rules", "runs", "runs/rivers?tab=units", "runs/rivers?tab=findings"):
            page.goto(f"{bench.address}/{place}")
            tables = page.locator("table.list")
            assert tables.count(), place
            for at in range(tables.count()):
                assert tables.nth(at).evaluate("one => getComputedStyle(one).display") == "table", place
