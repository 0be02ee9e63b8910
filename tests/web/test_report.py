"""`burnish report`: as text, as JSON, and as one page that stands alone."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.app.run_report import (
    ReportedCause,
    ReportedInput,
    ReportedPrecision,
    ReportedTrial,
    RunReport,
    run_report,
    show_report,
)
from burnish.app.terminal import Screen
from burnish.core.errors import UsageError
from burnish.web.pages import report as pages
from burnish.web.pages.report import chosen_units, policy, refuse_source, report_pieces
from tests.app.lego_desk import SharedDesk, sitting_in
from tests.web.kinds.renal import renal_runs
from tests.web.paper import words
from tests.workbench import workbench

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5} UTC")
VOID = frozenset({"meta", "input", "br", "hr", "link", "img"})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedDesk]:
    with sitting_in(tmp_path_factory.mktemp("report")) as made:
        renal_runs(made.home, decided=True)
        yield made


@pytest.fixture(scope="module")
def page(desk: SharedDesk) -> str:
    said = desk("report", "renal", "--html", "renal.html")
    assert (said.code, said.out.split()[-1]) == (0, "renal.html")
    return (desk.home / "renal.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def renal(desk: SharedDesk) -> Iterator[RunReader]:
    with closing(RunIndex(desk.home / "runs")) as index:
        run = index.open("renal")
        yield run


# -- text


def test_the_text_is_exactly_this(desk: SharedDesk) -> None:
    said = desk("report", "renal")
    assert said.code == 0
    shown = MOMENT.sub("2026-01-01 00:00 UTC", said.out)
    if os.environ.get("WRITE_GOLDEN"):
        (GOLDEN / "questions.txt").write_text(shown, encoding="utf-8")
    assert shown == (GOLDEN / "questions.txt").read_text(encoding="utf-8")


def test_reports_on_every_kind(looked_at_runs: Path, desk: SharedDesk) -> None:
    for run, told in {
        "book": "semantic_fidelity",
        "lesson": "Published",
        "course": "overall_score",
        "rivers": "9 questions",
    }.items():
        said = desk("report", run, "--runs", looked_at_runs)
        assert said.code == 0 and told in said.out, said.out
    assert "no decision in this run" not in said.out


def test_long_lists_are_cut_off_and_say_so(desk: SharedDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_RULES", "MOST_PRECISION", "MOST_WAITING"):
        monkeypatch.setattr(f"burnish.app.run_report.{name}", 1 if name != "MOST_WAITING" else 0)
    said = desk("report", "renal").out
    assert "and 5 more; --json lists all" in said and "and 4 more; --json lists all" in said
    assert "and 1 more; `burnish status` lists all" in said


def test_trials_problems_of_the_input_and_numbers_of_other_runs(renal: RunReader) -> None:
    made = run_report(renal)
    elsewhere = ReportedPrecision(who="model:gemma", right=11, of=19, share=11 / 19, low=0.36, high=0.77)
    trial = ReportedTrial(rule="r_1", text="Keep verbs whole.", decision="taken_back", why="Without the rule +0.50.")
    told = made.model_copy(
        update={
            "trials": (trial,),
            "task": "evolve",
            "detail": "$2.00 spent of $2.00. Raise the ceiling to resume",
            "input_problems": (ReportedInput(document="a.json", line=3, message="This is no question."),),
            "causes": (ReportedCause(reason="duplicate", rule="r", text="nearly the same", units=7),),
            "progress": made.progress.model_copy(update={"waiting": 7}),
            "precision_in_all_runs": (elsewhere,),
            "spent": made.spent.model_copy(update={"cost_usd": 0.0123, "calls_without_a_known_price": 0}),
        }
    )
    stream = StringIO()
    show_report(Screen(stream, no_color=True), told)
    said = stream.getvalue()
    assert "input     a.json:3  This is no question." in said and "       7  nearly the same  r" in said
    assert "taken back  Keep verbs whole." in said and "Without the rule +0.50." in said and ", about $0.01" in said
    assert "no decision in this run; in all runs right 11 of 19 (58 %, 36 to 77 %)" in said
    assert "$2.00 spent of $2.00" in said and "questions evolve" in said


def test_nothing_was_asked_and_nothing_is_there(renal: RunReader) -> None:
    made = run_report(renal)
    empty = made.model_copy(
        update={
            "progress": made.progress.model_copy(update={"states": {}, "waiting": 0}),
            "spent": made.spent.model_copy(update={"calls": 0}),
            **dict.fromkeys(("causes", "waiting", "findings", "scores", "people", "precision"), ()),
        }
    )
    stream = StringIO()
    show_report(Screen(stream, no_color=True), empty)
    assert "No model was called." in stream.getvalue() and "Progress" not in stream.getvalue()


def test_an_unknown_run_is_told(desk: SharedDesk) -> None:
    said = desk("report", "nobody")
    assert said.code == 2 and "nobody" in said.err


# -- JSON


def test_the_json_keeps_its_contract(desk: SharedDesk) -> None:
    said = desk("report", "renal", "--json")
    report = RunReport.model_validate_json(said.out)
    assert report.progress.states == {"needs_manual_review": 1, "validated": 4} and report.progress.ready == 4
    assert [one.unit for one in report.waiting] == ["RN-0413"] and report.waiting_left_out == 0
    assert [(one.by, one.accepted, one.edited, one.sent_back) for one in report.people] == [("Lila", 1, 1, 0)]
    by = {one.who: one for one in report.precision}
    assert (by["nbme_negation_detection"].right, by["nbme_none_of_the_above"].right) == (1, 0)
    assert report.precision == report.precision_in_all_runs
    assert [sum(one.open for one in report.findings), sum(one.accepted for one in report.findings)] == [2, 3]
    assert report.open_claims.units == 1 and report.spent.calls == 6
    assert all(sum(one.bins) == one.scored for one in report.scores)
    schema = desk("schema", "run_report").json
    assert set(schema["properties"]) == set(json.loads(said.out))


def test_json_and_page_together(desk: SharedDesk) -> None:
    said = desk("report", "renal", "--json", "--html", "both.html")
    assert said.json["run_id"] == "renal" and (desk.home / "both.html").is_file()


# -- the page


@dataclass
class Read(HTMLParser):
    """Every tag of a page, closed in the order in which it was opened."""

    open: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    ids: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._take(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._take(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def _take(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids[str(value)] += 1
            if name in ("href", "src"):
                self.links.append(str(value))


def read(page: str) -> Read:
    reader = Read()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def test_the_page_is_well_formed_and_stands_alone(page: str) -> None:
    found = read(page)
    assert not found.tags.keys() & {"script", "link", "img", "iframe", "form", "button", "object", "base"}
    assert not [name for name in found.attributes if name.startswith("on") or name in ("style", "action", "srcset")]
    assert all(link.startswith("#") for link in found.links)
    assert {link[1:] for link in found.links} <= found.ids.keys()
    assert [id for id, times in found.ids.items() if times > 1] == []


def test_its_policy_allows_nothing_but_its_own_style(page: str) -> None:
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None and "@import" not in style[1] and "url(http" not in style[1]
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy(style[1]).replace("'", "&#39;") in page
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" == policy(style[1])


def test_content_in_it_is_inert(page: str) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script" not in page.lower()
    assert "&lt;img src=x onerror=alert(2)&gt;" in page and "\u202e" not in page and "\\u202e" in page


def test_it_tells_what_was_changed_decided_and_found(page: str) -> None:
    told = words(page)
    assert "Report on the run renal , made 20" in told and "Waiting and changed questions" in told
    assert "<ins>" in page and "<del>" in page and "Receipt of attempt 2" in told
    assert "Lila 1 accepted, 1 edited, 0 sent back" in told and "E is fine." in told
    assert "labelled findings right, at least 93 %) 1 of 1 (100 %, 21 to 100 %)" in told
    assert "Progress by state" in told and "Position of the key" in told and "Findings, before and after" in told


def test_every_kind_has_a_page(looked_at_runs: Path) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        for id, told in {"book": "Candidate map", "lesson": "Refinement", "course": "Five dimensions"}.items():
            run = index.open(id)
            made = "".join(report_pieces(run, index.precision()))
            found = read(made)
            assert told in words(made) and {link.partition("#")[2] for link in found.links} <= found.ids.keys()
            assert all(link.startswith("#") for link in found.links) and max(found.ids.values()) == 1
            assert not found.tags.keys() & {"script", "form", "link", "img"}


def test_a_long_run_is_bounded_and_says_so(looked_at_runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        run = index.open("rivers")
        assert chosen_units(run, 4).total == 9
        told = words("".join(report_pieces(run, most=4)))
        assert "4 questions are shown; 5 more are left out. burnish serve shows them all" in told
        monkeypatch.setattr(pages, "LARGEST", 1)
        assert "1 question is shown; 8 more are left out." in words("".join(report_pieces(run)))


def test_a_source_is_never_written_over(desk: SharedDesk, renal: RunReader) -> None:
    before = (desk.home / "renal.json").read_bytes()
    for name in ("renal.json", "./renal.json", "runs/renal/journal.sqlite", "runs/renal/receipt.json"):
        said = desk("report", "renal", "--html", name)
        assert said.code == 2 and ("is a source" in said.err or "belongs to the run" in said.err), said.err
    assert (desk.home / "renal.json").read_bytes() == before
    link = desk.home / "link.html"
    link.symlink_to(desk.home / "renal.json")
    with pytest.raises(UsageError, match="is a source"):
        refuse_source(renal, link)
    refuse_source(renal, desk.home / "runs/renal/report.html")


def test_the_records_of_a_course_are_sources_too(looked_at_runs: Path) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        run = index.open("course")
        folder = Path(run.view.plan.arguments["course"]["folder"])
        with pytest.raises(UsageError, match="belongs to the run"):
            refuse_source(run, folder / "quality_reports/quality_report.json")
        refuse_source(run, folder / "report.html")


def test_a_disk_that_refuses_leaves_what_was_there(desk: SharedDesk) -> None:
    said = desk("report", "renal", "--html", "no/such/folder/x.html")
    assert said.code != 0 and "Traceback" not in said.err


def test_the_workbench_serves_it(desk: SharedDesk) -> None:
    with workbench(desk.home / "runs") as server, closing(server.browser()) as browser:
        answer = browser.get("/runs/renal/report.html")
        assert answer.status_code == 200 and "style-src 'sha256-" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "content-disposition" not in answer.headers and read(answer.text)
        kept = browser.get("/runs/renal/report.html", params={"download": "1"})
        assert kept.headers["content-disposition"] == 'attachment; filename="renal-report.html"'
        assert browser.get("/runs/nobody/report.html").status_code == 404


def test_it_comes_piece_by_piece(looked_at_runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head is there before a unit is read, and each unit before the next one."""
    drawn: list[str] = []
    draw = pages._unit
    monkeypatch.setattr(pages, "_unit", lambda run, line: (drawn.append(line.id), draw(run, line))[1])
    with closing(RunIndex(looked_at_runs)) as index:
        seen = 0
        for piece in pages.report_pieces(index.open("rivers")):
            if "<h1>" in piece:
                assert drawn == []
            seen += piece.count('class="repu"')
            assert len(drawn) - seen <= pages.PIECES
        assert seen == len(drawn) == 9
