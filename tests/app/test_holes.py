"""Input that cannot be read: told before anything is paid for, and named as what blocks."""

import json
from pathlib import Path

from tests.app.desk import Desk
from tests.engine.questions_bench import biased, journal_of, sound

BROKEN = '{"id": "q9", "stem": '


def holed(desk: Desk, *more: str) -> Path:
    path = desk.home / "bank.jsonl"
    lines = [json.dumps(sound(0)), BROKEN, json.dumps(biased(1)), *more]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_estimate_names_them(desk: Desk) -> None:
    said = desk("polish", holed(desk), "--model", desk.model("q1"), "--estimate")
    assert said.code == 0
    assert "note: 1 part of the input cannot be used, so nothing will be published:" in said.out
    assert "  input    bank.jsonl:2: " in said.out
    for_programs = desk("polish", holed(desk), "--model", desk.model("q1"), "--estimate", "--json").json
    assert [(part["path"], part["line"]) for part in for_programs["unreadable"]] == [("bank.jsonl", 2)]


def test_polish_names_them_before_the_first_call(desk: Desk) -> None:
    # A ceiling that no call fits under: whatever is said was said before anything was paid.
    said = desk("polish", holed(desk), "--run-id", "r", "--model", desk.model("q1"), "--max-tokens", 1)
    assert said.code == 6
    assert "No model was called." in said.out
    assert "note: 1 part of the input cannot be used, so nothing will be published:" in said.err
    assert "  input    bank.jsonl:2: " in said.err


def test_many_of_them_are_counted(desk: Desk) -> None:
    said = desk("polish", holed(desk, *[BROKEN] * 20), "--run-id", "r", "--model", desk.model("q1"))
    assert said.err.count("  input    bank.jsonl:") == 15
    assert "  and 6 more" in said.err


def test_nothing_is_foretold_where_nobody_pays(desk: Desk) -> None:
    said = desk("polish", holed(desk), "--rules-only", "--run-id", "r")
    assert said.err.startswith("note: No model judges the bank: ") and said.err.count("\n") == 1
    assert "  input    bank.jsonl:2: " in said.out


def test_status_names_every_blocker(desk: Desk) -> None:
    desk("polish", holed(desk), "--run-id", "r", "--model", desk.model("q1"), "--max-tokens", 1)
    said = desk("status", "r")
    assert "  input    bank.jsonl:2: " in said.out
    assert "  open     q0  not checked yet" in said.out and "  open     q1  " in said.out
    blockers = desk("status", "r", "--json").json["blockers"]
    assert [(b["unit"], b["document"], b["line"]) for b in blockers] == [
        (None, "bank.jsonl", 2),
        ("q0", "bank.jsonl", None),
        ("q1", "bank.jsonl", None),
    ]
    assert blockers[0]["reason"] == "unreadable_input" and blockers[0]["message"]
    assert [b["state"] for b in blockers] == [None, "draft", "draft"], "all are read before one is corrected"


def test_that_publishing_was_blocked_is_an_event(desk: Desk) -> None:
    desk("polish", holed(desk), "--rules-only", "--run-id", "r")
    desk("resume", "r")
    desk("export", "r")
    with journal_of(desk.run()) as journal:
        [blocked] = journal.events(types=("publish_blocked",))
    assert blocked.data == {"unreadable_parts": 1, "states": {"needs_manual_review": 1}, "first_units": ["q1"]}
    desk("decide", "r", "q1", "accept", "--by", "Ada")
    assert desk("resume", "r").code == 2
    with journal_of(desk.run()) as journal:
        *_, last = journal.events(types=("publish_blocked",))
        assert not list(journal.events(types=("published",)))
    assert last.data == {"unreadable_parts": 1, "states": {}, "first_units": []}


def test_persons_and_holes_are_both_named(desk: Desk) -> None:
    mend = "1 part of the input cannot be used. Correct it and start a new run."
    said = desk("polish", holed(desk, json.dumps(biased(2))), "--rules-only", "--run-id", "r")
    assert said.code == 3
    assert f"Not published: some units need a person first. {mend}" in said.out
    assert f"1 more to decide, but {mend}" in desk("decide", "r", "q1", "accept", "--by", "Ada").out
    last = desk("decide", "r", "q2", "accept", "--by", "Ada").out
    assert f"No more to decide, but {mend}" in last and "Nothing else waits" not in last


def test_a_limit_hides_no_hole(desk: Desk) -> None:
    said = desk("polish", holed(desk, BROKEN), "--run-id", "r", "--model", desk.model("q1"), "--max-tokens", 1)
    assert said.code == 6
    assert "2 parts of the input cannot be used. Correct them and start a new run." in said.out
