"""What people do to a translation, and what happens to it: decisions, issues without a place, other sources, locks."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.book_desk import (
    ASTRAY,
    BOOK,
    CALM,
    HOPELESS,
    MARKET,
    SPANISH,
    TAMAZIGHT,
    TYPO,
    WINE,
    away,
    blockers,
    final,
    gate,
    go_on,
    is_published,
    lines,
    published,
    put,
    serving,
    slipping,
    spanish,
    state,
    statuses,
    translate,
)
from tests.app.desk import Desk, borrowed, sitting_in
from tests.loopback import Answer, Asked
from tests.manuscripts_model import BookWorld, Slip

SPELLED = "Él no fue al mercado el lunes por la mañana."


def complaint(**anchor: object) -> dict[str, object]:
    return {"category": "readability", "severity": "major", "description": "It reads badly.", **anchor}


def criticism(issue: dict[str, object], only: str = "El mar") -> Callable[[str], list[dict[str, Any]]]:
    """Every critic says so of the window that holds `only`."""
    return lambda window: [issue] if only in window else []


class TestMappingErrors:
    """An issue that belongs to no paragraph is a blocker of the run, which a person can decide."""

    def test_a_critic_with_a_wrong_line(self, desk: Desk) -> None:
        said = translate(desk, spanish(critics=criticism(complaint(line=99))), "--approve")
        assert said.code == 3
        found = blockers(desk)
        assert found == {f"issue_{number:04}": "mapping_error" for number in (1, 2)}, "close and far"
        assert set(statuses(desk).values()) == {"ready_to_merge", "ingested"}, "no paragraph is at fault"
        assert gate(desk)["counts"]["manual_review_required"] == 0
        shown = desk("show", "tx", "issue_0001")
        assert "It reads badly." in shown.out
        assert "line: 99" in shown.out

    @pytest.mark.parametrize(
        "anchor",
        [
            {"line": 2},
            {"start_line": 90, "end_line": 95},
            {"quote": "no such words"},
            {"line": 99, "quote": "El mar"},
            {},
        ],
        ids=["between two", "a range beyond the end", "a quote", "wrong line, right quote", "no anchor"],
    )
    def test_a_review_of_another_tool(self, desk: Desk, anchor: dict[str, object]) -> None:
        (desk.home / "found.json").write_text(json.dumps([complaint(**anchor)]))
        said = translate(desk, spanish(), "--review", "found.json", "--approve")
        assert said.code == 3, said.out + said.err
        assert blockers(desk) == {"issue_0001": "mapping_error"}
        assert "issue_0001" in desk("status", "tx").out
        assert go_on(desk, spanish(), "--approve").code == 3, "nothing but a decision leaves it"
        assert desk("decide", "tx", "issue_0001", "reject", "--by", "Ada", "--note", "x").code == 2
        assert desk("decide", "tx", "issue_0001", "accept", "--by", "Ada", "--note", "Looked; fine.").code == 0
        asked: list[Asked] = []
        assert go_on(desk, spanish(), "--approve", asked=asked).code == 0
        assert asked == []
        assert published(desk) == final()
        assert blockers(desk) == {}

    def test_anchors_that_hold_belong_to_their_paragraphs(self, desk: Desk) -> None:
        issues = [
            complaint(line=3, category="style", severity="critical", reviewer="linter"),
            complaint(start_line=5, end_line=7, category="style", severity="critical", reviewer="linter"),
            complaint(quote="El mar", severity="minor"),
        ]
        (desk.home / "found.json").write_text(json.dumps({"issues": issues}))
        said = translate(desk, spanish(), "--review", "found.json", "--approve")
        assert said.code == 3, "a rework that leaves the text as it is settles nothing"
        assert set(blockers(desk).values()) == {"repeated_hard_fail"}
        rows = lines(desk, "review/normalized/critics_paragraph_rows.jsonl")
        assert rows, "critics had their say"
        failed = [row["paragraph_id"] for row in lines(desk, "state/paragraph_state.jsonl") if row["failure_history"]]
        assert failed == ["p_0002", "p_0003", "p_0005"], "a range over two paragraphs belongs to both"

    def test_a_critic_that_cannot_be_read_fails_closed(self, desk: Desk) -> None:
        def garbled(asked: Asked) -> Answer | None:
            return Answer("no JSON at all") if "## consistency" in asked.user else None

        said = translate(desk, spanish(), "--approve", interfere=garbled)
        assert said.code == 3
        assert set(blockers(desk).values()) == {"missing_artifact"}


@pytest.mark.parametrize(("reply", "resumed"), [("translation_review_reply", 1), ("critic_reply", 3)])
def test_a_panel_that_answers_nonsense_stops_the_run_at_its_first_call(desk: Desk, reply: str, resumed: int) -> None:
    """Resumed, the first judge is asked once more and the other twice; then the document stands before a person, and
    the run is no loop."""

    def garbled(asked: Asked) -> Answer | None:
        return Answer("<think>no JSON") if asked.reply_name == reply else None

    asked: list[Asked] = []
    said = translate(desk, spanish(), "--approve", interfere=garbled, asked=asked)
    assert said.code == 6, said.out + said.err
    assert [one.reply_name for one in asked].count(reply) == 2, "the first call, and the same once more"
    assert "could not be read" in " ".join(said.out.split())
    assert set(blockers(desk).values()) == {"review_in_progress"}, "nothing is handed to a person"
    again: list[Asked] = []
    assert go_on(desk, spanish(), "--approve", interfere=garbled, asked=again).code == 3
    assert [one.reply_name for one in again].count(reply) == resumed
    assert set(blockers(desk).values()) == {"missing_artifact"}


@pytest.mark.parametrize("reply", ["translation_review_reply", "critic_reply"])
def test_a_panel_that_can_be_read_later_goes_on(desk: Desk, reply: str) -> None:
    def garbled(asked: Asked) -> Answer | None:
        return Answer("<think>no JSON") if asked.reply_name == reply else None

    assert translate(desk, spanish(), "--approve", interfere=garbled).code == 6
    assert go_on(desk, spanish(), "--approve").code == 0
    assert published(desk) == final()


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in which one paragraph waits for a person."""
    with sitting_in(tmp_path_factory.mktemp("stopped")) as desk:
        assert translate(desk, slipping(HOPELESS)).code == 3
        return desk.home


