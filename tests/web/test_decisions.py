"""Deciding with plain HTML forms, as a browser without scripts does."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from burnish.app.decisions import apply_pending, decisions_of
from burnish.app.runs import view
from burnish.cli.main import main
from burnish.core.records import event
from burnish.store.paths import RunFolder
from burnish.store.processes import iso, system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run
from burnish.web.pages import decisions as decision_pages
from tests.mixed_queue import bank_of
from tests.web.paper import Form, form, send, words
from tests.workbench import Workbench, workbench

RUN, WAITING = "rivers", 5
SOUND = "A barge leaves the mouth of the Danube for the open sea. Which of the following towns is near it?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which five questions wait for a person, all for the same cause."""
    home = tmp_path_factory.mktemp("rivers")
    bank = bank_of(home / "rivers.json", WAITING)
    assert main(["polish", str(bank), "--rules-only", "--run-id", RUN, "--runs", str(home / "runs"), "--no-color"]) == 3
    return home


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Iterator[Workbench]:
    shutil.copytree(made / "runs", tmp_path / "runs")
    with workbench(tmp_path / "runs") as server:
        yield server


def queue(bench: Workbench, name: str = "Robin", address: str = "/queue") -> str:
    return bench.browser(name).get(address).text


def decisions(bench: Workbench, unit: str) -> list[tuple[str, str, str | None]]:
    with view(bench.here.runs, RUN) as run:
        return [(e.data["verdict"], e.data["by"], e.data.get("note")) for e in run.story(unit).decisions]


def state(bench: Workbench, unit: str) -> str:
    with view(bench.here.runs, RUN) as run:
        return run.row(unit).state


