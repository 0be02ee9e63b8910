"""`burnish show`: the history of a unit, for people and for programs."""

import json

from tests.app.desk import Desk
from tests.engine.questions_bench import BIASED, SOLVED, biased, edit, filled, objection, sound


def a_run(desk: Desk) -> None:
    """q1 is mended, q2 is not, q0 was clean."""
    rules = [
        {"reply_name": "question_review_reply", "reply": {"reasoning": "fine", "violations": []}},
        {"reply_name": "answer_reply", "reply": SOLVED},
        {"unit": "q1", "reply": edit("q1", BIASED, "")},
        {"unit": "q2", "reply_name": "edit_reply", "nth": 1, "reply": "no JSON"},
        {"unit": "q2", "reply": edit("q2", "Lorem ipsum dolor", "None of the above", "options.D")},
    ]
    (desk.home / "script.json").write_text(json.dumps({"rules": rules}))
    bank = desk.bank(sound(0), biased(1), filled(2))
    assert (
        desk("polish", bank, "--rules-only", "--run-id", "r", "--model", f"scripted:{desk.home / 'script.json'}").code
        == 3
    )


def test_all_units_with_a_history_are_listed(desk: Desk) -> None:
    a_run(desk)
    said = desk("show", "r")
    assert said.out.splitlines() == [
        "q1  validated  passed at attempt 2  2 attempts",
        "q2  needs a person  the corrections left errors  3 attempts",
    ]
    told = desk("show", "r", "--json").json
    assert [unit["unit"] for unit in told["units"]] == ["q1", "q2"]


def test_a_run_where_all_was_clean_says_so(desk: Desk) -> None:
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    assert desk("show", "r").out == "No unit needed a change.\n"


def test_one_unit_is_shown_with_its_attempts_and_diffs(desk: Desk) -> None:
    a_run(desk)
    said = desk("show", "r", "q1")
    assert said.code == 0
    assert "Attempt 1  original" in said.out
    assert "error stem: 'wheelchair-bound' labels people" in said.out
    assert "Attempt 2  corrected by a model  (best)" in said.out
    assert f"-{biased(1)['stem']}" in said.out
    assert f"+{sound(1)['stem']}" in said.out
    assert "passed; rules 1.00, panel 1.00" in said.out


def test_why_an_answer_was_not_used_is_shown(desk: Desk) -> None:
    a_run(desk)
    said = desk("show", "r", "q2")
    assert "not used: the answer could not be read: " in said.out
    assert "not used: the change causes new errors: nbme_none_of_the_above" in said.out
    assert "did not pass; rules 0.97" in said.out


def test_raw_replies_are_shown_on_request(desk: Desk) -> None:
    a_run(desk)
    assert "no JSON" in desk("show", "r", "q2", "--replies").out
    told = desk("show", "r", "q2", "--json", "--replies").json
    assert told["attempts"][1]["replies"] == [
        {"role": "corrector", "model": f"scripted:{desk.home / 'script.json'}", "status": "ok", "raw": "no JSON"}
    ]
    assert "replies" not in desk("show", "r", "q2", "--json").json["attempts"][0]


def test_the_record_for_programs(desk: Desk) -> None:
    a_run(desk)
    told = desk("show", "r", "q1", "--json").json
    assert (told["unit"], told["state"], told["best_attempt"]) == ("q1", "validated", 2)
    first, second = told["attempts"]
    assert first["findings"][0]["rule"] == "ext_bias_detection"
    assert second["edits"][0]["field"] == "stem"
    assert second["diff"].startswith("--- q1 (source)\n+++ q1 (attempt 2)\n")
    assert second["total_tokens"] > 0


def test_what_one_judge_objects_to_is_shown_with_who_denies_it(desk: Desk) -> None:
    """Nobody is outvoted: an objection that too few judges share waits for a person."""
    solved = {"reply_name": "answer_reply", "reply": SOLVED}
    clean = {"reply_name": "question_review_reply", "reply": {"reasoning": "fine", "violations": []}}
    for name in ("one", "two"):
        (desk.home / f"{name}.json").write_text(json.dumps({"rules": [solved, clean]}))
    (desk.home / "three.json").write_text(json.dumps({"rules": [solved, {"reply": objection("sore throat")}]}))
    judges = ",".join(f"scripted:{desk.home / name}.json" for name in ("one", "two", "three"))
    assert desk("polish", desk.bank(sound(0)), "--run-id", "r", "--judges", judges).code == 3
    assert "stem: Two answers hold." in " ".join(desk("show", "r", "q0").out.split())
    [found] = desk("show", "r", "q0", "--json").json["attempts"][0]["findings"]
    assert (found["severity"], found["rule"]) == ("warning", "nbme_distractor_plausibility")
    assert found["data"]["held"] and found["data"]["seats"] == 3


def test_decisions_are_part_of_the_history(desk: Desk) -> None:
    a_run(desk)
    desk("decide", "r", "q2", "accept", "--by", "Ada", "--note", "It is meant so.")
    said = desk("show", "r", "q2")
    assert "accept by Ada: It is meant so." in said.out
    assert desk("show", "r", "q2", "--json").json["decisions"][0]["by"] == "Ada"


def test_a_unit_that_does_not_exist_is_refused(desk: Desk) -> None:
    a_run(desk)
    said = desk("show", "r", "q9")
    assert said.code == 2
    assert "The run r has no unit 'q9'." in said.err


def test_a_unit_is_shown_from_the_journal_when_its_source_is_changed_or_gone(desk: Desk) -> None:
    a_run(desk)
    bank = desk.home / "bank.json"
    told = desk("show", "r", "q1").out
    bank.write_text(bank.read_text().replace("farmer", "gardener"))
    changed = desk("show", "r", "q1")
    assert (changed.code, changed.out) == (0, told)
    bank.unlink()
    gone = desk("show", "r", "q1")
    assert (gone.code, gone.out) == (0, told)
    assert desk("status", "r").code == 0


def test_why_a_change_cannot_be_written_is_shown(desk: Desk) -> None:
    bank = desk.home / "bank.txt"
    bank.write_text(f"Which of the following{BIASED} is white?\nA. Grass\nB. Snow\nC. Moss\nANSWER: B\n")
    rules = [
        {"reply_name": "edit_reply", "reply": edit("q1", BIASED, "\n")},
        {"reply": {"reasoning": "", "violations": []}},
    ]
    (desk.home / "script.json").write_text(json.dumps({"rules": rules}))
    said = desk("polish", bank, "--rules-only", "--run-id", "r", "--model", f"scripted:{desk.home / 'script.json'}")
    assert said.code == 3
    assert "the file's format cannot hold the change" in said.out
    assert "cannot hold a line end" in desk("show", "r", "q1").out
