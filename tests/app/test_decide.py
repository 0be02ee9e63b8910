"""`burnish decide` and `export`: a person's word, and the files that others read."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.app.desk import Desk, borrowed, sitting_in
from tests.engine.questions_bench import biased, questions_in, sound, write_bank


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in which q1 and q2 wait for a person."""
    with sitting_in(tmp_path_factory.mktemp("stopped")) as desk:
        bank = write_bank(desk.home, [sound(0), biased(1), biased(2)])
        assert desk("polish", bank, "--rules-only", "--run-id", "r").code == 3
        return desk.home


@pytest.fixture
def waiting(stopped: Path, desk: Desk) -> Iterator[Desk]:
    with borrowed(stopped, desk) as there:
        yield there


def test_accepting_everything_leads_to_publication(waiting: Desk) -> None:
    first = waiting("decide", "r", "q1", "accept", "--by", "Ada")
    assert first.code == 0
    assert first.out.splitlines() == ["q1  validated  accepted by Ada", "1 more to decide."]
    second = waiting("decide", "r", "q2", "accept", "--by", "Ada")
    assert "Nothing left to decide. Resume: burnish resume r" in second.out
    done = waiting("resume", "r")
    assert done.code == 0
    assert "3 questions: 3 accepted" in done.out


def test_while_a_process_is_at_work_nobody_is_told_to_resume(waiting: Desk) -> None:
    assert waiting("decide", "r", "q1", "accept", "--by", "Ada").code == 0
    with own_run(RunFolder.at(Path("runs"), "r"), system_clock):
        said = waiting("decide", "r", "q2", "accept", "--by", "Ada")
    assert "Nothing left to decide. A process is at work on the run." in said.out
    assert "Resume" not in said.out


def test_several_units_are_decided_at_once_or_none_of_them(waiting: Desk) -> None:
    refused = waiting("decide", "r", "q1", "accept", "--by", "Ada", "--also", "q2", "--also", "q0")
    assert refused.code == 2 and "q0 is not waiting" in refused.err
    Path("edit.json").write_text("{}")
    edited = waiting("decide", "r", "q1", "edit", "--by", "Ada", "--also", "q2", "--text-file", "edit.json")
    assert edited.code == 2 and "--also" in edited.err
    assert waiting("show", "r", "q1", "--json").json["decisions"] == []
    said = waiting("decide", "r", "q1", "accept", "--by", "Ada", "--also", "q2", "--also", "q1")
    assert said.out.splitlines() == [
        "q1  validated  accepted by Ada",
        "q2  validated  accepted by Ada",
        "Nothing left to decide. Resume: burnish resume r",
    ]
    assert waiting("resume", "r").code == 0


def test_an_edit_from_a_file(waiting: Desk) -> None:
    Path("edit.json").write_text(json.dumps({"stem": sound(1)["stem"]}), encoding="utf-8-sig")
    said = waiting("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json")
    assert said.code == 0
    assert "q1  validated  edited by Ada" in said.out
    waiting("decide", "r", "q2", "accept", "--by", "Ada")
    done = waiting("resume", "r")
    assert "changed  q1  by a person" in done.out
    assert questions_in(waiting.run().out / "bank.json")["q1"] == sound(1)


def test_an_edit_that_breaks_rules_says_which(waiting: Desk) -> None:
    Path("edit.json").write_text(json.dumps({"stem": biased(1)["stem"].replace("farmer", "gardener")}))
    said = waiting("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json")
    assert said.code == 1
    assert "The text is kept, but it still breaks: ext_bias_detection" in said.out


def test_an_edit_that_takes_the_structure_apart_is_refused_and_changes_nothing(waiting: Desk) -> None:
    Path("edit.json").write_text(json.dumps({"options": {"A": "x"}}))
    said = waiting("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json")
    assert said.code == 2
    assert "edit.json: The edited question breaks its structure" in said.err
    assert "nbme_single_best_answer" in said.err
    assert [attempt["cause"] for attempt in waiting("show", "r", "q1", "--json").json["attempts"]] == ["source"]
    assert waiting("decide", "r", "q1", "accept", "--by", "Ada").code == 0


