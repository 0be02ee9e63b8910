"""Taking back with every kind: after it, a run comes to what it would have come to without the decision."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.decisions import DecisionRequest, acquire_run
from burnish.core.errors import TooLate
from burnish.store.inbox import Inbox, InboxEntry
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import open_journal
from tests.app import book_desk, lego_desk
from tests.app.desk import Desk
from tests.app.lego_desk import course, extract, legos, records, without_times
from tests.app.test_legos_extract_people import FEW, HOPELESS, NOTE, text_of
from tests.app.test_translate_people import SPELLED, complaint, criticism
from tests.engine.questions_bench import biased, questions_in, sound
from tests.legos_model import CUTS, MARKET, SPEAK
from tests.loopback import Asked

HESITATION = (("accept", None, None), ("edit", None, "text"), ("reject", "Perhaps.", None))


def shown(desk: Desk, run: str, unit: str) -> Any:
    return desk("show", run, unit, "--json").json


def decide(desk: Desk, run: str, unit: str, *what: object) -> None:
    said = desk("decide", run, unit, *what, "--by", "Ada")
    assert said.code in (0, 1), said.err


def hesitate(desk: Desk, run: str, unit: str, text: str, *only: str) -> None:
    """Accept, edit and send back, and take each of it back: the unit stands where it stood."""
    with acquire_run(desk.run(run), system_clock, Redactor()) as hand:
        before = hand.row(unit)
        for verdict, note, _ in (one for one in HESITATION if not only or one[0] in only):
            wish = DecisionRequest(verdict, "Ada", note, text if verdict == "edit" else None)  # type: ignore[arg-type]
            decided = hand.follows(hand.row(unit), wish)
            hand.journal.write_now(*decided.records)
            assert (decided.row.reason, decided.row.attempts) != (before.reason, before.attempts)
            hand.journal.write_now(*hand.undone(hand.row(unit), by="Bob").records)
            now = hand.row(unit)
            assert replace(now, at=before.at, attempts=before.attempts) == before, verdict
        assert now.attempts == before.attempts + 1
        last = hand.journal.attempts(unit)[-1]
        assert (last.cause, last.number) == ("person", now.attempts)


class TestQuestions:
    @pytest.fixture
    def waiting(self, desk: Desk) -> Desk:
        assert desk("polish", desk.bank(sound(0), biased(1), biased(2)), "--rules-only", "--run-id", "r").code == 3
        return desk

    def test_the_run_comes_to_what_it_would_have_come_to(self, waiting: Desk) -> None:
        hesitate(waiting, "r", "q1", json.dumps({"stem": sound(1)["stem"]}))
        decide(waiting, "r", "q1", "reject", "--note", "Drop the negation.")
        decide(waiting, "r", "q2", "accept")
        assert waiting("resume", "r", "--model", waiting.model("q1")).code == 0
        published = questions_in(waiting.run().out / "bank.json")
        assert [published[f"q{number}"] for number in range(3)] == [sound(0), sound(1), biased(2)]

    def test_what_is_said(self, waiting: Desk) -> None:
        waiting("decide", "r", "q1", "accept", "--by", "Ada", "--also", "q2")
        said = waiting("decide", "r", "q1", "undo", "--by", "Bob", "--also", "q2")
        assert said.code == 0
        assert [line.split("  ")[:2] for line in said.out.splitlines()[:2]] == [
            ["q1", "needs a person"],
            ["q2", "needs a person"],
        ]
        assert said.out.splitlines()[2] == "2 more to decide."
        told = waiting("show", "r", "q1").out
        assert "accept by Ada" in told and "undone by Bob" in told
        edit = waiting.home / "edit.json"
        edit.write_text(json.dumps({"stem": sound(1)["stem"]}))
        decide(waiting, "r", "q1", "edit", "--text-file", "edit.json")
        decide(waiting, "r", "q1", "undo")
        last = shown(waiting, "r", "q1")
        assert [one["undone_by"] for one in last["decisions"]] == ["Bob", "Ada"]
        assert [one["withdrawn"] for one in last["attempts"]] == [False, True]
        assert "edited by a person  (undone)" in waiting("show", "r", "q1").out

    def test_what_cannot_be_taken_back(self, waiting: Desk) -> None:
        said = waiting("decide", "r", "q1", "undo", "--by", "Ada")
        assert said.code == 2 and "Nobody has decided about q1" in said.err
        refused = waiting("decide", "r", "q1", "undo", "--by", "Ada", "--note", "Why.")
        assert refused.code == 2 and "neither a note nor a text" in refused.err
        decide(waiting, "r", "q1", "accept")
        together = waiting("decide", "r", "q1", "undo", "--by", "Ada", "--also", "q2")
        assert together.code == 2, "q2 was not decided on, so nothing is taken back"
        assert shown(waiting, "r", "q1")["state"] == "validated"
        assert waiting("resume", "r").code == 3
        assert waiting("decide", "r", "q1", "undo", "--by", "Ada").code == 0, "no task began with it"
        decide(waiting, "r", "q1", "reject", "--note", "Drop the negation.")
        assert waiting("resume", "r", "--model", waiting.model("q1")).code == 3
        late = waiting("decide", "r", "q1", "undo", "--by", "Ada")
        assert late.code == TooLate.exit_code and "the run has worked with it since" in late.err

    def test_what_was_published_by_an_export_is_not_taken_back(self, waiting: Desk) -> None:
        waiting("decide", "r", "q1", "accept", "--by", "Ada", "--also", "q2")
        assert waiting("export", "r").code == 0
        assert waiting("decide", "r", "q1", "undo", "--by", "Ada").code == 2

    def test_status_tells_of_the_inbox(self, waiting: Desk) -> None:
        rows = [shown(waiting, "r", unit) for unit in ("q1", "q2")]
        Inbox(waiting.run()).add(
            [
                InboxEntry(row["unit"], row["unit"], "accept", "Ada", None, None, row["at"], row["at"], row["at"])
                for row in rows
            ]
        )
        told = waiting("status", "r")
        assert "2 decisions saved" in told.out
        assert [entry["unit"] for entry in waiting("status", "r", "--json").json["inbox"]] == ["q1", "q2"]
        with closing(open_journal(waiting.run().journal, clock=system_clock)) as journal:
            row = journal.unit("q2")
            assert row is not None
            journal.write_now(row)
        assert waiting("resume", "r").code == 3
        told = waiting("status", "r")
        assert "q2  accept by Ada could not be applied: The run has changed q2 since" in told.out
        assert shown(waiting, "r", "q1")["state"] == "validated"


class TestManuscripts:
    def test_the_run_comes_to_what_it_would_have_come_to(self, desk: Desk) -> None:
        published, asked = [], []
        for id in ("hesitant", "certain"):
            assert book_desk.translate(desk, book_desk.slipping(book_desk.HOPELESS), id=id).code == 3
            if id == "hesitant":
                hesitate(desk, id, "p_0003", SPELLED)
                # An editor takes a paragraph that has passed, and gives it back.
                hesitate(desk, id, "p_0002", SPELLED, "edit", "reject")
                assert shown(desk, id, "p_0002")["state"] == "ready_to_merge"
            decide(desk, id, "p_0003", "reject", "--note", "Mind the day.")
            requests: list[Asked] = []
            book_desk.go_on(desk, book_desk.spanish(), "--approve", id=id, asked=requests)
            asked.append([request.user for request in requests])
            published.append(book_desk.published(desk, id))
        assert published[0] == published[1] == book_desk.final()
        assert len(asked[0]) == len(asked[1]) > 0
        assert not any(SPELLED in prompt or "Perhaps." in prompt for prompt in asked[0])
        rows = [book_desk.lines(desk, "state/paragraph_state.jsonl", id) for id in ("hesitant", "certain")]
        assert without_times(rows[0]) == without_times(rows[1])

    def test_an_issue_of_no_paragraph(self, desk: Desk) -> None:
        critics = criticism(complaint(line=99))
        assert book_desk.translate(desk, book_desk.spanish(critics=critics), "--approve").code == 3
        decide(desk, "tx", "issue_0001", "accept")
        decide(desk, "tx", "issue_0001", "undo")
        assert shown(desk, "tx", "issue_0001")["state"] == "manual_review_required"

    def test_what_was_given_twice_is_reviewed_as_it_stands(self, desk: Desk) -> None:
        """A text that was taken back is the same as the one that stands: its review is none of this one."""
        assert book_desk.translate(desk, book_desk.slipping(book_desk.HOPELESS)).code == 3
        book_desk.put(desk.home, book_desk.HOPELESS.text, "same.txt")
        before = book_desk.lines(desk, "state/paragraph_scores.jsonl")
        decide(desk, "tx", "p_0003", "edit", "--text-file", "same.txt")
        decide(desk, "tx", "p_0003", "undo")
        assert desk("export", "tx").code == 0
        assert without_times(book_desk.lines(desk, "state/paragraph_scores.jsonl")) == without_times(before)


class TestLegos:
    def test_the_run_comes_to_what_it_would_have_come_to(self, desk: Desk) -> None:
        made: list[Any] = []
        for id in ("hesitant", "certain"):
            folder: Path = course(desk, FEW, name=id)
            assert extract(desk, HOPELESS, folder=id, id=id).code == 3
            if id == "hesitant":
                hesitate(desk, id, "C0002", text_of(CUTS[MARKET]))
                hesitate(desk, id, "C0001", text_of(CUTS[SPEAK]), "edit", "reject")
                assert shown(desk, id, "C0001")["state"] == "accepted"
            decide(desk, id, "C0002", "reject", "--note", NOTE)
            requests: list[Asked] = []
            assert lego_desk.go_on(desk, HOPELESS, id=id, asked=requests).code == 0
            assert NOTE in requests[0].user and "Perhaps." not in requests[0].user
            record = records(folder)["C0002"]
            assert record["human_review"]["decision"] == "reject" and record["total_attempts"] == 4
            made.append(without_times([records(folder), legos(folder, "C0002"), len(requests)]))
            assert desk("legos", "validate", folder).code == 0
        assert made[0] == made[1]

    def test_nothing_was_decided_as_far_as_the_course_knows(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        assert extract(desk, HOPELESS).code == 3
        before = without_times(records(folder))
        hesitate(desk, "x", "C0002", text_of(CUTS[MARKET]))
        assert desk("export", "x").code == 0
        assert without_times(records(folder)) == before
        decide(desk, "x", "C0002", "accept")
        assert desk("export", "x").code == 0, "which writes the course"
        assert desk("decide", "x", "C0002", "undo", "--by", "Ada").code == 2