class TestDecisions:
    @pytest.fixture
    def waiting(self, stopped: Path, desk: Desk) -> Iterator[Desk]:
        with borrowed(stopped, desk) as there:
            yield there

    def test_accept(self, waiting: Desk) -> None:
        said = waiting("decide", "tx", "p_0003", "accept", "--by", "Ada", "--note", "Good enough.")
        assert said.code == 0
        assert "burnish resume tx" in said.out
        assert go_on(waiting, spanish(), "--approve").code == 0
        assert published(waiting) == final({**SPANISH, MARKET: HOPELESS.text})
        assert state(waiting, "p_0003")["reason"] == "accepted by Ada"

    def test_edit(self, waiting: Desk) -> None:
        put(waiting.home, f"{SPELLED}\r\n", "new.txt")
        said = waiting("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt")
        assert said.code == 0, said.out + said.err
        asked: list[Asked] = []
        assert go_on(waiting, spanish(), "--approve", asked=asked).code == 0
        assert asked == [], "it went back to the rules, and they let it pass"
        assert published(waiting) == final({**SPANISH, MARKET: SPELLED})

    def test_an_edit_that_breaks_a_rule_keeps_waiting(self, waiting: Desk) -> None:
        put(waiting.home, "Él no fue al mercado el 37 de marzo con 40 amigos.", "new.txt")
        said = waiting("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt")
        assert said.code == 1
        assert "still breaks" in said.out
        assert waiting("status", "tx", "--json").json["states"]["manual_review_required"] == 1
        assert go_on(waiting, spanish(), "--approve").code == 3

    @pytest.mark.parametrize("text", ["", "uno\n\ndos", "# Un título", "```\ncode\n```"])
    def test_an_edit_that_is_no_paragraph(self, waiting: Desk, text: str) -> None:
        put(waiting.home, text, "new.txt")
        said = waiting("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt")
        assert said.code == 2
        assert "new.txt" in said.err
        assert waiting("status", "tx", "--json").json["states"]["manual_review_required"] == 1

    def test_reject_grants_the_attempts_anew(self, waiting: Desk) -> None:
        assert state(waiting, "p_0003")["attempt"] == 3
        note = ("--note", "It is lunes, with an s.")
        assert waiting("decide", "tx", "p_0003", "reject", "--by", "Ada", *note).code == 0
        assert waiting("status", "tx", "--json").json["states"]["rework_queued"] == 1
        asked: list[Asked] = []
        said = go_on(waiting, slipping(TYPO), "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        assert published(waiting) == final()
        rework = next(one for one in asked if one.reply_name in ("edit_reply", "translation_reply"))
        assert "with an s" in rework.user, "the note reaches the model"
        assert state(waiting, "p_0003")["attempt"] == 1
        history = state(waiting, "p_0003")["failure_history"]
        assert history.count("critical_grammar") == 2, "attempts are granted anew, what happened is not forgotten"

    def test_reject_of_what_stays_hopeless_comes_back(self, waiting: Desk) -> None:
        assert waiting("decide", "tx", "p_0003", "reject", "--by", "Ada", "--note", "Again.").code == 0
        assert go_on(waiting, slipping(HOPELESS), "--approve").code == 3
        assert blockers(waiting) == {"p_0003": "repeated_hard_fail"}
        assert waiting("decide", "tx", "p_0003", "accept", "--by", "Ada").code == 0
        assert go_on(waiting, spanish(), "--approve").code == 0

    def test_what_does_not_wait_is_not_decided(self, waiting: Desk) -> None:
        said = waiting("decide", "tx", "p_0002", "accept", "--by", "Ada")
        assert said.code == 2
        assert "ready already" in said.err
        said = waiting("decide", "tx", "p_0004", "accept", "--by", "Ada")
        assert said.code == 2, "it is excluded"
        assert "not waiting" in said.err

    def test_hard_floor_sent_back_and_mended(self, desk: Desk) -> None:
        assert translate(desk, slipping(ASTRAY)).code == 3
        assert desk("decide", "tx", "p_0003", "reject", "--by", "Ada", "--note", "No friends.").code == 0
        assert go_on(desk, slipping(ASTRAY), "--approve").code == 0
        assert published(desk) == final()

    def test_an_edit_of_two_scripts_is_given_in_latin_letters(self, desk: Desk) -> None:
        shown = "ⵓⵔ ⵉⴷⴷⵉ ⴰⵔⴰ ⵖⴻⵔ ⵙⵙⵓⵇ ⴰⵙⵙ ⵏ ⴰⵔⵉⵎ."
        slip = Slip("Ur iddi ara ɣer ssuq ass n arim.", "grammar", stubborn=True, shown=shown)
        world = BookWorld(dict(TAMAZIGHT), slips={MARKET: slip})
        profile = ("--pipeline-profile", "tamazight_two_pass")
        assert translate(desk, world, *profile, to=None).code == 3
        put(desk.home, TAMAZIGHT[MARKET], "new.txt")
        said = desk("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt")
        assert said.code == 0, said.out + said.err
        assert go_on(desk, world, "--approve").code == 0
        assert "ⵓⵔ ⵉⴷⴷⵉ ⴰⵔⴰ ⵖⴻⵔ ⵙⵙⵓⵇ" in published(desk)
        assert lines(desk, "pass1_pre/paragraphs.jsonl")[2]["text"] == TAMAZIGHT[MARKET]


class TestSourceChanged:
    def test_nothing_is_published_and_the_changed_paragraphs_are_named(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        put(desk.home, BOOK.replace("12 men", "13 men"))
        said = go_on(desk, spanish(), "--approve")
        assert said.code == 1
        assert "source has changed" in said.out
        assert blockers(desk) == {"source": "source_changed", "p_0002": "stale_source"}
        assert statuses(desk)["p_0002"] == "manual_review_required"
        assert statuses(desk)["p_0003"] == "ready_to_merge"
        assert not is_published(desk)
        assert gate(desk)["source"]["changed"] is True

    def test_no_decision_publishes_it(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        put(desk.home, BOOK.replace("12 men", "13 men"))
        assert go_on(desk, spanish(), "--approve").code == 1
        assert desk("decide", "tx", "p_0002", "accept", "--by", "Ada").code == 0
        assert go_on(desk, spanish(), "--approve").code == 1
        assert translate(desk, spanish(), "--approve", book=BOOK + "\nMore.\n").code == 1, "the same command says so"
        assert not is_published(desk)

    def test_a_byte_between_paragraphs_is_enough(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        put(desk.home, BOOK + "\n")
        assert go_on(desk, spanish(), "--approve").code == 1
        assert blockers(desk) == {"source": "source_changed"}, "no paragraph is another"

    @pytest.mark.parametrize("now", ["", "\ufeff\n", "# Other\n"])
    def test_whatever_became_of_it(self, desk: Desk, now: str) -> None:
        assert translate(desk, spanish()).code == 3
        put(desk.home, now)
        assert go_on(desk, spanish(), "--approve").code == 1
        assert blockers(desk)["p_0007"] == "stale_source"
        assert not is_published(desk)

    def test_while_a_sitting_is_at_work(self, desk: Desk) -> None:
        def meddle(asked: Asked) -> None:
            if asked.reply_name == "critic_reply":
                put(desk.home, BOOK.replace("12 men", "13 men"))

        said = translate(desk, spanish(), "--approve", interfere=meddle)
        assert said.code == 1
        assert blockers(desk) == {"source": "source_changed", "p_0002": "stale_source"}
        assert not is_published(desk)

    def test_after_publishing_it_is_no_matter(self, desk: Desk) -> None:
        assert translate(desk, spanish(), "--approve").code == 0
        put(desk.home, "# Another book\n")
        assert go_on(desk, spanish()).code == 0
        assert gate(desk)["status"] == "published"
        assert published(desk) == final()

    def test_a_source_that_is_gone_can_be_put_back(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        (desk.home / "book.md").unlink()
        said = go_on(desk, spanish(), "--approve")
        assert said.code == 2
        assert "Put the file back" in said.err
        put(desk.home)
        assert go_on(desk, spanish(), "--approve").code == 0


class TestLock:
    def test_a_live_one_is_respected(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        self.lock(desk, os.getppid(), 0)
        said = go_on(desk, spanish(), "--approve")
        assert said.code == 4
        assert str(os.getppid()) in said.err
        assert desk.run("tx").lock.exists()
        assert not is_published(desk)
        assert translate(desk, spanish(), "--approve").code == 4

    @pytest.mark.parametrize(("host", "age"), [(None, 0), ("elsewhere", 200)], ids=["dead process", "silent host"])
    def test_a_stale_one_is_taken_over_with_an_audit(self, desk: Desk, host: str | None, age: int) -> None:
        assert translate(desk, spanish()).code == 3
        dead = subprocess.Popen([sys.executable, "-c", ""])
        dead.wait()
        self.lock(desk, dead.pid, age, host)
        said = go_on(desk, spanish(), "--approve")
        assert said.code == 0, said.err
        [stale] = desk.run("tx").root.glob("RUNNING.stale.*.lock")
        assert json.loads(stale.read_text())["pid"] == dead.pid
        assert not desk.run("tx").lock.exists()

    def test_another_host_that_still_beats_is_left_alone(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        self.lock(desk, 1, 60, "elsewhere")
        assert go_on(desk, spanish(), "--approve").code == 4

    def lock(self, desk: Desk, pid: int, age: int, host: str | None = None) -> None:
        """A lock that somebody holds since `age` seconds without a sign of life."""
        from burnish.store.processes import this_process

        at = (datetime.now(UTC) - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
        record = {"pid": pid, "host": host or this_process().host, "run_id": "tx", "started_at": at}
        desk.run("tx").lock.write_text(json.dumps({**record, "last_heartbeat_at": at, "token": "x"}))


class TestModelsAway:
    @pytest.mark.parametrize("reply", ["translation_reply", "translation_review_reply", "critic_reply", "edit_reply"])
    def test_units_stay_where_they_are_and_the_run_goes_on_later(self, desk: Desk, reply: str) -> None:
        said = translate(desk, slipping(TYPO), "--approve", interfere=away(reply))
        assert said.code == 6, said.out + said.err
        assert "burnish resume tx" in said.out
        assert "manual_review_required" not in statuses(desk).values()
        assert gate(desk)["status"] == "stopped"
        assert gate(desk)["stopped_because"]
        before = {one["paragraph_id"] for one in lines(desk, "pass1_pre/paragraphs.jsonl")}
        assert bool(before) == (reply != "translation_reply")
        said = go_on(desk, slipping(TYPO), "--approve")
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()

    def test_a_budget(self, desk: Desk) -> None:
        said = translate(desk, slipping(TYPO), "--max-tokens", 3_000, "--approve")
        assert said.code == 6
        assert gate(desk)["status"] == "stopped"
        assert go_on(desk, slipping(TYPO), "--max-tokens", 1_000_000, "--approve").code == 0
        assert published(desk) == final()

    def test_no_time_at_all(self, desk: Desk) -> None:
        asked: list[Asked] = []
        assert translate(desk, spanish(), "--max-seconds", 0.000001, "--approve", asked=asked).code == 6
        assert asked == []
        assert set(statuses(desk).values()) == {"ingested"}
        assert go_on(desk, spanish(), "--max-seconds", 600, "--approve").code == 0


@pytest.mark.process
class TestKilled:
    def test_in_the_middle_of_a_real_process(self, desk: Desk) -> None:
        """kill -9 while the reviewers are asked; what was answered and recorded is not asked again."""
        put(desk.home)

        def slow(asked: Asked) -> Answer | None:
            return Answer(world.reply(asked.reply_name, asked.user), latency=0.15)

        world = slipping(TYPO)
        with serving(world, slow) as server:
            command = [sys.executable, "-m", "burnish.cli.main", "translate", "--run-id", "tx"]
            command += ["--source", "book.md", "--to", "es", "--model", "openai:m", "--base-url", server.base_url]
            victim = subprocess.Popen([*command, "--approve"], cwd=desk.home, stderr=subprocess.DEVNULL)
            while "translation_review_reply" not in [one.reply_name for one in server.requests]:
                assert victim.poll() is None
                time.sleep(0.01)
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()
            sent = len(server.requests)
            assert desk.run("tx").lock.exists()
            assert desk("resume", "tx", "--approve").code == 0
            again = [one.reply_name for one in server.requests[sent:]]
        assert "translation_reply" not in again
        assert published(desk) == final()
        assert list(desk.run("tx").root.glob("RUNNING.stale.*.lock"))


class TestExclusions:
    def test_changing_them_needs_authority(self, desk: Desk) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt").code == 3
        keep.write_text("p_0002 not wanted\n")
        refused = translate(desk, spanish(), "--exclude", "keep.txt", "--approve")
        assert refused.code == 2
        assert "--reauthorize" in refused.err
        assert state(desk, "p_0006")["excluded_by_policy"] is True
        said = translate(desk, spanish(), "--exclude", "keep.txt", "--reauthorize", "--approve")
        assert said.code == 0, said.out + said.err
        assert state(desk, "p_0006")["excluded_by_policy"] is False
        assert state(desk, "p_0002")["exclude_reason"] == "not wanted"
        text = published(desk)
        assert CALM in text
        assert SPANISH[WINE] in text

    def test_what_is_published_stays_so(self, desk: Desk) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt", "--approve").code == 0
        before = published(desk)
        keep.write_text("p_0002 not wanted\n")
        said = translate(desk, spanish(), "--exclude", "keep.txt", "--reauthorize", "--approve")
        assert said.code == 2
        assert "is published" in said.err
        keep.write_text("p_0006 a brand\n")
        assert go_on(desk, spanish()).code == 0
        assert published(desk) == before

    def test_a_changed_file_is_told_when_the_run_goes_on(self, desk: Desk) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt").code == 3
        keep.write_text("p_0002 not wanted\n")
        said = go_on(desk, spanish(), "--approve")
        assert said.code == 2
        assert "keep.txt" in said.err
        assert not is_published(desk)

    @pytest.mark.parametrize(
        ("text", "told"), [("p_0099 nowhere\n", "p_0099"), ("/(((/ odd\n", "keep.txt:1"), ("", "nothing to leave out")]
    )
    def test_bad_ones_are_refused_before_anything_is_spent(self, desk: Desk, text: str, told: str) -> None:
        (desk.home / "keep.txt").write_text(text)
        asked: list[Asked] = []
        said = translate(desk, spanish(), "--exclude", "keep.txt", asked=asked)
        assert (said.code, asked) == (2, [])
        assert told in said.err
        assert not Path("runs/tx/journal.sqlite").exists()
