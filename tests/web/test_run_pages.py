"""The list of runs, the page of a run, rules and precision, over real runs and through the real server."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from burnish.app.run_index import RunIndex
from burnish.cli.main import main
from burnish.core.records import CallIntent
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from burnish.web.pages.run_overview import MOST_ROLES, overview_of
from tests.mixed_queue import question
from tests.web.paper import forms, send, words
from tests.workbench import Workbench, workbench

ODD = "<b>q\u202e/1?#%"
"""An id that tries to be markup, a path and a query, and turns the text round."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """A bank and a lesson of the demo, a bank with an odd id in which everything waits, and a run that is none."""
    home = tmp_path_factory.mktemp("pages")
    runs = home / "runs"
    for kind in ("questions", "lessons"):
        assert main(["demo", kind, "--keep", str(home), "--no-color"]) == 0
    bank = [{**question(number % 40), "id": ODD if number == 0 else f"river-{number:02}"} for number in range(60)]
    (home / "rivers.json").write_text(json.dumps(bank), encoding="utf-8")
    assert main(["polish", str(home / "rivers.json"), "--rules-only", "--run-id", "rivers", "--runs", str(runs)]) == 3
    shutil.copytree(runs / "demo", runs / "broken")
    (runs / "broken" / "journal.sqlite").write_bytes(b"no database at all" * 400)
    with workbench(runs) as server:
        yield server


@pytest.fixture(scope="module")
def robin(bench: Workbench) -> Iterator[httpx2.Client]:
    with closing(bench.browser("Robin Ito")) as browser:
        yield browser


def read(browser: httpx2.Client, address: str, status: int = 200, **query: str) -> tuple[str, str]:
    answer = browser.get(address, params=query or None)
    assert answer.status_code == status, answer.text
    return answer.text, words(answer.text)


def links(page: str, start: str) -> list[str]:
    found = re.findall(r'href="([^"]+)"', page)
    return [link.replace("&amp;", "&") for link in found if link.startswith(start)]


class TestRuns:
    def test_every_run_with_its_state_progress_and_cost(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs")
        assert "biology" in said and "Waiting for people" in said and "10 of 12 validated" in said
        assert "Published" in said and "9 of 9 units accepted" in said
        assert 'aria-label="10 of 12 validated"' in page and 'data-events="/live"' in page
        assert ">RI</a>" in page

    def test_a_run_that_cannot_be_shown_is_named_and_takes_nothing_with_it(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs")
        assert "broken" in said and "Cannot be shown" in said

    def test_filters_are_links(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs", state="done")
        assert "bread" in said and "biology" not in said
        assert '<a class="chip" aria-current="true" href="/runs?state=done">Done <span>1</span></a>' in page
        _, said = read(robin, "/runs", kind="questions", find="RIVER")
        assert "1 of 4 runs" in said
        assert "/runs?kind=lessons" in links(page.replace("state=done&amp;", ""), "/runs?")
        _, said = read(robin, "/runs", state="what", kind="is", start="-7")
        assert "4 of 4 runs" in said

    def test_nothing_matches(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs", find="<script>")
        assert "No run matches these filters" in said and "Show all 4" in said

    def test_no_runs_yet(self, tmp_path: Path) -> None:
        with workbench(tmp_path / "none") as server, closing(server.browser()) as browser:
            _, said = read(browser, "/runs")
            assert "Drop files here" in said and "Or try a sample" in said
            _, said = read(browser, "/precision")
            assert "No decisions yet" in said

    def test_many_runs_are_paged(self, robin: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("burnish.web.pages.runs.MOST_SHOWN", 2)
        page, _ = read(robin, "/runs")
        assert links(page, "/runs?start=2")
        page, said = read(robin, "/runs", start="2")
        assert links(page, "/runs?start=0") and "Next" not in said.split("4 runs")[-1]


class TestRun:
    def test_head_facts_tabs_and_what_to_do(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/demo", tab="overview")
        assert "Waiting for people" in said and "10 of 12" in said and "Decide 2 questions" in said
        assert "/queue?run=demo" in links(page, "/queue")
        assert "/runs/demo/report.html" in links(page, "/runs")
        for tab in ("overview", "units", "events", "settings"):
            assert f"/runs/demo?tab={tab}" in links(page, "/runs")
        assert "Overview Questions 12 History Settings" in said
        assert "/runs/demo?tab=findings" in links(read(robin, "/runs/demo", tab="units")[0], "/runs")
        assert re.search(r'data-events="/api/v1/runs/demo/events\?after=\d+&amp;follow=true"', page)

    def test_overview(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/demo", tab="overview")
        assert "10 of 12 questions are ready; 2 wait for you" in said and "6 no change needed" in said
        assert "2 of 12 required questions are not ready; all of them wait for you" in said
        assert "/queue?run=demo&unit=bio-009" in links(page, "/queue")
        assert "Money and tokens over time" in said and "<polyline" in page
        assert "/runs/demo?tab=units&rule=potential_duplicate" in links(page, "/runs")
        assert "Score distribution" in said and "2 below 1.00" in said

    def test_why_many_wait(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/rivers", tab="overview")
        assert "55 more wait for a person. Of all 60:" in said and "a model is needed, and none is set" in said
        [first, *_] = [link for link in links(page, "/runs/rivers?tab=units") if "cause=" in link]
        assert "river-01" in read(robin, first)[1]

    def test_a_run_that_is_done(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs/lesson", tab="overview")
        assert "Nothing blocks publishing" in said and "Decide" not in said and "Continue" not in said

    def test_units_and_their_filters(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs/demo", tab="units", state="needs_manual_review", text="bio")
        assert "bio-009" in said and "bio-001" not in said
        _, said = read(robin, "/runs/demo", tab="units", rule="potential_duplicate")
        assert "bio-009" in said and "bio-011" not in said
        _, said = read(robin, "/runs/demo", tab="units", text="nothing like it")
        assert "matches these filters" in said and "Show all 12" in said

    def test_pages_of_units_follow_each_other(self, robin: httpx2.Client) -> None:
        first, _ = read(robin, "/runs/rivers", tab="units")
        [onward] = [link for link in links(first, "/runs/rivers?tab=units") if "after=" in link]
        second, said = read(robin, onward)
        assert "river-59" in said and "river-01" not in said
        [back] = [link for link in links(second, "/runs/rivers?tab=units") if "before=" in link]
        _again, said = read(robin, back)
        assert "river-01" in said and "river-59" not in said

    def test_an_id_is_content_wherever_it_stands(self, robin: httpx2.Client) -> None:
        for tab in ("overview", "units", "events"):
            page, _ = read(robin, "/runs/rivers", tab=tab, until="20")
            assert "<b>q" not in page and "\u202e" not in page
        page, _ = read(robin, "/runs/rivers", tab="units")
        [link] = links(page, "/runs/rivers/units/%3Cb%3E")
        answer = robin.get(link)
        assert answer.status_code == 200 and "\u202e" not in re.sub(
            r'value="[^"]*"|<textarea.*?</textarea>', "", answer.text
        )

    def test_findings_by_rule(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/demo", tab="findings")
        assert "potential_duplicate" in said and "no decisions yet" in said
        assert "/rules/potential_duplicate" in links(page, "/rules/")

    def test_events_newest_first_a_page_at_a_time(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/demo", tab="events")
        numbers = [int(number) for number in re.findall(r'id="event-(\d+)"', page)]
        assert numbers == sorted(numbers, reverse=True) and numbers
        assert "Run stopped" in said and "2 needs a person" in said
        page, said = read(robin, "/runs/demo", tab="events", until="13")
        assert re.findall(r'id="event-(\d+)"', page) == [str(number) for number in range(13, 0, -1)]
        assert "From not checked yet to being corrected" in said and "With biology_model.json" in said
        for odd in ("0", "-1", "x", "9" * 40):
            read(robin, "/runs/demo", tab="events", until=odd)

    def test_settings_tell_the_plan_without_its_secrets(self, robin: httpx2.Client, bench: Workbench) -> None:
        page, said = read(robin, "/runs/lesson", tab="settings")
        assert "bread.json, json, sha256:" in said and "scripted:bread_judge_1.json" in said
        assert bench.here.index.open("lesson").view.plan.nonce not in page

    def test_an_unknown_tab_is_the_first_and_an_unknown_run_is_none(self, robin: httpx2.Client) -> None:
        page, _ = read(robin, "/runs/demo", tab="<x>")
        assert page.count('aria-current="page"') >= 2
        _, said = read(robin, "/runs/nothing", 404)
        assert "nothing" in said and "All runs" in said

    def test_what_an_errand_said_that_failed(self, robin: httpx2.Client, bench: Workbench) -> None:
        bench.here.jobs._errors["demo"] = "No key <b> for the model."
        try:
            _, said = read(robin, "/runs/demo")
            assert "The run could not resume: No key <b> for the model." in said
        finally:
            bench.here.jobs._errors.clear()

    def test_the_strip_has_a_legend_of_its_own_colours(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/demo")
        strip, _, legend = page.partition('class="strip"')[2].partition('<div class="legend">')
        legend = legend.partition("</div>")[0]
        assert set(re.findall(r'rect class="f-([^"]+)"', strip)) == set(re.findall(r'rect class="f-([^"]+)"', legend))
        assert "6 no change needed" in said and "4 corrected" in said and "2 needs a person" in said

    def test_history_and_settings_are_in_the_words_of_people(self, robin: httpx2.Client) -> None:
        said = read(robin, "/runs/demo", tab="events")[1]
        assert "From being corrected to needs a person: the same rule failed in every correction" in said
        assert "Publish blocked 2 needs a person" in said and "needs manual review" not in said
        assert "Negative question nbme_negation_detection" in read(robin, "/runs/demo", tab="settings")[1]

    def test_one_that_is_queued_says_so(self, robin: httpx2.Client, bench: Workbench) -> None:
        bench.here.jobs._queue["demo"] = ("resume", "demo")
        try:
            page, said = read(robin, "/runs/demo", done="start")
            assert "Queued. 0 runs are working; this one is next." in said and "Started." not in said
            assert '<span class="pill boxed work">' in page and "Pause" not in said and "Stop" in said
            assert "Queued" in read(robin, "/runs")[1]
        finally:
            bench.here.jobs._queue.clear()

    def test_what_was_begun_is_not_said_of_a_run_at_rest(self, robin: httpx2.Client) -> None:
        for done in ("start", "pause", "stop", "continue", "approve"):
            assert 'toast" role="status"' not in read(robin, "/runs/demo", done=done)[0]

    def test_it_says_when_it_goes_on_by_itself(self, robin: httpx2.Client, bench: Workbench) -> None:
        bench.here.jobs.schedule_resume("demo")
        _, said = read(robin, "/runs/demo")
        bench.here.jobs.cancel_resume("demo")
        assert "The run resumes automatically in" in said


class TestRules:
    def test_the_rulebook_and_its_filters(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/rules", kind="questions", find="negation")
        assert "nbme_negation_detection" in said and "A lead-in that asks for the exception" in said
        assert "broken_link" not in said
        _, said = read(robin, "/rules", find="no rule is like this")
        assert "No rule matches these filters" in said
        _, said = read(robin, "/rules")
        assert "c_iron_rule_violation" in said and "broken_link" in said

    def test_a_rule_with_its_examples_marked(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/rules/nbme_negation_detection")
        assert "Why it matters" in said and "--ignore nbme_negation_detection" in said
        assert '<mark class="error">NOT</mark>' in page and "Not reported" in said

    def test_a_rule_about_documents_has_no_examples(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/rules/potential_duplicate")
        assert "Reported " not in said

    def test_an_unknown_rule(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/rules/nbme_negation_detectio", 404)
        assert "nbme_negation_detection" in said


class TestDoing:
    """These change something, so they have a folder of their own."""

    @pytest.fixture
    def own(self, bench: Workbench, tmp_path: Path) -> Iterator[Workbench]:
        shutil.copytree(bench.here.runs / "demo", tmp_path / "runs" / "demo")
        with workbench(tmp_path / "runs") as server:
            yield server

    def test_decisions_become_numbers(self, own: Workbench) -> None:
        for unit in ("bio-009", "bio-011"):
            assert main(["decide", "demo", unit, "accept", "--by", "Ana", "--runs", str(own.here.runs)]) == 0
        with closing(own.browser("Ana")) as browser:
            page, said = read(browser, "/precision")
            said = said.replace("\u00a0", " ")
            assert "1 case, right in 0 (0 %, 0 to 79 %)" in said and "too few to say more" in said
            assert "/rules/potential_duplicate" in links(page, "/rules/") and 'class="ci"' in page
            assert "potential_duplicate" not in read(browser, "/precision", kind="legos")[1]
            assert "0 of 1 (0 %, 0 to 79 %)" in read(browser, "/rules/potential_duplicate")[1].replace("\u00a0", " ")

    def test_calls_that_got_lost_in_a_kill_are_on_the_bill(self, own: Workbench) -> None:
        journal = open_journal(own.here.runs / "demo" / "journal.sqlite", clock=system_clock)
        with closing(journal), closing(own.browser("Ana")) as browser:
            journal.write_now(CallIntent("a", "reviewer", "openai:gpt-5-mini", 9_500, 0.02))
            said = read(browser, "/runs/demo", tab="overview")[1].replace("\u00a0", " ")
            assert "1 call without a recorded answer: perhaps paid, at most 9,500 tokens." in said

    def test_a_run_goes_on(self, own: Workbench) -> None:
        for unit in ("bio-009", "bio-011"):
            assert main(["decide", "demo", unit, "accept", "--by", "Ana", "--runs", str(own.here.runs)]) == 0
        with closing(own.browser("Ana")) as browser:
            page, said = read(browser, "/runs/demo")
            assert "Ready to resume" in said and 'data-key="c"' in page
            [goes_on] = [form for form in forms(page) if form.action == "/runs/demo/continue"]
            assert goes_on.method == "post"
            answer = send(browser, goes_on)
            assert answer.status_code == 200 and "The run resumes" in words(answer.text)
            assert browser.get("/runs/demo/continue").status_code == 405

    def test_who_approves_has_a_name(self, own: Workbench) -> None:
        with closing(own.browser()) as nobody:
            asked = nobody.post("/runs/demo/approve")
            assert "Your name" in words(asked.text)
            assert not own.here.jobs.at_work()
            [form] = [form for form in forms(asked.text) if form.action == "/runs/demo/approve"]
            answer = nobody.post(form.action, data={**form.fields, "name": "Ana"})
            assert answer.status_code == 303 and answer.headers["location"] == "/runs/demo?done=approve"
            assert "The run publishes now" in words(nobody.get(answer.headers["location"]).text)
            assert 'value="Ana"' in nobody.get("/name").text


class TestNames:
    def test_a_name_is_asked_for_once(self, bench: Workbench) -> None:
        with closing(bench.browser()) as browser:
            page, _ = read(browser, "/name", next="/queue?run=demo")
            [form] = [form for form in forms(page) if form.method == "post"]
            assert form.fields["next"] == "/queue?run=demo"
            answer = browser.post("/name", data={**form.fields, "name": "  Lila\u202e  Benali ⵍ "})
            assert answer.status_code == 303 and answer.headers["location"] == "/queue?run=demo"
            cookie = answer.headers["set-cookie"]
            assert "HttpOnly" in cookie and "SameSite=strict" in cookie
            page, _ = read(browser, "/name")
            assert 'value="Lila Benali ⵍ"' in page

    @pytest.mark.parametrize("away", ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example", "x"])
    def test_nobody_is_sent_away(self, bench: Workbench, away: str) -> None:
        with closing(bench.browser()) as browser:
            assert browser.post("/name", data={"name": "A", "next": away}).headers["location"] == "/queue"

    def test_no_name_is_no_name(self, bench: Workbench) -> None:
        with closing(bench.browser()) as browser:
            assert browser.post("/name", data={"name": "\u200b \n"}).status_code == 400

    def test_keys_without_scripts(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/keys")
        assert "accept the proposal" in said and "Without scripts" in said


def test_no_page_is_half_markup(robin: httpx2.Client) -> None:
    """Every page ends as it should, has one main heading, and every id in it is there once."""
    tabs = [f"/runs/demo?tab={tab}" for tab in ("overview", "units", "findings", "events", "settings")]
    for address in ("/runs", *tabs, "/rules", "/precision", "/keys", "/name"):
        page, _ = read(robin, address)
        assert page.rstrip().endswith("</html>") and page.count("<h1") == 1, address
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), address
        labelled = re.findall(r'aria-labelledby="([^"]+)"', page)
        assert set(labelled) <= set(ids), address


def test_tokens_over_time_by_role(looked_at_runs: Path) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        run = index.open("lesson")
        by_role = run.spending_by_role()
        bills = {bill.role: bill.usage.total_tokens for bill in run.view.journal.totals_by_role()}
        assert {role: line[-1][1] for role, line in by_role.items()} == bills and len(bills) > 1
        drawn = overview_of(run).curve
        assert drawn is not None and len(drawn.parts) == min(len(bills), MOST_ROLES)
        assert all(part.words in drawn.label for part in drawn.parts), "said in words, too"
        for part in drawn.parts:
            places = [tuple(map(float, point.split(","))) for point in part.line.split()]
            assert places == sorted(places, key=lambda one: one[0]), "time does not run backwards"


def test_precision_by_day(looked_at_runs: Path) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        days, lines = index.precision_by_day(), index.precision()
        assert sum(day.of for day in days) >= max((line.of for line in lines), default=0)
        assert all(len(day.who) == 10 and 0 <= day.low <= day.share <= day.high <= 1 for day in days)
