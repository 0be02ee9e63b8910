"""How runs stand, as the list of runs shows them."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from burnish.app import run_card
from burnish.app.kinds import kind_named
from burnish.app.run_card import BrokenRun, Facts, RunCard, sorts_of
from burnish.app.run_index import RunIndex
from burnish.core.json_bytes import dumps
from burnish.core.records import EventRecord, event
from burnish.engine.plan import begin, recorded_plan
from burnish.kinds.registry import KINDS
from burnish.store.lock import take_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import ProcessIdentity, iso, system_clock
from burnish.store.sqlite_journal import create_journal, own_run
from tests.app.run_index.four_kinds import BANK, BOOK, COURSE, LESSON
from tests.app.run_index.ledger import Ledger, ledger


def card(home: Path, id: str = "r", **given: Any) -> RunCard:
    index = RunIndex(home / "runs", **given)
    [found] = [one for one in index.cards() if one.id == id]
    index.close()
    assert isinstance(found, RunCard)
    return found


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Ledger]:
    with ledger(tmp_path) as opened:
        yield opened


class TestStanding:
    """Each of them, with the line that says more."""

    def said(self, book: Ledger, **given: Any) -> tuple[str, str]:
        found = card(book.folder.root.parent.parent, **given)
        return found.state, found.detail

    def test_killed_in_the_middle(self, book: Ledger) -> None:
        assert self.said(book) == ("interrupted", "Resume the run; nothing is paid twice")

    def test_written_down_a_moment_ago(self, book: Ledger, tmp_path: Path) -> None:
        """The process that is to work on it is on its way; if it never comes, that is seen."""
        plan = replace(book.plan, run_id="new")
        folder = RunFolder.at(tmp_path / "runs", "new")
        folder.root.mkdir()
        now = datetime.now(UTC)
        with closing(create_journal(folder.journal, clock=lambda: now)) as journal:
            begin(journal, plan)

            def seen(seconds: float) -> tuple[str, str]:
                found = card(tmp_path, "new", clock=lambda: now + timedelta(seconds=seconds))
                return found.state, found.detail

            assert seen(0) == seen(14) == ("working", "Starting")
            assert seen(16)[0] == "interrupted"
            journal.write_now(book.rows[book.name(0)])
            assert seen(1)[0] == "interrupted", "it has begun, and nobody is there"

    def test_at_work(self, book: Ledger) -> None:
        with take_lock(book.folder, system_clock):
            assert self.said(book) == ("working", "6 questions left")

    def test_somebody_who_merely_decides_is_not_at_work(self, book: Ledger) -> None:
        book.rests(book.name(0), ("vague", "error"))
        book.ends()
        with take_lock(book.folder, system_clock, purpose="decide"):
            assert self.said(book)[0] == "waiting_for_people"

    def test_something_kept_the_last_process_from_its_work(self, book: Ledger) -> None:
        book.journal.write_now(event("run_failed", data={"code": "unreadable", "message": "There is no key."}))
        assert self.said(book) == ("failed", "There is no key")
        book.journal.write_now(event("run_resumed"))
        assert self.said(book)[0] == "interrupted"

    def test_begun_again_and_killed(self, book: Ledger) -> None:
        book.ends()
        book.write(event("run_resumed"))
        assert self.said(book)[0] == "interrupted"

    def test_waiting_for_people(self, book: Ledger) -> None:
        book.rests(book.name(0), ("vague", "error"))
        book.ends()
        assert self.said(book) == ("waiting_for_people", "5 more to do")
        for number in range(1, 6):
            book.rests(book.name(number))
        assert self.said(book) == ("waiting_for_people", "Everything else is validated")

    def test_everything_waits(self, book: Ledger) -> None:
        for number in range(6):
            book.rests(book.name(number), ("vague", "error"))
        book.ends()
        assert self.said(book) == ("waiting_for_people", "Nothing else to do")

    def test_people_have_decided_everything(self, book: Ledger) -> None:
        for number in range(6):
            book.rests(book.name(number))
        book.ends()
        assert self.said(book) == ("ready_to_continue", "Everything is decided")

    def test_waiting_for_approval(self, book: Ledger) -> None:
        book.ends("awaiting_approval")
        assert self.said(book) == ("waiting_for_approval", "Nothing blocks publishing")

    def test_published(self, book: Ledger) -> None:
        book.ends("done")
        assert self.said(book)[0] == "interrupted", "it was stopped just before that"
        book.write(event("published"))
        assert self.said(book) == ("published", "")

    @pytest.mark.parametrize(
        ("status", "standing"),
        [("accepted_warning", "accepted_with_warning"), ("best_effort", "best_effort"), ("accepted", "published")],
    )
    def test_lessons_end_in_several_ways(self, book: Ledger, status: str, standing: str) -> None:
        book.ends("done")
        book.write(event("round_ended", data={"document": "a", "status": "escalated"}))
        book.write(event("round_ended", data={"document": "a", "status": status}), event("published"))
        assert self.said(book)[0] == standing

    @pytest.mark.parametrize(
        ("reason", "message", "detail"),
        [
            ("model_away", "nobody answers", "nobody answers"),
            ("bad_input", None, "Parts of the input cannot be read"),
            ("some_new_reason", None, "some new reason"),
            ("model_away", "model_failed: The server is down.", "The server is down"),
            ("model_away", "no_code_in_it Said: why.", "no_code_in_it Said: why"),
            ("model_away", "Note: a_b: only the first word is one.", "Note: a_b: only the first word is one"),
            ("model_away", "bad_input: bad_setting: once", "bad_setting: once"),
        ],
    )
    def test_something_keeps_it_from_ending(self, book: Ledger, reason: str, message: str | None, detail: str) -> None:
        book.ends(reason, message)
        assert self.said(book) == ("failed", detail)

    def test_no_decision_helps_a_source_that_was_changed(self, book: Ledger) -> None:
        book.rests(book.name(0), ("vague", "error"))
        book.ends("source_changed")
        assert self.said(book) == ("failed", "The source has changed since the run began")

    def test_another_machine_went_silent(self, book: Ledger) -> None:
        elsewhere = ProcessIdentity(7, "build-02", 1, "boot", "machine", "pids")
        long_ago = datetime.now(UTC) - timedelta(minutes=6, seconds=9)
        take_lock(book.folder, lambda: long_ago, identity=elsewhere)
        found = card(book.folder.root.parent.parent)
        assert (found.state, found.host, found.heartbeat_at) == ("silent", "build-02", iso(long_ago))
        assert found.detail == "Last heartbeat 6 min ago, host build-02"
        later = {"clock": lambda: long_ago + timedelta(hours=5)}
        assert self.said(book, **later)[1] == "Last heartbeat 5 h ago, host build-02"
        later = {"clock": lambda: long_ago + timedelta(days=4)}
        assert self.said(book, **later)[1] == "Last heartbeat 4 d ago, host build-02"

    def test_a_process_of_ours_that_is_frozen_is_silent_too(self, book: Ledger) -> None:
        with take_lock(book.folder, system_clock):
            assert self.said(book, clock=lambda: datetime.now(UTC) + timedelta(minutes=9))[0] == "silent"

    def test_a_process_that_died_interrupted_it(self, book: Ledger) -> None:
        here = take_lock(book.folder, system_clock)
        text = book.folder.lock.read_text()
        book.folder.lock.write_text(text.replace(f'"pid": {here._owner}', '"pid": 4194000'))
        assert self.said(book)[0] == "interrupted"


@pytest.mark.parametrize(
    ("ceilings", "message", "detail"),
    [
        (
            {"limits.max_cost": 2.0},
            "The next call may cost up to $0.1",
            "$0.01 spent of $2.00. Raise the ceiling to resume",
        ),
        ({"limits.max_tokens": 900}, "may use up to 9 tokens", "500 tokens spent of 900. Raise the ceiling to resume"),
        ({"limits.max_seconds": 9.0}, "The time limit is reached.", "The time limit is reached."),
        ({}, None, "Raise the limit to resume"),
    ],
)
def test_stopped_at_its_ceiling(tmp_path: Path, ceilings: Any, message: str | None, detail: str) -> None:
    with ledger(tmp_path, **ceilings) as book:
        book.rests(book.name(0), ("vague", "error"))
        book.spends(5)
        book.ends("limit", message)
    found = card(tmp_path)
    assert (found.state, found.detail) == ("at_its_ceiling", detail)
    assert dict(found.ceilings) == {name.removeprefix("limits."): value for name, value in ceilings.items()}


def test_calls_that_are_with_the_provider_are_no_failure(tmp_path: Path) -> None:
    with ledger(tmp_path) as book:
        book.ends("submitted", "Submitted, resume later: 0 of 2 calls in a batch are done (openai:x batch_1).")
    found = card(tmp_path)
    detail = "Submitted, resume later: 0 of 2 calls in a batch are done (openai:x batch_1)"
    assert (found.state, found.detail) == ("submitted", detail)


class TestNumbers:
    def test_what_there_is(self, book: Ledger) -> None:
        book.rests(book.name(0), ("vague", "error"))
        book.rests(book.name(1))
        book.spends(3)
        book.ends()
        found = card(book.folder.root.parent.parent)
        assert dict(found.counts) == {"draft": 4, "validated": 1, "needs_manual_review": 1}
        assert [(part.sort, part.count) for part in found.parts] == [("ready", 1), ("person", 1), ("idle", 4)]
        assert (found.ready, found.requested, found.waiting, found.tokens) == (1, 6, 1, 300)
        assert found.cost == pytest.approx(0.003)
        assert (found.title, found.subtitle, found.kind, found.noun) == (
            "r",
            "Questions, JSONL",
            "questions",
            "question",
        )
        last = list(book.journal.events())[-1]
        assert (found.event, found.active_at, found.stop) == (last.seq, last.at, "needs_person")

    def test_money_is_unknown_where_no_price_is(self, book: Ledger) -> None:
        assert card(book.folder.root.parent.parent).cost == 0.0
        book.spends(3, cost=None)
        assert card(book.folder.root.parent.parent).cost is None


def test_real_runs_of_every_kind(four_runs: Path) -> None:
    index = RunIndex(four_runs)
    cards = {one.id: one for one in index.cards() if isinstance(one, RunCard)}
    index.close()
    assert {id: (one.title, one.subtitle) for id, one in cards.items()} == {
        BOOK: ("The Sea", "English to Spanish"),
        COURSE: ("Macedonian for English speakers", "LEGOs, mkd_for_eng_8seeds, SEEDs C0001 to C0003"),
        LESSON: ("The water cycle", "Lesson"),
        BANK: ("bank", "Questions, JSON"),
    }
    assert {one.state for one in cards.values()} == {"waiting_for_people"}
    assert (cards[BOOK].ready, cards[BOOK].requested, cards[BOOK].waiting) == (5, 6, 1), "code is left out"
    assert [part.sort for part in cards[BOOK].parts] == ["ready", "person", "excluded"]


def test_every_state_of_every_kind_has_a_meaning() -> None:
    found = {name: sorts_of(kind_named(name)) for name in KINDS}
    for name, sorts in found.items():
        assert set(sorts) == set(kind_named(name).states.moves)
    assert found["manuscripts"]["review_failed"] == "fail"
    assert found["manuscripts"]["rework_queued"] == "rework"
    assert found["questions"]["correcting"] == found["lessons"]["refining"] == "work"
    assert found["legos"]["settled_before"] == "excluded"


@pytest.mark.parametrize(
    ("phase", "detail"),
    [
        (("batch_formed", {"stage": "review", "number": 1, "units": []}), "Reviewing"),
        (("batch_formed", {"stage": "something_new", "number": 1, "units": []}), "something_new"),
    ],
)
def test_what_a_run_in_stages_is_at(own_runs: Path, phase: tuple[Any, dict[str, Any]], detail: str) -> None:
    folder = RunFolder.at(own_runs, BOOK)
    with own_run(folder, system_clock) as owned:
        owned.journal.write_now(event(phase[0], data=phase[1]))
        found = card(own_runs.parent, BOOK)
        assert (found.state, found.text, found.detail) == ("working", "Working", detail)
        assert found.host and found.heartbeat_at


@pytest.mark.parametrize(
    ("type", "data", "detail"),
    [
        ("iteration_complete", {"iteration": 1, "endScore": 0.8771}, "Iteration 2, score .877"),
        ("refinement_start", {"score": 1.0}, "Refining, score 1.000"),
    ],
)
def test_what_a_lesson_is_at(own_runs: Path, type: Any, data: dict[str, Any], detail: str) -> None:
    folder = RunFolder.at(own_runs, LESSON)
    with own_run(folder, system_clock) as owned:
        owned.journal.write_now(EventRecord(type, None, data))
        assert card(own_runs.parent, LESSON).detail == detail


def test_an_experiment_is_done_not_published(own_runs: Path) -> None:
    with own_run(RunFolder.at(own_runs, COURSE), system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        evolved = replace(plan, documents=(), arguments={**plan.arguments, "task": "evolve"})
        owned.journal.set_meta("plan", dumps(evolved.as_record()).decode())
        stopped = event("run_stopped", data={"reason": "done", "message": None})
        owned.journal.write_now(event("trial_settled", data={"decision": "adopted"}), stopped)
    found = card(own_runs.parent, COURSE)
    assert (found.state, found.text, found.detail, found.trials) == ("published", "Done", "1 trial settled", 1)
    assert (found.title, found.subtitle) == (
        *("Macedonian for English speakers", "Evolution of prompts, mkd_for_eng_8seeds"),
    )
    with own_run(RunFolder.at(own_runs, COURSE), system_clock) as owned:
        owned.journal.write_now(event("run_stopped", data={"reason": "limit", "message": None}))
    assert card(own_runs.parent, COURSE).state == "at_its_ceiling"


class TestTitles:
    def test_several_documents_are_called_by_their_folder(self, tmp_path: Path) -> None:
        with ledger(tmp_path, "week-1", sizes=(1, 2)):
            found = card(tmp_path, "week-1")
        assert (found.title, found.subtitle) == ("week-1", "Questions, 2 documents")

    def test_a_lesson_that_has_gone_keeps_the_name_of_its_file(self, own_runs: Path) -> None:
        plan = RunIndex(own_runs).open(LESSON).view.plan
        source = Path(plan.documents[0].path)
        kept = source.read_bytes()
        source.unlink()
        run_card._lesson.cache_clear()
        try:
            found = card(own_runs.parent, LESSON)
        finally:
            source.write_bytes(kept)
            run_card._lesson.cache_clear()
        assert (found.title, found.subtitle) == ("water", "Lesson")

    def test_a_title_is_one_short_line(self) -> None:
        assert run_card._line(" a\n\tb ") == "a b"
        assert len(run_card._line("long " * 999)) <= run_card.LONGEST


class TestTheList:
    def test_newest_activity_first_and_broken_ones_last(self, tmp_path: Path) -> None:
        for id in ("a", "b", "c"):
            with ledger(tmp_path, id):
                pass
        (tmp_path / "runs/broken").mkdir()
        (tmp_path / "runs/broken/journal.sqlite").write_bytes(b"no database at all" * 100)
        index = RunIndex(tmp_path / "runs")
        found = index.cards()
        assert [one.id for one in found] == ["c", "b", "a", "broken"]
        assert isinstance(found[-1], BrokenRun) and "damaged" in found[-1].message
        index.close()

    def test_nothing_is_read_again_while_nothing_changes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        read: list[str] = []

        def noted(folder: RunFolder) -> Facts:
            read.append(folder.id)
            return run_card.facts_of(folder)

        monkeypatch.setattr("burnish.app.run_index.facts_of", noted)
        monkeypatch.setattr(run_card, "SETTLING", -1.0)
        with ledger(tmp_path) as book:
            index = RunIndex(tmp_path / "runs")
            before = index.cards()
            assert index.cards() == before and read == ["r"]
            book.rests(book.name(0))
            [after] = index.cards()
            assert isinstance(after, RunCard) and after.ready == 1 and read == ["r", "r"]
            index.close()

    def test_what_was_just_written_is_looked_at_again(self, tmp_path: Path) -> None:
        """Two writes within a tick of the clock leave the files looking the same."""
        with ledger(tmp_path) as book:
            index = RunIndex(tmp_path / "runs")
            for number in range(6):
                book.rests(book.name(number))
                [found] = index.cards()
                assert isinstance(found, RunCard) and found.ready == number + 1
            index.close()

    def test_a_run_that_goes_is_forgotten(self, tmp_path: Path) -> None:
        with ledger(tmp_path):
            pass
        index = RunIndex(tmp_path / "runs")
        assert len(index.cards()) == 1
        shutil.rmtree(tmp_path / "runs/r")
        assert index.cards() == []
        index.close()

    def test_a_folder_that_is_not_there_holds_no_runs(self, tmp_path: Path) -> None:
        assert RunIndex(tmp_path / "nowhere").cards() == []

    def test_a_run_that_is_just_being_started(self, tmp_path: Path) -> None:
        folder = RunFolder.at(tmp_path / "runs", "r")
        folder.root.mkdir(parents=True)
        create_journal(folder.journal, clock=system_clock).close()
        index = RunIndex(tmp_path / "runs")
        [found] = index.cards()
        assert isinstance(found, BrokenRun) and "before it had a plan" in found.message
        with take_lock(folder, system_clock):
            [found] = RunIndex(tmp_path / "runs").cards()
            assert isinstance(found, BrokenRun) and "just being started" in found.message

    def test_a_run_without_a_plan(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            book.journal.set_meta("plan", "{")
            [found] = RunIndex(tmp_path / "runs").cards()
            assert isinstance(found, BrokenRun) and "cannot be read" in found.message