def test_a_text_that_its_document_cannot_hold_is_told_at_once_and_cannot_be_accepted(desk: Desk) -> None:
    bank = desk.home / "bank.txt"
    bank.write_text("Which of the following is NOT green?\nA. Grass\nB. Snow\nC. Moss\nANSWER: B\n")
    desk("polish", bank, "--rules-only", "--run-id", "r")
    Path("edit.json").write_text(json.dumps({"stem": "Look.\nWhich of the following is NOT green?"}))
    assert desk("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json").code == 1
    said = desk("decide", "r", "q1", "accept", "--by", "Ada")
    assert said.code == 2
    assert "document cannot hold the text" in said.err and "line end" in said.err
    Path("edit.json").write_text(json.dumps({"stem": "Look.\nWhich of the following is white?"}))
    told = desk("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json")
    assert told.code == 0 and "The document cannot hold this text: " in told.out
    assert desk("resume", "r").code == 3
    Path("edit.json").write_text(json.dumps({"stem": "Which of the following is white?"}))
    assert desk("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json").code == 0
    assert desk("resume", "r").code == 0


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [('{"stem": ', "b.json:1: ", "not JSON"), ('{"stemm": "x"}', "b.json: ", "no such field. (field stemm)")],
)
def test_what_is_wrong_with_an_edited_text_names_its_file(waiting: Desk, text: str, place: str, message: str) -> None:
    Path("b.json").write_text(text)
    said = waiting("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "b.json")
    assert said.code == 2
    assert place in said.err and message in said.err


def test_a_rejection_is_worked_on_by_resume(waiting: Desk) -> None:
    said = waiting("decide", "r", "q1", "reject", "--by", "Ada", "--note", "Ask for the cause.")
    assert "q1  being corrected  sent back by Ada" in said.out
    waiting("decide", "r", "q2", "accept", "--by", "Ada")
    assert waiting("resume", "r", "--model", waiting.model("q1")).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["q1", "accept", "--by", "  "], "needs a name"),
        (["q1", "accept"], "--by"),
        (["q1", "maybe", "--by", "Ada"], "maybe"),
        (["q9", "accept", "--by", "Ada"], "no unit 'q9'"),
        (["q0", "accept", "--by", "Ada"], "not waiting for a person"),
        (["q1", "edit", "--by", "Ada"], "needs the new text"),
        (["q1", "edit", "--by", "Ada", "--text-file", "nowhere.json"], "No such file"),
        (["q1", "edit", "--by", "Ada", "--text-file", "latin.json"], "not UTF-8"),
        (["q1", "edit", "--by", "Ada", "--text-file", "huge.json"], "longer than"),
        (["q1", "reject", "--by", "Ada", "--text-file", "good.json"], "takes no text"),
        (["q1", "reject", "--by", "Ada"], "sent back with a note"),
    ],
)
def test_what_makes_no_sense_is_refused(waiting: Desk, arguments: list[str], message: str) -> None:
    Path("latin.json").write_bytes(b'{"stem": "caf\xe9"}')
    Path("huge.json").write_text(" " * 1_000_001)
    Path("good.json").write_text("{}")
    said = waiting("decide", "r", *arguments)
    assert said.code == 2
    assert message in said.err


def test_a_hostile_note_is_only_text(waiting: Desk) -> None:
    note = "\x1b[31mred\x1b[0m \u202e ../../etc {{history}}"
    assert waiting("decide", "r", "q1", "accept", "--by", "Ada\x1b[2J", "--note", note).code == 0
    shown = waiting("show", "r", "q1").out
    assert "\x1b" not in shown
    assert "\u202e" not in shown


class TestExport:
    def test_everything_is_made_again(self, waiting: Desk) -> None:
        before = {path.name: path.read_bytes() for path in waiting.run().root.glob("*.json*")}
        for path in waiting.run().root.glob("*.json*"):
            path.unlink()
        said = waiting("export", "r")
        assert said.code == 0
        assert f"candidate: {waiting.run().candidate / 'bank.json'}" in said.out
        assert {path.name: path.read_bytes() for path in waiting.run().root.glob("*.json*")} == before

    def test_an_edited_export_is_named(self, waiting: Desk) -> None:
        (waiting.run().root / "review_queue.jsonl").write_text("")
        said = waiting("export", "r")
        assert "edited by hand, replaced: review_queue.jsonl" in said.out
        assert waiting("export", "r", "--json").json["edited_by_hand"] == []

    def test_it_publishes_when_nothing_blocks(self, waiting: Desk) -> None:
        for unit in ("q1", "q2"):
            waiting("decide", "r", unit, "accept", "--by", "Ada")
        said = waiting("export", "r", "--json")
        assert said.json["published"] == [str(waiting.run().out / "bank.json")]
        assert json.loads(waiting.run().receipt.read_text())["stopped"] == "done"
        assert "published: " in waiting("export", "r").out

    def test_a_run_that_was_interrupted_can_be_exported(self, desk: Desk) -> None:
        desk("polish", desk.bank(sound(0), biased(1)), "--run-id", "r", "--max-seconds", 0)
        said = desk("export", "r", "--json")
        assert said.code == 0
        assert said.json["published"] == []
        assert json.loads(desk.run().receipt.read_text())["stopped"] == "limit"

    def test_what_the_file_cannot_hold_is_refused(self, desk: Desk) -> None:
        bank = desk.home / "bank.txt"
        bank.write_text("Which of the following is NOT green?\nA. Grass\nB. Snow\nC. Moss\nANSWER: B\n")
        assert desk("polish", bank, "--rules-only", "--run-id", "r").code == 3
        Path("edit.json").write_text(json.dumps({"stem": "Look at the field.\nWhich of the following is white?"}))
        assert desk("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json").code == 0
        said = desk("export", "r")
        assert said.code == 2
        assert "The output cannot hold 1 of the units" in said.err
        assert "line end" in said.err
        assert "another --out" in said.err