def test_accepting_leads_to_the_next_unit(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    assert "river-00" in words(page) and "4 left after this one" in words(page)
    after = send(robin, form(page, "/queue/decide", verdict="accept"))
    assert after.status_code == 200 and after.url.path == "/queue"
    said = words(after.text)
    assert "Accepted river-00 ." in said and "possible until the run works with it" in said
    assert form(after.text, "/queue/decide", verdict="accept").fields["unit"] == "river-01"
    assert "1 decided today" in said and "2 of 5 today" in said
    assert decisions(bench, "river-00") == [("accept", "Robin", None)]
    assert state(bench, "river-00") == "validated"


def test_a_name_is_asked_for_once_and_nothing_is_lost_over_it(bench: Workbench) -> None:
    someone = bench.browser()
    page = someone.get("/queue").text
    edit = form(page, "/queue/decide", verdict="edit")
    asked = send(someone, edit, text__stem="A stem of\nmine\u202e <b>", note="why")
    assert "Your name" in words(asked.text) and decisions(bench, "river-00") == []
    again = form(asked.text, "/queue/decide")
    assert again.fields["text.stem"] == "A stem of\nmine\u202e <b>" and again.fields["note"] == "why"
    send(someone, again, name="  Lila   Benali ", text__stem=SOUND)
    assert decisions(bench, "river-00") == [("edit", "Lila Benali", "why")]
    page = someone.get("/queue").text
    send(someone, form(page, "/queue/decide", verdict="accept"))
    assert decisions(bench, "river-01") == [("accept", "Lila Benali", None)]


def test_an_edit_that_holds_is_accepted(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    edit = form(robin.get("/queue").text, "/queue/decide", verdict="edit")
    assert "NOT" in edit.fields["text.stem"]
    after = send(robin, edit, text__stem=SOUND, note="Asked the other way round")
    assert "Accepted river-00 with your edit." in words(after.text)
    assert decisions(bench, "river-00") == [("edit", "Robin", "Asked the other way round")]
    assert state(bench, "river-00") == "validated"


def test_an_edit_that_still_breaks_rules_is_kept_and_shown_again(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    edit = form(robin.get("/queue").text, "/queue/decide", verdict="edit")
    mine = "A barge leaves the Danube. Which of the following towns is NOT where it goes to?"
    after = send(robin, edit, text__stem=mine)
    said = words(after.text)
    assert "Your text of river-00 is kept. It still breaks 1 rule: Negative question nbme_negation_detection" in said
    again = form(after.text, "/queue/decide", verdict="edit")
    assert (again.fields["unit"], again.fields["text.stem"]) == ("river-00", mine)
    assert state(bench, "river-00") == "needs_manual_review"


def test_an_edit_that_cannot_be_read_comes_back_with_the_reason(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    edit = form(robin.get("/queue").text, "/queue/decide", verdict="edit")
    assert edit.fields["text.correct_answer"] == "A"
    after = send(robin, edit, text__stem="Mine <script>", text__correct_answer="Z")
    assert after.status_code in (400, 422) and "Your edit is kept below" in words(after.text)
    again = form(after.text, "/queue/decide", verdict="edit")
    assert again.fields["text.stem"] == "Mine <script>" and "<script>" not in after.text
    assert decisions(bench, "river-00") == []


def test_of_two_people_one_wins_and_the_other_is_told(bench: Workbench) -> None:
    robin, lila = bench.browser("Robin"), bench.browser("Lila")
    theirs = form(robin.get("/queue").text, "/queue/decide", verdict="edit")
    send(lila, form(lila.get("/queue").text, "/queue/decide", verdict="accept"))
    late = send(robin, theirs, text__stem="What I wrote meanwhile")
    said = words(late.text)
    assert late.status_code == 409
    assert "Lila accepted river-00" in said and "before you. Nothing was overwritten." in said
    assert "river-00 : Lila" not in said and "river-00: Lila" not in said, "the sentence names the unit by itself"
    assert "Your edit of river-00" in said and "What I wrote meanwhile" in late.text
    assert form(late.text, "/queue/decide", verdict="accept").fields["unit"] == "river-01"
    assert "What I wrote" not in form(late.text, "/queue/decide", verdict="edit").fields["text.stem"]
    assert '<details id="edit">' in late.text
    assert decisions(bench, "river-00") == [("accept", "Lila", None)]


def test_sending_back_needs_a_note(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    back = form(robin.get("/queue").text, "/queue/decide", verdict="reject")
    wordless = send(robin, back, note="   ")
    assert wordless.status_code == 400 and "Sending back needs a note" in words(wordless.text)
    assert form(wordless.text, "/queue/decide", verdict="accept").fields["unit"] == "river-00"
    after = send(robin, form(wordless.text, "/queue/decide", verdict="reject"), note="Ask for the town itself.")
    assert "Sent back river-00 ." in words(after.text)
    assert decisions(bench, "river-00") == [("reject", "Robin", "Ask for the town itself.")]
    assert state(bench, "river-00") == "correcting"


def test_a_decision_can_be_undone_until_the_run_works_with_it(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    after = send(robin, form(robin.get("/queue").text, "/queue/decide", verdict="accept"))
    back = send(robin, form(after.text, "/queue/undo"))
    assert "Undone. river-00 is in the queue again." in words(back.text)
    assert form(back.text, "/queue/decide", verdict="accept").fields["unit"] == "river-00"
    assert state(bench, "river-00") == "needs_manual_review"
    after = send(robin, form(back.text, "/queue/decide", verdict="reject"), note="Ask for the town.")
    undo = form(after.text, "/queue/undo")
    assert main(["resume", RUN, "--runs", str(bench.here.runs), "--no-color"]) == 3
    late = send(robin, undo)
    assert late.status_code == 409 and "cannot be undone: the run has worked with it" in words(late.text)
    assert [verdict for verdict, *_ in decisions(bench, "river-00")][-1] == "reject"


def test_many_are_accepted_at_once_and_taken_back_at_once(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    assert "4 more have the same cause." in words(page)
    cause = bench.here.index.open(RUN).causes()[0].cause
    shown = robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text
    assert all(f"river-0{number}" in words(shown) for number in range(WAITING))
    confirm = form(shown, "/queue/bulk")
    assert confirm.fields["expected"] == "5"
    fewer = send(robin, confirm, expected="4", digest="")
    assert fewer.status_code == 409 and "You saw 4; now 5 units wait for this cause." in words(fewer.text)
    assert state(bench, "river-03") == "needs_manual_review"
    done = send(robin, confirm, note="All fine")
    assert "Accepted 5 at once." in words(done.text)
    assert "Everything in rivers is decided." in words(done.text)
    assert [decisions(bench, f"river-0{number}") for number in range(2)] == [[("accept", "Robin", "All fine")]] * 2
    back = send(robin, form(done.text, "/queue/bulk/undo"))
    assert "Undone: 5 at once." in words(back.text)
    assert state(bench, "river-03") == "needs_manual_review"


def test_a_number_that_changed_meanwhile_is_not_accepted(bench: Workbench) -> None:
    robin, lila = bench.browser("Robin"), bench.browser("Lila")
    cause = bench.here.index.open(RUN).causes()[0].cause
    confirm = form(robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text, "/queue/bulk")
    send(lila, form(lila.get("/queue").text, "/queue/decide", verdict="accept"))
    late = send(robin, confirm)
    assert late.status_code == 409 and "You saw 5; now 4 units wait" in words(late.text)
    assert state(bench, "river-04") == "needs_manual_review"
    assert robin.get("/queue/bulk", params={"run": RUN}).status_code == 400


def test_nor_are_other_units_of_the_same_number(bench: Workbench) -> None:
    robin, service = bench.browser("Robin"), bench.here.reviews
    cause = bench.here.index.open(RUN).causes()[0].cause
    confirm = form(robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text, "/queue/bulk")
    service.undo(RUN, "river-00", by=service.record(RUN, "river-00", "accept", by="Lila").by)
    late = send(robin, confirm)
    assert late.status_code == 409 and "changed since you opened it: it still has 5 units" in words(late.text)
    assert state(bench, "river-04") == "needs_manual_review"
    assert "Accepted 5 at once." in words(send(robin, form(late.text, "/queue/bulk")).text)


def test_an_undo_takes_back_nobody_elses_decision(bench: Workbench) -> None:
    anna, bob, service = bench.browser("Anna"), bench.browser("Bob"), bench.here.reviews
    page = send(anna, form(anna.get("/queue").text, "/queue/decide", verdict="accept"))
    send(bob, form(bob.get(f"/runs/{RUN}/units/river-00").text, "/queue/undo"))
    service.record(RUN, "river-00", "accept", by="Bob", note="Seen twice.")
    late = send(anna, form(page.text, "/queue/undo"))
    said = words(late.text)
    assert late.status_code == 409 and "Bob accepted river-00" in said and "Nothing was undone." in said
    assert state(bench, "river-00") == "validated"
    again = anna.get(str(page.url))
    assert "Accepted river-00" not in words(again.text), "Bob's decision is not shown as hers"
    assert anna.post("/queue/undo", data={"run": RUN, "unit": "river-00"}).status_code == 400


def test_many_taken_back_are_those_that_were_accepted_at_once(bench: Workbench) -> None:
    robin, service = bench.browser("Robin"), bench.here.reviews
    cause = bench.here.index.open(RUN).causes()[0].cause
    bulk = form(robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text, "/queue/bulk")
    with own_run(RunFolder.at(bench.here.runs, RUN), system_clock):
        laid = send(robin, bulk)
        assert "Saved; applied when the run pauses" in words(laid.text)
        service.undo(RUN, "river-04", by="Lila")
    service.apply_pending(RUN)
    service.record(RUN, "river-04", "accept", by="Robin")
    back = send(robin, form(laid.text, "/queue/bulk/undo"))
    assert "Undone: 4 at once." in words(back.text)
    assert (state(bench, "river-00"), state(bench, "river-04")) == ("needs_manual_review", "validated")
    history = words(robin.get(f"/runs/{RUN}/units/river-04").text)
    assert "Robin accepted it" in history and "Undone by Lila" in history
    assert robin.post("/queue/bulk/undo", data={"run": RUN}).status_code == 400


def test_who_is_refused_keeps_what_was_written(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get(f"/queue?run={RUN}&unit=river-00").text
    with own_run(RunFolder.at(bench.here.runs, RUN), system_clock) as owned:
        row = owned.journal.unit("river-00")
        assert row is not None
        owned.journal.write_now(row)
    after = send(robin, form(page, "/queue/decide", verdict="edit"), text__stem="What I wrote")
    assert after.status_code == 409 and "The run has changed river-00" in words(after.text)
    assert form(after.text, "/queue/decide", verdict="edit").fields["text.stem"] == "What I wrote"


def test_while_the_run_is_at_work_decisions_are_saved(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    with own_run(RunFolder.at(bench.here.runs, RUN), system_clock):
        after = send(robin, form(page, "/queue/decide", verdict="accept"))
        said = words(after.text)
        assert "Accepted river-00 ." in said and "Saved; applied when the run pauses" in said
        now = send(robin, form(after.text, "/queue/apply"))
        assert "Accepted river-00 ." in words(now.text) and "applied at the next pause" in words(now.text)
        assert "/queue/apply" not in now.text, "it is hastened already"
        [saved] = bench.here.reviews.pending(RUN)
        assert saved.due <= iso(system_clock())
        assert state(bench, "river-00") == "needs_manual_review"
        assert form(after.text, "/queue/decide", verdict="accept").fields["unit"] == "river-01"
        late = send(bench.browser("Lila"), form(page, "/queue/decide", verdict="accept"))
        assert late.status_code == 409 and "Robin accepted river-00" in words(late.text)
    bench.here.reviews.apply_pending(RUN)
    assert state(bench, "river-00") == "validated"


def test_on_its_own_page_a_saved_decision_is_applied_at_once_and_one_in_use_offers_no_undo(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    with own_run(RunFolder.at(bench.here.runs, RUN), system_clock) as owned:
        send(robin, form(page, "/queue/decide", verdict="accept"))
        shown = robin.get(f"/runs/{RUN}/units/river-00")
        after = send(robin, form(shown.text, "/queue/apply"))
        assert "applied at the next pause" in words(after.text) and after.url.path == shown.url.path
        apply_pending(decisions_of(RunFolder.at(bench.here.runs, RUN), owned.journal, Redactor()))
        assert "/queue/undo" in robin.get(f"/runs/{RUN}/units/river-00").text
        undone = send(robin, form(robin.get(f"/runs/{RUN}/units/river-00").text, "/queue/undo"))
        assert undone.status_code == 200
        owned.journal.write_now(event("task_begun", "river-00"))
        assert "/queue/undo" in robin.get(f"/runs/{RUN}/units/river-00").text, "the undo itself is saved"
        apply_pending(decisions_of(RunFolder.at(bench.here.runs, RUN), owned.journal, Redactor()))
        assert "/queue/undo" not in robin.get(f"/runs/{RUN}/units/river-00").text


def test_a_run_goes_on_when_everything_is_settled(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    page = robin.get("/queue").text
    for number in range(WAITING):
        page = send(robin, form(page, "/queue/decide", verdict="accept", unit=f"river-0{number}")).text
    said = words(page)
    assert "Nothing waits for you" in said and "Resumes automatically in" in said
    undone = send(robin, form(page, "/queue/undo"))
    assert bench.here.jobs.seconds_left(RUN) is None
    page = send(robin, form(undone.text, "/queue/decide", verdict="accept")).text
    after = send(robin, form(page, "/queue/continue"))
    assert after.status_code == 200 and after.url.path == "/queue"
    for _ in range(300):
        if not bench.here.jobs.is_at_work(RUN):
            break
        time.sleep(0.1)
    assert bench.here.index.open(RUN).card.state == "published"


def test_on_its_own_page_a_unit_is_edited_and_sent_back_too(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    address = f"/runs/{RUN}/units/river-02"
    page = robin.get(address).text
    wordless = send(robin, form(page, "/queue/decide", verdict="reject"), note="")
    assert wordless.status_code == 400 and "Sending back needs a note" in words(wordless.text)
    after = send(
        robin, form(wordless.text, "/queue/decide", verdict="edit"), text__stem=SOUND.replace("Danube", "Rhine")
    )
    assert after.url.path == address and "Robin edited it" in words(after.text)
    back = send(robin, form(after.text, "/queue/undo"))
    assert back.url.path == address and "Undone by Robin" in words(back.text)
    assert state(bench, "river-02") == "needs_manual_review"


def test_nothing_changes_by_looking_and_nonsense_is_refused(bench: Workbench) -> None:
    robin = bench.browser("Robin")
    for address in ("/queue/decide", "/queue/undo"):
        assert robin.get(address).headers["location"] == "/queue"
    assert robin.get("/queue/continue").status_code == 405
    assert robin.post("/queue/decide", data={"run": RUN, "unit": "river-00", "verdict": "burn"}).status_code == 400
    assert robin.post("/queue/decide", data={"verdict": "accept"}).status_code == 400
    assert robin.post("/queue/decide", data={"run": "no", "unit": "river-00", "verdict": "accept"}).status_code == 404
    assert robin.post("/queue/bulk", data={"run": RUN, "cause": "none", "verdict": "accept"}).status_code == 409
    assert decisions(bench, "river-00") == []


def test_hostile_content_is_shown_as_text_and_comes_back_unchanged(tmp_path: Path) -> None:
    id = '../x/"><img src=x onerror=alert(1)>'
    stem = "</textarea><script>alert(1)</script>\u202e Which of these is NOT it, \x1b[2Jhere?"
    question = {"id": id, "stem": stem, "options": ["Rome", "Oslo", "Bergen", "Porto"], "answer": 1}
    bank = tmp_path / "bank.json"
    bank.write_text(json.dumps([question]), encoding="utf-8")
    assert (
        main(["polish", str(bank), "--rules-only", "--run-id", RUN, "--runs", str(tmp_path / "runs"), "--no-color"])
        == 3
    )
    with workbench(tmp_path / "runs") as bench:
        robin = bench.browser("Robin")
        page = robin.get("/queue").text
        edit = form(page, "/queue/decide", verdict="edit")
        address = next(link for link in re.findall(r'href="([^"]+)" data-key="o"', page))
        # A field must send back what it was given; everything else is shown with its codes.
        for shown in (re.sub(r"(?s)<textarea.*?</textarea>", "", given) for given in (page, robin.get(address).text)):
            assert "<script>alert" not in shown and "<img src=x" not in shown
            assert "\x1b" not in shown and "\\u202e" in shown
        assert (edit.fields["unit"], edit.fields["text.stem"]) == (id, stem)
        after = send(robin, form(page, "/queue/decide", verdict="accept"))
        assert after.status_code == 200 and decisions(bench, id) == [("accept", "Robin", None)]
        assert "<img src=x" not in after.text


def test_of_many_only_the_chosen_ones_are_decided(bench: Workbench) -> None:
    """What was shown and not ticked stays in the queue; a selection can be sent back, with a note."""
    robin = bench.browser("Robin")
    cause = bench.here.index.open(RUN).causes()[0].cause
    page = robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text
    confirm = {name: one for name, one in form(page, "/queue/bulk").fields.items() if not name.startswith("pick.")}
    ticked = {f"shown.{number}": f"river-0{number - 1}" for number in range(1, WAITING + 1)}
    ticked |= {f"pick.{number}": "1" for number in (1, 2)}
    assert page.count('type="checkbox"') == WAITING and page.count(" checked") == WAITING
    none = {name: value for name, value in ticked.items() if not name.startswith("pick")}
    said = robin.post("/queue/bulk", data={**confirm, **none, "verdict": "accept"})
    assert said.status_code == 400 and "No unit is chosen. Nothing was decided." in words(said.text)
    said = robin.post("/queue/bulk", data={**confirm, **ticked, "verdict": "reject"})
    assert said.status_code == 400 and "Sending back needs a note" in words(said.text)
    assert said.text.count(" checked") == 2, "what was chosen stays chosen"
    note = {"verdict": "reject", "note": "Ask for the town itself."}
    done = robin.post("/queue/bulk", data={**confirm, **ticked, **note}, follow_redirects=True)
    assert "Sent back 2 at once." in words(done.text)
    assert decisions(bench, "river-01") == [("reject", "Robin", "Ask for the town itself.")]
    assert decisions(bench, "river-02") == [] and state(bench, "river-02") == "needs_manual_review"
    undone = send(robin, form(done.text, "/queue/bulk/undo"))
    assert "Undone: 2 at once." in words(undone.text)


def bulk_form(bench: Workbench, **query: str) -> Form:
    cause = bench.here.index.open(RUN).causes()[0].cause
    page = bench.browser("Robin").get("/queue/bulk", params={"run": RUN, "cause": cause, **query}).text
    return form(page, "/queue/bulk")


def test_many_are_decided_only_by_a_verdict_that_there_is(bench: Workbench) -> None:
    robin, confirm = bench.browser("Robin"), bulk_form(bench)
    for verdict in ({"verdict": "rejekt"}, {"verdict": ""}, {"verdict": "drop"}, {}):
        said = robin.post("/queue/bulk", data={**confirm.fields, **verdict})
        assert said.status_code == 400 and "neither accept nor reject" in words(said.text)
    assert state(bench, "river-00") == "needs_manual_review"


def test_enter_in_the_note_about_many_sends_nothing(bench: Workbench) -> None:
    cause = bench.here.index.open(RUN).causes()[0].cause
    page = bench.browser("Robin").get("/queue/bulk", params={"run": RUN, "cause": cause}).text
    assert re.search(r'<textarea [^>]*name="note"', page) and not re.search(r'<input [^>]*name="note"', page)


def test_of_many_only_those_on_the_page_are_decided(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_pages, "PAGE", 3)
    robin, first = bench.browser("Robin"), bulk_form(bench)
    left = {name: one for name, one in first.fields.items() if not name.startswith("pick.")}
    assert robin.post(first.action, data={**left, "verdict": "accept"}).status_code == 400, "those not shown stay, too"
    said = send(robin, first, verdict="accept")
    assert "Accepted 3 at once." in words(said.text)
    assert (state(bench, "river-02"), state(bench, "river-03")) == ("validated", "needs_manual_review")


def test_a_conflict_keeps_what_was_not_chosen_the_note_and_the_page(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_pages, "PAGE", 3)
    robin, service = bench.browser("Robin"), bench.here.reviews
    cause = bench.here.index.open(RUN).causes()[0].cause
    page = robin.get("/queue/bulk", params={"run": RUN, "cause": cause}).text
    onwards = next(unescape(link) for link in re.findall(r'href="([^"]+)"', page) if "key=" in link)
    second = form(robin.get(onwards).text, "/queue/bulk")
    del second.fields["pick.1"]
    service.undo(RUN, "river-04", by=service.record(RUN, "river-04", "accept", by="Lila").by)
    late = send(robin, second, verdict="accept", note="Seen\nall")
    again = form(late.text, "/queue/bulk").fields
    assert late.status_code == 409 and again["note"] == "Seen\nall"
    assert (again["shown.1"], "pick.1" in again, "pick.2" in again) == ("river-03", False, True)
