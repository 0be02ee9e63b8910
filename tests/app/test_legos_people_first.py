"""No machine overrules a person: what people decided about a SEED holds in every later run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.desk import Desk
from tests.app.lego_desk import course, extract, legos, records
from tests.legos_model import LegoWorld

PAIRS = {
    "I want to speak with you now.": "Сакам да зборувам со тебе сега.",
    "Can you come back tomorrow?": "Можеш ли да се вратиш утре?",
}
MINE = [("I want to speak with you", "Сакам да зборувам со тебе"), ("speak with you now", "зборувам со тебе сега")]


@pytest.fixture
def held(desk: Desk) -> Path:
    """A course whose two SEEDs wait in the run x."""
    folder = course(desk, PAIRS)
    assert extract(desk, None, "--hold").code == 3
    return folder


def edited(desk: Desk) -> None:
    (desk.home / "mine.txt").write_text("".join(f"{one} | {other}\n" for one, other in MINE), encoding="utf-8")
    assert desk("decide", "x", "C0001", "edit", "--by", "Ana", "--text-file", "mine.txt").code == 0


def test_what_a_person_cut_is_cut_anew_only_by_name_and_then_waits(desk: Desk, held: Path) -> None:
    edited(desk)
    assert desk("decide", "x", "C0002", "accept", "--by", "Ana").code == 0
    assert desk("resume", "x").code == 0
    assert legos(held, "C0001") == MINE
    said = extract(desk, None, "--again", "all", id="y")
    assert (said.code, "2 accepted before" in said.out) == (0, True)
    assert extract(desk, None, "--again", "C0001", id="z").code == 3
    assert "no model overrules that" in desk("show", "z", "C0001").out
    assert legos(held, "C0001") == MINE, "until somebody takes the new cut"
    assert records(held)["C0001"]["human_review"]["by"] == "Ana"
    assert desk("decide", "z", "C0001", "accept", "--by", "Ben").code == 0
    assert desk("resume", "z").code == 0
    record = records(held)["C0001"]
    assert (record["human_review"]["by"], record["human_review_requested"]) == ("Ben", False)
    assert legos(held, "C0001") != MINE


def test_what_a_person_sent_back_is_not_accepted_by_the_next_run(desk: Desk, held: Path) -> None:
    desk("decide", "x", "C0001", "reject", "--by", "Ana", "--note", "The translation is wrong.")
    desk("decide", "x", "C0002", "accept", "--by", "Ana")
    assert desk("resume", "x").code == 3
    said = extract(desk, None, "--json", id="y")
    assert said.code == 3
    assert said.json["needs_person"] == [{"seed": "C0001", "reason": "waited_before"}]
    assert records(held)["C0001"]["human_review_requested"]
    assert desk("decide", "x", "C0001", "accept", "--by", "Ana").code == 0, "also where it waited first"
    assert desk("resume", "x").code == 0
    assert not records(held)["C0001"]["human_review_requested"]


def test_what_waits_can_be_settled_in_a_later_run(desk: Desk, held: Path) -> None:
    assert extract(desk, None, id="y").code == 3
    (desk.home / "mine.txt").write_text("".join(f"{one} | {other}\n" for one, other in MINE), encoding="utf-8")
    assert desk("decide", "y", "C0001", "edit", "--by", "Ana", "--text-file", "mine.txt").code == 0
    assert desk("decide", "y", "C0002", "reject", "--by", "Ana", "--note", "Cut it otherwise.").code == 0
    desk("resume", "y")
    assert legos(held, "C0001") == MINE
    assert records(held)["C0002"]["review_reasons"]
    assert desk("legos", "validate", held).code == 0


def test_a_critical_concern_of_a_reviewer_waits_for_a_person(desk: Desk) -> None:
    folder = course(desk)

    world = LegoWorld()
    real = world.reply

    def alarmed(name: str, prompt: str) -> object:
        said = real(name, prompt)
        if name == "lego_review_reply" and isinstance(said, dict):
            known = json.loads(prompt[prompt.index('{"unit"') : prompt.rindex("}") + 1])
            concern = {
                "concern_id": "c_meaning_mismatch",
                "severity": "critical",
                "category": "naturalness",
                "description": "The halves do not say the same.",
                "affected_legos": [next(iter(known["legos"]))],
                "suggested_fix": "Pair them anew.",
                "auto_fixable": False,
            }
            said = {**said, "concerns": [concern]}
        return said

    world.reply = alarmed  # type: ignore[method-assign]
    said = extract(desk, world, "--reviewer", "openai:r")
    assert said.code == 3
    record = records(folder)["C0001"]
    assert record["human_review_requested"] and "critical" in " ".join(record["review_reasons"])


def test_a_run_from_before_an_option_goes_on(desk: Desk, held: Path) -> None:
    import sqlite3

    with sqlite3.connect(desk.run("x").journal) as journal:
        [[text]] = journal.execute("select value from meta where key = 'plan'").fetchall()
        plan = json.loads(text)
        del plan["arguments"]["options"]["hold"]
        journal.execute("update meta set value = ? where key = 'plan'", (json.dumps(plan),))
    assert desk("show", "x", "C0001").code == 0
    assert desk("resume", "x").code == 3


def test_a_model_that_cannot_be_opened_does_not_stay_with_the_run(desk: Desk, held: Path) -> None:
    said = desk("resume", "x", "--model", "scripted:none.json")
    assert said.code == 2 and "none.json" in said.err
    assert desk("resume", "x").code == 3


def test_one_is_cut_anew_and_the_others_are_left_alone(desk: Desk, held: Path) -> None:
    before = records(held)["C0001"]
    said = extract(desk, None, "--again", "C0002", "--only", "--json", id="y")
    assert said.code == 0, "what waits elsewhere does not wait here"
    assert records(held)["C0001"] == before
    assert records(held)["C0002"]["quality_status"] == "accepted"
    assert "Not part of this run." in desk("show", "y", "C0001").out
    for wrong in ((), ("--again", "all")):
        refused = extract(desk, None, "--only", *wrong, id="z")
        assert (refused.code, "--only needs the SEEDs" in refused.err) == (2, True)
